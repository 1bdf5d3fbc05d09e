package sales

import (
	"testing"

	"slipway/internal/finance"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/money"
)

// A first payment far from the contract, without a decision about the interest.
func TestOddDaysWithoutADecision(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		path := "/v1/deals/" + s.Test.AcceptedDeal(map[string]any{"offer_usd": 100000}) + "/finance_structures"
		body := map[string]any{"apr_percent": "7.49", "term_months": 240, "contract_on": "2026-05-01", "first_payment_on": "2026-08-01"}
		s.Test.Post(path, body, 400, nil).WantDetail(t, "odd_days_interest", "required")
		body["odd_days_interest"] = "ignored"
		var st finance.FinanceStructure
		s.Test.Post(path, body, 201, &st)
		assert.Equal(t, st.DisclosedAPRPercent, money.Percent("7.33"))
		assert.Equal(t, st.OddDays, 61)
		assert.Equal(t, st.ContractOn, new("2026-05-01"))

		body["odd_days_interest"], body["balloon_cents"] = "charged", 4000000
		var balloon finance.FinanceStructureSchedule
		s.Test.Post(path, body, 201, &balloon)
		s.Test.Get(path+"/"+balloon.ID, 200, &balloon)
		assert.Equal(t, balloon.Schedule[0].InterestCents, 62417+125175)
		assert.Equal(t, balloon.Schedule[239].PaymentCents > 4000000, true)
		assert.Equal(t, balloon.Schedule[239].BalanceCents, 0)
	})
}

// The reserve is part of the back profit. A key without hulls:write tries to read
// it.
func TestReserveIsHiddenLikeProfit(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.AcceptedDeal(map[string]any{"offer_usd": 100000})
		path := "/v1/deals/" + id + "/finance_structures"
		office := s.As(s.Key(auth.DealsRead, auth.DealsWrite))
		var st finance.FinanceStructure
		res := office.Post(path, `{"apr_percent": "7.49", "term_months": 240, "buy_rate_percent": "6.25", "reserve_split_percent": "75"}`, 201, &st)
		assert.Excludes(t, res.Bytes, "6.25")
		assert.Excludes(t, res.Bytes, "1333050")
		assert.Excludes(t, office.Get(path+"/"+st.ID, 200, nil).Bytes, "1333050")
		assert.Excludes(t, office.Post(path+"/"+st.ID+"/select", nil, 200, nil).Bytes, "1333050")
		for _, data := range testkit.Rows[string](s, `SELECT data FROM {emitted} WHERE object_id = ?`, st.ID) {
			assert.Excludes(t, data, "6.25", "event")
		}

		var list struct{ Data []finance.FinanceStructure }
		s.Test.Get(path, 200, &list)
		assert.Equal(t, list.Data[0].ReserveCents, new(int64(1333050)))
		assert.Equal(t, list.Data[0].BuyRatePercent, new(money.Percent("6.25")))
		assert.Equal(t, deal(s, id).Totals.BackProfitCents, new(int64(1333050)), "selected by a caller who can't see it")
	})
}

// Taxable products are taxed, and the tax on financed products is financed.
func TestTaxableProducts(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.AcceptedDeal(map[string]any{"offer_usd": 100000, "tax_rate_percent": "6"})
		path := "/v1/deals/" + id
		const products = `{"apr_percent": "5", "term_months": 12, "products": [
			{"kind": "service_contract", "price_cents": 200000, "cost_cents": 0, "financed": true, "taxable": true},
			{"kind": "gap", "price_cents": 100000, "cost_cents": 0, "financed": true},
			{"kind": "key", "price_cents": 50000, "cost_cents": 0, "taxable": true}]}`
		var st finance.FinanceStructure
		s.Test.Post(path+"/finance_structures", products, 201, &st)
		assert.Equal(t, st.ProductTaxCents, 15000)
		assert.Equal(t, st.AmountFinancedCents, 10600000+300000+12000)
		assert.Equal(t, st.Products[1].Taxable, new(false))
		s.Test.Post(path+"/finance_structures/"+st.ID+"/select", nil, 200, nil)
		d := deal(s, id)
		assert.Equal(t, d.Totals.TaxCents, 615000)
		assert.Equal(t, d.Totals.TotalCents, 10000000+350000+615000)
		assert.Equal(t, d.Taxes[0].AmountCents, 615000)

		s.Test.Patch("/v1/dealership", `{"settings": {"taxable_lines": {"product": true}}}`, 200, nil)
		s.Test.Post(path+"/finance_structures", products, 201, &st)
		assert.Equal(t, st.Products[1].Taxable, new(true), "settings")
		assert.Equal(t, st.ProductTaxCents, 21000)
	})
}

