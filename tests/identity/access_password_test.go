package identity

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"slipway/internal/identity/access"
	"slipway/internal/identity/people"
	"slipway/internal/platform/authlog"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

const newPassword = "seven quiet green herons"

// change returns the body that changes a Person's password.
func change(changes ...string) map[string]any {
	body := map[string]any{"old_password": testkit.Password, "new_password": newPassword}
	for i := 0; i < len(changes); i += 2 {
		body[changes[i]] = changes[i+1]
	}
	return body
}

func TestChangePassword(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunJobs()
		p := s.Person("viewer")
		second := s.As(s.Token(p.Email))
		p.Enroll()
		p.Post("/oauth/password", change("totp_code", code(t, s, p.Secret)), 204, nil)

		for _, c := range []*testkit.Client{p.Client, second} {
			c.Get("/v1/me", 401, nil)
		}
		s.As("").Post("/oauth/sessions", signIn(p.Email, "totp_code", code(t, s, p.Secret)), 401, nil)
		s.As("").Post("/oauth/sessions", signIn(p.Email, "totp_code", code(t, s, p.Secret), "password", newPassword), 201, nil)
		s.Mail(p.Email, "Your password for Acme Marine was changed", 1)

		entry := testkit.Rows[string](s, `SELECT actor_id FROM audit_entries WHERE action = 'user.password_changed' AND target_id = ?`, p.ID)
		assert.Equal(t, entry, []string{p.ID}, "audit entries")
	})
}

// A stolen session is not enough to change the password.
func TestStolenSessionCantChangePassword(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, plain := s.Person("viewer"), s.Person("viewer")
		p.Enroll()
		for name, c := range map[string]struct {
			client      *testkit.Client
			body        map[string]any
			status      int
			field, code string
		}{
			"wrong password":             {p.Client, change("old_password", "guess", "totp_code", code(t, s, p.Secret)), 422, "old_password", "mismatch"},
			"no code":                    {p.Client, change(), 400, "totp_code", "required"},
			"wrong code":                 {p.Client, change("totp_code", wrongCode(t, s, p.Secret)), 422, "totp_code", "mismatch"},
			"wrong password, no factor":  {plain.Client, change("old_password", "guess"), 422, "old_password", "mismatch"},
			"empty password, no factor":  {plain.Client, change("old_password", ""), 422, "old_password", "mismatch"},
			"short new password":         {plain.Client, change("new_password", "short"), 422, "new_password", "too_short"},
			"breached new password":      {plain.Client, change("new_password", "Password1234!"), 422, "new_password", "common"},
			"new password with the name": {plain.Client, change("new_password", "acme marine forever"), 422, "new_password", "personal"},
			"unknown field":              {plain.Client, change("totp", "1"), 422, "totp", "unknown_field"},
		} {
			c.client.Post("/oauth/password", c.body, c.status, nil).WantDetail(t, c.field, c.code, name)
		}
		s.As("").Post("/oauth/password", change(), 401, nil)
		s.Test.Post("/oauth/password", change(), 403, nil)
		p.Get("/v1/me", 200, nil)
		s.Token(plain.Email) // the password is the same

		for range 10 { // guesses are limited like those of sign-ins
			if res, err := plain.Send("POST", "/oauth/password", change("old_password", "guess")); err != nil || res.StatusCode == 204 {
				t.Fatal(res, err)
			}
		}
		plain.Post("/oauth/password", change("old_password", "guess"), 429, nil)
	})
}

// A sign-in with the old password that is in progress during a change gets no
// session. Otherwise an attacker could stay signed in.
func TestSignInDuringPasswordChange(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer")
		c := candidate(s, p.ID)
		p.Post("/oauth/password", change(), 204, nil)
		api := &access.API{DB: s.DB, Box: s.Box, AuthLog: authlog.New(s.DB)}
		if in, err := openWithCode(t, api, c, nil, s.DB.Now()); err == nil {
			t.Errorf("old password: got the session %s, want an error", assert.Show(in))
		}
		if _, err := openWithCode(t, api, candidate(s, p.ID), nil, s.DB.Now()); err != nil {
			t.Errorf("new password: got %v, want a session", err)
		}
	})
}

