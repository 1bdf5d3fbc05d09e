package hulls

import (
	"cmp"
	"context"
	"slices"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/id"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/search"
)

var (
	allHulls    = db.Source{From: "hulls h", Cols: "h.cols", ID: "h.id", Kept: "hulls"}
	hullsByTerm = db.Source{From: "hull_terms t JOIN hulls h ON h.env = t.env AND h.id = t.id", Cols: "h.cols", ID: "t.id", Kept: "hulls"}
)

const (
	fewTerms = 16 // maximum number of index ranges to merge
	maxWords = 8  // maximum number of words of q
	muchMore = 4  // times as many hulls
)

// driver is a condition whose hulls are found with an index.
type driver struct {
	query   string // selects their IDs
	args    []any
	ordered bool // the index has the order of the list

	word     *span    // of q
	resolved bool     // the terms of the word were read
	terms    []string // of the word, or nil if there are more than fewTerms
	n        int      // number of IDs, up to a limit
}

// drivers returns the conditions of the filter that have an index, except for q.
func (f HullFilter) drivers(env auth.Env) (all []driver) {
	inEnv := (&db.Where{}).With("env = ?", env)
	use := func(w *db.Where, ordered bool) {
		all = append(all, driver{query: "SELECT id FROM hulls WHERE " + w.String(), args: w.Args, ordered: ordered})
	}
	add := func(set, ordered bool, cond string, args ...any) {
		if set {
			use(inEnv.With(cond, args...), ordered)
		}
	}

	status := f.Status
	if f.Archived.V {
		status = Archived
	}
	add(status != "", true, "status = ?", status)
	if f.LocationID != "" {
		at, args := db.OneOf("location_id", f.LocationID)
		add(true, len(args) == 1, at, args...)
	}
	add(f.Make != "", true, "make_key = ?", search.Fold(f.Make))
	add(f.Condition != "", true, "condition = ?", f.Condition)
	add(f.Category != "", true, "category = ?", f.Category)
	add(!f.UpdatedAfter.IsZero(), false, "updated_at > ?", f.UpdatedAfter)

	for _, b := range f.bounds() {
		use(b.on(inEnv, b.column), b.single())
	}
	if !f.CreatedAfter.IsZero() && !f.CreatedBefore.IsZero() {
		add(true, true, "id >= ? AND id < ?", id.Floor("hull", f.CreatedAfter), id.Floor("hull", f.CreatedBefore))
	}

	return all
}

// finder finds the hulls that match a filter.
type finder struct {
	tx      *db.Tx
	query   page.Query
	plain   *db.Where // the conditions of the filter, except for q
	where   *db.Where // all conditions
	drivers []driver
}

// newFinder returns what finds the hulls of a filter. It returns false if q has no
// word to search for.
func newFinder(tx *db.Tx, f HullFilter) (*finder, bool) {
	s := &finder{tx: tx, query: f.Query, plain: f.where(tx.Env), drivers: f.drivers(tx.Env)}
	s.where = s.plain
	words := search.Words(f.Q)
	for _, word := range words[:min(len(words), maxWords)] {
		s.addWord(spanOf(word))
	}
	return s, f.Q == "" || len(words) > 0
}

// searchHulls returns the hulls that match the filter and have each word of q.
//
// A filter by one value is a range of an index in the order of the list. A word
// that matches few terms, as makes and models do, is a range for each term, and
// the page is merged from their first rows. So the cost doesn't depend on how
// common they are. See finder.page for several conditions.
func searchHulls(ctx context.Context, tx *db.Tx, f HullFilter) (page.Page[Hull], error) {
	s, ok := newFinder(tx, f)
	if !ok {
		return page.New([]Hull{}, f.Query, false, nil), nil
	}
	if len(s.drivers) == 0 || len(s.drivers) == 1 && s.drivers[0].ordered {
		return db.List[Hull](ctx, tx, allHulls, f.Query, s.where)
	}
	if len(s.drivers) == 1 && s.drivers[0].word != nil {
		if err := s.resolve(ctx); err != nil {
			return page.Page[Hull]{}, err
		}
		if s.drivers[0].ordered {
			rows, beyond, err := s.byTerms(ctx, s.drivers[0], f.Query, s.plain)
			return page.New(rows, f.Query, beyond, db.IDOf[Hull]), err
		}
	}
	return s.page(ctx)
}

// addWord adds a word of q as a condition and a driver.
func (s *finder) addWord(word span) {
	s.where = s.withWord(s.where, word)
	s.drivers = append(s.drivers, driver{query: `SELECT id FROM hull_terms WHERE env = ? AND term >= ? AND term < ?`,
		args: []any{s.tx.Env, word.from, word.to}, word: &word})
}

