package access

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"slipway/internal/identity/people"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/authlog"
	"slipway/internal/platform/db"
	"slipway/internal/platform/seal"
	"slipway/internal/platform/site"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// newTOTP is an authenticator app to add.
type newTOTP struct {
	secret string
	label  *string
	active bool
}

// addTOTP adds an authenticator app.
func addTOTP(ctx context.Context, tx *db.Tx, box *seal.Box, u people.User, n newTOTP) (people.Factor, error) {
	f := people.NewFactor(tx, people.Factor{UserID: u.ID, Kind: people.TOTP, Label: n.label, Active: n.active})
	f.Secret = box.Seal([]byte(n.secret), factorPlace(f))
	if err := people.InsertFactor(ctx, tx, &f); err != nil {
		return f, err
	}
	return f, audit.Record(ctx, tx, "mfa_factor.enrolled", f.ID, map[string][2]any{"user_id": {nil, u.ID}, "kind": {nil, f.Kind}})
}

// givenCode is a two-factor code, and when it was received. The request might have waited
// since then.
type givenCode struct {
	text     string
	received time.Time
	box      *seal.Box // to open the secrets of the factors
}

// check checks a code of one of the factors at the time when it was received. A
// rejection commits the number of wrong codes. Codes are new recovery codes, if the
// first factor of the user was verified.
//
// A code is only wrong if it matches none of the factors. Otherwise a user with
// two apps would lock one of them by using the other.
func (c givenCode) check(ctx context.Context, tx *db.Tx, u people.User, factors []people.Factor) (codes []string, err error) {
	var checked []people.Factor
	var lock *fault.Error
	for _, f := range factors {
		if f.Kind != people.TOTP {
			continue
		}
		if l := checkLock(f, tx.Now); l != nil {
			if lock == nil || l.RetryAfter < lock.RetryAfter {
				lock = l
			}
			continue
		}

		secret, err := c.box.Open(f.Secret, factorPlace(f))
		if err != nil {
			return nil, err
		}
		if step, ok := matchTOTP(string(secret), c.text, f.LastStep, c.received); ok {
			recordAttempt(&f, step, true, tx.Now)
			if codes, err = activate(ctx, tx, u, &f); err != nil {
				return nil, err
			}
			return codes, audit.Record(ctx, tx, "mfa_factor.verified", f.ID, map[string][2]any{"user_id": {nil, u.ID}})
		}
		checked = append(checked, f)
	}

	if lock != nil && len(checked) == 0 {
		return nil, db.Committed(lock)
	}
	return nil, checkRecoveryCode(ctx, tx, u, checked, c.text)
}

// checkRecoveryCode checks a code that matches none of the apps. If it is not a
// recovery code either, it counts as a wrong code for each of them.
func checkRecoveryCode(ctx context.Context, tx *db.Tx, u people.User, apps []people.Factor, code string) error {
	ok, err := useRecoveryCode(ctx, tx, u, code)
	if err != nil {
		return err
	}

	for _, f := range apps {
		if ok {
			f.Failures = 0
		} else {
			recordAttempt(&f, 0, false, tx.Now)
		}
		if err := people.SaveFactor(ctx, tx, &f); err != nil {
			return err
		}
	}

	if !ok {
		return db.Committed(errWrongCode())
	}
	return audit.Record(ctx, tx, "recovery_code.used", u.ID, nil)
}

// VerifyTOTP checks a two-factor code of a user for the command line.
func VerifyTOTP(ctx context.Context, d *db.DB, box *seal.Box, u people.User, code string) error {
	_, err := db.Write(auth.InEnv(ctx, u.Env), d, func(ctx context.Context, tx *db.Tx) (none struct{}, err error) {
		u, err := people.FindUserForUpdate(ctx, tx, u.ID)
		if err != nil {
			return none, err
		}
		rejected := givenCode{code, tx.Now, box}.checkActive(ctx, tx, u)
		if f, ok := errors.AsType[*fault.Error](rejected); ok && db.IsCommitted(rejected) {
			if err := audit.RecordFailure(ctx, tx, "auth.failed", audit.Target{Type: authlog.KindUser, ID: u.ID}, map[string][2]any{
				"reason": {nil, f.Message}, "times": {nil, 1},
			}); err != nil {
				return none, err
			}
		}
		return none, rejected
	})
	return err
}

