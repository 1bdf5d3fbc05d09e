package rest

import (
	"mime"
	"strconv"
	"strings"

	"slipway/internal/vocab/fault"
)

// The media types of operations that answer JSON or CSV.
const (
	JSON = "application/json"
	CSV  = "text/csv"
)

// prefersCSV reports whether an Accept header asks for CSV rather than JSON. It has to name
// CSV: a wildcard means JSON.
func prefersCSV(accept []string) bool {
	quality := map[string]float64{}
	for entry := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		media, params, err := mime.ParseMediaType(entry)
		if err != nil {
			continue
		}
		q := 1.0
		if text, sent := params["q"]; sent {
			if q, err = strconv.ParseFloat(text, 64); err != nil || !(q >= 0 && q <= 1) {
				continue
			}
		}
		quality[media] = max(quality[media], q)
	}
	json := 0.0
	for _, media := range []string{"*/*", "application/*", JSON} { // the most specific one counts
		if q, sent := quality[media]; sent {
			json = q
		}
	}
	return quality[CSV] > json
}

// checkPage rejects the parameters of pages in requests for CSV, which has all rows.
func (x *exchange) checkPage() error {
	var bad fault.Fields
	for _, name := range []string{"limit", "starting_after", "ending_before"} {
		if x.csv && x.query.Has(name) {
			bad.Add(name, "exclusive", "can't be combined with Accept: text/csv")
		}
	}
	if len(bad) == 0 {
		return nil
	}
	e := fault.BadRequest("%s", fault.Sentence(bad))
	e.Details = bad
	return e
}
