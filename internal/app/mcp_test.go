package app_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"slipway/internal/app"
	"slipway/internal/testkit"
)

// SLIPWAY_MCP=off turns off /mcp and the document that leads assistants to it.
func TestMCPSetting(t *testing.T) {
	s := testkit.OnSQLite(t)
	for setting, want := range map[string]int{"on": 401, "off": 404} {
		set := s.Settings()
		set.MCP = setting
		a, err := app.Open(t.Context(), set, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		a.Handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", http.NoBody))
		testkit.Equal(t, w.Code, want, setting)

		w = httptest.NewRecorder()
		a.Handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/.well-known/oauth-protected-resource/mcp", http.NoBody))
		testkit.Equal(t, w.Code == http.StatusOK, setting == "on", "the document is served if MCP is "+setting)
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}
