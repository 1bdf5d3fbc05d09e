package sales

import (
	"testing"

	"slipway/internal/deals"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

// The boat that is being sold, or another one in stock, is traded in.
func TestTradeInABoatInStock(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		sold := s.Test.Hull(loc, map[string]any{"hin": "BWCE1234A616", "year": 2016})
		other := s.Test.Hull(loc, map[string]any{"hin": "BWCE5678A616", "year": 2016})
		gone := s.Test.Hull(loc, map[string]any{"hin": "BWCE9999A616", "year": 2016})
		s.Test.Post("/v1/hulls/"+gone+"/archive", nil, 200, nil)

		id := s.Test.Deal(map[string]any{"hull_id": sold})
		path := "/v1/deals/" + id + "/trade_ins"
		for hin, hull := range map[string]string{"BWCE1234A616": sold, "us-bwce1234a616": sold, "BWCE5678A616": other} {
			res := s.Test.Post(path, map[string]any{"hin": hin, "allowance_cents": 100}, 409, nil)
			res.WantDetail(t, "hin", "duplicate", hin)
			assert.Contains(t, res.Bytes, hull, hin)
			body := s.Test.DealBody(map[string]any{"trade_ins": []any{map[string]any{"hin": hin, "allowance_cents": 100}}})
			s.Test.Post("/v1/deals", body, 409, nil).WantDetail(t, "trade_ins[0].hin", "duplicate", hin)
		}
		same(t, "allowance", deal(s, id).Totals.TradeEquityCents, 0)

		var t1 deals.TradeIn
		s.Test.Post(path, `{"hin": "US-BWCE9999A616", "allowance_cents": 100}`, 201, &t1)
		assert.Equal(t, t1.HIN, new("BWCE9999A616"))
		s.Test.Post(path, `{"hin": "bwce9999a616", "allowance_cents": 100}`, 409, nil).WantDetail(t, "hin", "duplicate", "twice on one deal")
		body := s.Test.DealBody(map[string]any{"trade_ins": []any{
			map[string]any{"hin": "BWCE9999A616", "allowance_cents": 1}, map[string]any{"hin": "bwce9999a616", "allowance_cents": 1},
		}})
		s.Test.Post("/v1/deals", body, 422, nil).WantDetail(t, "trade_ins[1].hin", "duplicate")
	})
}

// The lender quotes a new payoff each day.
func TestReplaceATradeIn(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Deal(map[string]any{"deal_type": "finance"})
		path := "/v1/deals/" + id + "/trade_ins"
		var first, second deals.TradeIn
		s.Test.Post(path, `{"hin": "BWCE1234A616", "make": "Boston Whaler", "allowance_cents": 3000000, "payoff_cents": 1000000, `+
			`"payoff_good_through_on": "2026-11-20", "per_diem_cents": 412}`, 201, &first)
		assert.Equal(t, first.PayoffGoodThroughOn, new("2026-11-20"))
		assert.Equal(t, first.PerDiemCents, new(int64(412)))
		var structure struct{ ID string }
		s.Test.Post("/v1/deals/"+id+"/finance_structures", `{"apr_percent": "7.49", "term_months": 240}`, 201, &structure)
		s.Test.Post("/v1/deals/"+id+"/finance_structures/"+structure.ID+"/select", nil, 200, nil)

		s.Test.Post(path, map[string]any{"replaces_id": first.ID, "hin": "BWCE1234A616", "allowance_cents": 3000000, "payoff_cents": 1002060,
			"payoff_good_through_on": "2026-11-25", "per_diem_cents": 412, "acv_cents": 2800000}, 201, &second)
		assert.Equal(t, second.ID, first.ID)
		assert.Equal(t, second.CreatedAt, first.CreatedAt)
		assert.Equal(t, second.PayoffCents, 1002060)
		assert.Equal(t, second.Make, nil)
		var p page.Page[deals.TradeIn]
		s.Test.Get(path, 200, &p)
		assert.Len(t, p.Data, 1)
		assert.Equal(t, p.Data[0], second)
		d := deal(s, id)
		assert.Equal(t, d.Totals.TradeEquityCents, 1997940)
		assert.Equal(t, d.SelectedStructureID, nil, "the total has changed")
		same(t, "events", eventTypes(s, id), "deal.opened deal.trade_in_added deal.trade_in_replaced")

		s.Test.Post(path, `{"replaces_id": "trd_00000000000000000000000000", "allowance_cents": 1}`, 422, nil).
			WantDetail(t, "replaces_id", "not_found")
		s.Test.Delete(path+"/"+first.ID, 204)
		same(t, "equity", deal(s, id).Totals.TradeEquityCents, 0)
	})
}
