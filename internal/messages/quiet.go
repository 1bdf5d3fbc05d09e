package messages

import (
	"slices"
	"time"

	"slipway/internal/dealership"
)

// quietHours is a part of the day, in minutes since midnight. It can span
// midnight. If start and end are equal, it is empty.
type quietHours struct{ start, end int }

// parseQuietHours reads the dealership's setting, which its schema has checked.
func parseQuietHours(q dealership.QuietHours) quietHours {
	return quietHours{minutes(q.Start), minutes(q.End)}
}

func minutes(clock string) int {
	t, err := time.Parse("15:04", clock)
	if err != nil {
		return 0
	}
	return t.Hour()*60 + t.Minute()
}

// contains reports whether a time is in the quiet hours of a time zone.
func (q quietHours) contains(at time.Time, zone *time.Location) bool {
	local := at.In(zone)
	m := local.Hour()*60 + local.Minute()
	if q.start <= q.end {
		return m >= q.start && m < q.end
	}
	return m >= q.start || m < q.end
}

// next returns the first time, from at on, outside quiet hours in all zones. It
// returns false if there is none within two days, which happens if the zones are
// far apart. It checks every minute because daylight saving time can skip or
// repeat the end of the quiet hours.
func (q quietHours) next(at time.Time, zones []*time.Location) (time.Time, bool) {
	for m := at; m.Before(at.AddDate(0, 0, 2)); m = m.Truncate(time.Minute).Add(time.Minute) {
		if !slices.ContainsFunc(zones, func(zone *time.Location) bool { return q.contains(m, zone) }) {
			return m, true
		}
	}
	return at, false
}