// withWord adds the condition that a hull has a word.
func (s *finder) withWord(w *db.Where, word span) *db.Where {
	// PostgreSQL would replace EXISTS by a join with all hulls that have the word.
	return w.With("(SELECT COUNT(*) FROM hull_terms x WHERE x.env = ? AND x.id = h.id AND x.term >= ? AND x.term < ?) > 0",
		s.tx.Env, word.from, word.to)
}

// without returns all conditions except for a word that the source of rows has.
func (s *finder) without(word *span) *db.Where {
	w := s.plain
	for _, d := range s.drivers {
		if d.word != nil && d.word != word {
			w = s.withWord(w, *d.word)
		}
	}
	return w
}

// resolve finds the terms that the words match.
func (s *finder) resolve(ctx context.Context) error {
	for i := range s.drivers {
		d := &s.drivers[i]
		if d.word == nil || d.resolved {
			continue
		}
		terms, err := termsIn(ctx, s.tx, *d.word)
		if err != nil {
			return err
		}
		if d.resolved = true; len(terms) <= fewTerms {
			d.ordered, d.terms = true, terms
		}
	}
	return nil
}

// page returns the hulls that match several conditions. They can be common each, and
// rare together. So it looks in these places, and continues in the next one where the
// last one ended:
//
//  1. If a condition matches few hulls, in these.
//  2. In the next hulls of the list. Often they fill the page.
//  3. In the hulls that have all conditions which are not too common to read.
//  4. In all hulls.
func (s *finder) page(ctx context.Context) (page.Page[Hull], error) {
	rows, err := s.find(ctx, s.query)
	if err != nil || s.query.Cursor() == "" {
		return page.New(rows, s.query, false, db.IDOf[Hull]), err
	}

	// Usually the hull of the cursor is on the other side of the page. If it was
	// changed since, another one might be.
	found, err := db.All[int](ctx, s.tx, "SELECT 1 FROM hulls h WHERE "+s.where.String()+" AND h.id = ?",
		append(slices.Clone(s.where.Args), s.query.Cursor())...)
	if err != nil {
		return page.Page[Hull]{}, err
	}
	beyond := len(found) > 0
	if !beyond {
		reverse := page.Query{EndingBefore: s.query.StartingAfter, StartingAfter: s.query.EndingBefore}
		others, err := s.find(ctx, reverse)
		if err != nil {
			return page.Page[Hull]{}, err
		}
		beyond = len(others) > 0
	}
	return page.New(rows, s.query, beyond, db.IDOf[Hull]), nil
}

// find returns the rows of a page in its direction, with one extra row if there are more.
func (s *finder) find(ctx context.Context, q page.Query) ([]Hull, error) {
	r := &reader{finder: s, back: q.Backwards(), limit: q.Limit, from: q.Cursor()}
	err := r.read(ctx)
	return r.rows, err
}

// under returns a query for the hulls of all conditions that match fewer than a limit
// each. It returns false if there is no such condition. It leaves out what is much more
// common than the rarest one, because reading it costs more than checking the rest.
func (s *finder) under(ctx context.Context, limit int) (driver, bool, error) {
	var few []driver
	for _, d := range s.drivers {
		n, err := db.One[int](ctx, s.tx, "SELECT COUNT(*) FROM ("+d.query+" LIMIT ?) AS counted", append(slices.Clone(d.args), limit)...)
		if err != nil {
			return driver{}, false, err
		}
		if d.n = n; n < limit {
			few = append(few, d)
		}
	}
	if len(few) == 0 {
		return driver{}, false, nil
	}

	slices.SortStableFunc(few, func(a, b driver) int { return cmp.Compare(a.n, b.n) })
	all := few[0]
	all.args = slices.Clone(all.args)
	for _, d := range few[1:] {
		if d.n > muchMore*all.n {
			break
		}
		all.query += " AND id IN (" + d.query + ")"
		all.args = append(all.args, d.args...)
	}
	return all, true, nil
}

// byTerms returns a page of the hulls that have a term of a word. It merges the
// first rows of each term.
func (s *finder) byTerms(ctx context.Context, d driver, q page.Query, w *db.Where) ([]Hull, bool, error) {
	var lists [][]Hull
	anyBeyond := false
	for _, term := range d.terms {
		rows, beyond, err := db.Slice[Hull](ctx, s.tx, hullsByTerm, q, w.With("t.env = ? AND t.term = ?", s.tx.Env, term))
		if err != nil {
			return nil, false, err
		}
		lists, anyBeyond = append(lists, rows), anyBeyond || beyond
	}
	return page.Merge(lists, q, db.IDOf[Hull]), anyBeyond, nil
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
