package access

import (
	"fmt"
	"strings"
	"time"

	"slipway/internal/people"
	"slipway/internal/vocab/fault"
)

// A factor is locked for lockDuration after maxWrongCodes in a row.
const (
	maxWrongCodes = 5
	lockDuration  = 15 * time.Minute
)

// mfaTokenLifetime is how long MFA tokens and challenges are valid.
const mfaTokenLifetime = people.MFATokenLifetime

const (
	maxFactors        = 10 // of a user
	recoveryCodeCount = 10 // for a user's first factor
)

// MFAEnroll is the body for a new two-factor method.
type MFAEnroll struct {
	Kind  string  `json:"kind" enum:"totp,webauthn"`
	Label *string `json:"label" required:"false" maxLength:"100" example:"Phone"`

	MFAToken *string `json:"mfa_token" required:"false" maxLength:"64" doc:"Required if the user has an active two-factor method or the admin scope. Must be from this user or an administrator. Not required for your own first method."`
}

// MFAEnrollment is a new two-factor method, with the secrets that the user needs
// to set it up. They are only shown once.
type MFAEnrollment struct {
	people.UserFactor
	Secret        *string        `json:"secret" doc:"Secret for an authenticator app. Null for webauthn." audit:"-"`
	OTPAuthURI    *string        `json:"otpauth_uri" doc:"The secret as a link or for a QR code. Null for webauthn." audit:"-"`
	PublicKey     map[string]any `json:"public_key" doc:"Options for navigator.credentials.create. Empty for totp." audit:"-"`
	RecoveryCodes []string       `json:"recovery_codes" nullable:"false" doc:"Each works once instead of a code. Only returned if the user has no active two-factor method." audit:"-"`
}

// MFAVerify is the body for a verification.
type MFAVerify struct {
	Code      *string        `json:"code" required:"false" maxLength:"40" doc:"Code from the authenticator app, or a recovery code."`
	Assertion map[string]any `json:"assertion,omitempty" doc:"Result of navigator.credentials.get, or of navigator.credentials.create for a new method."`
}

// MFAProof is the result of a verification, or the challenge for one.
type MFAProof struct {
	MFAToken  *string        `json:"mfa_token" doc:"Token for one operation that requires two-factor verification. Null with a challenge." audit:"-"`
	ExpiresAt time.Time      `json:"expires_at"`
	Challenge map[string]any `json:"challenge" doc:"Options for navigator.credentials.get, or for navigator.credentials.create for a new method. Empty with a token." audit:"-"`
}

// hasActiveFactor reports whether a user has a verified factor.
func hasActiveFactor(u people.User) bool { return u.HasActiveFactor() }

// checkLock returns the error for a locked factor, or nil.
func checkLock(f people.Factor, now time.Time) *fault.Error {
	if f.LockedUntil == nil || !now.Before(*f.LockedUntil) {
		return nil
	}
	return fault.New(fault.KindRateLimited, "Too many wrong codes. The two-factor method is locked. Retry after the time in Retry-After.").
		Detail("code", "locked", "is not checked while the two-factor method is locked").RetryIn(f.LockedUntil.Sub(now))
}

func errWrongCode() *fault.Error {
	return fault.New(fault.KindUnprocessable, "The code is wrong, expired or was already used.").
		Detail("code", "mismatch", "is wrong, expired or was already used")
}

// recordAttempt updates a factor after a right or wrong code.
func recordAttempt(f *people.Factor, step int64, ok bool, now time.Time) {
	if ok {
		f.LastStep, f.Failures, f.LockedUntil = max(step, f.LastStep), 0, nil
		return
	}
	if f.Failures++; f.Failures >= maxWrongCodes {
		f.Failures, f.LockedUntil = 0, new(now.Add(lockDuration))
	}
}

// factorPlace binds the encrypted secret of a factor to its row.
func factorPlace(f people.Factor) string { return fmt.Sprintf("mfa_factors/%d/%s", f.Env, f.ID) }

// normalizeCode removes the differences between ways to type a recovery code.
func normalizeCode(code string) string {
	return strings.ToLower(strings.NewReplacer("-", "", " ", "").Replace(code))
}
