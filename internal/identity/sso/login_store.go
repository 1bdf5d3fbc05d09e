package sso

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/site"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/token"
)

// loginLifetime is how long a user can take to sign in at the provider.
const loginLifetime = 15 * time.Minute

// login is a sign-in that is under way.
type login struct {
	Env          auth.Env  `db:"env"`
	ConnectionID string    `db:"connection_id"`
	Hash         []byte    `db:"hash"`
	Browser      []byte    `db:"browser"`
	TestSession  string    `db:"test_session"`
	ReturnTo     string    `db:"return_to"`
	Result       []byte    `db:"result"`
	ExpiresAt    time.Time `db:"expires_at"`
}

func (l login) place() string {
	return fmt.Sprintf("sso_logins/%d/%s/%x", l.Env, l.ConnectionID, l.Hash)
}

// newSecret returns a random text for a URL or a cookie.
func newSecret() string { return strings.ToLower(rand.Text() + rand.Text()) }

// derive returns a secret of a login. It is calculated from the state, so that it
// doesn't have to be stored, and no one who sees the state can calculate it.
func derive(h db.Handle, purpose, state string) []byte {
	return site.Of(h).MAC(fmt.Appendf(nil, "sso/%s/%s", purpose, state))
}

// nonceOf returns the nonce of an OIDC login.
func nonceOf(h db.Handle, state string) string {
	return base64.RawURLEncoding.EncodeToString(derive(h, "nonce", state))
}

// verifierOf returns the PKCE verifier of an OIDC login.
func verifierOf(h db.Handle, state string) string {
	return base64.RawURLEncoding.EncodeToString(derive(h, "verifier", state))
}

// requestIDOf returns the ID of the AuthnRequest of a SAML login.
func requestIDOf(h db.Handle, state string) string {
	return "_" + hex.EncodeToString(derive(h, "request", state)[:20])
}

// insertLogin starts a login in a browser and returns its state. The login says where it
// leads, and whether it is a test.
func insertLogin(ctx context.Context, tx *db.Tx, c Connection, browser string, l login) (state string, err error) {
	state = newSecret()
	l.Env, l.ConnectionID, l.ExpiresAt = c.Env, c.ID, tx.Now.Add(loginLifetime)
	l.Hash, l.Browser = token.Hash(state), token.Hash(browser)
	return state, db.Insert(ctx, tx, "sso_logins", l)
}

// errLogin is for a login that is unknown, used, expired or of another browser. The
// user can start again.
func errLogin(reason string) *errRejected {
	return &errRejected{
		"Sign in again", "The sign-in took too long, was already completed, or was started in another browser.", reason,
	}
}

// findLogin returns a login that has not expired.
func findLogin(ctx context.Context, tx *db.Tx, c Connection, state string) (login, error) {
	l, err := db.One[login](ctx, tx, `SELECT {cols} FROM sso_logins WHERE env = ? AND connection_id = ? AND hash = ? AND expires_at > ?`,
		c.Env, c.ID, token.Hash(state), tx.Now)
	if db.IsNoRows(err) {
		err = errLogin("The state is unknown, expired or used.")
	}
	return l, err
}

// isOf reports whether the login was started in a browser.
func (l login) isOf(browser string) bool {
	return browser != "" && subtle.ConstantTimeCompare(l.Browser, token.Hash(browser)) == 1
}

// useLogin deletes a login of a browser. It works once.
func useLogin(ctx context.Context, tx *db.Tx, c Connection, state, browser string) (login, error) {
	l, err := findLogin(ctx, tx, c, state)
	if err != nil {
		return l, err
	}
	if !l.isOf(browser) {
		return l, errLogin("The cookie of the browser does not match the state.")
	}
	n, err := db.Exec(ctx, tx, `DELETE FROM sso_logins WHERE env = ? AND connection_id = ? AND hash = ?`, l.Env, l.ConnectionID, l.Hash)
	if err == nil && n == 0 {
		err = errLogin("The state is unknown, expired or used.")
	}
	return l, err
}

// saveResult stores what the provider said until the browser collects it. It works
// once for each login.
func (a *API) saveResult(ctx context.Context, tx *db.Tx, l login, id identity) error {
	text, err := json.Marshal(id)
	if err != nil {
		return err
	}
	n, err := db.Exec(ctx, tx, `UPDATE sso_logins SET result = ? WHERE env = ? AND connection_id = ? AND hash = ? AND result IS NULL`,
		a.Box.Seal(text, l.place()), l.Env, l.ConnectionID, l.Hash)
	if err == nil && n == 0 {
		err = errLogin("The provider has already answered this sign-in.")
	}
	return err
}

// result returns what the provider said.
func (a *API) result(l login) (id identity, err error) {
	if l.Result == nil {
		return id, errLogin("The provider has not answered this sign-in.")
	}
	text, err := a.Box.Open(l.Result, l.place())
	if err == nil {
		err = json.Unmarshal(text, &id)
	}
	return id, err
}

// usedMessage is a message of a provider that was used.
type usedMessage struct {
	Env          auth.Env  `db:"env"`
	ConnectionID string    `db:"connection_id"`
	Hash         []byte    `db:"hash"`
	ExpiresAt    time.Time `db:"expires_at"`
}

// sentMessage is a message of a provider that works once.
type sentMessage struct{ kind, id string }

// useMessage records a message. It fails if the message was used before, on any node.
// The primary key guards it: the loser of a race runs again and finds the row.
func useMessage(ctx context.Context, tx *db.Tx, c Connection, m sentMessage, until time.Time) error {
	sum := sha256.Sum256([]byte(m.kind + "/" + m.id))
	hash := sum[:]
	found, err := db.All[int64](ctx, tx, `SELECT 1 FROM sso_used_messages WHERE env = ? AND connection_id = ? AND hash = ?`, c.Env, c.ID, hash)
	if err != nil {
		return err
	}
	if len(found) > 0 {
		return errLogin("The provider's message was used before (replay).")
	}
	return db.Insert(ctx, tx, "sso_used_messages", usedMessage{c.Env, c.ID, hash, until})
}

// DeleteExpired deletes logins, used messages, links and sessions that have expired.
func DeleteExpired(ctx context.Context, tx *db.Tx) (int64, error) {
	var total int64
	for _, statement := range []string{
		`DELETE FROM sso_logins WHERE expires_at < ?`,
		`DELETE FROM sso_used_messages WHERE expires_at < ?`,
		`DELETE FROM sso_links WHERE expires_at < ?`,
		`DELETE FROM sso_sessions WHERE expires_at < ?`,
	} {
		n, err := db.Exec(ctx, tx, statement, tx.Now.Add(-time.Hour))
		if err != nil {
			return total, err
		}
		total += n
	}
	return total, nil
}
