package sales

import (
	"testing"

	"slipway/internal/deals"
	"slipway/internal/hulls"
	"slipway/internal/platform/rest"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

// shownHull is a hull as the preview shows it.
type shownHull struct {
	ID       string
	Price    rest.Money
	MSRP     *rest.Money `json:"msrp"`
	Status   hulls.Status
	Metadata map[string]string
	Version  int64
	Location *struct{ ID, Name string }
	Pricing  *struct {
		Floor *rest.Money
		Cost  *struct{ Invoice *rest.Money }
	}
}

func dollars(n int64) rest.Money { return rest.Money{Amount: n * 100, Currency: "USD"} }

func previewMoney(n int64) map[string]any {
	return map[string]any{"amount": n * 100, "currency": "USD"}
}

func previewHull(location string) map[string]any {
	body := testkit.HullBody(location, map[string]any{"metadata": map[string]string{"fee_usd": "12", "slip_cents": "B14"}})
	delete(body, "price_usd")
	body["price"] = previewMoney(124900)
	return body
}

// The preview and /v1 show the same hull. Metadata keeps its names.
func TestHullsWithMoney(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var h shownHull
		s.Test.Post("/v2-preview/hulls", previewHull(s.Test.Location()), 201, &h)
		assert.Equal(t, h.Price, dollars(124900))
		assert.Equal(t, h.MSRP, nil)
		assert.Equal(t, h.Status, hulls.Available, "the default")
		assert.Equal(t, h.Metadata, map[string]string{"fee_usd": "12", "slip_cents": "B14"})

		var stable hulls.Hull
		s.Test.Get("/v1/hulls/"+h.ID, 200, &stable)
		assert.Equal(t, stable.PriceUSD, 124900)

		path := "/v2-preview/hulls/" + h.ID
		s.Test.With("If-Match", `"1"`).Patch(path, `{"title": "One owner", "metadata": {"fee_usd": null}}`, 200, &h)
		assert.Equal(t, h.Version, 2)
		assert.Equal(t, h.Metadata["slip_cents"], "B14")
		s.Test.With("If-Match", `"1"`).Patch(path, `{"title": "Two owners"}`, 409, nil)

		var list page.Page[shownHull]
		s.Test.Get("/v2-preview/hulls?price_max=13000000", 200, &list)
		assert.Len(t, list.Data, 1)
		assert.Equal(t, list.Data[0].Price, dollars(124900))
	})
}

// A change of the pricing keeps what it doesn't name.
func TestPricingIsPatched(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Hull(s.Test.Location(), nil)
		path := "/v2-preview/hulls/" + id + "/pricing"
		s.Test.Put("/v1/hulls/"+id+"/pricing", `{"price_usd": 120000, "msrp_usd": 138000, "floor_usd": 112000,
			"cost": {"invoice_cents": 9850000}}`, 200, nil)
		s.Test.Patch(path, map[string]any{"floor": previewMoney(110000)}, 200, nil)
		s.Test.Patch(path, `{"msrp": null}`, 200, nil)

		var p hulls.HullPricing
		s.Test.Get("/v1/hulls/"+id+"/pricing", 200, &p)
		assert.Equal(t, p.PriceUSD, 120000)
		assert.Equal(t, *p.FloorUSD, 110000)
		assert.Equal(t, p.MSRPUSD, nil)
		assert.Equal(t, *p.Cost.InvoiceCents, 9850000)

		for name, body := range map[string]string{
			"cents":            `{"price": {"amount": 12000050, "currency": "USD"}}`,
			"another currency": `{"price": {"amount": 12000000, "currency": "EUR"}}`,
			"a number":         `{"price": 120000}`,
			"the old name":     `{"price_usd": 120000}`,
			"no currency":      `{"price": {"amount": 12000000}}`,
			"negative":         `{"price": {"amount": -100, "currency": "USD"}}`,
		} {
			if res, err := s.Test.Send("PATCH", path, body); err != nil || res.StatusCode != 400 && res.StatusCode != 422 {
				t.Errorf("%s: got %d %s, want 400 or 422", name, res.StatusCode, res.Bytes)
			}
		}
	})
}

