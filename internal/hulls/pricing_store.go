package hulls

import (
	"context"
	"reflect"
	"strings"

	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/privacy"
)

var (
	pricings = db.Table[HullPricing]{Name: "hull_pricing"}
	specs    = db.Table[specRow]{Name: "hull_specs", Noun: "specs"}
)

func findPricing(ctx context.Context, tx *db.Tx, h Hull) (HullPricing, error) {
	return db.One[HullPricing](ctx, tx, `SELECT {cols} FROM hull_pricing WHERE env = ? AND id = ?`, h.Env, h.ID)
}

// repricing is the pricing of a hull before and after a change.
type repricing struct {
	before HullPricing
	after  *HullPricing
	reason *string
}

// savePricing writes new pricing. A new price is also written to the hull and
// its price history.
func savePricing(ctx context.Context, tx *db.Tx, h Hull, r repricing) error {
	p := r.after
	if err := pricings.Save(ctx, tx, p); err != nil {
		return err
	}
	if err := audit.Record(ctx, tx, "hull_pricing.adjusted", h.ID, audit.Diff(r.before, *p)); err != nil {
		return err
	}

	was := h
	h.PriceUSD, h.PriceType, h.PriceHidden, h.MSRPUSD = p.PriceUSD, p.PriceType, p.PriceHidden, p.MSRPUSD
	h.CostCents = p.totalCost()
	if !reflect.DeepEqual(h.CostCents, was.CostCents) {
		if err := db.Attached[Hooks](tx).CostChanged(ctx, tx, h.ID, h.CostCents); err != nil {
			return err
		}
	}
	if h.PriceUSD == was.PriceUSD {
		return Save(ctx, tx, was, &h, Cause{Event: "hull.updated"})
	}
	if err := recordPrice(ctx, tx, h, &was.PriceUSD, r.reason); err != nil {
		return err
	}
	if err := Save(ctx, tx, was, &h, Cause{Event: "hull.price_changed"}); err != nil {
		return err
	}
	return db.Attached[Hooks](tx).Repriced(ctx, tx, h)
}

func recordPrice(ctx context.Context, tx *db.Tx, h Hull, old *int64, reason *string) error {
	c := firstPrice(tx, h, auth.From(ctx).Actor)
	c.OldPriceUSD, c.Reason = old, reason
	return db.Insert(ctx, tx, "hull_price_changes", c)
}

// firstPrice returns the first entry in the price history of a new hull.
func firstPrice(tx *db.Tx, h Hull, by auth.Actor) PriceChange {
	return PriceChange{Env: h.Env, ID: tx.NewID("prc"), HullID: h.ID, NewPriceUSD: h.PriceUSD, Actor: by, At: tx.Now}
}

// hullRows are a table with rows of hulls, and the prefix of their IDs.
type hullRows struct{ table, prefix string }

// listOfHull returns a page of the rows of one hull.
func listOfHull[T any](ctx context.Context, tx *db.Tx, rows hullRows, hullID string, q page.Query) (page.Page[T], error) {
	if err := q.Check(rows.prefix); err != nil {
		return page.Page[T]{}, err
	}
	if _, err := Find(ctx, tx, hullID); err != nil {
		return page.Page[T]{}, err
	}
	w := &db.Where{}
	w.And("env = ? AND hull_id = ?", tx.Env, hullID)
	return db.List[T](ctx, tx, db.From(rows.table), q, w)
}

// findSpecs returns the specifications of a hull, as version 0 if it has none.
func findSpecs(ctx context.Context, tx *db.Tx, h Hull) (specRow, error) {
	r, err := specs.Find(ctx, tx, h.ID)
	if fault.KindOf(err) == fault.KindNotFound {
		return specRow{ID: h.ID}, nil
	}
	return r, err
}

func saveSpecs(ctx context.Context, tx *db.Tx, before specRow, r *specRow) error {
	save := specs.Save
	if r.Version == 0 {
		save = specs.Insert
	}
	if err := save(ctx, tx, r); err != nil {
		return err
	}

	h, err := FindForUpdate(ctx, tx, r.ID)
	if err != nil {
		return err
	}
	return Touch(ctx, tx, &h, !reflect.DeepEqual(before.Specs.shown(), r.Specs.shown()))
}

// FindVisiblePricing returns the pricing of hulls as the caller can see it, by hull ID.
func FindVisiblePricing(ctx context.Context, tx *db.Tx, hullIDs []string) (map[string]HullPricing, error) {
	all, err := FindAllPricing(ctx, tx, hullIDs)
	for id, p := range all {
		all[id] = p.visible(ctx)
	}
	return all, err
}

// visible returns the pricing as the caller can see it.
func (p HullPricing) visible(ctx context.Context) HullPricing {
	return privacy.Hide(p, auth.From(ctx).Scopes)
}

// FindAllPricing returns the pricing of hulls, by hull ID. The statement depends
// on the number of IDs.
func FindAllPricing(ctx context.Context, tx *db.Tx, hullIDs []string) (map[string]HullPricing, error) {
	list, args := idList(tx, hullIDs)
	all, err := db.All[HullPricing](ctx, tx, `SELECT {cols} FROM hull_pricing WHERE env = ? AND id IN `+list, args...)
	byHull := map[string]HullPricing{}
	for _, p := range all {
		byHull[p.ID] = p
	}
	return byHull, err
}

// FindAllSpecs returns the specifications of hulls, by hull ID. Hulls without
// specifications are missing. The statement depends on the number of IDs.
func FindAllSpecs(ctx context.Context, tx *db.Tx, hullIDs []string) (map[string]HullSpecs, error) {
	list, args := idList(tx, hullIDs)
	all, err := db.All[specRow](ctx, tx, `SELECT {cols} FROM hull_specs WHERE env = ? AND id IN `+list, args...)
	byHull := map[string]HullSpecs{}
	for _, r := range all {
		byHull[r.ID] = r.view(Hull{ID: r.ID}, false)
	}
	return byHull, err
}

func idList(tx *db.Tx, ids []string) (list string, args []any) {
	args = []any{tx.Env}
	for _, id := range ids {
		args = append(args, id)
	}
	return "(" + strings.TrimSuffix(strings.Repeat("?, ", len(ids)), ", ") + ")", args
}
