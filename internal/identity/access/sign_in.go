package access

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"slipway/internal/identity/people"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// SessionLifetime is how long a session lasts, unless an identity provider decides.
const SessionLifetime = 12 * time.Hour

// Checked is a user whose password was checked.
type Checked struct {
	Env      auth.Env
	UserID   string
	Mode     auth.Mode
	Password []byte // identifies the password, in case it changes before the sign-in is complete
}

// PasswordChecked returns a user whose password was just checked.
func PasswordChecked(c people.Candidate) Checked {
	return Checked{c.Env, c.ID, c.Mode, people.PasswordMark(c.PasswordHash)}
}

// isCurrent reports whether the user can still sign in with the password that was
// checked.
func (c Checked) isCurrent(u people.User) bool {
	mark := people.PasswordMark(u.PasswordHash)
	return u.Status == people.Active && mark != nil && slices.Equal(mark, c.Password)
}

// rightsOf returns what a user can do, as a hash. A browser session gets a new token
// when it changes. A token that was stolen before then doesn't have the new rights.
func rightsOf(u people.User, scopes []auth.Scope) []byte {
	sum := sha256.Sum256(fmt.Appendln(nil, u.ID, uniqueScopes(scopes), u.HasActiveFactor(), u.IsManager(), u.LimitedTo()))
	return sum[:]
}

// errSignIn does not reveal which of them is wrong.
func errSignIn() *fault.Error {
	return fault.Unauthenticated("The email address, password or code is wrong.")
}

// errOff identifies errPasswordOff.
var errOff = errors.New("single sign-on is enforced")

// errPasswordOff is for the audit log. The client gets errSignIn.
func errPasswordOff() *fault.Error {
	return fault.Unauthenticated("Password sign-in is off, because single sign-on is enforced for this email domain.").WithCause(errOff)
}

// errCodeRequired is for a sign-in without a two-factor code.
func errCodeRequired() *fault.Error {
	return fault.Unauthenticated("A two-factor code is required.").Detail("totp_code", "required", "is required")
}
