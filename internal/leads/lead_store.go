package leads

import (
	"context"
	"time"

	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/patch"
)

var (
	leads = db.Table[Lead]{
		Name: "leads", Prefix: "lead", Noun: "lead", Kept: true,
		Loaded: func(tx *db.Tx, l *Lead) { l.derive(tx.Now) },
	}
	assignments = db.Table[LeadAssignment]{Name: "lead_assignments", Prefix: "asg", Noun: "assignment", Parent: "lead_id"}
	signals     = db.Table[LeadSignal]{Name: "lead_signals", Prefix: "sig", Noun: "signal", Parent: "lead_id"}
)

// Find returns a lead.
func Find(ctx context.Context, tx *db.Tx, id string) (Lead, error) { return leads.Find(ctx, tx, id) }

// FindForUpdate returns a lead and locks it until the transaction ends, for
// requests that programs send many of at the same time.
func FindForUpdate(ctx context.Context, tx *db.Tx, id string) (Lead, error) {
	return leads.FindForUpdate(ctx, tx, id)
}

// Convert marks a lead as converted, in the transaction that creates the deal.
// The caller has found the lead and checked If-Match.
func Convert(ctx context.Context, tx *db.Tx, l *Lead, dealID string) error {
	before := *l
	if err := l.convert(dealID, tx.Now); err != nil {
		return err
	}
	return save(ctx, tx, before, l, "lead.converted")
}

func insert(ctx context.Context, tx *db.Tx, l *Lead) error {
	if err := leads.Insert(ctx, tx, l); err != nil {
		return err
	}
	l.derive(tx.Now)
	return events.Emit(ctx, tx, "lead.created", l.ID, events.Change{After: *l})
}

// Touch records that the dealership worked on a lead, without an event.
func Touch(ctx context.Context, tx *db.Tx, l Lead) error {
	l.touch(tx.Now)
	return update(ctx, tx, &l)
}

// Received is a message of a lead.
type Received struct {
	At          time.Time
	NeedsReview bool
	OptsOut     bool
}

// RecordMessage records that a lead wrote. A message that must be read first sets
// needs_review; others leave it as it is.
func RecordMessage(ctx context.Context, tx *db.Tx, l Lead, m Received) error {
	l.NeedsReview, l.LastActivityAt = l.NeedsReview || m.NeedsReview, tx.Now
	l.asked(m.At, m.OptsOut)
	if err := db.Attached[Hooks](tx).Wrote(ctx, tx, l.ID); err != nil {
		return err
	}
	return update(ctx, tx, &l)
}

// save writes a changed lead and the event.
func save(ctx context.Context, tx *db.Tx, before Lead, l *Lead, event string) error {
	if err := update(ctx, tx, l); err != nil {
		return err
	}
	if before.Status.isOpen() && !l.Status.isOpen() {
		if err := db.Attached[Hooks](tx).Ended(ctx, tx, l.ID); err != nil {
			return err
		}
	}
	return events.Emit(ctx, tx, event, l.ID, events.Change{Before: before, After: *l})
}

// update writes a changed lead without an event.
func update(ctx context.Context, tx *db.Tx, l *Lead) error {
	if err := leads.Save(ctx, tx, l); err != nil {
		return err
	}
	l.derive(tx.Now)
	return nil
}

// checkReferences checks that a changed hull or location exists. A lead without
// a location is assigned the location of its hull. A new one is assigned that of a user who
// only sees some locations.
func checkReferences(ctx context.Context, tx *db.Tx, l *Lead, before Lead) error {
	var bad fault.Fields
	if l.HullID != nil && null.Text(before.HullID) != *l.HullID {
		h, err := hulls.Find(ctx, tx, *l.HullID)
		if err := bad.AddNotFound("hull_id", err); err != nil {
			return err
		}
		if err == nil && l.LocationID == nil {
			l.LocationID = &h.LocationID
		}
	}
	if own := auth.From(ctx).Locations; own != nil && l.LocationID == nil && before.ID == "" {
		l.LocationID = &own[0]
	}
	if l.LocationID != nil && null.Text(before.LocationID) != *l.LocationID {
		_, err := dealership.FindLocation(ctx, tx, *l.LocationID)
		if err := bad.AddNotFound("location_id", err); err != nil {
			return err
		}
	}
	return bad.Err()
}