// The response to a forgotten password doesn't reveal which accounts exist.
func TestForgottenPasswordRevealsNoAccounts(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		known := s.Person("viewer")
		s.Test.User(map[string]any{"email": "invited@example.com"})
		var json, page string
		for _, email := range []string{known.Email, "unknown@example.com", "invited@example.com", "not an address"} {
			res := s.As("").Post("/oauth/password/forgot", map[string]any{"email": email, "environment": "test"}, 202, nil)
			if json == "" {
				json = string(res.Bytes)
			}
			assert.Equal(t, string(res.Bytes), json, email)

			form := sendForm(t, s, "/oauth/password/forgot/sent", "email", email, "environment", "test")
			text, err := io.ReadAll(form.Body)
			if err != nil || form.StatusCode != 200 {
				t.Fatal(form.StatusCode, err)
			}
			if page == "" {
				page = string(text)
			}
			assert.Equal(t, string(text), page, email)
		}
		// The request only enqueues a job, for known and unknown addresses.
		jobs := testkit.Rows[int64](s, `SELECT COUNT(*) FROM river_job WHERE kind = 'forgot_password'`)[0]
		assert.Equal(t, jobs, 8)
	})
}

func TestForgottenPassword(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunJobs()
		p, invited := s.Person("viewer"), s.Test.User(map[string]any{"email": "invited@example.com"})
		forgot := func(email string) {
			t.Helper()
			s.As("").Post("/oauth/password/forgot", map[string]any{"email": email, "environment": "test"}, 202, nil)
		}
		form, err := s.As("").Send("GET", "/oauth/password/forgot", nil)
		if err != nil || form.StatusCode != 200 {
			t.Fatal(form, err)
		}
		assert.Contains(t, string(form.Bytes), `<form method="post" action="forgot/sent">`)
		forgot("invited@example.com")
		forgot(" " + strings.ToUpper(p.Email) + " ")
		link := s.ResetLinks(p.Email, 1)[0]

		for password, want := range map[string]int{"short": 422, "qwertyuiop123456": 422, "": 422} {
			assert.Equal(t, sendForm(t, s, link, "password", password).StatusCode, want, password)
		}
		p.Get("/v1/me", 200, nil)
		assert.Equal(t, sendForm(t, s, link, "password", newPassword).StatusCode, 200)
		p.Get("/v1/me", 401, nil)
		assert.Equal(t, sendForm(t, s, link, "password", newPassword).StatusCode, 404, "used again")
		s.As("").Post("/oauth/sessions", signIn(p.Email), 401, nil)
		s.As("").Post("/oauth/sessions", signIn(p.Email, "password", newPassword), 201, nil)
		assert.Equal(t, sendForm(t, s, strings.Replace(link, "password/reset", "invitations", 1), "password", newPassword).StatusCode, 404)

		s.Mail(p.Email, "Your password for Acme Marine was changed", 1)
		links := testkit.Rows[int64](s, `SELECT COUNT(*) FROM invitations WHERE kind = 'reset' AND user_id = ?`, invited)[0]
		assert.Equal(t, links, 0, "links of an invited user")
		var u people.User
		s.Test.Get("/v1/users/"+invited, 200, &u)
		assert.Equal(t, u.Status, people.Invited)
	})
}

// A link in a stolen mailbox is not enough for a user with a two-factor method.
func TestResetLinkNeedsCode(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunJobs()
		p := s.Person("viewer")
		codes := p.Enroll()
		s.As("").Post("/oauth/password/forgot", map[string]any{"email": p.Email, "environment": "test"}, 202, nil)
		link := s.ResetLinks(p.Email, 1)[0]
		form, err := s.As("").Send("GET", link, nil)
		if err != nil {
			t.Fatal(err)
		}
		assert.Contains(t, string(form.Bytes), `name="code"`)

		assert.Equal(t, sendForm(t, s, link, "password", newPassword).StatusCode, 422, "no code")
		for range 4 {
			assert.Equal(t, sendForm(t, s, link, "password", newPassword, "code", wrongCode(t, s, p.Secret)).StatusCode, 422, "wrong code")
		}
		res := sendForm(t, s, link, "password", newPassword, "code", code(t, s, p.Secret))
		assert.Equal(t, res.StatusCode, http.StatusTooManyRequests, "locked after five wrong codes")
		p.Get("/v1/me", 200, nil)

		s.Advance(15 * time.Minute)
		assert.Equal(t, sendForm(t, s, link, "password", newPassword, "code", codes[0]).StatusCode, 200)
		p.Get("/v1/me", 401, nil)
	})
}

