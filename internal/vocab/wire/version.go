package wire

import (
	"slices"
	"time"

	"slipway/internal/vocab/fault"
)

// Version is one published state of the API, named by its date. Changes within
// /v1 are additive: a caller pinned to an older date does not see what later
// versions added, so strict decoders never break.
type Version struct {
	Date string // YYYY-MM-DD
	Adds string // what it added, for the changelog
}

// Published lists every version, oldest first.
var Published = []Version{
	{Date: "2026-11-15", Adds: "First version."},
}

// LatestVersion is the newest published version.
func LatestVersion() string { return Published[len(Published)-1].Date }

// ResolveVersion returns the newest version published on or before date; before the
// first one, it is the first one.
func ResolveVersion(date string) (string, error) {
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		return "", fault.BadRequest("Service-Version must be a date such as %s.", LatestVersion()).
			Detail("Service-Version", "pattern", "must have the form YYYY-MM-DD")
	}
	for _, v := range slices.Backward(Published) {
		if v.Date <= date {
			return v.Date, nil
		}
	}
	return Published[0].Date, nil
}
