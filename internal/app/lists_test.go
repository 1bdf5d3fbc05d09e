package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slipway/internal/testkit"
)

// listing is a page as far as its form goes.
type listing struct {
	Data       []struct{ ID string }
	HasMore    bool    `json:"has_more"`
	NextCursor *string `json:"next_cursor"`
	PrevCursor *string `json:"prev_cursor"`
}

func (l listing) ids() []string {
	ids := []string{}
	for _, d := range l.Data {
		ids = append(ids, d.ID)
	}
	return ids
}

// walk follows the cursors from one end of a list to the other and returns the
// ids as they came. With ending_before the caller says where to begin.
func walk(t *testing.T, c *testkit.Client, path string, query url.Values, direction string) (ids []string) {
	t.Helper()
	for {
		var l listing
		res, err := c.Send("GET", path+"?"+query.Encode(), nil)
		if err == nil {
			err = json.Unmarshal(res.Bytes, &l)
		}
		if err != nil || res.StatusCode != 200 {
			t.Fatalf("%s?%s: got %v, %s; want no error, res.StatusCode = 200", path, query.Encode(), err, testkit.Show(res))
		}
		page, next := l.ids(), l.NextCursor
		if direction == "ending_before" {
			slices.Reverse(page)
			next = l.PrevCursor
		}
		ids = append(ids, page...)
		if l.HasMore != (next != nil) {
			t.Fatalf("got has_more %t with the next cursor %s, want both or neither", l.HasMore, testkit.Show(next))
		}
		if next == nil {
			return ids
		}
		query.Set(direction, *next)
	}
}

// model is the page that the contract asks for, of all rows newest first.
func model(all []string, limit int, after, before string) listing {
	var chosen []string
	older, newer := false, false
	for _, row := range all {
		switch {
		case after != "" && row >= after:
			newer = true
		case before != "" && row <= before:
			older = true
		default:
			chosen = append(chosen, row)
		}
	}
	l := listing{HasMore: len(chosen) > limit}
	if before != "" {
		newer = l.HasMore
		chosen = chosen[max(0, len(chosen)-limit):]
	} else {
		older = l.HasMore
		chosen = chosen[:min(limit, len(chosen))]
	}
	for _, row := range chosen {
		l.Data = append(l.Data, struct{ ID string }{row})
	}
	if older && len(chosen) > 0 {
		l.NextCursor = &chosen[len(chosen)-1]
	}
	if newer && len(chosen) > 0 {
		l.PrevCursor = &chosen[0]
	}
	return l
}

// Every page of a small list, from every position and of every size, in both
// directions: also from the positions of rows that were archived or deleted.
func TestEveryPage(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		var hulls, locations []string
		for range 7 {
			hulls = append(hulls, s.Test.Hull(loc, nil))
			locations = append(locations, s.Test.Location())
		}
		locations = append([]string{loc}, locations...)
		gone := func(ids []string, i int) []string { return append(slices.Clone(ids[:i]), ids[i+1:]...) }
		s.Test.Post("/v1/hulls/"+hulls[3]+"/archive", nil, 200, nil)
		s.Test.Post("/v1/hulls/"+hulls[6]+"/archive", nil, 200, nil)
		s.Test.Delete("/v1/locations/"+locations[4], 204)
		for _, list := range []struct {
			path       string
			there      []string // oldest first
			everywhere []string
		}{
			{"/v1/hulls", gone(gone(hulls, 6), 3), hulls},
			{"/v1/locations", gone(locations, 4), locations},
		} {
			all := slices.Clone(list.there)
			slices.Reverse(all)
			for _, cursor := range append([]string{""}, list.everywhere...) {
				for _, limit := range []int{1, 2, 3, len(all), len(all) + 1} {
					for _, direction := range []string{"starting_after", "ending_before"} {
						query := url.Values{"limit": {strconv.Itoa(limit)}}
						after, before := cursor, ""
						if direction == "ending_before" {
							after, before = before, after
						}
						if cursor != "" {
							query.Set(direction, cursor)
						}
						var got listing
						s.Test.Get(list.path+"?"+query.Encode(), 200, &got)
						want := model(all, limit, after, before)
						if got.Data == nil {
							t.Fatalf("%s?%s: data is null, want got.Data != nil", list.path, query.Encode())
						}
						if diff := cmp.Diff(want.ids(), got.ids()); diff != "" || want.HasMore != got.HasMore ||
							!cmp.Equal(want.NextCursor, got.NextCursor) || !cmp.Equal(want.PrevCursor, got.PrevCursor) {
							t.Fatalf("%s?%s:\ngot  %s\nwant %s", list.path, query.Encode(), show(got), show(want))
						}
					}
				}
			}
		}
	})
}

func show(l listing) string {
	text := func(s *string) string {
		if s == nil {
			return "null"
		}
		return *s
	}
	return fmt.Sprintf("%v more %t next %s prev %s", l.ids(), l.HasMore, text(l.NextCursor), text(l.PrevCursor))
}

func TestDefaultLimit(t *testing.T) {
	t.Parallel()
	s := testkit.OnSQLite(t)
	for range 26 {
		s.Test.Location()
	}
	for query, want := range map[string]int{"": 25, "?limit=26": 26, "?limit=100": 26, "?limit=1": 1} {
		var l listing
		if s.Test.Get("/v1/locations"+query, 200, &l); len(l.Data) != want {
			t.Errorf("%q gives %d rows, want %d", query, len(l.Data), want)
		}
	}
}

