package identity

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/identity/people"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

// setPassword sends the form with a password, as a browser does.
func setPassword(t *testing.T, s *testkit.Server, link, password string, header ...string) *testkit.Response {
	t.Helper()
	res, err := post(t.Context(), s.URL+link, password, header...)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func post(ctx context.Context, address, password string, header ...string) (*testkit.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(url.Values{"password": {password}}.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return &testkit.Response{Response: res, Bytes: text}, err
}

// wantPage checks that a response is a page without scripts that can't be framed
// and doesn't leak its address.
func wantPage(t *testing.T, res *testkit.Response, status int, texts ...string) {
	t.Helper()
	h, text := res.Header, string(res.Bytes)
	for name, want := range map[string]string{
		"Content-Type": "text/html; charset=utf-8", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
		"Referrer-Policy": "strict-origin", "Cache-Control": "no-store",
		"Content-Security-Policy": "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
	} {
		assert.Equal(t, h.Get(name), want, name)
	}
	assert.Equal(t, res.StatusCode, status, text)
	assert.Excludes(t, text, "<script")
	assert.Excludes(t, text, "onclick")
	assert.Contains(t, text, `<html lang="en">`)
	for _, want := range texts {
		assert.Contains(t, text, want)
	}
}

func signInWith(email, password string) map[string]any {
	return map[string]any{"email": email, "password": password, "environment": "test"}
}

// From the invitation to the first sign-in.
func TestInvitation(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunJobs()
		const email, password = "uma@example.com", "zwölf Zeichen"
		id := s.Test.User(map[string]any{"email": email, "name": `Uma <b>"& Co"`, "role_ids": []string{s.RoleID("viewer")}})
		link := s.InvitationLinks(email, 1)[0]
		s.Mail(email, "You are invited to Acme Marine on Slipway", 1)
		form, err := s.As("").Send("GET", link, nil)
		if err != nil {
			t.Fatal(err)
		}
		wantPage(t, form, 200, `Uma &lt;b&gt;&#34;&amp; Co&#34;`, email, `<form method="post">`, `type="password"`,
			`autocomplete="new-password"`, `minlength="12"`, `<label for="password">`)

		wantPage(t, setPassword(t, s, link, "eleven char"), 422, `role="alert"`, "12 to 200 characters", `<form method="post">`)
		wantPage(t, setPassword(t, s, link, strings.Repeat("x", 201)), 422, "12 to 200 characters")
		wantPage(t, setPassword(t, s, link, ""), 422, "12 to 200 characters")
		wantPage(t, setPassword(t, s, link, "Password1234"), 422, "common passwords")
		wantPage(t, setPassword(t, s, link, "abcdefghijklmnop"), 422, "repeated or consecutive")
		wantPage(t, setPassword(t, s, link, "I work at Acme Marine"), 422, "the name of your dealership")

		for name, headers := range map[string][]string{
			"form on another site":          {"Sec-Fetch-Site", "cross-site"},
			"form on a sibling domain":      {"Sec-Fetch-Site", "same-site"},
			"other origin in older browser": {"Origin", "https://evil.example"},
		} {
			assert.Equal(t, setPassword(t, s, link, password, headers...).StatusCode, 403, name)
		}
		var u people.User
		s.Test.Get("/v1/users/"+id, 200, &u)
		assert.Equal(t, u.Status, people.Invited, "after the rejected forms")

		wantPage(t, setPassword(t, s, link, password, "Sec-Fetch-Site", "same-origin", "Origin", s.URL), 200, "Your password is set")
		s.Test.Get("/v1/users/"+id, 200, &u)
		assert.Equal(t, u.Status, people.Active, "after acceptance")
		assert.Equal(t, u.Version, 2, "after acceptance")
		s.As("").Post("/oauth/sessions", signInWith(email, password), 201, nil)
		s.As("").Post("/oauth/sessions", signInWith(email, "eleven char"), 401, nil)

		again, err := s.As("").Send("GET", link, nil)
		if err != nil {
			t.Fatal(err)
		}
		wantPage(t, again, 404, "This link is not valid")
		wantPage(t, setPassword(t, s, link, "another password"), 404, "This link is not valid")

		var entries page.Page[dealership.AuditEntry]
		s.Test.Get("/v1/audit?action=user.activated&target_id="+id, 200, &entries)
		if len(entries.Data) != 1 || entries.Data[0].RequestID == nil {
			t.Fatalf("got the audit entries %s, want one with a request ID", assert.Show(entries.Data))
		}
		assert.Equal(t, entries.Data[0].Actor.ID, id)
		assert.Equal(t, entries.Data[0].Actor.Type, "user")
		assert.Equal(t, entries.Data[0].IP, new("127.0.0.1"))
	})
}

