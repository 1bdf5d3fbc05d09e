package imports

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/imports/sheet"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/search"
	"slipway/internal/vocab/wire"
)

// errorsOf returns the errors of a row for the import's report. ok is false if
// the error is not about the row.
func errorsOf(r sheet.Row, err error) (lines []HullImportError, ok bool) {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind.Status >= 500 || f.Kind == fault.KindConflict && len(f.Details) == 1 && f.Details[0].Code == "stale" {
		return nil, false
	}
	for _, d := range f.Details {
		lines = append(lines, HullImportError{Row: r.Number, Field: sheet.Clip(d.Field, 100), Code: d.Code, Message: sheet.Clip(d.Message, 500)})
	}
	if len(lines) == 0 {
		lines = []HullImportError{{Row: r.Number, Field: "row", Code: f.Kind.Code, Message: sheet.Clip(f.Message, 500)}}
	}
	return lines, true
}

// places finds the locations of rows by code or name, without regard to case. A name
// of several locations has no ID.
type places struct{ byCode, byName map[string]string }

func placesOf(locations []dealership.Location) places {
	p := places{map[string]string{}, map[string]string{}}
	for _, l := range locations {
		if l.Code != nil {
			p.byCode[search.Fold(*l.Code)] = l.ID
		}
		name := search.Fold(strings.TrimSpace(l.Name))
		if _, twice := p.byName[name]; twice {
			p.byName[name] = ""
			continue
		}
		p.byName[name] = l.ID
	}
	return p
}

// setLocation replaces the location code or name of a row with the location's ID.
// A row without a location is assigned the default location.
func (p places) setLocation(r sheet.Row, defaultID *string) error {
	text := r.Text("location_id")
	if text == "" {
		if _, ok := r.Fields["location_id"]; !ok && defaultID != nil {
			r.Fields["location_id"] = *defaultID
		}
		return nil
	}
	key := search.Fold(text)
	if id, ok := p.byCode[key]; ok {
		r.Fields["location_id"] = id
		return nil
	}
	id, ok := p.byName[key]
	if ok && id == "" {
		var bad fault.Fields
		bad.Add("location_id", "duplicate", "is the name of several locations; use the code or the ID")
		return bad.Err()
	}
	if ok {
		r.Fields["location_id"] = id
	}
	return nil
}

// createFields returns the fields of a new hull. If the row has no condition, a
// boat of this or the next model year without hours is new.
func createFields(r sheet.Row, thisYear int) map[string]any {
	fields := hullFields(r)
	if _, ok := fields["condition"]; !ok {
		year, known := fields["year"].(float64)
		fields["condition"] = "used"
		if known && (int(year) == thisYear || int(year) == thisYear+1) && !hasHours(r) {
			fields["condition"] = "new"
		}
	}
	return fields
}

// hasHours reports whether the engine of the boat has run. Dealer software writes
// 0 for new boats.
func hasHours(r sheet.Row) bool {
	hours, _ := r.Fields["hours"].(float64)
	return hours > 0
}

// hullFields returns the fields of a row that are fields of a hull.
func hullFields(r sheet.Row) map[string]any {
	fields := maps.Clone(r.Fields)
	for name := range fields {
		if isExtra(name) {
			delete(fields, name)
		}
	}
	return fields
}

// createOf returns the request that adds the hull of a row.
func createOf(r sheet.Row, fields map[string]any) (hulls.HullCreate, error) {
	c := hulls.HullCreate{Status: hulls.Available, Ownership: "owned"}
	err := convert(r, fields, &c)
	return c, err
}

// patchOf returns the request that changes the hull of a row.
func patchOf(r sheet.Row) (p hulls.HullPatch, err error) {
	err = convert(r, patchFields(r), &p)
	return p, err
}

// patchFields returns the fields of a row that change a hull, without the status and
// the price, which have their own rules.
func patchFields(r sheet.Row) map[string]any {
	fields := hullFields(r)
	for _, name := range []string{"status", "price_usd", "stock_number"} {
		delete(fields, name)
	}
	return fields
}

func convert(r sheet.Row, fields map[string]any, to any) error {
	text, err := json.Marshal(fields)
	if err == nil {
		err = wire.Unmarshal(text, to)
	}
	if err != nil {
		return fmt.Errorf("row %d: %w", r.Number, err)
	}
	return nil
}

// known are the hulls of rows that exist already: the active ones by stock number
// and the closed ones by both numbers.
type known struct {
	active map[string]hulls.Hull
	stored hulls.Stored // next to the active ones
	closed hulls.ClosedHulls
}

// earlier returns the closed hull that has one of the numbers of a row.
func (k known) earlier(r sheet.Row) (h hulls.Closed, field SkipField, ok bool) {
	if len(k.closed.ByHIN) > 0 {
		if h, ok := k.closed.ByHIN[r.HIN()]; ok {
			return h, sameHIN, true
		}
	}
	h, ok = k.closed.ByStockNumber[r.Text("stock_number")]
	return h, sameStockNumber, ok
}

// isNew reports whether a row adds a hull.
func (k known) isNew(r sheet.Row, reacquire bool) bool {
	if _, ok := k.active[r.Text("stock_number")]; ok {
		return false
	}
	_, _, closed := k.earlier(r)
	return reacquire || !closed
}

// sameBoat reports whether a closed hull is an earlier record of the boat of a
// row. A stock number can be used again for another boat.
func sameBoat(h hulls.Closed, r sheet.Row) bool {
	number := r.HIN()
	return number == "" || h.HIN == nil || *h.HIN == number
}

// needs reports whether rows have fields of these groups.
func needs(rows []sheet.Row, groups ...map[string]string) bool {
	return slices.ContainsFunc(rows, func(r sheet.Row) bool {
		for _, group := range groups {
			for name := range group {
				if _, ok := r.Fields[name]; ok {
					return true
				}
			}
		}
		return false
	})
}