func TestBadCursors(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		hull := s.Test.Hull(s.Test.Location(), nil)
		loc := s.Test.Location()
		for name, c := range map[string]struct{ query, field, code string }{
			"both":                    {"starting_after=" + hull + "&ending_before=" + hull, "ending_before", "exclusive"},
			"a foreign prefix":        {"starting_after=" + loc, "starting_after", "cursor"},
			"a foreign prefix, back":  {"ending_before=" + loc, "ending_before", "cursor"},
			"garbage":                 {"starting_after=garbage", "starting_after", "cursor"},
			"a quote":                 {"ending_before=%27", "ending_before", "cursor"},
			"a wildcard":              {"starting_after=hull_%25", "starting_after", "cursor"},
			"capitals":                {"starting_after=" + strings.ToUpper(hull), "starting_after", "cursor"},
			"a blank":                 {"starting_after=%20" + hull, "starting_after", "cursor"},
			"a digit too many":        {"starting_after=" + hull + "0", "starting_after", "cursor"},
			"longer than any cursor":  {"starting_after=hull_" + strings.Repeat("0", 100), "starting_after", "too_long"},
			"a number":                {"ending_before=25", "ending_before", "cursor"},
			"beyond all ids of a day": {"starting_after=hull_8zzzzzzzzzzzzzzzzzzzzzzzzz", "starting_after", "cursor"},
		} {
			t.Run(name, func(t *testing.T) {
				f := failed(t, send(t, s.Test, "GET", "/v1/hulls?"+c.query, nil), 400)
				f.WantDetail(t, c.field, c.code)
			})
		}
		// A position needs no row: neither one that is gone nor one that never was.
		for _, cursor := range []string{"hull_00000000000000000000000000", "hull_7zzzzzzzzzzzzzzzzzzzzzzzzz"} {
			s.Test.Get("/v1/hulls?starting_after="+cursor, 200, nil)
			s.Test.Get("/v1/hulls?ending_before="+cursor, 200, nil)
		}
	})
}

// While others insert, archive and delete, a caller that walks a list in either
// direction meets every row that was there throughout, once, in order.
func TestPagesStandStillUnderChange(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		loc := s.Test.Location()
		var hulls []string
		locations := []string{loc}
		for range 15 {
			// What may go lies between what stays.
			hulls = append(hulls, s.Test.Hull(loc, map[string]any{"title": "stays"}))
			locations = append(locations, s.Test.Location())
			s.Test.Hull(loc, nil)
			s.Test.Location()
		}
		mayGo := func(path string, stay []string) []string {
			all := walk(t, s.Test, path, url.Values{"limit": {"100"}}, "starting_after")
			return slices.DeleteFunc(all, func(row string) bool { return slices.Contains(stay, row) })
		}
		ctx, stop := context.WithCancel(t.Context())
		var changes sync.WaitGroup
		change := func(stream uint64, rows []string, add, remove func(row string) (*testkit.Response, error)) {
			rng := rand.New(rand.NewPCG(seed, stream))
			changes.Go(func() {
				for ctx.Err() == nil {
					var res *testkit.Response
					var err error
					if i := rng.IntN(2 * max(1, len(rows))); i < len(rows) {
						res, err = remove(rows[i])
						rows = slices.Delete(rows, i, i+1)
					} else {
						res, err = add("")
					}
					if err != nil || res.StatusCode >= 300 {
						t.Errorf("a change failed: got %v, %s; want no error, res.StatusCode < 300", err, testkit.Show(res))
						return
					}
				}
			})
		}
		change(1, mayGo("/v1/hulls", hulls),
			func(string) (*testkit.Response, error) {
				return s.Test.Send("POST", "/v1/hulls", testkit.HullBody(loc, nil))
			},
			func(row string) (*testkit.Response, error) {
				return s.Test.Send("POST", "/v1/hulls/"+row+"/archive", nil)
			})
		change(2, mayGo("/v1/locations", locations),
			func(string) (*testkit.Response, error) {
				return s.Test.Send("POST", "/v1/locations", `{"name": "Pier"}`)
			},
			func(row string) (*testkit.Response, error) { return s.Test.Send("DELETE", "/v1/locations/"+row, nil) })
		defer changes.Wait()
		defer stop()

		rng := rand.New(rand.NewPCG(seed, 0))
		for range 3 {
			for path, stay := range map[string][]string{"/v1/hulls": hulls, "/v1/locations": locations} {
				meets(t, walk(t, s.Test, path, url.Values{"limit": {strconv.Itoa(2 + rng.IntN(12))}}, "starting_after"), stay, false)
				// The newest is a moving goal: a large page reaches it.
				start := url.Values{"limit": {strconv.Itoa(20 + rng.IntN(81))}, "ending_before": {stay[0]}}
				meets(t, append([]string{stay[0]}, walk(t, s.Test, path, start, "ending_before")...), stay, true)
			}
		}
	})
}

// meets fails unless a walk rises or falls strictly and has every row that
// stayed.
func meets(t *testing.T, walked, stayed []string, rising bool) {
	t.Helper()
	for i := 1; i < len(walked); i++ {
		if (walked[i-1] < walked[i]) != rising || walked[i-1] == walked[i] {
			t.Fatalf("%s comes after %s, want them in order (rising: %t)", walked[i], walked[i-1], rising)
		}
	}
	for _, row := range stayed {
		if !slices.Contains(walked, row) {
			t.Fatalf("%s was skipped among %d rows, want every row", row, len(walked))
		}
	}
}
