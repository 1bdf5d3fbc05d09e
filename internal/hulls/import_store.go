package hulls

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"slipway/internal/dealership"
	"slipway/internal/platform/blobs"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/patch"
)

// findImport returns an import with some of its errors.
func findImport(ctx context.Context, tx *db.Tx, id string, errors int) (HullImport, error) {
	i, err := db.One[HullImport](ctx, tx, `SELECT {cols} FROM hull_imports WHERE env = ? AND id = ?`, tx.Env, id)
	if db.IsNoRows(err) {
		return i, fault.NotFound("import", id)
	}
	if err != nil {
		return i, err
	}
	i.Errors, err = db.All[HullImportError](ctx, tx, `SELECT {cols} FROM hull_import_errors WHERE env = ? AND import_id = ? ORDER BY number LIMIT ?`, tx.Env, id, errors)
	return i, err
}

func insertImport(ctx context.Context, tx *db.Tx, i *HullImport) error {
	i.Env, i.ID, i.Version, i.CreatedAt, i.UpdatedAt, i.BeatAt = tx.Env, tx.NewID("imp"), 1, tx.Now, tx.Now, tx.Now
	if err := db.Insert(ctx, tx, "hull_imports", *i); err != nil {
		return err
	}
	return blobs.Claim(ctx, tx, i.Blob)
}

// saveImport writes an import, unless another run of it took over: then that
// one's progress counts.
func saveImport(ctx context.Context, tx *db.Tx, i *HullImport) error {
	was := i.Version
	i.Version, i.UpdatedAt, i.BeatAt = was+1, tx.Now, tx.Now
	n, err := db.Update(ctx, tx, "hull_imports", i, "env = ? AND id = ? AND version = ?", i.Env, i.ID, was)
	if err == nil && n == 0 {
		err = errOvertaken
	}
	return err
}

// addErrors keeps what is wrong with rows, as far as there is room.
func addErrors(ctx context.Context, tx *db.Tx, i HullImport, lines []HullImportError) error {
	type errorRow struct {
		Env      auth.Env `db:"env"`
		ImportID string   `db:"import_id"`
		Number   int64    `db:"number"`
		HullImportError
	}
	n, err := db.One[int64](ctx, tx, `SELECT COUNT(*) FROM hull_import_errors WHERE env = ? AND import_id = ?`, i.Env, i.ID)
	if err != nil {
		return err
	}
	var rows []errorRow
	for _, line := range lines[:min(len(lines), max(0, maxImportErrors-int(n)))] {
		rows = append(rows, errorRow{i.Env, i.ID, n + int64(len(rows)), line})
	}
	return db.Insert(ctx, tx, "hull_import_errors", rows...)
}

// keptRow is a row of an atomic import that waits for the others.
type keptRow struct {
	Env      auth.Env       `db:"env"`
	ImportID string         `db:"import_id"`
	Number   int64          `db:"row_no"`
	Fields   map[string]any `db:"fields,json"`
}

func keepRows(ctx context.Context, tx *db.Tx, i HullImport, rows []importRow) error {
	var kept []keptRow
	for _, r := range rows {
		if len(r.bad) == 0 {
			kept = append(kept, keptRow{i.Env, i.ID, r.number, r.fields})
		}
	}
	return db.Insert(ctx, tx, "hull_import_rows", kept...)
}

func keptRows(ctx context.Context, tx *db.Tx, i HullImport, after int64) (rows []importRow, err error) {
	kept, err := db.All[keptRow](ctx, tx, `SELECT {cols} FROM hull_import_rows WHERE env = ? AND import_id = ? AND row_no > ? ORDER BY row_no LIMIT ?`,
		i.Env, i.ID, after, importBatch)
	for _, k := range kept {
		rows = append(rows, importRow{number: k.Number, fields: k.Fields})
	}
	return rows, err
}

