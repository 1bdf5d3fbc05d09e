package hulls

import (
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
	Status        Status               `query:"status" doc:"Only hulls in this status."`
	LocationID    string               `query:"location_id" maxLength:"64" doc:"Only hulls at this location."`
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
	return f.checkFilters()
}

// checkFilters does the same without the cursors.
func (f HullFilter) checkFilters() error {
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
		// Without their indexes, which are not in the order of the list. See drivers.
		{f.YearMin.Set, "h.year + 0 >= ?", f.YearMin.V},
		{f.YearMax.Set, "h.year + 0 <= ?", f.YearMax.V},
		{f.PriceMin.Set, "h.price_usd + 0 >= ?", f.PriceMin.V},
		{f.PriceMax.Set, "h.price_usd + 0 <= ?", f.PriceMax.V},
		{f.LengthMin.Set, "h.length_ft + 0 >= ?", f.LengthMin.V},
		{f.LengthMax.Set, "h.length_ft + 0 <= ?", f.LengthMax.V},
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
