package wire

import (
	"slices"
	"time"

	"slipway/internal/vocab/fault"
)

// Version is a published version of the API, named by its date. Changes within
// /v1 only add things. A caller with an older version does not receive what later
// versions added, so strict decoders keep working.
type Version struct {
	Date string // YYYY-MM-DD
	Adds string // what the version added, for the changelog
}

// Published lists every version, oldest first.
var Published = []Version{
	{Date: "2026-11-15", Adds: "First version."},
}

// LatestVersion returns the newest published version.
func LatestVersion() string { return Published[len(Published)-1].Date }

// ResolveVersion returns the newest version published on or before a date. For a
// date before the first version, it returns the first version.
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
