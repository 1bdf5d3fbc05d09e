package app

import (
	"reflect"
	"slices"

	"slipway/internal/activities"
	"slipway/internal/appointments"
	"slipway/internal/backups"
	"slipway/internal/campaigns"
	"slipway/internal/channels"
	"slipway/internal/console"
	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/deals"
	"slipway/internal/documents"
	"slipway/internal/donotcall"
	"slipway/internal/finance"
	"slipway/internal/hulls"
	"slipway/internal/identity"
	"slipway/internal/imports"
	"slipway/internal/leads"
	"slipway/internal/mcp"
	"slipway/internal/messages"
	"slipway/internal/photos"
	"slipway/internal/plans"
	"slipway/internal/platform/events"
	"slipway/internal/platform/outbound"
	"slipway/internal/platform/providers"
	"slipway/internal/platform/ratelimit"
	"slipway/internal/platform/rest"
	"slipway/internal/platform/site"
	"slipway/internal/preview"
	"slipway/internal/proposals"
	"slipway/internal/reports"
	"slipway/internal/requestlog"
	"slipway/internal/storefront"
	"slipway/internal/summaries"
	"slipway/internal/templates"
	"slipway/internal/views"
	"slipway/internal/vocab/privacy"
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
	templates    templates.API
	campaigns    campaigns.API
	donotcall    donotcall.API
	plans        plans.API
	deals        deals.API
	finance      finance.API
	documents    documents.API
	appointments appointments.API
	storefront   storefront.API
	activities   activities.API
	summaries    summaries.API
	dealership   dealership.API
	identity     *identity.API
	webhooks     webhooks.API
	preview      preview.API
	views        views.API
	reports      reports.API
	requestlog   requestlog.API
	backups      backups.API
	proposals    proposals.API
	console      console.API
	mcp          mcp.API
}

// all lists the features in the order of the reference.
func (f *features) all() []rest.Feature {
	return []rest.Feature{
		&f.hulls, &f.photos, &f.channels, &f.imports, &f.contacts, &f.leads, &f.messages, &f.campaigns, &f.templates, &f.plans, &f.donotcall,
		&f.deals, &f.finance, &f.documents, &f.appointments, &f.storefront, &f.activities, &f.summaries,
		&f.dealership, f.identity, &f.webhooks,
		&f.preview, &f.views, &f.reports, &f.requestlog, &f.backups, &f.proposals,
		&f.console, &f.mcp,
	}
}

// Kinds lists all event types.
func Kinds() []events.Kind {
	return slices.Concat(hulls.Events, photos.Events, channels.Events, imports.Events, imports.ContactEvents, contacts.Events, leads.Events, messages.Events, campaigns.Events, templates.Events, plans.Events, donotcall.Events,
		deals.Events, deals.ListingEvents, finance.Events, documents.Events, appointments.Events, activities.Events,
		dealership.Events, identity.Events, webhooks.Events, proposals.Events)
}

// Audited returns the types of what the audit log has changes of.
func Audited() []reflect.Type {
	types := []reflect.Type{reflect.TypeFor[hulls.HullPricing]()}
	for _, k := range Kinds() {
		types = append(types, reflect.TypeOf(k.Object))
	}
	return types
}

// features connects the features with what they need and with each other.
func (a *App) features(s Settings) (*features, error) {
	f := &features{}
	return f, a.connect(f, s, a.hooks(f))
}

