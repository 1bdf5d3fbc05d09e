package identity

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"slipway/internal/identity/access"
	"slipway/internal/identity/people"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/webhooks"
)

// loginKey signs in the command line of a person and returns its key.
func loginKey(t *testing.T, s *testkit.Server, p *testkit.Person, scopes ...string) string {
	t.Helper()
	const verifier, challenge = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	const redirect = "http://127.0.0.1:4321/callback"
	link := s.URL + "/oauth/cli?" + url.Values{
		"redirect_uri": {redirect}, "state": {strings.Repeat("s", 26)}, "host": {"office"}, "code_challenge": {challenge}, "code_challenge_method": {"S256"},
	}.Encode()
	b, code := s.Browser(), ""
	if p.Secret != "" {
		code = s.Code(p.Secret)
	}
	_, f := b.SignIn(b.Open(link), p.Email, testkit.Password, code).Form()
	f["decision"], f["environment"], f["scope"] = []string{"allow"}, []string{"test"}, scopes
	if p.Secret != "" {
		f["code"] = []string{s.Code(p.Secret)}
	}
	to, err := url.Parse(b.Stay(link, f).Header.Get("Location"))
	if err != nil || to.Query().Get("code") == "" {
		t.Fatalf("got the redirect %v, %v; want a code", to, err)
	}
	v := s.Browser().Post("/oauth/cli/token", url.Values{"code": {to.Query().Get("code")}, "code_verifier": {verifier}, "redirect_uri": {redirect}})
	var got struct{ Key string }
	if err := json.Unmarshal([]byte(v.Text), &got); err != nil || got.Key == "" {
		t.Fatalf("got %d %s, %v; want a key", v.StatusCode, v.Text, err)
	}
	return got.Key
}

// A key of slipway login ends with what the person signs in with.
func TestLoginKeyEnds(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for name, end := range map[string]func(p *testkit.Person){
			"deactivated": func(p *testkit.Person) { s.Test.Post("/v1/users/"+p.ID+"/deactivate", nil, 200, nil) },
			"deactivated, kept keys": func(p *testkit.Person) {
				s.Test.Post("/v1/users/"+p.ID+"/deactivate", `{"revoke_keys": false}`, 200, nil)
			},
			"deactivated, first version": func(p *testkit.Person) {
				s.Test.With("Service-Version", "2026-11-15").Post("/v1/users/"+p.ID+"/deactivate", nil, 200, nil)
			},
			"password changed": func(p *testkit.Person) {
				p.Post("/oauth/password", map[string]any{"old_password": testkit.Password, "new_password": "correct horse battery staple"}, 204, nil)
			},
			"password reset": func(p *testkit.Person) {
				s.Test.Patch("/v1/users/"+p.ID, map[string]any{"reset_password": true, "mfa_token": s.Test.Proof()}, 200, nil)
			},
			"signed out everywhere": func(p *testkit.Person) {
				b := s.Browser()
				b.SignIn(b.Open("/oauth/account/sessions"), p.Email, testkit.Password, "")
				_, f := b.Open("/oauth/account/sessions").Form()
				f["session"] = []string{"others"}
				assert.Equal(t, b.Post("/oauth/account/sessions", f).StatusCode, 200)
			},
		} {
			p := s.Person("sales")
			key := s.As(loginKey(t, s, p, "hulls:read"))
			key.Get("/v1/hulls", 200, nil)
			end(p)
			if res, err := key.Send("GET", "/v1/hulls", nil); err != nil || res.StatusCode != 401 {
				t.Errorf("%s: got %d %s, %v; want 401", name, res.StatusCode, res.Bytes, err)
			}
		}
	})
}

// A key of slipway login can do what the person can do now.
func TestLoginKeyFollowsRoles(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("sales")
		key := s.As(loginKey(t, s, p, "hulls:read", "leads:read"))
		key.Get("/v1/leads", 200, nil)
		s.Test.Put("/v1/users/"+p.ID+"/roles", map[string]any{"role_ids": []string{s.Test.Role("hulls:read")}}, 200, nil)
		key.Get("/v1/leads", 403, nil)
		key.Get("/v1/hulls", 200, nil)
		s.Test.Put("/v1/users/"+p.ID+"/roles", map[string]any{"role_ids": []string{}}, 200, nil)
		key.Get("/v1/hulls", 403, nil)
		key.Get("/v1/me", 200, nil)
	})
}

