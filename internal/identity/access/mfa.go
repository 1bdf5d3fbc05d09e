package access

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"slipway/internal/identity/people"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
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
	recoveryCodeCount = 10 // for the first factor that a user verifies
)

// MFAEnroll is the body for a new two-factor method.
type MFAEnroll struct {
	_ struct{} `doc:"A new two-factor method."`

	Kind  people.FactorKind `json:"kind" doc:"Authenticator app (totp), or passkey or security key (webauthn)."`
	Label *string           `json:"label" required:"false" maxLength:"100" doc:"Your name for the method." example:"Phone"`

	MFAToken *string `json:"mfa_token" privacy:"secret" required:"false" maxLength:"64" doc:"Required if you already have an active two-factor method. Verify it to get one."`
}

// MFAEnrollment is a new two-factor method, with the secrets that the user needs
// to set it up. They are only shown once.
type MFAEnrollment struct {
	_ struct{} `doc:"A new two-factor method with what the user needs to set it up."`

	people.UserFactor
	Secret     *string        `json:"secret" doc:"Secret for an authenticator app. Null for webauthn." privacy:"secret"`
	OTPAuthURI *string        `json:"otpauth_uri" doc:"The secret as a link or for a QR code. Null for webauthn." privacy:"secret"`
	PublicKey  map[string]any `json:"public_key" doc:"Options for navigator.credentials.create. Empty for totp." privacy:"secret"`
}

var _ = enum.Variants[MFAEnrollment]("kind",
	enum.Variant{Value: "totp", Name: "TOTPEnrollment", Doc: "A new authenticator app, with the secret to enter in it.", Sets: []string{"otpauth_uri", "secret"}},
	enum.Variant{Value: "webauthn", Name: "WebAuthnEnrollment", Doc: "A new passkey or security key, with the options for the browser."},
)

// MFAVerify is the body for a verification.
type MFAVerify struct {
	_ struct{} `doc:"A code, or the response to a challenge."`

	Code      *string        `json:"code" privacy:"secret" required:"false" maxLength:"40" doc:"Code from the authenticator app, or a recovery code."`
	Assertion map[string]any `json:"assertion,omitempty" privacy:"secret" doc:"Result of navigator.credentials.get, or of navigator.credentials.create for a new method."`

	Operation *string `json:"operation" required:"false" maxLength:"100" doc:"ID of the operation that the token is for. By default, the token works for any operation that requires one." example:"assignUserRoles" since:"next"`
	ObjectID  *string `json:"object_id" required:"false" maxLength:"100" doc:"The first ID in the operation's path. Leave it out if the path has none." example:"user_01jcqz8t5n8m2x4v6b7c9d0e1f" since:"next"`
}

// purpose returns what the token is for.
func (b MFAVerify) purpose() (p people.Purpose) {
	if b.Operation != nil {
		p.Operation = *b.Operation
	}
	if b.ObjectID != nil {
		p.ObjectID = *b.ObjectID
	}
	return p
}

// MFAProof is the result of a verification, or the challenge for one.
type MFAProof struct {
	_ struct{} `doc:"An MFA token, or the challenge to sign for one."`

	MFAToken  *string        `json:"mfa_token" doc:"Token for one operation that requires two-factor verification. Null with a challenge." privacy:"secret"`
	ExpiresAt time.Time      `json:"expires_at" doc:"When the token or the challenge expires."`
	Challenge map[string]any `json:"challenge" doc:"Options for navigator.credentials.get, or for navigator.credentials.create for a new method. Empty with a token." privacy:"secret"`

	RecoveryCodes []string `json:"recovery_codes" nullable:"false" doc:"Each works once instead of a code. Only returned when your first two-factor method becomes active. Not shown again." privacy:"secret"`
}

// hasOtherActiveFactor reports whether a user has another verified factor than this one.
func hasOtherActiveFactor(u people.User, id string) bool {
	return slices.ContainsFunc(u.MFAFactors, func(f people.UserFactor) bool { return f.Active && f.ID != id })
}

// requireSelf returns an error unless the caller is a session of this user. No
// one else can enroll or verify a factor. Otherwise an administrator could give
// themselves the factor of another one.
func requireSelf(caller auth.Principal, u people.User) error {
	if caller.UserID == u.ID {
		return nil
	}
	return fault.Forbidden("Only the user can enroll and verify a two-factor method, with a session. To reset the method of another user, delete it.").
		Detail("user_id", "self", "must be the user of the session")
}

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
