package imports

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/imports/sheet"
	"slipway/internal/vocab/fault"
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

// createOf returns the request that adds the hull of a row.
func createOf(r sheet.Row) (hulls.HullCreate, error) {
	c := hulls.HullCreate{Status: hulls.Available, Condition: "new", Ownership: "owned"}
	err := convert(r, r.Fields, &c)
	return c, err
}

// patchOf returns the request that changes the hull of a row.
func patchOf(r sheet.Row) (p hulls.HullPatch, err error) {
	err = convert(r, patchFields(r), &p)
	return p, err
}

// patchFields returns the fields of a row without the status and the price,
// which have their own rules.
func patchFields(r sheet.Row) map[string]any {
	fields := map[string]any{}
	for name, value := range r.Fields {
		if name != "status" && name != "price_usd" && name != "stock_number" {
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
