package access

import (
	"context"
	"crypto/rand"
	"strings"

	"slipway/internal/people"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/platform/seal"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// addTOTP adds an authenticator app.
func addTOTP(
	ctx context.Context, tx *db.Tx, box *seal.Box, u people.User, secret string, label *string, active bool,
) (people.Factor, error) {
	f := people.NewFactor(tx, people.Factor{UserID: u.ID, Kind: "totp", Label: label, Active: active})
	f.Secret = box.Seal([]byte(secret), factorPlace(f))
	if err := people.InsertFactor(ctx, tx, &f); err != nil {
		return f, err
	}
	return f, audit.Record(ctx, tx, "mfa_factor.enrolled", f.ID, map[string][2]any{"user_id": {nil, u.ID}, "kind": {nil, f.Kind}})
}

// checkCode checks a code of one of the factors. A rejection is not returned as
// an error, because the transaction must commit the number of wrong codes.
//
// A code is only wrong if it matches none of the factors. Otherwise a user with
// two apps would lock one of them by using the other.
func checkCode(
	ctx context.Context, tx *db.Tx, box *seal.Box, u people.User, factors []people.Factor, code string,
) (rejected *fault.Error, err error) {
	var checked []people.Factor
	var lock *fault.Error
	for _, f := range factors {
		if f.Kind != "totp" {
			continue
		}
		if l := checkLock(f, tx.Now); l != nil {
			if lock == nil || l.RetryAfter < lock.RetryAfter {
				lock = l
			}
			continue
		}

		secret, err := box.Open(f.Secret, factorPlace(f))
		if err != nil {
			return nil, err
		}
		if step, ok := matchTOTP(string(secret), code, f.LastStep, tx.Now); ok {
			recordAttempt(&f, step, true, tx.Now)
			if err := activate(ctx, tx, u, &f); err != nil {
				return nil, err
			}
			return nil, audit.Record(ctx, tx, "mfa_factor.verified", f.ID, map[string][2]any{"user_id": {nil, u.ID}})
		}
		checked = append(checked, f)
	}

	if lock != nil && len(checked) == 0 {
		return lock, nil
	}
	return checkRecoveryCode(ctx, tx, u, checked, code)
}

// checkRecoveryCode checks a code that matches none of the apps. If it is not a
// recovery code either, it counts as a wrong code for each of them.
func checkRecoveryCode(ctx context.Context, tx *db.Tx, u people.User, apps []people.Factor, code string) (*fault.Error, error) {
	ok, err := useRecoveryCode(ctx, tx, u, code)
	if err != nil {
		return nil, err
	}

	for _, f := range apps {
		if ok {
			f.Failures = 0
		} else {
			recordAttempt(&f, 0, false, tx.Now)
		}
		if err := people.SaveFactor(ctx, tx, &f); err != nil {
			return nil, err
		}
	}

	if !ok {
		return errWrongCode(), nil
	}
	return nil, audit.Record(ctx, tx, "recovery_code.used", u.ID, nil)
}

// VerifyTOTP checks a two-factor code of a user for the command line.
func VerifyTOTP(ctx context.Context, d *db.DB, box *seal.Box, u people.User, code string) error {
	rejected, err := db.Write(auth.InEnv(ctx, u.Env), d, func(ctx context.Context, tx *db.Tx) (*fault.Error, error) {
		factors, err := listActiveFactors(ctx, tx, u)
		if err != nil {
			return nil, err
		}
		return checkCode(ctx, tx, box, u, factors, code)
	})
	if err == nil && rejected != nil {
		return rejected
	}
	return err
}

func listActiveFactors(ctx context.Context, tx *db.Tx, u people.User) (active []people.Factor, err error) {
	all, err := people.ListFactors(ctx, tx, u)
	for _, f := range all {
		if f.Active {
			active = append(active, f)
		}
	}
	return active, err
}

// insertRecoveryCodes generates recovery codes with a new factor. A user with an
// active factor already has codes and gets none.
func insertRecoveryCodes(ctx context.Context, tx *db.Tx, u people.User, factorID string) ([]string, error) {
	codes := []string{}
	if hasActiveFactor(u) {
		return codes, nil
	}
	for range recoveryCodeCount {
		text := strings.ToLower(rand.Text())
		code := text[:5] + "-" + text[5:10]
		_, err := db.Exec(ctx, tx, `INSERT INTO recovery_codes (env, user_id, hash, factor_id) VALUES (?, ?, ?, ?)`,
			u.Env, u.ID, hashToken(normalizeCode(code)), factorID)
		if err != nil {
			return nil, err
		}
		codes = append(codes, code)
	}
	return codes, nil
}

// activate marks a factor as verified. With the first factor of a user, it deletes
// all unverified factors and their recovery codes, because an administrator could
// have enrolled them without the user.
func activate(ctx context.Context, tx *db.Tx, u people.User, f *people.Factor) error {
	f.Active = true
	if err := people.SaveFactor(ctx, tx, f); err != nil || hasActiveFactor(u) {
		return err
	}
	if err := people.DeleteUnverifiedFactors(ctx, tx, u); err != nil {
		return err
	}
	_, err := db.Exec(ctx, tx, `DELETE FROM recovery_codes WHERE env = ? AND user_id = ? AND factor_id <> ?`, u.Env, u.ID, f.ID)
	return err
}

// useRecoveryCode marks a recovery code as used and reports whether it was valid.
func useRecoveryCode(ctx context.Context, tx *db.Tx, u people.User, code string) (bool, error) {
	n, err := db.Exec(ctx, tx, `UPDATE recovery_codes SET used_at = ?
		WHERE env = ? AND user_id = ? AND hash = ? AND used_at IS NULL`, tx.Now, u.Env, u.ID, hashToken(normalizeCode(code)))
	return n == 1, err
}

// insertMFAToken creates an MFA token for a user who has verified a factor.
func insertMFAToken(ctx context.Context, tx *db.Tx, u people.User) (MFAProof, error) {
	token, expiresAt, err := people.InsertMFAToken(ctx, tx, u)
	return MFAProof{MFAToken: &token, ExpiresAt: expiresAt, Challenge: map[string]any{}}, err
}

// PurgeUsedCodes deletes challenges and usage counts that are older than 30 days.
func PurgeUsedCodes(ctx context.Context, tx *db.Tx) (int64, error) {
	challenges, err := db.Exec(ctx, tx, `DELETE FROM mfa_challenges WHERE expires_at < ?`, tx.Now.AddDate(0, 0, -30))
	if err != nil {
		return challenges, err
	}
	uses, err := db.Exec(ctx, tx, `DELETE FROM api_key_uses WHERE hour < ?`, tx.Now.AddDate(0, 0, -30))
	return challenges + uses, err
}

func deleteRecoveryCodes(ctx context.Context, tx *db.Tx, u people.User) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM recovery_codes WHERE env = ? AND user_id = ?`, u.Env, u.ID)
	return err
}

func saveChallenge(ctx context.Context, tx *db.Tx, f people.Factor, sealed []byte) error {
	_, err := db.Exec(ctx, tx, `INSERT INTO mfa_challenges (env, factor_id, data, expires_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (env, factor_id) DO UPDATE SET data = excluded.data, expires_at = excluded.expires_at`,
		f.Env, f.ID, sealed, tx.Now.Add(mfaTokenLifetime))
	return err
}

// useChallenge returns the challenge of a factor and deletes it.
func useChallenge(ctx context.Context, tx *db.Tx, f people.Factor) ([]byte, error) {
	sealed, err := db.All[[]byte](ctx, tx, `DELETE FROM mfa_challenges
		WHERE env = ? AND factor_id = ? AND expires_at > ? RETURNING data`, f.Env, f.ID, tx.Now)
	if err == nil && len(sealed) == 0 {
		return nil, fault.Conflict("This two-factor method has no open challenge. Send an empty body to get one.").
			Detail("assertion", "state", "has no open challenge")
	}
	if err != nil {
		return nil, err
	}
	return sealed[0], nil
}
