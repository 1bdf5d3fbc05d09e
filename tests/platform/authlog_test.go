package platform

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/identity/access"
	"slipway/internal/platform/authlog"
	"slipway/internal/platform/db"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

// entries returns the audit entries with an action, newest first.
func entries(s *testkit.Server, action string) []dealership.AuditEntry {
	var list page.Page[dealership.AuditEntry]
	s.Test.Get("/v1/audit?limit=100&action="+action, 200, &list)
	return list.Data
}

// refusals returns the log of the installation, newest first.
func refusals(t *testing.T, s *testkit.Server) []authlog.Refusal {
	t.Helper()
	all, err := db.Read(t.Context(), s.DB, func(ctx context.Context, tx *db.Tx) ([]authlog.Refusal, error) {
		return authlog.Refusals(ctx, tx, time.Time{}, 10_000)
	})
	assert.NoError(t, err)
	return all
}

// from is a request from an address.
func from(t *testing.T, ip string) context.Context {
	return auth.WithRequest(t.Context(), auth.Request{ID: "req_1", IP: ip, UserAgent: "curl/8"})
}

var errRevoked = fault.Unauthenticated("This API key was revoked.")

// newHour moves the clock to the start of an hour, so that the next steps happen
// within the same minute and hour.
func newHour(s *testkit.Server) {
	s.Advance(time.Hour + time.Second - time.Duration(s.DB.Now().UnixNano()%int64(time.Hour)))
}

// flushing runs the flusher as the server does. Each call of the function it returns
// is a tick, and waits until the previous one is saved.
func flushing(t *testing.T, s *testkit.Server) (tick func()) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	ticks, stopped := make(chan time.Time), make(chan struct{})
	go func() {
		defer close(stopped)
		s.AuthLog.Run(ctx, ticks, func(err error) { t.Error(err) })
	}()
	t.Cleanup(func() {
		stop()
		<-stopped
	})
	return func() {
		ticks <- s.DB.Now()
		ticks <- s.DB.Now() // accepted when the first is saved
	}
}

// An attacker makes the server crash right after guessing. The attempts of the last
// two seconds before a crash are the only ones that are lost.
func TestKilledServerLosesNoRefusal(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var k access.IssuedKey
		s.Test.Post("/v1/api_keys", `{"name": "Website", "scopes": ["hulls:read"]}`, 201, &k)
		s.Test.Post("/v1/api_keys/"+k.ID+"/revoke", nil, 200, nil)
		newHour(s)
		tick := flushing(t, s)

		for i := range 3 { // within one minute, the server never stops
			res := s.As(k.Key).With("User-Agent", "curl/8").Get("/v1/hulls", 401, nil)
			s.Advance(time.Second)
			tick()
			found := entries(s, "auth.failed")
			assert.Len(t, found, i+1)
			assert.Equal(t, found[0].Target, dealership.AuditTarget{Type: "api_key", ID: k.ID})
			assert.Equal(t, found[0].Outcome, "failure")
			assert.Equal(t, found[0].IP, new("127.0.0.1"))
			assert.Equal(t, found[0].UserAgent, new("curl/8"))
			assert.Equal(t, found[0].RequestID, new(res.Header.Get("Request-Id")))
			assert.Equal(t, found[0].Changes["times"][1], any(float64(1)))
		}
	})
}

// An attacker tries keys, sessions and addresses that don't exist.
func TestGuessedCredentialsAreLogged(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var other access.IssuedKey
		s.Test.Post("/v1/api_keys", `{"name": "Website", "scopes": ["hulls:read"]}`, 201, &other)
		session := s.Person("viewer").Key
		secret := other.Key[len(other.Key)-20:]
		s.Exec(`DELETE FROM api_keys WHERE id = ?`, other.ID)
		s.Exec(`DELETE FROM sessions WHERE env = ?`, s.TestEnv())
		newHour(s)
		tick := flushing(t, s)

		s.As("sk_test_aaaaaaaaaaaaaaaa").Get("/v1/me", 401, nil) // incomplete
		s.Advance(time.Millisecond)
		s.As(other.Key).Get("/v1/me", 401, nil)
		s.Advance(time.Millisecond)
		s.As(session).Get("/v1/me", 401, nil)
		s.Advance(time.Millisecond)
		for _, email := range []string{"Unknown@Example.com", "unknown@example.com", "my secret password"} {
			s.As("").Post("/oauth/sessions", map[string]any{"email": email, "password": "guess"}, 401, nil)
			s.Advance(time.Millisecond)
		}
		s.As("").Get("/v1/me", 401, nil) // without a credential, it is not an attempt
		tick()

		found := refusals(t, s)
		assert.Len(t, found, 5)
		for i, want := range []struct{ kind, subject, reason string }{
			{"user", "*** #", "The email address, password or code is wrong."},
			{"user", "u***@example.com #", "The email address, password or code is wrong."},
			{"session", session[:len("st_test_")+16], "Invalid or expired session. Sign in again."},
			{"api_key", other.Key[:len("sk_test_")+16], "Unknown API key."},
			{"api_key", "", "Invalid credential. Check that the key was copied completely."},
		} {
			r := found[i]
			assert.Equal(t, r.Kind, want.kind)
			assert.Contains(t, r.Subject, want.subject)
			assert.Contains(t, r.Reason, want.reason)
			assert.Equal(t, r.IP, new("127.0.0.1"))
			assert.Excludes(t, assert.Show(r), secret)
			assert.Excludes(t, assert.Show(r), "obody")
			assert.Excludes(t, assert.Show(r), "secret password")
		}
		assert.Equal(t, found[1].Times, 2, "the same address")
		assert.Len(t, entries(s, "auth.failed"), 0)
	})
}

