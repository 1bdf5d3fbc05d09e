package sales

import (
	"testing"

	"slipway/internal/deals"
	"slipway/internal/finance"
	"slipway/internal/hulls"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// countered returns a contracted deal at 7.49 % whose lender approves only 7.99 %.
func countered(t *testing.T, s *testkit.Server) (id, advance string) {
	id = structured(s)
	path := "/v1/deals/" + id
	s.Test.SignedDocument(id, "purchase_agreement")
	s.Test.SignedDocument(id, "retail_installment_contract")
	s.Test.Post(path+"/advance", `{"to": "contracted"}`, 200, nil)
	var f finance.Funding
	s.Test.Post(path+"/fundings", `{"lender": "Bay Federal"}`, 201, &f)
	advance = path + "/fundings/" + f.ID + "/advance"
	s.Test.Post(path+"/finance_structures", `{"apr_percent": "7.99", "term_months": 240, "cash_down_cents": 1800000}`, 409, nil).
		WantDetail(t, "status", "state", "before the lender decides")
	s.Test.Post(advance, `{"to": "countered", "decision": {"apr_percent": "7.99"}}`, 200, nil)
	s.Test.Post(advance, `{"to": "approved"}`, 200, nil)
	s.Test.Post(advance, `{"to": "contract_sent"}`, 409, nil)
	return id, advance
}

// A lender counters after the contract. The rate changes and the total doesn't, so the deal
// stays contracted.
func TestLenderCountersAfterTheContract(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id, advance := countered(t, s)
		path := "/v1/deals/" + id
		agreement := *deal(s, id).SignedAgreementID
		sales := s.Person("sales")
		var st struct{ ID string }
		sales.Post(path+"/finance_structures", `{"apr_percent": "7.99", "term_months": 240, "cash_down_cents": 1800000}`, 201, &st)
		sales.Patch(path, `{"line_items": []}`, 409, nil).WantDetail(t, "status", "state", "lines stay fixed")
		sales.Post(path+"/trade_ins", `{"allowance_cents": 1}`, 409, nil)
		sales.Post(path+"/finance_structures/"+st.ID+"/select", nil, 200, nil)

		d := deal(s, id)
		assert.Equal(t, d.Status, deals.Contracted)
		assert.Equal(t, *d.SelectedStructureID, st.ID)
		assert.Equal(t, *d.SignedAgreementID, agreement)
		assert.Equal(t, d.Rev, 1)
		same(t, "contract at the old rate", documentStatus(s, id, "retail_installment_contract"), "voided")
		same(t, "agreement", documentStatus(s, id, "purchase_agreement"), "signed")
		same(t, "events", eventTypes(s, st.ID), "finance_structure.created finance_structure.selected")
		same(t, "audit", audited(s, st.ID), "finance_structure.created finance_structure.selected")

		s.Test.Post(advance, `{"to": "contract_sent"}`, 200, nil)
		s.Test.Post(path+"/finance_structures", `{"apr_percent": "7.49", "term_months": 240}`, 409, nil).WantDetail(t, "status", "state", "terms agree")
	})
}

// The lender's terms need other products, which changes the total. A manager selects them, and
// everyone signs again.
func TestCounterThatChangesTheTotal(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id, advance := countered(t, s)
		path := "/v1/deals/" + id
		before := deal(s, id)
		same(t, "hull", hull(s, before.HullID).Status, hulls.Sold)
		var st struct{ ID string }
		s.Test.Post(path+"/finance_structures", `{"apr_percent": "7.99", "term_months": 240, "cash_down_cents": 1800000,
			"products": [{"kind": "gap", "price_cents": 89500, "cost_cents": 20000}]}`, 201, &st)
		choose := path + "/finance_structures/" + st.ID + "/select"
		s.Person("sales").Post(choose, nil, 403, nil).WantDetail(t, "structure_id", "forbidden")
		assert.Equal(t, deal(s, id).Version, before.Version, "nothing changed")

		s.Person("manager").Post(choose, nil, 200, nil)
		d := deal(s, id)
		assert.Equal(t, d.Status, deals.Accepted)
		assert.Equal(t, d.ContractedAt, nil)
		assert.Equal(t, d.SignedAgreementID, nil)
		assert.Equal(t, d.Rev, 2)
		assert.Equal(t, d.Totals.TotalCents, before.Totals.TotalCents+89500)
		same(t, "hull", hull(s, d.HullID).Status, hulls.SalePending)
		same(t, "agreement", documentStatus(s, id, "purchase_agreement"), "voided")
		assert.Contains(t, eventTypes(s, id), "deal.contracted deal.reopened")
		assert.Contains(t, audited(s, id), "deal.reopened")

		s.Test.SignedDocument(id, "purchase_agreement")
		s.Test.Post(path+"/advance", `{"to": "contracted"}`, 200, nil)
		s.Test.Post(advance, `{"to": "contract_sent"}`, 200, nil)
		same(t, "hull", hull(s, d.HullID).Status, hulls.Sold)
	})
}

// documentStatus returns the status of the newest document of a kind.
func documentStatus(s *testkit.Server, dealID, kind string) string {
	return testkit.Rows[string](s, `SELECT status FROM documents WHERE deal_id = ? AND kind = ? ORDER BY id DESC`, dealID, kind)[0]
}
