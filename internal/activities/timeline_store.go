package activities

import (
	"context"
	"maps"
	"slices"

	"slipway/internal/contacts"
	"slipway/internal/deals"
	"slipway/internal/hulls"
	"slipway/internal/leads"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

// TimelineFilter is the query of a timeline.
type TimelineFilter struct {
	page.Query
	ObjectID string `query:"object_id" maxLength:"64" doc:"Lead, contact, deal or hull. Defaults to all objects that you can read."`
}

// find checks that the object exists, and that the caller can read it.
func (f TimelineFilter) find(ctx context.Context, tx *db.Tx) error {
	n, ok := nounOf(f.ObjectID)
	if !ok {
		return fault.BadRequest("object_id must be the ID of a lead, contact, deal or hull.").
			Detail("object_id", "format", "must be the ID of a lead, contact, deal or hull")
	}
	if err := permit(auth.From(ctx), n.read); err != nil {
		return err
	}
	var err error
	switch n.name {
	case onLead:
		_, err = leads.Find(ctx, tx, f.ObjectID)
	case onContact:
		_, err = contacts.Find(ctx, tx, f.ObjectID)
	case onDeal:
		_, err = deals.Find(ctx, tx, f.ObjectID)
	default:
		_, err = hulls.Find(ctx, tx, f.ObjectID)
	}
	return err
}

// where returns the conditions for events of these kinds.
func (f TimelineFilter) where(env auth.Env, kinds map[string]events.Kind) *db.Where {
	w := &db.Where{}
	w.And("env = ?", env)
	w.AndIf(f.ObjectID != "", "object_id = ?", f.ObjectID)
	// Not a plain IN: the index on the type would have to sort all events of these types for each page.
	marks, args := db.In(slices.Sorted(maps.Keys(kinds)))
	w.And("CASE WHEN type IN "+marks+" THEN 1 ELSE 0 END = 1", args...)
	return w
}
