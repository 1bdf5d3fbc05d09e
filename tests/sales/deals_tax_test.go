package sales

import (
	"testing"

	"slipway/internal/dealership"
	"slipway/internal/deals"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/money"
)

const floridaTaxes = `[{"name": "Florida sales tax", "rate_percent": "6", "cap_cents": 1800000},
	{"name": "Pinellas surtax", "rate_percent": "1", "base_cap_cents": 500000}]`

// New deals have the taxes of the boat's location, then those of the dealership.
func TestTaxesOfALocation(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var miami, dover, other dealership.Location
		s.Test.Post("/v1/locations", `{"name": "Miami", "trade_tax_credit": true, "default_taxes": `+floridaTaxes+`}`, 201, &miami)
		s.Test.Post("/v1/locations", `{"name": "Dover", "default_taxes": []}`, 201, &dover)
		s.Test.Post("/v1/locations", `{"name": "Annapolis"}`, 201, &other)
		s.Test.Patch("/v1/dealership", `{"settings": {"default_taxes": [{"name": "Excise", "rate_percent": "5", "cap_cents": 1610000}]}}`, 200, nil)
		assert.Equal(t, (*miami.DefaultTaxes)[0].Base, "deal")
		assert.Equal(t, miami.TradeTaxCredit, new(true))
		assert.Equal(t, dover.DefaultTaxes, &dealership.TaxRules{})
		assert.Equal(t, other.DefaultTaxes, nil)

		open := func(location string, changes map[string]any) (d deals.Deal) {
			t.Helper()
			body := s.Test.DealBody(map[string]any{"hull_id": s.Test.Hull(location, nil), "offer_usd": 400000,
				"trade_ins": []any{map[string]any{"allowance_cents": 15000000}}})
			for name, value := range changes {
				body[name] = value
			}
			s.Test.Post("/v1/deals", body, 201, &d)
			assert.Equal(t, deal(s, d.ID).Totals, d.Totals, "read again")
			return d
		}
		d := open(miami.ID, nil)
		assert.Equal(t, d.Totals.TaxCents, 1500000+5000)
		assert.Equal(t, d.Taxes[1].AmountCents, 5000)
		assert.Equal(t, d.TradeTaxCredit, true)
		assert.Equal(t, d.TaxRatePercent, nil)
		assert.Len(t, open(dover.ID, nil).Taxes, 0)
		d = open(other.ID, nil)
		assert.Equal(t, d.Totals.TaxCents, 1610000)
		assert.Equal(t, d.TradeTaxCredit, false)

		// A request can say otherwise, in both forms.
		d = open(miami.ID, map[string]any{"tax_rate_percent": "2", "trade_tax_credit": false})
		assert.Equal(t, d.Totals.TaxCents, 800000)
		assert.Equal(t, d.TaxRatePercent, new(money.Percent("2")))
		assert.Equal(t, d.Taxes, []deals.DealTax{{Name: "Sales tax", RatePercent: "2", Base: "deal", AmountCents: 800000}})
		d = open(miami.ID, map[string]any{"taxes": []any{map[string]any{"name": "Use tax", "rate_percent": "1", "amount_cents": 7}}})
		assert.Equal(t, d.Totals.TaxCents, 250000, "client amounts are ignored")

		// Wholesale deals are exempt, unless the request has taxes.
		d = open(miami.ID, map[string]any{"sale_type": "wholesale"})
		assert.Equal(t, d.Totals.TaxCents, 0)
		assert.Equal(t, d.Taxes[0].ExemptReason, new("Sale for resale"))
		d = deals.Deal{}
		s.Test.Patch("/v1/deals/"+open(miami.ID, nil).ID, `{"sale_type": "wholesale"}`, 200, &d)
		assert.Equal(t, d.Totals.TaxCents, 0)
		id := d.ID
		d = deals.Deal{}
		s.Test.Patch("/v1/deals/"+id, `{"sale_type": "retail"}`, 200, &d)
		assert.Equal(t, d.Totals.TaxCents, 1505000)
		assert.Equal(t, d.Taxes[0].ExemptReason, nil)
		assert.Equal(t, open(miami.ID, map[string]any{"sale_type": "wholesale", "tax_rate_percent": "1"}).Totals.TaxCents, 250000)

		var cleared dealership.Location
		s.Test.Patch("/v1/locations/"+miami.ID, `{"default_taxes": null, "trade_tax_credit": null}`, 200, &cleared)
		assert.Equal(t, cleared.DefaultTaxes, nil)
		assert.Equal(t, open(miami.ID, nil).Taxes[0].Name, "Excise")
	})
}

