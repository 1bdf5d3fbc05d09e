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
	"slipway/internal/vocab/id"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/patch"
)

// Find returns a lead.
func Find(ctx context.Context, tx *db.Tx, id string) (Lead, error) {
	l, err := db.One[Lead](ctx, tx, `SELECT {cols} FROM leads WHERE env = ? AND id = ?`, tx.Env, id)
	if db.IsNoRows(err) {
		return l, fault.NotFound("lead", id)
	}
	l.derive(tx.Now)
	return l, err
}

// findAlone returns a lead that nobody else can change until the transaction
// ends, for what programs send many of at once.
func findAlone(ctx context.Context, tx *db.Tx, id string) (Lead, error) {
	if err := db.LockRow(ctx, tx, `SELECT id FROM leads WHERE env = ? AND id = ?`, tx.Env, id); err != nil {
		return Lead{}, err
	}
	return Find(ctx, tx, id)
}

// Convert ends a lead in a deal, in the transaction that opens the deal. The
// caller has found the lead and matched its version.
func Convert(ctx context.Context, tx *db.Tx, l *Lead, dealID string) error {
	before := *l
	if err := l.convert(dealID, tx.Now); err != nil {
		return err
	}
	l.Env = tx.Env
	return save(ctx, tx, before, l, "lead.converted")
}

func insert(ctx context.Context, tx *db.Tx, l *Lead) error {
	l.Env, l.ID, l.Version, l.CreatedAt, l.UpdatedAt = tx.Env, tx.NewID("lead"), 1, tx.Now, tx.Now
	if err := db.Insert(ctx, tx, "leads", *l); err != nil {
		return err
	}
	l.derive(tx.Now)
	return events.Emit(ctx, tx, "lead.created", l.ID, nil, *l)
}

// save writes a changed lead and the event.
func save(ctx context.Context, tx *db.Tx, before Lead, l *Lead, event string) error {
	if err := update(ctx, tx, before, l); err != nil {
		return err
	}
	return events.Emit(ctx, tx, event, l.ID, before, *l)
}

// update writes a changed lead, for a change that has an event of its own.
func update(ctx context.Context, tx *db.Tx, before Lead, l *Lead) error {
	l.Version, l.UpdatedAt = before.Version+1, tx.Now
	if err := db.Changed(db.Update(ctx, tx, "leads", l, "env = ? AND id = ? AND version = ?", l.Env, l.ID, before.Version)); err != nil {
		return err
	}
	l.derive(tx.Now)
	return nil
}

// checkReferences refuses a hull or a location that is not there. A lead
// without a location gets that of its hull. What did not change is not checked
// again.
func checkReferences(ctx context.Context, tx *db.Tx, l *Lead, before Lead) error {
	var bad fault.Fields
	if l.HullID != nil && deref(before.HullID) != *l.HullID {
		h, err := hulls.Find(ctx, tx, *l.HullID)
		if err := missing(&bad, "hull_id", err); err != nil {
			return err
		}
		if err == nil && l.LocationID == nil {
			l.LocationID = &h.LocationID
		}
	}
	if l.LocationID != nil && deref(before.LocationID) != *l.LocationID {
		_, err := dealership.FindLocation(ctx, tx, *l.LocationID)
		if err := missing(&bad, "location_id", err); err != nil {
			return err
		}
	}
	return bad.Err()
}

// missing turns "not found" into a complaint about the field that names it.
func missing(bad *fault.Fields, field string, err error) error {
	if fault.KindOf(err) == fault.KindNotFound {
		bad.Add(field, "not_found", "does not exist")
		return nil
	}
	return err
}

