package sales

import (
	"net/http"
	"testing"

	"slipway/internal/deals"
	"slipway/internal/finance"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

// structured creates an accepted deal with a selected structure.
func structured(s *testkit.Server) string {
	id := s.Test.AcceptedDeal(map[string]any{"deal_type": "finance"})
	var st finance.FinanceStructure
	s.Test.Post("/v1/deals/"+id+"/finance_structures", `{"apr_percent": "7.49", "term_months": 240, "cash_down_cents": 1800000}`, 201, &st)
	s.Test.Post("/v1/deals/"+id+"/finance_structures/"+st.ID+"/select", nil, 200, nil)
	return id
}

// A deal with several lenders, until one of them pays. The deal always has the right funding state.
func TestWholeFinancedDeal(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := structured(s)
		path := "/v1/deals/" + id
		assert.Equal(t, deal(s, id).FundingState, "not_started", "state")
		var bay, sea finance.Funding
		s.Test.Post(path+"/fundings", `{"lender": "Bay Federal", "reference": "APP-1"}`, 201, &bay)
		s.Test.Post(path+"/fundings", `{"lender": "Seacoast"}`, 201, &sea)
		assert.Equal(t, bay.Status, finance.Submitted)
		assert.Equal(t, bay.RequestedCents, 10000000)
		assert.Equal(t, bay.AmountCents, 10000000)
		assert.Len(t, bay.Stipulations, 0)
		step := func(f finance.Funding, body any, want int) (after finance.Funding) {
			t.Helper()
			res := s.Test.Post(path+"/fundings/"+f.ID+"/advance", body, want, nil)
			s.Test.Get(path+"/fundings/"+f.ID, 200, &after)
			if got := deal(s, id); want == 200 && f.ID == bay.ID && string(got.FundingState) != string(after.Status) {
				t.Errorf("got funding_state %s of the deal, want %s as the funding: %s", got.FundingState, after.Status, res.Bytes)
			}
			return after
		}
		step(sea, `{"to": "countered", "decision": {"amount_cents": 9000000, "apr_percent": "8.25"}}`, 200)
		if f := step(bay, `{"to": "conditional", "decision": {"apr_percent": "7.49", "term_months": 240, "conditions": "Proof of income"}}`,
			200); *f.Decision.TermMonths != 240 || f.Decision.Tier != nil {
			t.Errorf("got %s; want f.Decision.TermMonths = 240, f.Decision.Tier = nil", assert.Show(f.Decision))
		}
		var income, survey finance.Stipulation
		s.Test.Post(path+"/fundings/"+bay.ID+"/stipulations", `{"kind": "proof_of_income", "description": "Two years"}`, 201, &income)
		s.Test.Post(path+"/fundings/"+bay.ID+"/stipulations", `{"kind": "survey"}`, 201, &survey)
		step(bay, nil, 200) // contract_sent
		step(sea, `{"to": "approved"}`, 200)
		s.Test.Post(path+"/fundings/"+sea.ID+"/advance", `{"to": "contract_sent"}`, 409, nil).WantDetail(t, "to", "state", "two contracts")
		step(sea, `{"to": "withdrawn", "reason": "Bay was cheaper"}`, 200)
		step(bay, `{"to": "signed"}`, 200)
		step(bay, `{"to": "funded"}`, 409)
		step(bay, nil, 200) // package_submitted
		step(bay, `{"to": "pending_docs"}`, 200)
		resolve := func(stip finance.Stipulation, status string, want int) {
			t.Helper()
			s.Test.Post(path+"/fundings/"+bay.ID+"/stipulations/"+stip.ID+"/resolve", map[string]string{"status": status, "note": "seen"}, want, nil)
		}
		resolve(income, "rejected", 200)
		resolve(survey, "waived", 200)
		step(bay, `{"to": "approved_to_fund"}`, 200)
		f := s.Test.Post(path+"/fundings/"+bay.ID+"/advance", nil, 409, nil).Fault(t)
		if !f.HasDetail("stipulations."+income.ID, "state") || f.HasDetail("stipulations."+survey.ID, "state") {
			t.Errorf("open stipulation: got %+v; want an error only for the stipulation %s", f, income.ID)
		}
		resolve(income, "accepted", 200)
		resolve(income, "rejected", 409)

		s.Test.Post(path+"/advance", `{"to": "contracted"}`, 409, nil).WantDetail(t, "signed_agreement_id", "state")
		s.Test.SignedDocument(id, "purchase_agreement")
		s.Test.Post(path+"/advance", `{"to": "contracted"}`, 200, nil)
		s.Test.Post(path+"/advance", nil, 409, nil).WantDetail(t, "funding_state", "state")
		after := step(bay, `{"to": "funded", "amount_cents": 9990000, "reference": "WIRE-7", "funded_at": "2026-01-02T03:04:05Z"}`, 200)
		assert.Equal(t, after.DifferenceCents, -10000)
		assert.Equal(t, after.Reference, new("WIRE-7"))
		assert.Equal(t, after.FundedAt.Year(), 2026)
		assert.Len(t, after.Stipulations, 2)
		s.Test.Post(path+"/fundings/"+bay.ID+"/stipulations", `{"kind": "other"}`, 409, nil)
		s.Test.Post(path+"/cancel", `{"reason": "no"}`, 409, nil).WantDetail(t, "funding_state", "state", "cancel with the lender's money")
		s.Test.Post(path+"/advance", nil, 200, nil)
		assert.Equal(t, deal(s, id).Status, deals.Funded, "status")
		s.Test.Post(path+"/payments", `{"kind": "lender_proceeds", "method": "financing", "amount_cents": 9990000}`, 201, nil)
		assert.Equal(t, deal(s, id).Totals.BalanceDueCents, 11800000-9990000, "balance")
		step(bay, nil, 409)
		step(bay, `{"to": "charged_back", "reason": "Fraud"}`, 200)
		var p page.Page[finance.Funding]
		s.Test.Get(path+"/fundings", 200, &p)
		assert.Len(t, p.Data, 2)
		assert.Equal(t, p.Data[0].Status, finance.Withdrawn)
		assert.Len(t, p.Data[1].Stipulations, 2)
		assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM {emitted} WHERE type = 'deal.funded'`)[0], 1, "funded", "times")
		s.Test.With("If-Match", `"1"`).Post(path+"/fundings/"+bay.ID+"/advance", nil, 409, nil)
	})
}

// Only one lender can have the contract, even with simultaneous requests. A
// cancelled deal has none.
func TestOneContract(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		const lenders = 10
		id := structured(s)
		path := "/v1/deals/" + id + "/fundings"
		var ids []string
		for range lenders {
			var f finance.Funding
			s.Test.Post(path, `{"lender": "Bay Federal"}`, 201, &f)
			s.Test.Post(path+"/"+f.ID+"/advance", `{"to": "approved"}`, 200, nil)
			ids = append(ids, f.ID)
		}

		counts := testkit.Concurrently(t, lenders, func(i int) (*testkit.Response, error) {
			return s.Test.Send(http.MethodPost, path+"/"+ids[i]+"/advance", `{"to": "contract_sent"}`)
		})
		assert.Equal(t, counts[200], 1)
		assert.Equal(t, counts[409], lenders-1)
		if _, err := testkit.TryExec(s, `UPDATE fundings SET status = 'signed' WHERE deal_id = ?`, id); err == nil {
			t.Error("the index allowed a second contract")
		}

		s.Test.Post("/v1/deals/"+id+"/cancel", `{"reason": "no"}`, 200, nil)
		var p page.Page[finance.Funding]
		s.Test.Get(path, 200, &p)
		for _, f := range p.Data {
			assert.Equal(t, f.Status, finance.Withdrawn, "funding of a cancelled deal")
		}
		assert.Equal(t, deal(s, id).FundingState, "withdrawn", "state")
		s.Test.Post(path+"/"+ids[0]+"/advance", `{"to": "approved"}`, 409, nil)
		s.Test.Post(path, `{"lender": "Bay Federal"}`, 409, nil)
	})
}

// A finance deal can become a cash deal.
func TestFinanceTurnsToCash(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := structured(s)
		path := "/v1/deals/" + id
		var f finance.Funding
		s.Test.Post(path+"/fundings", `{"lender": "Bay Federal"}`, 201, &f)
		var d deals.Deal
		s.Test.Patch(path, `{"deal_type": "cash"}`, 200, &d)
		assert.Equal(t, d.DealType, deals.Cash)
		assert.Equal(t, d.SelectedStructureID, nil)
		assert.Equal(t, d.FundingState, "submitted")
		s.Test.Post(path+"/fundings/"+f.ID+"/advance", `{"to": "withdrawn"}`, 200, nil)
		if d := deal(s, id); d.DealType != deals.Cash || d.FundingState != "withdrawn" {
			t.Errorf(`got %s; want d.DealType = deals.Cash, d.FundingState = "withdrawn"`, assert.Show(d))
		}
	})
}

func TestFundingsReject(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := structured(s)
		path := "/v1/deals/" + id + "/fundings"
		var f finance.Funding
		s.Test.Post(path, `{"lender": "Bay Federal"}`, 201, &f)
		bad := s.Test.Post(path+"/"+f.ID+"/advance",
			`{"to": "approved", "amount_cents": 1, "funded_at": "2200-01-01T00:00:00Z", "decision": {"apr_percent": "x"}}`, 422, nil).Fault(t)
		bad.WantDetail(t, "amount_cents", "exclusive")
		bad.WantDetail(t, "funded_at", "maximum")
		bad.WantDetail(t, "decision.apr_percent", "pattern")
		s.Test.Post(path+"/"+f.ID+"/advance", `{"to": "lost"}`, 422, nil)
		s.Test.Post(path+"/"+f.ID+"/stipulations", `{"kind": "blood"}`, 422, nil)
		s.Test.Post(path+"/"+f.ID+"/stipulations/stip_00000000000000000000000000/resolve", `{"status": "waived"}`, 404, nil)
		s.Test.Post(path+"/fund_00000000000000000000000000/advance", `{"to": "approved"}`, 404, nil)
		s.Test.Post(path+"/"+f.ID+"/advance", `{"to": "declined", "reason": "Score"}`, 200, nil)
		s.Test.Post(path+"/"+f.ID+"/stipulations", `{"kind": "survey"}`, 409, nil)
		assert.Equal(t, s.EventTypes(f.ID), []string{"funding.submitted", "funding.updated"})
	})
}
