package hulls

import (
	"context"
	"reflect"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/patch"
)

// Addition is a new hull with what is stored next to it.
type Addition struct {
	Hull
	Cost  *HullCost  // nil if unknown
	Specs *SpecSheet // nil for no specification sheet
}

// Update is a change of all parts of a hull. Empty parts stay as they are.
type Update struct {
	Patch    HullPatch
	Status   Status
	PriceUSD *int64
	MSRPUSD  *int64
	Cost     *HullCost // only the costs to change
	Specs    SpecParts
	Reason   string
}

// Stored is what is stored next to some hulls, by hull ID.
type Stored struct {
	pricing map[string]HullPricing
	specs   map[string]HullSpecs
}

// FindStored returns what is stored next to up to a batch of hulls.
func FindStored(ctx context.Context, tx *db.Tx, ids []string, costs, specs bool) (s Stored, err error) {
	if len(ids) == 0 {
		return s, nil
	}
	same := make([]string, BatchSize) // so that the statements are always the same
	for n := range same {
		same[n] = ids[min(n, len(ids)-1)]
	}
	if costs {
		if s.pricing, err = FindAllPricing(ctx, tx, same); err != nil {
			return s, err
		}
	}
	if specs {
		s.specs, err = FindAllSpecs(ctx, tx, same)
	}
	return s, err
}

// Apply changes a hull with the same rules as single requests, and reports whether
// something changed.
func (u Update) Apply(ctx context.Context, tx *db.Tx, h Hull, stored Stored) (changed bool, err error) {
	before := h
	h.Metadata = patch.MergeMetadata(h.Metadata, &map[string]*string{}) // a copy
	if u.Status != "" && u.Status != h.Status {
		if err := h.move(HullTransition{To: u.Status, Reason: &u.Reason}, auth.From(ctx).Actor, tx.Now); err != nil {
			return false, err
		}
	}
	zone, err := u.Patch.zone(ctx, tx, h)
	if err != nil {
		return false, err
	}
	if err := u.Patch.apply(&h, tx.Now, zone); err != nil {
		return false, err
	}

	event := "hull.updated"
	if h.Status != before.Status {
		event = "hull.status_changed"
	}
	if !reflect.DeepEqual(before, h) {
		changed = true
		if err := Save(ctx, tx, before, &h, Cause{Event: event, Reason: &u.Reason}); err != nil {
			return changed, err
		}
	}

	priced, err := u.applyPricing(ctx, tx, h, stored)
	if err != nil {
		return changed, err
	}
	specified, err := u.applySpecs(ctx, tx, h, stored)
	return changed || priced || specified, err
}

func (u Update) applyPricing(ctx context.Context, tx *db.Tx, h Hull, stored Stored) (changed bool, err error) {
	samePrice := u.PriceUSD == nil || *u.PriceUSD == h.PriceUSD
	sameMSRP := u.MSRPUSD == nil || h.MSRPUSD != nil && *u.MSRPUSD == *h.MSRPUSD
	if samePrice && sameMSRP && u.Cost == nil {
		return false, nil
	}
	was, ok := stored.pricing[h.ID]
	if !ok {
		if was, err = findPricing(ctx, tx, h); err != nil {
			return false, err
		}
	}

	p := was
	p.Cost = u.Cost.over(was.Cost)
	if !samePrice {
		p.PriceUSD, p.EffectiveAt = *u.PriceUSD, tx.Now
	}
	if !sameMSRP {
		p.MSRPUSD = u.MSRPUSD
	}
	if reflect.DeepEqual(p, was) {
		return false, nil
	}
	return true, savePricing(ctx, tx, h, repricing{was, &p, &u.Reason})
}

// over returns the costs after a change.
func (c *HullCost) over(was *HullCost) *HullCost {
	if c == nil {
		return was
	}
	sum := HullCost{}
	if was != nil {
		sum = *was
	}
	set(&sum.InvoiceCents, c.InvoiceCents)
	set(&sum.FreightCents, c.FreightCents)
	set(&sum.RiggingCents, c.RiggingCents)
	set(&sum.PackCents, c.PackCents)
	set(&sum.ReconditioningCents, c.ReconditioningCents)
	return &sum
}

func set[T any](to **T, value *T) {
	if value != nil {
		*to = value
	}
}

func (u Update) applySpecs(ctx context.Context, tx *db.Tx, h Hull, stored Stored) (changed bool, err error) {
	if u.Specs.isEmpty() {
		return false, nil
	}
	was := stored.specs[h.ID]
	sheet := u.Specs.over(was.SpecSheet)
	if err := sheet.check(); err != nil || reflect.DeepEqual(sheet, was.SpecSheet) {
		return false, err
	}

	before := specRow{Env: h.Env, ID: h.ID, Specs: was.SpecSheet, Version: was.Version}
	row := before
	row.Specs = sheet
	if err := saveSpecs(ctx, tx, before, &row); err != nil {
		return false, err
	}
	return true, events.Emit(ctx, tx, "hull.specs_replaced", h.ID, events.Change{Before: before.view(h, false), After: row.view(h, false)})
}

