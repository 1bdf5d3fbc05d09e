package access

import (
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// CheckDuty fails unless a caller can take a step that depends on the request. The route of an
// operation that is always such a step has the duty.
func CheckDuty(caller auth.Principal, d auth.Duty, field string) error {
	if d.Allows(caller) {
		return nil
	}
	return fault.Forbidden("%s requires the scope admin, or a user with a role for managers.", field).
		Detail(field, "forbidden", "requires the scope admin, or a user with a role for managers")
}
