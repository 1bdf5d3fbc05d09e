package app

import (
	"context"
	"slices"

	"slipway/internal/activities"
	"slipway/internal/appointments"
	"slipway/internal/channels"
	"slipway/internal/console"
	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/deals"
	"slipway/internal/documents"
	"slipway/internal/finance"
	"slipway/internal/hulls"
	"slipway/internal/identity/access"
	"slipway/internal/identity/clilogin"
	"slipway/internal/identity/oauth"
	"slipway/internal/identity/people"
	"slipway/internal/identity/signin"
	"slipway/internal/identity/sso"
	"slipway/internal/imports"
	"slipway/internal/leads"
	"slipway/internal/mcp"
	"slipway/internal/messages"
	"slipway/internal/photos"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/outbound"
	"slipway/internal/platform/ratelimit"
	"slipway/internal/platform/rest"
	"slipway/internal/platform/site"
	"slipway/internal/preview"
	"slipway/internal/proposals"
	"slipway/internal/reports"
	"slipway/internal/requestlog"
	"slipway/internal/webhooks"
)

// features are the features of the service, under the names of their packages.
type features struct {
	hulls        hulls.API
	photos       photos.API
	channels     channels.API
	imports      imports.API
	contacts     contacts.API
	leads        leads.API
	messages     messages.API
	deals        deals.API
	finance      finance.API
	documents    documents.API
	appointments appointments.API
	activities   activities.API
	dealership   dealership.API
	people       people.API
	access       access.API
	oauth        oauth.API
	clilogin     clilogin.API
	webhooks     webhooks.API
	signin       signin.API
	sso          sso.API
	preview      preview.API
	reports      reports.API
	requestlog   requestlog.API
	proposals    proposals.API
	console      console.API
	mcp          mcp.API
}

// all lists the features in the order of the reference.
func (f *features) all() []rest.Feature {
	return []rest.Feature{
		&f.hulls, &f.photos, &f.channels, &f.imports, &f.contacts, &f.leads, &f.messages,
		&f.deals, &f.finance, &f.documents, &f.appointments, &f.activities,
		&f.dealership, &f.people, &f.access, &f.oauth, &f.sso, &f.webhooks,
		&f.preview, &f.reports, &f.requestlog, &f.proposals,
		&f.signin, &f.clilogin, &f.console, &f.mcp,
	}
}

// Kinds lists all event types.
func Kinds() []events.Kind {
	return slices.Concat(hulls.Events, photos.Events, channels.Events, imports.Events, contacts.Events, leads.Events, messages.Events,
		deals.Events, finance.Events, documents.Events, appointments.Events, activities.Events,
		dealership.Events, people.Events, access.Events, oauth.Events, sso.Events,
		webhooks.Events, proposals.Events)
}

