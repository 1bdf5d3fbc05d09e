package identity

import (
	"testing"

	"slipway/internal/identity/access"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

// createKey creates a key with hulls:read.
func createKey(c *testkit.Client) (k access.IssuedKey) {
	c.Post("/v1/api_keys", `{"name": "Website", "scopes": ["hulls:read"]}`, 201, &k)
	return k
}

// The list and the record of a key show whether its creator is still active.
func TestKeysShowTheStatusOfTheirCreator(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("owner")
		var parent access.IssuedKey
		body := map[string]any{"name": "Operations", "scopes": []string{"admin", "hulls:read"}, "mfa_token": p.OwnProof()}
		p.Post("/v1/api_keys", body, 201, &parent)
		assert.Equal(t, parent.CreatedBy, access.KeyCreator{
			Actor: auth.Actor{Type: "user", ID: p.ID, Label: "Uma"}, Status: new(access.CreatorStatus("active")),
		})
		child := createKey(s.As(parent.Key))
		assert.Equal(t, child.CreatedBy.Status, new(access.CreatorStatus("active")), "created by a key")

		wantStatus := func(id string, want access.CreatorStatus) {
			t.Helper()
			var k access.APIKey
			s.Test.Get("/v1/api_keys/"+id, 200, &k)
			assert.Equal(t, k.CreatedBy.Status, &want, "record")
			var list page.Page[access.APIKey]
			s.Test.Get("/v1/api_keys", 200, &list)
			for _, k := range list.Data {
				if k.ID == id {
					assert.Equal(t, k.CreatedBy.Status, &want, "list")
				}
			}
		}
		wantStatus(parent.ID, "active")
		s.Test.Post("/v1/users/"+p.ID+"/deactivate", map[string]any{"revoke_keys": false, "mfa_token": s.Test.Proof()}, 200, nil)
		wantStatus(parent.ID, "deactivated")
		wantStatus(child.ID, "active")
		s.Test.With("MFA-Token", s.Test.Proof()).Post("/v1/api_keys/"+parent.ID+"/revoke", nil, 200, nil)
		wantStatus(child.ID, "revoked")

		var list page.Page[access.APIKey]
		s.Test.Get("/v1/api_keys", 200, &list)
		first := list.Data[len(list.Data)-1]
		assert.Equal(t, first.CreatedBy.Actor, auth.System)
		assert.Equal(t, first.CreatedBy.Status, nil, "created on the command line")
	})
}

// Taking access away is the easy direction: a plain key of an administrator needs no proof.
func TestRevokePlainKeyOfAnOwner(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("owner")
		key := createKey(p.Client)
		s.Test.Post("/v1/api_keys/"+key.ID+"/revoke", nil, 200, nil)
		s.As(key.Key).Get("/v1/hulls", 401, nil)
	})
}

// A deactivation revokes the keys of the user, unless they should stay. This includes the
// keys that were created with them.
func TestDeactivationRevokesKeys(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, other := s.Person("owner"), s.Person("owner")
		var parent, successor access.IssuedKey
		body := map[string]any{"name": "Operations", "scopes": []string{"admin", "hulls:read"}, "mfa_token": p.OwnProof()}
		p.Post("/v1/api_keys", body, 201, &parent)
		child := createKey(s.As(parent.Key))
		s.As(parent.Key).Post("/v1/api_keys/"+child.ID+"/rotate", nil, 201, &successor)
		theirs, unrelated := []access.IssuedKey{parent, child, successor}, []access.IssuedKey{createKey(other.Client), createKey(s.Test)}
		wantWorking := func(keys []access.IssuedKey, status int, when string) {
			t.Helper()
			for _, k := range keys {
				assert.Equal(t, s.As(k.Key).Get("/v1/me", status, nil).StatusCode, status, when, k.Name)
			}
		}

		deactivate := "/v1/users/" + p.ID + "/deactivate"
		s.Test.Post(deactivate, `{"revoke_keys": true}`, 403, nil).WantDetail(t, "mfa_token", "mfa")
		wantWorking(theirs, 200, "after a rejected deactivation")
		s.Test.Post(deactivate, map[string]any{"revoke_keys": false, "mfa_token": s.Test.Proof()}, 200, nil)
		wantWorking(theirs, 200, "without revoke_keys")
		s.Test.Patch("/v1/users/"+p.ID, map[string]any{"status": "active", "mfa_token": s.Test.Proof()}, 200, nil)
		s.Test.Post(deactivate, map[string]any{"revoke_keys": true, "mfa_token": s.Test.Proof()}, 200, nil)
		wantWorking(theirs, 401, "with revoke_keys")
		wantWorking(unrelated, 200, "keys of others")

		revoked := testkit.Rows[int64](s, `SELECT COUNT(*) FROM audit_entries WHERE action = 'api_key.revoked'`)[0]
		assert.Equal(t, revoked, 3, "audit entries")
	})
}

// A token is proof only while its user is an active administrator with an active
// two-factor method.
func TestTokenEndsWithItsFactor(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("owner")
		token := p.OwnProof()
		s.Test.With("MFA-Token", s.Test.Proof()).Delete(p.Factor, 204)
		s.Test.Post("/v1/roles", map[string]any{"name": "x", "scopes": []string{"admin"}, "mfa_token": token}, 403, nil).
			WantDetail(t, "mfa_token", "mfa")
		s.Test.Post("/v1/api_keys", map[string]any{"name": "x", "scopes": []string{"admin"}, "mfa_token": token}, 403, nil).
			WantDetail(t, "mfa_token", "mfa")
	})
}

// An administrator can end their own sessions, and a key can revoke itself, without proof.
func TestCredentialsCanEndThemselves(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("owner")
		var in access.SignedIn
		s.As("").Post("/oauth/sessions", signIn(p.Email, "totp_code", code(t, s, p.Secret)), 201, &in)
		second := s.As(in.Token)
		var list struct{ Data []struct{ ID string } }
		p.Get("/v1/sessions?user_id="+p.ID, 200, &list)
		p.Delete("/v1/sessions/"+list.Data[0].ID, 204)
		second.Get("/v1/me", 401, nil)

		key := s.As(s.Key(auth.Admin))
		var me access.Me
		key.Get("/v1/me", 200, &me)
		key.Post("/v1/api_keys/"+me.Credential.ID+"/revoke", nil, 200, nil)
		key.Get("/v1/me", 401, nil)
	})
}
