package appointments

import (
	"testing"
	"time"
)

// Local times are read in the zone of the location. Times in the gap of daylight
// saving time don't exist, and those that occur twice are the first ones.
func TestStartIn(t *testing.T) {
	const ny = "America/New_York"
	for name, c := range map[string]struct{ text, zone, want string }{
		"with an offset":              {"2027-01-15T10:00:00-08:00", ny, "2027-01-15T18:00:00Z"},
		"UTC":                         {"2027-01-15T10:00:00Z", ny, "2027-01-15T10:00:00Z"},
		"fraction of a second":        {"2027-01-15T10:00:00.75Z", ny, "2027-01-15T10:00:00Z"},
		"local, in winter":            {"2027-01-15T10:00", ny, "2027-01-15T15:00:00Z"},
		"local, in summer":            {"2027-07-15T10:00:30", ny, "2027-07-15T14:00:30Z"},
		"local, with a space":         {"2027-07-15 10:00", ny, "2027-07-15T14:00:00Z"},
		"just before the gap":         {"2027-03-14T01:59", ny, "2027-03-14T06:59:00Z"},
		"in the gap":                  {"2027-03-14T02:30", ny, ""},
		"start of the gap":            {"2027-03-14T02:00", ny, ""},
		"end of the gap":              {"2027-03-14T03:00", ny, "2027-03-14T07:00:00Z"},
		"occurs twice":                {"2027-11-07T01:30", ny, "2027-11-07T05:30:00Z"},
		"after the second time":       {"2027-11-07T02:00", ny, "2027-11-07T07:00:00Z"},
		"half an hour, Lord Howe":     {"2027-10-03T02:15", "Australia/Lord_Howe", ""},
		"after half an hour":          {"2027-10-03T02:30", "Australia/Lord_Howe", "2027-10-02T15:30:00Z"},
		"a whole day, Samoa":          {"2011-12-30T12:00", "Pacific/Apia", ""},
		"gap at midnight, Santiago":   {"2027-09-05T00:30", "America/Santiago", ""},
		"no daylight saving, Phoenix": {"2027-03-14T02:30", "America/Phoenix", "2027-03-14T09:30:00Z"},
		"a gap given with an offset":  {"2027-03-14T02:30:00-05:00", ny, "2027-03-14T07:30:00Z"},
		"a date":                      {"2027-03-14", ny, ""},
		"no date":                     {"10:00", ny, ""},
		"February 30":                 {"2027-02-30T10:00", ny, ""},
		"text":                        {"tomorrow", ny, ""},
		"an offset without minutes":   {"2027-01-15T10:00:00-08", ny, ""},
	} {
		t.Run(name, func(t *testing.T) {
			at, err := startIn(c.text, c.zone)
			got := ""
			if err == nil {
				got = at.UTC().Format(time.RFC3339)
			}
			if got != c.want {
				t.Errorf("got %q and error %v, want %q", got, err, c.want)
			}
		})
	}
}
