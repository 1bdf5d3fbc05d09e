package rest

import (
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// permit fails unless the caller has the scopes that the operation requires.
func permit(op *Operation, caller auth.Principal, param func(name string) string) error {
	switch {
	case op.Needs.Allows(caller.Scopes):
		return nil
	case op.OrSelf != "" && caller.UserID != "" && param(op.OrSelf) == caller.UserID:
		return nil
	case caller.MustEnroll:
		return errMustEnroll(caller)
	case op.OrSession && caller.SessionID != "":
		return nil
	}
	return fault.Forbidden("This operation requires the scope %s.", op.Needs).Detail("Authorization", "scope", "must have the scope %s", op.Needs)
}

// errMustEnroll says what an administrator without a two-factor method has to do.
func errMustEnroll(caller auth.Principal) error {
	return fault.Forbidden("Administrators need a two-factor method. Enroll one first with POST /v1/users/%s/mfa_factors, and verify it.",
		caller.UserID).Detail("Authorization", "mfa", "is a session of an administrator without a two-factor method")
}
