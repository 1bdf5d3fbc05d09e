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

// addTOTP gives a user an authenticator app.
func addTOTP(ctx context.Context, tx *db.Tx, box *seal.Box, u people.User, secret string, label *string, active bool) (people.Factor, error) {
	f := people.Factor{Env: u.Env, ID: tx.NewID("mfa"), UserID: u.ID, Kind: "totp", Label: label, Active: active, CreatedAt: tx.Now}
	f.Secret = box.Seal([]byte(secret), factorPlace(f))
	if err := people.InsertFactor(ctx, tx, f); err != nil {
		return f, err
	}
	return f, audit.Record(ctx, tx, "mfa_factor.enrolled", f.ID, map[string][2]any{"user_id": {nil, u.ID}, "kind": {nil, f.Kind}})
}

// tryCode looks whether a code is a fresh one of any of the factors. A refusal
// is no error: the transaction must commit, because it has counted.
//
// A code is one app's, and wrong only if it is none's: otherwise whoever uses
// the second of two apps would lock the first.
func tryCode(ctx context.Context, tx *db.Tx, box *seal.Box, u people.User, factors []people.Factor, code string) (refused *fault.Error, err error) {
	var asked []people.Factor
	var lock *fault.Error
	for _, f := range factors {
		if f.Kind != "totp" {
			continue
		}
		if l := locked(f, tx.Now); l != nil {
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
			count(&f, step, true, tx.Now)
			if err := activate(ctx, tx, u, &f); err != nil {
				return nil, err
			}
			return nil, audit.Record(ctx, tx, "mfa_factor.verified", f.ID, map[string][2]any{"user_id": {nil, u.ID}})
		}
		asked = append(asked, f)
	}
	if lock != nil && len(asked) == 0 {
		return lock, nil
	}
	return tryRecoveryCode(ctx, tx, u, asked, code)
}

// tryRecoveryCode looks whether a code that is none of the apps' is a recovery
// code; then they have nothing to count.
func tryRecoveryCode(ctx context.Context, tx *db.Tx, u people.User, apps []people.Factor, code string) (*fault.Error, error) {
	spent, err := spendRecoveryCode(ctx, tx, u, code)
	if err != nil {
		return nil, err
	}
	for _, f := range apps {
		if spent {
			f.Failures = 0
		} else {
			count(&f, 0, false, tx.Now)
		}
		if err := people.SaveFactor(ctx, tx, &f); err != nil {
			return nil, err
		}
	}
	if !spent {
		return wrongCode(), nil
	}
	return nil, audit.Record(ctx, tx, "recovery_code.used", u.ID, nil)
}

// VerifyTOTP fails unless the code is a fresh one of the user's, for the
// command line.
func VerifyTOTP(ctx context.Context, d *db.DB, box *seal.Box, u people.User, code string) error {
	refused, err := db.Write(auth.InEnv(ctx, u.Env), d, func(ctx context.Context, tx *db.Tx) (*fault.Error, error) {
		factors, err := activeFactors(ctx, tx, u)
		if err != nil {
			return nil, err
		}
		return tryCode(ctx, tx, box, u, factors, code)
	})
	if err == nil && refused != nil {
		return refused
	}
	return err
}

func activeFactors(ctx context.Context, tx *db.Tx, u people.User) (active []people.Factor, err error) {
	all, err := people.FactorsOf(ctx, tx, u)
	for _, f := range all {
		if f.Active {
			active = append(active, f)
		}
	}
	return active, err
}

// giveRecoveryCodes returns fresh codes with a factor, unless the user has an
// active one and so has codes already.
func giveRecoveryCodes(ctx context.Context, tx *db.Tx, u people.User, factorID string) ([]string, error) {
	codes := []string{}
	if hasActive(u) {
		return codes, nil
	}
	for range recoveryCodes {
		text := strings.ToLower(rand.Text())
		code := text[:5] + "-" + text[5:10]
		if _, err := db.Exec(ctx, tx, `INSERT INTO recovery_codes (env, user_id, hash, factor_id) VALUES (?, ?, ?, ?)`, u.Env, u.ID, hashToken(plainCode(code)), factorID); err != nil {
			return nil, err
		}
		codes = append(codes, code)
	}
	return codes, nil
}

