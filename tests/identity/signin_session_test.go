package identity

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"slipway/internal/platform/password"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// A browser session ends two hours after the last request, and twelve hours after
// the sign-in.
func TestBrowserSessionExpires(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, b := s.Person("viewer"), newBrowser(t, s)
		b.signIn(p.Email, testkit.Password)
		for range 6 {
			s.Advance(2*time.Hour - time.Minute)
			b.want(b.get("/oauth/account"), 200, p.Email)
			settle(t, s)
		}
		s.Advance(6 * time.Minute)
		assert.Contains(t, b.get("/oauth/account").path, "/oauth/sign-in", "after 12 hours")

		b.signIn(p.Email, testkit.Password)
		var list struct{ Data []struct{ ID string } }
		s.As(s.Token(p.Email)).Get("/v1/sessions?user_id="+p.ID, 200, &list)
		assert.Len(t, list.Data, 2)
		s.Advance(2 * time.Hour)
		assert.Contains(t, b.get("/oauth/account").path, "/oauth/sign-in", "two hours without a request")
		s.As(s.Token(p.Email)).Get("/v1/sessions?user_id="+p.ID, 200, &list)
		assert.Len(t, list.Data, 2, "an idle session is not listed; two of the API are")
	})
}

// Whatever ends the access of a user also ends the sessions in browsers.
func TestBrowserSessionEnds(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for name, end := range map[string]func(p *testkit.Person){
			"deactivated": func(p *testkit.Person) { s.Test.Post("/v1/users/"+p.ID+"/deactivate", nil, 200, nil) },
			"password changed": func(p *testkit.Person) {
				p.Post("/oauth/password", map[string]any{"old_password": testkit.Password, "new_password": "five boats in a row"}, 204, nil)
			},
			"revoked by the API": func(p *testkit.Person) {
				id := testkit.Rows[string](s, `SELECT id FROM sessions WHERE user_id = ? AND browser`, p.ID)[0]
				p.Delete("/v1/sessions/"+id, 204)
			},
		} {
			p, b := s.Person("viewer"), newBrowser(t, s)
			b.signIn(p.Email, testkit.Password)
			b.want(b.get("/oauth/account"), 200, p.Email)
			end(p)
			assert.Contains(t, b.get("/oauth/account").path, "/oauth/sign-in", name)
		}
	})
}

// A browser gets a new token when the rights of the user change. The old one, which
// might be stolen, doesn't have the new rights.
func TestTokenChangesWithRights(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, b := s.Person("viewer"), newBrowser(t, s)
		b.signIn(p.Email, testkit.Password)
		page := b.get("/oauth/account")
		for name, change := range map[string]func(){
			"roles": func() {
				s.Test.Put("/v1/users/"+p.ID+"/roles", map[string]any{"role_ids": []string{s.RoleID("sales")}}, 200, nil)
			},
			"two-factor": func() { p.Enroll() },
		} {
			stolen := b.cookie("slipway-test")
			change()
			b.want(b.get("/oauth/account"), 200, p.Email)
			if b.cookie("slipway-test") == stolen {
				t.Errorf("%s: the token stayed the same", name)
			}
			thief := newBrowser(t, s)
			thief.setCookie("slipway-test", stolen)
			assert.Contains(t, thief.get("/oauth/account").path, "/oauth/sign-in", name)
		}

		same := b.cookie("slipway-test")
		b.get("/oauth/account")
		assert.Equal(t, b.cookie("slipway-test"), same, "without a change")
		assert.Len(t, testkit.Rows[string](s, `SELECT id FROM sessions WHERE user_id = ? AND browser`, p.ID), 1)
		assert.Len(t, testkit.Rows[string](s, `SELECT id FROM audit_entries WHERE action = 'session.rotated' AND actor_id = ?`, p.ID), 2)
		b.want(b.submit(page), 200, "You are signed out") // a form from before still works
	})
}

func TestSignOut(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, b := s.Person("viewer"), newBrowser(t, s)
		b.signIn(p.Email, testkit.Password)
		token := b.cookie("slipway-test")
		b.want(b.get("/oauth/sign-out"), 200, "Sign out?", p.Email)
		b.want(b.get("/oauth/account"), 200, p.Email) // a link doesn't sign out

		v := b.want(b.submit(b.get("/oauth/sign-out")), 200, "You are signed out")
		assert.Equal(t, v.Header.Get("Clear-Site-Data"), `"cache", "storage"`)
		assert.Equal(t, b.cookie("slipway-test"), "")
		b.setCookie("slipway-test", token)
		assert.Contains(t, b.get("/oauth/account").path, "/oauth/sign-in", "the token has ended")
		assert.Contains(t, b.get("/oauth/sign-out").path, "/oauth/sign-in")
	})
}

