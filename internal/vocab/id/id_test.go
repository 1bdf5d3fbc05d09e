package id_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/id"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func TestValid(t *testing.T) {
	const good = "hull_01jcqz8t5n8m2x4v6b7c9d0e1f"
	for name, c := range map[string]struct {
		prefix, id string
		want       bool
	}{
		"an id":                        {"hull", good, true},
		"the smallest":                 {"hull", "hull_00000000000000000000000000", true},
		"the largest":                  {"hull", "hull_7zzzzzzzzzzzzzzzzzzzzzzzzz", true},
		"nothing":                      {"hull", "", false},
		"only the prefix":              {"hull", "hull_", false},
		"another prefix":               {"con", good, false},
		"a prefix that goes on":        {"hul", good, false},
		"a prefix that is too short":   {"hulls", good, false},
		"no prefix":                    {"hull", good[len("hull_"):], false},
		"capitals":                     {"hull", "hull_" + strings.ToUpper(good[len("hull_"):]), false},
		"one capital":                  {"hull", good[:len(good)-1] + "F", false},
		"a digit too few":              {"hull", good[:len(good)-1], false},
		"a digit too many":             {"hull", good + "0", false},
		"a letter Crockford left out":  {"hull", good[:len(good)-1] + "u", false},
		"l for 1":                      {"hull", good[:len(good)-1] + "l", false},
		"more than 128 bits":           {"hull", "hull_80000000000000000000000000", false},
		"a blank before":               {"hull", " " + good, false},
		"a blank after":                {"hull", good + " ", false},
		"a wildcard":                   {"hull", "hull_%", false},
		"a letter whose lower is two":  {"hull", good[:len(good)-2] + "İ", false},
		"a Kelvin sign, which folds k": {"hull", good[:len(good)-3] + "\u212a", false},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, id.Valid(c.prefix, c.id), c.want, c.prefix, c.id)
		})
	}
}

// Ids of one source rise even within a millisecond and when the clock steps
// back: a list in the order of ids is then the order of creation.
func TestIdsRise(t *testing.T) {
	source := id.NewSource()
	last := ""
	for i, at := range []time.Time{noon, noon, noon.Add(time.Millisecond), noon.Add(-time.Hour), noon, noon.Add(time.Second), noon} {
		for range 100 {
			next := source.New("hull", at)
			if !id.Valid("hull", next) || next <= last {
				t.Fatalf("step %d: got %s after %s, want a greater id", i, next, last)
			}
			last = next
		}
	}
}

func TestIdsOfManyGoroutinesDiffer(t *testing.T) {
	source := id.NewSource()
	made := make([][]string, 8)
	var wg sync.WaitGroup
	for g := range made {
		wg.Go(func() {
			for range 500 {
				made[g] = append(made[g], source.New("hull", noon))
			}
		})
	}
	wg.Wait()
	var all []string
	for g, ids := range made {
		if !slices.IsSorted(ids) {
			t.Errorf("goroutine %d saw ids fall", g)
		}
		all = append(all, ids...)
	}
	slices.Sort(all)
	distinct := len(slices.Compact(all))
	assert.Equal(t, distinct, 4000, "distinct ids")
}

// Neighbors must not be guessable: a caller who sees one id of a millisecond
// should not find the next by adding one.
func TestNeighborsAreFarApart(t *testing.T) {
	source := id.NewSource()
	parse := func(s string) ulid.ULID { return ulid.MustParse(strings.TrimPrefix(s, "hull_")) }
	near := 0
	last := parse(source.New("hull", noon))
	for range 100 {
		next := parse(source.New("hull", noon))
		if slices.Equal(last.Entropy()[:8], next.Entropy()[:8]) { // less than 2^16 apart
			near++
		}
		last = next
	}
	if near > 5 {
		t.Errorf("%d of 100 neighbors are less than 65536 apart, want at most 5", near)
	}
}

func TestFloor(t *testing.T) {
	source := id.NewSource()
	before, made, after := source.New("hull", noon.Add(-time.Millisecond)), source.New("hull", noon), source.New("hull",
		noon.Add(time.Millisecond))
	floor := id.Floor("hull", noon)
	if !id.Valid("hull", floor) || before >= floor || made < floor || after < floor {
		t.Errorf("got %s, want a valid id between %s and %s", floor, before, made)
	}
	for name, c := range map[string]struct {
		at   time.Time
		want string
	}{
		"the epoch":       {time.UnixMilli(0), "hull_00000000000000000000000000"},
		"before it":       {time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC), "hull_00000000000000000000000000"},
		"the zero time":   {time.Time{}, "hull_00000000000000000000000000"},
		"after all time":  {time.Date(200_000, 1, 1, 0, 0, 0, 0, time.UTC), "hull_7zzzzzzzzz0000000000000000"},
		"its millisecond": {time.UnixMilli(1).Add(999 * time.Microsecond), "hull_00000000010000000000000000"},
	} {
		assert.Equal(t, id.Floor("hull", c.at), c.want, name)
	}
}

// FuzzValid checks that exactly the IDs that a source can generate are valid,
// written in one way only; the order of text is then the order of time.
func FuzzValid(f *testing.F) {
	for _, seed := range []string{"hull_01jcqz8t5n8m2x4v6b7c9d0e1f", "hull_", "hull_8zzzzzzzzzzzzzzzzzzzzzzzzz",
		"HULL_01JCQZ8T5N8M2X4V6B7C9D0E1F", "hull_01jcqz8t5n8m2x4v6b7c9d0e1\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !id.Valid("hull", s) {
			return
		}
		u, err := ulid.ParseStrict(s[len("hull_"):])
		if err != nil || "hull_"+strings.ToLower(u.String()) != s {
			t.Fatalf("got hull_%s, %v; want %q", strings.ToLower(u.String()), err, s)
		}
		if floor := id.Floor("hull", u.Timestamp()); floor > s {
			t.Fatalf("%q is less than the least id of its own time, want at least %q", s, floor)
		}
	})
}

func TestNext(t *testing.T) {
	for from, want := range map[string]string{
		"evt_01jcqz8t5n8m2x4v6b7c9d0e1f": "evt_01jcqz8t5n8m2x4v6b7c9d0e1g",
		"evt_01jcqz8t5nzzzzzzzzzzzzzzzz": "evt_01jcqz8t5p0000000000000000",
		"evt_00000000000000000000000000": "evt_00000000000000000000000001",
	} {
		if got := id.Next(from); got != want || got <= from {
			t.Errorf("after %s comes %s, want %s", from, got, want)
		}
	}
}
