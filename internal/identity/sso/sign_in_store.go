package sso

import (
	"context"

	"slipway/internal/identity/access"
	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// outcome is the result of a sign-in.
type outcome struct {
	opened   access.Opened
	returnTo string
	linkSent bool // the user must confirm by email that the identity is theirs

	login login
	id    identity
}

// actor is the actor of what a connection does without a user.
func (c Connection) actor() auth.Actor {
	return auth.Actor{Type: auth.ActorSystem, ID: c.ID, Label: "SSO connection " + c.Name}
}

// as returns a context where the connection acts.
func (l located) as(ctx context.Context) context.Context {
	return auth.With(ctx, auth.Principal{Env: l.Env, Mode: l.Dealership.Mode, DealershipID: l.Dealership.ID, Actor: l.actor()})
}

// findRoles returns the roles that still exist.
func findRoles(ctx context.Context, tx *db.Tx, ids []string) (roles []people.Role, err error) {
	for _, id := range ids {
		r, err := people.FindRole(ctx, tx, id)
		if fault.KindOf(err) == fault.KindNotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		roles = append(roles, r)
	}
	return roles, nil
}

// plan is what a sign-in does.
type plan struct {
	profile   profile
	user      people.User   // "" as the ID: a new one
	linked    bool          // the identity is linked to the user
	isNew     bool          // the identity will be linked: the provider created the user with SCIM
	roles     []people.Role // to assign
	setsRoles bool          // for existing users
	hasRole   bool          // after the sign-in
	rejected  *errRejected
}

// plan decides what a sign-in does, without changing anything. The test page shows it.
func (a *API) plan(ctx context.Context, tx *db.Tx, l located, id identity) (p plan, err error) {
	p.profile, p.setsRoles = l.read(id), len(l.GroupMapping) > 0
	userID, err := findIdentity(ctx, tx, l.Connection, id.Issuer, id.Subject)
	if err != nil {
		return p, err
	}
	if userID == "" {
		if userID, err = findProvisioned(ctx, tx, l, id, p.profile); err != nil {
			return p, err
		}
		p.isNew = userID != ""
	}
	if userID != "" {
		p.linked = true
		if p.user, err = people.FindUserForUpdate(ctx, tx, userID); err != nil {
			return p, err
		}
	}

	if id.Overage && p.setsRoles {
		p.setsRoles = false
		p.rejected = errFailed("Entra ID sent no groups, because the user is in more than 200 (or 150 for SAML). " +
			"In the app registration, under Token configuration, send only groups that are assigned to the application.")
		return p, nil
	}
	pending, err := a.planRoles(ctx, tx, l, &p)
	if err != nil {
		return p, err
	}
	p.hasRole = len(p.roles) > 0 || p.linked && !p.setsRoles
	switch {
	case p.linked && p.user.Status != people.Active:
		p.rejected = l.errDenied(l.Dealership.Name, "User %s is %s.", p.user.ID, p.user.Status)
	case !p.hasRole && p.setsRoles && len(pending) > 0:
		p.rejected = l.errDenied(l.Dealership.Name, "An administrator must assign the role %s, which the groups of the user map to.", pending[0].Name)
	case !p.hasRole && p.setsRoles:
		p.rejected = l.errDenied(l.Dealership.Name, "No group of the user is in group_mapping, and default_role_id is not set.")
	case !p.linked:
		err = a.planUnlinked(ctx, tx, l, id, &p)
	}
	return p, err
}

// planRoles sets the roles by the groups of the sign-in. If the provider sends none, it uses
// those that it has sent with SCIM.
func (a *API) planRoles(ctx context.Context, tx *db.Tx, l located, p *plan) (pending []people.Role, err error) {
	if p.profile.GroupsName == "" && p.linked {
		found, err := db.Attached[Hooks](tx).Provisioned(ctx, tx, l.ID, p.user.ID)
		if err != nil {
			return nil, err
		}
		if len(found.Groups) > 0 {
			p.roles, pending, err = l.RolesFor(ctx, tx, p.user, found.Groups)
			return pending, err
		}
	}
	ids, _ := l.rolesFor(p.profile.Groups)
	if p.roles, err = findRoles(ctx, tx, ids); err != nil {
		return nil, err
	}
	p.roles = l.withoutOwner(p.roles)
	return nil, nil
}

// planUnlinked decides about an identity that no user has.
func (a *API) planUnlinked(ctx context.Context, tx *db.Tx, l located, id identity, p *plan) error {
	if problem := l.checkEmail(id, p.profile); problem != "" {
		p.rejected = l.errDenied(l.Dealership.Name, "%s", problem)
		return nil
	}
	u, err := people.FindUserByEmail(ctx, tx, p.profile.Email)
	switch {
	case fault.KindOf(err) == fault.KindNotFound && !l.JIT:
		p.rejected = l.errDenied(l.Dealership.Name, "No user has this email address, and jit is off.")
	case fault.KindOf(err) == fault.KindNotFound && !p.hasRole:
		p.rejected = l.errDenied(l.Dealership.Name, "The user would be new, but default_role_id is not set.")
	case fault.KindOf(err) == fault.KindNotFound:
	case err != nil:
		return err
	case u.Status == people.Deactivated:
		p.rejected = l.errDenied(l.Dealership.Name, "User %s is deactivated.", u.ID)
	default:
		p.user = u
	}
	return nil
}

// complete signs a user in, in one transaction with the end of the login. A rejection
// commits, because the user loses the roles.
func (a *API) complete(ctx context.Context, tx *db.Tx, l located, o outcome, replaces string) (outcome, error) {
	o.returnTo = o.login.ReturnTo
	p, err := a.plan(ctx, tx, l, o.id)
	if err != nil {
		return o, err
	}
	if p.rejected != nil {
		if err := a.withdraw(ctx, tx, l, p); err != nil {
			return o, err
		}
		return o, db.Committed(p.rejected)
	}
	if p.user.ID != "" && !p.linked {
		o.linkSent = true
		return o, a.requestLink(ctx, tx, l.Connection, p.user, o.id)
	}

	u := p.user
	if p.isNew {
		i := linkedIdentity{Issuer: o.id.Issuer, Subject: o.id.Subject, LinkedBy: bySCIM}
		if err := insertIdentity(ctx, tx, l.Connection, u, i); err != nil {
			return o, err
		}
		if u, err = people.LinkSSO(ctx, tx, u, &o.id.Subject); err != nil {
			return o, err
		}
	}
	switch {
	case !p.linked:
		u = people.User{Email: p.profile.Email, Name: p.profile.Name, SSOSubject: &o.id.Subject}
		if u, err = people.ProvisionSSO(ctx, tx, u, p.roles); err != nil {
			return o, err
		}
		if err := insertIdentity(ctx, tx, l.Connection, u, linkedIdentity{Issuer: o.id.Issuer, Subject: o.id.Subject, LinkedBy: byJIT}); err != nil {
			return o, err
		}
	case p.setsRoles:
		if u, err = people.SetSSORoles(ctx, tx, u, p.roles, l.AllowOwnerRole); err != nil {
			return o, err
		}
	}

	_, err = db.Exec(ctx, tx, `UPDATE sso_identities SET last_sign_in_at = ? WHERE env = ? AND connection_id = ? AND user_id = ?`,
		tx.Now, l.Env, l.ID, u.ID)
	if err != nil {
		return o, err
	}
	ctx = auth.With(ctx, auth.Principal{Env: u.Env, Mode: l.Dealership.Mode, Actor: u.Actor()})
	o.opened, err = a.Access.OpenSSOSession(ctx, tx, u, access.NewSession{
		Mode: l.Dealership.Mode, Method: people.SignInMethod(l.Protocol), ExpiresAt: o.id.expiry(tx.Now), Browser: true, Replaces: replaces,
	})
	if err != nil {
		return o, err
	}
	return o, a.insertSession(ctx, tx, l.Connection, o.opened.Session, o.id)
}

// withdraw takes the roles of a user who is no longer in a group, and ends the
// sessions that the connection opened.
func (a *API) withdraw(ctx context.Context, tx *db.Tx, l located, p plan) error {
	if !p.linked || !p.setsRoles || len(p.roles) > 0 {
		return nil
	}
	if _, err := people.SetSSORoles(ctx, tx, p.user, nil, l.AllowOwnerRole); err != nil {
		return err
	}
	return EndSessionsOfUser(ctx, tx, l.Connection, p.user.ID)
}

// PasswordOff reports whether a user must use single sign-on: a connection enforces
// it for the verified domain of the address. An owner with a two-factor method can
// always use the password, in case the provider is unavailable.
func PasswordOff(ctx context.Context, tx *db.Tx, u people.User) (bool, error) {
	if u.IsOwner() && u.HasActiveFactor() {
		return false, nil
	}
	n, err := db.One[int64](ctx, tx, `SELECT COUNT(*) FROM sso_domains d JOIN sso_connections c ON c.env = d.env AND c.id = d.connection_id
		WHERE d.env = ? AND d.domain = ? AND d.verified_at IS NOT NULL AND c.enforce`, tx.Env, domainOf(u.Email))
	if err != nil || n == 0 {
		return false, err
	}
	err = requireFleet(ctx, tx)
	if fault.KindOf(err) == fault.KindForbidden {
		return false, nil
	}
	return err == nil, err
}
