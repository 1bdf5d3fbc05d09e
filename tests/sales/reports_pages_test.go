package sales

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// aPage is what the pages of a report have in common.
type aPage struct {
	HasMore    bool    `json:"has_more"`
	NextCursor *string `json:"next_cursor"`
	Total      struct{ Deals, Contracts int }
	Held       struct{ Deals int }
	Contracts  []struct {
		FundingID string `json:"funding_id"`
	}
	Deals []struct {
		DealID string `json:"deal_id"`
	}
	Adjustments []struct {
		DealID string `json:"deal_id"`
	}
}

func (p aPage) rows() (ids []string) {
	for _, c := range p.Contracts {
		ids = append(ids, c.FundingID)
	}
	for _, d := range p.Deals {
		ids = append(ids, d.DealID)
	}
	for _, a := range p.Adjustments {
		ids = append(ids, a.DealID+" adjusted")
	}
	return ids
}

// walk returns the rows of a report by page. Sums are of all rows, on each page.
func (w *world) walk(path string, limit, total int) (pages [][]string) {
	w.t.Helper()
	cursor := ""
	for {
		var p aPage
		w.Test.Get("/v2-preview/reports/"+path+"limit="+strconv.Itoa(limit)+cursor, 200, &p)
		assert.Equal(w.t, p.Total.Deals+p.Total.Contracts+p.Held.Deals, total, path+" on each page")
		assert.Equal(w.t, p.NextCursor != nil, p.HasMore, path)
		if ids := p.rows(); len(ids) > limit {
			w.t.Fatalf("%s: got %v, want at most %d rows", path, ids, limit)
		}
		pages = append(pages, p.rows())
		if p.NextCursor == nil {
			return pages
		}
		cursor = "&starting_after=" + *p.NextCursor
	}
}

func TestPagesOfGrossReport(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newWorld(t, s, "2027-02-01T12:00:00Z")
		var sold, boats []string
		for i := range 5 {
			if i != 3 { // the third and the fourth are delivered at the same time
				s.Advance(time.Hour)
			}
			boats = append(boats, w.hull(w.east, "2027-01-01", 50000, 4000000))
			sold = append(sold, s.Test.DealIn("delivered", map[string]any{"hull_id": boats[i], "offer_usd": 50000}))
		}
		s.Advance(time.Hour)
		s.Test.Patch("/v2-preview/hulls/"+boats[0]+"/pricing", map[string]any{"cost": map[string]any{"invoice": usd(5000000)}}, 200, nil)
		s.Advance(time.Hour)
		last := s.Test.DealIn("delivered", map[string]any{"hull_id": w.hull(w.east, "2027-01-01", 50000, 4000000), "offer_usd": 50000})

		all := w.walk("gross?", 100, 6)
		assert.Len(t, all, 1)
		pages := w.walk("gross?", 2, 6)
		assert.Equal(t, fmt.Sprint(pages[0]), fmt.Sprint([]string{last, sold[0] + " adjusted"}), "of the same time")
		assert.Equal(t, fmt.Sprint(pages[1]), fmt.Sprint([]string{sold[4], max(sold[3], sold[2])}))
		assert.Equal(t, fmt.Sprint(pages[2]), fmt.Sprint([]string{min(sold[3], sold[2]), sold[1]}))
		assert.Equal(t, fmt.Sprint(pages[3]), fmt.Sprint([]string{sold[0]}))

		var first aPage
		s.Test.Get("/v2-preview/reports/gross?limit=3", 200, &first)
		s.Test.DealIn("delivered", map[string]any{"hull_id": w.hull(w.east, "2027-01-01", 50000, 4000000), "offer_usd": 50000})
		var next aPage
		s.Test.Get("/v2-preview/reports/gross?starting_after="+*first.NextCursor, 200, &next)
		both := append(first.rows(), next.rows()...)
		slices.Sort(both)
		slices.Sort(all[0])
		assert.Equal(t, both, all[0], "a newer deal moves no row to another page")
	})
}

func TestPagesOfFundingReport(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newWorld(t, s, "2027-02-01T12:00:00Z")
		noon := time.Date(2027, 2, 1, 12, 0, 0, 0, time.UTC)
		var want []string
		for i := range 4 {
			deal := s.Test.AcceptedDeal(map[string]any{"hull_id": w.hull(w.east, "2027-01-01", 100000, 0), "offer_usd": 100000})
			var made struct{ ID string }
			s.Test.Post("/v1/deals/"+deal+"/finance_structures", `{"apr_percent": "7.49", "term_months": 180}`, 201, &made)
			s.Test.Post("/v1/deals/"+deal+"/finance_structures/"+made.ID+"/select", nil, 200, nil)
			s.Test.Post("/v1/deals/"+deal+"/fundings", map[string]any{"lender": "Bay Federal"}, 201, &made)
			s.Exec(`UPDATE fundings SET status = 'signed', amount_cents = 10000000 WHERE id = ?`, made.ID)
			if i < 2 { // the others are not contracted
				s.Exec(`UPDATE deals SET contracted_at = ? WHERE id = ?`, noon.Add(-time.Duration(i)*time.Hour), deal)
			}
			want = append(want, made.ID)
			s.Advance(time.Second)
		}
		slices.Reverse(want[:2]) // longest first
		assert.Equal(t, w.walk("funding?", 100, 4), [][]string{want})
		assert.Equal(t, w.walk("funding?", 1, 4), [][]string{want[:1], want[1:2], want[2:3], want[3:]})
		assert.Equal(t, w.walk("funding?", 3, 4), [][]string{want[:3], want[3:]})
	})
}

func TestPagesOfCashReport(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newWorld(t, s, "2027-02-01T12:00:00Z")
		var want []string
		for _, on := range []string{"2027-01-01", "2027-01-03", "2027-01-03", "2027-01-05", "2027-01-07"} {
			deal := s.Test.Deal(map[string]any{"hull_id": w.hull(w.east, "2027-01-01", 100000, 0)})
			s.Test.Post("/v1/deals/"+deal+"/payments", map[string]any{"kind": "deposit", "method": "card", "amount_cents": 100, "received_on": on}, 201, nil)
			want = append(want, deal)
			s.Advance(time.Second)
		}
		assert.Equal(t, w.walk("cash?", 100, 5), [][]string{want})
		assert.Equal(t, w.walk("cash?", 2, 5), [][]string{want[:2], want[2:4], want[4:]})
		assert.Equal(t, w.walk("cash?", 5, 5), [][]string{want})
	})
}

// A cursor belongs to its report.
func TestCursorsOfReports(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		digits := strings.Repeat("0", 16) + "01jcqz8t5n8m2x4v6b7c9d0e1f"
		for _, name := range []string{"gross", "funding", "cash"} {
			path := "/v2-preview/reports/" + name + "?starting_after="
			s.Test.Get(path+name+"_"+digits, 200, nil)
			for _, wrong := range []string{"", "x", name, "deal_01jcqz8t5n8m2x4v6b7c9d0e1f", "price_" + digits, name + "_" + strings.Repeat("f", 16)} {
				s.Test.Get(path+wrong, 400, nil).WantDetail(t, "starting_after", map[bool]string{true: "required", false: "cursor"}[wrong == ""])
			}
		}
		s.Test.Get("/v2-preview/reports/leads?starting_after=x", 400, nil)
	})
}
