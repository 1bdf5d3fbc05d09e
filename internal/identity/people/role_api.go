package people

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/page"
)

// ByRole is the path parameter of a role.
type ByRole struct {
	RoleID string `path:"role_id" doc:"ID of the role." example:"role_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) listRoles(ctx context.Context, tx *db.Tx, in *struct{ page.Query }) (page.Page[Role], error) {
	return roles.List(ctx, tx, in.Query, nil)
}

func (a *API) createRole(ctx context.Context, tx *db.Tx, in *struct{ Body RoleCreate }) (Role, error) {
	r := Role{Name: in.Body.Name, Scopes: in.Body.Scopes, Manager: in.Body.Manager, OwnLocations: in.Body.OwnLocations}
	if err := r.check(); err != nil {
		return r, err
	}
	if r.IsAdmin() {
		if err := RequireProof(ctx, tx, TokenIn(in.Body.MFAToken)); err != nil {
			return r, err
		}
	}

	if err := insertRole(ctx, tx, &r); err != nil {
		return r, err
	}
	return r, events.Emit(ctx, tx, "role.created", r.ID, events.Change{After: r})
}

func (a *API) updateRole(ctx context.Context, tx *db.Tx, in *struct {
	ByRole
	Body RolePatch
}) (Role, error) {
	return rest.Change(ctx, tx, findCustomRole, in.RoleID, func(before Role, r *Role) error {
		in.Body.Name.To(&r.Name)
		in.Body.Scopes.To(&r.Scopes)
		in.Body.Manager.To(&r.Manager)
		in.Body.OwnLocations.To(&r.OwnLocations)
		if err := r.check(); err != nil {
			return err
		}
		if before.IsAdmin() || r.IsAdmin() {
			if err := RequireProof(ctx, tx, TokenIn(in.Body.MFAToken)); err != nil {
				return err
			}
		}

		if err := saveRole(ctx, tx, r); err != nil {
			return err
		}
		return events.Emit(ctx, tx, "role.updated", r.ID, events.Change{Before: before, After: *r})
	})
}

func (a *API) deleteRole(ctx context.Context, tx *db.Tx, in *struct {
	ByRole
	MFAToken string `header:"MFA-Token" maxLength:"100" doc:"Required for a role with the admin scope. Must be from an administrator."`
}) (none rest.None, err error) {
	_, err = rest.Change(ctx, tx, findCustomRole, in.RoleID, func(before Role, _ *Role) error {
		if before.IsAdmin() {
			if err := RequireProof(ctx, tx, in.MFAToken); err != nil {
				return err
			}
		}
		if err := deleteRole(ctx, tx, before); err != nil {
			return err
		}
		return events.Emit(ctx, tx, "role.deleted", before.ID, events.Change{After: before})
	})
	return none, err
}
