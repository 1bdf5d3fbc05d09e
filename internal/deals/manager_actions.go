package deals

import (
	"context"
	"slices"

	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// checkManager fails unless the caller can make an exception to a rule: with the
// admin scope, or as a user with the role manager or owner.
func checkManager(ctx context.Context, tx *db.Tx, field string) error {
	caller := auth.From(ctx)
	if caller.Can(auth.Admin) {
		return nil
	}
	if caller.UserID != "" && caller.Actor.Type == auth.ActorUser { // an app that a manager installed is not a manager
		u, err := people.FindUser(ctx, tx, caller.UserID)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(u.Roles, func(r people.UserRole) bool { return r.Name == "manager" || r.Name == "owner" }) {
			return nil
		}
	}
	return fault.Forbidden("%s requires the scope admin, or a user with the role manager or owner.", field).
		Detail(field, "forbidden", "requires the scope admin, or a user with the role manager or owner")
}
