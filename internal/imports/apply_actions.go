package imports

import (
	"cmp"
	"context"
	"fmt"

	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/imports/sheet"
	"slipway/internal/platform/db"
)

// outcome is the result of some rows.
type outcome struct {
	created, updated, unchanged, failed, noted, photos int64
	errors                                             []HullImportError
	failures                                           []sheet.Row
	skips                                              []HullImportSkip
	notes                                              []HullImportNote
	figures                                            []figure
	skipped                                            int64

	duplicates                           []duplicateRow // of contacts, and the counts
	consents, unproven, optOuts, history int64
}

func (o *outcome) add(more outcome) {
	o.created += more.created
	o.updated += more.updated
	o.unchanged += more.unchanged
	o.failed += more.failed
	o.noted += more.noted
	o.photos += more.photos
	o.errors = append(o.errors, more.errors...)
	o.failures = append(o.failures, more.failures...)
	o.skips = append(o.skips, more.skips...)
	o.notes = append(o.notes, more.notes...)
	o.figures = append(o.figures, more.figures...)
	o.skipped += more.skipped
}

// count adds the outcome of rows to an import.
func (i *HullImport) count(out outcome) {
	i.Created, i.Updated, i.Unchanged = i.Created+out.created, i.Updated+out.updated, i.Unchanged+out.unchanged
	i.Skipped, i.Failed, i.Noted = i.Skipped+out.skipped, i.Failed+out.failed, i.Noted+out.noted
	i.PhotoCount += out.photos
	i.DuplicateCount, i.HistoryCount = i.DuplicateCount+int64(len(out.duplicates)), i.HistoryCount+out.history
	i.ConsentCount, i.UnprovenCount, i.OptOutCount = i.ConsentCount+out.consents, i.UnprovenCount+out.unproven, i.OptOutCount+out.optOuts
}

// skip counts a row whose number belongs to a closed hull.
func (o *outcome) skip(r sheet.Row, field SkipField, h hulls.Closed) {
	o.skipped++
	o.skips = append(o.skips, HullImportSkip{Row: r.Number, Field: field, HullID: h.ID, Message: fmt.Sprintf("is already used by %s, which is %s", h.ID, h.Status)})
}

// note adds the notes of a row that is imported.
func (o *outcome) note(r sheet.Row) {
	if len(r.Notes) > 0 {
		o.noted++
	}
	for _, n := range r.Notes {
		o.notes = append(o.notes, HullImportNote{Row: r.Number, Field: n.Field, Code: n.Code, Message: sheet.Clip(n.Message, 500)})
	}
}

// reject counts a row as failed. It returns errors that are not about the row.
func (o *outcome) reject(r sheet.Row, err error) error {
	lines, ok := errorsOf(r, err)
	if !ok {
		return err
	}
	o.failed++
	o.errors, o.failures = append(o.errors, lines...), append(o.failures, r)
	return nil
}

// applyRows imports a batch of rows. A row that is rejected changes nothing,
// because rules are checked before anything is written.
func applyRows(ctx context.Context, tx *db.Tx, i HullImport, rows []sheet.Row) (out outcome, err error) {
	if err := db.ForceCustomPlan(ctx, tx); err != nil { // the inventory might have been empty a minute ago
		return out, err
	}
	if i.Subject == sheet.Contacts {
		return applyContacts(ctx, tx, i, rows)
	}
	locations, err := dealership.Locations(ctx, tx)
	if err != nil {
		return out, err
	}
	zones, err := dealership.Zones(ctx, tx)
	if err != nil {
		return out, err
	}
	known, err := findHulls(ctx, tx, rows)
	if err != nil {
		return out, err
	}

	b := &batch{i: i, places: placesOf(locations), zones: zones, known: known}
	for _, r := range rows {
		if err := b.apply(ctx, tx, r); err != nil {
			if err := b.reject(r, err); err != nil {
				return b.out, err
			}
		}
	}
	return b.finish(ctx, tx)
}

// batch is a batch of rows while it is imported.
type batch struct {
	i      HullImport
	places places
	zones  map[string]string // by location
	known  known
	out    outcome

	added     []hulls.Addition // inserted together
	addedFrom []sheet.Row
	changed   []change
}

// change is a row of an existing hull.
type change struct {
	row     sheet.Row
	hullID  string
	changed bool
}

