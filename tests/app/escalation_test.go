package app

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/identity/access"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// escalation is a request that gives someone the admin scope, or that affects a
// user or a role with it. Without a body, the MFA token is in the header.
type escalation struct {
	operation, what string
	request         func(v *victims) (path string, body map[string]any)
}

// escalations has at least one row for each operation on users, roles, keys,
// sessions and two-factor methods.
var escalations = []escalation{
	{"provisionUser", "with the owner role", func(v *victims) (string, map[string]any) {
		return "", map[string]any{"email": v.email(), "name": "Mallory", "role_ids": []string{v.s.RoleID("owner")}}
	}},
	{"provisionUser", "with a role for administrators and another one", func(v *victims) (string, map[string]any) {
		roles := []string{v.s.RoleID("viewer"), v.s.Test.Role("admin")}
		return "", map[string]any{"email": v.email(), "name": "Mallory", "role_ids": roles}
	}},
	{"updateUser", "email of an invited owner", func(v *victims) (string, map[string]any) {
		return v.invited(), map[string]any{"email": v.email()}
	}},
	{"updateUser", "email of an owner", func(v *victims) (string, map[string]any) {
		return v.owner().ID, map[string]any{"email": v.email()}
	}},
	{"updateUser", "name of an owner", func(v *victims) (string, map[string]any) {
		return v.owner().ID, map[string]any{"name": "Mallory"}
	}},
	{"updateUser", "locations of an owner", func(v *victims) (string, map[string]any) {
		return v.owner().ID, map[string]any{"location_ids": []string{v.s.Test.Location()}}
	}},
	{"updateUser", "password of an owner", func(v *victims) (string, map[string]any) {
		return v.owner().ID, map[string]any{"reset_password": true}
	}},
	{"updateUser", "reactivate an owner", func(v *victims) (string, map[string]any) {
		id := v.owner().ID
		v.s.Test.Post("/v1/users/"+id+"/deactivate", map[string]any{"mfa_token": v.s.Test.Proof()}, 200, nil)
		return id, map[string]any{"status": "active"}
	}},
	{"deactivateUser", "an owner", func(v *victims) (string, map[string]any) { return v.owner().ID, map[string]any{} }},
	{"deactivateUser", "an invited owner", func(v *victims) (string, map[string]any) { return v.invited(), map[string]any{} }},
	{"deactivateUser", "revoke the admin key of a former owner", func(v *victims) (string, map[string]any) {
		p := v.owner()
		p.Post("/v1/api_keys", map[string]any{"name": "x", "scopes": []string{"admin"}, "mfa_token": p.OwnProof()}, 201, nil)
		v.s.Test.Put("/v1/users/"+p.ID+"/roles", map[string]any{"role_ids": []string{}, "mfa_token": v.s.Test.Proof()}, 200, nil)
		return p.ID, map[string]any{"revoke_keys": true}
	}},
	{"assignUserRoles", "the owner role", func(v *victims) (string, map[string]any) {
		return v.s.Test.User(nil), map[string]any{"role_ids": []string{v.s.RoleID("owner")}}
	}},
	{"assignUserRoles", "none, to an owner", func(v *victims) (string, map[string]any) {
		return v.owner().ID, map[string]any{"role_ids": []string{}}
	}},
	{"createRole", "with admin", func(v *victims) (string, map[string]any) {
		return "", map[string]any{"name": v.email(), "scopes": []string{"hulls:read", "admin"}}
	}},
	{"updateRole", "add admin", func(v *victims) (string, map[string]any) {
		return v.s.Test.Role("hulls:read"), map[string]any{"scopes": []string{"hulls:read", "admin"}}
	}},
	{"updateRole", "remove admin", func(v *victims) (string, map[string]any) {
		return v.s.Test.Role("hulls:read", "admin"), map[string]any{"scopes": []string{"hulls:read"}}
	}},
	{"updateRole", "add scopes to a role with admin", func(v *victims) (string, map[string]any) {
		return v.s.Test.Role("admin"), map[string]any{"scopes": []string{"admin", "deals:write"}}
	}},
	{"deleteRole", "with admin", func(v *victims) (string, map[string]any) { return v.s.Test.Role("admin"), nil }},
	{"createApiKey", "with admin", func(*victims) (string, map[string]any) {
		return "", map[string]any{"name": "x", "scopes": []string{"admin"}}
	}},
	{"rotateApiKey", "with admin", func(v *victims) (string, map[string]any) { return v.key(auth.Admin), map[string]any{} }},
	{"revokeApiKey", "with admin", func(v *victims) (string, map[string]any) { return v.key(auth.Admin), nil }},
	{"deleteMfaFactor", "of an owner", func(v *victims) (string, map[string]any) {
		return strings.TrimPrefix(v.owner().Factor, "/v1/users/"), nil
	}},
	{"deleteMfaFactor", "not verified, of an owner", func(v *victims) (string, map[string]any) {
		p := v.owner()
		var f struct{ ID string }
		p.Post("/v1/users/"+p.ID+"/mfa_factors", map[string]any{"kind": "totp", "mfa_token": p.OwnProof()}, 201, &f)
		return p.ID + "/mfa_factors/" + f.ID, nil
	}},
	{"revokeSession", "of an owner", func(v *victims) (string, map[string]any) {
		var list struct{ Data []struct{ ID string } }
		v.s.Test.Get("/v1/sessions?user_id="+v.owner().ID, 200, &list)
		return list.Data[0].ID, nil
	}},
	{"createApp", "with admin", func(*victims) (string, map[string]any) {
		return "", map[string]any{"name": "x", "redirect_uris": []string{"https://example.com/cb"}, "scopes": []string{"hulls:read", "admin"}}
	}},
	{"updateApp", "add admin", func(v *victims) (string, map[string]any) {
		return v.s.Test.App(nil).ID, map[string]any{"scopes": []string{"hulls:read", "admin"}}
	}},
	{"updateApp", "redirect URI of an app with admin", func(v *victims) (string, map[string]any) {
		return v.app(), map[string]any{"redirect_uris": []string{"https://mallory.example.com/cb"}}
	}},
	{"rotateAppSecret", "of an app with admin", func(v *victims) (string, map[string]any) { return v.app(), map[string]any{} }},
	{"deleteApp", "with admin", func(v *victims) (string, map[string]any) { return v.app(), nil }},
	{"revokeInstall", "with admin", func(v *victims) (string, map[string]any) { return v.s.Test.Install(v.app()), nil }},
	{"createSsoConnection", "with a role with admin", func(v *victims) (string, map[string]any) {
		return "", v.connection(nil)
	}},
	{"createSsoConnection", "that turns passwords off", func(v *victims) (string, map[string]any) {
		return "", v.connection(map[string]any{"default_role_id": nil, "enforce": true, "domains": []string{v.domain()}})
	}},
	{"updateSsoConnection", "add a role with admin", func(v *victims) (string, map[string]any) {
		return v.s.Test.SSOConnection(nil).ID, map[string]any{"default_role_id": v.s.Test.Role("admin")}
	}},
	{"updateSsoConnection", "provider of a connection with admin", func(v *victims) (string, map[string]any) {
		return v.s.Test.SSOConnection(v.connection(map[string]any{"mfa_token": v.s.Test.Proof()})).ID, map[string]any{"issuer": "http://evil.example.com"}
	}},
	{"updateSsoConnection", "link an owner", func(v *victims) (string, map[string]any) {
		return v.s.Test.SSOConnection(nil).ID, map[string]any{"link_users": []map[string]any{{"user_id": v.owner().ID, "subject": "mallory"}}}
	}},
	{"deleteSsoConnection", "with admin", func(v *victims) (string, map[string]any) {
		return v.s.Test.SSOConnection(v.connection(map[string]any{"mfa_token": v.s.Test.Proof()})).ID, nil
	}},
	{"preview.createScimToken", "of any connection", func(v *victims) (string, map[string]any) { return v.s.Test.SSOConnection(nil).ID, map[string]any{} }},
	// The last one, because the caller has more scopes after it succeeds. It needs the
	// token of another administrator.
	{"assignUserRoles", "the owner role, to the caller", func(v *victims) (string, map[string]any) {
		return v.caller, map[string]any{"role_ids": []string{v.s.RoleID("owner")}}
	}},
}

