package sales

import (
	"testing"

	"slipway/internal/deals"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

// A desking tool sends a complete deal in one request.
func TestDeskADealInOneRequest(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		terms := func() map[string]any {
			return map[string]any{
				"offer_usd": 100000, "hull_id": s.Test.Hull(loc, nil), "deal_type": "finance", "tax_rate_percent": "6", "trade_tax_credit": true,
				"line_items": []map[string]any{{"kind": "fee", "amount_cents": 49900, "cost_cents": 0, "taxable": true}},
				"trade_ins": []map[string]any{
					{"make": "Sea Ray", "allowance_cents": 2000000, "payoff_cents": 500000, "acv_cents": 1900000},
					{"make": "Mako", "allowance_cents": 300000, "acv_cents": 300000},
				},
			}
		}
		check := func(d deals.Deal) {
			t.Helper()
			assert.Equal(t, d.DealType, deals.Finance)
			assert.Len(t, d.LineItems, 1)
			assert.Equal(t, d.Totals.TaxCents, (10000000+49900-2300000)*6/100)
			assert.Equal(t, d.Totals.TradeEquityCents, 1800000)
			assert.Equal(t, d.Totals.TotalCents, 10000000+49900+464994-1800000)
			var p page.Page[deals.TradeIn]
			s.Test.Get("/v1/deals/"+d.ID+"/trade_ins", 200, &p)
			assert.Len(t, p.Data, 2)
			same(t, "events", eventTypes(s, d.ID), "deal.opened deal.trade_in_added deal.trade_in_added")
			assert.Equal(t, deal(s, d.ID).Totals, d.Totals, "read again")
		}

		var created, converted deals.Deal
		body := terms()
		body["buyer_id"] = s.Test.Contact(nil)
		s.Test.Post("/v1/deals", body, 201, &created)
		check(created)
		lead := s.Test.Lead(nil)
		s.Test.Post("/v1/leads/"+lead+"/convert", terms(), 201, &converted)
		check(converted)
		assert.Equal(t, converted.LeadID, &lead)

		// All problems are reported together, and nothing is created.
		before := testkit.Rows[int64](s, `SELECT COUNT(*) FROM deals`)
		bad := terms()
		bad["buyer_id"], bad["tax_rate_percent"] = s.Test.Contact(nil), "6,5"
		bad["line_items"] = []map[string]any{{"kind": "discount", "amount_cents": 1, "cost_cents": 1}}
		bad["trade_ins"] = []map[string]any{{"allowance_cents": 1, "year": 2200}, {"allowance_cents": 1, "stock_in": true}}
		f := s.Test.Post("/v1/deals", bad, 400, nil).Fault(t)
		for field, code := range map[string]string{
			"tax_rate_percent": "pattern", "line_items[0].cost_cents": "exclusive", "trade_ins[0].year": "maximum", "trade_ins[1].make": "required",
		} {
			f.WantDetail(t, field, code)
		}
		delete(bad, "buyer_id")
		f = s.Test.Post("/v1/leads/"+s.Test.Lead(nil)+"/convert", bad, 400, nil).Fault(t)
		f.WantDetail(t, "trade_ins[0].year", "maximum")
		assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM deals`), before)
	})
}

// The dealer answers the buyer's offer with a higher one, and then the first offer
// is accepted behind the dealer's back.
func TestAcceptAnAnsweredOffer(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Deal(nil)
		path, opening := "/v1/deals/"+id+"/offers", s.Test.OpeningOffer(id)
		s.Test.Post(path, map[string]any{"amount_usd": 125000, "made_by": "dealer", "in_reply_to": opening}, 201, nil)
		s.Test.Post(path+"/"+opening+"/accept", nil, 409, nil).WantDetail(t, "status", "state")
		var o deals.Offer
		s.Test.Get(path+"/"+opening, 200, &o)
		assert.Equal(t, o.Status, deals.Superseded)
		assert.Equal(t, deal(s, id).Status, deals.Open)

		// An offer that was not answered stays open.
		other := s.Test.Deal(nil)
		s.Test.Post("/v1/deals/"+other+"/offers", `{"amount_usd": 125000, "made_by": "dealer"}`, 201, nil)
		accept(s, other, 200)
	})
}

// A salesperson accepts an offer below the floor, or lowers the price with a
// discount. The floor must not be revealed.
func TestSellBelowTheFloor(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		boat := func() string {
			id := s.Test.Hull(loc, nil)
			s.Test.Put("/v1/hulls/"+id+"/pricing", `{"price_usd": 124900, "floor_usd": 117342}`, 200, nil)
			return id
		}
		sales := s.As(s.Key(auth.DealsRead, auth.DealsWrite, auth.HullsRead))
		path := func(id string) string { return "/v1/deals/" + id + "/offers/" + s.Test.OpeningOffer(id) + "/accept" }

		low := s.Test.Deal(map[string]any{"hull_id": boat(), "offer_usd": 117341})
		res := sales.Post(path(low), nil, 403, nil)
		res.WantDetail(t, "amount_usd", "below_floor")
		for _, floor := range []string{"117342", "117,342"} {
			assert.Excludes(t, res.Bytes, floor)
		}
		assert.Equal(t, deal(s, low).Status, deals.Open)
		s.Person("sales").Post(path(low), nil, 403, nil).WantDetail(t, "amount_usd", "below_floor")
		s.Test.Post(path(low), nil, 200, nil)

		exact := s.Test.Deal(map[string]any{"hull_id": boat(), "offer_usd": 117342})
		sales.Post(path(exact), nil, 200, nil)
		discount := `{"line_items": [{"kind": "discount", "amount_cents": 100000}]}`
		sales.Patch("/v1/deals/"+exact, discount, 403, nil).WantDetail(t, "amount_usd", "below_floor", "after the acceptance")
		s.Test.Patch("/v1/deals/"+exact, discount, 200, nil)

		hidden := s.Test.Deal(map[string]any{"hull_id": boat(), "offer_usd": 118000,
			"line_items": []map[string]any{{"kind": "discount", "amount_cents": 100000}}})
		sales.Post(path(hidden), nil, 403, nil).WantDetail(t, "amount_usd", "below_floor", "before the acceptance")
		sales.Post(path(s.Test.Deal(nil)), nil, 200, nil) // no floor

		trade := func(allowance, acv any) map[string]any {
			return map[string]any{"hull_id": boat(), "offer_usd": 124900, "trade_ins": []any{map[string]any{"allowance_cents": allowance, "acv_cents": acv}}}
		}
		over := s.Test.Deal(trade(4900000, 1000000)) // $39,000 too much
		sales.Post(path(over), nil, 403, nil).WantDetail(t, "amount_usd", "below_floor", "over-allowance")
		s.Test.Post(path(over), nil, 200, nil)
		sales.Post(path(s.Test.Deal(trade(1755800, 1000000))), nil, 200, nil) // exactly
		unknown := s.Test.Deal(trade(100, nil))
		sales.Post(path(unknown), nil, 403, nil).WantDetail(t, "trade_ins", "acv_unknown")
		s.Person("manager").Post(path(unknown), nil, 200, nil)
		under := s.Test.Deal(map[string]any{"hull_id": boat(), "offer_usd": 118000,
			"line_items": []map[string]any{{"kind": "accessory", "amount_cents": 0, "cost_cents": 65801}}})
		sales.Post(path(under), nil, 403, nil).WantDetail(t, "amount_usd", "below_floor", "accessories under cost")

		later := s.Test.Deal(map[string]any{"hull_id": boat(), "offer_usd": 118000})
		sales.Post(path(later), nil, 200, nil)
		sales.Post("/v1/deals/"+later+"/trade_ins", `{"allowance_cents": 4900000, "acv_cents": 1000000}`, 403, nil).
			WantDetail(t, "amount_usd", "below_floor", "a trade-in after the acceptance")
		sales.Post("/v1/deals/"+later+"/trade_ins", `{"allowance_cents": 4900000}`, 403, nil).WantDetail(t, "trade_ins", "acv_unknown")
		assert.Equal(t, deal(s, later).Totals.TradeEquityCents, 0)
		sales.Post("/v1/deals/"+later+"/trade_ins", `{"allowance_cents": 1000000, "acv_cents": 1000000}`, 201, nil)
	})
}

// A profit is null if one of its costs is unknown, and not too high.
func TestProfitWithUnknownCosts(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		profits := func(cost, items, trade string) (front, back bool) {
			t.Helper()
			id := s.Test.Deal(nil)
			s.Test.Put("/v1/hulls/"+deal(s, id).HullID+"/pricing", `{"price_usd": 124900, "cost": `+cost+`}`, 200, nil)
			s.Test.Patch("/v1/deals/"+id, `{"line_items": [`+items+`]}`, 200, nil)
			if trade != "" {
				s.Test.Post("/v1/deals/"+id+"/trade_ins", trade, 201, nil)
			}
			d := deal(s, id)
			return d.Totals.FrontProfitCents != nil, d.Totals.BackProfitCents != nil
		}
		const known = `{"invoice_cents": 9000000}`
		for name, c := range map[string]struct {
			cost, items, trade string
			front, back        bool
		}{
			"all known":             {known, `{"kind": "fee", "amount_cents": 1, "cost_cents": 0}`, `{"allowance_cents": 2, "acv_cents": 1}`, true, true},
			"discount":              {known, `{"kind": "discount", "amount_cents": 1}`, "", true, true},
			"hull":                  {`null`, ``, "", false, true},
			"hull, only freight":    {`{"freight_cents": 100000}`, ``, "", false, true},
			"accessory":             {known, `{"kind": "accessory", "amount_cents": 1}`, "", false, true},
			"product":               {known, `{"kind": "product", "amount_cents": 1}`, "", true, false},
			"fee on the back":       {known, `{"kind": "fee", "amount_cents": 1, "side": "back"}`, "", true, false},
			"trade-in, unappraised": {known, ``, `{"allowance_cents": 2}`, false, true},
		} {
			front, back := profits(c.cost, c.items, c.trade)
			assert.Equal(t, front, c.front, name, "front")
			assert.Equal(t, back, c.back, name, "back")
		}
	})
}

// Someone who looks for the floor with one price after the other is noticed: managers get a
// task after the third refusal, once.
func TestLookForTheFloor(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		manager := s.Person("manager")
		boat := s.Test.Hull(s.Test.Location(), nil)
		s.Test.Put("/v1/hulls/"+boat+"/pricing", `{"price_usd": 124900, "floor_usd": 117342}`, 200, nil)
		deal := s.Test.Deal(map[string]any{"hull_id": boat, "offer_usd": 100000})
		sales := s.Person("sales")
		tasks := func() int {
			var list struct{ Data []struct{ Body string } }
			s.Test.Get("/v2-preview/activities?kind=task&user_id="+manager.ID+"&object_id="+deal, 200, &list)
			return len(list.Data)
		}
		for n := range 5 {
			sales.Post("/v1/deals/"+deal+"/offers/"+s.Test.OpeningOffer(deal)+"/accept", nil, 403, nil)
			want := 0
			if n >= 2 {
				want = 1
			}
			assert.Equal(t, tasks(), want, "tasks after", n+1, "refusals")
		}

		// After the acceptance, discounts and trade-ins are counted too.
		other := s.Test.Hull(s.Test.Location(), nil)
		s.Test.Put("/v1/hulls/"+other+"/pricing", `{"price_usd": 124900, "floor_usd": 117342}`, 200, nil)
		deal = s.Test.Deal(map[string]any{"hull_id": other, "offer_usd": 120000})
		s.Test.Post("/v1/deals/"+deal+"/offers/"+s.Test.OpeningOffer(deal)+"/accept", nil, 200, nil)
		sales.Patch("/v1/deals/"+deal, `{"line_items": [{"kind": "discount", "amount_cents": 1000000}]}`, 403, nil)
		for range 2 {
			assert.Equal(t, tasks(), 0)
			sales.Post("/v1/deals/"+deal+"/trade_ins", `{"allowance_cents": 1000000, "acv_cents": 0}`, 403, nil)
		}
		assert.Equal(t, tasks(), 1)
	})
}
