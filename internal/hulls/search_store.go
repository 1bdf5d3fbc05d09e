package hulls

import (
	"cmp"
	"context"
	"slices"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/id"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/patch"
	"slipway/internal/vocab/search"
)

// HullFilter narrows the list of hulls.
type HullFilter struct {
	page.Query
	Status        Status               `query:"status" enum:"on_order,in_transit,available,on_hold,sale_pending,sold,delivered,not_for_sale,archived" doc:"Only hulls in this status."`
	LocationID    string               `query:"location_id" maxLength:"64" doc:"Only hulls at this location."`
	Make          string               `query:"make" maxLength:"100" doc:"Exact make. Ignores case and accents."`
	Model         string               `query:"model" maxLength:"100" doc:"Exact model. Ignores case and accents."`
	YearMin       patch.Param[int64]   `query:"year_min" minimum:"0" maximum:"9999" doc:"Only hulls of this model year or newer."`
	YearMax       patch.Param[int64]   `query:"year_max" minimum:"0" maximum:"9999" doc:"Only hulls of this model year or older."`
	PriceMin      patch.Param[int64]   `query:"price_min" minimum:"0" maximum:"1000000000" doc:"Only hulls with at least this asking price, in whole US dollars."`
	PriceMax      patch.Param[int64]   `query:"price_max" minimum:"0" maximum:"1000000000" doc:"Only hulls with at most this asking price, in whole US dollars."`
	LengthMin     patch.Param[float64] `query:"length_min" minimum:"0" maximum:"1000" doc:"Only hulls of at least this length overall, in feet."`
	LengthMax     patch.Param[float64] `query:"length_max" minimum:"0" maximum:"1000" doc:"Only hulls of at most this length overall, in feet."`
	Condition     string               `query:"condition" enum:"new,used,demo" doc:"Only hulls in this condition."`
	Category      string               `query:"category" enum:"power,sail,pwc,unpowered" doc:"Only hulls of this category."`
	Q             string               `query:"q" maxLength:"200" doc:"Words, or the start of words, in the make, model, title, stock number or HIN. All must match." example:"grady 235"`
	Archived      patch.Param[bool]    `query:"archived" doc:"True lists only archived hulls. By default, archived hulls are not listed."`
	CreatedAfter  time.Time            `query:"created_after" doc:"Only objects created after this time."`
	CreatedBefore time.Time            `query:"created_before" doc:"Only objects created before this time."`
	UpdatedAfter  time.Time            `query:"updated_after" doc:"Only hulls updated after this time, for incremental synchronization."`
}

// check rejects filters that contradict each other. They would return an empty
// list and hide the mistake.
func (f HullFilter) check() error {
	if err := f.Query.Check("hull"); err != nil {
		return err
	}
	reject := func(field, text string) error {
		return fault.BadRequest("%s %s.", field, text).Detail(field, "exclusive", "%s", text)
	}
	switch {
	case f.Archived.Set && f.Status != "" && f.Archived.V != (f.Status == Archived):
		return reject("archived", "contradicts status")
	case f.YearMin.Set && f.YearMax.Set && f.YearMin.V > f.YearMax.V:
		return reject("year_min", "must be at most year_max")
	case f.PriceMin.Set && f.PriceMax.Set && f.PriceMin.V > f.PriceMax.V:
		return reject("price_min", "must be at most price_max")
	case f.LengthMin.Set && f.LengthMax.Set && f.LengthMin.V > f.LengthMax.V:
		return reject("length_min", "must be at most length_max")
	}
	return nil
}

