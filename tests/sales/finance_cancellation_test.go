package sales

import (
	"fmt"
	"testing"
	"time"

	"slipway/internal/deals"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// financed returns a delivered finance deal with a GAP product for $895, a product as a line item
// and a reserve. The lender and the buyer have paid.
func financed(s *testkit.Server, changes map[string]any) (id, payment string) {
	body := map[string]any{"deal_type": "finance", "offer_usd": 53000, "taxes": []any{}, "line_items": []any{
		map[string]any{"kind": "fee", "amount_cents": 10000, "cost_cents": 0},
		map[string]any{"kind": "product", "amount_cents": 60000, "cost_cents": 20000, "description": "Prop cover"},
	}}
	for k, v := range changes {
		body[k] = v
	}
	id = s.Test.AcceptedDeal(body)
	path := "/v1/deals/" + id
	var made struct{ ID string }
	s.Test.Post(path+"/finance_structures", `{"apr_percent": "7.49", "buy_rate_percent": "6.49", "term_months": 240,
		"products": [{"kind": "gap", "provider": "Harbor GAP", "price_cents": 89500, "cost_cents": 30000, "financed": true}]}`, 201, &made)
	s.Test.Post(path+"/finance_structures/"+made.ID+"/select", nil, 200, nil)
	s.Test.Post(path+"/fundings", `{"lender": "Bay Federal"}`, 201, &made)
	for range 6 {
		s.Test.Post(path+"/fundings/"+made.ID+"/advance", nil, 200, nil)
	}
	s.Test.SignedDocument(id, "purchase_agreement")
	s.Test.Post(path+"/advance", `{"to": "contracted"}`, 200, nil)
	s.Test.Post(path+"/payments", map[string]any{"kind": "lender_proceeds", "method": "wire", "amount_cents": deal(s, id).Totals.BalanceDueCents}, 201, &made)
	for _, to := range []string{"funded", "delivered"} {
		s.Test.Post(path+"/advance", map[string]string{"to": to}, 200, nil)
	}
	return id, made.ID
}

// The buyer cancels GAP in a later month: a refund of $895 doesn't leave a balance.
func TestCancelProducts(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newWorld(t, s, "2027-01-15T12:00:00Z")
		id, payment := financed(s, map[string]any{"hull_id": w.hull(w.east, "2027-01-01", 55000, 4000000)})
		s.Test.Post("/v1/deals/"+id+"/advance", `{"to": "closed"}`, 200, nil)
		before := deal(s, id)
		reserve := *before.Totals.BackProfitCents - 59500 - 40000
		january := "gross?table=months&date_after=2027-01-01&date_before=2027-01-31"
		row := csv(t, s.Test, january)
		s.Advance(40 * 24 * time.Hour) // February 24

		path := "/v2-preview/deals/" + id + "/adjustments"
		gap := map[string]any{"kind": "product", "position": 0, "refund": usd(89500), "chargeback": usd(59500), "payment_id": payment,
			"effective_on": "2027-02-20", "reason": "Refinanced"}
		s.Person("finance").Post(path, gap, 403, nil).WantDetail(t, "Authorization", "manager")
		var a adjustment
		s.Person("manager").Post(path, gap, 201, &a)
		assert.Equal(t, a.Kind, "product")
		assert.Equal(t, a.Amount, usd(89500))
		assert.Equal(t, *a.Back, usd(-59500))
		assert.Equal(t, *a.PaidTo, "lender")
		assert.Equal(t, *a.Description, "gap, Harbor GAP")
		assert.Equal(t, *a.EffectiveOn, "2027-02-20")
		same(t, "refund", eventTypes(s, *a.PaymentID), "payment.refunded")
		same(t, "refund in the audit log", audited(s, *a.PaymentID), "payment.refunded")
		assert.Contains(t, eventTypes(s, id), "deal.closed deal.adjusted")
		assert.Contains(t, audited(s, id), "deal.adjusted")

		d := deal(s, id)
		assert.Equal(t, d.Totals.BalanceDueCents, 0)
		assert.Equal(t, d.Totals.CanceledCents, 89500)
		assert.Equal(t, d.Totals.TotalCents, before.Totals.TotalCents)
		assert.Equal(t, *d.Totals.BackProfitCents, *before.Totals.BackProfitCents-59500)

		s.Test.Post(path, gap, 409, nil).WantDetail(t, "position", "state", "only once")
		s.Test.Post(path, map[string]any{"kind": "line_item", "position": 1, "refund": usd(60000), "chargeback": usd(40000), "reason": "Sold the boat"}, 201, &a)
		assert.Equal(t, *a.PaidTo, "buyer")
		assert.Equal(t, deal(s, id).Totals.BalanceDueCents, -60000)
		s.Test.Post("/v1/deals/"+id+"/payments/"+payment+"/refund", `{"amount_cents": 60000, "reason": "Prop cover"}`, 201, nil)
		assert.Equal(t, deal(s, id).Totals.BalanceDueCents, 0)

		s.Test.Post(path, map[string]any{"kind": "reserve", "chargeback": usd(reserve - 1), "reason": "Paid early"}, 201, &a)
		assert.Equal(t, *deal(s, id).Totals.BackProfitCents, 1)
		s.Test.Post(path, map[string]any{"kind": "reserve", "chargeback": usd(2), "reason": "Again"}, 422, nil).WantDetail(t, "chargeback", "maximum")

		w.wantCSV(january, row)
		lost := fmt.Sprintf("-%d.%02d", (99500+reserve-1)/100, (99500+reserve-1)%100)
		w.wantCSV("gross?table=months&date_after=2027-02-01", grossMonths, fmt.Sprintf("2027-02,0,0.00,0.00,%s,%[1]s,0,0,0", lost))
	})
}

