package access_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"slipway/internal/access"
	"slipway/internal/people"
	"slipway/internal/testkit"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

// signIn is the body of a Person's sign-in to the test environment.
func signIn(email string, changes ...string) map[string]any {
	body := map[string]any{"email": email, "password": testkit.Password, "environment": "test"}
	for i := 0; i < len(changes); i += 2 {
		body[changes[i]] = changes[i+1]
	}
	return body
}

// The owner of a new dealership signs in with what bootstrap printed.
func TestOwnerSignsIn(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for _, mode := range []string{"test", "live"} {
			// SignIn moves the clock to the next code, so each code is generated
			// right before it is used: an older one expires while a password is hashed.
			body := s.SignIn()
			if body["environment"] = mode; mode == "live" {
				delete(body, "environment") // the default
			}
			var in access.SignedIn
			res := s.As("").Post("/oauth/sessions", body, 201, &in)
			if !strings.HasPrefix(in.Token, "st_"+mode+"_") || in.User.Email != s.Owner.Email || in.ExpiresAt.Sub(s.DB.Now()).Round(time.Minute) != 12*time.Hour {
				t.Errorf("%s: got %s; want in.Token to start with %q, in.User.Email = %q, in.ExpiresAt.Sub(s.DB.Now()).Round(time.Minute) = 12*time.Hour", mode, res.Bytes, "st_"+mode+"_", s.Owner.Email)
			}
			var me access.Me
			s.As(in.Token).Get("/v1/me", 200, &me)
			testkit.Equal(t, string(me.Environment), mode)
			testkit.Equal(t, me.UserID, new(in.User.ID))
			testkit.Len(t, me.Scopes, len(auth.Scopes))
			testkit.Equal(t, me.Dealership.Name, "Acme Marine")
		}
	})
}

