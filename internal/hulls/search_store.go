package hulls

import (
	"cmp"
	"context"
	"slices"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/patch"
	"slipway/internal/vocab/search"
)

// HullFilter narrows the list of hulls.
type HullFilter struct {
	page.Query
	Status        Status               `query:"status" doc:"Only hulls in this status."`
	LocationID    string               `query:"location_id" maxLength:"1000" doc:"Only hulls at this location. Several are separated by commas."`
	Make          string               `query:"make" maxLength:"100" doc:"Exact make. Ignores case and accents."`
	Model         string               `query:"model" maxLength:"100" doc:"Exact model. Ignores case and accents."`
	YearMin       patch.Param[int64]   `query:"year_min" minimum:"0" maximum:"9999" doc:"Only hulls of this model year or newer."`
	YearMax       patch.Param[int64]   `query:"year_max" minimum:"0" maximum:"9999" doc:"Only hulls of this model year or older."`
	PriceMin      patch.Param[int64]   `query:"price_min" minimum:"0" maximum:"1000000000" doc:"Only hulls with at least this asking price, in whole US dollars."`
	PriceMax      patch.Param[int64]   `query:"price_max" minimum:"0" maximum:"1000000000" doc:"Only hulls with at most this asking price, in whole US dollars."`
	LengthMin     patch.Param[float64] `query:"length_min" minimum:"0" maximum:"1000" doc:"Only hulls of at least this length overall, in feet."`
	LengthMax     patch.Param[float64] `query:"length_max" minimum:"0" maximum:"1000" doc:"Only hulls of at most this length overall, in feet."`
	Condition     Condition            `query:"condition" doc:"Only hulls in this condition."`
	Category      Category             `query:"category" doc:"Only hulls of this category."`
	Q             string               `query:"q" maxLength:"200" doc:"Words, or the start of words, in the make, model, title, stock number or HIN. All must match." example:"grady 235"`
	Archived      patch.Param[bool]    `query:"archived" doc:"True lists only archived hulls. By default, archived hulls are not listed."`
	WithArchived  bool                 `query:"include_archived" doc:"True also lists archived hulls. Use it with updated_after to synchronize." since:"next"`
	CreatedAfter  time.Time            `query:"created_after" doc:"Only objects created after this time."`
	CreatedBefore time.Time            `query:"created_before" doc:"Only objects created before this time."`
	UpdatedAfter  time.Time            `query:"updated_after" doc:"Only hulls updated after this time, for incremental synchronization."`

	public *PublicFilter // if the list is for the public
}

// check rejects filters that contradict each other. They would return an empty
// list and hide the mistake.
func (f HullFilter) check() error {
	if err := f.Query.Check("hull"); err != nil {
		return err
	}
	return f.checkFilters()
}

// checkFilters does the same without the cursors.
func (f HullFilter) checkFilters() error {
	reject := func(field, text string) error {
		return fault.BadRequest("%s %s.", field, text).Detail(field, "exclusive", "%s", text)
	}
	if f.Archived.Set && f.Status != "" && f.Archived.V != (f.Status == Archived) {
		return reject("archived", "contradicts status")
	}
	if f.Archived.Set && f.WithArchived {
		return reject("include_archived", "can't be combined with archived")
	}
	for _, b := range f.bounds() {
		if b.order > 0 {
			return reject(b.name+"_min", "must be at most "+b.name+"_max")
		}
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
	case !f.WithArchived:
		w.And("h.archived_at IS NULL")
	}

	w.AndOneOf("h.location_id", f.LocationID)
	w.AndIf(f.Make != "", "h.make_key = ?", search.Fold(f.Make))
	w.AndIf(f.Model != "", "h.model_key = ?", search.Fold(f.Model))
	w.AndIf(f.Condition != "", "h.condition = ?", f.Condition)
	w.AndIf(f.Category != "", "h.category = ?", f.Category)
	w.AndIf(!f.UpdatedAfter.IsZero(), "h.updated_at > ?", f.UpdatedAfter)
	w.AndCreated("h.id", "hull", f.CreatedAfter, f.CreatedBefore)
	for _, b := range f.bounds() {
		column := "h." + b.column
		if !b.single() {
			column += " + 0" // without its index, which is not in the order of the list. See drivers.
		}
		w = b.on(w, column)
	}
	if f.public != nil {
		f.public.limit(w)
	}

	return w
}

// bounds are the lowest and the highest value of a number.
type bounds struct {
	name, column string
	low, high    any // nil if not set
	order        int // of low and high, if both are set
}

func boundsOf[T int64 | float64](name, column string, low, high patch.Param[T]) bounds {
	b := bounds{name: name, column: column}
	if low.Set {
		b.low = low.V
	}
	if high.Set {
		b.high = high.V
	}
	if low.Set && high.Set {
		b.order = cmp.Compare(low.V, high.V)
	}
	return b
}

// bounds returns the numbers that the filter limits. Each has an index.
func (f HullFilter) bounds() []bounds {
	all := []bounds{
		boundsOf("year", "year", f.YearMin, f.YearMax),
		boundsOf("price", "price_usd", f.PriceMin, f.PriceMax),
		boundsOf("length", "length_ft", f.LengthMin, f.LengthMax),
	}
	return slices.DeleteFunc(all, func(b bounds) bool { return b.low == nil && b.high == nil })
}

// single reports whether only one value is allowed. The index of the number then has
// the order of the list.
func (b bounds) single() bool { return b.low != nil && b.high != nil && b.order == 0 }

// on adds the bounds as conditions on a column.
func (b bounds) on(w *db.Where, column string) *db.Where {
	if b.single() {
		return w.With(column+" = ?", b.low)
	}
	if b.low != nil {
		w = w.With(column+" >= ?", b.low)
	}
	if b.high != nil {
		w = w.With(column+" <= ?", b.high)
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