// contactOf finds or makes the contact of a new lead.
func contactOf(ctx context.Context, tx *db.Tx, n LeadCreate) (contacts.Contact, error) {
	if n.ContactID == nil {
		return contacts.FindOrCreate(ctx, tx, *n.Contact.V)
	}
	c, err := contacts.FindForUpdate(ctx, tx, *n.ContactID)
	var bad fault.Fields
	if err := missing(&bad, "contact_id", err); err != nil {
		return c, err
	}
	if err := bad.Err(); err != nil {
		return c, err
	}
	return c, c.Active()
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// LeadFilter narrows the list of leads.
type LeadFilter struct {
	page.Query
	Status        Status            `query:"status" enum:"new,contacted,qualified,working,converted,lost"`
	Source        string            `query:"source" enum:"web,phone,walk_in,referral,marketplace,event,import,other"`
	ContactID     string            `query:"contact_id" maxLength:"64"`
	HullID        string            `query:"hull_id" maxLength:"64"`
	LocationID    string            `query:"location_id" maxLength:"64"`
	OwnerID       string            `query:"owner_id" maxLength:"64"`
	Assigned      patch.Param[bool] `query:"assigned" doc:"False lists the leads without an owner."`
	Stalled       patch.Param[bool] `query:"stalled" doc:"True lists the leads that nobody touched for too long."`
	NeedsReview   patch.Param[bool] `query:"needs_review" doc:"True lists the leads with a message to be read."`
	CreatedAfter  time.Time         `query:"created_after"`
	CreatedBefore time.Time         `query:"created_before"`
	UpdatedAfter  time.Time         `query:"updated_after" doc:"For incremental synchronization."`
}

func (f LeadFilter) where(env auth.Env) *db.Where {
	w := &db.Where{}
	w.And("env = ?", env)
	for _, c := range []struct {
		set  bool
		cond string
		arg  any
	}{
		{f.Status != "", "status = ?", f.Status},
		{f.Source != "", "source = ?", f.Source},
		{f.ContactID != "", "contact_id = ?", f.ContactID},
		{f.HullID != "", "hull_id = ?", f.HullID},
		{f.LocationID != "", "location_id = ?", f.LocationID},
		{f.OwnerID != "", "owner_id = ?", f.OwnerID},
		{f.NeedsReview.Set, "needs_review = ?", f.NeedsReview.V},
		{!f.UpdatedAfter.IsZero(), "updated_at > ?", f.UpdatedAfter},
		// Ids hold the time of creation, so these are ranges of the primary key.
		{!f.CreatedAfter.IsZero(), "id >= ?", id.Floor("lead", f.CreatedAfter.Add(time.Millisecond))},
		{!f.CreatedBefore.IsZero(), "id < ?", id.Floor("lead", f.CreatedBefore)},
	} {
		if c.set {
			w.And(c.cond, c.arg)
		}
	}
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

func list(ctx context.Context, tx *db.Tx, f LeadFilter) (page.Page[Lead], error) {
	if err := f.Check("lead"); err != nil {
		return page.Page[Lead]{}, err
	}
	p, err := db.List[Lead](ctx, tx, db.From("leads"), f.Query, f.where(tx.Env))
	for i := range p.Data {
		p.Data[i].derive(tx.Now)
	}
	return p, err
}

// listOf returns a page of the rows that belong to a lead.
func listOf[T any](ctx context.Context, tx *db.Tx, table, prefix, leadID string, q page.Query) (page.Page[T], error) {
	if err := q.Check(prefix); err != nil {
		return page.Page[T]{}, err
	}
	if _, err := Find(ctx, tx, leadID); err != nil {
		return page.Page[T]{}, err
	}
	w := &db.Where{}
	w.And("env = ? AND lead_id = ?", tx.Env, leadID)
	return db.List[T](ctx, tx, db.From(table), q, w)
}

// stalled are the ids of open leads that nobody has touched since a time.
func stalled(ctx context.Context, tx *db.Tx, since time.Time) ([]string, error) {
	return db.All[string](ctx, tx, `SELECT id FROM leads WHERE env = ? AND touched_at <= ?
		AND stalled_at IS NULL AND status NOT IN ('converted', 'lost') ORDER BY touched_at LIMIT 500`, tx.Env, since)
}
