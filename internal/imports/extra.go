package imports

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"slipway/internal/hulls"
	"slipway/internal/imports/sheet"
	"slipway/internal/vocab/fault"
)

// The fields of rows that are not fields of a hull, with their names in the pricing
// and in the specification sheet.
var (
	costFields = map[string]string{
		"invoice_usd": "invoice_cents", "freight_usd": "freight_cents", "rigging_usd": "rigging_cents", "pack_usd": "pack_cents",
		"reconditioning_usd": "reconditioning_cents",
	}
	engineFields = map[string]string{
		"engine_make": "make", "engine_model": "model", "engine_year": "year", "engine_serial": "serial", "engine_hp": "hp",
		"engine_fuel": "fuel", "hours": "hours",
	}
	trailerFields = map[string]string{"trailer_vin": "vin", "trailer_make": "make", "trailer_model": "model", "trailer_year": "year"}
	sheetFields   = map[string]string{"hull_color": "hull_color", "beam_ft": "beam_ft"}
	furtherFields = enginesOf(2, sheet.MaxEngines) // of the second engine and further ones
	otherFields   = map[string]string{"msrp_usd": "msrp_usd", "engine_count": "engine_count", "photo_urls": "photo_urls"}
)

// enginesOf returns the fields of engines with a number, such as engine2_serial.
func enginesOf(from, to int) map[string]string {
	all := map[string]string{}
	for n := from; n <= to; n++ {
		for _, part := range engineFields {
			all[fmt.Sprintf("engine%d_%s", n, part)] = part
		}
	}
	return all
}

// isExtra reports whether a field of a row is not a field of a hull.
func isExtra(name string) bool {
	for _, group := range []map[string]string{costFields, engineFields, trailerFields, sheetFields, furtherFields, otherFields} {
		if _, ok := group[name]; ok {
			return true
		}
	}
	return false
}

// extras are the pricing and the specifications of a row.
type extras struct {
	msrp  *int64
	cost  *hulls.HullCost
	specs hulls.SpecParts
}

// extrasOf reads the pricing and the specifications of a row, or returns all errors.
func extrasOf(r sheet.Row) (x extras, bad fault.Fields, err error) {
	pricing := map[string]any{}
	if msrp, ok := r.Fields["msrp_usd"]; ok && msrp != any(0.0) { // 0 means unknown
		pricing["msrp_usd"] = msrp
	}
	if cost := pick(r, costFields); len(cost) > 0 {
		for name, value := range cost {
			if dollars, ok := value.(float64); ok {
				cost[name] = math.Round(dollars * 100)
			}
		}
		pricing["cost"] = cost
	}
	specs := pick(r, sheetFields)
	if trailer := pick(r, trailerFields); len(trailer) > 0 {
		specs["trailer"] = trailer
	}
	if engines := enginesIn(r); len(engines) > 0 {
		specs["engines"] = engines
	}
	count, counted := r.Fields["engine_count"]
	if len(pricing) == 0 && len(specs) == 0 && !counted {
		return x, nil, nil
	}

	bad = append(renamed(validatePricing(pricing)), renamed(validateSpecs(specs))...)
	n, isNumber := count.(float64)
	if counted && count != nil && (!isNumber || n != math.Trunc(n) || n < 0 || n > 12) {
		bad.Add("engine_count", "type", "must be a whole number from 0 to 12")
	}
	if len(bad) > 0 {
		return x, bad, nil
	}

	var p hulls.HullPricingPatch
	if err := convert(r, pricing, &p); err != nil {
		return x, nil, err
	}
	if err := convert(r, specs, &x.specs.Sheet); err != nil {
		return x, nil, err
	}
	x.msrp, x.cost = p.MSRPUSD.V, p.Cost.V
	if isNumber {
		x.specs.EngineCount = new(int64(n))
	}
	if x.specs.Sheet.Engines != nil {
		e := &(*x.specs.Sheet.Engines)[0]
		x.specs.Serials = serials(e.Serial, x.specs.EngineCount)
		e.Serial = nil
	}
	return x, nil, nil
}

// enginesIn returns the engines of a row. The first one has the parts that all engines have,
// unless they have columns of their own.
func enginesIn(r sheet.Row) (engines []any) {
	for n := 2; n <= sheet.MaxEngines; n++ {
		if own := pick(r, enginesOf(n, n)); isEngine(own) {
			for len(engines) < n-1 {
				engines = append(engines, map[string]any{})
			}
			engines = append(engines, own)
		}
	}
	if first := pick(r, engineFields); len(engines) > 0 {
		engines[0] = first
	} else if isEngine(first) {
		engines = []any{first}
	}
	return engines
}

// isEngine reports whether a boat has an engine with these parts. Programs write 0 hours for
// each new boat.
func isEngine(parts map[string]any) bool {
	return len(parts) > 1 || len(parts) == 1 && parts["hours"] != any(0.0)
}

// pick returns the fields of a group with their names in it.
func pick(r sheet.Row, group map[string]string) map[string]any {
	picked := map[string]any{}
	for name, as := range group {
		if value, ok := r.Fields[name]; ok && value != nil {
			picked[as] = value
		}
	}
	return picked
}

var serialSeparator = regexp.MustCompile(`\s*[/,;&]\s*`)

// serials returns the serial numbers of engines. A cell of a boat with two engines
// can contain both.
func serials(text *string, engines *int64) []string {
	if text == nil {
		return nil
	}
	if parts := serialSeparator.Split(*text, -1); engines != nil && int64(len(parts)) == *engines {
		return parts
	}
	return []string{*text}
}

// renamed changes the paths of errors to the names of columns.
func renamed(bad fault.Fields) fault.Fields {
	groups := map[string]map[string]string{"cost.": costFields, "engines[0].": engineFields, "trailer.": trailerFields}
	for n := 2; n <= sheet.MaxEngines; n++ {
		groups[fmt.Sprintf("engines[%d].", n-1)] = enginesOf(n, n)
	}
	for i, d := range bad {
		for prefix, group := range groups {
			rest, ok := strings.CutPrefix(d.Field, prefix)
			for name, as := range group {
				if ok && as == rest {
					bad[i].Field = name
				}
			}
		}
	}
	return bad
}
