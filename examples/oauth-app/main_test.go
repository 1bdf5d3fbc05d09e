package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// The sample app installs itself, lists boats, refreshes its token and receives a
// webhook.
func TestSampleApp(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunRelay()
		web := httptest.NewUnstartedServer(nil)
		public := "http://" + web.Listener.Addr().String()
		registered := s.Test.App(map[string]any{"redirect_uris": []string{"http://127.0.0.1/callback"}, "scopes": []string{"hulls:read", "webhooks"}})
		app := NewApp(s.URL, public, registered.ClientID, registered.Secret)
		web.Config.Handler = app.Handler()
		web.Start()
		t.Cleanup(web.Close)
		s.Test.Hull(s.Test.Location(), nil)

		// A user clicks on Install, signs in, and allows it.
		manager, b := s.Person("manager"), s.Browser()
		assert.Contains(t, b.Open(public).Text, "Install in Slipway")
		v := b.SignIn(b.Open(public+"/install"), manager.Email, testkit.Password, "")
		assert.Contains(t, v.Text, "Install Fleet Sync?")
		v = b.Submit(v, "decision", "allow")
		assert.Equal(t, v.Request.URL.String(), public+"/")
		assert.Contains(t, v.Text, "<li>")

		// The access token expires, and the app refreshes it.
		first, err := app.Token()
		if err != nil {
			t.Fatal(err)
		}
		s.Advance(2 * time.Hour)
		app.mu.Lock()
		app.token.Expiry = time.Now().Add(-time.Minute)
		app.mu.Unlock()
		hulls, err := app.Hulls(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		assert.Len(t, hulls, 1)
		next, err := app.Token()
		if err != nil || next.AccessToken == first.AccessToken || next.RefreshToken == first.RefreshToken {
			t.Errorf("got %v and the same tokens, want new ones", err)
		}

		// A new boat is announced.
		s.Advance(-2 * time.Hour) // the signature has the time of the server
		s.Test.Hull(s.Test.Location(), nil)
		assert.Eventually(t, "the webhook", func() bool {
			return strings.Contains(strings.Join(app.Events(), "\n"), "hull.created evt_")
		})
		res, err := http.Post(public+"/webhook", "application/json", strings.NewReader(`{"type": "forged"}`)) //nolint:noctx // ends with the server
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		assert.Equal(t, res.StatusCode, 401, "forged webhook")
	})
}

// A callback that the browser didn't start is rejected.
func TestForgedCallback(t *testing.T) {
	app := NewApp("http://localhost", "http://localhost:4000", "app_1", "secret")
	app.pending["state-of-the-attacker"] = "verifier"
	for _, path := range []string{"/callback?code=x", "/callback?code=x&state=unknown", "/callback?code=x&state=state-of-the-attacker"} {
		w := httptest.NewRecorder()
		app.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		assert.Equal(t, w.Code, 400, path)
	}
}
