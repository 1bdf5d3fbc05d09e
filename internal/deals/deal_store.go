package deals

import (
	"context"
	"fmt"
	"slices"
	"time"

	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/identity/people"
	"slipway/internal/leads"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/privacy"
)

var deals = db.Table[Deal]{
	Name: "deals", Prefix: "deal", Noun: "deal", Kept: true,
	Loaded: func(_ *db.Tx, d *Deal) { d.derive() },
}

var history = db.Table[DealChange]{Name: "deal_history", Prefix: "hst", Parent: "deal_id"}

// Find returns a deal.
func Find(ctx context.Context, tx *db.Tx, id string) (Deal, error) { return deals.Find(ctx, tx, id) }

// FindForUpdate returns a deal and locks it until the transaction ends. Every
// change to a deal or its rows calls it first, so that sums over the rows stay
// correct.
func FindForUpdate(ctx context.Context, tx *db.Tx, id string) (Deal, error) {
	return deals.FindForUpdate(ctx, tx, id)
}

// DealFilter are the filters of the list of deals.
type DealFilter struct {
	page.Query
	Status         Status         `query:"status" doc:"Only deals in this status."`
	StatusCategory StatusCategory `query:"status_category" doc:"Only deals of this category. open includes every status before closed."`
	Number         int64          `query:"number" minimum:"1" doc:"Only the deal with this number." since:"next"`
	DealType       Type           `query:"deal_type" doc:"Only deals that are paid this way."`
	HullID         string         `query:"hull_id" maxLength:"64" doc:"Only deals about this hull."`
	BuyerID        string         `query:"buyer_id" maxLength:"64" doc:"Only deals of this buyer."`
	LeadID         string         `query:"lead_id" maxLength:"64" doc:"Only the deal of this lead."`
	LocationID     string         `query:"location_id" maxLength:"1000" doc:"Only deals about hulls at this location. Several are separated by commas." since:"next"`
	OwnerID        string         `query:"owner_id" maxLength:"64" doc:"Only objects of this user."`
	CreatedAfter   time.Time      `query:"created_after" doc:"Only objects created after this time."`
	CreatedBefore  time.Time      `query:"created_before" doc:"Only objects created before this time."`
	UpdatedAfter   time.Time      `query:"updated_after" doc:"Only deals that changed after this time. Use it for incremental synchronization."`
}

// check rejects filters that contradict each other. An empty list would hide the
// mistake.
func (f DealFilter) check() error {
	if err := f.Query.Check(deals.Prefix); err != nil {
		return err
	}
	if f.Status != "" && f.StatusCategory != "" && f.Status.category() != f.StatusCategory {
		return fault.BadRequest("status_category contradicts status.").Detail("status_category", "exclusive", "contradicts status")
	}
	return nil
}

func (f DealFilter) where() *db.Where {
	w := &db.Where{}
	switch f.StatusCategory {
	case CategoryOpen:
		w.And("status NOT IN (?, ?)", Closed, Cancelled)
	case CategoryDone:
		w.And("status = ?", Closed)
	case CategoryCancelled:
		w.And("status = ?", Cancelled)
	}

	w.AndIf(f.Status != "", "status = ?", f.Status)
	w.AndIf(f.Number != 0, "number = ?", f.Number)
	w.AndIf(f.DealType != "", "deal_type = ?", f.DealType)
	w.AndIf(f.HullID != "", "hull_id = ?", f.HullID)
	w.AndIf(f.BuyerID != "", "buyer_id = ?", f.BuyerID)
	w.AndIf(f.LeadID != "", "lead_id = ?", f.LeadID)
	w.AndIf(f.OwnerID != "", "owner_id = ?", f.OwnerID)
	w.AndIf(!f.UpdatedAfter.IsZero(), "updated_at > ?", f.UpdatedAfter)
	w.AndCreated("id", "deal", f.CreatedAfter, f.CreatedBefore)

	return w
}