// CheckCode checks a code of one of the user's active factors. A rejection commits the
// number of wrong codes.
func (a *API) CheckCode(ctx context.Context, tx *db.Tx, u people.User, code string, received time.Time) error {
	return givenCode{code, received, a.Box}.checkActive(ctx, tx, u)
}

func (c givenCode) checkActive(ctx context.Context, tx *db.Tx, u people.User) error {
	factors, err := listActiveFactors(ctx, tx, u)
	if err != nil {
		return err
	}
	_, err = c.check(ctx, tx, u, factors)
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

// activate marks a factor as verified. With the first factor of a user, it deletes
// the unverified ones, which someone else might have enrolled, and returns new
// recovery codes. The caller has locked the user. Otherwise two factors could
// both become the first one.
func activate(ctx context.Context, tx *db.Tx, u people.User, f *people.Factor) ([]string, error) {
	f.Active = true
	if err := people.SaveFactor(ctx, tx, f); err != nil || u.HasActiveFactor() {
		return nil, err
	}
	if err := people.DeleteUnverifiedFactors(ctx, tx, u); err != nil {
		return nil, err
	}
	return replaceRecoveryCodes(ctx, tx, u)
}

// removeFactor deletes a factor and ends what it was used for. Without an active
// factor, recovery codes don't work either.
func removeFactor(ctx context.Context, tx *db.Tx, u people.User, f people.Factor) error {
	if err := people.DeleteFactor(ctx, tx, f); err != nil {
		return err
	}
	if f.Active {
		if err := people.EndMFATokens(ctx, tx, u); err != nil {
			return err
		}
	}
	if !hasOtherActiveFactor(u, f.ID) {
		if err := deleteRecoveryCodes(ctx, tx, u); err != nil {
			return err
		}
	}
	return audit.Record(ctx, tx, "mfa_factor.removed", f.ID, map[string][2]any{"user_id": {u.ID, nil}})
}

// replaceRecoveryCodes generates the recovery codes of a user.
func replaceRecoveryCodes(ctx context.Context, tx *db.Tx, u people.User) ([]string, error) {
	if err := deleteRecoveryCodes(ctx, tx, u); err != nil {
		return nil, err
	}
	codes := []string{}
	for range recoveryCodeCount {
		text := strings.ToLower(rand.Text())
		code := text[:5] + "-" + text[5:10]
		if _, err := db.Exec(ctx, tx, `INSERT INTO recovery_codes (env, user_id, hash) VALUES (?, ?, ?)`,
			u.Env, u.ID, recoveryMAC(tx, u, code)); err != nil {
			return nil, err
		}
		codes = append(codes, code)
	}
	return codes, nil
}

// recoveryMAC returns the stored form of a recovery code. A plain hash of such a
// short code could be reversed.
func recoveryMAC(tx *db.Tx, u people.User, code string) []byte {
	return site.Of(tx).MAC(fmt.Appendf(nil, "recovery_codes/%d/%s/%s", u.Env, u.ID, normalizeCode(code)))
}

// useRecoveryCode marks a recovery code as used and reports whether it was valid. It
// only replaces an active factor.
func useRecoveryCode(ctx context.Context, tx *db.Tx, u people.User, code string) (bool, error) {
	if !u.HasActiveFactor() {
		return false, nil
	}
	n, err := db.Exec(ctx, tx, `UPDATE recovery_codes SET used_at = ?
		WHERE env = ? AND user_id = ? AND hash = ? AND used_at IS NULL`, tx.Now, u.Env, u.ID, recoveryMAC(tx, u, code))
	return n == 1, err
}

// insertMFAToken creates an MFA token for a user who has verified a factor.
func insertMFAToken(ctx context.Context, tx *db.Tx, u people.User, p people.Purpose) (MFAProof, error) {
	token, expiresAt, err := people.InsertMFAToken(ctx, tx, u, p)
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
