package people_test

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/people"
	"slipway/internal/testkit"
	"slipway/internal/vocab/page"
)

// choose sends the form with a password, as a browser does.
func choose(t *testing.T, s *testkit.Server, link, password string, header ...string) *testkit.Response {
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

// isPage fails unless a response is a page that runs no script, is not framed
// and leaks nothing.
func isPage(t *testing.T, res *testkit.Response, status int, says ...string) {
	t.Helper()
	h, text := res.Header, string(res.Bytes)
	for name, want := range map[string]string{
		"Content-Type": "text/html; charset=utf-8", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
		"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
	} {
		testkit.Equal(t, h.Get(name), want, name)
	}
	if res.StatusCode != status || strings.Contains(text, "<script") || strings.Contains(text, "onclick") || !strings.Contains(text, `<html lang="en">`) {
		t.Errorf("status %d, want %d: %s", res.StatusCode, status, text)
	}
	for _, want := range says {
		testkit.Contains(t, text, want)
	}
}

func signIn(email, password string) map[string]any {
	return map[string]any{"email": email, "password": password, "environment": "test"}
}

// From the invitation to the first sign-in.
func TestInvitation(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunJobs()
		const email, password = "uma@example.com", "zwölf Zeichen"
		id := s.Test.User(map[string]any{"email": email, "name": `Uma <b>"& Co"`, "role_ids": []string{s.RoleID("viewer")}})
		link := s.InvitationLinks(email, 1)[0]
		form, err := s.As("").Send("GET", link, nil)
		if err != nil {
			t.Fatal(err)
		}
		isPage(t, form, 200, `Uma &lt;b&gt;&#34;&amp; Co&#34;`, email, `<form method="post">`, `type="password"`, `autocomplete="new-password"`, `minlength="12"`, `<label for="password">`)
		isPage(t, choose(t, s, link, "eleven char"), 422, `role="alert"`, "12 to 200 characters", `<form method="post">`)
		isPage(t, choose(t, s, link, strings.Repeat("x", 201)), 422, "12 to 200 characters")
		isPage(t, choose(t, s, link, ""), 422, "12 to 200 characters")
		for name, headers := range map[string][]string{
			"a form on another site":   {"Sec-Fetch-Site", "cross-site"},
			"a form on a sister site":  {"Sec-Fetch-Site", "same-site"},
			"an older browser says so": {"Origin", "https://evil.example"},
		} {
			testkit.Equal(t, choose(t, s, link, password, headers...).StatusCode, 403, name)
		}
		var u people.User
		s.Test.Get("/v1/users/"+id, 200, &u)
		testkit.Equal(t, u.Status, people.Invited, "after the refusal")

		isPage(t, choose(t, s, link, password, "Sec-Fetch-Site", "same-origin", "Origin", s.URL), 200, "Your password is set")
		s.Test.Get("/v1/users/"+id, 200, &u)
		testkit.Equal(t, u.Status, people.Active, "after acceptance")
		testkit.Equal(t, u.Version, 2, "after acceptance")
		s.As("").Post("/oauth/sessions", signIn(email, password), 201, nil)
		s.As("").Post("/oauth/sessions", signIn(email, "eleven char"), 401, nil)
		again, err := s.As("").Send("GET", link, nil)
		if err != nil {
			t.Fatal(err)
		}
		isPage(t, again, 404, "This link is not valid")
		isPage(t, choose(t, s, link, "another password"), 404, "This link is not valid")

		var entries page.Page[dealership.AuditEntry]
		s.Test.Get("/v1/audit?action=user.activated&target_id="+id, 200, &entries)
		if len(entries.Data) != 1 || entries.Data[0].Actor.ID != id || entries.Data[0].Actor.Type != "user" || *entries.Data[0].IP != "127.0.0.1" || entries.Data[0].RequestID == nil {
			t.Errorf(`audited as %s; want len(entries.Data) = 1, entries.Data[0].Actor.ID = %q, entries.Data[0].Actor.Type = "user", entries.Data[0].IP = "127.0.0.1", entries.Data[0].RequestID != nil`, testkit.Show(entries.Data), id)
		}
	})
}

// What ends a link: its time, its user's end, a newer one, two tabs.
func TestInvitationEnds(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunJobs()
		links := func(id string, status int) (opened []string) {
			for _, l := range s.InvitationLinks(emailOf(s, id), 1) {
				if opens(t, s, l) == status {
					opened = append(opened, l)
				}
			}
			return opened
		}
		late, gone, again, typo, tabs := s.Test.User(nil), s.Test.User(nil), s.Test.User(nil), s.Test.User(map[string]any{"email": "uma@exampel.com"}), s.Test.User(nil)
		for name, id := range map[string]string{"late": late, "gone": gone, "again": again, "typo": typo, "tabs": tabs} {
			if got := links(id, 200); len(got) != 1 {
				t.Fatalf("%s has the links %v, want one", name, got)
			}
		}
		// The queue works these while the others are looked at.
		s.Test.Post("/v1/users/"+again+"/deactivate", nil, 200, nil)
		s.Test.Patch("/v1/users/"+again, `{"status": "active"}`, 200, nil)
		s.Test.Patch("/v1/users/"+typo, `{"email": "uma@example.com", "name": "Uma B."}`, 200, nil)

		tab := links(tabs, 200)[0]
		tally := testkit.Concurrently(t, 2, func(int) (*testkit.Response, error) { return post(t.Context(), s.URL+tab, "twelve letters") })
		testkit.Equal(t, tally[200], 1, "two tabs")
		testkit.Equal(t, tally[404], 1, "two tabs")
		s.Test.Post("/v1/users/"+gone+"/deactivate", nil, 200, nil)
		if got := links(gone, 404); len(got) != 1 {
			t.Errorf("the link of a deactivated user opens")
		}
		newer := s.InvitationLinks("uma@example.com", 1)[0]
		older := s.InvitationLinks("uma@exampel.com", 1)[0]
		testkit.Equal(t, opens(t, s, newer), 200, "the corrected address")
		testkit.Equal(t, opens(t, s, older), 404, "the mistyped address")
		s.InvitationLinks(emailOf(s, again), 2)
		fresh, stale := links(again, 200), links(again, 404)
		testkit.Len(t, fresh, 1, "invited again")
		testkit.Len(t, stale, 1, "invited again", "open and")

		kept := links(late, 200)[0]
		s.Advance(7*24*time.Hour - time.Minute)
		testkit.Equal(t, opens(t, s, kept), 200, "a minute before its end")
		s.Advance(time.Minute)
		testkit.Equal(t, opens(t, s, kept), 404, "after seven days")
		for _, unknown := range []string{"x", strings.Repeat("a", 52), "%00", "..%2f..", "%C3%A4", "%FF"} {
			testkit.Equal(t, opens(t, s, "/oauth/invitations/"+unknown), 404, unknown)
		}
	})
}

// opens is the status of a link's page.
func opens(t *testing.T, s *testkit.Server, link string) int {
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
