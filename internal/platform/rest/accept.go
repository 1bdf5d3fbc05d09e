package rest

import (
	"mime"
	"strconv"
	"strings"
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
