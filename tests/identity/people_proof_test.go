package identity

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// tokenFor returns an MFA token of a user, as if they had verified a factor.
func tokenFor(t *testing.T, s *testkit.Server, userID string, p people.Purpose) string {
	t.Helper()
	env := testkit.Rows[int64](s, `SELECT env FROM users WHERE id = ?`, userID)[0]
	token, err := db.Write(t.Context(), s.DB, func(ctx context.Context, tx *db.Tx) (string, error) {
		u, err := people.FindUser(ctx, tx.In(auth.Env(env)), userID)
		if err != nil {
			return "", err
		}
		token, _, err := people.InsertMFAToken(ctx, tx, u, p)
		return token, err
	})
	assert.NoError(t, err)
	return token
}

// A token for one operation works for nothing else, and not for another object.
func TestTokenOfOneOperation(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		owner, user, other := s.Person("owner"), s.Test.User(nil), s.Test.User(nil)
		code := map[string]any{"code": s.Code(owner.Secret), "operation": "assignUserRoles", "object_id": user}
		var proof struct {
			Token string `json:"mfa_token"`
		}
		owner.Post(owner.Factor+"/verify", code, 200, &proof)
		roles := map[string]any{"role_ids": []string{s.RoleID("owner")}, "mfa_token": proof.Token}

		s.Test.Put("/v1/users/"+other+"/roles", roles, 403, nil).WantDetail(t, "mfa_token", "mfa")
		s.Test.Post("/v1/users/"+user+"/deactivate", map[string]any{"mfa_token": proof.Token}, 200, nil) // needs none
		s.Test.Post("/v1/roles", map[string]any{"name": "x", "scopes": []string{"admin"}, "mfa_token": proof.Token}, 403, nil)
		s.Test.Put("/v1/users/"+user+"/roles", roles, 200, nil)

		owner.Post(owner.Factor+"/verify", map[string]any{"code": s.Code(owner.Secret), "object_id": user}, 400, nil).WantDetail(t, "operation", "required")
	})
}

// A token can't be checked after a write, because the write could have made its user an
// administrator.
func TestProofAfterAWrite(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		token := tokenFor(t, s, s.Person("owner").ID, people.Purpose{})
		_, err := db.Write(t.Context(), s.DB, func(ctx context.Context, tx *db.Tx) (any, error) {
			if _, err := db.Exec(ctx, tx, `UPDATE roles SET name = name`); err != nil {
				return nil, err
			}
			return nil, people.RequireProof(ctx, tx, token)
		})
		if err == nil {
			t.Error("the token was accepted after a write")
		}
	})
}

// intruder has a stolen key with the admin scope, a user without it, and the tokens of both
// that user and a real administrator for other things.
type intruder struct {
	s           *testkit.Server
	random      *rand.Rand
	owner, user string
	users, keys []string
	roles       []string
	admins      []string // who has the admin scope before a request
	genuine     bool     // the last request had a token of one of them for this operation
}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

// token returns a token that an intruder might send, for an operation on an object.
func (m *intruder) token(t *testing.T, operation, object string) any {
	t.Helper()
	m.genuine = false
	switch m.random.IntN(6) {
	case 0: // a token without a purpose is for any operation
		m.genuine = m.isAdmin(m.user)
		return tokenFor(t, m.s, m.user, people.Purpose{})
	case 1:
		m.genuine = m.isAdmin(m.user)
		return tokenFor(t, m.s, m.user, people.Purpose{Operation: operation, ObjectID: object})
	case 2:
		return tokenFor(t, m.s, m.owner, people.Purpose{Operation: operation, ObjectID: "usr_other"})
	case 3:
		return tokenFor(t, m.s, m.owner, people.Purpose{Operation: "createSsoConnection"})
	case 4:
		if m.random.IntN(4) == 0 { // a real administrator approves it
			m.genuine = true
			return tokenFor(t, m.s, m.owner, people.Purpose{Operation: operation, ObjectID: object})
		}
	}
	return nil
}

// isAdmin returns whether a user has the admin scope before a request: one that an
// administrator approved can have made the intruder one.
func (m *intruder) isAdmin(user string) bool { return slices.Contains(m.admins, user) }

