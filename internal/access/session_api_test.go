package access_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"slipway/internal/access"
	"slipway/internal/dealership"
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
		for mode, body := range map[string]map[string]any{"test": s.SignIn(), "live": s.SignIn()} {
			if body["environment"] = mode; mode == "live" {
				delete(body, "environment") // the default
			}
			var in access.SignedIn
			res := s.As("").Post("/oauth/sessions", body, 201, &in)
			if !strings.HasPrefix(in.Token, "st_"+mode+"_") || in.User.Email != s.Owner.Email || in.ExpiresAt.Sub(s.DB.Now()).Round(time.Minute) != 12*time.Hour {
				t.Errorf("%s: %s", mode, res.Bytes)
			}
			var me access.Me
			if s.As(in.Token).Get("/v1/me", 200, &me); string(me.Environment) != mode || *me.UserID != in.User.ID || len(me.Scopes) != len(auth.Scopes) || me.Dealership.Name != "Acme Marine" {
				t.Errorf("%s: %+v", mode, me)
			}
		}
	})
}

// A stranger does not learn from the answer who works here.
func TestRefusedSignIns(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		known, cautious, gone, invited := s.Person("viewer"), s.Person("viewer"), s.Person("viewer"), s.Test.User(map[string]any{"email": "invited@example.com"})
		secret, _ := app(t, s, s.Test, cautious.ID)
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
			"a wrong code":                 signIn(cautious.Email, "totp_code", wrong(t, s, secret)),
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
				t.Errorf("%s: %s instead of %s", name, told, uniform)
			}
		}
		if n := testkit.Rows[int64](s, `SELECT COUNT(*) FROM sessions WHERE user_id IN (?, ?)`, invited, gone.ID)[0]; n != 1 {
			t.Errorf("%d sessions of people who may not sign in", n)
		}
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
		if me.Credential != (auth.Actor{Type: "user", ID: p.ID, Label: "Uma"}) || !slices.Equal(me.Scopes, want) || me.AppID != nil {
			t.Errorf("it is %+v", me)
		}
		p.Get("/v1/hulls", 200, nil)
		p.Post("/v1/hulls", testkit.HullBody(s.Test.Location(), nil), 403, nil)
		p.Get("/v1/sessions", 403, nil)
		if v := p.Get("/v1/yachts", 404, nil).Header.Get("Service-Version"); v != me.Version {
			t.Errorf("an error to a session says version %q", v)
		}

		second := s.As(s.Token(p.Email))
		var mine, all page.Page[dealership.Session]
		s.Test.Get("/v1/sessions?user_id="+p.ID, 200, &mine)
		s.Test.Get("/v1/sessions", 200, &all)
		if len(mine.Data) != 2 || len(all.Data) != 3 || mine.Data[0].UserID != p.ID || mine.Data[0].Method != "password" || *mine.Data[0].IP != "127.0.0.1" ||
			!strings.HasPrefix(*mine.Data[0].UserAgent, "Go-http-client") || mine.Data[0].ExpiresAt.Sub(mine.Data[0].CreatedAt) != 12*time.Hour {
			t.Errorf("mine %+v, all %+v", mine.Data, all.Data)
		}
		s.Test.Get("/v1/sessions?user_id=usr_00000000000000000000000000", 200, &all)
		if len(all.Data) != 0 {
			t.Errorf("of nobody: %+v", all.Data)
		}

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
		if f := s.Test.Delete("/oauth/sessions/current", 403).Fault(t); !strings.Contains(f.Message, "no session") {
			t.Errorf("a key: %+v", f)
		}
		other.Get("/v1/me", 200, nil)
	})
}

