package inventory

import (
	"net/url"
	"slices"
	"testing"

	"slipway/internal/hulls"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

// Pages of each order are complete in both directions, also for hulls with equal values,
// with and without filters. More than limits.many hulls match the first one and grady.
func TestSortedHulls(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		here, there := s.Test.Location(), s.Test.Location()
		s.Other.Hull(s.Other.Location(), nil)
		for i, h := range []struct {
			price    int
			length   float64
			year     int
			received any
		}{
			{50000, 23.58, 2020, "2026-01-10"}, {50000, 23.5, 2020, "2026-01-10"}, {0, 1000, 1999, "2025-12-31"}, {90000, 23.58, 2024, nil},
			{50000, 7.01, 2024, "2026-02-01"}, {10000, 23.58, 2020, nil}, {70000, 40, 2026, "2020-02-29"},
		} {
			body := map[string]any{"price_usd": h.price, "length_ft": h.length, "year": h.year, "received_on": h.received}
			if h.received == nil {
				body["status"], body["hin"] = "on_order", nil
			}
			s.Test.Hull([]string{here, there}[i%2], body)
		}
		archived := s.Test.Hull(here, map[string]any{"price_usd": 60000})
		s.Test.Post("/v1/hulls/"+archived+"/archive", nil, 200, nil)

		var all page.Page[hulls.Hull]
		s.Test.Get("/v1/hulls?limit=100", 200, &all)
		assert.Len(t, all.Data, 7)
		received := func(h hulls.Hull) string {
			if h.ReceivedOn == nil {
				return "9999-12-31"
			}
			return *h.ReceivedOn
		}
		less := map[string]func(a, b hulls.Hull) int{
			"price":  func(a, b hulls.Hull) int { return compare(a.PriceUSD, b.PriceUSD, a.ID, b.ID) },
			"length": func(a, b hulls.Hull) int { return compare(a.LengthFt, b.LengthFt, a.ID, b.ID) },
			"year":   func(a, b hulls.Hull) int { return compare(a.Year, b.Year, a.ID, b.ID) },
			"age":    func(a, b hulls.Hull) int { return -compare(received(a), received(b), a.ID, b.ID) },
		}
		for name, order := range less {
			for _, sort := range []string{name, "-" + name} {
				for filter, keep := range map[string]func(hulls.Hull) bool{
					"":                            func(hulls.Hull) bool { return true },
					"location_id=" + here:         func(h hulls.Hull) bool { return h.LocationID == here },
					"q=grady&year_min=2020":       func(h hulls.Hull) bool { return h.Year >= 2020 },
					"price_max=5000000&q=freedom": func(h hulls.Hull) bool { return h.PriceUSD <= 50000 },
					"length_min=23&year_max=2024": func(h hulls.Hull) bool { return h.LengthFt >= 23 && h.Year <= 2024 },
					"status=on_order":             func(h hulls.Hull) bool { return h.Status == hulls.OnOrder },
					"q=nothing":                   func(hulls.Hull) bool { return false },
					"q=%2A":                       func(hulls.Hull) bool { return false },
				} {
					want := slices.DeleteFunc(slices.Clone(all.Data), func(h hulls.Hull) bool { return !keep(h) })
					slices.SortFunc(want, order)
					if sort != name {
						slices.Reverse(want)
					}
					wantIDs := []string{}
					for _, h := range want {
						wantIDs = append(wantIDs, h.ID)
					}
					for _, limit := range []string{"1", "3", "100"} {
						query := filter + "&sort=" + url.QueryEscape(sort) + "&limit=" + limit
						down, up := walkSorted(s, query)
						assert.Equal(t, down, wantIDs, query)
						assert.Equal(t, up, wantIDs, query, "backwards")
					}
				}
			}
		}

		s.Test.Get("/v2-preview/hulls?sort=price&starting_after="+archived, 400, nil).WantDetail(t, "starting_after", "cursor")
		s.Test.Get("/v2-preview/hulls?sort=price&starting_after=year_0000000000000001"+archived[5:], 400, nil).WantDetail(t, "starting_after", "cursor")
		s.Test.Get("/v2-preview/hulls?sort=make", 400, nil)
		s.Test.Get("/v2-preview/hulls?sort=price&year_min=2024&year_max=2020", 400, nil).WantDetail(t, "year_min", "exclusive")
		s.Test.Get("/v2-preview/hulls?sort=newest&starting_after="+archived, 200, nil)
	})
}

// compare compares values, and IDs if they are equal.
func compare[T int64 | float64 | string](a, b T, idA, idB string) int {
	switch {
	case a < b || a == b && idA < idB:
		return -1
	case a == b && idA == idB:
		return 0
	}
	return 1
}

// walkSorted returns the IDs of all pages, and the IDs of all pages on the way back.
func walkSorted(s *testkit.Server, query string) (down, up []string) {
	down, up = []string{}, []string{}
	var pages []page.Page[struct{ ID string }]
	for after := ""; ; {
		var p page.Page[struct{ ID string }]
		s.Test.Get("/v2-preview/hulls?"+query+after, 200, &p)
		for _, h := range p.Data {
			down = append(down, h.ID)
		}
		pages = append(pages, p)
		if p.NextCursor == nil {
			break
		}
		after = "&starting_after=" + *p.NextCursor
	}

	p := pages[len(pages)-1]
	for {
		for _, h := range slices.Backward(p.Data) {
			up = append(up, h.ID)
		}
		if p.PrevCursor == nil {
			break
		}
		before := *p.PrevCursor
		p = page.Page[struct{ ID string }]{}
		s.Test.Get("/v2-preview/hulls?"+query+"&ending_before="+before, 200, &p)
	}
	slices.Reverse(up)
	return down, up
}
