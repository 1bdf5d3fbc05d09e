package leads

import (
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
// hour for everybody.
func (q quietHours) over(at time.Time, zones []*time.Location) (time.Time, bool) {
	limit := at.AddDate(0, 0, 2)
	for moved := true; moved; {
		moved = false
		for _, zone := range zones {
			if !q.cover(at, zone) {
				continue
			}
			if at, moved = q.endAfter(at, zone), true; at.After(limit) {
				return at, false
			}
		}
	}
	return at, true
}

// endAfter is when the quiet hours end that cover a moment.
func (q quietHours) endAfter(at time.Time, zone *time.Location) time.Time {
	local := at.In(zone)
	for day := range 3 {
		end := time.Date(local.Year(), local.Month(), local.Day()+day, q.end/60, q.end%60, 0, 0, zone)
		if end.After(at) && !q.cover(end, zone) {
			return end.UTC()
		}
	}
	return at.AddDate(0, 0, 3) // never: a span that is not empty ends every day
}