// A key of slipway login is on the account page, where its user revokes it. Others can't
// take it over by rotating it.
func TestLoginKeyOnTheAccountPage(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, other := s.Person("sales"), s.Person("sales")
		key, theirs := s.As(loginKey(t, s, p, "hulls:read")), s.As(loginKey(t, s, other, "hulls:read"))
		var mine, yours access.Me
		key.Get("/v1/me", 200, &mine)
		theirs.Get("/v1/me", 200, &yours)
		s.Test.Post("/v1/api_keys/"+mine.Credential.ID+"/rotate", nil, 409, nil).WantDetail(t, "key_id", "state")

		b := newBrowser(t, s)
		b.signIn(p.Email, testkit.Password)
		v := b.want(b.get("/oauth/account/sessions"), 200, "Command line", "CLI on office", mine.Credential.ID, "Sign out everywhere else")
		assert.Excludes(t, v.text, yours.Credential.ID)
		b.submit(v, "key", yours.Credential.ID)
		theirs.Get("/v1/hulls", 200, nil)
		shared := createKey(s.Test)
		b.submit(v, "key", shared.ID)
		s.As(shared.Key).Get("/v1/hulls", 200, nil)

		v = b.want(b.submit(v, "key", mine.Credential.ID), 200, "The command line is signed out there.")
		assert.Excludes(t, v.text, "CLI on office")
		key.Get("/v1/hulls", 401, nil)
		assert.Equal(t, s.EventTypes(mine.Credential.ID), []string{"api_key.created", "api_key.revoked"})
	})
}

// belongings are one of each kind that acts for a person.
type belongings struct {
	p        *testkit.Person
	login    *testkit.Client
	key      access.IssuedKey
	webhooks []string // created by the person, and with the key
	channel  string
	coworker string // whose calendar the person created
	app      response
	mcp      response
}

func belongingsOf(t *testing.T, s *testkit.Server, c *client) (x belongings) {
	t.Helper()
	x.p = s.Person("owner")
	x.login = s.As(loginKey(t, s, x.p, "hulls:read"))
	x.p.Post("/v1/api_keys", `{"name": "Website", "scopes": ["hulls:read", "webhooks"]}`, 201, &x.key)
	for _, by := range []*testkit.Client{x.p.Client, s.As(x.key.Key)} {
		var w webhooks.WebhookWithSecret
		by.Post("/v1/webhooks", `{"url": "https://example.com/hook", "events": ["hull.*"]}`, 201, &w)
		x.webhooks = append(x.webhooks, w.ID)
	}
	x.channel = x.p.Channel(map[string]any{"push_url": "https://partner.example.com/listings"})
	x.coworker = s.Person("sales").ID
	x.p.Post("/v2-preview/users/"+x.p.ID+"/calendar", nil, 201, nil)
	x.p.Post("/v2-preview/users/"+x.coworker+"/calendar", nil, 201, nil)
	b := s.Browser()
	b.SignIn(b.Open("/oauth/sign-in"), x.p.Email, testkit.Password, s.Code(x.p.Secret))
	x.app = c.exchange(c.code(b))
	x.mcp = c.exchange(c.code(b, "resource", "http://localhost/mcp"))
	return x
}

// access counts what acts for a user, by kind.
func accessOf(s *testkit.Server, userID string) (counts map[people.AccessKind]int) {
	var a people.UserAccess
	s.Test.Get("/v2-preview/users/"+userID+"/access", 200, &a)
	counts = map[people.AccessKind]int{}
	for _, i := range a.Items {
		counts[i.Kind]++
	}
	return counts
}