// Links end when they expire, when a newer one is sent and when the password changes.
func TestInvalidResetLinks(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunJobs()
		p, changed, gone, moved := s.Person("viewer"), s.Person("viewer"), s.Person("viewer"), s.Person("viewer")
		status := func(link string) int {
			t.Helper()
			res, err := s.As("").Send("GET", link, nil)
			if err != nil {
				t.Fatal(err)
			}
			return res.StatusCode
		}
		forgot := func(email string, n int) []string {
			s.As("").Post("/oauth/password/forgot", map[string]any{"email": email, "environment": "test"}, 202, nil)
			return s.ResetLinks(email, n)
		}
		first := forgot(p.Email, 1)[0]
		both := forgot(p.Email, 2)
		assert.Equal(t, status(first), 404, "replaced")
		valid := both[0]
		if valid == first {
			valid = both[1]
		}
		assert.Equal(t, status(valid), 200)

		link := forgot(changed.Email, 1)[0]
		changed.Post("/oauth/password", change(), 204, nil)
		assert.Equal(t, status(link), 404, "after a change")

		link = forgot(gone.Email, 1)[0]
		s.Test.Post("/v1/users/"+gone.ID+"/deactivate", nil, 200, nil)
		assert.Equal(t, status(link), 404, "deactivated")

		link = forgot(moved.Email, 1)[0]
		s.Exec(`UPDATE users SET email = 'moved@example.com' WHERE id = ?`, moved.ID)
		assert.Equal(t, status(link), 404, "sent to another address")

		s.Advance(time.Hour - time.Minute)
		assert.Equal(t, status(valid), 200, "a minute before it expires")
		s.Advance(time.Minute)
		assert.Equal(t, status(valid), 404, "after an hour")
	})
}

// A client can't fill a mailbox with links.
func TestForgottenPasswordIsThrottled(t *testing.T) {
	s := testkit.OnSQLite(t)
	p := s.Person("viewer")
	jobs := func() int64 {
		return testkit.Rows[int64](s, `SELECT COUNT(*) FROM river_job WHERE kind = 'forgot_password'`)[0]
	}
	forgot := func(status int) {
		t.Helper()
		s.As("").Post("/oauth/password/forgot", map[string]any{"email": p.Email, "environment": "test"}, status, nil)
	}
	for range 10 {
		forgot(202)
	}
	assert.Equal(t, jobs(), 3, "links for one account")
	forgot(429)
	s.Advance(10 * time.Minute)
	forgot(202)
	assert.Equal(t, jobs(), 4, "ten minutes later")
}

// The command line helps the only owner, who lost the password and the phone.
func TestResetUserFromCommandLine(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunJobs()
		owner := s.OwnerSession(auth.Test)
		reset := func(in access.UserReset) error {
			_, err := access.ResetUserFromCommandLine(t.Context(), s.DB, s.Jobs, in)
			return err
		}
		var me access.Me
		owner.Get("/v1/me", 200, &me)
		for name, in := range map[string]access.UserReset{
			"unknown user":           {Mode: auth.Test, Email: "unknown@example.com"},
			"unknown dealership":     {Mode: auth.Test, Email: owner.Email, DealershipID: "dlr_1"},
			"user of two dealership": {Mode: auth.Test, Email: owner.Email},
		} {
			if err := reset(in); err == nil {
				t.Errorf("%s: got no error", name)
			}
		}
		owner.Get("/v1/me", 200, nil)

		in := access.UserReset{Mode: auth.Test, Email: "OWNER@example.com", DealershipID: me.Dealership.ID}
		if err := reset(in); err != nil {
			t.Fatal(err)
		}
		owner.Get("/v1/me", 401, nil)
		s.As("").Post("/oauth/sessions", s.SignIn(), 401, nil)
		assert.Equal(t, sendForm(t, s, s.InvitationLinks(owner.Email, 1)[0], "password", newPassword).StatusCode, 200)
		body := s.SignIn()
		body["password"] = newPassword
		s.As("").Post("/oauth/sessions", body, 201, nil) // still with the phone

		in.TwoFactor = true
		if err := reset(in); err != nil {
			t.Fatal(err)
		}
		links := s.InvitationLinks(owner.Email, 2)
		ok := 0
		for _, link := range links {
			if sendForm(t, s, link, "password", "nine small blue dinghies").StatusCode == 200 {
				ok++
			}
		}
		assert.Equal(t, ok, 1, "links that work")
		var again access.SignedIn
		s.As("").Post("/oauth/sessions", signIn(owner.Email, "password", "nine small blue dinghies"), 201, &again)
		p := &testkit.Person{Client: s.As(again.Token), ID: owner.ID}
		p.Get("/v1/users", 403, nil)
		p.Enroll()
		p.Get("/v1/users", 200, nil)
	})
}