// The answer does not reveal who works here.
func TestRefusedSignIns(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		known, cautious, gone, invited := s.Person("viewer"), s.Person("viewer"), s.Person("viewer"), s.Test.User(map[string]any{"email": "invited@example.com"})
		secret, _ := enrollApp(t, s, s.Test, cautious.ID)
		s.Test.Post("/v1/users/"+gone.ID+"/deactivate", nil, 200, nil)
		var uniform []byte
		for name, body := range map[string]map[string]any{
			"an unknown address":           signIn("stranger@example.com"),
			"a wrong password":             signIn(known.Email, "password", "five boats in a row"),
			"an empty password":            signIn(known.Email, "password", ""),
			"the other environment":        signIn(known.Email, "environment", "live"),
			"a deactivated user":           signIn(gone.Email),
			"a user who is only invited":   signIn("invited@example.com"),
			"an invited user, no password": signIn("invited@example.com", "password", ""),
			"a wrong code":                 signIn(cautious.Email, "totp_code", wrongCode(t, s, secret)),
			"a wrong password, right code": signIn(cautious.Email, "password", "x", "totp_code", code(t, s, secret)),
			"a wrong password, no code":    signIn(cautious.Email, "password", "x"),
		} {
			res := s.As("").Post("/oauth/sessions", body, 401, nil)
			f := res.Fault(t)
			told := bytes.ReplaceAll(res.Bytes, []byte(f.RequestID), nil)
			if uniform == nil {
				uniform = told
			}
			if !bytes.Equal(told, uniform) || res.Header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s: got %s, want %s and WWW-Authenticate", name, told, uniform)
			}
		}
		testkit.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM sessions WHERE user_id IN (?, ?)`, invited, gone.ID)[0], 1, "sessions of users who cannot sign in")
		s.As("").Post("/oauth/sessions", signIn(" "+strings.ToUpper(known.Email)+" "), 201, nil) // people type addresses in many ways
		for body, status := range map[string]int{`{}`: 400, `{"email": "a@example.com"}`: 400, `{"email": "a@example.com", "password": "x", "environment": "prod"}`: 422, `[]`: 400} {
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
		testkit.Equal(t, me.Credential, (auth.Actor{Type: "user", ID: p.ID, Label: "Uma"}))
		testkit.Equal(t, me.Scopes, want)
		testkit.Equal(t, me.AppID, nil)
		p.Get("/v1/hulls", 200, nil)
		p.Post("/v1/hulls", testkit.HullBody(s.Test.Location(), nil), 403, nil)
		p.Get("/v1/sessions", 403, nil)
		testkit.Equal(t, p.Get("/v1/yachts", 404, nil).Header.Get("Service-Version"), me.Version, "version in an error")

		second := s.As(s.Token(p.Email))
		var mine, all page.Page[people.Session]
		s.Test.Get("/v1/sessions?user_id="+p.ID, 200, &mine)
		s.Test.Get("/v1/sessions", 200, &all)
		if len(mine.Data) != 2 || len(all.Data) != 3 || mine.Data[0].UserID != p.ID || mine.Data[0].Method != "password" || *mine.Data[0].IP != "127.0.0.1" ||
			!strings.HasPrefix(*mine.Data[0].UserAgent, "Go-http-client") || mine.Data[0].ExpiresAt.Sub(mine.Data[0].CreatedAt) != 12*time.Hour {
			t.Errorf(`mine %s, all %s; want len(mine.Data) = 2, len(all.Data) = 3, mine.Data[0].UserID = %q, mine.Data[0].Method = "password", mine.Data[0].IP = "127.0.0.1", mine.Data[0].UserAgent to start with "Go-http-client", mine.Data[0].ExpiresAt.Sub(mine.Data[0].CreatedAt) = 12*time.Hour`, testkit.Show(mine.Data), testkit.Show(all.Data), p.ID)
		}
		s.Test.Get("/v1/sessions?user_id=usr_00000000000000000000000000", 200, &all)
		testkit.Len(t, all.Data, 0, "no one's sessions")

		// Revoked, the older one ends with its next request, and no other.
		s.Test.Delete("/v1/sessions/"+mine.Data[1].ID, 204)
		p.Get("/v1/me", 401, nil)
		second.Get("/v1/me", 200, nil)
		s.Test.Delete("/v1/sessions/"+mine.Data[1].ID, 404)

		// Signed out, it ends, too.
		second.Delete("/oauth/sessions/current", 204)
		second.Get("/v1/me", 401, nil)
		second.Delete("/oauth/sessions/current", 401)
		s.As("").Delete("/oauth/sessions/current", 401)
		testkit.Contains(t, s.Test.Delete("/oauth/sessions/current", 403).Fault(t).Message, "not a session", "a key")
		other.Get("/v1/me", 200, nil)
	})
}

func TestSessionEnds(t *testing.T) {
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
		testkit.Len(t, list.Data, 0, "no longer listed")
	})
}

// When somebody was last seen is written some seconds later, not by the
// request that shows it.
func TestLastSeen(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer")
		type seen struct {
			Session people.Session
			User    people.User
		}
		look := func() (v seen) {
			var list page.Page[people.Session]
			s.Test.Get("/v1/sessions?user_id="+p.ID, 200, &list)
			s.Test.Get("/v1/users/"+p.ID, 200, &v.User)
			v.Session = list.Data[0]
			return v
		}
		settle(t, s)
		before := look()
		s.Advance(time.Hour)
		p.Get("/v1/me", 200, nil)
		now := look()
		testkit.Equal(t, now.Session.LastSeenAt, before.Session.LastSeenAt, "not written yet")
		testkit.Equal(t, now.User.LastSeenAt, nil, "not written yet")
		settle(t, s)
		after := look()
		if since := after.Session.LastSeenAt.Sub(before.Session.LastSeenAt); since < time.Hour || since > time.Hour+time.Minute || !after.User.LastSeenAt.Equal(after.Session.LastSeenAt) {
			t.Errorf("after %s: got %s; want since >= time.Hour, since <= time.Hour+time.Minute, after.User.LastSeenAt = %v", since, testkit.Show(after), after.Session.LastSeenAt)
		}
		testkit.Equal(t, after.User.Version, before.User.Version, "being seen is no change")
	})
}

// from is the status of a sign-in that comes from an address.
func from(t *testing.T, s *testkit.Server, address string, body map[string]any) *httptest.ResponseRecorder {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/oauth/sessions", encode(t, body))
	req.RemoteAddr = address + ":1234"
	req.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.Handler.ServeHTTP(w, req)
	return w
}

// Guessing is slowed down by address and by account; its owner gets in all the
// same, from where they were before.
func TestGuessingIsSlow(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer") // has signed in from 127.0.0.1
		right, guess := signIn(p.Email), signIn(p.Email, "password", "guess")
		for i := range 10 {
			if w := from(t, s, "203.0.113.1", guess); w.Code != 401 {
				t.Fatalf("guess %d: got %d, want 401", i, w.Code)
			}
		}
		w := from(t, s, "203.0.113.1", right)
		testkit.Equal(t, w.Code, 429, "after ten guesses")
		testkit.Equal(t, w.Header().Get("Retry-After"), "30", "after ten guesses")
		testkit.Contains(t, w.Body.String(), `"rate_limited"`, "after ten guesses")
		for i := range 39 { // many unknown addresses use up the rest: one was the first sign-in
			if w := from(t, s, fmt.Sprintf("198.51.100.%d", i), guess); w.Code != 401 {
				t.Fatalf("unknown address %d: got %d, want 401", i, w.Code)
			}
		}
		testkit.Equal(t, from(t, s, "192.0.2.1", right).Code, 429, "from an address that the account does not know")
		testkit.Equal(t, from(t, s, "127.0.0.1", right).Code, 201, "from home")
		testkit.Equal(t, from(t, s, "192.0.2.1", signIn("stranger@example.com")).Code, 401, "another account")
		s.Advance(time.Minute)
		testkit.Equal(t, from(t, s, "192.0.2.1", right).Code, 201, "a minute later")
	})
}

// A password that was found right is worth nothing if the user was deactivated
// in the meantime: the session would come alive with the user.
func TestSignInWhileBeingDeactivated(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer")
		deactivate, reactivate := "/v1/users/"+p.ID+"/deactivate", func() { s.Test.Patch("/v1/users/"+p.ID, `{"status": "active"}`, 200, nil) }
		s.Test.Post(deactivate, nil, 200, nil)
		env := testkit.Rows[auth.Env](s, `SELECT env FROM users WHERE id = ?`, p.ID)[0]
		api := &access.API{DB: s.DB, Box: s.Box}
		if in, err := api.OpenSession(t.Context(), people.User{Env: env, ID: p.ID}, auth.Test); err == nil {
			t.Errorf("a session for a deactivated user: got %s, want an error", testkit.Show(in))
		}
		reactivate()
		for range 6 { // and so it is when both happen at once
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