// A user sees and ends their own sessions, and no others.
func TestWhereYouAreSignedIn(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, other := s.Person("viewer"), s.Person("viewer")
		b, phone := newBrowser(t, s), newBrowser(t, s)
		phone.header.Set("User-Agent", "Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) Version/26.0 Mobile/15E148 Safari/604.1")
		b.signIn(p.Email, testkit.Password)
		phone.signIn(p.Email, testkit.Password)

		v := b.want(b.get("/oauth/account/sessions"), 200, "Firefox on Mac", "This browser", "Safari on iPhone", "Go-http-client", "API")
		assert.Equal(t, strings.Count(v.text, "This browser"), 1)
		assert.Equal(t, strings.Count(v.text, `name="session" value="ses_`), 2)
		session := func(name string) string {
			return testkit.Rows[string](s, `SELECT id FROM sessions WHERE user_id = ? AND user_agent LIKE ?`, p.ID, "%"+name+"%")[0]
		}
		theirs := testkit.Rows[string](s, `SELECT id FROM sessions WHERE user_id = ?`, other.ID)[0]
		b.submit(v, "session", theirs)
		other.Get("/v1/me", 200, nil)

		v = b.want(b.submit(v, "session", session("iPhone")), 200, "The session was ended.")
		assert.Excludes(t, v.text, "iPhone")
		assert.Contains(t, phone.get("/oauth/account").path, "/oauth/sign-in")
		phone.signIn(p.Email, testkit.Password)
		v = b.want(b.submit(v, "session", "others"), 200, "You are signed out everywhere else.", "This browser")
		assert.Excludes(t, v.text, "ses_")
		p.Get("/v1/me", 401, nil)
		assert.Contains(t, phone.get("/oauth/account").path, "/oauth/sign-in")
	})
}

// A password that was hashed before hashes shared a salt still works, and is hashed
// again at the first sign-in.
func TestOldPasswordHash(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		const old = "$argon2id$v=19$m=8,t=1,p=1$c2FsdCBmb3IgdGVzdGluZw$RMLmD4VLcGh4+TfAtn1moHVxFkZxO9IaRR2GTPRyG5A"
		p, b := s.Person("viewer"), newBrowser(t, s)
		s.Exec(`UPDATE users SET password_hash = ? WHERE id = ?`, old, p.ID)
		version := testkit.Rows[int64](s, `SELECT version FROM users WHERE id = ?`, p.ID)[0]
		b.want(b.signIn(p.Email, "not the password"), 422)
		assert.Equal(t, testkit.Rows[string](s, `SELECT password_hash FROM users WHERE id = ?`, p.ID)[0], old)
		b.want(b.signIn(p.Email, testkit.Password), 200, p.Email)

		hash := testkit.Rows[string](s, `SELECT password_hash FROM users WHERE id = ?`, p.ID)[0]
		assert.Contains(t, hash, fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$", password.Standard.Memory, password.Standard.Time, password.Standard.Threads))
		assert.Equal(t, strings.Count(hash, "$"), 6)
		assert.Equal(t, testkit.Rows[int64](s, `SELECT version FROM users WHERE id = ?`, p.ID)[0], version)
		b.want(b.signIn(p.Email, testkit.Password), 200, p.Email)
		assert.Equal(t, testkit.Rows[string](s, `SELECT password_hash FROM users WHERE id = ?`, p.ID)[0], hash)
		p.Get("/v1/me", 200, nil)
	})
}

// A session works on all nodes, and ends on all of them.
func TestBrowserSessionOnTwoNodes(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, b := s.Person("viewer"), newBrowser(t, s)
		p.Enroll()
		node := s.Node()
		there := newBrowser(t, node)

		// The steps of a sign-in can reach different nodes.
		b.signIn(p.Email, testkit.Password)
		there.setCookie("slipway-ticket", b.cookie("slipway-ticket"))
		v := there.submit(there.want(there.get("/oauth/sign-in/factor"), 200), "code", node.Code(p.Secret))
		assert.Equal(t, v.path, "/oauth/account")

		b.setCookie("slipway-test", there.cookie("slipway-test"))
		v = b.want(b.get("/oauth/account"), 200, p.Email)
		b.want(b.submit(v), 200, "You are signed out")
		assert.Contains(t, there.get("/oauth/account").path, "/oauth/sign-in")
	})
}

// Of two requests with the same ticket, one signs in.
func TestTicketWorksOnce(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, b := s.Person("viewer"), newBrowser(t, s)
		recovery := p.Enroll()
		v := b.signIn(p.Email, testkit.Password)
		paths := make(chan string, 5)
		for i := range 5 {
			go func() {
				other := newBrowser(t, s)
				other.setCookie("slipway-ticket", b.cookie("slipway-ticket"))
				paths <- other.submit(v, "code", recovery[i]).path
			}()
		}
		signedIn := 0
		for range 5 {
			if <-paths == "/oauth/account" {
				signedIn++
			}
		}
		assert.Equal(t, signedIn, 1)
		assert.Len(t, testkit.Rows[string](s, `SELECT id FROM sessions WHERE user_id = ? AND browser`, p.ID), 1)
	})
}