// A client sends what a database can't store, or very long text. It must not keep
// the other rejections from being saved.
func TestUnstorableCredentials(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for _, id := range []string{"\x00", "app\x00\x1b[2J", "\xff\xfe", strings.Repeat("é", 9000), "app_1"} {
			s.AuthLog.Reject(from(t, "192.0.2.1"), authlog.Rejection{Kind: authlog.KindApp, ID: id, Err: errors.New("unknown " + id)})
		}
		s.AuthLog.Reject(from(t, "192.0.2.1"), authlog.Rejection{Kind: authlog.KindUser, ID: "hunter@2 secret", Err: errRevoked})
		assert.NoError(t, s.AuthLog.Flush(t.Context()))
		found := refusals(t, s)
		assert.Len(t, found, 5) // two are empty
		for _, r := range found {
			if len(r.Subject) > 64 || len(r.Reason) > 254 {
				t.Errorf("got a subject of %d and a reason of %d bytes, want at most 64 and 254", len(r.Subject), len(r.Reason))
			}
			assert.Excludes(t, r.Subject+r.Reason, "\x1b")
			assert.Excludes(t, r.Subject, "secret")
		}
	})
}

// A session that ended, a token with a wrong secret, and a key in the wrong mode
// belong to an environment.
func TestCredentialsOfAnEnvironmentAreInItsLog(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer")
		p.Delete("/oauth/sessions/current", 204)
		newHour(s)
		p.Get("/v1/me", 401, nil)
		assert.NoError(t, s.AuthLog.Flush(t.Context()))
		found := entries(s, "auth.failed")
		assert.Len(t, found, 1)
		assert.Equal(t, found[0].Target.Type, "session")
		assert.Len(t, refusals(t, s), 0)
	})
}

// A flood from one address leads to a handful of rows, and every refusal is counted.
func TestFloodFromOneAddress(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		env := s.TestEnv()
		newHour(s)
		for i := range 10_000 { // 100 per second
			s.AuthLog.Reject(from(t, "192.0.2.1"), authlog.Rejection{Env: env, Kind: authlog.KindAPIKey, ID: "key_1", Err: errRevoked})
			if i%100 == 99 {
				s.Advance(time.Second)
				assert.NoError(t, s.AuthLog.Flush(t.Context()))
			}
		}
		assert.NoError(t, s.AuthLog.Settle(t.Context()))

		found, times := entries(s, "auth.failed"), 0.0
		for _, e := range found {
			times += e.Changes["times"][1].(float64)
		}
		if len(found) > 15 || times != 10_000 {
			t.Errorf("got %d entries with %.0f refusals, want at most 15 entries with 10000", len(found), times)
		}
	})
}

// A flood of different credentials is limited, whether it comes from one network,
// from an IPv6 network or from many networks. What is over the limit is summed.
func TestFloodOfDifferentCredentials(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for name, c := range map[string]struct {
			address func(i int) string
			atMost  int
		}{
			"one address":   {func(int) string { return "192.0.2.1" }, 21},
			"one IPv6 /64":  {func(i int) string { return fmt.Sprintf("2001:db8::%x", i+1) }, 21},
			"many networks": {func(i int) string { return fmt.Sprintf("10.1.%d.%d", i/250, i%250) }, 201},
		} {
			newHour(s)
			s.Exec(`DELETE FROM auth_refusals`)
			for i := range 5000 {
				email := fmt.Sprintf("u%d@example.com", i)
				s.AuthLog.Reject(from(t, c.address(i)), authlog.Rejection{Kind: authlog.KindUser, ID: email, Err: errRevoked})
			}
			assert.NoError(t, s.AuthLog.Flush(t.Context()))
			found, times, other := refusals(t, s), int64(0), int64(0)
			for _, r := range found {
				times += r.Times
				if r.Subject == authlog.Other {
					other += r.Times
				}
			}
			if len(found) != c.atMost || times != 5000 || other != int64(5000-c.atMost+1) {
				t.Errorf("%s: got %d rows with %d refusals, %d of them summed; want %d rows with 5000", name, len(found), times, other, c.atMost)
			}
		}
	})
}

