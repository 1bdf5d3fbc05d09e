package sales

import (
	"testing"
	"time"

	"slipway/internal/preview"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/version"
)

func TestProfile(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		location := s.Test.Location()
		owen := s.Person("sales")
		s.Test.Patch("/v1/users/"+owen.ID, map[string]any{"name": "Owen Tate", "location_ids": []string{location}}, 200, nil)

		var p preview.Profile
		owen.Get("/v2-preview/me", 200, &p)
		assert.Equal(t, p.Name, "Owen Tate")
		assert.Equal(t, *p.Email, owen.Email)
		assert.Equal(t, p.Environment, auth.Test)
		assert.Equal(t, *p.UserID, owen.ID)
		assert.Equal(t, p.Roles[0].Name, "sales")
		assert.Equal(t, p.Locations, []preview.ProfileLocation{{ID: location, Name: "Harbor East"}})
		assert.Equal(t, p.Plan, "standard")
		assert.Equal(t, p.Session.Method, "password")
		assert.Equal(t, p.Session.ExpiresAt.Sub(p.Session.CreatedAt), 12*time.Hour)
		assert.Equal(t, p.OtherAccount, nil, "hidden from test")

		s.OwnerSession(auth.Live).Get("/v2-preview/me", 200, &p)
		assert.Equal(t, *p.OtherAccount, true, "the owner exists in both")
		assert.Equal(t, p.Roles[0].Name, "owner")

		p = preview.Profile{}
		s.As(s.Key(auth.HullsRead)).Get("/v2-preview/me", 200, &p)
		assert.Equal(t, p.Session, nil)
		assert.Equal(t, p.Email, nil)
		assert.Equal(t, p.Scopes, []auth.Scope{auth.HullsRead})
		assert.Equal(t, p.Name, p.Credential.Label)
		assert.Equal(t, p.Version, version.Latest())
		assert.Len(t, p.Newer, 0)

		s.Exec(`UPDATE api_keys SET pin = ?`, version.Published[0].Date)
		s.Test.Get("/v2-preview/me", 200, &p)
		assert.Equal(t, p.Version, version.Published[0].Date)
		assert.Equal(t, p.Newer[0], preview.NewerVersion{Version: version.Published[1].Date, Adds: version.Published[1].Adds})
	})
}
