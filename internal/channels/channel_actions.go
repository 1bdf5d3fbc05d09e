package channels

import (
	"context"

	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/patch"
)

// save saves a channel with its secrets, and sends or withdraws its listings in the
// background. It returns a new signing secret if the channel starts to send listings.
func (a *API) save(ctx context.Context, tx *db.Tx, before Channel, c *Channel, credential patch.Null[string]) (created *string, err error) {
	if created, err = a.changeSecrets(tx, before, c, credential); err != nil {
		return nil, err
	}
	if err := channels.Save(ctx, tx, c); err != nil {
		return nil, err
	}
	job := FillChannel{Env: tx.Env, ChannelID: c.ID, Resend: c.sendsOther(before)}
	if err := a.Jobs.Enqueue(ctx, tx, job, tx.Now); err != nil {
		return nil, err
	}
	return created, events.Emit(ctx, tx, "channel.updated", c.ID, events.Change{Before: before, After: *c})
}

// Holder returns what happens to the push URLs of users who leave.
func (a *API) Holder() people.Holder {
	return people.Holder{List: listOf, End: a.endOf, HandOver: a.handOver}
}

// pushingOf returns the channels that an author has set up to send listings.
func pushingOf(ctx context.Context, tx *db.Tx, by people.Author) (found []Channel, err error) {
	all, err := channelsOf(ctx, tx)
	for _, c := range all {
		if c.PushURL != nil && by.Wrote(c.CreatedBy) {
			found = append(found, c)
		}
	}
	return found, err
}

func listOf(ctx context.Context, tx *db.Tx, by people.Author) (items []people.UserAccessItem, err error) {
	all, err := pushingOf(ctx, tx, by)
	for _, c := range all {
		items = append(items, people.UserAccessItem{Kind: people.PushURLAccess, ID: c.ID, Name: c.Name + ": " + *c.PushURL, CanHandOver: true, CreatedAt: c.CreatedAt})
	}
	return items, err
}

// endOf removes the push URLs. The channels and their feeds stay.
func (a *API) endOf(ctx context.Context, tx *db.Tx, by people.Author) error {
	return a.changeOf(ctx, tx, by, func(c *Channel) { c.PushURL = nil })
}

func (a *API) handOver(ctx context.Context, tx *db.Tx, by people.Author, to people.User) error {
	return a.changeOf(ctx, tx, by, func(c *Channel) { c.CreatedBy = to.Actor() })
}

func (a *API) changeOf(ctx context.Context, tx *db.Tx, by people.Author, edit func(c *Channel)) error {
	all, err := pushingOf(ctx, tx, by)
	if err != nil {
		return err
	}
	for _, c := range all {
		before := c
		edit(&c)
		if _, err := a.save(ctx, tx, before, &c, patch.Null[string]{}); err != nil {
			return err
		}
	}
	return nil
}