// Rejections that could not be saved are saved later, and the memory is limited.
func TestRefusalsSurviveFailedWrite(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		env := s.TestEnv()
		newHour(s)
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		reject := func(id string) {
			s.AuthLog.Reject(from(t, "192.0.2.1"), authlog.Rejection{Env: env, Kind: authlog.KindAPIKey, ID: id, Err: errors.New("revoked")})
		}
		for range 3 {
			reject("key_1")
			s.AuthLog.Used(from(t, "192.0.2.1"), env, auth.Actor{Type: "api_key", ID: "key_2", Label: "Website"})
			if s.AuthLog.Flush(canceled) == nil {
				t.Fatal("got no error for a canceled write")
			}
		}
		assert.NoError(t, s.AuthLog.Flush(t.Context()))
		found := entries(s, "auth.failed")
		assert.Len(t, found, 1)
		assert.Equal(t, found[0].Changes["times"][1], any(float64(3)))
		assert.Len(t, entries(s, "api_key.used"), 1)
	})
}

// The log shows when and from where a key was used: one entry for each address and
// hour, also if several servers are used.
func TestUseOfStolenKey(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var k access.IssuedKey
		s.Test.Post("/v1/api_keys", `{"name": "Website", "scopes": ["hulls:read"]}`, 201, &k)
		uses := func() (found []dealership.AuditEntry) {
			for _, e := range entries(s, "api_key.used&target_id="+k.ID) {
				assert.Equal(t, e.Actor, auth.Actor{Type: "api_key", ID: k.ID, Label: "Website"})
				found = append(found, e)
			}
			return found
		}
		newHour(s)
		tick := flushing(t, s)
		for range 5 {
			s.As(k.Key).With("User-Agent", "curl/8").Get("/v1/hulls", 200, nil)
			tick()
		}
		assert.Len(t, uses(), 1)
		assert.Equal(t, uses()[0].IP, new("127.0.0.1"))
		assert.Equal(t, uses()[0].UserAgent, new("curl/8"))

		node := authlog.New(s.DB)
		actor := auth.Actor{Type: "api_key", ID: k.ID, Label: "Website"}
		node.Used(from(t, "127.0.0.1"), s.TestEnv(), actor)
		assert.NoError(t, node.Flush(t.Context()))
		assert.Len(t, uses(), 1, "from another server")
		node.Used(from(t, "203.0.113.9"), s.TestEnv(), actor)
		assert.NoError(t, node.Flush(t.Context()))
		assert.Len(t, uses(), 2, "from another address")
		assert.Equal(t, uses()[0].IP, new("203.0.113.9"))

		s.Advance(time.Hour)
		s.As(k.Key).Get("/v1/hulls", 200, nil)
		tick()
		assert.Len(t, uses(), 3, "in the next hour")
	})
}

// A key that is used from thousands of addresses does not fill the disk.
func TestKeyUsedFromManyAddresses(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		env := s.TestEnv()
		newHour(s)
		for i := range 5000 {
			s.AuthLog.Used(from(t, fmt.Sprintf("10.1.%d.%d", i/250, i%250)), env, auth.Actor{Type: "api_key", ID: "key_1", Label: "Website"})
		}
		assert.NoError(t, s.AuthLog.Flush(t.Context()))
		n := testkit.Rows[int64](s, `SELECT COUNT(*) FROM audit_entries WHERE env = ? AND target_id = 'key_1'`, env)[0]
		assert.Equal(t, n, 101)
		changes := testkit.Rows[string](s, `SELECT changes FROM audit_entries WHERE env = ? AND target_id = 'key_1' AND ip IS NULL`, env)
		assert.Len(t, changes, 1)
		assert.Contains(t, changes[0], "further addresses")
	})
}

// Refusals are stored for 13 months.
func TestRefusalsAreStoredFor13Months(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.As("sk_test_"+strings.Repeat("a", 30)).Get("/v1/me", 401, nil)
		assert.NoError(t, s.AuthLog.Settle(t.Context()))
		start := s.DB.Now()
		for _, c := range []struct {
			at   time.Time
			left int
		}{{start.AddDate(0, 13, -4), 1}, {start.AddDate(0, 13, 4), 0}} {
			s.Advance(c.at.Sub(s.DB.Now()))
			_, err := db.Write(t.Context(), s.DB, authlog.Purge)
			assert.NoError(t, err)
			assert.Len(t, refusals(t, s), c.left, c.at)
		}
	})
}
