package people

import (
	"context"
	"slices"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
)

// These functions let an identity provider change users without a sign-in. The scim package
// decides whether it can, and has locked the user.

// UpdateProvisioned changes the name and the email address of a user. As with other changes,
// the user must confirm a new address.
func (a *API) UpdateProvisioned(ctx context.Context, tx *db.Tx, before User, name, email string) (User, error) {
	u := before
	u.Name, u.Email = name, email
	if err := u.check(); err != nil {
		return u, err
	}
	email, u.Email = u.Email, before.Email
	pending := before.PendingEmail != nil && *before.PendingEmail == email
	if email != before.Email && !pending || email == before.Email && before.PendingEmail != nil {
		if err := a.changeEmail(ctx, tx, &u, email); err != nil {
			return u, err
		}
	} else if u.Name == before.Name {
		return u, nil
	}

	if err := saveUser(ctx, tx, &u); err != nil {
		return u, err
	}
	if u.Status == Invited && u.Email != before.Email {
		if err := a.Jobs.Enqueue(ctx, tx, Invite{u.Env, u.ID}, tx.Now); err != nil {
			return u, err
		}
	}
	return u, events.Emit(ctx, tx, "user.updated", u.ID, events.Change{Before: before, After: u})
}

// ReactivateProvisioned lets a deactivated user sign in again, with single sign-on only. It
// removes roles with the admin scope, because no administrator has proven that the user can
// have them again.
func ReactivateProvisioned(ctx context.Context, tx *db.Tx, before User) (User, error) {
	u := before
	u.Status, u.PasswordHash = Active, nil
	var kept []Role
	for _, held := range before.Roles {
		r, err := FindRole(ctx, tx, held.ID)
		if err != nil {
			return u, err
		}
		kept = append(kept, r)
	}
	kept = slices.DeleteFunc(kept, Role.IsAdmin)
	if err := replaceRoles(ctx, tx, &u, kept); err != nil {
		return u, err
	}

	if err := endLinks(ctx, tx, u); err != nil { // to set a password
		return u, err
	}
	if err := saveUser(ctx, tx, &u); err != nil {
		return u, err
	}
	return u, events.Emit(ctx, tx, "user.activated", u.ID, events.Change{Before: before, After: u})
}
