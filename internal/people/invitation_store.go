package people

import (
	"context"
	"crypto/sha256"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// invitation lets a user set a password, once.
type invitation struct {
	Env       auth.Env   `db:"env"`
	Hash      []byte     `db:"hash"`
	UserID    string     `db:"user_id"`
	CreatedAt time.Time  `db:"created_at"`
	ExpiresAt time.Time  `db:"expires_at"`
	UsedAt    *time.Time `db:"used_at"`
}

func insertInvitation(ctx context.Context, tx *db.Tx, i invitation) error {
	return db.Insert(ctx, tx, "invitations", i)
}

// openInvitation returns the user that a link is for, if it still works.
func openInvitation(ctx context.Context, tx *db.Tx, token string) (User, error) {
	i, err := db.One[invitation](ctx, tx, `SELECT {cols} FROM invitations WHERE hash = ?`, hashLink(token))
	if db.IsNoRows(err) || (err == nil && (i.UsedAt != nil || !tx.Now.Before(i.ExpiresAt))) {
		return User{}, fault.NotFound("invitation", "it was used, replaced or has expired")
	}
	if err != nil {
		return User{}, err
	}
	u, err := FindUser(ctx, tx.In(i.Env), i.UserID)
	if err == nil && u.Status != Invited {
		err = fault.NotFound("invitation", "it was used, replaced or has expired")
	}
	return u, err
}

// spendInvitations ends every link of a user.
func spendInvitations(ctx context.Context, tx *db.Tx, u User) (int64, error) {
	return db.Exec(ctx, tx, `UPDATE invitations SET used_at = ? WHERE env = ? AND user_id = ? AND used_at IS NULL`, tx.Now, u.Env, u.ID)
}

// acceptInvitation sets the password and spends every link of the user.
func acceptInvitation(ctx context.Context, tx *db.Tx, token, passwordHash string) (User, error) {
	u, err := openInvitation(ctx, tx, token)
	if err != nil {
		return u, err
	}
	ctx, tx = auth.With(ctx, auth.Principal{Env: u.Env, Actor: u.Actor()}), tx.In(u.Env)
	spent, err := spendInvitations(ctx, tx, u)
	if err != nil {
		return u, err
	}
	if spent == 0 { // another tab was faster
		return u, fault.NotFound("invitation", "it was used, replaced or has expired")
	}
	before := u
	u.PasswordHash, u.Status = &passwordHash, Active
	if err := SaveUser(ctx, tx, &u); err != nil {
		return u, err
	}
	return u, events.Emit(ctx, tx, "user.activated", u.ID, before, u)
}

// hashLink is the form in which the token of a link is stored.
func hashLink(token string) []byte {
	h := sha256.Sum256([]byte(token))
	return h[:]
}
