package deals

import (
	"context"
	"time"

	"slipway/internal/contacts"
	"slipway/internal/hulls"
	"slipway/internal/leads"
	"slipway/internal/people"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/id"
	"slipway/internal/vocab/page"
)

// Find returns a deal.
func Find(ctx context.Context, tx *db.Tx, id string) (Deal, error) {
	d, err := db.One[Deal](ctx, tx, `SELECT {cols} FROM deals WHERE env = ? AND id = ?`, tx.Env, id)
	if db.IsNoRows(err) {
		return d, fault.NotFound("deal", id)
	}
	d.derive()
	return d, err
}

// FindForUpdate returns a deal that nobody else can change until the transaction
// ends. All that is written about a deal starts with it, so that sums over its
// rows hold.
func FindForUpdate(ctx context.Context, tx *db.Tx, id string) (Deal, error) {
	if err := db.LockRow(ctx, tx, `SELECT id FROM deals WHERE env = ? AND id = ?`, tx.Env, id); err != nil {
		return Deal{}, err
	}
	return Find(ctx, tx, id)
}

// DealFilter narrows the list of deals.
type DealFilter struct {
	page.Query
	Status         Status    `query:"status" enum:"open,accepted,in_finance,contracted,funded,delivered,closed,cancelled"`
	StatusCategory string    `query:"status_category" enum:"open,done,cancelled"`
	DealType       Type      `query:"deal_type" enum:"cash,finance,outside_finance"`
	HullID         string    `query:"hull_id" maxLength:"64"`
	BuyerID        string    `query:"buyer_id" maxLength:"64"`
	LeadID         string    `query:"lead_id" maxLength:"64"`
	OwnerID        string    `query:"owner_id" maxLength:"64"`
	CreatedAfter   time.Time `query:"created_after"`
	CreatedBefore  time.Time `query:"created_before"`
	UpdatedAfter   time.Time `query:"updated_after" doc:"For incremental synchronization."`
}

// check refuses filters that contradict each other: they would hide a mistake
// behind an empty list.
func (f DealFilter) check() error {
	if err := f.Query.Check("deal"); err != nil {
		return err
	}
	if f.Status != "" && f.StatusCategory != "" && f.Status.category() != f.StatusCategory {
		return fault.BadRequest("status_category contradicts status.").Detail("status_category", "exclusive", "contradicts status")
	}
	return nil
}

func (f DealFilter) where(env auth.Env) *db.Where {
	w := &db.Where{}
	w.And("env = ?", env)
	switch f.StatusCategory {
	case "open":
		w.And("status NOT IN (?, ?)", Closed, Cancelled)
	case "done":
		w.And("status = ?", Closed)
	case "cancelled":
		w.And("status = ?", Cancelled)
	}
	for _, c := range []struct {
		set  bool
		cond string
		arg  any
	}{
		{f.Status != "", "status = ?", f.Status},
		{f.DealType != "", "deal_type = ?", f.DealType},
		{f.HullID != "", "hull_id = ?", f.HullID},
		{f.BuyerID != "", "buyer_id = ?", f.BuyerID},
		{f.LeadID != "", "lead_id = ?", f.LeadID},
		{f.OwnerID != "", "owner_id = ?", f.OwnerID},
		{!f.UpdatedAfter.IsZero(), "updated_at > ?", f.UpdatedAfter},
		// Ids hold the time of creation, so these are ranges of the primary key.
		{!f.CreatedAfter.IsZero(), "id >= ?", id.Floor("deal", f.CreatedAfter.Add(time.Millisecond))},
		{!f.CreatedBefore.IsZero(), "id < ?", id.Floor("deal", f.CreatedBefore)},
	} {
		if c.set {
			w.And(c.cond, c.arg)
		}
	}
	return w
}

func list(ctx context.Context, tx *db.Tx, f DealFilter) (page.Page[Deal], error) {
	if err := f.check(); err != nil {
		return page.Page[Deal]{}, err
	}
	p, err := db.List[Deal](ctx, tx, db.From("deals"), f.Query, f.where(tx.Env))
	if err != nil {
		return p, err
	}
	for i := range p.Data {
		p.Data[i].derive()
	}
	return p, show(ctx, tx, p.Data)
}

// show makes deals what the caller may see: costs and profits are for those
// who run deals. Nothing that show adds is kept or told to others.
func show(ctx context.Context, tx *db.Tx, all []Deal) error {
	if !auth.From(ctx).Can(auth.DealsWrite) {
		for i := range all {
			all[i].hideCosts()
		}
		return nil
	}
	var ids []string
	for _, d := range all {
		ids = append(ids, d.HullID)
	}
	costs, err := hulls.Costs(ctx, tx, ids...)
	for i := range all {
		if cost, known := costs[all[i].HullID]; known {
			all[i].showProfit(&cost)
		} else {
			all[i].showProfit(nil)
		}
	}
	return err
}

func shown(ctx context.Context, tx *db.Tx, d Deal) (Deal, error) {
	one := []Deal{d}
	err := show(ctx, tx, one)
	return one[0], err
}

// insert adds a deal with the buyer's opening offer and its first line of
// history.
func insert(ctx context.Context, tx *db.Tx, d *Deal) error {
	d.Env, d.ID, d.Version, d.CreatedAt, d.UpdatedAt = tx.Env, tx.NewID("deal"), 1, tx.Now, tx.Now
	if err := checkReferences(ctx, tx, *d, nil); err != nil {
		return err
	}
	if err := hullIsForSale(ctx, tx, *d); err != nil {
		return err
	}
	if err := db.Insert(ctx, tx, "deals", *d); err != nil {
		return err
	}
	opening := Offer{AmountUSD: d.OfferUSD, MadeBy: Buyer, Status: Pending}
	if err := insertOffer(ctx, tx, *d, &opening); err != nil {
		return err
	}
	if err := recordChange(ctx, tx, nil, *d, nil); err != nil {
		return err
	}
	d.derive()
	return events.Emit(ctx, tx, "deal.opened", d.ID, nil, d.told())
}