// victims creates what the requests affect.
type victims struct {
	s      *testkit.Server
	caller string // the user of the caller, or another administrator if it is a key
	n      int
}

func (v *victims) email() string {
	v.n++
	return fmt.Sprintf("mallory%d.%s@example.com", v.n, v.caller)
}

func (v *victims) domain() string {
	v.n++
	return fmt.Sprintf("mallory%d-%s.example.com", v.n, strings.ReplaceAll(v.caller, "_", "-"))
}

// connection is the body of an SSO connection with a role with admin. Fields replace
// the default ones.
func (v *victims) connection(fields map[string]any) map[string]any {
	v.s.Fleet()
	body := map[string]any{
		"name": "x", "issuer": "http://id.example.com", "client_id": "1", "client_secret": "2", "default_role_id": v.s.Test.Role("admin"),
	}
	maps.Copy(body, fields)
	return body
}

func (v *victims) owner() *testkit.Person { return v.s.Person("owner") }

func (v *victims) invited() string {
	return v.s.Test.User(map[string]any{"role_ids": []string{v.s.RoleID("owner")}, "mfa_token": v.s.Test.Proof()})
}

func (v *victims) app() string {
	return v.s.Test.App(map[string]any{"scopes": []string{"admin"}, "mfa_token": v.s.Test.Proof()}).ID
}

func (v *victims) key(scopes ...auth.Scope) string {
	var me access.Me
	v.s.As(v.s.Key(scopes...)).Get("/v1/me", 200, &me)
	return me.Credential.ID
}