func TestCancelProductsRejects(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id, _ := financed(s, nil)
		path := "/v2-preview/deals/" + id + "/adjustments"
		for _, c := range []struct {
			body        map[string]any
			field, code string
		}{
			{map[string]any{"kind": "product"}, "position", "required"},
			{map[string]any{"kind": "product", "position": 1}, "position", "not_found"},
			{map[string]any{"kind": "line_item", "position": 0}, "position", "not_found"},
			{map[string]any{"kind": "product", "position": 0, "refund": usd(89501)}, "refund", "maximum"},
			{map[string]any{"kind": "product", "position": 0, "refund": usd(1), "chargeback": usd(2)}, "chargeback", "maximum"},
			{map[string]any{"kind": "product", "position": 0, "refund": usd(1), "payment_id": "pay_1"}, "payment_id", "not_found"},
			{map[string]any{"kind": "product", "position": 0, "payment_id": "pay_1"}, "refund", "minimum"},
			{map[string]any{"kind": "product", "position": 0, "effective_on": "2999-01-01"}, "effective_on", "maximum"},
			{map[string]any{"kind": "reserve", "refund": usd(1), "chargeback": usd(1)}, "refund", "exclusive"},
			{map[string]any{"kind": "reserve"}, "chargeback", "minimum"},
			{map[string]any{"kind": "cost", "position": 0}, "kind", "enum"},
		} {
			c.body["reason"] = "No"
			status := 422
			if c.code == "required" {
				status = 400
			}
			s.Test.Post(path, c.body, status, nil).WantDetail(t, c.field, c.code, c.body)
		}
		assert.Len(t, adjustmentsOf(s.Test, id), 0)

		open := s.Test.DealIn("funded", map[string]any{"line_items": []any{map[string]any{"kind": "product", "amount_cents": 1}}})
		s.Test.Post("/v2-preview/deals/"+open+"/adjustments", `{"kind": "line_item", "position": 0, "reason": "No"}`, 409, nil).WantDetail(t, "status", "state")
		assert.Equal(t, deal(s, open).Status, deals.Funded)
	})
}
