package messages

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"slipway/internal/dealership"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestQuietHours(t *testing.T) {
	night := dealership.QuietHours{Start: "21:00", End: "08:00"}
	for name, c := range map[string]struct {
		hours dealership.QuietHours
		zones []string
		at    string
		over  string // the same: not quiet
	}{
		"by day":                              {night, []string{"America/New_York"}, "2026-05-01T16:00:00Z", "2026-05-01T16:00:00Z"},
		"the first quiet minute":              {night, []string{"America/New_York"}, "2026-05-02T01:00:00Z", "2026-05-02T12:00:00Z"},
		"the last quiet minute":               {night, []string{"America/New_York"}, "2026-05-02T11:59:59Z", "2026-05-02T12:00:00Z"},
		"the first minute after":              {night, []string{"America/New_York"}, "2026-05-02T12:00:00Z", "2026-05-02T12:00:00Z"},
		"spring forward, New York":            {night, []string{"America/New_York"}, "2027-03-14T02:30:00Z", "2027-03-14T12:00:00Z"}, // 21:30 EST to 8:00 EDT
		"the night before":                    {night, []string{"America/New_York"}, "2027-03-13T02:30:00Z", "2027-03-13T13:00:00Z"},
		"fall back, New York":                 {night, []string{"America/New_York"}, "2027-11-07T01:30:00Z", "2027-11-07T13:00:00Z"}, // 21:30 EDT to 8:00 EST
		"spring forward, London":              {night, []string{"Europe/London"}, "2027-03-27T21:30:00Z", "2027-03-28T07:00:00Z"},
		"fall back, London":                   {night, []string{"Europe/London"}, "2027-10-30T20:30:00Z", "2027-10-31T08:00:00Z"},
		"Arizona has no daylight saving time": {night, []string{"America/Phoenix"}, "2027-03-14T04:30:00Z", "2027-03-14T15:00:00Z"},
		"waits for day in both zones": {night, []string{"America/Adak", "America/Anchorage"},
			"2026-05-01T16:30:00Z", "2026-05-01T17:00:00Z"},
		"quiet in one of two zones": {night, []string{"America/Adak", "America/Anchorage"},
			"2026-05-02T05:30:00Z", "2026-05-02T17:00:00Z"},
		"all US zones": {night, []string{"America/New_York", "America/Los_Angeles"},
			"2026-05-01T12:30:00Z", "2026-05-01T15:00:00Z"},
		"skipped end time": {dealership.QuietHours{Start: "21:00", End: "02:30"}, []string{"America/New_York"},
			"2027-03-14T05:00:00Z", "2027-03-14T07:00:00Z"},
		"repeated end time": {dealership.QuietHours{Start: "21:00", End: "01:30"}, []string{"America/New_York"},
			"2027-11-07T04:30:00Z", "2027-11-07T05:30:00Z"},
		"quiet at noon": {dealership.QuietHours{Start: "12:00", End: "13:00"}, []string{"America/New_York"},
			"2026-05-01T16:30:00Z", "2026-05-01T17:00:00Z"},
		"no quiet hours": {dealership.QuietHours{Start: "08:00", End: "08:00"}, []string{"America/New_York"},
			"2026-05-01T16:30:00Z", "2026-05-01T16:30:00Z"},
		"half hours, in Newfoundland": {night, []string{"America/St_Johns"}, "2026-05-02T00:00:00Z", "2026-05-02T10:30:00Z"},
		"across the date line":        {night, []string{"Pacific/Auckland"}, "2026-05-01T09:30:00Z", "2026-05-01T20:00:00Z"},
	} {
		var zones []*time.Location
		for _, z := range c.zones {
			zones = append(zones, zone(t, z))
		}
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if over, ok := parseQuietHours(c.hours).next(at, zones); !ok || over.Format(time.RFC3339) != c.over {
			t.Errorf("%s: until %s (%t), want %s", name, over.Format(time.RFC3339), ok, c.over)
		}
	}

	around := []*time.Location{zone(t, "America/New_York"), zone(t, "Asia/Tokyo"), zone(t, "Europe/London"), zone(t, "America/Los_Angeles")}
	if over, ok := parseQuietHours(night).next(now, around); ok {
		t.Errorf("got %s, want no time that is day in all zones", over)
	}
}

// A held message is sent at the first minute outside the quiet hours of all
// zones, for any hours, zones and clock changes.
func TestNeverQuiet(t *testing.T) {
	all := []string{"America/New_York", "America/Chicago", "America/Phoenix", "America/Los_Angeles", "America/St_Johns", "Europe/London"}
	rapid.Check(t, func(t *rapid.T) {
		q := quietHours{rapid.IntRange(0, 1439).Draw(t, "start"), rapid.IntRange(0, 1439).Draw(t, "end")}
		var zones []*time.Location
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(all), 1, 3, rapid.ID).Draw(t, "zones") {
			z, err := time.LoadLocation(name)
			if err != nil {
				t.Fatal(err)
			}
			zones = append(zones, z)
		}

		at := time.Date(2027, 1, 1, 0, rapid.IntRange(0, 525600).Draw(t, "minute"), 0, 0, time.UTC)
		over, ok := q.next(at, zones)
		if !ok {
			return
		}

		quiet := func(at time.Time) bool {
			for _, z := range zones {
				if q.contains(at, z) {
					return true
				}
			}
			return false
		}

		if quiet(over) || over.Before(at) {
			t.Fatalf("from %s until %s, want a time that is not quiet", at, over)
		}
		for m := at; m.Before(over); m = m.Add(time.Minute) {
			if !quiet(m) {
				t.Fatalf("from %s until %s, want %s, which is not quiet", at, over, m)
			}
		}
	})
}
