package oauth

import (
	"context"
	"log/slog"

	"slipway/internal/identity/access"
	"slipway/internal/identity/people"
	"slipway/internal/identity/signin"
	"slipway/internal/platform/authlog"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/ratelimit"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/token"
	"slipway/internal/vocab/version"
)

// API serves apps and installs, and the authorization server.
type API struct {
	DB       *db.DB
	AuthURL  string // the issuer
	BaseURL  string // of the API
	Log      *slog.Logger
	AuthLog  *authlog.Log
	Uses     *Uses
	Failures *ratelimit.Limiter // of client authentication
	MCP      bool               // whether assistants can connect
	Access   *access.API
	SignIn   *signin.API
	Clients  *Clients // finds apps that no dealership has registered
}

// Hooks are what oauth calls in features that it can't import.
type Hooks struct {
	// DeleteWebhooks deletes the webhooks of an app that is uninstalled, in the same transaction.
	DeleteWebhooks func(ctx context.Context, tx *db.Tx, installID string, app people.Author) error

	// What else an app can create that gives it data, and that ends with it.
	PushURLs, Calendars people.Holder
}

// New returns the feature, and attaches its hooks to the database.
func New(a API, h Hooks) API {
	a.DB.AttachHooks(h)
	return a
}

var administer = auth.Require(auth.Admin)

// Mount registers the endpoints and the pages.
func (a *API) Mount(r *rest.Router) {
	r = r.Family(family.Access)
	rest.Get(r, rest.Route{
		Path: "/apps", ID: "listApps", Needs: administer,
		Summary: "List OAuth apps this dealership publishes",
		Text:    "Returns the apps that this dealership has registered. Apps of other dealerships that are installed here are in the list of installs.",
		Assist:  assist.Never(assist.Credentials),
	}, a.listApps)
	rest.PostCreated(r, rest.Route{
		Path: "/apps", ID: "createApp", Needs: administer,
		Summary: "Register an OAuth app",
		Text: "The client secret is only returned once. Dealerships can install an app of a live environment in live and test, and an app of a test environment only in test. " +
			"An app with the admin scope requires an `mfa_token`.",
		Assist: assist.Never(assist.Credentials),
	}, a.createApp)
	rest.Get(r, rest.Route{
		Path: "/apps/{app_id}", ID: "getApp", Needs: administer,
		Summary: "Retrieve an OAuth app",
		Text:    "Returns the app with its redirect URIs and scopes. The client secret is not returned.",
		Assist:  assist.Never(assist.Credentials),
	}, a.getApp)
	rest.Patch(r, rest.Route{
		Path: "/apps/{app_id}", ID: "updateApp", Needs: administer,
		Summary: "Change an OAuth app",
		Text:    "An app with the admin scope requires an `mfa_token`.",
		Assist:  assist.Never(assist.Credentials),
	}, a.updateApp)
	rest.Delete(r, rest.Route{
		Path: "/apps/{app_id}", ID: "deleteApp", Needs: administer,
		Summary: "Delete an OAuth app and its installs",
		Text:    "All its tokens stop working immediately, in all dealerships. An app with the admin scope requires an `MFA-Token`.",
		Assist:  assist.Never(assist.Credentials),
	}, a.deleteApp)
	rest.PostOK(r, rest.Route{
		Path: "/apps/{app_id}/rotate_secret", ID: "rotateAppSecret", Needs: administer,
		Summary: "Rotate an app's client secret",
		Text: "The new secret is only returned once. The old one works for 7 more days, unless you send `expire_old`. " +
			"An app with the admin scope requires an `mfa_token`.",
		Assist: assist.Never(assist.Credentials),
	}, a.rotateSecret)
	rest.Get(r, rest.Route{
		Path: "/installs", ID: "listInstalls", Needs: administer,
		Summary: "List apps installed by this dealership",
		Text:    "Returns the apps that can access this environment, with the scopes that a user has allowed. Newest first.",
		Assist:  assist.Never(assist.Credentials),
	}, a.listInstalls)
	rest.Delete(r, rest.Route{
		Path: "/installs/{install_id}", ID: "revokeInstall", Needs: administer,
		Summary: "Uninstall an app and revoke its tokens",
		Text:    "The app's tokens for this environment stop working immediately. An install with the admin scope requires an `MFA-Token`, unless the app uninstalls itself.",
		Assist:  assist.Never(assist.Credentials),
		Urgent:  true,
	}, a.revokeInstall)
	a.document(r)
	a.mountPages(r)
}

