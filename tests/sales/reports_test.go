package sales

import (
	"strings"
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// Days and locations that are invalid are rejected, for JSON and CSV.
func TestInvalidFilters(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newWorld(t, s, "2027-03-01T06:30:00Z")
		for _, name := range names {
			path := "/v2-preview/reports/" + name
			for _, accept := range []string{"application/json", "text/csv"} {
				c := s.Test.With("Accept", accept)
				c.Get(path+"?date_after=2027-02-02&date_before=2027-02-01", 400, nil).WantDetail(t, "date_after", "maximum")
				c.Get(path+"?location_id=loc_1", 400, nil).WantDetail(t, "location_id", "not_found")
				c.Get(path+"?location_id="+s.Other.Location(), 400, nil).WantDetail(t, "location_id", "not_found", "of another dealership")
				c.Get(path+"?date_after=yesterday", 400, nil)
				c.Get(path+"?date_after=2027-02-30", 400, nil)
				bounded := name != "inventory" && name != "funding"
				if bounded {
					c.Get(path+"?date_after=2026-02-28&date_before=2027-03-01", 400, nil).WantDetail(t, "date_after", "minimum")
				}
				year := path + "?date_after=2026-03-01&date_before=2027-03-01&location_id=" + w.east
				if res, err := c.Send("GET", year, nil); err != nil || res.StatusCode != 200 {
					t.Errorf("%s: got %s, want 200 for 366 days", path, assert.Show(res))
				}
			}
			s.Test.With("Accept", "text/csv").Get(path+"?table=boats", 400, nil).WantDetail(t, "table", "enum")
			s.Test.Get(path+"?table=boats", 400, nil).WantDetail(t, "table", "exclusive")
			s.Test.Get(path+".csv", 404, nil)
		}
		s.Test.Get("/v2-preview/reports/gross?limit=101", 400, nil)
	})
}

// A new dealership has reports without rows, as does one whose data is elsewhere.
func TestEmptyReports(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newWorld(t, s, "2027-03-01T06:30:00Z")
		w.hull(w.east, "2027-02-01", 100000, 8000000)
		s.Test.DealIn("delivered", nil)
		s.Test.Lead(nil)
		for _, name := range names {
			live, other := csv(t, s.Live, name), csv(t, s.Other, name)
			assert.Equal(t, live, other, name)
			for _, line := range strings.Split(live, "\n")[1:] {
				for _, cell := range strings.Split(line, ",")[2:] {
					if cell != "0" && cell != "0.00" && cell != "" {
						t.Errorf("%s: got %s in an empty dealership, want only zeros", name, line)
					}
				}
			}
			var r struct {
				DateAfter  *string `json:"date_after"`
				DateBefore *string `json:"date_before"`
				Today      string
				Timezone   string
			}
			s.Test.Get("/v2-preview/reports/"+name, 200, &r)
			assert.Equal(t, r.Today, "2027-03-01")
			assert.Equal(t, r.Timezone, "America/New_York")
			if name == "inventory" || name == "funding" {
				assert.Equal(t, r.DateAfter, nil, name)
				continue
			}
			assert.Equal(t, *r.DateAfter, "2027-01-31", name)
			assert.Equal(t, *r.DateBefore, "2027-03-01", name)
		}
	})
}

// A CSV file has an ETag, and the name of the report.
func TestCSVFile(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newWorld(t, s, "2027-03-01T06:30:00Z")
		w.hull(w.east, "2027-02-01", 100000, 0, map[string]any{"stock_number": `=HYPERLINK("x")`, "make": "+1 owner"})
		path := "/v2-preview/reports/inventory?table=oldest"
		c := s.Test.With("Accept", "text/csv")
		res := c.Get(path, 200, nil)
		assert.Equal(t, res.Header.Get("Content-Disposition"), "inline; filename=inventory-oldest.csv")
		assert.Contains(t, string(res.Bytes), `,"'=HYPERLINK(""x"")",'+1 owner,`)
		c.With("If-None-Match", res.Header.Get("ETag")).Get(path, 304, nil)
	})
}

// An operation answers JSON unless the request prefers CSV, and caches know it.
func TestAccept(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for accept, want := range map[string]string{
			"": "application/json", "*/*": "application/json", "text/html, */*;q=0.8": "application/json", "text/csv;q=0.5, application/json": "application/json",
			"text/csv": "text/csv; charset=utf-8", "application/json;q=0.5, text/csv": "text/csv; charset=utf-8",
		} {
			for _, name := range []string{"pricing", "gross"} {
				res := s.Test.With("Accept", accept).Get("/v2-preview/reports/"+name, 200, nil)
				assert.Equal(t, res.Header.Get("Content-Type"), want, accept)
				assert.Contains(t, strings.Join(res.Header.Values("Vary"), ", "), "Accept")
			}
		}
		c := s.Test.With("Accept", "text/csv")
		c.Get("/v2-preview/reports/gross?limit=5", 400, nil).WantDetail(t, "limit", "exclusive")
		c.Get("/v2-preview/reports/nothing", 404, nil)
		res := c.Get("/v2-preview/reports/gross?date_after=yesterday", 400, nil)
		assert.Equal(t, res.Header.Get("Content-Type"), "application/json")
		assert.Contains(t, strings.Join(res.Header.Values("Vary"), ", "), "Accept")
		res = c.Get("/v2-preview/hulls", 200, nil)
		assert.Equal(t, res.Header.Get("Content-Type"), "application/json")
	})
}

// The scopes of a report are those of what it shows.
func TestScopesOfReports(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for scope, allowed := range map[auth.Scope]string{
			auth.HullsRead: "inventory pricing", auth.LeadsRead: "leads responses", auth.DealsRead: "pipeline funding cash taxes",
			auth.DealsWrite: "", auth.HullsWrite: "", auth.LeadsWrite: "", auth.Admin: "",
		} {
			c := s.As(s.Key(scope))
			for _, name := range names {
				want := 403
				if strings.Contains(allowed, name) {
					want = 200
				}
				c.Get("/v2-preview/reports/"+name, want, nil)
			}
		}
		s.As(s.Key(auth.DealsWrite, auth.HullsRead)).Get("/v2-preview/reports/gross", 403, nil)
		s.As(s.Key(auth.DealsWrite, auth.HullsWrite)).Get("/v2-preview/reports/gross", 200, nil)
	})
}