// List returns the deals that match the filter, as the caller can see them.
func List(ctx context.Context, tx *db.Tx, f DealFilter) (page.Page[Deal], error) {
	if err := f.check(); err != nil {
		return page.Page[Deal]{}, err
	}
	w := f.where()
	if f.LocationID != "" {
		cond, args, err := hulls.AtLocation(ctx, tx, "deals.hull_id", f.LocationID)
		if err != nil {
			return page.Page[Deal]{}, err
		}
		w.And(cond, args...)
	}

	p, err := deals.List(ctx, tx, f.Query, w)
	if err != nil {
		return p, err
	}
	err = show(ctx, tx, p.Data)
	return p, err
}

// SeesProfit reports whether the caller can see profits, and rates and costs
// that they can be calculated from. The profit on a boat reveals its cost, so
// deals:write is not enough.
func SeesProfit(ctx context.Context) bool {
	return auth.Require(auth.DealsWrite, auth.HullsWrite).Allows(auth.From(ctx).Scopes)
}

// show adds the profits for callers who can see them and removes the costs for
// callers without deals:write. Call it last: the profits must not be saved or
// emitted.
func show(ctx context.Context, tx *db.Tx, all []Deal) error {
	for i, d := range all {
		all[i] = privacy.Hide(d, auth.From(ctx).Scopes)
	}
	if !SeesProfit(ctx) {
		return nil
	}

	costs, err := costsOf(ctx, tx, all)
	for i := range all {
		if cost, ok := costs[all[i].ID]; ok {
			all[i].showProfit(&cost)
		} else {
			all[i].showProfit(nil)
		}
	}
	return err
}

func showOne(ctx context.Context, tx *db.Tx, d Deal) (Deal, error) {
	one := []Deal{d}
	if err := show(ctx, tx, one); err != nil {
		return one[0], err
	}
	if slices.Contains([]Status{Accepted, InFinance, Contracted, Funded}, d.Status) {
		tasks, err := db.Attached[Hooks](tx).OpenTasks(ctx, tx, d.HullID)
		if err != nil {
			return one[0], err
		}
		one[0].warnTasks(tasks)
	}
	return one[0], nil
}

// findDefaults returns the defaults of a deal on a hull. The taxes depend on where the buyer lives. A hull that doesn't exist
// has no location. insert rejects it.
func findDefaults(ctx context.Context, tx *db.Tx, hullID, buyerID string) (defaults, error) {
	company, err := dealership.Find(ctx, tx)
	if err != nil {
		return defaults{}, err
	}
	var at dealership.Location
	h, err := hulls.Find(ctx, tx, hullID)
	if err == nil {
		at, err = dealership.FindLocation(ctx, tx, h.LocationID)
	}
	if err != nil && fault.KindOf(err) != fault.KindNotFound {
		return defaults{}, err
	}

	rules := company.Settings
	def := defaults{taxes: rules.TaxesAt(at), tradeTaxCredit: rules.TradeTaxCreditAt(at), taxable: rules.TaxableLines, fees: rules.DefaultFees}
	buyer, err := contacts.Find(ctx, tx, buyerID)
	if err != nil && fault.KindOf(err) != fault.KindNotFound {
		return defaults{}, err
	}
	if buyer.Address != nil && buyer.Address.Region != nil {
		if rule := at.ForBuyer(*buyer.Address.Region); rule != nil {
			def.exemptReason = rule.ExemptReason
			if rule.Taxes != nil {
				def.taxes = *rule.Taxes
			}
		}
	}
	return def, nil
}

// insert adds a deal with its trade-ins, the buyer's opening offer and its first
// history entry.
func insert(ctx context.Context, tx *db.Tx, d *Deal, trades []TradeIn) error {
	if err := checkReferences(ctx, tx, *d, nil); err != nil {
		return err
	}
	if err := checkHullForSale(ctx, tx, *d); err != nil {
		return err
	}
	for i, t := range trades {
		if err := checkNotInStock(ctx, tx, fmt.Sprintf("trade_ins[%d].hin", i), t); err != nil {
			return err
		}
	}

	var err error
	if d.Number, err = NextNumber(ctx, tx, "deal"); err != nil {
		return err
	}
	if err := deals.Insert(ctx, tx, d); err != nil {
		return err
	}
	opening := Offer{DealID: d.ID, AmountUSD: d.OfferUSD, MadeBy: Buyer, Status: Pending}
	if err := offers.Insert(ctx, tx, &opening); err != nil {
		return err
	}
	if err := recordChange(ctx, tx, nil, *d, nil); err != nil {
		return err
	}

	d.derive()
	if err := events.Emit(ctx, tx, "deal.opened", d.ID, events.Change{After: *d}); err != nil {
		return err
	}
	for _, t := range trades {
		t.DealID = d.ID
		if err := insertTradeIn(ctx, tx, &t); err != nil {
			return err
		}
	}
	return nil
}

