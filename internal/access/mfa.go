package access

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"slipway/internal/people"
	"slipway/internal/vocab/fault"
)

// A factor is locked after this many wrong codes in a row, for this long.
const (
	wrongCodes = 5
	lockFor    = 15 * time.Minute
)

// proofFor is how long the proof of a second factor can be spent.
const proofFor = 5 * time.Minute

// recoveryCodes is how many a user gets.
const recoveryCodes = 10

// MFAEnroll asks for a second factor.
type MFAEnroll struct {
	Kind  string  `json:"kind" enum:"totp,webauthn"`
	Label *string `json:"label" required:"false" maxLength:"100" example:"Phone"`

	MFAToken *string `json:"mfa_token" required:"false" maxLength:"64" doc:"Needed for a user who has an active factor: proof of it, or of another administrator's."`
}

// MFAEnrollment is a new second factor, with what its owner needs to set it up.
// All of it is shown this once.
type MFAEnrollment struct {
	people.UserFactor
	Secret        *string        `json:"secret" doc:"For an authenticator app; null for webauthn." audit:"-"`
	OTPAuthURI    *string        `json:"otpauth_uri" doc:"The same as a link or QR code." audit:"-"`
	PublicKey     map[string]any `json:"public_key" doc:"The options of navigator.credentials.create; empty for totp." audit:"-"`
	RecoveryCodes []string       `json:"recovery_codes" nullable:"false" doc:"Each works once in place of a code. Given with a user's first factor." audit:"-"`
}

// MFAVerify proves a second factor.
type MFAVerify struct {
	Code      *string        `json:"code" required:"false" maxLength:"40" doc:"A code of the authenticator app, or a recovery code."`
	Assertion map[string]any `json:"assertion,omitempty" doc:"What navigator.credentials.get, or .create for a new factor, returned."`
}

// MFAProof is the proof of a second factor, or the challenge to give it with.
type MFAProof struct {
	MFAToken  *string        `json:"mfa_token" doc:"Proof for one operation that wants one; null with a challenge." audit:"-"`
	ExpiresAt time.Time      `json:"expires_at"`
	Challenge map[string]any `json:"challenge" doc:"The options of navigator.credentials.get to sign; empty with a token." audit:"-"`
}

// hasActive reports whether a user has a factor that was proven.
func hasActive(u people.User) bool {
	return slices.ContainsFunc(u.MFAFactors, func(f people.UserFactor) bool { return f.Active })
}

// locked is the answer while a factor is locked, nil when it is not.
func locked(f people.Factor, now time.Time) *fault.Error {
	if f.LockedUntil == nil || !now.Before(*f.LockedUntil) {
		return nil
	}
	return fault.New(fault.KindRateLimited, "Too many wrong codes: the second factor is locked for a while.").
		Detail("code", "locked", "is not looked at while the factor is locked").RetryIn(f.LockedUntil.Sub(now))
}

// wrongCode is the answer to a code that is not the one.
func wrongCode() *fault.Error {
	return fault.New(fault.KindUnprocessable, "The code is wrong, too old or was used before.").Detail("code", "mismatch", "is not a fresh code")
}

// count takes note of a right or wrong code.
func count(f *people.Factor, step int64, ok bool, now time.Time) {
	if ok {
		f.LastStep, f.Failures, f.LockedUntil = max(step, f.LastStep), 0, nil
		return
	}
	if f.Failures++; f.Failures >= wrongCodes {
		f.Failures, f.LockedUntil = 0, new(now.Add(lockFor))
	}
}

// factorPlace binds a factor's sealed secret to its row.
func factorPlace(f people.Factor) string { return fmt.Sprintf("mfa_factors/%d/%s", f.Env, f.ID) }

// plainCode is a recovery code as it is hashed: people type it in many ways.
func plainCode(code string) string {
	return strings.ToLower(strings.NewReplacer("-", "", " ", "").Replace(code))
}
