package people

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"strings"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// invitation is a link that lets a user set a password once.
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

// errInvitation has the same message for unknown, used, replaced and expired links.
func errInvitation() error {
	return fault.New(fault.KindNotFound, "The invitation was used, replaced or has expired.")
}

// findInvited returns the user of an invitation that is still valid.
func findInvited(ctx context.Context, tx *db.Tx, token string) (User, error) {
	i, err := db.One[invitation](ctx, tx, `SELECT {cols} FROM invitations WHERE hash = ?`, hashLink(token))
	if db.IsNoRows(err) || (err == nil && (i.UsedAt != nil || !tx.Now.Before(i.ExpiresAt))) {
		return User{}, errInvitation()
	}
	if err != nil {
		return User{}, err
	}

	u, err := FindUser(ctx, tx.In(i.Env), i.UserID)
	if err == nil && u.Status != Invited {
		err = errInvitation()
	}
	return u, err
}

// endInvitations ends all links of a user and returns how many there were.
func endInvitations(ctx context.Context, tx *db.Tx, u User) (int64, error) {
	return db.Exec(ctx, tx, `UPDATE invitations SET used_at = ? WHERE env = ? AND user_id = ? AND used_at IS NULL`,
		tx.Now, u.Env, u.ID)
}

// acceptInvitation sets the password and ends all links of the user.
func acceptInvitation(ctx context.Context, tx *db.Tx, token, passwordHash string) (User, error) {
	u, err := findInvited(ctx, tx, token)
	if err != nil {
		return u, err
	}

	ctx, tx = auth.With(ctx, auth.Principal{Env: u.Env, Actor: u.Actor()}), tx.In(u.Env)
	ended, err := endInvitations(ctx, tx, u)
	if err != nil {
		return u, err
	}
	if ended == 0 { // another request used the link at the same time
		return u, errInvitation()
	}

	before := u
	u.PasswordHash, u.Status = &passwordHash, Active
	if err := saveUser(ctx, tx, &u); err != nil {
		return u, err
	}
	return u, events.Emit(ctx, tx, "user.activated", u.ID, before, u)
}

// newLink returns a token for a link.
func newLink() string { return strings.ToLower(rand.Text() + rand.Text()) }

// hashLink returns the stored form of the token in a link.
func hashLink(token string) []byte {
	h := sha256.Sum256([]byte(token))
	return h[:]
}
