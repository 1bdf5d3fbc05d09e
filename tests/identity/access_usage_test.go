package identity

import (
	"context"
	"testing"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/identity/access"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/token"
)

// failures returns the audit entries about rejected credentials, oldest first.
func failures(s *testkit.Server) (list []failure) {
	var entries page.Page[dealership.AuditEntry]
	s.Test.Get("/v1/audit?action=auth.failed&limit=100", 200, &entries)
	for i := len(entries.Data) - 1; i >= 0; i-- {
		e := entries.Data[i]
		list = append(list, failure{e.Target.ID, e.Changes["times"][1].(float64), e})
	}
	return list
}

type failure struct {
	target string
	times  float64
	entry  dealership.AuditEntry
}

// newMinute moves the clock to the start of a minute, so that the next steps happen
// within the same minute.
func newMinute(s *testkit.Server) {
	s.Advance(time.Minute + time.Second - time.Duration(s.DB.Now().UnixNano()%int64(time.Minute)))
}

// Equal rejections of a key or a user become one entry. Rejections of unknown
// credentials are in the log of the installation.
func TestFailedAuthenticationIsAudited(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var revoked, rotated, forged access.IssuedKey
		for _, k := range []*access.IssuedKey{&revoked, &rotated, &forged} {
			s.Test.Post("/v1/api_keys", `{"name": "Website", "scopes": ["hulls:read"]}`, 201, k)
		}
		s.Test.Post("/v1/api_keys/"+revoked.ID+"/revoke", nil, 200, nil)
		s.Test.Post("/v1/api_keys/"+rotated.ID+"/rotate", nil, 201, nil)
		s.Advance(week)
		p, withApp := s.Person("viewer"), s.Person("viewer")
		secret, factor := enrollApp(withApp)
		invalid := "sk_test_" + "aaaaaaaaaaaaaaaa" // without a checksum

		attempts := map[string]struct {
			try   func()
			times int
		}{
			revoked.ID: {func() { s.As(revoked.Key).Get("/v1/hulls", 401, nil) }, 7},
			rotated.ID: {func() { s.As(rotated.Key).Get("/v1/me", 401, nil) }, 3},
			forged.ID:  {func() { s.As(token.WithOtherSecret(forged.Key)).Get("/v1/me", 401, nil) }, 2},
			p.ID:       {func() { s.As("").Post("/oauth/sessions", signIn(p.Email, "password", "guess"), 401, nil) }, 4},
			withApp.ID: {func() {
				withApp.Post(factor+"/verify", map[string]any{"code": wrongCode(t, s, secret)}, 422, nil)
			}, 2},
			"unknown": {func() {
				s.As(invalid).Get("/v1/me", 401, nil)
				s.As("").Post("/oauth/sessions", signIn("unknown@example.com"), 401, nil)
			}, 1},
		}

		newMinute(s)
		for round := 1; round <= 2; round++ {
			for _, a := range attempts {
				for range a.times {
					a.try()
				}
			}
			settle(t, s)
			got := failures(s)
			if len(got) != round*(len(attempts)-1) {
				t.Fatalf("round %d: got %d entries, want %d: %+v", round, len(got), round*(len(attempts)-1), got)
			}
			for _, f := range got {
				e := f.entry
				assert.Equal(t, f.times, float64(attempts[f.target].times), "round", round)
				assert.Equal(t, e.Outcome, "failure", "round", round)
				assert.Equal(t, e.Actor, auth.System, "round", round)
				if e.Changes["reason"][1] == "" || e.Changes["first_at"][1] == nil {
					t.Errorf("round %d: got %s, want a reason and first_at", round, assert.Show(f))
				}
			}
			newMinute(s)
		}
	})
}

// A token that was just rejected is rejected again without a query, and still counted.
func TestRejectedTokensAreCached(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var k access.IssuedKey
		s.Test.Post("/v1/api_keys", `{"name": "Website", "scopes": ["hulls:read"]}`, 201, &k)
		s.As(k.Key).Get("/v1/me", 200, nil)
		s.Test.Post("/v1/api_keys/"+k.ID+"/revoke", nil, 200, nil)

		newMinute(s)
		flood := s.As(k.Key)
		want := flood.Get("/v1/me", 401, nil).Fault(t).Message
		s.Exec(`ALTER TABLE api_keys RENAME TO renamed`)
		for range 5 {
			if got := flood.Get("/v1/me", 401, nil).Fault(t).Message; got != want {
				t.Fatalf("got %q, want %q", got, want)
			}
		}
		s.Exec(`ALTER TABLE renamed RENAME TO api_keys`)

		settle(t, s)
		got := failures(s)
		assert.Len(t, got, 1)
		assert.Equal(t, got[0].times, 6)
		s.Advance(time.Second)
		s.Exec(`ALTER TABLE api_keys RENAME TO renamed`)
		flood.Get("/v1/me", 500, nil) // the cache has expired
	})
}

// Counts that could not be saved are saved the next time.
func TestCountsSurviveFailedWrite(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var k access.IssuedKey
		s.Test.Post("/v1/api_keys", `{"name": "Website", "scopes": ["hulls:read"]}`, 201, &k)
		for range 3 {
			s.As(k.Key).Get("/v1/me", 200, nil)
		}
		s.Test.Post("/v1/api_keys/"+k.ID+"/revoke", nil, 200, nil)
		newMinute(s)
		s.As(k.Key).Get("/v1/me", 401, nil)

		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		if s.Settle(canceled) == nil {
			t.Fatal("got no error for a canceled write")
		}
		if err := s.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		var record access.APIKey
		s.Test.Get("/v1/api_keys/"+k.ID, 200, &record)
		if failed := failures(s); record.Uses24h != 3 || record.LastUsedAt == nil || len(failed) != 1 || failed[0].target != k.ID {
			t.Errorf("got %d uses, the last at %s, and %d failures; want 3 uses and 1 failure of %s",
				record.Uses24h, assert.Show(record.LastUsedAt), len(failed), k.ID)
		}
	})
}
