// Package identity connects the packages that decide who the caller is: users and roles
// (people), API keys, sessions and two-factor methods (access), the pages to sign in
// (signin), single sign-on (sso), users that identity providers manage (scim), OAuth apps
// (oauth) and the command line (clilogin).
package identity

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"slipway/internal/identity/access"
	"slipway/internal/identity/clilogin"
	"slipway/internal/identity/oauth"
	"slipway/internal/identity/people"
	"slipway/internal/identity/scim"
	"slipway/internal/identity/signin"
	"slipway/internal/identity/sso"
	"slipway/internal/platform/authlog"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/mail"
	"slipway/internal/platform/ratelimit"
	"slipway/internal/platform/rest"
	"slipway/internal/platform/seal"
	"slipway/internal/vocab/token"
)

// Config is what the parts need.
type Config struct {
	DB       *db.DB
	Jobs     *jobs.Queue
	Box      *seal.Box
	Mail     mail.Sender
	MailFrom string
	AuthURL  string // of the sign-in pages, and the issuer of tokens
	BaseURL  string // of the API
	AuthLog  *authlog.Log
	Log      func(name string) *slog.Logger
	Now      func() time.Time
	HTTP     *http.Client // for identity providers and the metadata of apps

	AllowHTTP bool     // metadata of apps can be on plain HTTP
	MCP       bool     // whether assistants can connect
	ReturnTo  []string // pages of other features that a sign-in can lead to
}

// Hooks are what identity calls in features that it can't import.
type Hooks struct {
	DeleteWebhooks func(ctx context.Context, tx *db.Tx, installID string, app people.Author) error // see oauth.Hooks

	Webhooks, PushURLs, Calendars people.Holder // see people.Hooks

	Locate map[string]access.Locate // see access.Hooks
}

// API serves users, credentials and the pages to sign in.
type API struct {
	People people.API
	Access access.API
	OAuth  oauth.API
	SSO    sso.API
	SCIM   scim.API
	SignIn signin.API
	CLI    clilogin.API

	db    *db.DB
	usage *access.Usage
	uses  *oauth.Uses // of installed apps
}

// New connects the parts.
func New(c Config, h Hooks) *API {
	a := &API{db: c.DB, usage: access.NewUsage(), uses: oauth.NewUses()}
	a.connect(c, a.hooks(h))
	return a
}

// hooks are the hooks of the parts.
type hooks struct {
	People people.Hooks
	Access access.Hooks
	OAuth  oauth.Hooks
	SSO    sso.Hooks
	SignIn signin.Hooks
}

func (a *API) hooks(h Hooks) hooks {
	return hooks{
		People: people.Hooks{
			CheckCode: a.Access.CheckCode, EndLogins: endLogins, EndAssistants: oauth.EndAssistants, KeyIDs: access.KeyIDs,
			Keys: access.Holder(), Apps: oauth.Holder(), Webhooks: h.Webhooks, PushURLs: h.PushURLs, Calendars: h.Calendars,
		},
		Access: access.Hooks{
			PasswordOff: sso.PasswordOff,
			Tokens:      map[token.Kind]access.TokenAuthenticator{token.Access: a.OAuth.Authenticate},
			Locate:      h.Locate,
		},
		OAuth:  oauth.Hooks{DeleteWebhooks: h.DeleteWebhooks, PushURLs: h.PushURLs, Calendars: h.Calendars},
		SSO:    sso.Hooks{Provisioned: scim.Provisioned},
		SignIn: signin.Hooks{Connections: a.SSO.Connections, Logout: a.SSO.LogoutPage},
	}
}

func (a *API) connect(c Config, h hooks) {
	a.People = people.New(people.API{
		DB: c.DB, Jobs: c.Jobs, Mail: c.Mail, MailFrom: c.MailFrom, AuthURL: c.AuthURL, Log: c.Log("people"), Resets: ratelimit.New(c.Now),
	}, h.People)
	a.Access = access.New(access.API{
		DB: c.DB, Jobs: c.Jobs, Box: c.Box, People: &a.People, AuthURL: c.AuthURL, AuthLog: c.AuthLog, Throttle: access.NewThrottle(c.Now),
		Auth: &access.Authenticator{DB: c.DB, Usage: a.usage, AuthLog: c.AuthLog},
	}, h.Access)
	a.SignIn = signin.New(signin.API{
		DB: c.DB, Box: c.Box, Access: &a.Access, AuthURL: c.AuthURL, BaseURL: c.BaseURL, Log: c.Log("signin"), TokenPage: sso.Prefix + "/token",
		ReturnTo: append([]string{
			a.Access.AuthPath() + "/authorize", a.Access.AuthPath() + clilogin.Path, sso.Prefix + "/test", sso.Prefix + "/token",
		}, c.ReturnTo...),
	}, h.SignIn)
	a.OAuth = oauth.New(oauth.API{
		DB: c.DB, AuthURL: c.AuthURL, BaseURL: c.BaseURL, Log: c.Log("oauth"), AuthLog: c.AuthLog, Uses: a.uses, Failures: ratelimit.New(c.Now),
		MCP: c.MCP, Access: &a.Access, SignIn: &a.SignIn, Clients: &oauth.Clients{HTTP: c.HTTP, Now: c.Now, AllowHTTP: c.AllowHTTP, Reads: ratelimit.New(c.Now)},
	}, h.OAuth)
	a.SSO = sso.API{
		DB: c.DB, Jobs: c.Jobs, Box: c.Box, URL: sso.SiteURL(c.AuthURL), Log: c.Log("sso"), AuthLog: c.AuthLog, Mail: c.Mail, MailFrom: c.MailFrom,
		HTTP: c.HTTP, Access: &a.Access, SignIn: &a.SignIn,
	}
	a.SSO.Connect(h.SSO)
	a.SCIM = scim.API{
		DB: c.DB, URL: sso.SiteURL(c.BaseURL), Log: c.Log("scim"), AuthLog: c.AuthLog, Limits: ratelimit.New(c.Now), People: &a.People, SSO: &a.SSO,
	}
	a.CLI = clilogin.API{DB: c.DB, AuthURL: c.AuthURL, Log: c.Log("clilogin"), Access: &a.Access, SignIn: &a.SignIn}
}

// Mount registers the endpoints and the pages.
func (a *API) Mount(r *rest.Router) {
	for _, part := range []rest.Feature{&a.People, &a.Access, &a.OAuth, &a.SSO, &a.SCIM, &a.SignIn, &a.CLI} {
		part.Mount(r)
	}
}

// Work registers the jobs.
func (a *API) Work(q *jobs.Queue) {
	a.People.Work(q)
	a.SSO.Work(q)
}

// Events lists the event types.
var Events = slices.Concat(people.Events, access.Events, oauth.Events, sso.Events)

// Expired are the functions that delete what has expired in all environments.
var Expired = []db.Func[int64]{
	access.PurgeUsedCodes, people.DeleteExpired, signin.DeleteExpired, oauth.DeleteExpired, sso.DeleteExpired, clilogin.DeleteExpired,
}

// SaveUsage saves when credentials and installed apps were used.
func (a *API) SaveUsage(ctx context.Context) error {
	return errors.Join(a.usage.Flush(ctx, a.db), a.uses.Flush(ctx, a.db))
}

// endLogins ends the keys of slipway login of a user, and the codes for new ones.
func endLogins(ctx context.Context, tx *db.Tx, u people.User) error {
	if err := clilogin.DeleteCodes(ctx, tx, u); err != nil {
		return err
	}
	return access.RevokeLoginKeys(ctx, tx, u)
}
