package rest

import (
	"strings"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// permit fails unless the caller has the scopes that the operation requires, and is a manager if it is only for managers.
func permit(op *Operation, caller auth.Principal, param func(name string) string) error {
	if op.Needs.Allows(caller.Scopes) {
		return op.checkDuty(caller)
	}
	switch {
	case op.OrSelf != "" && caller.UserID != "" && param(op.OrSelf) == caller.UserID:
		return nil
	case caller.Refusal != nil:
		return caller.Refusal
	case op.OrSession && caller.SessionID != "":
		return nil
	}
	return fault.Forbidden("This operation requires the scope %s.", op.Needs).
		Detail("Authorization", "scope", "must have the scope %s", op.Needs).Lacking(firstOf(op.Needs))
}

// checkDuty fails if the operation is only for managers, and the caller is not one.
func (o *Operation) checkDuty(caller auth.Principal) error {
	if o.Duty.Allows(caller) {
		return nil
	}
	return fault.Forbidden("This operation requires the scope admin, or a user with a role for managers.").
		Detail("Authorization", "manager", "must be of a manager, or have the scope admin")
}

// firstOf returns the first set of scopes that a rule accepts, separated by spaces.
func firstOf(r auth.Rule) string {
	var names []string
	if len(r) > 0 {
		for _, s := range r[0] {
			names = append(names, string(s))
		}
	}
	return strings.Join(names, " ")
}
