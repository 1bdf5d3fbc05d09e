package people

import (
	"context"
	"crypto/rand"
	"strings"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/token"
)

// MFATokenLifetime is how long an MFA token is valid.
const MFATokenLifetime = 5 * time.Minute

// Purpose is what an MFA token is for. A token without a purpose is for any operation.
type Purpose struct {
	Operation string `db:"operation"`
	ObjectID  string `db:"object_id"` // empty if the operation creates something
}

// InsertMFAToken creates an MFA token for a user who has verified a factor.
func InsertMFAToken(ctx context.Context, tx *db.Tx, u User, p Purpose) (secret string, expiresAt time.Time, err error) {
	secret, expiresAt = "mft_"+strings.ToLower(rand.Text()), tx.Now.Add(MFATokenLifetime)
	_, err = db.Exec(ctx, tx, `INSERT INTO mfa_tokens (env, hash, user_id, operation, object_id, expires_at) VALUES (?, ?, ?, ?, ?, ?)`,
		u.Env, token.Hash(secret), u.ID, p.Operation, p.ObjectID, expiresAt)
	return secret, expiresAt, err
}

// useMFAToken marks an MFA token as used and returns its user, or "" if the token is not
// valid for this purpose. If the transaction fails, the token can be used again.
func useMFAToken(ctx context.Context, tx *db.Tx, secret string, p Purpose) (userID string, err error) {
	users, err := db.All[string](ctx, tx, `UPDATE mfa_tokens SET used_at = ?
		WHERE env = ? AND hash = ? AND used_at IS NULL AND expires_at > ? AND (operation = '' OR operation = ? AND object_id = ?)
		RETURNING user_id`, tx.Now, tx.Env, token.Hash(secret), tx.Now, p.Operation, p.ObjectID)
	if len(users) == 0 {
		return "", err
	}
	return users[0], err
}

// EndMFATokens ends the unused MFA tokens of a user.
func EndMFATokens(ctx context.Context, tx *db.Tx, u User) error {
	_, err := db.Exec(ctx, tx, `UPDATE mfa_tokens SET used_at = ? WHERE env = ? AND user_id = ? AND used_at IS NULL`, tx.Now, u.Env, u.ID)
	return err
}
