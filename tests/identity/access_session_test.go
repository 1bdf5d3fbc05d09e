package identity

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"slipway/internal/identity/access"
	"slipway/internal/identity/people"
	"slipway/internal/platform/authlog"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

// signIn returns the body for a Person's sign-in to the test environment.
func signIn(email string, changes ...string) map[string]any {
	body := map[string]any{"email": email, "password": testkit.Password, "environment": "test"}
	for i := 0; i < len(changes); i += 2 {
		body[changes[i]] = changes[i+1]
	}
	return body
}

// The owner of a new dealership can sign in with the credentials from bootstrap.
func TestOwnerSignsIn(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for mode, other := range map[string]auth.Mode{"test": auth.Live, "live": auth.Test} {
			body := map[string]any{
				"email": s.Owner.Email, "password": s.Owner.PasswordOf(other), "environment": mode, "totp_code": s.Code(s.Owner.TOTPSecret(auth.Mode(mode))),
			}
			s.As("").Post("/oauth/sessions", body, 401, nil) // the environments share no credentials
			body["password"] = s.Owner.PasswordOf(auth.Mode(mode))
			if mode == "live" {
				delete(body, "environment") // the default
			}
			var in access.SignedIn
			s.As("").Post("/oauth/sessions", body, 201, &in)
			assert.Contains(t, in.Token, "st_"+mode+"_")
			assert.Equal(t, in.User.Email, s.Owner.Email)
			assert.Equal(t, in.ExpiresAt.Sub(s.DB.Now()).Round(time.Minute), 12*time.Hour)

			var me access.Me
			s.As(in.Token).Get("/v1/me", 200, &me)
			assert.Equal(t, string(me.Environment), mode)
			assert.Equal(t, me.UserID, new(in.User.ID))
			assert.Len(t, me.Scopes, len(auth.Scopes))
			assert.Equal(t, me.Dealership.Name, "Acme Marine")
		}
	})
}

// The response doesn't reveal which accounts exist.
func TestRejectedSignIns(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		known, withApp, deactivated := s.Person("viewer"), s.Person("viewer"), s.Person("viewer")
		invited := s.Test.User(map[string]any{"email": "invited@example.com"})
		secret, _ := enrollApp(withApp)
		s.Test.Post("/v1/users/"+deactivated.ID+"/deactivate", nil, 200, nil)

		var want []byte
		for name, body := range map[string]map[string]any{
			"unknown address":            signIn("unknown@example.com"),
			"wrong password":             signIn(known.Email, "password", "five boats in a row"),
			"empty password":             signIn(known.Email, "password", ""),
			"other environment":          signIn(known.Email, "environment", "live"),
			"deactivated user":           signIn(deactivated.Email),
			"invited user":               signIn("invited@example.com"),
			"invited user, no password":  signIn("invited@example.com", "password", ""),
			"wrong code":                 signIn(withApp.Email, "totp_code", wrongCode(t, s, secret)),
			"wrong password, right code": signIn(withApp.Email, "password", "x", "totp_code", code(t, s, secret)),
			"wrong password, no code":    signIn(withApp.Email, "password", "x"),
		} {
			res := s.As("").Post("/oauth/sessions", body, 401, nil)
			f := res.Fault(t)
			got := bytes.ReplaceAll(res.Bytes, []byte(f.RequestID), nil)
			if want == nil {
				want = got
			}
			if !bytes.Equal(got, want) || res.Header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s: got %s, want %s and WWW-Authenticate", name, got, want)
			}
		}
		sessions := testkit.Rows[int64](s, `SELECT COUNT(*) FROM sessions WHERE user_id IN (?, ?)`, invited, deactivated.ID)[0]
		assert.Equal(t, sessions, 1, "the session from before the deactivation")

		s.As("").Post("/oauth/sessions", signIn(" "+strings.ToUpper(known.Email)+" "), 201, nil)
		for body, status := range map[string]int{
			`{}`: 400, `[]`: 400, `{"email": "a@example.com"}`: 400,
			`{"email": "a@example.com", "password": "x", "environment": "prod"}`: 422,
		} {
			s.As("").Post("/oauth/sessions", body, status, nil)
		}
	})
}