func (a *App) connect(f *features, s Settings, h hooks) error {
	mailer, err := s.Mailer()
	if err != nil {
		return err
	}
	texter, number, err := s.Texter()
	if err != nil {
		return err
	}
	if s.SMTPURL != "" {
		mailer = providers.Mail(mailer, a.breaker(messages.MailServer))
	}
	if s.TwilioAccountSID != "" {
		texter = providers.Texts(texter, a.breaker(texter.Name()))
	}

	if f.backups, err = a.backups(s, h.Backups); err != nil {
		return err
	}
	a.Backups = &f.backups
	f.hulls = hulls.New(hulls.API{DB: a.DB, Jobs: a.Jobs}, h.Hulls)
	f.photos = photos.API{DB: a.DB, Jobs: a.Jobs, Blobs: a.Blobs}
	f.channels = channels.API{
		DB: a.DB, Jobs: a.Jobs, Box: a.Box, Partners: outbound.New(partnerTimeout, s.AllowPrivate), Feeds: ratelimit.New(a.now),
	}
	f.imports = imports.New(imports.API{
		DB: a.DB, Jobs: a.Jobs, Blobs: a.Blobs, Photos: outbound.New(partnerTimeout, s.AllowPrivate),
	}, h.Imports)

	f.contacts = contacts.New(contacts.API{DB: a.DB}, h.Contacts)
	f.leads = leads.New(leads.API{DB: a.DB}, h.Leads)
	f.messages = messages.New(messages.API{
		DB: a.DB, Jobs: a.Jobs, Box: a.Box, Log: a.logger("messages"), Mail: mailer, MailFrom: s.mailFrom(), SMS: texter, SMSFrom: number,
		Blobs: a.Blobs,
	}, h.Messages)
	f.templates = templates.API{DB: a.DB}
	f.views = views.API{DB: a.DB}
	f.campaigns = campaigns.API{DB: a.DB, Jobs: a.Jobs, Messages: &f.messages}
	f.plans = plans.API{DB: a.DB, Jobs: a.Jobs, Messages: &f.messages}
	f.donotcall = donotcall.API{DB: a.DB, Jobs: a.Jobs}
	f.appointments = appointments.API{DB: a.DB, Jobs: a.Jobs, Messages: &f.messages}
	f.storefront = storefront.New(storefront.API{
		DB: a.DB, Jobs: a.Jobs, Mail: mailer, MailFrom: s.mailFrom(), Log: a.logger("storefront"), Limits: ratelimit.New(a.now),
		Appointments: &f.appointments, Messages: &f.messages,
	})
	f.activities = activities.API{DB: a.DB, Kinds: Kinds()}
	f.summaries = summaries.API{DB: a.DB, Jobs: a.Jobs, Mail: mailer, MailFrom: s.mailFrom()}
	f.proposals = proposals.API{DB: a.DB, Jobs: a.Jobs, Box: a.Box}

	f.deals = deals.New(deals.API{DB: a.DB, Jobs: a.Jobs}, h.Deals)
	f.finance = finance.New(finance.API{DB: a.DB}, h.Finance)
	f.documents = documents.API{DB: a.DB, Blobs: a.Blobs}
	f.preview = preview.API{DB: a.DB, Deals: &f.deals}

	f.dealership = dealership.New(dealership.API{
		DB: a.DB, Jobs: a.Jobs, Box: a.Box, Mail: mailer, MailFrom: s.mailFrom(), Log: a.logger("dealership"),
		Costs: privacy.CostsOf(Audited()...),
	}, h.Dealership)
	a.HTTP = outbound.New(providerTimeout, s.AllowPrivate)
	f.identity = identity.New(identity.Config{
		DB: a.DB, Jobs: a.Jobs, Box: a.Box, Mail: mailer, MailFrom: s.mailFrom(), AuthURL: s.authURL(), BaseURL: site.Of(a.DB).URL,
		AuthLog: a.AuthLog, Log: a.logger, Now: a.now, HTTP: a.HTTP, AllowHTTP: s.AllowPrivate,
		MCP: s.MCP != "off", ReturnTo: []string{console.Path},
	}, h.Identity)
	f.webhooks = webhooks.New(webhooks.API{
		DB: a.DB, Box: a.Box, Jobs: a.Jobs, Kinds: Kinds(), Streams: a.Streams, AllowPrivate: s.AllowPrivate,
	}, h.Webhooks)
	f.console = console.API{DB: a.DB, SignIn: &f.identity.SignIn, BaseURL: s.BaseURL}
	f.mcp = mcp.API{
		On: s.MCP != "off", Auth: f.identity.Access.Auth, Metadata: f.identity.OAuth.MCPMetadataURL(), Build: Build, Log: a.logger("mcp"),
	}
	return nil
}
