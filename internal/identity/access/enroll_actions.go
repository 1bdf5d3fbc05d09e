package access

import (
	"context"
	"encoding/json"
	"time"

	"slipway/internal/identity/people"
	"slipway/internal/platform/authlog"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// StartPasskey adds a passkey that becomes active with FinishPasskey. A user with a
// two-factor method must send a code.
func (a *API) StartPasskey(ctx context.Context, caller auth.Principal, code string) (e MFAEnrollment, err error) {
	received := a.DB.Now()
	if err := a.CheckSecondStep(ctx, Checked{Env: caller.Env, UserID: caller.UserID, Mode: caller.Mode}); err != nil {
		return e, err
	}
	ctx = auth.With(ctx, caller)
	e, err = db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (MFAEnrollment, error) {
		return a.startPasskey(ctx, tx, caller.UserID, code, received)
	})
	if db.IsCommitted(err) {
		a.AuthLog.Reject(ctx, authlog.Rejection{Env: caller.Env, Kind: authlog.KindUser, ID: caller.UserID, Err: err})
	}
	return e, err
}

func (a *API) startPasskey(ctx context.Context, tx *db.Tx, userID, code string, received time.Time) (e MFAEnrollment, err error) {
	u, err := people.FindUserForUpdate(ctx, tx, userID)
	if err != nil {
		return e, err
	}
	if u.HasActiveFactor() {
		if err := a.CheckCode(ctx, tx, u, code, received); err != nil {
			return e, err
		}
	}

	if err := removeUnfinished(ctx, tx, &u); err != nil {
		return e, err
	}
	if len(u.MFAFactors) >= maxFactors {
		return e, db.Committed(fault.New(fault.KindUnprocessable, "You have %d two-factor methods, the maximum.", maxFactors))
	}
	e.PublicKey = map[string]any{}
	return e, a.enrollWebAuthn(ctx, tx, u, new("Passkey"), &e)
}

// removeUnfinished removes passkeys that were started and never became active.
func removeUnfinished(ctx context.Context, tx *db.Tx, u *people.User) error {
	var kept []people.UserFactor
	for _, factor := range u.MFAFactors {
		if factor.Active || factor.Kind != people.WebAuthn {
			kept = append(kept, factor)
			continue
		}
		f, err := people.FindFactor(ctx, tx, *u, factor.ID)
		if err != nil {
			return err
		}
		if err := removeFactor(ctx, tx, *u, f); err != nil {
			return err
		}
	}
	u.MFAFactors = kept
	return nil
}

// FinishPasskey activates a passkey with the response of the browser. It returns the
// recovery codes if it is the first two-factor method.
func (a *API) FinishPasskey(ctx context.Context, tx *db.Tx, userID, factorID, response string) (codes []string, err error) {
	u, err := people.FindUserForUpdate(ctx, tx, userID)
	if err != nil {
		return nil, err
	}
	f, err := people.FindFactor(ctx, tx, u, factorID)
	if err != nil {
		return nil, err
	}
	var created map[string]any
	if err := json.Unmarshal([]byte(response), &created); err != nil || len(created) == 0 || f.Active || f.Kind != people.WebAuthn {
		return nil, fault.New(fault.KindUnprocessable, "The passkey didn't work. Try again.")
	}
	p, err := a.verifyWebAuthn(ctx, tx, u, f, MFAVerify{Assertion: created})
	return p.RecoveryCodes, err
}