// A deactivation ends everything that acts for the person, in one request. Nothing is left
// that could work again after a reactivation.
func TestLeavingEndsEverything(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		x := belongingsOf(t, s, newClient(t, s, nil))
		got := accessOf(s, x.p.ID)
		if got[people.SessionAccess] < 2 {
			t.Errorf("got %d sessions, want those of the client and the browsers", got[people.SessionAccess])
		}
		delete(got, people.SessionAccess)
		assert.Equal(t, got, map[people.AccessKind]int{
			people.LoginKeyAccess: 1, people.KeyAccess: 1, people.AppAccess: 1, people.AssistantAccess: 1, people.WebhookAccess: 2,
			people.PushURLAccess: 1, people.CalendarAccess: 2,
		})
		assert.Equal(t, len(accessOf(s, x.coworker)), 2, "a session and a calendar")

		s.Test.Post("/v1/users/"+x.p.ID+"/deactivate", map[string]any{"mfa_token": s.Test.Proof()}, 200, nil)
		assert.Equal(t, accessOf(s, x.p.ID), map[people.AccessKind]int{})
		for name, token := range map[string]string{"session": x.p.Key, "login key": x.login.Key, "key": x.key.Key, "app": x.app.Access} {
			assert.Equal(t, works(s, token), false, name)
		}
		for _, id := range x.webhooks {
			var w webhooks.Webhook
			s.Test.Get("/v1/webhooks/"+id, 200, &w)
			assert.Equal(t, w.Status, webhooks.Disabled)
			assert.Equal(t, s.EventTypes(id), []string{"webhook.disabled"})
		}
		assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM channels WHERE id = ? AND push_url IS NULL`, x.channel)[0], 1)
		assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM user_calendars`)[0], 0)
		assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM oauth_grants WHERE user_id = ? AND revoked_at IS NULL`, x.p.ID)[0], 0)
	})
}

// Handed over, the same things work on, and belong to the other user. What is personal ends.
func TestLeavingHandsOver(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		x, heir := belongingsOf(t, s, newClient(t, s, nil)), s.Person("owner")
		deactivate := func(to string, want int) *testkit.Response {
			t.Helper()
			kinds := []people.AccessKind{people.KeyAccess, people.AppAccess, people.WebhookAccess, people.PushURLAccess, people.CalendarAccess}
			body := map[string]any{"mfa_token": s.Test.Proof(), "hand_over": map[string]any{"user_id": to, "kinds": kinds}}
			return s.Test.Post("/v1/users/"+x.p.ID+"/deactivate", body, want, nil)
		}
		deactivate("usr_unknown", 422).WantDetail(t, "hand_over.user_id", "not_found")
		deactivate(x.p.ID, 409).WantDetail(t, "hand_over.user_id", "state")
		deactivate(s.Test.User(nil), 409).WantDetail(t, "hand_over.user_id", "state")
		deactivate(s.Person("viewer").ID, 409).WantDetail(t, "hand_over.user_id", "scope")
		assert.Equal(t, works(s, x.key.Key), true, "after rejected requests")

		deactivate(heir.ID, 200)
		assert.Equal(t, accessOf(s, x.p.ID), map[people.AccessKind]int{})
		got := accessOf(s, heir.ID)
		delete(got, people.SessionAccess)
		assert.Equal(t, got, map[people.AccessKind]int{
			people.KeyAccess: 1, people.AppAccess: 1, people.WebhookAccess: 2, people.PushURLAccess: 1, people.CalendarAccess: 1,
		})
		assert.Equal(t, works(s, x.login.Key), false, "login key")
		assert.Equal(t, works(s, x.key.Key), true, "key")
		assert.Equal(t, works(s, x.app.Access), true, "app")
		for _, id := range x.webhooks {
			var w webhooks.Webhook
			s.Test.Get("/v1/webhooks/"+id, 200, &w)
			assert.Equal(t, w.Status, webhooks.Enabled)
			assert.Equal(t, w.CreatedBy.ID, heir.ID)
		}
		for _, action := range []string{"api_key.handed_over", "app.handed_over", "webhook.handed_over", "user.calendar_handed_over"} {
			n := testkit.Rows[int64](s, `SELECT COUNT(*) FROM audit_entries WHERE action = ?`, action)[0]
			assert.Equal(t, n > 0, true, action)
		}
	})
}

// Clients of the first version decide with revoke_keys, as before.
func TestLeavingInTheFirstVersion(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		c := newClient(t, s, nil)
		x := belongingsOf(t, s, c)
		body := map[string]any{"mfa_token": s.Test.Proof()}
		s.Test.With("Service-Version", "2026-11-15").Post("/v1/users/"+x.p.ID+"/deactivate", body, 200, nil)
		assert.Equal(t, works(s, x.login.Key), false, "login key")
		assert.Equal(t, works(s, x.key.Key), true, "key")
		assert.Equal(t, works(s, x.app.Access), true, "app")
		got := accessOf(s, x.p.ID)
		assert.Equal(t, got[people.WebhookAccess], 2)
		assert.Equal(t, got[people.SessionAccess]+got[people.LoginKeyAccess]+got[people.AssistantAccess], 0, "what is personal")
	})
}

// A webhook belongs to the person who last decided where it sends events.
func TestWebhookFollowsItsURL(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, other := s.Person("owner"), s.Person("owner")
		var w webhooks.WebhookWithSecret
		p.Post("/v1/webhooks", `{"url": "https://example.com/hook", "events": ["hull.*"]}`, 201, &w)
		assert.Equal(t, w.CreatedBy.ID, p.ID)
		other.Patch("/v1/webhooks/"+w.ID, `{"description": "Ours"}`, 200, &w)
		assert.Equal(t, w.CreatedBy.ID, p.ID, "after a note")
		other.Patch("/v1/webhooks/"+w.ID, `{"url": "https://example.com/other"}`, 200, &w)
		assert.Equal(t, w.CreatedBy.ID, other.ID, "after a new URL")

		s.Test.Post("/v1/users/"+other.ID+"/deactivate", map[string]any{"mfa_token": s.Test.Proof()}, 200, nil)
		p.Patch("/v1/webhooks/"+w.ID, `{"status": "enabled"}`, 200, &w)
		assert.Equal(t, w.CreatedBy.ID, p.ID, "after it was enabled")
	})
}

// personal says what happens to each table with a user when the user leaves. A new table
// with a user must be in this list, and so in what a deactivation ends.
var personal = map[string]string{
	"sessions": "session", "api_keys": "login_key, api_key", "installs": "app", "oauth_grants": "app, assistant", "webhooks": "webhook",
	"channels": "push_url", "user_calendars": "calendar",
	"invitations": "ends", "email_changes": "only for active users", "mfa_tokens": "ends", "cli_codes": "ends",
	"mfa_factors": "only for sign-in", "mfa_challenges": "only for sign-in", "recovery_codes": "only for sign-in",
	"sign_in_tickets": "only for active users", "sso_identities": "only for sign-in", "sso_links": "only for active users",
	"user_roles": "no credential", "appointments": "no credential", "appointment_users": "no credential", "activities": "no credential",
	"proposals": "no credential", "users": "the user", "scim_users": "no credential", "scim_members": "no credential",
	"scim_tokens": "stays: the identity provider must still be able to deactivate users",
}

func TestEveryTableWithAUserIsDecided(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		query := `SELECT table_name FROM information_schema.columns
			WHERE table_schema = current_schema() AND (column_name LIKE '%user_id' OR column_name = 'created_by')`
		if s.DB.SQLite() {
			query = `SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
				WHERE m.type = 'table' AND (c.name LIKE '%user_id' OR c.name = 'created_by')`
		}
		tables := testkit.Rows[string](s, query)
		for _, table := range tables {
			if personal[table] == "" {
				t.Errorf("the table %s belongs to users; say what a deactivation does with it, and end what acts for the user", table)
			}
		}
		for _, table := range []string{"api_keys", "webhooks", "channels", "user_calendars"} {
			assert.Equal(t, slices.Contains(tables, table), true, table)
		}
	})
}
