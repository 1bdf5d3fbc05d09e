package people

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/mail"
	"slipway/internal/platform/ratelimit"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

var administer = auth.Require(auth.Admin)

// API serves users and roles.
type API struct {
	DB       *db.DB
	Jobs     *jobs.Queue
	Mail     mail.Sender
	MailFrom string
	AuthURL  string
	Log      *slog.Logger
	Resets   *ratelimit.Limiter // of links for forgotten passwords
}

// Hooks are what people call in features that depend on them.
type Hooks struct {
	// CheckCode checks a two-factor code of a user, which was received at this time. A
	// rejection commits the number of wrong codes.
	CheckCode func(ctx context.Context, tx *db.Tx, u User, code string, at time.Time) error

	// EndLogins ends what a user is signed in with, besides sessions: the keys of slipway
	// login. EndAssistants ends the access of apps that act for the user only.
	EndLogins     func(ctx context.Context, tx *db.Tx, u User) error
	EndAssistants func(ctx context.Context, tx *db.Tx, u User) error

	// KeyIDs returns the API keys that a user or an app created, directly or with other keys,
	// even if they were revoked.
	KeyIDs func(ctx context.Context, tx *db.Tx, creatorID string) ([]string, error)

	// What users create for the dealership, and what is left when they leave.
	Keys, Apps, Webhooks, PushURLs, Calendars Holder
}

// New returns the feature, and attaches its hooks to the database.
func New(a API, h Hooks) API {
	a.DB.AttachHooks(h)
	return a
}

// Mount registers the endpoints and the pages.
func (a *API) Mount(r *rest.Router) {
	r = r.Family(family.Dealership)
	rest.Get(r, rest.Route{
		Path: "/users", ID: "listUsers", Needs: administer,
		Summary: "List users",
		Text:    "Returns the people who work at the dealership, including invited and deactivated ones. Newest first.",
		Assist:  assist.Never(assist.Users),
	}, a.listUsers)
	rest.PostCreated(r, rest.Route{
		Path: "/users", ID: "provisionUser", Needs: administer,
		Summary: "Create and invite a user",
		Text: "The user receives an email with a link to set a password. The link works once and expires after seven days. " +
			"A role with the admin scope requires an `mfa_token`.",
		Assist: assist.Never(assist.Users),
	}, a.provisionUser)
	rest.Get(r, rest.Route{
		Path: "/users/{user_id}", ID: "getUser", Needs: administer,
		Summary: "Retrieve a user",
		Text:    "Returns the user with the assigned roles and two-factor methods.",
		Assist:  assist.Never(assist.Users),
	}, a.getUser)
	rest.Patch(r, rest.Route{
		Path: "/users/{user_id}", ID: "updateUser", Needs: administer,
		Summary: "Update a user",
		Text: "A new email address is pending until the user opens the link that is sent to it. The link works once and expires after " +
			"seven days. For an invited user, a new address cancels the invitation, removes the roles and sends a new invitation. " +
			"A user with the admin scope requires an `mfa_token`, and so does `reset_password`.",
		Assist: assist.Never(assist.Users),
	}, a.updateUser)
	rest.PostOK(r, rest.Route{
		Path: "/users/{user_id}/deactivate", ID: "deactivateUser", Needs: administer,
		Summary: "Deactivate a user and end their sessions",
		Text: "Ends everything that acts for the user: sessions, keys of `slipway login`, and the API keys, apps, webhooks, push URLs and " +
			"calendars that they created. `GET /v2-preview/users/{user_id}/access` lists it. With `hand_over`, another user gets some of it. " +
			"In version 2026-11-15, what the user created continues to work, unless you send `revoke_keys`. A user with the admin scope " +
			"requires an `mfa_token`.",
		Assist: assist.Never(assist.Users),
		Urgent: true,
	}, a.deactivateUser)
	rest.Get(r.Preview("2026-11-18"), rest.Route{
		Path: "/users/{user_id}/access", ID: "getUserAccess", Needs: administer,
		Summary: "List everything that acts for a user",
		Text: "Returns the user's sessions and keys of `slipway login`, and the API keys, apps, webhooks, push URLs and calendars that they " +
			"created, also with an API key. This is what a deactivation ends or hands over.",
		Assist: assist.Never(assist.Users),
	}, a.getAccess)
	rest.Put(r, rest.Route{
		Path: "/users/{user_id}/roles", ID: "assignUserRoles", Needs: administer,
		Summary: "Replace the roles of a user",
		Text:    "If the user has the admin scope, before or after the change, it requires an `mfa_token`.",
		Assist:  assist.Never(assist.Users),
	}, a.assignRoles)

	rest.Get(r.Preview("2026-11-17"), rest.Route{
		Path: "/directory", ID: "listDirectory", Needs: auth.AnyCredential,
		Summary: "List the names of users",
		Text: "Returns who works at the dealership, to show names instead of IDs. Sessions and API keys need no scope. " +
			"An app needs `leads:read`, `deals:read` or `admin`. Newest first.",
		Assist:     assist.Read,
		ForConsole: true,
	}, a.listDirectory)

	rest.Get(r, rest.Route{
		Path: "/roles", ID: "listRoles", Needs: administer,
		Summary: "List roles",
		Text:    "Returns the built-in roles and the roles that you created.",
		Assist:  assist.Never(assist.Users),
	}, a.listRoles)
	rest.PostCreated(r, rest.Route{
		Path: "/roles", ID: "createRole", Needs: administer,
		Summary: "Create a role",
		Text:    "A role with the admin scope requires an `mfa_token`.",
		Assist:  assist.Never(assist.Users),
	}, a.createRole)
	rest.Patch(r, rest.Route{
		Path: "/roles/{role_id}", ID: "updateRole", Needs: administer,
		Summary: "Update a role",
		Text:    "Built-in roles can't be changed. New scopes apply to all users with the role immediately. A role with the admin scope requires an `mfa_token`.",
		Assist:  assist.Never(assist.Users),
	}, a.updateRole)
	rest.Delete(r, rest.Route{
		Path: "/roles/{role_id}", ID: "deleteRole", Needs: administer,
		Summary: "Delete an unused role",
		Text:    "Built-in roles and roles that are assigned to users can't be deleted. A role with the admin scope requires an `MFA-Token`.",
		Assist:  assist.Never(assist.Users),
	}, a.deleteRole)
	a.mountPages(r)
}