// contactOf finds or creates the contact of a new lead.
func contactOf(ctx context.Context, tx *db.Tx, n LeadCreate) (contacts.Contact, error) {
	if n.ContactID == nil {
		return contacts.FindOrCreate(ctx, tx, *n.Contact.V)
	}
	c, err := contacts.FindForUpdate(ctx, tx, *n.ContactID)
	var bad fault.Fields
	if err := bad.AddNotFound("contact_id", err); err != nil {
		return c, err
	}
	if err := bad.Err(); err != nil {
		return c, err
	}
	return c, c.Active()
}

// LocationOf returns the location that works a lead, or "".
func LocationOf(ctx context.Context, tx *db.Tx, id string) (string, error) {
	l, err := Find(ctx, tx, id)
	return null.Text(l.LocationID), err
}

// LeadFilter is the query of the list of leads.
type LeadFilter struct {
	page.Query
	Status        Status            `query:"status" doc:"Only leads in this status."`
	Source        Source            `query:"source" doc:"Only leads from this source."`
	ContactID     string            `query:"contact_id" maxLength:"64" doc:"Only leads of this contact."`
	HullID        string            `query:"hull_id" maxLength:"64" doc:"Only leads about this hull."`
	LocationID    string            `query:"location_id" maxLength:"1000" doc:"Only leads that this location works. Several are separated by commas."`
	OwnerID       string            `query:"owner_id" maxLength:"64" doc:"Only objects of this user."`
	Assigned      patch.Param[bool] `query:"assigned" doc:"True lists leads with an owner, false leads without one."`
	Stalled       patch.Param[bool] `query:"stalled" doc:"True lists stalled leads, false all others."`
	NeedsReview   patch.Param[bool] `query:"needs_review" doc:"True lists leads with a message to review, false all others."`
	CreatedAfter  time.Time         `query:"created_after" doc:"Only objects created after this time."`
	CreatedBefore time.Time         `query:"created_before" doc:"Only objects created before this time."`
	UpdatedAfter  time.Time         `query:"updated_after" doc:"For incremental synchronization."`
}

func (f LeadFilter) where() *db.Where {
	w := &db.Where{}
	w.AndIf(f.Status != "", "status = ?", f.Status)
	w.AndIf(f.Source != "", "source = ?", f.Source)
	w.AndIf(f.ContactID != "", "contact_id = ?", f.ContactID)
	w.AndIf(f.HullID != "", "hull_id = ?", f.HullID)
	w.AndOneOf("location_id", f.LocationID)
	w.AndIf(f.OwnerID != "", "owner_id = ?", f.OwnerID)
	w.AndIf(f.NeedsReview.Set, "needs_review = ?", f.NeedsReview.V)
	w.AndIf(!f.UpdatedAfter.IsZero(), "updated_at > ?", f.UpdatedAfter)
	w.AndCreated("id", "lead", f.CreatedAfter, f.CreatedBefore)

	for _, c := range []struct {
		filter patch.Param[bool]
		column string
	}{{f.Assigned, "owner_id"}, {f.Stalled, "stalled_at"}} {
		switch {
		case c.filter.Set && c.filter.V:
			w.And(c.column + " IS NOT NULL")
		case c.filter.Set:
			w.And(c.column + " IS NULL")
		}
	}

	return w
}

// stalled returns the IDs of open leads without activity since a time.
func stalled(ctx context.Context, tx *db.Tx, since time.Time) ([]string, error) {
	return db.All[string](ctx, tx, `SELECT id FROM leads WHERE env = ? AND touched_at <= ?
		AND stalled_at IS NULL AND status NOT IN ('converted', 'lost') ORDER BY touched_at LIMIT 500`, tx.Env, since)
}

// due returns the lost leads whose time to open again has come.
func due(ctx context.Context, tx *db.Tx) ([]string, error) {
	return db.All[string](ctx, tx, `SELECT id FROM leads WHERE env = ? AND reopen_at <= ? ORDER BY reopen_at LIMIT 500`, tx.Env, tx.Now)
}