func TestSessionEnds(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer")
		var list page.Page[dealership.Session]
		s.Test.Get("/v1/sessions?user_id="+p.ID, 200, &list)
		s.Advance(list.Data[0].ExpiresAt.Sub(s.DB.Now()) - time.Second)
		p.Get("/v1/me", 200, nil)
		s.Advance(time.Second)
		p.Get("/v1/me", 401, nil)
		p.Delete("/oauth/sessions/current", 401)
		if s.Test.Get("/v1/sessions?user_id="+p.ID, 200, &list); len(list.Data) != 0 {
			t.Errorf("still listed: %+v", list.Data)
		}
	})
}

// When somebody was last seen is written some seconds later, not by the
// request that shows it.
func TestLastSeen(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer")
		type seen struct {
			Session dealership.Session
			User    dealership.User
		}
		look := func() (v seen) {
			var list page.Page[dealership.Session]
			s.Test.Get("/v1/sessions?user_id="+p.ID, 200, &list)
			s.Test.Get("/v1/users/"+p.ID, 200, &v.User)
			v.Session = list.Data[0]
			return v
		}
		settle(t, s)
		before := look()
		s.Advance(time.Hour)
		p.Get("/v1/me", 200, nil)
		if now := look(); !now.Session.LastSeenAt.Equal(before.Session.LastSeenAt) || now.User.LastSeenAt != nil {
			t.Errorf("written at once: %+v", now)
		}
		settle(t, s)
		after := look()
		if since := after.Session.LastSeenAt.Sub(before.Session.LastSeenAt); since < time.Hour || since > time.Hour+time.Minute || !after.User.LastSeenAt.Equal(after.Session.LastSeenAt) {
			t.Errorf("after %s: %+v", since, after)
		}
		if after.User.Version != before.User.Version {
			t.Errorf("being seen is no change: version %d became %d", before.User.Version, after.User.Version)
		}
	})
}

// from is the status of a sign-in that comes from an address.
func from(t *testing.T, s *testkit.Server, address string, body map[string]any) *httptest.ResponseRecorder {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/oauth/sessions", jsonOf(t, body))
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
				t.Fatalf("guess %d: %d", i, w.Code)
			}
		}
		w := from(t, s, "203.0.113.1", right)
		if w.Code != 429 || w.Header().Get("Retry-After") != "30" || !strings.Contains(w.Body.String(), `"rate_limited"`) {
			t.Errorf("after ten guesses: %d %s %s", w.Code, w.Header().Get("Retry-After"), w.Body)
		}
		for i := range 39 { // a crowd of strangers uses up the rest: one was the first sign-in
			if w := from(t, s, fmt.Sprintf("198.51.100.%d", i), guess); w.Code != 401 {
				t.Fatalf("stranger %d: %d", i, w.Code)
			}
		}
		if w := from(t, s, "192.0.2.1", right); w.Code != 429 {
			t.Errorf("from an address that the account does not know: %d", w.Code)
		}
		if w := from(t, s, "127.0.0.1", right); w.Code != 201 {
			t.Errorf("from home: %d %s", w.Code, w.Body)
		}
		if w := from(t, s, "192.0.2.1", signIn("stranger@example.com")); w.Code != 401 {
			t.Errorf("another account: %d", w.Code)
		}
		s.Advance(time.Minute)
		if w := from(t, s, "192.0.2.1", right); w.Code != 201 {
			t.Errorf("a minute later: %d", w.Code)
		}
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
		if in, err := api.OpenSession(t.Context(), dealership.User{Env: env, ID: p.ID}, auth.Test); err == nil {
			t.Errorf("a session for a deactivated user: %+v", in)
		}
		reactivate()
		for range 6 { // and so it is when both happen at once
			s.Advance(time.Minute)
			var token string
			testkit.AtOnce(t, 2, func(i int) (*testkit.Response, error) {
				if i == 0 {
					return s.Test.Send("POST", deactivate, nil)
				}
				res, err := s.As("").Send("POST", "/oauth/sessions", signIn(p.Email))
				if err == nil && res.StatusCode == 201 {
					token = decoded[access.SignedIn](t, res).Token
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
