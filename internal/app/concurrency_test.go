package app_test

import (
	"fmt"
	"sync"
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/vocab/wire"
)

// changes are the ways to change something that has a version; each begins
// with a fresh thing and returns the path that shows its version.
var changes = map[string]struct {
	method string
	make   func(c *testkit.Client) (read, write string)
	body   any
	status int
}{
	"PATCH a hull":     {"PATCH", hullAnd(""), `{"title": "a"}`, 200},
	"PUT specs":        {"PUT", ofHull("/specs"), `{"beam_ft": 8.5}`, 200},
	"PUT pricing":      {"PUT", ofHull("/pricing"), `{"price_usd": 99000}`, 200},
	"POST archive":     {"POST", hullAnd("/archive"), nil, 200},
	"POST transition":  {"POST", hullAnd("/transition"), `{"to": "not_for_sale"}`, 200},
	"PATCH a location": {"PATCH", location, `{"name": "Pier"}`, 200},
	"DELETE":           {"DELETE", location, nil, 204},
}

func hullAnd(action string) func(*testkit.Client) (string, string) {
	return func(c *testkit.Client) (read, write string) {
		hull := "/v1/hulls/" + c.Hull(c.Location(), nil)
		return hull, hull + action
	}
}

func ofHull(part string) func(*testkit.Client) (string, string) {
	return func(c *testkit.Client) (read, write string) {
		path := "/v1/hulls/" + c.Hull(c.Location(), nil) + part
		return path, path
	}
}

func location(c *testkit.Client) (read, write string) {
	path := "/v1/locations/" + c.Location()
	return path, path
}

func TestIfMatch(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for name, c := range changes {
			t.Run(name, func(t *testing.T) {
				read, write := c.make(s.Test)
				for _, malformed := range []string{`1`, `"1`, `W/"1"`, `"1", "2"`, `"one"`, `""`, `"-1"`, `"1.0"`, `**`, `"12345678901234567890"`} {
					f := failed(t, send(t, s.Test.With("If-Match", malformed), c.method, write, c.body), 400)
					f.WantDetail(t, "If-Match", "pattern", malformed)
				}
				f := failed(t, send(t, s.Test.With("If-Match", `"999"`), c.method, write, c.body), 409)
				f.WantDetail(t, "If-Match", "stale")
				before := s.Test.Get(read, 200, nil).Header.Get("ETag")
				s.Test.With("If-Match", before).Do(c.method, write, c.body, c.status, nil)
				if c.method == "DELETE" {
					s.Test.Get(read, 404, nil)
					return
				}
				after := s.Test.Get(read, 200, nil)
				if after.Header.Get("ETag") == before {
					t.Errorf("the version is still %s, want another one", before)
				}
				failed(t, send(t, s.Test.With("If-Match", before), c.method, write, c.body), 409)
				testkit.Equal(t, string(s.Test.Get(read, 200, nil).Bytes), string(after.Bytes), "after a refused change")
			})
			t.Run(name+", whatever the version", func(t *testing.T) {
				_, write := c.make(s.Test)
				s.Test.With("If-Match", "*").Do(c.method, write, c.body, c.status, nil)
			})
		}
	})
}

// Of many who change the same version, one does, and all others are told.
func TestConcurrentChangesOfOneVersion(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		hull := "/v1/hulls/" + s.Test.Hull(s.Test.Location(), nil)
		for round := range 3 {
			etag := s.Test.Get(hull, 200, nil).Header.Get("ETag")
			statuses := make([]int, 12)
			start := make(chan struct{})
			var wg sync.WaitGroup
			for i := range statuses {
				wg.Go(func() {
					<-start
					res, err := s.Test.With("If-Match", etag).Send("PATCH", hull, fmt.Sprintf(`{"title": "%d of round %d"}`, i, round))
					if err == nil {
						statuses[i] = res.StatusCode
					}
				})
			}
			close(start)
			wg.Wait()
			tally := map[int]int{}
			for _, status := range statuses {
				tally[status]++
			}
			var h struct{ Version int }
			if s.Test.Get(hull, 200, &h); tally[200] != 1 || tally[409] != 11 || h.Version != round+2 {
				t.Fatalf("round %d: statuses %v, version %d; want tally[200] = 1, tally[409] = 11, h.Version = %v", round, tally, h.Version, round+2)
			}
		}
	})
}

// A caller may ask for the API as it was on a date; the answer says which
// version it is, also where it is an error.
func TestServiceVersion(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		first := wire.Published[0].Date
		for name, c := range map[string]struct {
			date, want string
			status     int
		}{
			"none: the key's":  {"", wire.LatestVersion(), 200},
			"the first":        {first, first, 200},
			"before the first": {"2001-01-01", first, 200},
			"the future":       {"2999-12-31", wire.LatestVersion(), 200},
			"a word":           {"latest", wire.LatestVersion(), 400},
			"no such day":      {"2027-02-30", wire.LatestVersion(), 400},
			"a time":           {"2027-01-01T00:00:00Z", wire.LatestVersion(), 400},
			"a list":           {"2027-01-01, 2028-01-01", wire.LatestVersion(), 400},
		} {
			client := s.Test
			if c.date != "" {
				client = s.Test.With("Service-Version", c.date)
			}
			res := send(t, client, "GET", "/v1/me", nil)
			testkit.Equal(t, res.StatusCode, c.status, name)
			testkit.Equal(t, res.Header.Get("Service-Version"), c.want, name)
			if c.status == 400 && !failed(t, res, 400).HasDetail("Service-Version", "pattern") {
				t.Errorf("%s: got %s, want the detail Service-Version pattern", name, res.Bytes)
			}
			if c.status == 200 {
				missing := send(t, client, "GET", noHull, nil)
				failed(t, missing, 404)
				testkit.Equal(t, missing.Header.Get("Service-Version"), c.want, name, "error")
			}
		}
	})
}
