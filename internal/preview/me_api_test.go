package preview_test

import (
	"testing"
	"time"

	"slipway/internal/preview"
	"slipway/internal/testkit"
	"slipway/internal/vocab/auth"
)

func TestProfile(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		location := s.Test.Location()
		owen := s.Person("sales")
		s.Test.Patch("/v1/users/"+owen.ID, map[string]any{"name": "Owen Tate", "location_ids": []string{location}}, 200, nil)

		var p preview.Profile
		owen.Get("/v2-preview/me", 200, &p)
		testkit.Equal(t, p.Name, "Owen Tate")
		testkit.Equal(t, *p.Email, owen.Email)
		testkit.Equal(t, p.Environment, auth.Test)
		testkit.Equal(t, *p.UserID, owen.ID)
		testkit.Equal(t, p.Roles[0].Name, "sales")
		testkit.Equal(t, p.Locations, []preview.ProfileLocation{{ID: location, Name: "Harbor East"}})
		testkit.Equal(t, p.Plan, "standard")
		testkit.Equal(t, p.Session.Method, "password")
		testkit.Equal(t, p.Session.ExpiresAt.Sub(p.Session.CreatedAt), 12*time.Hour)
		testkit.Equal(t, p.OtherAccount, nil, "hidden from test")

		s.OwnerSession(auth.Live).Get("/v2-preview/me", 200, &p)
		testkit.Equal(t, *p.OtherAccount, true, "the owner exists in both")
		testkit.Equal(t, p.Roles[0].Name, "owner")

		p = preview.Profile{}
		s.As(s.Key(auth.HullsRead)).Get("/v2-preview/me", 200, &p)
		testkit.Equal(t, p.Session, nil)
		testkit.Equal(t, p.Email, nil)
		testkit.Equal(t, p.Scopes, []auth.Scope{auth.HullsRead})
		testkit.Equal(t, p.Name, p.Credential.Label)
	})
}