// act sends one random administrative request.
func (m *intruder) act(t *testing.T) (what string) {
	t.Helper()
	r := m.random
	scopes := [][]string{{"hulls:read"}, {"admin"}, {"hulls:read", "admin"}}[r.IntN(3)]
	name := fmt.Sprintf("name %d", r.Int64())
	user, role, key := pick(r, m.users), pick(r, m.roles), pick(r, m.keys)
	requests := []struct {
		operation, object, method, path string
		body                            map[string]any
	}{
		{"provisionUser", "", "POST", "/v1/users", map[string]any{"email": fmt.Sprintf("u%d@example.com", r.Int64()), "name": name, "role_ids": []string{role}}},
		{"updateUser", user, "PATCH", "/v1/users/" + user, map[string]any{"status": "active"}},
		{"updateUser", user, "PATCH", "/v1/users/" + user, map[string]any{"reset_password": true}},
		{"assignUserRoles", user, "PUT", "/v1/users/" + user + "/roles", map[string]any{"role_ids": []string{role}}},
		{"assignUserRoles", m.user, "PUT", "/v1/users/" + m.user + "/roles", map[string]any{"role_ids": []string{role, pick(r, m.roles)}}},
		{"createRole", "", "POST", "/v1/roles", map[string]any{"name": name, "scopes": scopes}},
		{"updateRole", role, "PATCH", "/v1/roles/" + role, map[string]any{"scopes": scopes}},
		{"createApiKey", "", "POST", "/v1/api_keys", map[string]any{"name": name, "scopes": scopes}},
		{"rotateApiKey", key, "POST", "/v1/api_keys/" + key + "/rotate", map[string]any{}},
		{"deactivateUser", user, "POST", "/v1/users/" + user + "/deactivate", map[string]any{"revoke_keys": true}},
	}

	c := requests[r.IntN(len(requests))]
	if token := m.token(t, c.operation, c.object); token != nil {
		c.body["mfa_token"] = token
	}
	res, err := m.s.Test.Send(c.method, c.path, c.body)
	assert.NoError(t, err)
	if res.StatusCode >= 500 {
		t.Fatalf("%s: got %d %s", c.operation, res.StatusCode, res.Bytes)
	}
	m.remember(t, c.operation, res)
	return fmt.Sprintf("%s %s %v: %d", c.operation, c.object, c.body, res.StatusCode)
}

// remember keeps the IDs of what a request created, for the next ones.
func (m *intruder) remember(t *testing.T, operation string, res *testkit.Response) {
	t.Helper()
	if res.StatusCode >= 300 {
		return
	}
	var created struct{ ID string }
	assert.NoError(t, json.Unmarshal(res.Bytes, &created))
	switch operation {
	case "provisionUser":
		m.users = append(m.users, created.ID)
	case "createRole":
		m.roles = append(m.roles, created.ID)
	case "createApiKey", "rotateApiKey":
		m.keys = append(m.keys, created.ID)
	}
}

// administrators returns who has the admin scope: users by their roles, and keys that work.
func administrators(s *testkit.Server) []string {
	users := testkit.Rows[string](s, `SELECT DISTINCT ur.user_id FROM user_roles ur JOIN roles r ON r.env = ur.env AND r.id = ur.role_id
		WHERE r.scopes LIKE '%admin%'`)
	keys := testkit.Rows[string](s, `SELECT id FROM api_keys WHERE scopes LIKE '%admin%' AND revoked_at IS NULL`)
	return append(users, keys...)
}

// Over random administrative requests, nobody gains the admin scope without the token of
// someone who was an administrator before, for this very operation.
func TestNobodyBecomesAdministrator(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		m := &intruder{s: s, random: rand.New(rand.NewPCG(seed, 0)), owner: s.Person("owner").ID}
		for range 40 {
			s.Advance(time.Hour) // sign-ins are limited
			p := s.Person("sales")
			p.Enroll()
			m.user, m.users = p.ID, []string{p.ID, s.Test.User(nil)}
			m.roles = []string{s.RoleID("owner"), s.RoleID("sales"), s.Test.Role("hulls:read")}
			m.keys = []string{createKey(s.Test).ID}
			var done []string
			for range 4 {
				m.admins = administrators(s)
				done = append(done, m.act(t))
				for _, id := range administrators(s) {
					if !slices.Contains(m.admins, id) && !m.genuine {
						t.Fatalf("%s gained the admin scope: %q", id, done)
					}
				}
			}
		}
	})
}
