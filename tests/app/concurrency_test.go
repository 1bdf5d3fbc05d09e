package app

import (
	"fmt"
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/version"
)

// changes are ways to change a resource with a version. create adds a resource and
// returns the path to read its version and the path to change it.
var changes = map[string]struct {
	method string
	create func(c *testkit.Client) (read, write string)
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
				read, write := c.create(s.Test)
				for _, malformed := range []string{
					`1`, `"1`, `W/"1"`, `"1", "2"`, `"one"`, `""`, `"-1"`, `"1.0"`, `**`, `"12345678901234567890"`,
				} {
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
					t.Errorf("got ETag %s after the change, want another one", before)
				}
				failed(t, send(t, s.Test.With("If-Match", before), c.method, write, c.body), 409)
				assert.Equal(t, string(s.Test.Get(read, 200, nil).Bytes), string(after.Bytes), "after a rejected change")
			})
			t.Run(name+", any version", func(t *testing.T) {
				_, write := c.create(s.Test)
				s.Test.With("If-Match", "*").Do(c.method, write, c.body, c.status, nil)
			})
		}
	})
}

// Of concurrent changes of the same version, one succeeds and the others get 409.
func TestConcurrentChangesOfOneVersion(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		hull := "/v1/hulls/" + s.Test.Hull(s.Test.Location(), nil)
		for round := range 3 {
			etag := s.Test.Get(hull, 200, nil).Header.Get("ETag")
			tally := testkit.Concurrently(t, 12, func(i int) (*testkit.Response, error) {
				return s.Test.With("If-Match", etag).Send("PATCH", hull, fmt.Sprintf(`{"title": "%d of round %d"}`, i, round))
			})
			var h struct{ Version int }
			if s.Test.Get(hull, 200, &h); tally[200] != 1 || tally[409] != 11 || h.Version != round+2 {
				t.Fatalf("round %d: got statuses %v and version %d, want one 200, eleven 409 and version %d", round, tally, h.Version, round+2)
			}
		}
	})
}

// A client can request the API version of a date. The response contains the
// version, also if it is an error.
func TestServiceVersion(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		first := version.Published[0].Date
		for name, c := range map[string]struct {
			date, want string
			status     int
		}{
			"none":             {"", version.Latest(), 200},
			"the first":        {first, first, 200},
			"before the first": {"2001-01-01", first, 200},
			"the future":       {"2999-12-31", version.Latest(), 200},
			"not a date":       {"latest", version.Latest(), 400},
			"not a day":        {"2027-02-30", version.Latest(), 400},
			"a time":           {"2027-01-01T00:00:00Z", version.Latest(), 400},
			"a list":           {"2027-01-01, 2028-01-01", version.Latest(), 400},
		} {
			client := s.Test
			if c.date != "" {
				client = s.Test.With("Service-Version", c.date)
			}
			res := send(t, client, "GET", "/v1/me", nil)
			assert.Equal(t, res.StatusCode, c.status, name)
			assert.Equal(t, res.Header.Get("Service-Version"), c.want, name)
			if c.status == 400 && !failed(t, res, 400).HasDetail("Service-Version", "pattern") {
				t.Errorf("%s: got %s, want the detail Service-Version pattern", name, res.Bytes)
			}
			if c.status == 200 {
				missing := send(t, client, "GET", noHull, nil)
				failed(t, missing, 404)
				assert.Equal(t, missing.Header.Get("Service-Version"), c.want, name, "error")
			}
		}
	})
}