// A key or a session with only the admin scope can't give anyone the admin scope
// and can't act on an administrator. With proof, it can.
func TestAdminRequiresProof(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		admin, manager := s.Person(), s.Person("manager")
		adminOnly := map[string]any{"role_ids": []string{s.Test.Role("admin")}, "mfa_token": s.Test.Proof()}
		s.Test.Put("/v1/users/"+admin.ID+"/roles", adminOnly, 200, nil)
		admin.Enroll()
		manager.Enroll()

		described := map[string]*huma.Operation{}
		for _, o := range operations() {
			described[o.OperationID] = o
		}
		for who, c := range map[string]struct {
			*testkit.Client
			caller string
			proof  func() string
		}{
			"key":     {s.As(s.Key(auth.Admin)), s.Person("owner").ID, s.Test.Proof},
			"session": {admin.Client, admin.ID, admin.OwnProof},
		} {
			v := &victims{s: s, caller: c.caller}
			for _, e := range escalations {
				o, name := described[e.operation], fmt.Sprintf("%s: %s, by a %s", e.operation, e.what, who)
				id, body := e.request(v)
				path := pathWith(o.Path, id)
				for what, token := range map[string]string{"no token": "", "an unknown token": "mft_made_up", "a manager's token": manager.OwnProof()} {
					before := snapshot(s)
					res := proven{c.Client, token}.send(t, o.Method, path, body)
					assert.Equal(t, res.StatusCode, 403, name, what)
					res.WantDetail(t, "mfa_token", "mfa", name, what)
					assert.Equal(t, snapshot(s), before, name, what, "changed the database")
				}
				proof := c.proof
				if strings.HasSuffix(e.what, "to the caller") {
					proof = s.Test.Proof
				}
				res := proven{c.Client, proof()}.send(t, o.Method, path, body)
				assert.Equal(t, fmt.Sprint(res.StatusCode), successOf(o), name, "with proof", string(res.Bytes))
			}
		}
	})
}

// A new operation on users, roles, keys, apps, installs, sessions or two-factor methods requires a row.
func TestEveryEscalationHasARow(t *testing.T) {
	for _, o := range operations() {
		family := strings.Split(strings.TrimPrefix(o.Path, "/v1/"), "/")[0]
		if o.Method == "GET" || !slices.Contains([]string{"users", "roles", "api_keys", "sessions", "apps", "installs"}, family) {
			continue
		}
		if o.OperationID == "enrollMfaFactor" || o.OperationID == "verifyMfaFactor" { // only for the caller's own user
			continue
		}
		if !slices.ContainsFunc(escalations, func(e escalation) bool { return e.operation == o.OperationID }) {
			t.Errorf("%s has no row: add one to escalations", o.OperationID)
		}
	}
}

// pathWith replaces the first parameter of a path, and the rest if the value
// includes it.
func pathWith(path, value string) string {
	start := strings.Index(path, "{")
	if start < 0 {
		return path
	}
	if strings.Contains(value, "/") {
		return path[:start] + value
	}
	return path[:start] + value + path[strings.Index(path, "}")+1:]
}

// proven is a caller who sends a two-factor token, unless it is "".
type proven struct {
	client *testkit.Client
	token  string
}

// send sends a request with an MFA token in the body, or in the header if it
// has no body.
func (p proven) send(t *testing.T, method, path string, body map[string]any) *testkit.Response {
	t.Helper()
	if p.token == "" {
		if body == nil {
			return send(t, p.client, method, path, nil)
		}
		return send(t, p.client, method, path, body)
	}
	if body == nil {
		return send(t, p.client.With("MFA-Token", p.token), method, path, nil)
	}
	body = maps.Clone(body)
	body["mfa_token"] = p.token
	return send(t, p.client, method, path, body)
}

// snapshot returns everything that one of the escalations can change.
func snapshot(s *testkit.Server) (rows []string) {
	for _, query := range []string{
		`SELECT id || email || COALESCE(pending_email, '') || name || status || location_ids || version FROM users ORDER BY id`,
		`SELECT id || name || scopes || version FROM roles ORDER BY id`,
		`SELECT user_id || role_id FROM user_roles ORDER BY user_id, role_id`,
		`SELECT id || COALESCE(rotated_to, '') || CASE WHEN revoked_at IS NULL THEN '' ELSE ' revoked' END FROM api_keys ORDER BY id`,
		`SELECT id || name || redirect_uris || scopes || version FROM apps ORDER BY id`,
		`SELECT id || scopes || version FROM installs ORDER BY id`,
		`SELECT id || CASE WHEN ended_at IS NULL THEN '' ELSE ' ended' END FROM sessions ORDER BY id`,
		`SELECT id || CASE WHEN active THEN ' active' ELSE '' END FROM mfa_factors ORDER BY id`,
		`SELECT user_id || COUNT(used_at) || ' of ' || COUNT(*) FROM mfa_tokens GROUP BY user_id ORDER BY user_id`,
		`SELECT user_id || COUNT(used_at) || ' of ' || COUNT(*) FROM invitations GROUP BY user_id ORDER BY user_id`,
		`SELECT kind || COUNT(*) FROM river_job WHERE kind IN ('invite_user', 'confirm_email', 'announce_email') GROUP BY kind ORDER BY kind`,
		`SELECT 'audit entries ' || COUNT(*) FROM audit_entries`,
		`SELECT 'events ' || COUNT(*) FROM {emitted}`,
	} {
		rows = append(rows, testkit.Rows[string](s, query)...)
	}
	return rows
}
