package testkit

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"time"

	"github.com/pquerna/otp/totp"
	"golang.org/x/crypto/argon2"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
)

// Password is the password of every Person.
const Password = "four boats in a row"

// cheapHash is Password in the service's own form, at a cost that tests can
// pay often. What is stored says what it costs, so the service checks it as it
// checks any other.
var cheapHash = func() string {
	salt, b64 := []byte("salt for testing"), base64.RawStdEncoding
	hash := argon2.IDKey([]byte(Password), salt, 1, 8, 1, 32)
	return fmt.Sprintf("$argon2id$v=%d$m=8,t=1,p=1$%s$%s", argon2.Version, b64.EncodeToString(salt), b64.EncodeToString(hash))
}()

// Person is a user of the first dealership's test environment who is signed in.
type Person struct {
	*Client
	ID, Email string

	Factor string // the path of the authenticator app, after Enroll
	secret string
}

// Enroll gives an administrator an authenticator app, as they would do themselves.
func (p *Person) Enroll() {
	p.server.t.Helper()
	var e struct{ ID, Secret string }
	p.Post("/v1/users/"+p.ID+"/mfa_factors", `{"kind": "totp"}`, 201, &e)
	p.Factor, p.secret = "/v1/users/"+p.ID+"/mfa_factors/"+e.ID, e.Secret
	p.OwnProof()
}

// OwnProof is an MFA token of the person, after Enroll.
func (p *Person) OwnProof() string {
	p.server.t.Helper()
	return p.server.Test.mfaToken(p.Factor, p.secret)
}

// Person provisions a user who holds these roles, by name, and signs them in.
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
	return p
}

// Proof is an MFA token of the first dealership's owner, for changes that affect
// the admin scope. It works once. A code works once too: each call moves the
// clock on to the next one.
func (c *Client) Proof() string {
	s := c.server
	s.t.Helper()
	var owner struct {
		Data []struct {
			ID         string
			MFAFactors []struct{ ID string } `json:"mfa_factors"`
		}
	}
	c.Get("/v1/users?email="+s.Owner.Email, 200, &owner)
	return c.mfaToken("/v1/users/"+owner.Data[0].ID+"/mfa_factors/"+owner.Data[0].MFAFactors[0].ID, s.Owner.TOTPSecret)
}

// mfaToken verifies an authenticator app with its next code.
func (c *Client) mfaToken(factor, secret string) string {
	s := c.server
	s.t.Helper()
	s.Advance(30 * time.Second)
	code, err := totp.GenerateCode(secret, s.DB.Now())
	check(s.t, err)
	var proof struct {
		Token string `json:"mfa_token"`
	}
	c.Post(factor+"/verify", map[string]any{"code": code}, 200, &proof)
	return proof.Token
}

// Activate gives a user the Password, as accepting the invitation does.
func (s *Server) Activate(userID string) {
	s.t.Helper()
	s.Exec(`UPDATE users SET status = 'active', password_hash = ? WHERE id = ?`, cheapHash, userID)
}

// Token signs a Person in to the test environment.
func (s *Server) Token(email string) string {
	s.t.Helper()
	var in struct{ Token string }
	s.As("").Post("/oauth/sessions", map[string]any{"email": email, "password": Password, "environment": "test"}, 201, &in)
	return in.Token
}

// RoleID is the id of a role of the test environment.
func (s *Server) RoleID(name string) string {
	s.t.Helper()
	var list struct{ Data []struct{ ID, Name string } }
	s.Test.Get("/v1/roles?limit=100", 200, &list)
	for _, r := range list.Data {
		if r.Name == name {
			return r.ID
		}
	}
	s.t.Fatalf("no role %s", name)
	return ""
}

// Exec changes rows behind the service's back, for what no request can do.
func (s *Server) Exec(statement string, args ...any) {
	s.t.Helper()
	_, err := TryExec(s, statement, args...)
	check(s.t, err)
}

// TryExec changes rows behind the service's back, which the database may refuse.
func TryExec(s *Server, statement string, args ...any) (int64, error) {
	return db.Write(s.t.Context(), s.DB, func(ctx context.Context, tx *db.Tx) (int64, error) {
		return db.Exec(ctx, tx, statement, args...)
	})
}

// InTx runs a store function that takes a key, in a transaction of its own.
func (s *Server) InTx(fn func(ctx context.Context, tx *db.Tx, key string) error, env auth.Env, key string) error {
	_, err := db.Write(s.t.Context(), s.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) { return struct{}{}, fn(ctx, tx.In(env), key) })
	return err
}

// Rows reads what no request shows.
func Rows[T any](s *Server, query string, args ...any) []T {
	s.t.Helper()
	rows, err := db.Read(s.t.Context(), s.DB, func(ctx context.Context, tx *db.Tx) ([]T, error) {
		return db.All[T](ctx, tx, query, args...)
	})
	check(s.t, err)
	return rows
}
