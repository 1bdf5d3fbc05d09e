package version

import (
	"slices"
	"testing"
	"time"

	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/fault"
)

// history stands in for the versions published so far, which are too few to
// choose from.
func history(t *testing.T, dates ...string) {
	t.Helper()
	published := Published
	t.Cleanup(func() { Published = published })
	Published = nil
	for _, d := range dates {
		Published = append(Published, Version{Date: d})
	}
}

func TestResolve(t *testing.T) {
	history(t, "2026-11-15", "2027-03-01", "2028-02-29")
	for name, c := range map[string]struct {
		date, want string // want is "" for a malformed date
	}{
		"the first":               {"2026-11-15", "2026-11-15"},
		"before the first":        {"2026-11-14", "2026-11-15"},
		"long before the first":   {"0001-01-01", "2026-11-15"},
		"between two":             {"2027-02-28", "2026-11-15"},
		"the day of the second":   {"2027-03-01", "2027-03-01"},
		"the day after":           {"2027-03-02", "2027-03-01"},
		"the newest":              {"2028-02-29", "2028-02-29"},
		"the future":              {"9999-12-31", "2028-02-29"},
		"no date":                 {"", ""},
		"a word":                  {"latest", ""},
		"a time":                  {"2027-03-01T00:00:00Z", ""},
		"a day that is not there": {"2027-02-29", ""},
		"one digit":               {"2027-3-1", ""},
		"two digits of a year":    {"27-03-01", ""},
		"slashes":                 {"2027/03/01", ""},
		"a blank":                 {"2027-03-01 ", ""},
		"five digits of a year":   {"12027-03-01", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Resolve(c.date)
			if got != c.want || (err == nil) != (c.want != "") {
				t.Errorf("Resolve(%q) = %q, %v; want %q", c.date, got, err, c.want)
			}
			if err != nil && fault.KindOf(err) != fault.KindBadRequest {
				t.Errorf("%q is refused as %v, want a bad request", c.date, err)
			}
		})
	}
	if Latest() != "2028-02-29" {
		t.Errorf(`the latest is %s, want "2028-02-29"`, Latest())
	}
}

// A credential keeps the version of a date that the version had before its release.
func TestResolveEarlierDate(t *testing.T) {
	history(t, "2026-11-15", "2026-11-20")
	Published[1].Was = []string{"2026-11-18", "2026-12-01"}
	Published = append(Published, Version{Date: "2026-11-25"})
	for date, want := range map[string]string{"2026-11-18": "2026-11-20", "2026-12-01": "2026-11-20", "2026-11-19": "2026-11-15", "2026-12-02": "2026-11-25"} {
		got, err := Resolve(date)
		assert.NoError(t, err)
		assert.Equal(t, got, want, date)
	}
	assert.Len(t, After("2026-11-15"), 2)
}

// The list is searched from its end, by the text of the dates.
func TestPublishedIsInOrder(t *testing.T) {
	if len(Published) == 0 || !slices.IsSortedFunc(Published, func(a, b Version) int {
		if a.Date < b.Date {
			return -1
		}
		return 1
	}) {
		t.Errorf("not in order: %v", Published)
	}
	for _, v := range Published {
		if _, err := time.Parse(time.DateOnly, v.Date); err != nil || len(v.Adds) == 0 {
			t.Errorf(`%+v: got %v; want no error, it to add something`, v, err)
		}
	}
}

// FuzzResolve: every answer is a published version, not from after the date
// asked for unless that is before the first.
func FuzzResolve(f *testing.F) {
	for _, seed := range []string{"2026-11-15", "2000-01-01", "9999-12-31", "0000-00-00", "", "2026-11-15\x00", "２０２６-11-15"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, date string) {
		got, err := Resolve(date)
		if err != nil {
			assert.Equal(t, got, "", date)
			assert.Equal(t, fault.KindOf(err), fault.KindBadRequest, date)
			return
		}
		at, parseErr := time.Parse(time.DateOnly, date)
		if parseErr != nil {
			t.Fatalf("%q passes for a date, want an error", date)
		}
		if !slices.ContainsFunc(Published, func(v Version) bool { return v.Date == got }) {
			t.Fatalf("Resolve(%q) = %q, which was never published", date, got)
		}
		if when, _ := time.Parse(time.DateOnly, got); when.After(at) && got != Published[0].Date {
			t.Fatalf("Resolve(%q) = %q, which came later", date, got)
		}
	})
}