// where returns the conditions of the filter on hulls h, except for q.
func (f HullFilter) where(env auth.Env) *db.Where {
	w := &db.Where{}
	w.And("h.env = ?", env)
	switch {
	case f.Archived.V || f.Status == Archived:
		w.And("h.status = ?", Archived)
	case f.Status != "":
		w.And("h.status = ?", f.Status)
	default:
		w.And("h.archived_at IS NULL")
	}

	for _, c := range []struct {
		set  bool
		cond string
		arg  any
	}{
		{f.LocationID != "", "h.location_id = ?", f.LocationID},
		{f.Make != "", "h.make_key = ?", search.Fold(f.Make)},
		{f.Model != "", "h.model_key = ?", search.Fold(f.Model)},
		{f.YearMin.Set, "h.year >= ?", f.YearMin.V},
		{f.YearMax.Set, "h.year <= ?", f.YearMax.V},
		{f.PriceMin.Set, "h.price_usd >= ?", f.PriceMin.V},
		{f.PriceMax.Set, "h.price_usd <= ?", f.PriceMax.V},
		{f.LengthMin.Set, "h.length_ft >= ?", f.LengthMin.V},
		{f.LengthMax.Set, "h.length_ft <= ?", f.LengthMax.V},
		{f.Condition != "", "h.condition = ?", f.Condition},
		{f.Category != "", "h.category = ?", f.Category},
		{!f.UpdatedAfter.IsZero(), "h.updated_at > ?", f.UpdatedAfter},
		// IDs contain the creation time, so these are ranges of the primary key.
		{!f.CreatedAfter.IsZero(), "h.id >= ?", id.Floor("hull", f.CreatedAfter.Add(time.Millisecond))},
		{!f.CreatedBefore.IsZero(), "h.id < ?", id.Floor("hull", f.CreatedBefore)},
	} {
		if c.set {
			w.And(c.cond, c.arg)
		}
	}

	return w
}

// List returns the hulls that match the filter.
func List(ctx context.Context, tx *db.Tx, f HullFilter) (page.Page[Hull], error) {
	if err := f.check(); err != nil {
		return page.Page[Hull]{}, err
	}
	p, err := searchHulls(ctx, tx, f)
	for i := range p.Data {
		Derive(tx, &p.Data[i])
	}
	return p, err
}

var (
	allHulls    = db.Source{From: "hulls h", Cols: "h.cols", ID: "h.id"}
	hullsByTerm = db.Source{From: "hull_terms t JOIN hulls h ON h.env = t.env AND h.id = t.id", Cols: "h.cols", ID: "t.id"}
)

// searchHulls returns the hulls that match the filter and have each word of q.
//
// It starts with the rarest word. If that matches few terms, as makes and models
// do, each term is a range of the index in the order of the list. The page is
// merged from the first rows of each range, so the cost doesn't depend on how
// common the terms are. If it matches many terms, as the start of a stock number
// does, the matching hulls are sorted.
func searchHulls(ctx context.Context, tx *db.Tx, f HullFilter) (page.Page[Hull], error) {
	w := f.where(tx.Env)
	spans, err := spansOf(ctx, tx, f.Q)
	if err != nil || len(spans) == 0 {
		if err == nil && f.Q != "" {
			return page.New([]Hull{}, f.Query, false, nil), nil // q has no word to search for
		}
		if err != nil {
			return page.Page[Hull]{}, err
		}
		return db.List[Hull](ctx, tx, allHulls, f.Query, w)
	}

	lead, others := spans[0], spans[1:]
	for _, s := range others {
		w.And("EXISTS (SELECT 1 FROM hull_terms x WHERE x.env = ? AND x.id = h.id AND x.term >= ? AND x.term < ?)", tx.Env, s.from, s.to)
	}

	terms, err := termsIn(ctx, tx, lead)
	if err != nil {
		return page.Page[Hull]{}, err
	}

	if len(terms) > fewTerms {
		// If most hulls have such a term, the next few hulls fill the page.
		near := w.With("(SELECT COUNT(*) FROM hull_terms x WHERE x.env = ? AND x.id = h.id AND x.term >= ? AND x.term < ?) > 0",
			tx.Env, lead.from, lead.to)
		near.And(nearby(f.Query), tx.Env, cmp.Or(f.Cursor(), "z"), fewHulls)
		rows, beyond, err := db.Slice[Hull](ctx, tx, allHulls, f.Query, near)
		if err != nil || len(rows) > f.Limit {
			return page.New(rows, f.Query, beyond, db.IDOf[Hull]), err
		}
		w.And("h.id IN (SELECT id FROM hull_terms WHERE env = ? AND term >= ? AND term < ?)", tx.Env, lead.from, lead.to)
		return db.List[Hull](ctx, tx, allHulls, f.Query, w)
	}

	var lists [][]Hull
	anyBeyond := false
	for _, term := range terms {
		rows, beyond, err := db.Slice[Hull](ctx, tx, hullsByTerm, f.Query, w.With("t.env = ? AND t.term = ?", tx.Env, term))
		if err != nil {
			return page.Page[Hull]{}, err
		}
		lists, anyBeyond = append(lists, rows), anyBeyond || beyond
	}

	return page.New(page.Merge(lists, f.Query, db.IDOf[Hull]), f.Query, anyBeyond, db.IDOf[Hull]), nil
}