// toApps are the scopes of an app that can see who works at the dealership: those of
// objects that users own.
var toApps = auth.Either(auth.LeadsRead, auth.DealsRead, auth.Admin)

func (a *API) listDirectory(ctx context.Context, tx *db.Tx, in *DirectoryFilter) (page.Page[DirectoryUser], error) {
	if caller := auth.From(ctx); caller.AppID != "" && !toApps.Allows(caller.Scopes) {
		return page.Page[DirectoryUser]{}, fault.Forbidden("An app needs the scope %s.", toApps)
	}
	return listDirectory(ctx, tx, *in)
}

// ByUser is the path parameter of a user.
type ByUser struct {
	UserID string `path:"user_id" doc:"ID of the user." example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

// Invite is the job that sends a user the link to set a password.
type Invite struct {
	Env    auth.Env `json:"env"`
	UserID string   `json:"user_id"`
}

// Kind returns the name of the job.
func (Invite) Kind() string { return "invite_user" }

// Lane waits for the mail server.
func (Invite) Lane() string { return jobs.Mail }

func (a *API) listUsers(ctx context.Context, tx *db.Tx, in *UserFilter) (page.Page[User], error) {
	p, err := users.List(ctx, tx, in.Query, in.where())
	if err != nil {
		return p, err
	}
	return p, loadRolesAndFactors(ctx, tx, p.Data)
}

func (a *API) getUser(ctx context.Context, tx *db.Tx, in *ByUser) (User, error) {
	return FindUser(ctx, tx, in.UserID)
}

func (a *API) provisionUser(ctx context.Context, tx *db.Tx, in *struct{ Body UserCreate }) (User, error) {
	u := User{Email: in.Body.Email, Name: in.Body.Name, LocationIDs: in.Body.LocationIDs, LeadsChoice: in.Body.TakesLeads, Status: Invited}
	if err := u.check(); err != nil {
		return u, err
	}
	assigned, err := findRoles(ctx, tx, in.Body.RoleIDs)
	if err != nil {
		return u, err
	}
	if slices.ContainsFunc(assigned, Role.IsAdmin) {
		if err := RequireProof(ctx, tx, TokenIn(in.Body.MFAToken)); err != nil {
			return u, err
		}
	}
	if err := checkLocations(ctx, tx, u.LocationIDs); err != nil {
		return u, err
	}

	return InsertInvited(ctx, tx, a.Jobs, u, assigned)
}

// userChange is a change of a user that can need proof.
type userChange struct {
	id, event string
	token     *string
	prove     func(before User) (proof, error) // what the token must prove
	edit      func(before User, u *User) error
}

// changeUser edits a user and saves it. The token is checked before the edit, because a
// token of the user must not become valid with the roles that the edit writes. The
// dealership must still have an owner.
func (a *API) changeUser(ctx context.Context, tx *db.Tx, c userChange) (User, error) {
	return rest.Change(ctx, tx, FindUserForUpdate, c.id, func(before User, u *User) error {
		needed, err := c.prove(before)
		if err != nil {
			return err
		}
		if err := needed.require(ctx, tx, before, TokenIn(c.token)); err != nil {
			return err
		}
		if err := c.edit(before, u); err != nil {
			return err
		}

		if err := saveUser(ctx, tx, u); err != nil {
			return err
		}
		if before.isOwner() && !u.isOwner() {
			if err := requireOwner(ctx, tx); err != nil {
				return err
			}
		}
		return events.Emit(ctx, tx, c.event, u.ID, events.Change{Before: before, After: *u})
	})
}

func (a *API) updateUser(ctx context.Context, tx *db.Tx, in *struct {
	ByUser
	Body UserPatch
}) (User, error) {
	return a.changeUser(ctx, tx, userChange{id: in.UserID, event: "user.updated", token: in.Body.MFAToken, prove: func(before User) (proof, error) {
		return proofIf(before.IsAdmin() || in.Body.ResetPassword), nil
	}, edit: func(before User, u *User) error {
		p := in.Body
		p.Email.To(&u.Email)
		p.Name.To(&u.Name)
		p.LocationIDs.To(&u.LocationIDs)
		p.TakesLeads.To(&u.LeadsChoice)
		u.deriveLeads()
		if err := u.check(); err != nil {
			return err
		}
		email := u.Email
		u.Email = before.Email

		if p.LocationIDs.Set {
			if err := checkLocations(ctx, tx, u.LocationIDs); err != nil {
				return err
			}
		}
		if p.Status.Set {
			if err := u.reactivate(); err != nil {
				return err
			}
		}
		if p.Email.Set {
			if err := a.changeEmail(ctx, tx, u, email); err != nil {
				return err
			}
		}

		if p.ResetPassword {
			return clearPassword(ctx, tx, a.Jobs, u)
		}
		// A new address or a reactivation needs a new invitation.
		if u.Status == Invited && (before.Status != Invited || before.Email != u.Email) {
			return a.Jobs.Enqueue(ctx, tx, Invite{u.Env, u.ID}, tx.Now)
		}
		return nil
	}})
}

// changeEmail sets a new address of a user and sends the link to confirm it. For
// a user who has not accepted the invitation, it cancels the links that were sent
// to the old address. It also removes the roles, which were meant for the person
// with the old address.
func (a *API) changeEmail(ctx context.Context, tx *db.Tx, u *User, email string) error {
	before := *u
	if u.changeEmail(email); u.Email != before.Email {
		if err := endLinks(ctx, tx, *u); err != nil {
			return err
		}
		return replaceRoles(ctx, tx, u, nil)
	}
	if u.PendingEmail == nil {
		_, err := endEmailChanges(ctx, tx, *u)
		return err
	}

	if err := users.CheckUnique(ctx, tx, u.ID, "email", email); err != nil {
		return err
	}
	if _, err := endEmailChanges(ctx, tx, *u); err != nil { // the job sends the new link later
		return err
	}
	if err := a.Jobs.Enqueue(ctx, tx, ConfirmEmail{u.Env, u.ID}, tx.Now); err != nil {
		return err
	}
	return a.Jobs.Enqueue(ctx, tx, AnnounceEmail{u.Env, u.ID, u.Email, email, tx.NewID("mail")}, tx.Now)
}

func (a *API) assignRoles(ctx context.Context, tx *db.Tx, in *struct {
	ByUser
	Body UserRolesReplace
}) (User, error) {
	var assigned []Role
	return a.changeUser(ctx, tx, userChange{id: in.UserID, event: "user.roles_assigned", token: in.Body.MFAToken, prove: func(before User) (needed proof, err error) {
		if assigned, err = findRoles(ctx, tx, in.Body.RoleIDs); err != nil {
			return noProof, err
		}
		return proofToAssign(before, assigned), nil
	}, edit: func(_ User, u *User) error {
		return replaceRoles(ctx, tx, u, assigned)
	}})
}
