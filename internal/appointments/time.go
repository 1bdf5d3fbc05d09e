package appointments

import (
	"time"

	"slipway/internal/vocab/fault"
)

// localLayouts are the formats of a time without an offset.
var localLayouts = []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04"}

// checkTime adds an error if the text is not a time.
func checkTime(bad *fault.Fields, text string) {
	if _, _, ok := parseTime(text); !ok && text != "" {
		bad.Add("starts_at", "format", "must be a time such as 2026-12-05T15:00:00Z, or a local time such as 2026-12-05T10:00")
	}
}

// parseTime reads a time. Local is true if it has no offset. Then the result has
// the right date and clock, but no time zone.
func parseTime(text string) (at time.Time, local, ok bool) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.UTC().Truncate(time.Second), false, true
	}
	for _, layout := range localLayouts {
		if at, err := time.Parse(layout, text); err == nil {
			return at.Truncate(time.Second), true, true
		}
	}
	return time.Time{}, false, false
}

// startIn returns the time that a text means in a time zone.
func startIn(text, zone string) (time.Time, error) {
	var bad fault.Fields
	at, local, ok := parseTime(text)
	if !ok {
		checkTime(&bad, text)
		return at, bad.Err()
	}
	if !local {
		return at, nil
	}
	at, ok = onClock(at, zoneOf(zone))
	if !ok {
		bad.Add("starts_at", "local_time", "does not exist in %s, because clocks are set forward", zone)
	}
	return at, bad.Err()
}

// onClock returns the first time at which clocks in a zone show what the wall time
// shows in UTC. It returns false if they never do, because they are set forward.
func onClock(wall time.Time, zone *time.Location) (time.Time, bool) {
	// A zone doesn't change its offset twice in two days. The larger offset gives the earlier time.
	_, before := wall.Add(-24 * time.Hour).In(zone).Zone()
	_, after := wall.Add(24 * time.Hour).In(zone).Zone()
	for _, offset := range []int{max(before, after), min(before, after)} {
		at := wall.Add(-time.Duration(offset) * time.Second)
		if _, actual := at.In(zone).Zone(); actual == offset {
			return at, true
		}
	}
	return time.Time{}, false
}

// zoneOf returns a time zone. Locations only have valid ones.
func zoneOf(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return zone
}