// SpecParts are parts of a specification sheet to change. The first of its
// engines is what all engines have in common, and the others have parts of their own.
type SpecParts struct {
	Sheet       SpecSheet
	EngineCount *int64
	Serials     []string // of the engines
}

func (p SpecParts) isEmpty() bool {
	return reflect.DeepEqual(p.Sheet, SpecSheet{}) && p.EngineCount == nil && len(p.Serials) == 0
}

// SheetOf returns the sheet of a new hull, or nil if there are no parts.
func (p SpecParts) SheetOf() (*SpecSheet, error) {
	if p.isEmpty() {
		return nil, nil
	}
	sheet := p.over(SpecSheet{})
	return &sheet, sheet.check()
}

// over returns a sheet after a change.
func (p SpecParts) over(was SpecSheet) SpecSheet {
	sheet := was
	set(&sheet.HullColor, p.Sheet.HullColor)
	set(&sheet.BeamFt, p.Sheet.BeamFt)
	if t := p.Sheet.Trailer; t != nil {
		trailer := SpecTrailer{}
		if was.Trailer != nil {
			trailer = *was.Trailer
		}
		set(&trailer.VIN, t.VIN)
		set(&trailer.Make, t.Make)
		set(&trailer.Model, t.Model)
		set(&trailer.Year, t.Year)
		sheet.Trailer = &trailer
	}
	p.overEngines(&sheet)
	return sheet
}

// overEngines changes the engines of a sheet. A single serial number belongs to
// the first engine.
func (p SpecParts) overEngines(sheet *SpecSheet) {
	if p.Sheet.Engines == nil && p.EngineCount == nil && len(p.Serials) == 0 {
		return
	}
	var was []SpecEngine
	if sheet.Engines != nil {
		was = *sheet.Engines
	}
	own := p.ownEngines()
	count := max(len(was), len(p.Serials), len(own), 1)
	if p.EngineCount != nil {
		count = max(int(*p.EngineCount), len(own))
	}

	engines := make([]SpecEngine, count)
	copy(engines, was)
	for i := range engines {
		e := &engines[i]
		if p.Sheet.Engines != nil && len(*p.Sheet.Engines) > 0 {
			e.setParts((*p.Sheet.Engines)[0])
		}
		if i < len(p.Serials) {
			e.Serial = &p.Serials[i]
		}
		if i < len(own) && i > 0 {
			e.setParts(own[i])
			set(&e.Serial, own[i].Serial)
		}
	}
	sheet.Engines = &engines
}

// ownEngines returns the engines that have parts of their own.
func (p SpecParts) ownEngines() []SpecEngine {
	if p.Sheet.Engines == nil || len(*p.Sheet.Engines) < 2 {
		return nil
	}
	return *p.Sheet.Engines
}

// setParts sets the parts that engines of a boat often share.
func (e *SpecEngine) setParts(by SpecEngine) {
	set(&e.Make, by.Make)
	set(&e.Model, by.Model)
	set(&e.Year, by.Year)
	set(&e.HP, by.HP)
	set(&e.Hours, by.Hours)
	set(&e.Fuel, by.Fuel)
}

// Numbered is an active hull with what identifies it in a file.
type Numbered struct {
	ID          string  `db:"id"`
	HIN         *string `db:"hin"`
	StockNumber *string `db:"stock_number"`
	LocationID  string  `db:"location_id"`
}

// ActiveAfter returns up to n active hulls with a HIN or a stock number, in
// ascending order of their IDs.
func ActiveAfter(ctx context.Context, tx *db.Tx, after string, n int) ([]Numbered, error) {
	return db.All[Numbered](ctx, tx, `SELECT {cols} FROM hulls WHERE env = ? AND id > ? AND status NOT IN ('archived', 'delivered')
		AND (hin IS NOT NULL OR stock_number IS NOT NULL) ORDER BY id LIMIT ?`, tx.Env, after, n)
}

// Archive removes a hull from the active inventory.
func Archive(ctx context.Context, tx *db.Tx, h Hull, reason string) error {
	before := h
	if err := h.archive(tx.Now); err != nil {
		return err
	}
	return Save(ctx, tx, before, &h, Cause{Event: "hull.archived", Reason: &reason})
}

// CheckArchive returns the error that Archive would return for this hull.
func (h Hull) CheckArchive() error { return h.archive(time.Time{}) }

// insertSpecs adds the specification sheets of new hulls.
func insertSpecs(ctx context.Context, tx *db.Tx, added []*Addition) error {
	var rows []specRow
	for _, a := range added {
		if a.Specs != nil {
			rows = append(rows, specRow{Env: a.Env, ID: a.ID, Specs: *a.Specs, Version: 1, UpdatedAt: tx.Now})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	if err := db.Insert(ctx, tx, "hull_specs", rows...); err != nil {
		return err
	}
	for _, r := range rows {
		h := Hull{Env: r.Env, ID: r.ID}
		c := events.Change{Before: specRow{ID: r.ID}.view(h, false), After: r.view(h, false)}
		if err := events.Emit(ctx, tx, "hull.specs_replaced", r.ID, c); err != nil {
			return err
		}
	}
	return nil
}
