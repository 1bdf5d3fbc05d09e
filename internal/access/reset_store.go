package access

import (
	"context"

	"slipway/internal/dealership"
	"slipway/internal/people"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/platform/seal"
	"slipway/internal/vocab/auth"
)

// ResetMFAFromCommandLine replaces the two-factor methods and recovery codes of a
// user with a new authenticator app, and ends their sessions. It returns the
// secret of the app. With the API, it would require the proof of an administrator.
func ResetMFAFromCommandLine(
	ctx context.Context, d *db.DB, box *seal.Box, dealershipID string, mode auth.Mode, email string,
) (secret string, err error) {
	secret = newTOTPSecret()
	return db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) (string, error) {
		env, err := dealership.FindEnvironment(ctx, tx, dealershipID, mode)
		if err != nil {
			return "", err
		}
		tx = tx.In(env.Env)
		u, err := people.FindUserByEmail(ctx, tx, email)
		if err != nil {
			return "", err
		}

		lost, err := people.ListFactors(ctx, tx, u)
		if err != nil {
			return "", err
		}
		for _, f := range lost {
			if err := people.DeleteFactor(ctx, tx, f); err != nil {
				return "", err
			}
			if err := audit.Record(ctx, tx, "mfa_factor.removed", f.ID, map[string][2]any{"user_id": {u.ID, nil}}); err != nil {
				return "", err
			}
		}
		if err := deleteRecoveryCodes(ctx, tx, u); err != nil {
			return "", err
		}

		if err := people.EndSessions(ctx, tx, u); err != nil {
			return "", err
		}
		_, err = addTOTP(ctx, tx, box, u, secret, nil, true)
		return secret, err
	})
}
