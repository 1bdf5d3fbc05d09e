package scim

import (
	"context"
	"log/slog"
	"net/http"
	"slices"

	"slipway/internal/identity/people"
	"slipway/internal/identity/sso"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/authlog"
	"slipway/internal/platform/db"
	"slipway/internal/platform/ratelimit"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/token"
)

// API serves SCIM, and the tokens for it.
type API struct {
	DB      *db.DB
	URL     string // of the API, without a path
	Log     *slog.Logger
	AuthLog *authlog.Log
	Limits  *ratelimit.Limiter
	People  *people.API
	SSO     *sso.API
}

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	r.HandleProtocol(Prefix, maxBody, http.HandlerFunc(a.route))

	administer, preview := auth.Require(auth.Admin), r.Family(family.Access).Preview("2026-11-18")
	rest.Get(preview, rest.Route{
		Path: "/sso_connections/{connection_id}/scim", ID: "getScim", Needs: administer,
		Summary: "Retrieve the SCIM state of an SSO connection",
		Text:    "Returns whether the identity provider can manage users, and the roles that an administrator must assign.",
		Assist:  assist.Never(assist.Credentials),
	}, a.get)
	rest.PostOK(preview, rest.Route{
		Path: "/sso_connections/{connection_id}/scim_token", ID: "createScimToken", Needs: administer, NoIfMatch: true,
		Summary: "Create or replace the SCIM token of an SSO connection",
		Text: "With the token, the identity provider can create, change and deactivate the users of the connection, and assign roles by group. " +
			"It is only returned once. The previous token stops working immediately. Requires the fleet plan and an `mfa_token`.",
		Assist: assist.Never(assist.Credentials),
	}, a.createToken)
	rest.Delete(preview, rest.Route{
		Path: "/sso_connections/{connection_id}/scim_token", ID: "deleteScimToken", Needs: administer, NoIfMatch: true, Urgent: true,
		Summary: "Remove the SCIM token of an SSO connection",
		Text:    "The identity provider can no longer manage users. The users stay as they are.",
		Assist:  assist.Never(assist.Credentials),
	}, a.deleteToken)
}

func (a *API) get(ctx context.Context, tx *db.Tx, in *sso.ByConnection) (Provisioning, error) {
	c, err := a.SSO.Find(ctx, tx, in.ConnectionID)
	if err != nil {
		return Provisioning{}, err
	}
	return a.describe(ctx, tx, c)
}

// describe returns the state of a connection.
func (a *API) describe(ctx context.Context, tx *db.Tx, c sso.Connection) (p Provisioning, err error) {
	p = Provisioning{ConnectionID: c.ID, BaseURL: a.URL + Prefix}
	t, ok, err := findCredential(ctx, tx, c.ID)
	if err != nil {
		return p, err
	}
	if ok {
		p.Enabled, p.TokenCreatedAt, p.TokenCreatedBy, p.LastChangeAt = true, &t.CreatedAt, &t.CreatedBy, t.LastChangeAt
	}
	if p.UserCount, err = countUsers(ctx, tx, c.ID); err != nil {
		return p, err
	}
	if p.GroupCount, err = countGroups(ctx, tx, c.ID); err != nil {
		return p, err
	}
	p.PendingRoles, err = pendingRoles(ctx, tx, c)
	return p, err
}

// pendingRoles returns the roles with the admin scope that groups map to, and that the
// users don't have.
func pendingRoles(ctx context.Context, tx *db.Tx, c sso.Connection) ([]PendingRole, error) {
	all := []PendingRole{}
	byUser, err := groupsOf(ctx, tx, c.ID, "")
	if err != nil || len(c.GroupMapping) == 0 {
		return all, err
	}
	users, err := people.AllUsers(ctx, tx)
	if err != nil {
		return all, err
	}
	for _, u := range users {
		named := names(byUser[u.ID])
		mapped := slices.ContainsFunc(c.GroupMapping, func(m sso.GroupRole) bool { return slices.Contains(named, m.Group) })
		if !mapped || u.Status == people.Deactivated {
			continue
		}
		_, pending, err := c.RolesFor(ctx, tx, u, named)
		if err != nil {
			return all, err
		}
		for _, r := range pending {
			all = append(all, PendingRole{UserID: u.ID, UserName: u.Name, RoleID: r.ID, RoleName: r.Name})
		}
	}
	return all, nil
}

func (a *API) createToken(ctx context.Context, tx *db.Tx, in *struct {
	sso.ByConnection
	Body *ProvisioningTokenCreate
}) (out ProvisioningToken, err error) {
	c, err := a.SSO.Find(ctx, tx, in.ConnectionID)
	if err != nil {
		return out, err
	}
	var proof *string
	if in.Body != nil {
		proof = in.Body.MFAToken
	}
	if err := people.RequireProof(ctx, tx, people.TokenIn(proof)); err != nil {
		return out, err
	}
	_, replaced, err := findCredential(ctx, tx, c.ID)
	if err != nil {
		return out, err
	}

	caller := auth.From(ctx)
	row := credential{Env: tx.Env, ConnectionID: c.ID, CreatedBy: caller.Actor.ID, CreatedAt: tx.Now}
	out.Token, row.PublicID = token.New(token.SCIM, caller.Mode, tx.Env)
	row.Hash = token.Hash(out.Token)
	if err := replaceCredential(ctx, tx, row); err != nil {
		return out, err
	}
	if out.Provisioning, err = a.describe(ctx, tx, c); err != nil {
		return out, err
	}
	action := "sso_connection.scim_token_created"
	if replaced {
		action = "sso_connection.scim_token_replaced"
	}
	return out, audit.Record(ctx, tx, action, c.ID, map[string][2]any{"public_id": {nil, row.PublicID}})
}

// deleteToken needs no proof: taking access away is always possible.
func (a *API) deleteToken(ctx context.Context, tx *db.Tx, in *sso.ByConnection) (none rest.None, err error) {
	c, err := a.SSO.Find(ctx, tx, in.ConnectionID)
	if err != nil {
		return none, err
	}
	t, ok, err := findCredential(ctx, tx, c.ID)
	if err == nil && !ok {
		err = fault.NotFound("SCIM token of", c.ID)
	}
	if err != nil {
		return none, err
	}
	if err := deleteCredential(ctx, tx, c.ID); err != nil {
		return none, err
	}
	return none, audit.Record(ctx, tx, "sso_connection.scim_token_removed", c.ID, map[string][2]any{"public_id": {t.PublicID, nil}})
}