// References are only expanded for callers who can read them.
func TestExpand(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		location := s.Test.Location()
		id := s.Test.Hull(location, nil)
		s.Test.Put("/v1/hulls/"+id+"/pricing", `{"price_usd": 120000, "floor_usd": 112000, "cost": {"invoice_cents": 9850000}}`, 200, nil)

		var h shownHull
		path := "/v2-preview/hulls/" + id
		s.Test.Get(path, 200, &h)
		assert.Equal(t, h.Location, nil, "without expand")
		s.Test.Get(path+"?expand=location,pricing", 200, &h)
		assert.Equal(t, h.Location.ID, location)
		assert.Equal(t, *h.Pricing.Floor, dollars(112000))
		assert.Equal(t, *h.Pricing.Cost.Invoice, dollars(98500))

		reader := s.As(s.Key(auth.HullsRead))
		h = shownHull{}
		reader.Get(path+"?expand=pricing", 200, &h)
		assert.Equal(t, h.Pricing.Floor, nil, "without hulls:write")
		assert.Equal(t, h.Pricing.Cost, nil, "without hulls:write")
		s.Test.Get(path+"?expand=owner", 400, nil)

		deal := s.Test.Deal(map[string]any{"hull_id": id})
		var d struct {
			Offer    rest.Money
			Totals   struct{ Price rest.Money }
			Hull     *shownHull
			Buyer    *struct{ ID string }
			Location *struct{ ID string }
			BuyerID  string `json:"buyer_id"`
		}
		s.Test.Get("/v2-preview/deals/"+deal+"?expand=location,buyer", 200, &d)
		assert.Equal(t, d.Location.ID, location)
		assert.Equal(t, d.Buyer.ID, d.BuyerID)
		assert.Equal(t, d.Hull, nil)
		assert.Equal(t, d.Offer, d.Totals.Price)
		s.Test.Get("/v2-preview/deals/"+deal+"?expand=hull", 200, &d)
		assert.Equal(t, d.Hull.ID, id)

		dealsOnly := s.As(s.Key(auth.DealsRead))
		dealsOnly.Get("/v2-preview/deals/"+deal, 200, nil)
		for _, name := range []string{"hull", "buyer", "location", "pricing"} {
			dealsOnly.Get("/v2-preview/deals?expand="+name, 403, nil).WantDetail(t, "expand", "scope", name)
		}

		var list page.Page[struct{ Hull *shownHull }]
		s.Test.Get("/v2-preview/deals?expand=hull,pricing", 200, &list)
		assert.Equal(t, list.Data[0].Hull.ID, id)
	})
}

// A deal with money in nested lists, and errors with the names of the preview.
func TestDealsWithMoney(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		body := s.Test.DealBody(nil)
		delete(body, "offer_usd")
		body["offer"] = previewMoney(118000)
		body["line_items"] = []any{map[string]any{"kind": "fee", "amount": map[string]any{"amount": 49999, "currency": "USD"}, "taxable": false}}
		body["trade_ins"] = []any{map[string]any{"description": "Old Whaler", "allowance": previewMoney(30000), "payoff": previewMoney(10000)}}
		var d struct {
			ID     string
			Totals struct {
				Total rest.Money
			}
		}
		s.Test.Post("/v2-preview/deals", body, 201, &d)
		var stable deals.Deal
		s.Test.Get("/v1/deals/"+d.ID, 200, &stable)
		assert.Equal(t, stable.LineItems[0].AmountCents, 49999)
		assert.Equal(t, d.Totals.Total.Amount, stable.Totals.TotalCents)

		var trades page.Page[deals.TradeIn]
		s.Test.Get("/v1/deals/"+d.ID+"/trade_ins", 200, &trades)
		path := "/v2-preview/deals/" + d.ID + "/trade_ins/" + trades.Data[0].ID
		var trade struct{ Allowance, Payoff, Equity rest.Money }
		s.Test.Patch(path, map[string]any{"payoff": previewMoney(12000)}, 200, &trade)
		assert.Equal(t, trade.Allowance, dollars(30000))
		assert.Equal(t, trade.Equity, dollars(18000))
		s.Test.Patch(path, `{"stock_in": true}`, 400, nil).WantDetail(t, "make", "required")
		s.Test.With("If-Match", `"1"`).Patch(path, `{"description": "A Whaler"}`, 409, nil)

		body["line_items"] = []any{map[string]any{"kind": "fee", "amount": map[string]any{"amount": -1, "currency": "USD"}}}
		f := s.Test.Post("/v2-preview/deals", body, 422, nil).Fault(t)
		f.WantDetail(t, "line_items[0].amount.amount", "minimum")
	})
}
