package people

import (
	"slices"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// A caller with the admin scope manages every user without it, and defines and
// assigns every role without it. A change that gives a user the admin scope, or
// that affects a user or a role with it, requires proof: an MFA token of an
// existing administrator. A stolen key or session is then not enough to become
// an administrator, or to lock the administrators out.

// IsAdmin reports whether the role has the admin scope.
func (r Role) IsAdmin() bool { return slices.Contains(r.Scopes, auth.Admin) }

// IsAdmin reports whether a role of the user has the admin scope. The status
// doesn't matter: an invited administrator becomes one with the link, and a
// deactivated one with a reactivation.
func (u User) IsAdmin() bool {
	return slices.ContainsFunc(u.Roles, func(r UserRole) bool { return slices.Contains(r.Scopes, auth.Admin) })
}

// HasActiveFactor reports whether the user has a verified two-factor method.
func (u User) HasActiveFactor() bool {
	return slices.ContainsFunc(u.MFAFactors, func(f UserFactor) bool { return f.Active })
}

// canVerify reports whether an MFA token of the user counts.
func (u User) canVerify() bool { return u.Status == Active && u.HasActiveFactor() }

// proof is whose MFA token a change of a user requires.
type proof int

const (
	noProof proof = iota
	byAdmin
	byOtherAdmin // not by the user who is changed
)

func proofIf(admin bool) proof {
	if admin {
		return byAdmin
	}
	return noProof
}

// proofToAssign returns the proof that a user's new roles require. The user who gains a
// role with the admin scope can't prove it, except for an owner, who gains nothing.
func proofToAssign(before User, assigned []Role) proof {
	for _, r := range assigned {
		held := slices.ContainsFunc(before.Roles, func(h UserRole) bool { return h.ID == r.ID })
		if r.IsAdmin() && !held && !before.isOwner() {
			return byOtherAdmin
		}
	}
	return proofIf(before.IsAdmin())
}

// rule returns whose token a change of a user requires.
func (p proof) rule(changed User) Rule {
	return Rule{Missing: errProofRequired(), Accept: func(prover User) error {
		switch {
		case !prover.IsAdmin():
			return errNotAdmin()
		case p == byOtherAdmin && prover.ID == changed.ID:
			return errOwnProof()
		}
		return nil
	}}
}

// ErrMFA is the error for a missing or invalid MFA token.
func ErrMFA(message, detail string) error {
	return fault.Forbidden("%s", message).Detail("mfa_token", "mfa", "%s", detail)
}

func errProofRequired() error {
	return ErrMFA("This affects the admin scope. Verify the two-factor method of an administrator, and send the mfa_token.",
		"is required, because this affects the admin scope")
}

func errInvalidProof() error {
	return ErrMFA("The mfa_token is unknown, used, expired, or for something else. Verify a two-factor method again.",
		"is unknown, used, expired, or for something else")
}

func errNotAdmin() error {
	return ErrMFA("The mfa_token is not from an administrator.", "is not from an administrator")
}

func errOwnProof() error {
	return ErrMFA("The mfa_token is from the user who gains the role. Send one of another administrator.",
		"is from the user who gains the role")
}

// TokenIn returns the MFA token of a body, or "" if it has none.
func TokenIn(token *string) string {
	if token == nil {
		return ""
	}
	return *token
}