// NextNumber returns the next number for people of a deal or a document. Deals that
// are added at the same time wait for each other from here to their commit, so
// call it after the checks.
func NextNumber(ctx context.Context, tx *db.Tx, kind string) (int64, error) {
	return db.One[int64](ctx, tx, `INSERT INTO numbers (env, kind, last) VALUES (?, ?, 1001)
		ON CONFLICT (env, kind) DO UPDATE SET last = numbers.last + 1 RETURNING last`, tx.Env, kind)
}

// Save writes a changed deal without an event. Use it if the event is about
// something else, such as a payment, an offer or a document.
func Save(ctx context.Context, tx *db.Tx, before Deal, d *Deal) error {
	if err := checkReferences(ctx, tx, *d, &before); err != nil {
		return err
	}
	if err := adjust(ctx, tx, before, d); err != nil {
		return err
	}
	d.derive()
	return deals.Save(ctx, tx, d)
}

// cause is why a deal changed: the event that reports it, and the reason for its history.
type cause struct {
	event  string
	reason *string
}

// saveAndEmit writes a changed deal, its history entry if the status changed, and
// the event.
func saveAndEmit(ctx context.Context, tx *db.Tx, before Deal, d *Deal, c cause) error {
	if err := Save(ctx, tx, before, d); err != nil {
		return err
	}
	if before.Status != d.Status {
		if err := recordChange(ctx, tx, &before, *d, c.reason); err != nil {
			return err
		}
	}
	return events.Emit(ctx, tx, c.event, d.ID, events.Change{Before: before, After: *d})
}

func recordChange(ctx context.Context, tx *db.Tx, before *Deal, d Deal, reason *string) error {
	c := DealChange{DealID: d.ID, To: string(d.Status), Reason: reason, Actor: auth.From(ctx).Actor, At: tx.Now}
	if before != nil {
		c.From = new(string(before.Status))
	}
	return history.Insert(ctx, tx, &c)
}

// checkReferences rejects a hull, contact, lead or user that does not exist. It
// only checks references that changed.
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
		if err := bad.AddNotFound(r.field, r.find(*r.now)); err != nil {
			return err
		}
	}

	return bad.Err()
}

// findParty fails if the contact does not exist or was merged or erased. It locks
// the contact, so that this can't happen before the deal is saved.
func findParty(ctx context.Context, tx *db.Tx, id string) error {
	c, err := contacts.FindForUpdate(ctx, tx, id)
	if err != nil {
		return err
	}
	return c.Active()
}

// checkHullForSale rejects a hull that is sold or not for sale. A hull that is
// reserved for another deal can get more offers.
func checkHullForSale(ctx context.Context, tx *db.Tx, d Deal) error {
	h, err := hulls.Find(ctx, tx, d.HullID)
	if err != nil {
		return err
	}
	switch h.Status {
	case hulls.Sold, hulls.Delivered, hulls.Archived, hulls.NotForSale:
		return fault.Conflict("The hull is %s.", h.Status).Detail("hull_id", "state", "refers to a hull that is %s", h.Status)
	}
	return nil
}

// ListOf returns one page of the rows of a deal, newest first. The deal must
// exist.
func ListOf[T any](ctx context.Context, tx *db.Tx, table db.Table[T], dealID string, q page.Query) (page.Page[T], error) {
	if err := q.Check(table.Prefix); err != nil {
		return page.Page[T]{}, err
	}
	if _, err := Find(ctx, tx, dealID); err != nil {
		return page.Page[T]{}, err
	}
	return table.ListIn(ctx, tx, dealID, q)
}
