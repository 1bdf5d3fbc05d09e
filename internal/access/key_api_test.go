package access_test

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"slipway/internal/access"
	"slipway/internal/testkit"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

func TestAPIKey(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var made access.IssuedKey
		res := s.Test.Post("/v1/api_keys", `{"name": "Website", "scopes": ["hulls:read", "leads:write"], "rate_limit": 50}`, 201, &made)
		if !strings.HasPrefix(made.Key, made.Prefix) || !strings.HasPrefix(made.Prefix, "sk_test_") || len(made.Key) != len("sk_test_")+49 ||
			made.Name != "Website" || *made.RateLimit != 50 || made.CreatedBy.Type != "api_key" || made.LastUsedAt != nil || made.ExpiresAt != nil {
			t.Errorf(`made %s; want made.Key to start with %q, made.Prefix to start with "sk_test_", len(made.Key) = len("sk_test_")+49, made.Name = "Website", made.RateLimit = 50, made.CreatedBy.Type = "api_key", made.LastUsedAt = nil, made.ExpiresAt = nil`, res.Bytes, made.Prefix)
		}
		path := "/v1/api_keys/" + made.ID
		var got access.APIKey
		read := s.Test.Get(path, 200, &got)
		testkit.Equal(t, got, made.APIKey)
		testkit.Excludes(t, read.Bytes, made.Key)
		testkit.Excludes(t, read.Bytes, `"key"`)
		var list page.Page[access.APIKey]
		listed := s.Test.Get("/v1/api_keys?limit=1", 200, &list)
		testkit.Equal(t, list.Data[0].ID, made.ID)
		testkit.Excludes(t, listed.Bytes, made.Key)
		var live access.IssuedKey
		if s.Live.Post("/v1/api_keys", `{"name": "Website", "scopes": ["hulls:read"]}`, 201, &live); !strings.HasPrefix(live.Key, "sk_live_") {
			t.Errorf(`a live key: got %s, want live.Key to start with "sk_live_"`, live.Key)
		}

		// It may what it was made for, and no more; what it may cannot be changed.
		key := s.As(made.Key)
		key.Get("/v1/hulls", 200, nil)
		key.Post("/v1/hulls", testkit.HullBody(s.Test.Location(), nil), 403, nil)
		key.Get(path, 403, nil)
		s.Test.Patch(path, `{"scopes": ["hulls:write"]}`, 405, nil)
		s.Test.Put(path, `{"scopes": ["hulls:write"]}`, 405, nil)
		var me access.Me
		key.Get("/v1/me", 200, &me)
		testkit.Equal(t, me.Credential.ID, made.ID)
		testkit.Equal(t, me.Credential.Label, "Website")
		testkit.Equal(t, me.UserID, nil)
		testkit.Equal(t, me.RateLimit.RequestsPerSecond, 50)
		testkit.Equal(t, me.Scopes, []auth.Scope{auth.HullsRead, auth.LeadsWrite})

		// Revoked, it ends with the next request; revoked once more, nothing changes.
		var revoked, again access.APIKey
		s.Test.Post(path+"/revoke", nil, 200, &revoked)
		if f := key.Get("/v1/hulls", 401, nil).Fault(t); revoked.RevokedAt == nil || !strings.Contains(f.Message, "revoked") {
			t.Errorf(`got %s, %+v; want revoked.RevokedAt != nil, f.Message to contain "revoked"`, testkit.Show(revoked), f)
		}
		s.Advance(time.Hour)
		s.Test.Post(path+"/revoke", nil, 200, &again)
		testkit.Equal(t, *again.RevokedAt, *revoked.RevokedAt, "second revocation")
	})
}

func TestRefusedAPIKeys(t *testing.T) {
	s := testkit.OnSQLite(t)
	for body, c := range map[string]struct {
		status      int
		field, code string
	}{
		`{"name": "x", "scopes": []}`:                                    {422, "scopes", "too_few"},
		`{"name": "x", "scopes": ["boats:read"]}`:                        {422, "scopes", "enum"},
		`{"name": "x", "scopes": ["hulls:read", "hulls:read"]}`:          {422, "scopes", "duplicate"},
		`{"name": "", "scopes": ["hulls:read"]}`:                         {422, "name", "too_short"},
		`{"name": "x"}`:                                                  {400, "scopes", "required"},
		`{"name": "x", "scopes": ["hulls:read"], "rate_limit": 0}`:       {422, "rate_limit", "minimum"},
		`{"name": "x", "scopes": ["hulls:read"], "rate_limit": 10001}`:   {422, "rate_limit", "maximum"},
		`{"name": "x", "scopes": ["hulls:read"], "expires_at": null}`:    {422, "expires_at", "unknown_field"},
		`{"name": "x", "scopes": ["admin"]}`:                             {403, "mfa_token", "mfa"},
		`{"name": "x", "scopes": ["hulls:read"], "key": "sk_test_mine"}`: {422, "key", "unknown_field"},
	} {
		s.Test.Post("/v1/api_keys", body, c.status, nil).WantDetail(t, c.field, c.code, body)
	}
}

