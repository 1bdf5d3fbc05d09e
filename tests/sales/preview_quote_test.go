package sales

import (
	"fmt"
	"testing"

	"slipway/internal/finance"
	"slipway/internal/platform/rest"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// quote is a quote as the preview shows it.
type quote struct {
	Deal           rest.Money
	Deposit        rest.Money
	ProductTax     rest.Money `json:"product_tax"`
	AmountFinanced rest.Money `json:"amount_financed"`
	Terms          []struct {
		TermMonths      int64      `json:"term_months"`
		Payment         rest.Money `json:"payment"`
		FirstPayment    rest.Money `json:"first_payment"`
		FinalPayment    rest.Money `json:"final_payment"`
		FinanceCharge   rest.Money `json:"finance_charge"`
		TotalOfPayments rest.Money `json:"total_of_payments"`
		DisclosedAPR    string     `json:"disclosed_apr_percent"`
	}
}

// A quote of a deal has the same amounts as a structure with the same terms.
func TestQuoteEqualsStructure(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		deal := s.Test.Deal(map[string]any{
			"tax_rate_percent": "6", "line_items": []any{map[string]any{"kind": "fee", "amount_cents": 49999, "taxable": true}},
		})
		recordPayment(s.Test, deal, payment{"deposit", "card", 500000, "2026-01-02"})
		for name, more := range map[string]string{
			"plain":        ``,
			"odd days":     `, "contract_on": "2026-12-01", "first_payment_on": "2027-01-20", "odd_days_interest": "charged"`,
			"a balloon":    `, "balloon%[1]s": %[2]s`,
			"with product": `, "products": [{"kind": "gap", "price%[1]s": %[3]s, "taxable": true, "financed": true}]`,
		} {
			write := func(suffix, balloon, price, head string) string {
				if more == "" || name == "odd days" {
					return head + more + "}"
				}
				return head + fmt.Sprintf(more+"%.0[1]s%.0[2]s%.0[3]s", suffix, balloon, price) + "}"
			}
			var q quote
			s.Test.Post("/v2-preview/finance_quotes", write("", `{"amount": 2000000, "currency": "USD"}`, `{"amount": 89900, "currency": "USD"}`,
				`{"deal_id": "`+deal+`", "cash_down": {"amount": 2500000, "currency": "USD"}, "apr_percent": "7.49", "terms": [240, 120]`), 200, &q)
			assert.Len(t, q.Terms, 2)
			for _, term := range q.Terms {
				var f finance.FinanceStructure
				s.Test.Post("/v1/deals/"+deal+"/finance_structures", write("_cents", "2000000", "89900",
					fmt.Sprintf(`{"cash_down_cents": 2500000, "apr_percent": "7.49", "term_months": %d`, term.TermMonths)), 201, &f)
				assert.Equal(t, q.Deal.Amount, f.DealCents, name)
				assert.Equal(t, q.Deposit.Amount, 500000, name)
				assert.Equal(t, q.ProductTax.Amount, f.ProductTaxCents, name)
				assert.Equal(t, q.AmountFinanced.Amount, f.AmountFinancedCents, name)
				assert.Equal(t, term.Payment.Amount, f.PaymentCents, name)
				assert.Equal(t, term.FirstPayment.Amount, f.FirstPaymentCents, name)
				assert.Equal(t, term.FinalPayment.Amount, f.FinalPaymentCents, name)
				assert.Equal(t, term.FinanceCharge.Amount, f.FinanceChargeCents, name)
				assert.Equal(t, term.TotalOfPayments.Amount, f.TotalOfPaymentsCents, name)
				assert.Equal(t, term.DisclosedAPR, string(f.DisclosedAPRPercent), name)
			}
		}
	})
}

func TestQuoteOfPrice(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		body := func(changes map[string]any) map[string]any {
			b := map[string]any{"price": previewMoney(154190), "cash_down": previewMoney(29190), "apr_percent": "7.99", "terms": []int{240}}
			for k, v := range changes {
				if b[k] = v; v == nil {
					delete(b, k)
				}
			}
			return b
		}
		var q quote
		const path = "/v2-preview/finance_quotes"
		s.Test.Post(path, body(nil), 200, &q)
		assert.Equal(t, q.AmountFinanced, dollars(125000))
		assert.Equal(t, q.Terms[0].Payment.Amount, 104477)

		s.Test.Post(path, body(map[string]any{"price": nil}), 400, nil).WantDetail(t, "price", "required")
		s.Test.Post(path, body(map[string]any{"deal_id": s.Test.Deal(nil)}), 422, nil).WantDetail(t, "price", "exclusive")
		s.Test.Post(path, body(map[string]any{"price": nil, "deal_id": s.Other.Deal(nil)}), 422, nil).WantDetail(t, "deal_id", "not_found")
		s.Test.Post(path, body(map[string]any{"terms": []int{240, 0}}), 422, nil).WantDetail(t, "terms[1]", "minimum")
		s.Test.Post(path, body(map[string]any{"terms": []int{}}), 422, nil)
		s.Test.Post(path, body(map[string]any{"cash_down": previewMoney(154190)}), 422, nil).WantDetail(t, "cash_down", "maximum")
		s.Test.Post(path, body(map[string]any{"apr_percent": "abc"}), 422, nil).WantDetail(t, "apr_percent", "pattern")
	})
}
