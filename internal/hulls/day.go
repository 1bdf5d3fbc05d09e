package hulls

import (
	"sync"
	"time"
)

// earliestZone is the time zone where each day starts first. A date that is in
// the future there is in the future everywhere.
const earliestZone = "Pacific/Kiritimati"

// day returns the date at the location of the hull.
func (h Hull) day(t time.Time) string {
	return t.In(zoneNamed(h.Timezone)).Format(time.DateOnly)
}

// zones has the time zones by name, because loading one takes longer than reading
// a hull.
var zones sync.Map

// zoneNamed returns a time zone. Without one, days are in UTC.
func zoneNamed(name string) *time.Location {
	if known, ok := zones.Load(name); ok {
		return known.(*time.Location)
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		zone = time.UTC
	}
	zones.Store(name, zone)
	return zone
}
