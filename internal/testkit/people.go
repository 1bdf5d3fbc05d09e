package testkit

import (
	"context"
	"slices"
	"strings"

	"github.com/pquerna/otp/totp"

	"slipway/internal/identity/sso/saml"
	"slipway/internal/platform/db"
	"slipway/internal/platform/password"
	"slipway/internal/platform/site"
	"slipway/internal/testkit/assert"
	"slipway/internal/testkit/testkeys"
	"slipway/internal/vocab/auth"
)

// Password is the password of every Person.
const Password = "four boats in a row"

// Tests sign in often and create connections, so both are cheap. Packages password and saml
// test the real cost.
func init() {
	password.Standard = password.Cost{Memory: 8, Time: 1, Threads: 1}
	saml.GenerateKey = testkeys.Next
}

// Person is a signed-in user.
type Person struct {
	*Client
	ID, Email string

	Factor string // the path of the authenticator app, after Enroll
	Secret string // of the app
}

// Person creates a user of the first dealership's test environment with roles, by
// name, and signs them in. Administrators get an authenticator app, because their
// sessions can do nothing without one.
func (s *Server) Person(roles ...string) *Person {
	s.t.Helper()
	ids := []string{}
	for _, name := range roles {
		ids = append(ids, s.RoleID(name))
	}
	body := map[string]any{"role_ids": ids}
	if slices.Contains(roles, "owner") {
		body["mfa_token"] = s.Test.Proof()
	}
	p := &Person{ID: s.Test.User(body)}
	p.Email = Rows[string](s, `SELECT email FROM users WHERE id = ?`, p.ID)[0]
	s.Activate(p.ID)
	p.Client = s.As(s.Token(p.Email))
	if slices.Contains(roles, "owner") {
		p.Enroll()
	}
	return p
}

// Person does the same as Server.Person.
func (c *Client) Person(roles ...string) *Person {
	c.server.t.Helper()
	return c.server.Person(roles...)
}

// Enroll adds an authenticator app, and returns the recovery codes.
func (p *Person) Enroll() (recoveryCodes []string) {
	s := p.server
	s.t.Helper()
	var e struct{ ID, Secret string }
	p.Post("/v1/users/"+p.ID+"/mfa_factors", `{"kind": "totp", "label": "Phone"}`, 201, &e)
	p.Factor, p.Secret = "/v1/users/"+p.ID+"/mfa_factors/"+e.ID, e.Secret
	code, err := totp.GenerateCode(e.Secret, s.DB.Now())
	check(s.t, err)
	var verified struct {
		RecoveryCodes []string `json:"recovery_codes"`
	}
	p.Post(p.Factor+"/verify", map[string]any{"code": code}, 200, &verified)
	return verified.RecoveryCodes
}

// OwnProof returns an MFA token of the person, after Enroll.
func (p *Person) OwnProof() string {
	p.server.t.Helper()
	if res, err := p.Send("GET", "/v1/me", nil); err != nil || res.StatusCode == 401 { // the session has ended
		var in struct{ Token string }
		body := map[string]any{"email": p.Email, "password": Password, "totp_code": p.server.Code(p.Secret), "environment": "test"}
		p.server.As("").Post("/oauth/sessions", body, 201, &in)
		p.Client = p.server.As(in.Token)
	}

	var proof struct {
		Token string `json:"mfa_token"`
	}
	p.Post(p.Factor+"/verify", map[string]any{"code": p.server.Code(p.Secret)}, 200, &proof)
	return proof.Token
}

// Proof returns an MFA token of the first dealership's owner in the client's
// environment. It works once.
func (c *Client) Proof() string {
	c.server.t.Helper()
	mode := auth.Test
	if c.Key == c.server.Live.Key {
		mode = auth.Live
	}
	return c.server.OwnerSession(mode).OwnProof()
}

// Activate sets the password of a user to Password, as accepting an invitation does.
func (s *Server) Activate(userID string) {
	s.t.Helper()
	email := Rows[string](s, `SELECT email FROM users WHERE id = ?`, userID)[0]
	hash := password.Hash(Password, password.Salt(site.Of(s.DB).MAC, email))
	s.Exec(`UPDATE users SET status = 'active', password_hash = ? WHERE id = ?`, hash, userID)
}

// Token signs in a user to the test environment and returns the token.
func (s *Server) Token(email string) string {
	s.t.Helper()
	var session struct{ Token string }
	s.As("").Post("/oauth/sessions", map[string]any{"email": email, "password": Password, "environment": "test"}, 201, &session)
	return session.Token
}

// RoleID returns the ID of a role of the test environment.
func (s *Server) RoleID(name string) string {
	s.t.Helper()
	var list struct{ Data []struct{ ID, Name string } }
	s.Test.Get("/v1/roles?limit=100", 200, &list)
	for _, r := range list.Data {
		if r.Name == name {
			return r.ID
		}
	}
	s.t.Fatalf("role %s not found", name)
	return ""
}

// Exec changes rows directly in the database, which no request can do.
func (s *Server) Exec(statement string, args ...any) {
	s.t.Helper()
	_, err := TryExec(s, statement, args...)
	check(s.t, err)
}

// TryExec is like Exec, but returns the error of the database.
func TryExec(s *Server, statement string, args ...any) (int64, error) {
	defer s.DB.ForgetRows()
	return db.Write(s.t.Context(), s.DB, func(ctx context.Context, tx *db.Tx) (int64, error) {
		return db.Exec(ctx, tx, strings.ReplaceAll(statement, "{emitted}", emitted), args...)
	})
}

// EventTypes returns the types of the events of an object, oldest first.
func (s *Server) EventTypes(objectID string) []string {
	s.t.Helper()
	return Rows[string](s, `SELECT type FROM {emitted} WHERE object_id = ? ORDER BY sequence`, objectID)
}

// InTx runs a store function with a key in its own transaction.
func (s *Server) InTx(fn func(ctx context.Context, tx *db.Tx, key string) error, env auth.Env, key string) error {
	_, err := db.Write(s.t.Context(), s.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
		return struct{}{}, fn(ctx, tx.In(env), key)
	})
	return err
}

// emitted are all events, in the feed or not.
const emitted = `(SELECT env, id, type, object_id, sequence, request_id, idempotency_key, api_version, data, created_at FROM outbox
	UNION ALL SELECT env, id, type, object_id, sequence, request_id, idempotency_key, api_version, data, created_at FROM events) AS emitted`

// Rows reads rows directly from the database. In the query, {emitted} is a table with
// all events.
func Rows[T any](s *Server, query string, args ...any) []T {
	s.t.Helper()
	rows, err := db.Read(s.t.Context(), s.DB, func(ctx context.Context, tx *db.Tx) ([]T, error) {
		return db.All[T](ctx, tx, strings.ReplaceAll(query, "{emitted}", emitted), args...)
	})
	check(s.t, err)
	return rows
}

// WaitForRelay waits until all events are in the feed, and until their deliveries exist.
func (s *Server) WaitForRelay() {
	s.t.Helper()
	waiting := `SELECT 1 FROM outbox`
	if s.DB.SQLite() {
		waiting += ` UNION ALL SELECT 1 FROM event_feeds WHERE last_id > relayed_id AND env IN (SELECT env FROM webhooks WHERE status = 'enabled')`
	}
	assert.Eventually(s.t, "relayed", func() bool { return len(Rows[int](s, waiting)) == 0 })
}