// nearby returns the condition that a hull is among the next few in the
// direction of the page.
func nearby(q page.Query) string {
	if q.Backwards() {
		return "h.id <= COALESCE((SELECT id FROM hulls WHERE env = ? AND id > ? ORDER BY id LIMIT 1 OFFSET ?), 'z')"
	}
	return "h.id >= COALESCE((SELECT id FROM hulls WHERE env = ? AND id < ? ORDER BY id DESC LIMIT 1 OFFSET ?), '')"
}

const (
	fewHulls  = 2000 // hulls to scan for a common start of words
	fewTerms  = 16   // maximum number of index ranges to merge
	countedTo = 2000 // counting stops here
	maxWords  = 8    // maximum number of words of q
)

// spansOf returns the spans of the words of q, rarest first.
func spansOf(ctx context.Context, tx *db.Tx, q string) ([]span, error) {
	type counted struct {
		span
		n int64
	}
	var all []counted
	ws := search.Words(q)
	for _, word := range ws[:min(len(ws), maxWords)] {
		all = append(all, counted{span: spanOf(word)})
	}
	if len(all) > 1 {
		for i, s := range all {
			n, err := db.One[int64](ctx, tx,
				`SELECT COUNT(*) FROM (SELECT 1 FROM hull_terms WHERE env = ? AND term >= ? AND term < ? LIMIT ?) AS counted`,
				tx.Env, s.from, s.to, countedTo)
			if err != nil {
				return nil, err
			}
			all[i].n = n
		}
	}

	slices.SortStableFunc(all, func(a, b counted) int { return int(a.n - b.n) })
	var spans []span
	for _, s := range all {
		spans = append(spans, s.span)
	}

	return spans, nil
}

// termsIn returns up to fewTerms+1 distinct terms of a span. It jumps from term
// to term in the index.
func termsIn(ctx context.Context, tx *db.Tx, s span) ([]string, error) {
	return db.All[string](ctx, tx, `
		WITH RECURSIVE found (term) AS (
			SELECT * FROM (SELECT term FROM hull_terms WHERE env = ? AND term >= ? AND term < ? ORDER BY term LIMIT 1) AS first
			UNION ALL
			SELECT (SELECT term FROM hull_terms WHERE env = ? AND term > found.term AND term < ? ORDER BY term LIMIT 1)
			FROM found WHERE found.term IS NOT NULL
		)
		SELECT term FROM found WHERE term IS NOT NULL LIMIT ?`, tx.Env, s.from, s.to, tx.Env, s.to, fewTerms+1)
}

type termRow struct {
	Env  auth.Env `db:"env"`
	Term string   `db:"term"`
	ID   string   `db:"id"`
}

func termRows(h Hull) (rows []termRow) {
	for _, t := range h.terms() {
		rows = append(rows, termRow{h.Env, t, h.ID})
	}
	return rows
}

// updateTerms replaces the search terms of a hull if they have changed.
func updateTerms(ctx context.Context, tx *db.Tx, before, h Hull) error {
	if slices.Equal(before.terms(), h.terms()) {
		return nil
	}
	if _, err := db.Exec(ctx, tx, `DELETE FROM hull_terms WHERE env = ? AND id = ?`, h.Env, h.ID); err != nil {
		return err
	}
	return db.Insert(ctx, tx, "hull_terms", termRows(h)...)
}