func TestSession(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, other := s.Person("sales"), s.Person("viewer")
		var me access.Me
		p.Get("/v1/me", 200, &me)
		want := []auth.Scope{auth.HullsRead, auth.LeadsRead, auth.LeadsWrite, auth.DealsRead, auth.DealsWrite}
		assert.Equal(t, me.Credential, (auth.Actor{Type: "user", ID: p.ID, Label: "Uma"}))
		assert.Equal(t, me.Scopes, want)
		assert.Equal(t, me.AppID, nil)
		p.Get("/v1/hulls", 200, nil)
		p.Post("/v1/hulls", testkit.HullBody(s.Test.Location(), nil), 403, nil)
		assert.Equal(t, p.Get("/v1/yachts", 404, nil).Header.Get("Service-Version"), me.Version, "version in an error")

		second := s.As(s.Token(p.Email))
		var mine, all page.Page[people.Session]
		s.Test.Get("/v1/sessions?user_id="+p.ID, 200, &mine)
		s.Test.Get("/v1/sessions", 200, &all)
		assert.Len(t, mine.Data, 2)
		assert.Len(t, all.Data, 3)
		session := mine.Data[0]
		assert.Equal(t, session.UserID, p.ID)
		assert.Equal(t, session.Method, "password")
		assert.Equal(t, session.IP, new("127.0.0.1"))
		assert.Contains(t, *session.UserAgent, "Go-http-client")
		assert.Equal(t, session.ExpiresAt.Sub(session.CreatedAt), 12*time.Hour)
		s.Test.Get("/v1/sessions?user_id=usr_00000000000000000000000000", 200, &all)
		assert.Len(t, all.Data, 0, "sessions of an unknown user")

		// After the older one is revoked, its next request fails. The other still works.
		s.Test.Delete("/v1/sessions/"+mine.Data[1].ID, 204)
		p.Get("/v1/me", 401, nil)
		second.Get("/v1/me", 200, nil)
		s.Test.Delete("/v1/sessions/"+mine.Data[1].ID, 404)

		// Signing out also ends a session.
		second.Delete("/oauth/sessions/current", 204)
		second.Get("/v1/me", 401, nil)
		second.Delete("/oauth/sessions/current", 401)
		s.As("").Delete("/oauth/sessions/current", 401)
		assert.Contains(t, s.Test.Delete("/oauth/sessions/current", 403).Fault(t).Message, "not a session", "API key")
		other.Get("/v1/me", 200, nil)
	})
}

func TestSessionExpires(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer")
		var list page.Page[people.Session]
		s.Test.Get("/v1/sessions?user_id="+p.ID, 200, &list)
		s.Advance(list.Data[0].ExpiresAt.Sub(s.DB.Now()) - time.Second)
		p.Get("/v1/me", 200, nil)
		s.Advance(time.Second)
		p.Get("/v1/me", 401, nil)
		p.Delete("/oauth/sessions/current", 401)
		s.Test.Get("/v1/sessions?user_id="+p.ID, 200, &list)
		assert.Len(t, list.Data, 0, "no longer listed")
	})
}

