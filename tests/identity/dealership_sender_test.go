package identity

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// A dealership can't send email from the address of another one, because only the
// owner of an address can verify it.
func TestSenderAddressOfAnotherDealership(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunJobs()
		set := func(email string) (d dealership.Dealership) {
			s.Test.Patch("/v1/dealership", map[string]any{"settings": map[string]any{"sender": map[string]any{"email": email}}}, 200, &d)
			return d
		}
		sender := func() dealership.Sender {
			var d dealership.Dealership
			s.Test.Get("/v1/dealership", 200, &d)
			return d.Settings.Sender
		}

		assert.Equal(t, set("first@example.com").Settings.Sender.EmailVerified, false)
		first := s.SenderLinks("first@example.com", 1)[0]
		openLink(t, s, "GET "+first, 200, "first@example.com")
		assert.Equal(t, sender().VerifiedEmail(), "") // scanners open links
		openLink(t, s, "POST "+first, 200, "now sends email from")
		openLink(t, s, "POST "+first, 200, "now sends email from")
		assert.Equal(t, sender().VerifiedEmail(), "first@example.com")

		assert.Equal(t, set("first@example.com").Settings.Sender.EmailVerified, true) // the same address
		assert.Equal(t, set("second@example.com").Settings.Sender.EmailVerified, false)
		openLink(t, s, "POST "+first, 404, "another address") // a link of another address
		second := s.SenderLinks("second@example.com", 1)[0]
		s.Advance(7 * 24 * time.Hour)
		openLink(t, s, "POST "+second, 404, "expired")
		openLink(t, s, "POST /senders/AQ", 404, "has expired")
		openLink(t, s, "POST /senders/"+strings.Repeat("A", 60), 404, "has expired")
		assert.Equal(t, sender().VerifiedEmail(), "")

		set("second@example.com") // sends a new link
		for _, link := range s.SenderLinks("second@example.com", 2) {
			if link != second {
				openLink(t, s, "POST "+link, 200, "second@example.com")
			}
		}
		assert.Equal(t, sender().VerifiedEmail(), "second@example.com")
	})
}

// openLink requests a page and checks its text.
func openLink(t *testing.T, s *testkit.Server, request string, status int, want string) {
	t.Helper()
	method, path, _ := strings.Cut(request, " ")
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	page, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != status || !strings.Contains(string(page), want) {
		t.Errorf("%s %s: got %d %v with the page %s, want %d and %q", method, path, res.StatusCode, err, page, status, want)
	}
}
