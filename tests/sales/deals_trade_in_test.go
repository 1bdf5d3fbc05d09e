package sales

import (
	"testing"

	"slipway/internal/deals"
	"slipway/internal/hulls"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

func TestTradeIns(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Deal(nil)
		path := "/v1/deals/" + id + "/trade_ins"
		var good, bad deals.TradeIn
		s.Test.Post(path, `{"description": "Old Whaler", "allowance_cents": 3000000, "payoff_cents": 1000000, "acv_cents": 2500000}`, 201, &good)
		s.Test.Post(path, `{"make": "Sea Ray", "allowance_cents": 500000, "payoff_cents": 3500000, "lienholder": "Bay Federal"}`, 201, &bad)
		same(t, "equity", bad.EquityCents, -3000000)

		d := deal(s, id)
		assert.Equal(t, d.Totals.TradeEquityCents, -1000000)
		assert.Equal(t, d.Totals.BalanceDueCents, 12800000)
		assert.Equal(t, d.Version, 3)

		var p page.Page[deals.TradeIn]
		s.As(s.Key(auth.DealsRead)).Get(path, 200, &p)
		assert.Len(t, p.Data, 2, "without deals:write")
		assert.Equal(t, p.Data[1].ACVCents, nil, "without deals:write")
		assert.Equal(t, p.Data[1].EquityCents, 2000000, "without deals:write")
		s.Test.Delete(path+"/"+bad.ID, 204)
		s.Test.Delete(path+"/"+bad.ID, 404)
		same(t, "equity", deal(s, id).Totals.TradeEquityCents, 2000000)

		f := s.Test.Post(path, `{"allowance_cents": 1, "stock_in": true, "hin": "nonsense", "year": 2200}`, 400, nil).Fault(t)
		for _, field := range []string{"make", "model", "length_ft"} {
			f.WantDetail(t, field, "required")
		}
		f.WantDetail(t, "hin", "pattern")
		f.WantDetail(t, "year", "maximum")
		same(t, "events", eventTypes(s, id), "deal.opened deal.trade_in_added deal.trade_in_added deal.trade_in_removed")
	})
}

// A boat that was sold before and is traded in becomes a new hull that refers to
// the earlier one.
func TestTradeInIsStockedIn(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		old := s.Test.Hull(loc, map[string]any{"hin": "BWCE1234A616", "year": 2016})
		s.Test.DealIn("closed", map[string]any{"hull_id": old})
		id := s.Test.Deal(map[string]any{"hull_id": s.Test.Hull(loc, nil)})
		path := "/v1/deals/" + id
		s.Test.Post(path+"/trade_ins", `{"hin": "BWCE1234A616", "year": 2016, "make": "Boston Whaler", "model": "210 Montauk", `+
			`"length_ft": 21.33, "allowance_cents": 3250000, "acv_cents": 3000000, "stock_in": true}`, 201, nil)
		s.Test.Post(path+"/trade_ins", `{"description": "An outboard", "allowance_cents": 100000}`, 201, nil)
		accept(s, id, 200)
		s.Test.SignedDocument(id, "purchase_agreement")
		pay(s, id, deal(s, id).Totals.BalanceDueCents)
		for range 4 {
			s.Test.Post(path+"/advance", nil, 200, nil)
		}

		var p page.Page[deals.TradeIn]
		s.Test.Get(path+"/trade_ins", 200, &p)
		if p.Data[0].HullID != nil || p.Data[1].HullID == nil {
			t.Fatalf("got %s; want p.Data[0].HullID = nil, p.Data[1].HullID != nil", assert.Show(p.Data))
		}

		h := hull(s, *p.Data[1].HullID)
		assert.Equal(t, h.Status, hulls.NotForSale)
		assert.Equal(t, h.Condition, "used")
		assert.Equal(t, h.PreviousHullID, new(old))
		assert.Equal(t, h.LocationID, loc)
		assert.Equal(t, h.PriceUSD, 30000)
		assert.Equal(t, h.HIN, new("BWCE1234A616"))

		var pricing hulls.HullPricing
		s.Test.Get("/v1/hulls/"+h.ID+"/pricing", 200, &pricing)
		same(t, "cost", *pricing.Cost.InvoiceCents, 3000000)
	})
}
