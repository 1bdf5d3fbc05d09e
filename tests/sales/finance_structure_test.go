package sales

import (
	"testing"

	"slipway/internal/deals"
	"slipway/internal/finance"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

func TestStructures(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Deal(map[string]any{"offer_usd": 250000})
		path := "/v1/deals/" + id + "/finance_structures"
		var plain, fat finance.FinanceStructure
		s.Test.Post(path, `{"apr_percent": "7.49", "term_months": 240, "first_payment_on": "2027-01-31", "odd_days_interest": "ignored"}`, 201, &plain)
		if plain.PaymentCents != 201245 || plain.FinalPaymentCents != 201477 || plain.FinanceChargeCents != 23299032 ||
			plain.TotalOfPaymentsCents != 48299032 || plain.Selected || plain.Products == nil {
			t.Errorf("got %s; want plain.PaymentCents = 201245, plain.FinalPaymentCents = 201477, plain.FinanceChargeCents = 23299032, "+
				"plain.TotalOfPaymentsCents = 48299032, plain.Selected = false, plain.Products != nil", assert.Show(plain))
		}
		var detail finance.FinanceStructureSchedule
		s.Test.Get(path+"/"+plain.ID, 200, &detail)
		sum := int64(0)
		for _, row := range detail.Schedule {
			sum += row.PrincipalCents
		}
		assert.Len(t, detail.Schedule, 240, "schedule of", "principal")
		assert.Equal(t, sum, 25000000, "schedule of", "principal")
		assert.Equal(t, detail.Schedule[239].BalanceCents, 0, "schedule of", "principal")
		assert.Equal(t, detail.Schedule[1].DueOn, "2027-02-28", "schedule of", "principal")
		assert.Equal(t, detail.ID, plain.ID, "schedule of", "principal")
		s.Test.Post("/v1/deals/"+id+"/payments", `{"kind": "deposit", "method": "card", "amount_cents": 1000000}`, 201, nil)
		s.Test.Post("/v1/deals/"+id+"/payments", `{"kind": "down_payment", "method": "card", "amount_cents": 700000}`, 201, nil)
		s.Test.Post(path, `{"apr_percent": "0", "term_months": 1, "cash_down_cents": 2000000, "lender": "Bay Federal", `+
			`"products": [{"kind": "gap", "price_cents": 70000, "cost_cents": 30000, "financed": true}, {"kind": "key", "price_cents": 30000, "cost_cents": 0}]}`,
			201, &fat)
		assert.Equal(t, fat.AmountFinancedCents, 22070000)
		assert.Equal(t, fat.DepositCents, 1000000)
		assert.Equal(t, fat.PaymentCents, 22070000)
		assert.Equal(t, fat.FinanceChargeCents, 0)
		s.Test.Post(path+"/"+fat.ID+"/select", nil, 200, &fat)
		d := deal(s, id)
		assert.Equal(t, fat.Selected, true)
		assert.Equal(t, d.SelectedStructureID, new(fat.ID))
		assert.Equal(t, d.DealType, deals.Finance)
		assert.Equal(t, d.FundingState, "not_started")
		assert.Equal(t, d.Totals.LineItemsCents, 100000)
		assert.Equal(t, d.Totals.TotalCents, 25100000)
		assert.Equal(t, d.Totals.BackProfitCents, new(int64(70000)))
		var p page.Page[finance.FinanceStructure]
		s.As(s.Key(auth.DealsRead)).Get(path, 200, &p)
		assert.Len(t, p.Data, 2, "without finance:write")
		assert.Equal(t, p.Data[0].Selected, true, "without finance:write")
		assert.Equal(t, p.Data[1].Selected, false, "without finance:write")
		assert.Equal(t, p.Data[0].Products[0].CostCents, nil, "without finance:write")
		s.Test.Post(path+"/"+plain.ID+"/select", `{}`, 200, nil) // another one
		assert.Equal(t, deal(s, id).Totals.LineItemsCents, 0, "products")

		// A change of the deal clears the selection, and the old structures can't be selected.
		s.Test.Patch("/v1/deals/"+id, `{"line_items": [{"kind": "fee", "amount_cents": 100}]}`, 200, nil)
		assert.Equal(t, deal(s, id).SelectedStructureID, nil)
		s.Test.Post(path+"/"+plain.ID+"/select", nil, 409, nil).WantDetail(t, "deal_cents", "stale")
		assert.Equal(t, s.EventTypes(plain.ID), []string{"finance_structure.created", "finance_structure.selected"})
	})
}

func TestStructuresReject(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Deal(nil)
		path := "/v1/deals/" + id + "/finance_structures"
		f := s.Test.Post(path, `{"apr_percent": "7,49", "term_months": 481, "cash_down_cents": -1}`, 422, nil).Fault(t)
		f.WantDetail(t, "apr_percent", "pattern", "all errors together")
		f.WantDetail(t, "term_months", "maximum", "all errors together")
		f.WantDetail(t, "cash_down_cents", "minimum", "all errors together")
		s.Test.Post(path, `{"apr_percent": 7.49, "term_months": 12}`, 400, nil)
		s.Test.Post(path, `{"apr_percent": "5", "term_months": 12, "cash_down_cents": 11800000}`, 422, nil).
			WantDetail(t, "cash_down_cents", "maximum")
		var other finance.FinanceStructure
		s.Test.Post("/v1/deals/"+s.Test.Deal(nil)+"/finance_structures", `{"apr_percent": "5", "term_months": 12}`, 201, &other)
		s.Test.Post(path+"/"+other.ID+"/select", nil, 404, nil)
		s.Test.Post("/v1/deals/"+id+"/fundings", `{"lender": "Bay Federal"}`, 409, nil)
		s.Test.Post("/v1/deals/"+id+"/fundings", map[string]any{"lender": "Bay Federal", "structure_id": other.ID}, 422, nil).
			WantDetail(t, "structure_id", "not_found")
	})
}