// The lender counters with a higher rate, the buyer accepts it, and the contract is
// sent with the first structure.
func TestContractWithTermsThatTheLenderDidNotApprove(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := structured(s)
		path := "/v1/deals/" + id
		first := *deal(s, id).SelectedStructureID
		var f finance.Funding
		s.Test.Post(path+"/fundings", `{"lender": "Bay Federal"}`, 201, &f)
		assert.Len(t, f.DiffersFromStructure, 0)
		advance := path + "/fundings/" + f.ID + "/advance"
		s.Test.Post(advance, `{"to": "countered", "decision": {"amount_cents": 9000000, "apr_percent": "8.25", "term_months": 180}}`, 200, &f)
		assert.Equal(t, f.DiffersFromStructure, []finance.FundingDifference{
			{Field: "amount_cents", Decision: "9000000", Structure: "10000000"},
			{Field: "apr_percent", Decision: "8.25", Structure: "7.49"},
			{Field: "term_months", Decision: "180", Structure: "240"},
		})
		s.Test.Post(advance, `{"to": "approved"}`, 200, &f)
		rejected := s.Test.Post(advance, `{"to": "contract_sent"}`, 409, nil).Fault(t)
		for _, field := range []string{"amount_cents", "apr_percent", "term_months"} {
			rejected.WantDetail(t, "differs_from_structure."+field, "state")
		}

		choose := func(body string) string {
			t.Helper()
			var st struct{ ID string }
			s.Test.Post(path+"/finance_structures", body, 201, &st)
			s.Test.Post(path+"/finance_structures/"+st.ID+"/select", nil, 200, nil)
			return st.ID
		}
		choose(`{"apr_percent": "8.25", "term_months": 240, "cash_down_cents": 2800000}`)
		s.Test.Post(advance, `{"to": "contract_sent"}`, 409, nil).WantDetail(t, "differs_from_structure.term_months", "state")
		right := choose(`{"apr_percent": "8.2500", "term_months": 180, "cash_down_cents": 2800000}`)
		s.Test.Get(path+"/fundings/"+f.ID, 200, &f)
		assert.Len(t, f.DiffersFromStructure, 0)
		s.Test.Post(advance, `{"to": "contract_sent"}`, 200, &f)
		assert.Equal(t, f.StructureID, right)
		assert.Equal(t, f.RequestedCents, 9000000)

		// The contract is sent. Another structure can't replace it.
		s.Test.Post(path+"/finance_structures/"+first+"/select", nil, 409, nil)
		assert.Equal(t, *deal(s, id).SelectedStructureID, right)
		s.Test.Post(advance, nil, 200, &f)
		assert.Equal(t, f.Status, finance.Signed)
	})
}

// A lender approves what was submitted. Then a structure with another rate is
// selected.
func TestSelectAnotherRateAfterTheApproval(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := structured(s)
		path := "/v1/deals/" + id
		var f finance.Funding
		s.Test.Post(path+"/fundings", `{"lender": "Bay Federal"}`, 201, &f)
		advance := path + "/fundings/" + f.ID + "/advance"
		s.Test.Post(advance, `{"to": "approved"}`, 200, nil)
		var st struct{ ID string }
		s.Test.Post(path+"/finance_structures", `{"apr_percent": "9.99", "term_months": 240, "cash_down_cents": 1800000}`, 201, &st)
		s.Test.Post(path+"/finance_structures/"+st.ID+"/select", nil, 200, nil)
		s.Test.Post(advance, `{"to": "contract_sent"}`, 409, nil).WantDetail(t, "differs_from_structure.apr_percent", "state")
		s.Test.Patch(path, `{"line_items": [{"kind": "fee", "amount_cents": 1}]}`, 200, nil) // removes the selection
		s.Test.Post(advance, `{"to": "contract_sent"}`, 409, nil).WantDetail(t, "selected_structure_id", "state")
	})
}
