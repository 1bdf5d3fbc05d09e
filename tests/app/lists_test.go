package app

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

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// listing is a page of any resource.
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

// walk follows the cursors of a list to its end and returns the IDs in that order.
// For ending_before, the query must contain the first cursor.
func walk(t *testing.T, c *testkit.Client, path string, query url.Values, direction string) (ids []string) {
	t.Helper()
	for {
		var l listing
		res, err := c.Send("GET", path+"?"+query.Encode(), nil)
		if err == nil {
			err = json.Unmarshal(res.Bytes, &l)
		}
		if err != nil || res.StatusCode != 200 {
			t.Fatalf("%s?%s: got error %v and %s, want 200", path, query.Encode(), err, assert.Show(res))
		}
		page, next := l.ids(), l.NextCursor
		if direction == "ending_before" {
			slices.Reverse(page)
			next = l.PrevCursor
		}
		ids = append(ids, page...)
		if l.HasMore != (next != nil) {
			t.Fatalf("got has_more %t and next cursor %s, want both or neither", l.HasMore, assert.Show(next))
		}
		if next == nil {
			return ids
		}
		query.Set(direction, *next)
	}
}

// expectedPage returns the page of a list, whose rows are newest first.
func expectedPage(all []string, limit int, after, before string) listing {
	var rows []string
	older, newer := false, false
	for _, row := range all {
		switch {
		case after != "" && row >= after:
			newer = true
		case before != "" && row <= before:
			older = true
		default:
			rows = append(rows, row)
		}
	}
	l := listing{HasMore: len(rows) > limit}
	if before != "" {
		newer = l.HasMore
		rows = rows[max(0, len(rows)-limit):]
	} else {
		older = l.HasMore
		rows = rows[:min(limit, len(rows))]
	}
	for _, row := range rows {
		l.Data = append(l.Data, struct{ ID string }{row})
	}
	if older && len(rows) > 0 {
		l.NextCursor = &rows[len(rows)-1]
	}
	if newer && len(rows) > 0 {
		l.PrevCursor = &rows[0]
	}
	return l
}

// All pages of a small list are correct, for each cursor, limit and direction. The
// cursors include rows that were archived or deleted.
func TestAllPages(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		var hulls, locations []string
		for range 7 {
			hulls = append(hulls, s.Test.Hull(loc, nil))
			locations = append(locations, s.Test.Location())
		}
		locations = append([]string{loc}, locations...)
		without := func(ids []string, i int) []string { return append(slices.Clone(ids[:i]), ids[i+1:]...) }
		s.Test.Post("/v1/hulls/"+hulls[3]+"/archive", nil, 200, nil)
		s.Test.Post("/v1/hulls/"+hulls[6]+"/archive", nil, 200, nil)
		s.Test.Delete("/v1/locations/"+locations[4], 204)
		for _, list := range []struct {
			path    string
			listed  []string // oldest first
			cursors []string
		}{
			{"/v1/hulls", without(without(hulls, 6), 3), hulls},
			{"/v1/locations", without(locations, 4), locations},
		} {
			all := slices.Clone(list.listed)
			slices.Reverse(all)
			for _, cursor := range append([]string{""}, list.cursors...) {
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
						want := expectedPage(all, limit, after, before)
						if got.Data == nil {
							t.Fatalf("%s?%s: got data null, want a list", list.path, query.Encode())
						}
						if show(got) != show(want) {
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
			t.Errorf("%q: got %d rows, want %d", query, len(l.Data), want)
		}
	}
}

func TestInvalidCursors(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		hull := s.Test.Hull(s.Test.Location(), nil)
		loc := s.Test.Location()
		for name, c := range map[string]struct{ query, field, code string }{
			"both":                      {"starting_after=" + hull + "&ending_before=" + hull, "ending_before", "exclusive"},
			"another prefix":            {"starting_after=" + loc, "starting_after", "cursor"},
			"another prefix, backwards": {"ending_before=" + loc, "ending_before", "cursor"},
			"not an ID":                 {"starting_after=garbage", "starting_after", "cursor"},
			"a quote":                   {"ending_before=%27", "ending_before", "cursor"},
			"a wildcard":                {"starting_after=hull_%25", "starting_after", "cursor"},
			"upper case":                {"starting_after=" + strings.ToUpper(hull), "starting_after", "cursor"},
			"a space":                   {"starting_after=%20" + hull, "starting_after", "cursor"},
			"a digit too many":          {"starting_after=" + hull + "0", "starting_after", "cursor"},
			"too long":                  {"starting_after=hull_" + strings.Repeat("0", 100), "starting_after", "too_long"},
			"a number":                  {"ending_before=25", "ending_before", "cursor"},
			"out of range":              {"starting_after=hull_8zzzzzzzzzzzzzzzzzzzzzzzzz", "starting_after", "cursor"},
		} {
			t.Run(name, func(t *testing.T) {
				f := failed(t, send(t, s.Test, "GET", "/v1/hulls?"+c.query, nil), 400)
				f.WantDetail(t, c.field, c.code)
			})
		}
		// The row of a cursor doesn't have to exist.
		for _, cursor := range []string{"hull_00000000000000000000000000", "hull_7zzzzzzzzzzzzzzzzzzzzzzzzz"} {
			s.Test.Get("/v1/hulls?starting_after="+cursor, 200, nil)
			s.Test.Get("/v1/hulls?ending_before="+cursor, 200, nil)
		}
	})
}

