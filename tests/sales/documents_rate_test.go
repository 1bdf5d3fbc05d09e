package sales

import (
	"slipway/internal/testkit/pdftext"
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// Contracts print the rate of Regulation Z, and not the rate that was entered.
func TestContractPrintsTheDisclosedRate(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.AcceptedDeal(map[string]any{"offer_usd": 100000, "taxes": []any{
			map[string]any{"name": "Excise tax", "rate_percent": "5", "cap_cents": 300000},
			map[string]any{"name": "Surtax", "rate_percent": "1", "exempt_reason": "Nonresident"},
		}})
		path := "/v1/deals/" + id
		var structure struct{ ID string }
		s.Test.Post(path+"/finance_structures", `{"apr_percent": "7.49", "term_months": 240, "contract_on": "2026-05-01",
			"first_payment_on": "2026-08-01", "odd_days_interest": "ignored", "balloon_cents": 4000000}`, 201, &structure)
		s.Test.Post(path+"/finance_structures/"+structure.ID+"/select", nil, 200, nil)

		for kind, wanted := range map[string][]string{
			"retail_installment_contract": {"7.35%", "which includes a balloon payment of $40,000.00"},
			"purchase_agreement":          {"annual percentage rate of 7.35%", "Excise tax at 5%, at most $3,000.00", "Surtax, exempt: Nonresident"},
		} {
			var doc struct{ ID string }
			s.Test.Post(path+"/documents", map[string]string{"kind": kind}, 201, &doc)
			text := pdftext.Of(t, s.Test.Get(path+"/documents/"+doc.ID+"/content", 200, nil).Bytes)
			for _, want := range wanted {
				assert.Contains(t, text, want, kind)
			}
		}
	})
}
