package identity

import (
	"context"
	"testing"

	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// A reset ends everything that the old password gave access to. The only owner stays
// active, so that the dealership still has one.
func TestResetPassword(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, deactivated := s.Person("owner"), s.Person("viewer")
		s.Exec(`DELETE FROM river_job`) // the first invitations
		s.RunJobs()
		s.Test.Post("/v1/users/"+deactivated.ID+"/deactivate", nil, 200, nil)
		reset := func(id string) (people.User, error) {
			ctx := auth.InEnv(t.Context(), s.Env("users", id))
			return db.Write(ctx, s.DB, func(ctx context.Context, tx *db.Tx) (people.User, error) {
				u, err := people.FindUserForUpdate(ctx, tx, id)
				if err != nil {
					return u, err
				}
				return people.ResetPassword(ctx, tx, s.Jobs, u)
			})
		}
		if _, err := reset(deactivated.ID); err == nil {
			t.Error("got no error for a deactivated user")
		}
		u, err := reset(p.ID)
		if err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, u.Status, people.Active)
		p.Get("/v1/me", 401, nil)
		s.As("").Post("/oauth/sessions", signInWith(p.Email, testkit.Password), 401, nil)

		wantPage(t, setPassword(t, s, s.InvitationLinks(p.Email, 1)[0], "zwölf Zeichen"), 200, "Your password is set")
		body := signInWith(p.Email, "zwölf Zeichen")
		s.As("").Post("/oauth/sessions", body, 401, nil).WantDetail(t, "totp_code", "required")
		body["totp_code"] = s.Code(p.Secret)
		s.As("").Post("/oauth/sessions", body, 201, nil)
		s.Mail(p.Email, "Your password for Acme Marine was changed", 1)
	})
}

// An administrator can send a new invitation to an active user, with proof.
func TestAdminResetsPassword(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer")
		s.Exec(`DELETE FROM river_job`) // the first invitation
		s.RunJobs()
		path, reset := "/v1/users/"+p.ID, map[string]any{"reset_password": true}
		s.Test.Patch(path, reset, 403, nil).WantDetail(t, "mfa_token", "mfa")
		p.Get("/v1/me", 200, nil)

		reset["mfa_token"] = s.Test.Proof()
		var u people.User
		s.Test.Patch(path, reset, 200, &u)
		assert.Equal(t, u.Status, people.Active)
		p.Get("/v1/me", 401, nil)
		s.As("").Post("/oauth/sessions", signInWith(p.Email, testkit.Password), 401, nil)

		wantPage(t, setPassword(t, s, s.InvitationLinks(p.Email, 1)[0], "zwölf Zeichen"), 200, "Your password is set")
		s.As("").Post("/oauth/sessions", signInWith(p.Email, "zwölf Zeichen"), 201, nil)
	})
}
