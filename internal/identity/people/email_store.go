package people

import (
	"context"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/token"
)

// emailChange is a link that lets a user confirm a new email address once.
type emailChange struct {
	Env       auth.Env   `db:"env"`
	Hash      []byte     `db:"hash"`
	UserID    string     `db:"user_id"`
	Email     string     `db:"email"`
	CreatedAt time.Time  `db:"created_at"`
	ExpiresAt time.Time  `db:"expires_at"`
	UsedAt    *time.Time `db:"used_at"`
}

func insertEmailChange(ctx context.Context, tx *db.Tx, c emailChange) error {
	return db.Insert(ctx, tx, "email_changes", c)
}

// findByEmailChange returns the user of a link that is still valid.
func findByEmailChange(ctx context.Context, tx *db.Tx, secret string) (User, error) {
	c, err := db.OneNamed[emailChange](ctx, tx, token.LinkEnv(secret), `SELECT {cols} FROM email_changes WHERE hash = ? AND env = ?`, token.Hash(secret))
	if db.IsNoRows(err) || (err == nil && (c.UsedAt != nil || !tx.Now.Before(c.ExpiresAt))) {
		return User{}, rejectLink(ctx, tx, "email_change", c.Env, c.UserID)
	}
	if err != nil {
		return User{}, err
	}

	u, err := FindUser(ctx, tx.In(c.Env), c.UserID)
	if err == nil && !u.canConfirm(c.Email) {
		err = rejectLink(ctx, tx, "email_change", u.Env, u.ID)
	}
	return u, err
}

// endEmailChanges ends all links of a user and returns how many there were.
func endEmailChanges(ctx context.Context, tx *db.Tx, u User) (int64, error) {
	return db.Exec(ctx, tx, `UPDATE email_changes SET used_at = ? WHERE env = ? AND user_id = ? AND used_at IS NULL`,
		tx.Now, u.Env, u.ID)
}

// useEmailChange confirms the pending address of a user. Another user could have
// received the address since the change was requested, which is a conflict.
func useEmailChange(ctx context.Context, tx *db.Tx, token string) (User, error) {
	u, err := findByEmailChange(ctx, tx, token)
	if err != nil {
		return u, err
	}

	ctx, tx = auth.With(ctx, auth.Principal{Env: u.Env, Actor: u.Actor()}), tx.In(u.Env)
	ended, err := endEmailChanges(ctx, tx, u)
	if err != nil {
		return u, err
	}
	if ended == 0 { // another request used the link at the same time
		return u, rejectLink(ctx, tx, "email_change", u.Env, u.ID)
	}

	before := u
	u.confirmEmail()
	if err := saveUser(ctx, tx, &u); err != nil {
		return u, err
	}
	return u, events.Emit(ctx, tx, "user.updated", u.ID, events.Change{Before: before, After: u})
}
