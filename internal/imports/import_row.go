package imports

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/imports/sheet"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/hin"
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
		lines = append(lines, HullImportError{r.Number, sheet.Clip(d.Field, 100), d.Code, sheet.Clip(d.Message, 500)})
	}
	if len(lines) == 0 {
		lines = []HullImportError{{r.Number, "row", f.Kind.Code, sheet.Clip(f.Message, 500)}}
	}
	return lines, true
}

// setLocation replaces the location code of a row with the location's ID. A row
// without a location is assigned the default location.
func setLocation(r sheet.Row, locations []dealership.Location, defaultID *string) {
	code := r.Text("location_id")
	if code == "" {
		if _, ok := r.Fields["location_id"]; !ok && defaultID != nil {
			r.Fields["location_id"] = *defaultID
		}
		return
	}
	for _, l := range locations {
		if l.Code != nil && strings.EqualFold(*l.Code, code) {
			r.Fields["location_id"] = l.ID
		}
	}
}

// createFields returns the fields of a new hull. If the row has no condition, a
// boat of this or the next model year without hours is new.
func createFields(r sheet.Row, thisYear int) map[string]any {
	fields := maps.Clone(r.Fields)
	delete(fields, "hours")
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

// checkHours validates the hours of a row, which are not a field of a hull.
func checkHours(bad *fault.Fields, r sheet.Row) {
	value, ok := r.Fields["hours"]
	if !ok || value == nil {
		return
	}
	hours, ok := value.(float64)
	if !ok {
		bad.Add("hours", "type", "must be a number")
	} else if hours < 0 {
		bad.Add("hours", "minimum", "must be at least 0")
	}
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

// patchFields returns the fields of a row without the status and the price,
// which have their own rules, and without the hours, which hulls don't have.
func patchFields(r sheet.Row) map[string]any {
	fields := map[string]any{}
	for name, value := range r.Fields {
		if !slices.Contains([]string{"status", "price_usd", "stock_number", "hours"}, name) {
			fields[name] = value
		}
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
	closed hulls.ClosedHulls
}

// earlier returns the closed hull that has one of the numbers of a row.
func (k known) earlier(r sheet.Row) (h hulls.Closed, field string, ok bool) {
	if h, ok := k.closed.ByHIN[normalHIN(r)]; ok {
		return h, "hin", true
	}
	h, ok = k.closed.ByStockNumber[r.Text("stock_number")]
	return h, "stock_number", ok
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
	number := normalHIN(r)
	return number == "" || h.HIN == nil || *h.HIN == number
}

// normalHIN returns the HIN of a row as it is stored, or "" if it has none or an
// invalid one.
func normalHIN(r sheet.Row) string {
	d := hin.Decode(r.Text("hin"), time.Time{})
	if !d.Valid || d.Normalized == nil {
		return ""
	}
	return *d.Normalized
}
