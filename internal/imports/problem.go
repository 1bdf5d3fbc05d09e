package imports

import (
	"errors"
	"maps"
	"slices"
	"time"

	"slipway/internal/imports/sheet"
	"slipway/internal/vocab/fault"
)

// problems returns everything that is wrong with a row, one error for each field. It fills in
// the location of the row.
func (b *batch) problems(r sheet.Row, now time.Time) (bad fault.Fields, err error) {
	bad = slices.Clone(r.Bad)
	if slices.ContainsFunc(bad, func(d fault.Detail) bool { return d.Field == "row" }) {
		return bad, nil // its cells are unknown
	}
	if err := addNew(&bad, b.places.setLocation(r, b.i.LocationID)); err != nil {
		return bad, err
	}
	_, more, err := extrasOf(r)
	if err != nil {
		return bad, err
	}
	_ = addNew(&bad, more.Err())
	if _, ok := b.known.active[r.Text("stock_number")]; ok {
		_ = addNew(&bad, patchProblems(r).Err())
		return bad, nil
	}
	if _, _, closed := b.known.earlier(r); closed && !b.i.Reacquire {
		return bad, nil // skipped
	}

	fields := createFields(r, now.Year())
	_ = addNew(&bad, fault.Fields(validateCreate(fields)).Err())
	if id, ok := fields["location_id"].(string); ok {
		if _, exists := b.zones[id]; !exists {
			var missing fault.Fields
			missing.Add("location_id", "not_found", "does not exist")
			_ = addNew(&bad, missing.Err())
		}
	}
	if len(bad) == 0 {
		return nil, nil
	}
	return bad, addNew(&bad, checkRest(r, fields, bad, now))
}

// patchProblems returns what is wrong with a row that changes a hull.
func patchProblems(r sheet.Row) fault.Fields {
	bad := fault.Fields(validatePatch(patchFields(r)))
	if price, ok := r.Fields["price_usd"]; ok {
		bad = append(bad, slices.DeleteFunc(validateCreate(map[string]any{"price_usd": price}), func(d fault.Detail) bool {
			return d.Field != "price_usd"
		})...)
	}
	return bad
}

// checkRest checks the rules of new hulls without the fields that are already known to be
// invalid.
func checkRest(r sheet.Row, fields map[string]any, bad fault.Fields, now time.Time) error {
	rest := maps.Clone(fields)
	for _, d := range bad {
		delete(rest, d.Field)
	}
	c, err := createOf(r, rest)
	if err != nil {
		return nil //nolint:nilerr // the schema has already rejected it
	}
	return c.Check(now)
}

// addNew adds the errors of fields that have none yet. It returns an error that is not about
// fields.
func addNew(bad *fault.Fields, err error) error {
	if err == nil {
		return nil
	}
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || len(f.Details) == 0 {
		return err
	}
	for _, d := range f.Details {
		if !slices.ContainsFunc(*bad, func(was fault.Detail) bool { return was.Field == d.Field }) {
			*bad = append(*bad, d)
		}
	}
	return nil
}
