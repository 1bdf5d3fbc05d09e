package identity

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"slipway/internal/identity/access"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

func TestAPIKey(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var created access.IssuedKey
		s.Test.Post("/v1/api_keys", `{"name": "Website", "scopes": ["hulls:read", "leads:write"], "rate_limit": 50}`, 201, &created)
		if !strings.HasPrefix(created.Key, created.Prefix) || !strings.HasPrefix(created.Prefix, "sk_test_") {
			t.Errorf("got the key %s with the prefix %s, want one that starts with sk_test_", created.Key, created.Prefix)
		}
		assert.Equal(t, len(created.Key), len("sk_test_")+49)
		assert.Equal(t, created.Name, "Website")
		assert.Equal(t, created.RateLimit, new(int64(50)))
		assert.Equal(t, created.CreatedBy.Type, "api_key")
		assert.Equal(t, created.LastUsedAt, nil)
		assert.Equal(t, created.ExpiresAt, nil)

		path := "/v1/api_keys/" + created.ID
		var got access.APIKey
		read := s.Test.Get(path, 200, &got)
		assert.Equal(t, got, created.APIKey)
		assert.Excludes(t, read.Bytes, created.Key)
		assert.Excludes(t, read.Bytes, `"key"`)
		var list page.Page[access.APIKey]
		listed := s.Test.Get("/v1/api_keys?limit=1", 200, &list)
		assert.Equal(t, list.Data[0].ID, created.ID)
		assert.Excludes(t, listed.Bytes, created.Key)

		var live access.IssuedKey
		if s.Live.Post("/v1/api_keys", `{"name": "Website", "scopes": ["hulls:read"]}`, 201, &live); !strings.HasPrefix(live.Key, "sk_live_") {
			t.Errorf("got the live key %s, want one that starts with sk_live_", live.Key)
		}

		// It only has its scopes, and they can't be changed.
		key := s.As(created.Key)
		key.Get("/v1/hulls", 200, nil)
		key.Post("/v1/hulls", testkit.HullBody(s.Test.Location(), nil), 403, nil)
		key.Get(path, 403, nil)
		s.Test.Patch(path, `{"scopes": ["hulls:write"]}`, 405, nil)
		s.Test.Put(path, `{"scopes": ["hulls:write"]}`, 405, nil)
		var me access.Me
		key.Get("/v1/me", 200, &me)
		assert.Equal(t, me.Credential.ID, created.ID)
		assert.Equal(t, me.Credential.Label, "Website")
		assert.Equal(t, me.UserID, nil)
		assert.Equal(t, me.RateLimit.RequestsPerSecond, 50)
		assert.Equal(t, me.Scopes, []auth.Scope{auth.HullsRead, auth.LeadsWrite})

		// After it is revoked, the next request fails. Revoking it again changes nothing.
		var revoked, again access.APIKey
		s.Test.Post(path+"/revoke", nil, 200, &revoked)
		if f := key.Get("/v1/hulls", 401, nil).Fault(t); revoked.RevokedAt == nil || !strings.Contains(f.Message, "revoked") {
			t.Errorf("got %s, %+v; want a revoked key and an error that mentions it", assert.Show(revoked), f)
		}
		s.Advance(time.Hour)
		s.Test.Post(path+"/revoke", nil, 200, &again)
		assert.Equal(t, *again.RevokedAt, *revoked.RevokedAt, "second revocation")
	})
}

