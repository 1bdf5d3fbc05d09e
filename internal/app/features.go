package app

import (
	"context"
	"slices"

	"slipway/internal/access"
	"slipway/internal/channels"
	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/deals"
	"slipway/internal/documents"
	"slipway/internal/finance"
	"slipway/internal/hulls"
	"slipway/internal/imports"
	"slipway/internal/leads"
	"slipway/internal/messages"
	"slipway/internal/people"
	"slipway/internal/photos"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/outbound"
	"slipway/internal/platform/ratelimit"
	"slipway/internal/platform/rest"
	"slipway/internal/webhooks"
)

// features are the features of the service, under the names of their packages.
type features struct {
	hulls      hulls.API
	photos     photos.API
	channels   channels.API
	imports    imports.API
	contacts   contacts.API
	leads      leads.API
	messages   messages.API
	deals      deals.API
	finance    finance.API
	documents  documents.API
	dealership dealership.API
	people     people.API
	access     access.API
	webhooks   webhooks.API
}

// all lists the features in the order of the reference.
func (f *features) all() []rest.Feature {
	return []rest.Feature{
		&f.hulls, &f.photos, &f.channels, &f.imports, &f.contacts, &f.leads, &f.messages,
		&f.deals, &f.finance, &f.documents, &f.dealership, &f.people, &f.access, &f.webhooks,
	}
}

// Kinds lists all event types.
func Kinds() []events.Kind {
	return slices.Concat(hulls.Events, photos.Events, channels.Events, imports.Events, contacts.Events, leads.Events, messages.Events,
		deals.Events, finance.Events, documents.Events, dealership.Events, people.Events, access.Events, webhooks.Events)
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
		hulls:    hulls.API{DB: a.DB, Jobs: a.Jobs, Holders: holders},
		photos:   photos.API{DB: a.DB, Jobs: a.Jobs, Blobs: a.Blobs},
		channels: channels.API{DB: a.DB, Jobs: a.Jobs, Partners: outbound.New(partnerTimeout, s.AllowPrivate)},
		imports:  imports.API{DB: a.DB, Jobs: a.Jobs, Blobs: a.Blobs},
		contacts: contacts.API{DB: a.DB},
		leads:    leads.API{DB: a.DB, Reviewed: messages.Review},
		messages: messages.API{
			DB: a.DB, Jobs: a.Jobs, Log: a.log, Mail: mailer, MailFrom: s.mailFrom(), SMS: texter, SMSFrom: number,
		},
		deals:     deals.API{DB: a.DB, Jobs: a.Jobs},
		finance:   finance.API{DB: a.DB},
		documents: documents.API{DB: a.DB},
		people: people.API{
			DB: a.DB, Jobs: a.Jobs, Mail: mailer, MailFrom: s.mailFrom(), AuthURL: s.authURL(), Log: a.log,
			Resets: ratelimit.New(a.now), RevokeKeys: access.RevokeKeysOf,
		},
		access: access.API{
			DB: a.DB, Jobs: a.Jobs, Box: a.Box, AuthURL: s.authURL(), Usage: a.usage,
			Auth: &access.Authenticator{DB: a.DB, Usage: a.usage}, Throttle: access.NewThrottle(a.now),
		},
		webhooks: webhooks.API{DB: a.DB, Box: a.Box, Jobs: a.Jobs, Kinds: Kinds()},
	}

	f.access.People, f.people.CheckCode = &f.people, f.access.CheckCode
	f.deals.Unwind = append(f.deals.Unwind, finance.WithdrawFundings, documents.VoidUnsigned, finance.SettlePayments)
	f.contacts.Holders = []contacts.Holder{
		f.messages.Holder(), f.leads.Holder(), f.deals.Holder(), f.finance.Holder(), f.documents.Holder(),
	}
	return f, nil
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