// features connects the features with what they need and with each other.
func (a *App) features(s Settings) (*features, error) {
	mailer, err := s.mailer()
	if err != nil {
		return nil, err
	}
	texter, number, err := s.texter()
	if err != nil {
		return nil, err
	}

	f := &features{
		hulls:  hulls.API{DB: a.DB, Jobs: a.Jobs, Holders: holders},
		photos: photos.API{DB: a.DB, Jobs: a.Jobs, Blobs: a.Blobs},
		channels: channels.API{
			DB: a.DB, Jobs: a.Jobs, Box: a.Box, Partners: outbound.New(partnerTimeout, s.AllowPrivate), Feeds: ratelimit.New(a.now),
		},
		imports: imports.API{
			DB: a.DB, Jobs: a.Jobs, Blobs: a.Blobs, Photos: outbound.New(partnerTimeout, s.AllowPrivate),
			Observe: a.metrics.imported,
		},
		contacts: contacts.API{DB: a.DB},
		leads:    leads.API{DB: a.DB, Reviewed: messages.Review},
		messages: messages.API{
			DB: a.DB, Jobs: a.Jobs, Box: a.Box, Log: a.logger("messages"), Mail: mailer, MailFrom: s.mailFrom(), SMS: texter, SMSFrom: number,
			Blobs: a.Blobs,
		},
		deals:        deals.API{DB: a.DB, Jobs: a.Jobs},
		finance:      finance.API{DB: a.DB, CheckEvidence: documents.CheckEvidence},
		documents:    documents.API{DB: a.DB, Blobs: a.Blobs},
		appointments: appointments.API{DB: a.DB, Jobs: a.Jobs},
		activities:   activities.API{DB: a.DB, Kinds: Kinds()},
		dealership: dealership.API{
			DB: a.DB, Jobs: a.Jobs, Box: a.Box, Mail: mailer, MailFrom: s.mailFrom(), Log: a.logger("dealership"),
		},
		people: people.API{
			DB: a.DB, Jobs: a.Jobs, Mail: mailer, MailFrom: s.mailFrom(), AuthURL: s.authURL(), Log: a.logger("people"),
			Resets: ratelimit.New(a.now), RevokeKeys: revokeKeys, HasAdminKeys: hasAdminKeys,
		},
		access: access.API{
			DB: a.DB, Jobs: a.Jobs, Box: a.Box, AuthURL: s.authURL(), AuthLog: a.AuthLog,
			Auth: &access.Authenticator{DB: a.DB, Usage: a.usage, AuthLog: a.AuthLog}, Throttle: access.NewThrottle(a.now),
		},
		oauth: oauth.API{
			DB: a.DB, AuthURL: s.authURL(), BaseURL: site.Of(a.DB).URL, Log: a.logger("oauth"), Uses: a.uses, Failures: ratelimit.New(a.now),
			AuthLog: a.AuthLog, MCP: s.MCP != "off",
		},
		proposals: proposals.API{DB: a.DB, Jobs: a.Jobs, Box: a.Box},
		webhooks:  webhooks.API{DB: a.DB, Box: a.Box, Jobs: a.Jobs, Kinds: Kinds(), Streams: a.Streams, AllowPrivate: s.AllowPrivate},
	}

	f.signin = signin.API{
		DB: a.DB, Box: a.Box, Access: &f.access, AuthURL: s.authURL(), BaseURL: site.Of(a.DB).URL, Log: a.logger("signin"),
		ReturnTo: []string{f.access.AuthPath() + "/authorize", f.access.AuthPath() + clilogin.Path, sso.Prefix + "/test", sso.Prefix + "/token", console.Path},
	}
	f.clilogin = clilogin.API{DB: a.DB, AuthURL: s.authURL(), Log: a.logger("clilogin"), Access: &f.access, SignIn: &f.signin, CheckCode: f.access.CheckCode}
	f.console = console.API{DB: a.DB, SignIn: &f.signin, BaseURL: s.BaseURL}
	f.oauth.Clients = &oauth.Clients{HTTP: outbound.New(providerTimeout, s.AllowPrivate), Now: a.now, AllowHTTP: s.AllowPrivate}
	f.mcp = mcp.API{On: s.MCP != "off", Auth: f.access.Auth, Metadata: f.oauth.MCPMetadataURL(), Build: Build, Log: a.logger("mcp")}
	f.sso = sso.API{
		DB: a.DB, Jobs: a.Jobs, Box: a.Box, URL: sso.SiteURL(s.authURL()), Log: a.logger("sso"), AuthLog: a.AuthLog, Mail: mailer, MailFrom: s.mailFrom(),
		HTTP: outbound.New(providerTimeout, s.AllowPrivate), Access: &f.access, SignIn: &f.signin, CheckCode: f.access.CheckCode,
	}
	f.signin.SSO, f.access.PasswordOff = f.sso.Hooks(), sso.PasswordOff
	f.preview = preview.API{DB: a.DB, Deals: &f.deals}
	f.access.People, f.people.CheckCode, f.oauth.CheckCode = &f.people, f.access.CheckCode, f.access.CheckCode
	f.access.Auth.Apps, f.oauth.SignIn = f.oauth.Authenticate, &f.signin
	f.deals.Unwind = append(f.deals.Unwind, finance.WithdrawFundings, documents.VoidUnsigned, finance.SettlePayments)
	f.appointments.Notify = f.messages.Notify
	f.contacts.Holders = []contacts.Holder{
		f.messages.Holder(), f.leads.Holder(), f.deals.Holder(), f.finance.Holder(), f.documents.Holder(),
		f.appointments.Holder(), f.activities.Holder(), f.proposals.Holder(),
	}
	return f, nil
}

// revokeKeys revokes the API keys of a user, and uninstalls the apps that the user
// allowed.
func revokeKeys(ctx context.Context, tx *db.Tx, u people.User) error {
	if err := access.RevokeKeysOf(ctx, tx, u); err != nil {
		return err
	}
	return oauth.UninstallAppsOf(ctx, tx, u)
}

// hasAdminKeys reports whether revokeKeys affects the admin scope.
func hasAdminKeys(ctx context.Context, tx *db.Tx, u people.User) (bool, error) {
	if admin, err := access.HasAdminKeys(ctx, tx, u); err != nil || admin {
		return admin, err
	}
	return oauth.HasAdminApps(ctx, tx, u)
}

// holders let hulls check what a hold is for. Hulls can't import deals, leads and
// contacts.
var holders = hulls.Holders{
	Deal: func(ctx context.Context, tx *db.Tx, id string) error {
		_, err := deals.Find(ctx, tx, id)
		return err
	},
	Lead: func(ctx context.Context, tx *db.Tx, id string) error {
		_, err := leads.Find(ctx, tx, id)
		return err
	},
	Contact: func(ctx context.Context, tx *db.Tx, id string) error {
		_, err := contacts.Find(ctx, tx, id)
		return err
	},
}