func TestInvalidAPIKeys(t *testing.T) {
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

// A key is only stored as a hash, and nowhere as plain text. The stored response
// for a retry is encrypted.
func TestAPIKeyIsNotStored(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		keyed := s.Test.With("Idempotency-Key", uuid.NewString())
		var created, again access.IssuedKey
		first := keyed.Post("/v1/api_keys", `{"name": "Website", "scopes": ["hulls:read"]}`, 201, &created)
		second := keyed.Post("/v1/api_keys", `{"name": "Website", "scopes": ["hulls:read"]}`, 201, &again)
		if created.Key == "" || !bytes.Equal(first.Bytes, second.Bytes) || second.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("got %s, then %s; want the same response with the key, and Idempotent-Replayed: true", first.Bytes, second.Bytes)
		}
		hash := sha256.Sum256([]byte(created.Key))
		assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM api_keys WHERE hash = ?`, hash[:])[0], 1, "rows with its hash")
		secret := strings.TrimPrefix(created.Key, created.Prefix)
		for _, text := range everyText(s) {
			assert.Excludes(t, text, secret, "stored text")
		}
	})
}

// everyText returns all text that the service has stored about keys.
func everyText(s *testkit.Server) (all []string) {
	for _, query := range []string{
		`SELECT id || public_id || name || scopes || lineage || created_by FROM api_keys`,
		`SELECT changes || actor_label FROM audit_entries`,
		`SELECT data FROM {emitted}`,
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
		var created access.IssuedKey
		s.Test.Post("/v1/api_keys", `{"name": "slow", "scopes": ["hulls:read"], "rate_limit": 1}`, 201, &created)
		key := s.As(created.Key)
		assert.Equal(t, key.Get("/v1/me", 200, nil).Header.Get("RateLimit-Policy"), "2;w=2")
		// One request of the burst of two remains.
		tally := testkit.Concurrently(t, 12, func(int) (*testkit.Response, error) { return key.Send("GET", "/v1/me", nil) })
		if tally[429] == 0 || tally[200]+tally[429] != 12 {
			t.Errorf("got %v; want some 429, and 200 otherwise", tally)
		}
		s.Advance(2 * time.Second)
		key.Get("/v1/me", 200, nil)
	})
}

// The requests of a key are counted and saved later. A request writes nothing.
func TestKeyUsage(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var created access.IssuedKey
		var k access.APIKey
		s.Test.Post("/v1/api_keys", `{"name": "Website", "scopes": ["hulls:read"]}`, 201, &created)
		settle(t, s)
		before := written(s)
		use := func(n int) time.Time {
			for range n {
				s.As(created.Key).Get("/v1/hulls", 200, nil)
			}
			return s.DB.Now()
		}
		uses := func() access.APIKey {
			s.Test.Get("/v1/api_keys/"+created.ID, 200, &k)
			return k
		}

		last := use(5)
		if k := uses(); k.Uses24h != 0 || k.LastUsedAt != nil {
			t.Errorf("before the counts are saved: got %s, want no uses", assert.Show(k))
		}
		assert.Equal(t, written(s), before, "rows after five requests")
		settle(t, s)
		if k := uses(); k.Uses24h != 5 || k.LastUsedAt == nil || last.Sub(*k.LastUsedAt).Abs() > time.Minute {
			t.Errorf("got %s; want 5 uses, the last one within a minute of %s", assert.Show(k), last)
		}

		s.Advance(23 * time.Hour)
		last = use(2)
		settle(t, s)
		if k := uses(); k.Uses24h != 7 || last.Sub(*k.LastUsedAt).Abs() > time.Minute {
			t.Errorf("within a day: got %s; want 7 uses, the last one within a minute of %s", assert.Show(k), last)
		}

		s.Advance(2 * time.Hour)
		assert.Equal(t, uses().Uses24h, 2, "without uses older than a day")
		var list page.Page[access.APIKey]
		s.Test.Get("/v1/api_keys", 200, &list)
		for _, l := range list.Data {
			if l.ID == created.ID && l.Uses24h != 2 {
				t.Errorf("got %d uses in the list, want 2", l.Uses24h)
			}
		}
	})
}

// written counts the rows that requests could have written.
func written(s *testkit.Server) (n [3]int64) {
	for i, query := range []string{
		`SELECT COUNT(*) FROM audit_entries`, `SELECT COUNT(*) FROM {emitted}`,
		`SELECT CAST(COALESCE(SUM(uses), 0) AS BIGINT) FROM api_key_uses`,
	} {
		n[i] = testkit.Rows[int64](s, query)[0]
	}
	return n
}
