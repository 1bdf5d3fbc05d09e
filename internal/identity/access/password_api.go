package access

import (
	"context"
	"errors"
	"time"

	"slipway/internal/identity/people"
	"slipway/internal/platform/authlog"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// PasswordChange is the body to change your password.
type PasswordChange struct {
	_ struct{} `doc:"The old and the new password of a user."`

	OldPassword string  `json:"old_password" privacy:"secret" maxLength:"200" doc:"Current password."`
	NewPassword string  `json:"new_password" privacy:"secret" maxLength:"200" doc:"12 to 200 characters. Common passwords, patterns and your own name are rejected."`
	TOTPCode    *string `json:"totp_code" required:"false" maxLength:"40" doc:"Required if you have a two-factor method. You can also send a recovery code."`
}

// PasswordForgot is the body to receive a link to set a new password.
type PasswordForgot struct {
	_ struct{} `doc:"Where to send the link to set a new password."`

	Email       string    `json:"email" maxLength:"254" doc:"Email address of the user." example:"ann@example.com"`
	Environment auth.Mode `json:"environment,omitempty" default:"live" doc:"Environment of the user. Live and test have separate passwords."`
}

// Accepted is the response to a request that might send an email.
type Accepted struct {
	_ struct{} `doc:"Confirms that a request was accepted."`

	Message string `json:"message" doc:"The same for all email addresses."`
}

// forgotPassword responds in the same way, after the same time, for all addresses.
func (a *API) forgotPassword(ctx context.Context, in *struct{ Body PasswordForgot }) (Accepted, error) {
	return Accepted{Message: "If a user has this email address, we have sent a link to set a new password. It expires after one hour."},
		a.People.RequestReset(ctx, in.Body.Email, in.Body.Environment)
}

// changePassword requires a session. An API key can't change a password.
func (a *API) changePassword(ctx context.Context, in *struct {
	Authorization string `header:"Authorization" hidden:"true"`
	Body          PasswordChange
}) (none rest.None, err error) {
	caller, err := a.session(ctx, in.Authorization)
	if err != nil {
		return none, err
	}
	if caller.Refusal != nil {
		return none, caller.Refusal
	}
	return none, a.ChangePassword(ctx, caller, in.Body)
}

// ChangePassword requires the old password and a code, because a session can be
// stolen. It ends all sessions of the user, including the current one.
func (a *API) ChangePassword(ctx context.Context, caller auth.Principal, b PasswordChange) error {
	received := a.DB.Now()
	ctx = auth.With(ctx, caller)
	u, err := a.checkOldPassword(ctx, caller.UserID, b)
	if err != nil {
		return err
	}
	hash, err := people.HashNewPassword(ctx, a.DB, u.Email, b.NewPassword)
	if err != nil {
		return err
	}

	_, err = db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (rest.None, error) {
		u, err := a.confirmChange(ctx, tx, u, b.TOTPCode, received)
		if err == nil {
			_, err = people.SetPassword(ctx, tx, a.Jobs, u, hash)
		}
		return rest.None{}, err
	})
	if db.IsCommitted(err) {
		a.AuthLog.Reject(ctx, authlog.Rejection{Env: caller.Env, Kind: authlog.KindUser, ID: u.ID, Err: err})
	}
	return err
}

// checkOldPassword checks the passwords and returns the user. Attempts are limited
// like those of sign-ins.
func (a *API) checkOldPassword(ctx context.Context, userID string, b PasswordChange) (people.User, error) {
	var bad fault.Fields
	u, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (people.User, error) {
		u, err := people.FindUser(ctx, tx, userID)
		if err != nil {
			return u, err
		}
		problem, err := people.CheckNewPassword(ctx, tx, u, b.NewPassword)
		if problem.Code != "" {
			bad.Add("new_password", problem.Code, "%s", problem.Message)
		}
		return u, err
	})
	if err != nil {
		return u, err
	}
	if u.HasActiveFactor() && b.TOTPCode == nil {
		bad.Add("totp_code", "required", "is required")
	}
	if err := bad.Err(); err != nil {
		return u, err
	}

	req := auth.RequestFrom(ctx)
	if err := a.Throttle.check(u.Email, req.IP, true); err != nil {
		return u, err
	}
	mine := []people.Candidate{{Env: u.Env, ID: u.ID, PasswordHash: u.PasswordHash, KnownHere: true}}
	found, err := people.FindByPassword(ctx, a.DB, u.Email, mine, b.OldPassword)
	if err != nil {
		return u, err
	}
	if len(found) > 0 {
		u.PasswordHash = found[0].PasswordHash
		return u, nil
	}
	bad.Add("old_password", "mismatch", "is wrong")
	a.AuthLog.Reject(ctx, authlog.Rejection{Env: u.Env, Kind: authlog.KindUser, ID: u.ID, Err: bad.Err()})
	return u, bad.Err()
}

// confirmChange locks the user, and checks that the password is still the same and the
// two-factor code is right. A wrong code commits, because it is counted.
func (a *API) confirmChange(
	ctx context.Context, tx *db.Tx, checked people.User, code *string, received time.Time,
) (people.User, error) {
	u, err := people.FindUserForUpdate(ctx, tx, checked.ID)
	if err != nil {
		return u, err
	}
	if u.Status != people.Active || !samePassword(u, checked) {
		return u, fault.Conflict("The password was changed by another request.").Detail("old_password", "state", "was changed")
	}
	if !u.HasActiveFactor() {
		return u, nil
	}
	given := ""
	if code != nil {
		given = *code
	}
	return u, forField("totp_code", a.CheckCode(ctx, tx, u, given, received))
}

// forField changes the name of the field in the rejection of a code.
func forField(name string, err error) error {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		for i := range f.Details {
			f.Details[i].Field = name
		}
	}
	return err
}

// samePassword reports whether the user still has the password that was checked.
func samePassword(u, checked people.User) bool {
	return u.PasswordHash != nil && checked.PasswordHash != nil && *u.PasswordHash == *checked.PasswordHash
}
