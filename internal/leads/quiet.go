package leads

import (
	"slices"
	"time"

	"slipway/internal/dealership"
)

// quietHours is a span of the day, in minutes since midnight, that may pass
// midnight. A span that ends where it starts is empty.
type quietHours struct{ start, end int }

// quietOf reads the dealership's setting, which its schema has checked.
func quietOf(q dealership.QuietHours) quietHours { return quietHours{minutes(q.Start), minutes(q.End)} }

func minutes(clock string) int {
	t, err := time.Parse("15:04", clock)
	if err != nil {
		return 0
	}
	return t.Hour()*60 + t.Minute()
}

// cover reports whether it is quiet at a moment, by the clocks of a zone.
func (q quietHours) cover(at time.Time, zone *time.Location) bool {
	local := at.In(zone)
	m := local.Hour()*60 + local.Minute()
	if q.start <= q.end {
		return m >= q.start && m < q.end
	}
	return m >= q.start || m < q.end
}

// over is the next moment, from at on, that is quiet in none of the zones. It
// is false if there is none for two days: zones that span the earth leave no
// hour for everybody. It looks at every minute, because clocks that are put
// forward skip the end of the quiet hours and clocks that are put back repeat
// it.
func (q quietHours) over(at time.Time, zones []*time.Location) (time.Time, bool) {
	for m := at; m.Before(at.AddDate(0, 0, 2)); m = m.Truncate(time.Minute).Add(time.Minute) {
		if !slices.ContainsFunc(zones, func(zone *time.Location) bool { return q.cover(m, zone) }) {
			return m, true
		}
	}
	return at, false
}