// last_seen_at is saved some seconds later, not by the request.
func TestLastSeen(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer")
		type seen struct {
			Session people.Session
			User    people.User
		}
		find := func() (v seen) {
			var list page.Page[people.Session]
			s.Test.Get("/v1/sessions?user_id="+p.ID, 200, &list)
			s.Test.Get("/v1/users/"+p.ID, 200, &v.User)
			v.Session = list.Data[0]
			return v
		}

		settle(t, s)
		before := find()
		s.Advance(time.Hour)
		p.Get("/v1/me", 200, nil)
		now := find()
		assert.Equal(t, now.Session.LastSeenAt, before.Session.LastSeenAt, "not written yet")
		assert.Equal(t, now.User.LastSeenAt, nil, "not written yet")
		settle(t, s)

		after := find()
		if passed := after.Session.LastSeenAt.Sub(before.Session.LastSeenAt); passed < time.Hour || passed > time.Hour+time.Minute {
			t.Errorf("last_seen_at moved by %s, want an hour", passed)
		}
		assert.Equal(t, *after.User.LastSeenAt, after.Session.LastSeenAt)
		assert.Equal(t, after.User.Version, before.User.Version, "version after a request")
	})
}

// signInFrom signs in from an IP address.
func signInFrom(t *testing.T, s *testkit.Server, address string, body map[string]any) *httptest.ResponseRecorder {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/oauth/sessions", encode(t, body))
	req.RemoteAddr = address + ":1234"
	req.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.Handler.ServeHTTP(w, req)
	return w
}

// Attempts are limited by address and by account. The user can still sign in from
// an address that was used before.
func TestSignInThrottle(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer") // has signed in from 127.0.0.1
		right, guess := signIn(p.Email), signIn(p.Email, "password", "guess")
		for i := range 10 {
			if w := signInFrom(t, s, "203.0.113.1", guess); w.Code != 401 {
				t.Fatalf("guess %d: got %d, want 401", i, w.Code)
			}
		}

		w := signInFrom(t, s, "203.0.113.1", right)
		assert.Equal(t, w.Code, 429, "after ten guesses")
		assert.Equal(t, w.Header().Get("Retry-After"), "30", "after ten guesses")
		assert.Contains(t, w.Body.String(), `"rate_limited"`, "after ten guesses")

		for i := range 39 { // 39 attempts from unknown addresses reach the limit of the account
			if w := signInFrom(t, s, fmt.Sprintf("198.51.100.%d", i), guess); w.Code != 401 {
				t.Fatalf("unknown address %d: got %d, want 401", i, w.Code)
			}
		}

		assert.Equal(t, signInFrom(t, s, "192.0.2.1", right).Code, 429, "from an unknown address")
		assert.Equal(t, signInFrom(t, s, "127.0.0.1", right).Code, 201, "from a known address")
		assert.Equal(t, signInFrom(t, s, "192.0.2.1", signIn("unknown@example.com")).Code, 401, "another account")
		s.Advance(time.Minute)
		assert.Equal(t, signInFrom(t, s, "192.0.2.1", right).Code, 201, "a minute later")
	})
}

// A sign-in fails if the user is deactivated after the password was checked.
// Otherwise a reactivation would also reactivate the session.
func TestSignInDuringDeactivation(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer")
		deactivate := "/v1/users/" + p.ID + "/deactivate"
		reactivate := func() {
			s.Test.Patch("/v1/users/"+p.ID, `{"status": "active"}`, 200, nil)
			s.Activate(p.ID)
		}
		s.Test.Post(deactivate, nil, 200, nil)
		api := &access.API{DB: s.DB, Box: s.Box, AuthLog: authlog.New(s.DB)}
		if in, err := openWithCode(t, api, candidate(s, p.ID), nil, s.DB.Now()); err == nil {
			t.Errorf("deactivated user: got the session %s, want an error", assert.Show(in))
		}
		reactivate()

		for range 6 { // also if both happen at the same time
			s.Advance(time.Minute)
			var token string
			testkit.Concurrently(t, 2, func(i int) (*testkit.Response, error) {
				if i == 0 {
					return s.Test.Send("POST", deactivate, nil)
				}
				res, err := s.As("").Send("POST", "/oauth/sessions", signIn(p.Email))
				if err == nil && res.StatusCode == 201 {
					token = decode[access.SignedIn](t, res).Token
				}
				return res, err
			})
			reactivate()
			if token != "" {
				s.As(token).Get("/v1/me", 401, nil)
			}
		}
	})
}