// Keep writes a changed deal whose event is that of something else: a payment,
// an offer, a document.
func Keep(ctx context.Context, tx *db.Tx, before Deal, d *Deal) error {
	if err := checkReferences(ctx, tx, *d, &before); err != nil {
		return err
	}
	d.Version, d.UpdatedAt = before.Version+1, tx.Now
	d.derive()
	return db.Changed(db.Update(ctx, tx, "deals", d, "env = ? AND id = ? AND version = ?", d.Env, d.ID, before.Version))
}

// save writes a changed deal, the history of its status, and the event.
func save(ctx context.Context, tx *db.Tx, before Deal, d *Deal, event string, reason *string) error {
	if err := Keep(ctx, tx, before, d); err != nil {
		return err
	}
	if before.Status != d.Status {
		if err := recordChange(ctx, tx, &before, *d, reason); err != nil {
			return err
		}
	}
	return events.Emit(ctx, tx, event, d.ID, before.told(), d.told())
}

func recordChange(ctx context.Context, tx *db.Tx, before *Deal, d Deal, reason *string) error {
	c := DealChange{Env: d.Env, ID: tx.NewID("hst"), DealID: d.ID, To: d.Status, Reason: reason, Actor: auth.From(ctx).Actor, At: tx.Now}
	if before != nil {
		c.From = &before.Status
	}
	return db.Insert(ctx, tx, "deal_history", c)
}

// checkReferences refuses a hull, contact, lead or user that is not there. What
// did not change is not checked again.
func checkReferences(ctx context.Context, tx *db.Tx, d Deal, before *Deal) error {
	if before == nil {
		before = &Deal{}
	}
	var bad fault.Fields
	for _, r := range []struct {
		field    string
		now, was *string
		find     func(id string) error
	}{
		{"hull_id", &d.HullID, &before.HullID, func(id string) error { _, err := hulls.Find(ctx, tx, id); return err }},
		{"buyer_id", &d.BuyerID, &before.BuyerID, func(id string) error { return findParty(ctx, tx, id) }},
		{"co_buyer_id", d.CoBuyerID, before.CoBuyerID, func(id string) error { return findParty(ctx, tx, id) }},
		{"lead_id", d.LeadID, before.LeadID, func(id string) error { _, err := leads.Find(ctx, tx, id); return err }},
		{"owner_id", d.OwnerID, before.OwnerID, func(id string) error { _, err := people.FindUser(ctx, tx, id); return err }},
	} {
		if r.now == nil || r.was != nil && *r.was == *r.now {
			continue
		}
		err := r.find(*r.now)
		if fault.KindOf(err) == fault.KindNotFound {
			bad.Add(r.field, "not_found", "does not exist")
		} else if err != nil {
			return err
		}
	}
	return bad.Err()
}

// findParty fails for a contact that is not there, or not there any more, and
// keeps it from being merged or erased meanwhile.
func findParty(ctx context.Context, tx *db.Tx, id string) error {
	c, err := contacts.FindForUpdate(ctx, tx, id)
	if err != nil {
		return err
	}
	return c.Active()
}

// hullIsForSale refuses a deal on a boat that has left or is kept back. One
// that is promised to somebody may get further offers.
func hullIsForSale(ctx context.Context, tx *db.Tx, d Deal) error {
	h, err := hulls.Find(ctx, tx, d.HullID)
	if err != nil {
		return err
	}
	switch h.Status {
	case hulls.Sold, hulls.Delivered, hulls.Archived, hulls.NotForSale:
		return fault.Conflict("The hull is %s.", h.Status).Detail("hull_id", "state", "is of a hull that is %s", h.Status)
	}
	return nil
}

// take gives the deal its hull, which it locks first: of deals that are accepted
// at the same time the first one wins, and the others can say which it was. The
// unique index is the guard.
func take(ctx context.Context, tx *db.Tx, d *Deal) error {
	h, err := hulls.FindForUpdate(ctx, tx, d.HullID)
	if err != nil {
		return err
	}
	winner, err := db.All[string](ctx, tx, `SELECT id FROM deals WHERE env = ? AND hull_id = ? AND id <> ?
		AND status IN ('accepted', 'in_finance', 'contracted', 'funded', 'delivered', 'closed')`, d.Env, d.HullID, d.ID)
	if err != nil {
		return err
	}
	if len(winner) > 0 {
		f := fault.Conflict("The hull belongs to another deal.").Detail("hull_id", "hull_unavailable", "is of a hull that is %s", h.Status)
		if auth.From(ctx).Can(auth.DealsRead) {
			f = f.Detail("deal_id", "hull_unavailable", "%s", winner[0])
		}
		return f
	}
	d.HullStatus, d.HullHold = &h.Status, h.Hold
	return hulls.Reserve(ctx, tx, h, d.ID)
}

// ListOf is a page of rows that belong to one deal.
func ListOf[T any](ctx context.Context, tx *db.Tx, table, prefix, dealID string, q page.Query) (page.Page[T], error) {
	if err := q.Check(prefix); err != nil {
		return page.Page[T]{}, err
	}
	if _, err := Find(ctx, tx, dealID); err != nil {
		return page.Page[T]{}, err
	}
	w := &db.Where{}
	w.And("env = ? AND deal_id = ?", tx.Env, dealID)
	return db.List[T](ctx, tx, db.From(table), q, w)
}