// The settings decide which kinds of line items are taxable, and each line item
// shows the result.
func TestTaxableLines(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Deal(map[string]any{"offer_usd": 100000, "tax_rate_percent": "10"})
		lines := `{"line_items": [{"kind": "fee", "amount_cents": 10000, "cost_cents": 0}, {"kind": "product", "amount_cents": 20000, "cost_cents": 0},
			{"kind": "accessory", "amount_cents": 40000, "cost_cents": 0}, {"kind": "discount", "amount_cents": 80000},
			{"kind": "rebate", "amount_cents": 160000}, {"kind": "fee", "amount_cents": 320000, "cost_cents": 0, "taxable": true}]}`
		shown := func() (shown []bool) {
			t.Helper()
			var d deals.Deal
			s.Test.Patch("/v1/deals/"+id, lines, 200, &d)
			base := int64(10000000)
			for _, l := range d.LineItems {
				shown = append(shown, *l.Taxable)
				if *l.Taxable {
					base += l.SignedCents()
				}
			}
			assert.Equal(t, d.Totals.TaxCents, base/10)
			assert.Equal(t, d.Totals.LineItemsCents, 10000+20000+40000-80000-160000+320000)
			return shown
		}
		assert.Equal(t, shown(), []bool{false, false, true, true, false, true}, "defaults")
		s.Test.Patch("/v1/dealership", `{"settings": {"taxable_lines": {"fee": true, "discount": false, "rebate": true}}}`, 200, nil)
		assert.Equal(t, shown(), []bool{true, false, true, false, true, true}, "settings")
	})
}

// A rebate lowers what the buyer pays, but not the profit.
func TestRebateIsNotADiscount(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		profit := func(kind string) (total, front int64) {
			id := s.Test.Deal(map[string]any{"line_items": []any{map[string]any{"kind": kind, "amount_cents": 250000}}})
			s.Test.Put("/v1/hulls/"+deal(s, id).HullID+"/pricing", `{"price_usd": 124900, "cost": {"invoice_cents": 9000000}}`, 200, nil)
			d := deal(s, id)
			return d.Totals.TotalCents, *d.Totals.FrontProfitCents
		}
		total, front := profit("rebate")
		assert.Equal(t, total, 11550000)
		assert.Equal(t, front, 2800000)
		total, front = profit("discount")
		assert.Equal(t, total, 11550000)
		assert.Equal(t, front, 2550000)
		s.Test.Patch("/v1/deals/"+s.Test.Deal(nil), `{"line_items": [{"kind": "rebate", "amount_cents": 1, "cost_cents": 1}]}`, 422, nil).
			WantDetail(t, "line_items[0].cost_cents", "exclusive")
	})
}

func TestInvalidTaxes(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Deal(nil)
		for body, field := range map[string]string{
			`{"taxes": [{"name": "A", "rate_percent": "6,5"}]}`:                          "taxes[0].rate_percent",
			`{"taxes": [{"name": "", "rate_percent": "6"}]}`:                             "taxes[0].name",
			`{"taxes": [{"name": "A", "rate_percent": "6", "base": "boat"}]}`:            "taxes[0].base",
			`{"taxes": [{"name": "A", "rate_percent": "6", "cap_cents": -1}]}`:           "taxes[0].cap_cents",
			`{"taxes": [{"name": "A", "rate_percent": "6"}], "tax_rate_percent": "6"}`:   "tax_rate_percent",
			`{"taxes": [{"name": "A", "rate_percent": "6", "base_cap_cents": "a lot"}]}`: "taxes[0].base_cap_cents",
		} {
			res, err := s.Test.Send("PATCH", "/v1/deals/"+id, body)
			if err != nil || res.StatusCode != 422 && res.StatusCode != 400 {
				t.Fatalf("%s: got %v, %d", body, err, res.StatusCode)
			}
			assert.Equal(t, res.Fault(t).Details[0].Field, field, body)
		}
		s.Test.Patch("/v1/dealership", `{"settings": {"default_taxes": [{"name": "A", "rate_percent": "x"}]}}`, 422, nil).
			WantDetail(t, "settings.default_taxes[0].rate_percent", "pattern")
		s.Test.Post("/v1/locations", `{"name": "A", "default_taxes": [{"name": "A", "rate_percent": "x"}]}`, 422, nil).
			WantDetail(t, "default_taxes[0].rate_percent", "pattern")
		both := s.Test.DealBody(map[string]any{"tax_rate_percent": "6", "taxes": []any{}})
		s.Test.Post("/v1/deals", both, 422, nil).WantDetail(t, "tax_rate_percent", "exclusive")
	})
}