// AuthPath returns the path of {auth_url} on this server.
func (a *API) AuthPath() string { return people.AuthPath(a.AuthURL) }

// ByApp is the path parameter of an app.
type ByApp struct {
	AppID string `path:"app_id" doc:"ID of the app." example:"app_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) listApps(ctx context.Context, tx *db.Tx, in *struct{ page.Query }) (page.Page[App], error) {
	return apps.List(ctx, tx, in.Query, registered())
}

func (a *API) getApp(ctx context.Context, tx *db.Tx, in *ByApp) (App, error) {
	return findRegistered(ctx, tx, in.AppID)
}

func (a *API) createApp(ctx context.Context, tx *db.Tx, in *struct{ Body AppCreate }) (IssuedApp, error) {
	b := in.Body
	app := App{
		Name: b.Name, Type: b.Type, RedirectURIs: b.RedirectURIs, Scopes: b.Scopes, HomepageURL: b.HomepageURL,
		ServiceVersion: version.Latest(),
	}
	if app.Type == "" {
		app.Type = Confidential
	}
	if err := app.check(); err != nil {
		return IssuedApp{}, err
	}
	if app.isAdmin() {
		if err := people.RequireProof(ctx, tx, people.TokenIn(b.MFAToken)); err != nil {
			return IssuedApp{}, err
		}
	}

	return insertApp(ctx, tx, auth.From(ctx).Mode, app)
}

func (a *API) updateApp(ctx context.Context, tx *db.Tx, in *struct {
	ByApp
	Body AppPatch
}) (App, error) {
	return rest.Change(ctx, tx, findRegistered, in.AppID, func(before App, app *App) error {
		in.Body.Name.To(&app.Name)
		in.Body.RedirectURIs.To(&app.RedirectURIs)
		in.Body.Scopes.To(&app.Scopes)
		in.Body.HomepageURL.To(&app.HomepageURL)
		if err := app.check(); err != nil {
			return err
		}
		if before.isAdmin() || app.isAdmin() {
			if err := people.RequireProof(ctx, tx, people.TokenIn(in.Body.MFAToken)); err != nil {
				return err
			}
		}

		if err := apps.Save(ctx, tx, app); err != nil {
			return err
		}
		return events.Emit(ctx, tx, "app.updated", app.ID, events.Change{Before: before, After: *app})
	})
}

func (a *API) deleteApp(ctx context.Context, tx *db.Tx, in *struct {
	ByApp
	MFAToken string `header:"MFA-Token" maxLength:"100" doc:"Required for an app with the admin scope. Must be from an administrator."`
}) (none rest.None, err error) {
	_, err = rest.Change(ctx, tx, apps.FindForUpdate, in.AppID, func(before App, _ *App) error {
		if before.isAdmin() {
			if err := people.RequireProof(ctx, tx, in.MFAToken); err != nil {
				return err
			}
		}
		return deleteApp(ctx, tx, before)
	})
	return none, err
}

func (a *API) rotateSecret(ctx context.Context, tx *db.Tx, in *struct {
	ByApp
	Body *AppSecretRotate
}) (IssuedApp, error) {
	if in.Body == nil {
		in.Body = &AppSecretRotate{}
	}
	secret, _ := token.New(token.ClientSecret, auth.From(ctx).Mode, auth.From(ctx).Env)
	app, err := rest.Change(ctx, tx, findRegistered, in.AppID, func(before App, app *App) error {
		if err := app.rotate(secret, in.Body.ExpireOld, tx.Now); err != nil {
			return err
		}
		if before.isAdmin() {
			if err := people.RequireProof(ctx, tx, people.TokenIn(in.Body.MFAToken)); err != nil {
				return err
			}
		}

		if err := apps.Save(ctx, tx, app); err != nil {
			return err
		}
		return events.Emit(ctx, tx, "app.secret_rotated", app.ID, events.Change{Before: before, After: *app})
	})
	return IssuedApp{App: app, ClientSecret: &secret}, err
}
