package people

import (
	"cmp"
	"context"
	"strings"
	"time"

	"slipway/internal/platform/authlog"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/jobs"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/token"
)

// linkKind is what a link to set a password is for.
type linkKind string

const (
	invitationLink linkKind = "invitation" // for a user without a password
	resetLink      linkKind = "reset"      // for a user who forgot the password
)

// lifetimes is how long a link works.
var lifetimes = map[linkKind]time.Duration{invitationLink: 7 * 24 * time.Hour, resetLink: time.Hour}

// invitation is a link that lets a user set a password once.
type invitation struct {
	Env       auth.Env   `db:"env"`
	Hash      []byte     `db:"hash"`
	Kind      linkKind   `db:"kind"`
	UserID    string     `db:"user_id"`
	Email     string     `db:"email"` // where it was sent; "" for old invitations
	CreatedAt time.Time  `db:"created_at"`
	ExpiresAt time.Time  `db:"expires_at"`
	UsedAt    *time.Time `db:"used_at"`
}

// insertLink creates a link and returns its token. It replaces earlier links of the
// same kind, which might have been sent to a mistyped address.
func insertLink(ctx context.Context, tx *db.Tx, kind linkKind, u User) (secret string, err error) {
	if _, err := db.Exec(ctx, tx, `UPDATE invitations SET used_at = ? WHERE env = ? AND user_id = ? AND kind = ? AND used_at IS NULL`,
		tx.Now, u.Env, u.ID, kind); err != nil {
		return "", err
	}

	secret = token.Link(u.Env)
	return secret, db.Insert(ctx, tx, "invitations", invitation{
		Env: u.Env, Hash: token.Hash(secret), Kind: kind, UserID: u.ID, Email: u.Email, CreatedAt: tx.Now, ExpiresAt: tx.Now.Add(lifetimes[kind]),
	})
}

// InsertInvited adds a user and sends an invitation to set a password. The caller has
// checked the user, and the permission to assign the roles.
func InsertInvited(ctx context.Context, tx *db.Tx, q *jobs.Queue, u User, assigned []Role) (User, error) {
	if err := insertUser(ctx, tx, &u, assigned); err != nil {
		return u, err
	}
	if err := q.Enqueue(ctx, tx, Invite{tx.Env, u.ID}, tx.Now); err != nil {
		return u, err
	}
	return u, events.Emit(ctx, tx, "user.provisioned", u.ID, events.Change{After: u})
}

// InviteByRole adds a user for the command line, with a role that it names.
func InviteByRole(ctx context.Context, tx *db.Tx, q *jobs.Queue, u User, role string) (User, error) {
	u.Name, u.Status = cmp.Or(u.Name, u.Email), Invited
	if err := u.check(); err != nil {
		return u, err
	}
	all, err := db.All[Role](ctx, tx, `SELECT {cols} FROM roles WHERE env = ? ORDER BY id`, tx.Env)
	if err != nil {
		return u, err
	}

	var names []string
	for _, r := range all {
		if r.Name == role {
			return InsertInvited(ctx, tx, q, u, []Role{r})
		}
		names = append(names, r.Name)
	}
	return u, fault.New(fault.KindNotFound, "Role %s not found. Use one of: %s.", role, strings.Join(names, ", "))
}

// errLink has the same message for unknown, used, replaced and expired links.
func errLink() error {
	return fault.New(fault.KindNotFound, "The link was used, replaced or has expired.")
}

// rejectLink records that a link is not valid, and returns the error. An unknown link
// belongs to no user. What it is for is recorded, and not its token.
func rejectLink(ctx context.Context, tx *db.Tx, purpose string, env auth.Env, userID string) error {
	err := errLink()
	r := authlog.Rejection{Kind: authlog.KindLink, ID: purpose, Err: err}
	if userID != "" {
		r = authlog.Rejection{Env: env, Kind: authlog.KindUser, ID: userID, Err: err}
	}
	authlog.Reject(ctx, tx, r)
	return err
}

// findByLink returns the user of a link that is still valid. Find is FindUser, or
// FindUserForUpdate to use the link.
func findByLink(
	ctx context.Context, tx *db.Tx, kind linkKind, secret string, find func(ctx context.Context, tx *db.Tx, id string) (User, error),
) (User, error) {
	i, err := db.OneNamed[invitation](ctx, tx, token.LinkEnv(secret), `SELECT {cols} FROM invitations WHERE hash = ? AND kind = ? AND env = ?`,
		token.Hash(secret), kind)
	if db.IsNoRows(err) || (err == nil && (i.UsedAt != nil || !tx.Now.Before(i.ExpiresAt))) {
		return User{}, rejectLink(ctx, tx, string(kind), i.Env, i.UserID)
	}
	if err != nil {
		return User{}, err
	}

	u, err := find(ctx, tx.In(i.Env), i.UserID)
	if err != nil {
		return u, err
	}
	needed := kind == invitationLink && u.awaitsPassword() || kind == resetLink && u.Status == Active
	if !needed || i.Email != "" && i.Email != u.Email { // it was sent to an address that the user no longer has
		return u, rejectLink(ctx, tx, string(kind), u.Env, u.ID)
	}
	return u, nil
}

// endLinks ends all links of a user.
func endLinks(ctx context.Context, tx *db.Tx, u User) error {
	_, err := db.Exec(ctx, tx, `UPDATE invitations SET used_at = ? WHERE env = ? AND user_id = ? AND used_at IS NULL`, tx.Now, u.Env, u.ID)
	return err
}

// useLink marks a link as used. It fails if another request used it at the same time.
func useLink(ctx context.Context, tx *db.Tx, u User, secret string) error {
	n, err := db.Exec(ctx, tx, `UPDATE invitations SET used_at = ? WHERE env = ? AND hash = ? AND used_at IS NULL`,
		tx.Now, u.Env, token.Hash(secret))
	if err == nil && n == 0 {
		return rejectLink(ctx, tx, "", u.Env, u.ID)
	}
	return err
}

// acceptInvitation sets the password and ends all links of the user.
func acceptInvitation(ctx context.Context, tx *db.Tx, q *jobs.Queue, token, passwordHash string) (User, error) {
	u, err := findByLink(ctx, tx, invitationLink, token, FindUserForUpdate)
	if err != nil {
		return u, err
	}
	ctx, tx = auth.With(ctx, auth.Principal{Env: u.Env, Actor: u.Actor()}), tx.In(u.Env)
	if err := useLink(ctx, tx, u, token); err != nil {
		return u, err
	}
	if u.Status == Active { // the password was reset
		return SetPassword(ctx, tx, q, u, passwordHash)
	}

	return Activate(ctx, tx, u, passwordHash)
}

// Activate sets the first password of an invited user and ends the links.
func Activate(ctx context.Context, tx *db.Tx, u User, passwordHash string) (User, error) {
	before := u
	u.PasswordHash, u.Status = &passwordHash, Active
	if err := endLinks(ctx, tx, u); err != nil {
		return u, err
	}
	if err := saveUser(ctx, tx, &u); err != nil {
		return u, err
	}
	return u, events.Emit(ctx, tx, "user.activated", u.ID, events.Change{Before: before, After: u})
}