// activate marks a factor as proven. With a user's first one, whatever else was
// enrolled and not proven goes, codes included: until then anybody who
// administers could enroll one, and only one of them is the user's.
func activate(ctx context.Context, tx *db.Tx, u people.User, f *people.Factor) error {
	f.Active = true
	if err := people.SaveFactor(ctx, tx, f); err != nil || hasActive(u) {
		return err
	}
	if err := people.RemoveUnverified(ctx, tx, u); err != nil {
		return err
	}
	_, err := db.Exec(ctx, tx, `DELETE FROM recovery_codes WHERE env = ? AND user_id = ? AND factor_id <> ?`, u.Env, u.ID, f.ID)
	return err
}

func spendRecoveryCode(ctx context.Context, tx *db.Tx, u people.User, code string) (bool, error) {
	n, err := db.Exec(ctx, tx, `UPDATE recovery_codes SET used_at = ? WHERE env = ? AND user_id = ? AND hash = ? AND used_at IS NULL`,
		tx.Now, u.Env, u.ID, hashToken(plainCode(code)))
	return n == 1, err
}

// newMFAToken gives the proof that a user has shown a second factor.
func newMFAToken(ctx context.Context, tx *db.Tx, u people.User) (MFAProof, error) {
	token := "mft_" + strings.ToLower(rand.Text())
	p := MFAProof{MFAToken: &token, ExpiresAt: tx.Now.Add(proofFor), Challenge: map[string]any{}}
	_, err := db.Exec(ctx, tx, `INSERT INTO mfa_tokens (env, hash, user_id, expires_at) VALUES (?, ?, ?, ?)`, u.Env, hashToken(token), u.ID, p.ExpiresAt)
	return p, err
}

// spendMFAToken returns the user who gave a proof and ends it; "" if it is not
// good.
func spendMFAToken(ctx context.Context, tx *db.Tx, token string) (userID string, err error) {
	users, err := db.All[string](ctx, tx, `UPDATE mfa_tokens SET used_at = ? WHERE env = ? AND hash = ? AND used_at IS NULL AND expires_at > ? RETURNING user_id`,
		tx.Now, tx.Env, hashToken(token), tx.Now)
	if err != nil || len(users) == 0 {
		return "", err
	}
	return users[0], nil
}

// PurgeUsedCodes removes proofs, challenges and invitations that are over.
func PurgeUsedCodes(ctx context.Context, tx *db.Tx) (int64, error) {
	var total int64
	for _, statement := range []string{
		`DELETE FROM mfa_tokens WHERE expires_at < ?`,
		`DELETE FROM mfa_challenges WHERE expires_at < ?`,
	} {
		n, err := db.Exec(ctx, tx, statement, tx.Now.AddDate(0, 0, -30))
		if err != nil {
			return total, err
		}
		total += n
	}
	n, err := db.Exec(ctx, tx, `DELETE FROM api_key_uses WHERE hour < ?`, tx.Now.AddDate(0, 0, -30))
	return total + n, err
}

// forgetRecoveryCodes ends the codes of a user who has no factor left.
func forgetRecoveryCodes(ctx context.Context, tx *db.Tx, u people.User) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM recovery_codes WHERE env = ? AND user_id = ?`, u.Env, u.ID)
	return err
}

func insertChallenge(ctx context.Context, tx *db.Tx, f people.Factor, sealed []byte) error {
	_, err := db.Exec(ctx, tx, `INSERT INTO mfa_challenges (env, factor_id, data, expires_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (env, factor_id) DO UPDATE SET data = excluded.data, expires_at = excluded.expires_at`, f.Env, f.ID, sealed, tx.Now.Add(proofFor))
	return err
}

func takeChallenge(ctx context.Context, tx *db.Tx, f people.Factor) ([]byte, error) {
	sealed, err := db.All[[]byte](ctx, tx, `DELETE FROM mfa_challenges WHERE env = ? AND factor_id = ? AND expires_at > ? RETURNING data`, f.Env, f.ID, tx.Now)
	if err == nil && len(sealed) == 0 {
		return nil, fault.Conflict("No challenge is open. Send an empty body to get one.").Detail("assertion", "state", "answers no open challenge")
	}
	if err != nil {
		return nil, err
	}
	return sealed[0], nil
}