// A link ends when it expires, when the user is deactivated, and when a newer
// link is sent. Two simultaneous requests can use it once.
func TestInvalidInvitations(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunJobs()
		links := func(id string, status int) (found []string) {
			for _, l := range s.InvitationLinks(emailOf(s, id), 1) {
				if statusOf(t, s, l) == status {
					found = append(found, l)
				}
			}
			return found
		}
		expired, deactivated, reactivated, tabs := s.Test.User(nil), s.Test.User(nil), s.Test.User(nil), s.Test.User(nil)
		typo := s.Test.User(map[string]any{"email": "uma@exampel.com"})
		for name, id := range map[string]string{
			"expired": expired, "deactivated": deactivated, "reactivated": reactivated, "typo": typo, "tabs": tabs,
		} {
			if got := links(id, 200); len(got) != 1 {
				t.Fatalf("%s has the links %v, want one", name, got)
			}
		}

		// The queue sends these while the test checks the others.
		s.Test.Post("/v1/users/"+reactivated+"/deactivate", nil, 200, nil)
		s.Test.Patch("/v1/users/"+reactivated, `{"status": "active"}`, 200, nil)
		s.Test.Patch("/v1/users/"+typo, `{"email": "uma@example.com", "name": "Uma B."}`, 200, nil)

		tab := links(tabs, 200)[0]
		tally := testkit.Concurrently(t, 2, func(int) (*testkit.Response, error) { return post(t.Context(), s.URL+tab, "twelve letters") })
		assert.Equal(t, tally[200], 1, "two tabs")
		assert.Equal(t, tally[404], 1, "two tabs")

		s.Test.Post("/v1/users/"+deactivated+"/deactivate", nil, 200, nil)
		assert.Len(t, links(deactivated, 404), 1, "deactivated user")
		newer := s.InvitationLinks("uma@example.com", 1)[0]
		older := s.InvitationLinks("uma@exampel.com", 1)[0]
		assert.Equal(t, statusOf(t, s, newer), 200, "the corrected address")
		assert.Equal(t, statusOf(t, s, older), 404, "the mistyped address")
		s.InvitationLinks(emailOf(s, reactivated), 2)
		assert.Len(t, links(reactivated, 200), 1, "valid links after the second invitation")
		assert.Len(t, links(reactivated, 404), 1, "invalid links after the second invitation")

		link := links(expired, 200)[0]
		s.Advance(7*24*time.Hour - time.Minute)
		assert.Equal(t, statusOf(t, s, link), 200, "a minute before it expires")
		s.Advance(time.Minute)
		assert.Equal(t, statusOf(t, s, link), 404, "after seven days")
		for _, unknown := range []string{"x", strings.Repeat("a", 52), "%00", "..%2f..", "%C3%A4", "%FF"} {
			assert.Equal(t, statusOf(t, s, "/oauth/invitations/"+unknown), 404, unknown)
		}
	})
}

// statusOf returns the status of the page of a link.
func statusOf(t *testing.T, s *testkit.Server, link string) int {
	t.Helper()
	res, err := s.As("").Send("GET", link, nil)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode
}

func emailOf(s *testkit.Server, id string) string {
	return testkit.Rows[string](s, `SELECT email FROM users WHERE id = ?`, id)[0]
}
