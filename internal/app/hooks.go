package app

import (
	"context"

	"slipway/internal/activities"
	"slipway/internal/appointments"
	"slipway/internal/backups"
	"slipway/internal/campaigns"
	"slipway/internal/channels"
	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/deals"
	"slipway/internal/documents"
	"slipway/internal/finance"
	"slipway/internal/hulls"
	"slipway/internal/identity"
	"slipway/internal/identity/access"
	"slipway/internal/imports"
	"slipway/internal/leads"
	"slipway/internal/messages"
	"slipway/internal/plans"
	"slipway/internal/platform/backup"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/webhooks"
)

// hooks are the calls against the import order, by the feature that makes them. The
// service doesn't start if one is missing.
type hooks struct {
	Hulls      hulls.Hooks
	Imports    imports.Hooks
	Contacts   contacts.Hooks
	Leads      leads.Hooks
	Messages   messages.Hooks
	Deals      deals.Hooks
	Finance    finance.Hooks
	Dealership dealership.Hooks
	Identity   identity.Hooks
	Webhooks   webhooks.Hooks
	Backups    backups.Hooks
}

// hooks connects the features. It is called before they are created.
func (a *App) hooks(f *features) hooks {
	return hooks{
		Hulls: hulls.Hooks{
			Deal: exists(deals.Find), Lead: exists(leads.Find), Contact: exists(contacts.Find),
			CostChanged: deals.FollowCost, Repriced: f.storefront.Repriced, Listings: channels.Follower,
		},
		Backups: backups.Hooks{
			Create: func(ctx context.Context, file string) (backup.Manifest, error) {
				return Backup(ctx, a.settings, file, BackupOptions{Progress: noProgress})
			},
			Restore: func(ctx context.Context, file, work string) (backup.Manifest, error) {
				d, err := CheckRestore(ctx, a.settings, file, work, noProgress)
				return d.Manifest, err
			},
		},
		Imports: imports.Hooks{Observe: a.metrics.imported},
		Contacts: contacts.Hooks{
			Messages: f.messages.Holder(), Leads: leads.Holder(), Deals: deals.Holder(), Finance: finance.Holder(), Documents: documents.Holder(),
			Appointments: appointments.Holder(), Activities: activities.Holder(), Proposals: f.proposals.Holder(),
			Campaigns: campaigns.Holder(),
		},
		Leads:    leads.Hooks{Reviewed: messages.Review, Created: f.plans.Begin, Wrote: plans.Answer, Ended: plans.Close},
		Messages: messages.Hooks{Settled: appointments.FollowMessage, Planned: appointments.Planned, BoatPage: channels.PageOf},
		Deals: deals.Hooks{
			WithdrawFundings: finance.WithdrawFundings, VoidUnsigned: documents.VoidUnsigned, SettlePayments: finance.SettlePayments,
			UnwindPayments: finance.UnwindPayments, UnwindFundings: finance.UnwindFundings, CancelProducts: finance.CancelProducts, VoidDocuments: documents.VoidAll,
			OpenTasks:    activities.CountOpen,
			Restructured: documents.Restructured, TellManagers: tellManagers,
		},
		Finance:    finance.Hooks{CheckEvidence: documents.CheckEvidence},
		Dealership: dealership.Hooks{UpdateHulls: hulls.FollowZones, UpdateAppointments: appointments.FollowZones},
		Identity: identity.Hooks{
			DeleteWebhooks: f.webhooks.DeleteOfApp,
			Webhooks:       webhooks.Holder(), PushURLs: f.channels.Holder(), Calendars: appointments.CalendarHolder(),
			Locate: map[string]access.Locate{
				"hull": hulls.LocationOf, "deal": deals.LocationOf, "lead": leads.LocationOf, "apt": appointments.LocationOf, "act": activities.LocationOf, "msg": messages.LocationOf, "lpn": plans.LocationOf,
				"loc": dealership.LocationOf,
			},
		},
		Webhooks: webhooks.Hooks{Observe: a.metrics.delivered},
	}
}

// tellManagers gives each active user who can see costs a task.
func tellManagers(ctx context.Context, tx *db.Tx, dealID, text string) error {
	managers, err := identity.ActiveWith(ctx, tx, auth.HullsWrite)
	if err != nil {
		return err
	}
	for _, id := range managers {
		if err := activities.Assign(ctx, tx, dealID, id, text); err != nil {
			return err
		}
	}
	return nil
}

// exists returns a function that fails if a record doesn't exist.
func exists[T any](find func(ctx context.Context, tx *db.Tx, id string) (T, error)) func(ctx context.Context, tx *db.Tx, id string) error {
	return func(ctx context.Context, tx *db.Tx, id string) error {
		_, err := find(ctx, tx, id)
		return err
	}
}