// A walk in either direction returns each row that exists the whole time, once and
// in order, while other rows are added, archived and deleted.
func TestPagesDuringChanges(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		loc := s.Test.Location()
		var hulls []string
		locations := []string{loc}
		for range 15 {
			// Rows that can be removed alternate with permanent ones.
			hulls = append(hulls, s.Test.Hull(loc, map[string]any{"title": "permanent"}))
			locations = append(locations, s.Test.Location())
			s.Test.Hull(loc, nil)
			s.Test.Location()
		}
		removable := func(path string, permanent []string) []string {
			all := walk(t, s.Test, path, url.Values{"limit": {"100"}}, "starting_after")
			return slices.DeleteFunc(all, func(row string) bool { return slices.Contains(permanent, row) })
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
						t.Errorf("change: got error %v and %s, want success", err, assert.Show(res))
						return
					}
				}
			})
		}
		change(1, removable("/v1/hulls", hulls),
			func(string) (*testkit.Response, error) {
				return s.Test.Send("POST", "/v1/hulls", testkit.HullBody(loc, nil))
			},
			func(row string) (*testkit.Response, error) {
				return s.Test.Send("POST", "/v1/hulls/"+row+"/archive", nil)
			})
		change(2, removable("/v1/locations", locations),
			func(string) (*testkit.Response, error) {
				return s.Test.Send("POST", "/v1/locations", `{"name": "Pier"}`)
			},
			func(row string) (*testkit.Response, error) { return s.Test.Send("DELETE", "/v1/locations/"+row, nil) })
		defer changes.Wait()
		defer stop()

		rng := rand.New(rand.NewPCG(seed, 0))
		for range 3 {
			for path, permanent := range map[string][]string{"/v1/hulls": hulls, "/v1/locations": locations} {
				forward := url.Values{"limit": {strconv.Itoa(2 + rng.IntN(12))}}
				checkWalk(t, walk(t, s.Test, path, forward, "starting_after"), permanent, false)
				// Rows are added at this end, so the pages must be large to reach it.
				backward := url.Values{"limit": {strconv.Itoa(20 + rng.IntN(81))}, "ending_before": {permanent[0]}}
				checkWalk(t, append([]string{permanent[0]}, walk(t, s.Test, path, backward, "ending_before")...), permanent, true)
			}
		}
	})
}

// checkWalk fails unless a walk is strictly sorted and contains all permanent rows.
func checkWalk(t *testing.T, walked, permanent []string, ascending bool) {
	t.Helper()
	for i := 1; i < len(walked); i++ {
		if (walked[i-1] < walked[i]) != ascending || walked[i-1] == walked[i] {
			t.Fatalf("got %s after %s, want them sorted (ascending: %t)", walked[i], walked[i-1], ascending)
		}
	}
	for _, row := range permanent {
		if !slices.Contains(walked, row) {
			t.Fatalf("row %s is missing in %d rows", row, len(walked))
		}
	}
}
