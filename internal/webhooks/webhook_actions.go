package webhooks

import (
	"context"

	"slipway/internal/identity/people"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
)

// DeleteOfApp deletes the webhooks of an app that is uninstalled: those whose URL it set, and
// those that were created with its keys. Otherwise it would still receive events.
func (a *API) DeleteOfApp(ctx context.Context, tx *db.Tx, installID string, app people.Author) error {
	all, err := listAll(ctx, tx)
	if err != nil {
		return err
	}
	for _, w := range all {
		if w.InstallID != nil && *w.InstallID != installID || w.InstallID == nil && !app.Wrote(w.CreatedBy) {
			continue
		}
		if err := a.deleteWebhook(ctx, tx, w); err != nil {
			return err
		}
	}
	return nil
}

// Holder returns what happens to the webhooks of users who leave.
func Holder() people.Holder {
	return people.Holder{List: listAccess, End: disableOf, HandOver: handOver}
}

// enabledOf returns the enabled webhooks of an author. An app's webhooks belong to its
// install.
func enabledOf(ctx context.Context, tx *db.Tx, by people.Author) (found []Webhook, err error) {
	all, err := listEnabled(ctx, tx)
	for _, w := range all {
		if w.InstallID == nil && by.Wrote(w.CreatedBy) {
			found = append(found, w)
		}
	}
	return found, err
}

func listAccess(ctx context.Context, tx *db.Tx, by people.Author) (items []people.UserAccessItem, err error) {
	all, err := enabledOf(ctx, tx, by)
	for _, w := range all {
		items = append(items, people.UserAccessItem{Kind: people.WebhookAccess, ID: w.ID, Name: w.URL, Scopes: w.Scopes, CanHandOver: true, CreatedAt: w.CreatedAt})
	}
	return items, err
}

// disableOf disables the webhooks instead of deleting them. Someone else can then enable
// them, and replay what they missed.
func disableOf(ctx context.Context, tx *db.Tx, by people.Author) error {
	all, err := enabledOf(ctx, tx, by)
	if err != nil {
		return err
	}
	for _, w := range all {
		before := w
		w.Status, w.FailingSince, w.DisabledReason = Disabled, nil, new(DisabledOnRequest)
		w.derive()
		if err := webhooks.Save(ctx, tx, &w); err != nil {
			return err
		}
		if err := events.Emit(ctx, tx, "webhook.disabled", w.ID, events.Change{Before: before, After: w}); err != nil {
			return err
		}
	}
	return nil
}

func handOver(ctx context.Context, tx *db.Tx, by people.Author, to people.User) error {
	all, err := enabledOf(ctx, tx, by)
	if err != nil {
		return err
	}
	for _, w := range all {
		before := w
		w.CreatedBy = to.Actor()
		if err := webhooks.Save(ctx, tx, &w); err != nil {
			return err
		}
		if err := audit.Record(ctx, tx, "webhook.handed_over", w.ID, audit.Diff(before, w)); err != nil {
			return err
		}
	}
	return nil
}
