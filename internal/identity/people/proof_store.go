package people

import (
	"context"
	"crypto/rand"
	"strings"
	"time"

	"slipway/internal/platform/authlog"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/token"
)

// MFATokenLifetime is how long an MFA token is valid.
const MFATokenLifetime = 5 * time.Minute

// InsertMFAToken creates an MFA token for a user who has verified a factor.
func InsertMFAToken(ctx context.Context, tx *db.Tx, u User) (secret string, expiresAt time.Time, err error) {
	secret, expiresAt = "mft_"+strings.ToLower(rand.Text()), tx.Now.Add(MFATokenLifetime)
	_, err = db.Exec(ctx, tx, `INSERT INTO mfa_tokens (env, hash, user_id, expires_at) VALUES (?, ?, ?, ?)`,
		u.Env, token.Hash(secret), u.ID, expiresAt)
	return secret, expiresAt, err
}

// UseMFAToken marks an MFA token as used and returns its user, or "" if the token
// is not valid, which is recorded. If the transaction fails, the token can be used again.
func UseMFAToken(ctx context.Context, tx *db.Tx, secret string) (userID string, err error) {
	users, err := db.All[string](ctx, tx, `UPDATE mfa_tokens SET used_at = ?
		WHERE env = ? AND hash = ? AND used_at IS NULL AND expires_at > ? RETURNING user_id`,
		tx.Now, tx.Env, token.Hash(secret), tx.Now)
	if err != nil {
		return "", err
	}
	if len(users) == 0 {
		caller := auth.From(ctx).Actor
		authlog.Of(tx).Reject(ctx, authlog.Rejection{Env: tx.Env, Kind: string(caller.Type), ID: caller.ID, Err: errInvalidProof()})
		return "", nil
	}
	return users[0], nil
}

// EndMFATokens ends the unused MFA tokens of a user.
func EndMFATokens(ctx context.Context, tx *db.Tx, u User) error {
	_, err := db.Exec(ctx, tx, `UPDATE mfa_tokens SET used_at = ? WHERE env = ? AND user_id = ? AND used_at IS NULL`, tx.Now, u.Env, u.ID)
	return err
}

// RequireProof checks and uses up the MFA token of a change that affects the
// admin scope. It must be from an active administrator of the environment who
// still has an active two-factor method. Call it before you write anything: roles
// that are already written would count.
func RequireProof(ctx context.Context, tx *db.Tx, token string) error {
	_, err := findProver(ctx, tx, token)
	return err
}

// findProver is RequireProof, and returns the ID of the administrator.
func findProver(ctx context.Context, tx *db.Tx, token string) (userID string, err error) {
	if token == "" {
		return "", errProofRequired()
	}
	if userID, err = UseMFAToken(ctx, tx, token); err != nil {
		return "", err
	}
	if userID == "" {
		return "", errInvalidProof()
	}

	u, err := FindUser(ctx, tx, userID)
	if err == nil && !u.canProve() {
		err = errInvalidProof()
	}
	return userID, err
}

// require checks and uses up the MFA token of a change of a user, if one is needed.
func (p proof) require(ctx context.Context, tx *db.Tx, u User, token string) error {
	if p == noProof {
		return nil
	}
	prover, err := findProver(ctx, tx, token)
	if err == nil && p == byOtherAdmin && prover == u.ID {
		err = errOwnProof()
	}
	return err
}
