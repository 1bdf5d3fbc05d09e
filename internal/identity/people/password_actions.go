package people

import (
	"context"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/authlog"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/password"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// CheckNewPassword returns the problem of a password that a user has chosen. The
// zero Problem means that it is acceptable.
func CheckNewPassword(ctx context.Context, tx *db.Tx, u User, chosen string) (password.Problem, error) {
	d, err := dealership.Find(ctx, tx.In(u.Env))
	if err != nil {
		return password.Problem{}, err
	}
	return password.Check(chosen, u.guessable(d.Name)...), nil
}

// HashNewPassword waits for its turn and hashes a password. The user has already
// proved who they are, so a flood of sign-ins doesn't delay it.
func HashNewPassword(ctx context.Context, h db.Handle, email, chosen string) (string, error) {
	leave, err := password.Known.Enter(ctx)
	if err != nil {
		return "", err
	}
	defer leave()
	return HashPassword(h, email, chosen), nil
}

// SetPassword changes the password of an active user. It ends all sessions and
// links, and notifies the user. The caller has locked the user.
func SetPassword(ctx context.Context, tx *db.Tx, q *jobs.Queue, u User, passwordHash string) (User, error) {
	u.PasswordHash = &passwordHash
	if err := endAccess(ctx, tx, u); err != nil {
		return u, err
	}
	if err := users.Save(ctx, tx, &u); err != nil {
		return u, err
	}
	if err := q.Enqueue(ctx, tx, PasswordNotice{u.Env, u.ID, u.Version}, tx.Now); err != nil {
		return u, err
	}
	return u, audit.Record(ctx, tx, "user.password_changed", u.ID, nil)
}

// ResetPassword clears the password of a user, ends all sessions and links, and
// sends an invitation to set a new one. The status stays the same, so that the
// only owner can be reset. The caller has locked the user.
func ResetPassword(ctx context.Context, tx *db.Tx, q *jobs.Queue, u User) (User, error) {
	if err := clearPassword(ctx, tx, q, &u); err != nil {
		return u, err
	}
	err := users.Save(ctx, tx, &u)
	return u, err
}

// clearPassword does not save the user.
func clearPassword(ctx context.Context, tx *db.Tx, q *jobs.Queue, u *User) error {
	if u.Status == Deactivated {
		return fault.Conflict("The user is deactivated. Reactivate the user to send an invitation.").
			Detail("status", "state", "is deactivated")
	}
	u.PasswordHash = nil
	if err := endAccess(ctx, tx, *u); err != nil {
		return err
	}
	if err := q.Enqueue(ctx, tx, Invite{u.Env, u.ID}, tx.Now); err != nil {
		return err
	}
	return audit.Record(ctx, tx, "user.password_reset", u.ID, nil)
}

// endAccess ends everything that the old password gave access to. It does not save
// the user.
func endAccess(ctx context.Context, tx *db.Tx, u User) error {
	if err := EndSessions(ctx, tx, u); err != nil {
		return err
	}
	if err := EndLogins(ctx, tx, u); err != nil {
		return err
	}
	return endLinks(ctx, tx, u)
}

// resetWith is what a user who forgot the password sends.
type resetWith struct {
	token, passwordHash, code string

	received time.Time // when the code was received
}

// useResetLink sets the password of a user who forgot it. A wrong two-factor code
// commits, because it is counted.
func (a *API) useResetLink(ctx context.Context, tx *db.Tx, r resetWith) error {
	u, err := findByLink(ctx, tx, resetLink, r.token, FindUserForUpdate)
	if err != nil {
		return err
	}
	ctx, tx = auth.With(ctx, auth.Principal{Env: u.Env, Actor: u.Actor()}), tx.In(u.Env)
	if u.HasActiveFactor() {
		err := db.Attached[Hooks](tx).CheckCode(ctx, tx, u, r.code, r.received)
		if db.IsCommitted(err) {
			authlog.Reject(ctx, tx, authlog.Rejection{Env: u.Env, Kind: authlog.KindUser, ID: u.ID, Err: err})
		}
		if err != nil {
			return err
		}
	}

	if err := useLink(ctx, tx, u, r.token); err != nil {
		return err
	}
	_, err = SetPassword(ctx, tx, a.Jobs, u, r.passwordHash)
	return err
}