// A key is kept as a hash, and nowhere in the clear: not even in what is kept
// for repeats, where its maker gets it once more.
func TestAPIKeyIsShownToItsMakerOnly(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		keyed := s.Test.With("Idempotency-Key", uuid.NewString())
		var made, again access.IssuedKey
		first := keyed.Post("/v1/api_keys", `{"name": "Website", "scopes": ["hulls:read"]}`, 201, &made)
		second := keyed.Post("/v1/api_keys", `{"name": "Website", "scopes": ["hulls:read"]}`, 201, &again)
		if made.Key == "" || !bytes.Equal(first.Bytes, second.Bytes) || second.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("got %s, repeated %s; want the same answer with the key, and Idempotent-Replayed: true", first.Bytes, second.Bytes)
		}
		hash := sha256.Sum256([]byte(made.Key))
		testkit.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM api_keys WHERE hash = ?`, hash[:])[0], 1, "rows have its hash")
		secret := strings.TrimPrefix(made.Key, made.Prefix)
		for _, text := range everyText(s) {
			testkit.Excludes(t, text, secret, "no secret in the clear")
		}
	})
}

// everyText is all that the service has written about keys, as text.
func everyText(s *testkit.Server) (all []string) {
	for _, query := range []string{
		`SELECT id || public_id || name || scopes || lineage || created_by FROM api_keys`,
		`SELECT changes || actor_label FROM audit_entries`,
		`SELECT data FROM outbox`,
		`SELECT key || header FROM idempotency_keys`,
	} {
		all = append(all, testkit.Rows[string](s, query)...)
	}
	for _, body := range testkit.Rows[[]byte](s, `SELECT body FROM idempotency_keys`) {
		all = append(all, string(body))
	}
	return all
}

func TestRateLimitOfAnIssuedKey(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var made access.IssuedKey
		s.Test.Post("/v1/api_keys", `{"name": "slow", "scopes": ["hulls:read"], "rate_limit": 1}`, 201, &made)
		key := s.As(made.Key)
		testkit.Equal(t, key.Get("/v1/me", 200, nil).Header.Get("RateLimit-Policy"), "2;w=2")
		// One is left of the two that it may save up; more than a second's worth of the others must wait.
		if tally := testkit.Concurrently(t, 12, func(int) (*testkit.Response, error) { return key.Send("GET", "/v1/me", nil) }); tally[429] == 0 || tally[200]+tally[429] != 12 {
			t.Errorf("got %v; want tally[429] != 0, tally[200]+tally[429] = 12", tally)
		}
		s.Advance(2 * time.Second)
		key.Get("/v1/me", 200, nil)
	})
}

// What requests do to a key is added up and written later: a request of its
// own writes nothing.
func TestUsesOfAKey(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var made access.IssuedKey
		var k access.APIKey
		s.Test.Post("/v1/api_keys", `{"name": "Website", "scopes": ["hulls:read"]}`, 201, &made)
		settle(t, s)
		before := written(s)
		use := func(n int) time.Time {
			for range n {
				s.As(made.Key).Get("/v1/hulls", 200, nil)
			}
			return s.DB.Now()
		}
		uses := func() access.APIKey {
			s.Test.Get("/v1/api_keys/"+made.ID, 200, &k)
			return k
		}
		last := use(5)
		if k := uses(); k.Uses24h != 0 || k.LastUsedAt != nil {
			t.Errorf("written at once: got %s; want k.Uses24h = 0, k.LastUsedAt = nil", testkit.Show(k))
		}
		testkit.Equal(t, written(s), before, "five requests wrote")
		settle(t, s)
		if k := uses(); k.Uses24h != 5 || k.LastUsedAt == nil || last.Sub(*k.LastUsedAt).Abs() > time.Minute {
			t.Errorf("got %s at %s; want k.Uses24h = 5, k.LastUsedAt != nil, last.Sub(*k.LastUsedAt).Abs() <= time.Minute", testkit.Show(k), last)
		}
		s.Advance(23 * time.Hour)
		last = use(2)
		settle(t, s)
		if k := uses(); k.Uses24h != 7 || last.Sub(*k.LastUsedAt).Abs() > time.Minute {
			t.Errorf("a day's: got %s; want k.Uses24h = 7, last.Sub(*k.LastUsedAt).Abs() <= time.Minute", testkit.Show(k))
		}
		s.Advance(2 * time.Hour)
		testkit.Equal(t, uses().Uses24h, 2, "without uses of more than a day ago")
		var list page.Page[access.APIKey]
		s.Test.Get("/v1/api_keys", 200, &list)
		for _, l := range list.Data {
			if l.ID == made.ID && l.Uses24h != 2 {
				t.Errorf("listed with %d uses, want 2", l.Uses24h)
			}
		}
	})
}

// written counts the rows that requests could have written.
func written(s *testkit.Server) (n [3]int64) {
	for i, query := range []string{`SELECT COUNT(*) FROM audit_entries`, `SELECT COUNT(*) FROM outbox`, `SELECT CAST(COALESCE(SUM(uses), 0) AS BIGINT) FROM api_key_uses`} {
		n[i] = testkit.Rows[int64](s, query)[0]
	}
	return n
}
