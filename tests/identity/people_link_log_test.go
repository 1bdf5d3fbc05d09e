package identity

import (
	"strings"
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// Links that are guessed, used again or replaced are recorded as rejections: those of
// a user in the audit log, others in the log of the installation.
func TestWrongLinksAreLogged(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunJobs()
		user := s.Test.User(nil)
		link := s.InvitationLinks(emailOf(s, user), 1)[0]
		assert.Equal(t, statusOf(t, s, link), 200)
		wantPage(t, setPassword(t, s, link, "twelve letters"), 200, "Your password is set")
		wantPage(t, setPassword(t, s, link, "twelve letters"), 404, "This link is not valid")
		assert.Equal(t, statusOf(t, s, link), 404)

		p := s.Person("viewer")
		s.Test.Patch("/v1/users/"+p.ID, `{"email":"first@example.com"}`, 200, nil)
		older := s.EmailChangeLinks("first@example.com", 1)[0]
		s.Test.Patch("/v1/users/"+p.ID, `{"email":"second@example.com"}`, 200, nil)
		assert.Equal(t, confirm(t, s, older).StatusCode, 404)

		guess := strings.Repeat("a", 52)
		for _, path := range []string{"/oauth/invitations/", "/oauth/password/reset/", "/oauth/email_changes/"} {
			assert.Equal(t, statusOf(t, s, path+guess), 404)
			assert.Equal(t, setPassword(t, s, path+guess, "twelve letters").StatusCode, 404)
		}

		if err := s.AuthLog.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		for id, times := range map[string]string{user: `"times":[null,2]`, p.ID: `"times":[null,1]`} {
			entries := testkit.Rows[string](s, `SELECT changes FROM audit_entries WHERE action = 'auth.failed' AND target_id = ?`, id)
			assert.Len(t, entries, 1)
			assert.Contains(t, entries[0], "The link was used, replaced or has expired.")
			assert.Contains(t, entries[0], times)
		}
		assert.Equal(t, testkit.Rows[string](s, `SELECT subject FROM auth_refusals WHERE kind = 'link' AND times = 2 ORDER BY subject`),
			[]string{"email_change", "invitation", "reset"})
		assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM auth_refusals WHERE subject = ?`, guess)[0], 0, "tokens in the log")
	})
}

// A wrong two-factor code on the page of a reset link is recorded.
func TestWrongCodeWithResetLinkIsLogged(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer")
		p.Enroll()
		s.RunJobs()
		s.As("").Post("/oauth/password/forgot", map[string]any{"email": p.Email, "environment": "test"}, 202, nil)
		link := s.ResetLinks(p.Email, 1)[0]
		assert.Equal(t, setPassword(t, s, link, "twelve other letters").StatusCode, 422)
		if err := s.AuthLog.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		assert.Len(t, testkit.Rows[string](s, `SELECT changes FROM audit_entries WHERE action = 'auth.failed' AND target_id = ?`, p.ID), 1)
	})
}
