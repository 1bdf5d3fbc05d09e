package testkit

import (
	"maps"

	"slipway/internal/vocab/id"
)

// App is an OAuth app with its client secret.
type App struct {
	ID       string
	ClientID string `json:"client_id"`
	Secret   string `json:"client_secret"`
}

// App registers an OAuth app. Fields of the body replace the default ones.
func (c *Client) App(body map[string]any) (a App) {
	c.server.t.Helper()
	full := map[string]any{
		"name": "Fleet Sync", "redirect_uris": []string{"https://app.example.com/callback"}, "scopes": []string{"hulls:read", "hulls:write"},
		"homepage_url": "https://app.example.com",
	}
	maps.Copy(full, body)
	c.Post("/v1/apps", full, 201, &a)
	return a
}

// Install installs an app of the first dealership in its test environment, with all
// scopes of the app, as its owner does on the page.
func (c *Client) Install(appID string) string {
	s := c.server
	s.t.Helper()
	install := id.NewSource().New("inst", s.DB.Now())
	now := s.DB.Now().UTC()
	s.Exec(`INSERT INTO installs (env, id, app_env, app_id, scopes, user_id, user_name, version, created_at, updated_at)
		SELECT ?, ?, env, id, scopes, (SELECT MIN(id) FROM users WHERE env = ?), 'Ann', 1, ?, ? FROM apps WHERE id = ?`,
		s.TestEnv(), install, s.TestEnv(), now, now, appID)
	return install
}