func forgetRows(ctx context.Context, tx *db.Tx, i HullImport) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM hull_import_rows WHERE env = ? AND import_id = ?`, i.Env, i.ID)
	return err
}

// outcome is what became of some rows.
type outcome struct {
	created, updated, failed int64
	errors                   []HullImportError
}

func (o *outcome) add(more outcome) {
	o.created += more.created
	o.updated += more.updated
	o.failed += more.failed
	o.errors = append(o.errors, more.errors...)
}

// refuse counts a row as failed. It returns the errors that are not the row's.
func (o *outcome) refuse(r importRow, err error) error {
	lines, ok := r.complaints(err)
	if !ok {
		return err
	}
	o.failed++
	o.errors = append(o.errors, lines...)
	return nil
}

// applyRows brings a batch of rows into the inventory. A row that is refused
// changes nothing: rules come before writes.
func applyRows(ctx context.Context, tx *db.Tx, i HullImport, rows []importRow) (out outcome, err error) {
	if err := db.ForceCustomPlan(ctx, tx); err != nil { // the inventory may have been empty a minute ago
		return out, err
	}
	lots, err := dealership.Locations(ctx, tx)
	if err != nil {
		return out, err
	}
	known, err := hullsByStock(ctx, tx, rows)
	if err != nil {
		return out, err
	}
	var fresh []Hull
	var origin []importRow
	for _, r := range rows {
		if err := r.bad.Err(); err != nil {
			if err := out.refuse(r, err); err != nil {
				return out, err
			}
			continue
		}
		r.place(lots, i.LocationID)
		if h, ok := known[r.text("stock_number")]; ok {
			if err := updateFromRow(ctx, tx, h, r, i); err != nil {
				if err := out.refuse(r, err); err != nil {
					return out, err
				}
				continue
			}
			out.updated++
			continue
		}
		h, err := r.hull(tx, lots)
		if err != nil {
			if err := out.refuse(r, err); err != nil {
				return out, err
			}
			continue
		}
		fresh, origin = append(fresh, h), append(origin, r)
	}
	added, err := insertAll(ctx, tx, fresh, origin)
	out.add(added)
	return out, err
}

// place fills in the location of a row: by its id or its code, or the one for
// rows that name none.
func (r *importRow) place(lots []dealership.Location, otherwise *string) {
	name := r.text("location_id")
	if name == "" {
		if _, named := r.fields["location_id"]; !named && otherwise != nil {
			r.fields["location_id"] = *otherwise
		}
		return
	}
	for _, l := range lots {
		if l.Code != nil && strings.EqualFold(*l.Code, name) {
			r.fields["location_id"] = l.ID
		}
	}
}

// hull is the new hull of a row.
func (r importRow) hull(tx *db.Tx, lots []dealership.Location) (h Hull, err error) {
	bad := judgeRow(r.fields)
	if len(bad) > 0 {
		return h, bad.Err()
	}
	c, err := r.create()
	if err != nil {
		return h, err
	}
	if h, err = c.hull(tx.Now); err != nil {
		return h, err
	}
	if !slices.ContainsFunc(lots, func(l dealership.Location) bool { return l.ID == h.LocationID }) {
		bad.Add("location_id", "not_found", "does not exist")
	}
	return h, bad.Err()
}

// updateFromRow changes a hull as its row says, by the rules that hold for
// changes by hand.
func updateFromRow(ctx context.Context, tx *db.Tx, h Hull, r importRow, i HullImport) error {
	status := Status(r.text("status"))
	bad := judgePatch(r.changes())
	if price, priced := r.fields["price_usd"]; priced {
		bad = append(bad, slices.DeleteFunc(judgeRow(map[string]any{"price_usd": price}), func(d fault.Detail) bool { return d.Field != "price_usd" })...)
	}
	if len(bad) > 0 {
		return bad.Err()
	}
	before := h
	h.Metadata = patch.MergeMetadata(h.Metadata, &map[string]*string{}) // a copy
	p, err := r.patch()
	if err != nil {
		return err
	}
	if status != "" && status != h.Status {
		if err := h.move(HullTransition{To: status, Reason: new("import " + i.ID)}, i.Actor, tx.Now); err != nil {
			return err
		}
	}
	if err := p.apply(&h, tx.Now); err != nil {
		return err
	}
	event := "hull.updated"
	if h.Status != before.Status {
		event = "hull.status_changed"
	}
	if !reflect.DeepEqual(before, h) {
		if err := save(ctx, tx, before, &h, event, new("import "+i.ID)); err != nil {
			return err
		}
	}
	price, priced := r.fields["price_usd"].(float64)
	if !priced || int64(price) == h.PriceUSD {
		return nil
	}
	was, err := findPricing(ctx, tx, h)
	if err != nil {
		return err
	}
	now := was
	now.PriceUSD, now.EffectiveAt = int64(price), tx.Now
	return savePricing(ctx, tx, h, was, &now, new("import "+i.ID))
}

// among is the list of an IN condition and its arguments after env. It is
// always as long as a batch, so that the statement is always the same.
func among(env auth.Env, values []string) (list string, args []any) {
	args = []any{env}
	for n := range importBatch {
		args = append(args, values[min(n, len(values)-1)])
	}
	return "(" + strings.TrimSuffix(strings.Repeat("?, ", importBatch), ", ") + ")", args
}

// hullsByStock finds the hulls that rows name.
func hullsByStock(ctx context.Context, tx *db.Tx, rows []importRow) (map[string]Hull, error) {
	var numbers []string
	for _, r := range rows {
		if s := r.text("stock_number"); s != "" && len(r.bad) == 0 {
			numbers = append(numbers, s)
		}
	}
	found := map[string]Hull{}
	if len(numbers) == 0 {
		return found, nil
	}
	list, args := among(tx.Env, numbers)
	all, err := db.All[Hull](ctx, tx, `SELECT {cols} FROM hulls WHERE env = ? AND stock_number IN `+list+` AND status NOT IN ('archived', 'delivered')`, args...)
	for _, h := range all {
		complete(tx, &h)
		found[*h.StockNumber] = h
	}
	return found, err
}

// insertAll adds new hulls as insert does, in a few statements for all of them.
func insertAll(ctx context.Context, tx *db.Tx, fresh []Hull, origin []importRow) (out outcome, err error) {
	fresh, err = withoutTaken(ctx, tx, fresh, origin, &out)
	if err != nil || len(fresh) == 0 {
		return out, err
	}
	channels, err := channelsOf(ctx, tx)
	if err != nil {
		return out, err
	}
	var terms []termRow
	var prices []HullPricing
	var firstPrices []PriceChange
	var history []HullChange
	var listings []HullSyndication
	actor := auth.From(ctx).Actor
	for n := range fresh {
		h := &fresh[n]
		h.Env, h.ID, h.Version, h.CreatedAt, h.UpdatedAt = tx.Env, tx.NewID("hull"), 1, tx.Now, tx.Now
		for _, t := range h.terms() {
			terms = append(terms, termRow{tx.Env, t, h.ID})
		}
		prices = append(prices, firstPricing(*h))
		firstPrices = append(firstPrices, firstPrice(tx, *h, actor))
		history = append(history, firstChange(tx, *h, actor))
		for _, c := range channels {
			l := newListing(*h, c.ID)
			if l.Wanted = c.AutoPublish; l.Wanted && l.follow(*h, c, true, tx.Now) {
				listings = append(listings, l)
				l.show(h)
			}
		}
		complete(tx, h)
		out.created++
	}
	if err := db.Insert(ctx, tx, "hulls", fresh...); err != nil {
		return out, err
	}
	for _, insert := range []func() error{
		func() error { return db.Insert(ctx, tx, "hull_terms", terms...) },
		func() error { return db.Insert(ctx, tx, "hull_pricing", prices...) },
		func() error { return db.Insert(ctx, tx, "hull_price_changes", firstPrices...) },
		func() error { return db.Insert(ctx, tx, "hull_history", history...) },
		func() error { return db.Insert(ctx, tx, "hull_listings", listings...) },
	} {
		if err := insert(); err != nil {
			return out, err
		}
	}
	for _, h := range fresh {
		if err := events.Emit(ctx, tx, "hull.created", h.ID, nil, h); err != nil {
			return out, err
		}
	}
	for _, l := range listings {
		if err := events.Emit(ctx, tx, l.event(newListing(Hull{}, "")), l.HullID, newListing(Hull{}, ""), l); err != nil {
			return out, err
		}
	}
	return out, nil
}

// withoutTaken leaves out the hulls whose number another one has, or that come
// from a hull that is not there. The indexes are the guard; this names the
// other hull.
func withoutTaken(ctx context.Context, tx *db.Tx, fresh []Hull, origin []importRow, out *outcome) (free []Hull, err error) {
	type holder struct {
		HIN string `db:"hin"`
		ID  string `db:"id"`
	}
	taken := map[string]string{}
	var numbers []string
	for _, h := range fresh {
		if h.HIN != nil {
			numbers = append(numbers, *h.HIN)
		}
	}
	if len(numbers) > 0 {
		list, args := among(tx.Env, numbers)
		others, err := db.All[holder](ctx, tx, `SELECT {cols} FROM hulls WHERE env = ? AND hin IN `+list+` AND status NOT IN ('archived', 'delivered')`, args...)
		if err != nil {
			return nil, err
		}
		for _, o := range others {
			taken[o.HIN] = o.ID
		}
	}
	for n, h := range fresh {
		var bad fault.Fields
		if other, is := taken[deref(h.HIN)]; is && h.HIN != nil {
			bad.Add("hin", "duplicate", "is that of %s", other)
		} else if h.HIN != nil {
			taken[*h.HIN] = "another row"
		}
		if h.PreviousHullID != nil {
			_, err := Find(ctx, tx, *h.PreviousHullID)
			if err := missing(&bad, "previous_hull_id", err); err != nil {
				return nil, err
			}
		}
		if err := bad.Err(); err != nil {
			if err := out.refuse(origin[n], err); err != nil {
				return nil, err
			}
			continue
		}
		free = append(free, h)
	}
	return free, nil
}

// finishImport ends an import: its file is not needed any more.
func finishImport(ctx context.Context, tx *db.Tx, i *HullImport, state string, problem *string) error {
	i.State, i.Problem, i.FinishedAt = state, problem, &tx.Now
	if state == importCompleted {
		i.BytesDone = i.Bytes
	}
	if err := saveImport(ctx, tx, i); err != nil {
		return err
	}
	if err := forgetRows(ctx, tx, *i); err != nil {
		return err
	}
	if err := blobs.Release(ctx, tx, i.Blob); err != nil {
		return err
	}
	told, err := findImport(ctx, tx, i.ID, 20) // an event is no report
	if err != nil {
		return err
	}
	return events.Emit(ctx, tx, "import."+state, i.ID, nil, told)
}
