package hulls

import (
	"context"
	"slices"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/page"
)

// SearchLimits are variables so that tests can use all paths with few hulls.
var SearchLimits = struct {
	Few    int // matches of a condition that are all read
	Many   int // the same, if there is no better way
	Common int // matches of each of several conditions that are compared
	Nearby int // hulls to scan before anything else
}{Few: 1000, Many: 20_000, Common: 150_000, Nearby: 600}

// reader collects the rows of a page, part by part in the direction of the page.
type reader struct {
	*finder
	back  bool // from old to new
	limit int
	from  string // rows up to here have been read; "" at the start
	rows  []Hull
	ended bool // there are no more rows
}

// done reports whether the page has all its rows, and one more if there is one.
func (r *reader) done() bool { return r.ended || len(r.rows) > r.limit }

// read reads the page. See finder.page.
func (r *reader) read(ctx context.Context) error {
	if found, err := r.readUnder(ctx, SearchLimits.Few); err != nil || found {
		return err
	}

	if err := r.resolve(ctx); err != nil {
		return err
	}
	if err := r.readNearby(ctx); err != nil || r.done() {
		return err
	}
	limit := SearchLimits.Many
	if len(r.drivers) > 1 {
		limit = SearchLimits.Common
	}
	if found, err := r.readUnder(ctx, limit); err != nil || found {
		return err
	}
	return r.readAll(ctx)
}

// ahead returns the condition that a row comes after a position.
func (r *reader) ahead(w *db.Where, column, from string) *db.Where {
	switch {
	case from == "":
		return w
	case r.back:
		return w.With(column+" > ?", from)
	}
	return w.With(column+" < ?", from)
}

// rest is the query for the missing rows. The conditions have the position, because
// a cursor would also be searched for rows on its other side.
func (r *reader) rest() page.Query {
	q := page.Query{Limit: r.limit - len(r.rows)}
	if r.back {
		q.EndingBefore = r.from
	}
	return q
}

// add reads the next rows that match the conditions.
func (r *reader) add(ctx context.Context, w *db.Where) error {
	rows, _, err := db.Slice[Hull](ctx, r.tx, allHulls, r.rest(), r.ahead(w, "h.id", r.from))
	r.rows = append(r.rows, rows...)
	return err
}

// readNearby reads the matches among the next hulls of the list.
func (r *reader) readNearby(ctx context.Context) error {
	w := &db.Where{}
	w.And("h.env = ?", r.tx.Env)
	order := " DESC"
	if r.back {
		order = ""
	}
	w = r.ahead(w, "h.id", r.from)
	end, err := db.All[string](ctx, r.tx, "SELECT h.id FROM hulls h WHERE "+w.String()+" ORDER BY h.id"+order+" LIMIT 1 OFFSET ?",
		append(w.Args, SearchLimits.Nearby)...)
	if err != nil {
		return err
	}
	within := func(w *db.Where, column string) *db.Where {
		switch {
		case len(end) == 0:
			return w
		case r.back:
			return w.With(column+" <= ?", end[0])
		}
		return w.With(column+" >= ?", end[0])
	}

	// A word with few terms leads to fewer hulls than the list.
	if i := slices.IndexFunc(r.drivers, func(d driver) bool { return d.terms != nil }); i >= 0 {
		rows, _, err := r.byTerms(ctx, r.drivers[i], r.rest(), r.ahead(within(r.without(r.drivers[i].word), "t.id"), "t.id", r.from))
		if err != nil {
			return err
		}
		r.rows = append(r.rows, rows[:min(len(rows), r.limit+1)]...)
	} else if err := r.add(ctx, within(r.where, "h.id")); err != nil {
		return err
	}

	if r.ended = len(end) == 0; !r.ended {
		r.from = end[0]
	}
	return nil
}

// readUnder reads the matches among the hulls of the conditions that match fewer than a
// limit. It reports false if there is no such condition.
func (r *reader) readUnder(ctx context.Context, limit int) (bool, error) {
	d, ok, err := r.under(ctx, limit)
	if err != nil || !ok {
		return false, err
	}
	ids, err := db.All[string](ctx, r.tx, d.query, d.args...)
	if err != nil {
		return false, err
	}
	return true, r.readIDs(ctx, ids)
}

// readIDs reads the matches among hulls with these IDs.
func (r *reader) readIDs(ctx context.Context, ids []string) error {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if !r.back {
		slices.Reverse(ids)
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return r.from != "" && (id > r.from) != r.back || id == r.from })
	for chunk := range slices.Chunk(ids, 128) {
		if r.done() {
			return nil
		}
		marks, args := db.In(chunk)
		if err := r.add(ctx, r.where.With("h.id IN "+marks, args...)); err != nil {
			return err
		}
		r.from = chunk[len(chunk)-1]
	}
	return nil
}

// readAll reads all other hulls.
func (r *reader) readAll(ctx context.Context) error {
	for _, d := range r.drivers {
		if d.word != nil && !d.ordered {
			return r.add(ctx, r.without(d.word).With("h.id IN (SELECT id FROM hull_terms WHERE env = ? AND term >= ? AND term < ?)", d.args...))
		}
	}
	return r.add(ctx, r.where)
}