// apply imports a row. New hulls are inserted later.
func (b *batch) apply(ctx context.Context, tx *db.Tx, r sheet.Row) error {
	if bad, err := b.problems(r, tx.Now); err != nil || len(bad) > 0 {
		return cmp.Or(err, bad.Err())
	}
	earlier, field, closed := b.known.earlier(r)
	if h, ok := b.known.active[r.Text("stock_number")]; ok {
		changed, err := b.update(ctx, tx, h, r)
		if err == nil {
			b.changed = append(b.changed, change{r, h.ID, changed})
		}
		return err
	}
	if closed && !b.i.Reacquire {
		b.out.skip(r, field, earlier)
		b.addFigure(r, nil)
		return nil
	}

	h, err := b.create(tx, r)
	if err != nil {
		return err
	}
	if closed && h.PreviousHullID == nil && sameBoat(earlier, r) {
		h.PreviousHullID = &earlier.ID
		if earlier.Status == hulls.Delivered && h.Condition == "new" {
			h.Condition = "used" // it had an owner
		}
	}
	b.added, b.addedFrom = append(b.added, h), append(b.addedFrom, r)
	return nil
}

// finish inserts the new hulls and queues the photos of all rows.
func (b *batch) finish(ctx context.Context, tx *db.Tx) (outcome, error) {
	rejected, err := hulls.InsertAll(ctx, tx, b.added)
	if err != nil {
		return b.out, err
	}
	b.out.created += int64(len(b.added) - len(rejected))
	all := b.changed
	for n, r := range b.addedFrom {
		if err := rejected[n]; err != nil {
			if err := b.reject(r, err); err != nil {
				return b.out, err
			}
			continue
		}
		all = append(all, change{r, b.added[n].ID, true})
	}

	queued, err := queuePhotos(ctx, tx, b.i, all)
	if err != nil {
		return b.out, err
	}
	for n, c := range all {
		b.out.photos += queued[n]
		b.out.note(all[n].row)
		b.addFigure(all[n].row, &all[n].hullID)
		switch {
		case n >= len(b.changed): // created
		case c.changed || queued[n] > 0:
			b.out.updated++
		default:
			b.out.unchanged++
		}
	}
	return b.out, nil
}

// reject counts a row as failed. It returns errors that are not about the row.
func (b *batch) reject(r sheet.Row, err error) error {
	b.addFigure(r, nil)
	return b.out.reject(r, err)
}

// addFigure stores what a row says, to compare it with the inventory after a reviewed import.
func (b *batch) addFigure(r sheet.Row, hullID *string) {
	if b.i.Review && !b.i.DryRun {
		b.out.figures = append(b.out.figures, figureOf(b.i, r, hullID))
	}
}

// create returns the new hull of a row.
func (b *batch) create(tx *db.Tx, r sheet.Row) (a hulls.Addition, err error) {
	x, _, err := extrasOf(r)
	if err != nil {
		return a, err
	}
	c, err := createOf(r, createFields(r, tx.Now.Year()))
	if err != nil {
		return a, err
	}
	if a.Hull, err = hulls.NewHull(c, tx, b.zones[c.LocationID]); err != nil {
		return a, err
	}
	a.MSRPUSD, a.Cost = x.msrp, x.cost
	a.Specs, err = x.specs.SheetOf()
	return a, err
}

// update changes a hull to match its row, and reports whether something changed.
func (b *batch) update(ctx context.Context, tx *db.Tx, h hulls.Hull, r sheet.Row) (bool, error) {
	x, _, err := extrasOf(r)
	if err != nil {
		return false, err
	}
	p, err := patchOf(r)
	if err != nil {
		return false, err
	}
	u := hulls.Update{
		Patch: p, Status: hulls.Status(r.Text("status")), MSRPUSD: x.msrp, Cost: x.cost, Specs: x.specs, Reason: "import " + b.i.ID,
	}
	if price, ok := r.Fields["price_usd"].(float64); ok {
		u.PriceUSD = new(int64(price))
	}
	return u.Apply(ctx, tx, h, b.known.stored)
}

// findHulls returns the existing hulls of rows.
func findHulls(ctx context.Context, tx *db.Tx, rows []sheet.Row) (k known, err error) {
	var hins, stockNumbers []string
	for _, r := range rows {
		if s := r.Text("stock_number"); s != "" {
			stockNumbers = append(stockNumbers, s)
		}
		if s := r.HIN(); s != "" {
			hins = append(hins, s)
		}
	}

	if k.active, err = hulls.FindByStockNumber(ctx, tx, stockNumbers); err != nil {
		return k, err
	}
	costs, specs := needs(rows, costFields), needs(rows, engineFields, furtherFields, trailerFields, sheetFields, otherFields)
	if costs || specs {
		var ids []string
		for _, h := range k.active {
			ids = append(ids, h.ID)
		}
		if k.stored, err = hulls.FindStored(ctx, tx, ids, costs, specs); err != nil {
			return k, err
		}
	}
	k.closed, err = hulls.FindClosed(ctx, tx, hins, stockNumbers)
	return k, err
}
