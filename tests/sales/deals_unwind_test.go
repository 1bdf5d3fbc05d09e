package sales

import (
	"strings"
	"testing"
	"time"

	"slipway/internal/deals"
	"slipway/internal/hulls"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// A financed sale of January is undone in March, after it was closed.
func TestUnwindAClosedSale(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newWorld(t, s, "2027-01-15T12:00:00Z")
		boat := w.hull(w.east, "2027-01-01", 55000, 4000000, map[string]any{"hin": "GRT40912B324"})
		id, payment := financed(s, map[string]any{"hull_id": boat, "trade_ins": []any{map[string]any{
			"make": "Boston Whaler", "model": "Montauk", "year": 2016, "length_ft": 17, "allowance_cents": 1000000, "acv_cents": 900000, "stock_in": true,
		}}})
		path := "/v1/deals/" + id
		s.Test.Post(path+"/advance", `{"to": "closed"}`, 200, nil)
		before := deal(s, id)
		january := "gross?table=months&date_after=2027-01-01&date_before=2027-01-31"
		row := csv(t, s.Test, january)
		assert.Contains(t, row, "2027-01,1,53000.00,")

		s.Advance(60 * 24 * time.Hour) // March 16
		body := map[string]any{"reason": "Title problem", "hull_status": "available"}
		unwind := "/v2-preview/deals/" + id + "/unwind"
		s.Test.Post(unwind, body, 400, nil).WantDetail(t, "payments", "required")
		body["payments"] = []any{map[string]any{"payment_id": payment, "outcome": "reversal"}, map[string]any{"payment_id": payment, "outcome": "keep"}}
		s.Test.Post(unwind, body, 422, nil).WantDetail(t, "payments[1].payment_id", "not_found")
		body["payments"] = []any{map[string]any{"payment_id": payment, "outcome": "reversal"}}
		s.Person("finance").Post(unwind, body, 403, nil).WantDetail(t, "Authorization", "manager")
		assert.Equal(t, deal(s, id).Version, before.Version, "nothing changed")

		s.Person("manager").Post(unwind, body, 200, nil)
		d := deal(s, id)
		assert.Equal(t, d.Status, deals.Cancelled)
		assert.Equal(t, *d.CancelReason, "Title problem")
		assert.Equal(t, d.UnwoundAt != nil, true)
		assert.Equal(t, d.Totals.PaidCents, 0)
		assert.Equal(t, d.Totals.BalanceDueCents, 0)
		assert.Equal(t, *d.Totals.FrontProfitCents, 0)
		assert.Equal(t, *d.Totals.BackProfitCents, 0)
		assert.Equal(t, d.Warnings[0].Code, deals.TradeInStocked)
		assert.Equal(t, string(d.FundingState), "charged_back")
		same(t, "documents", documentStatus(s, id, "purchase_agreement"), "voided")
		assert.Contains(t, eventTypes(s, id), "deal.unwound")
		assert.Contains(t, audited(s, id), "deal.unwound")
		reversal := testkit.Rows[string](s, `SELECT id FROM payments WHERE refunds_payment_id = ? AND type = 'reversal'`, payment)[0]
		same(t, "reversal", eventTypes(s, reversal), "payment.reversed")
		same(t, "reversal in the audit log", audited(s, reversal), "payment.reversed")
		funding := testkit.Rows[string](s, `SELECT id FROM fundings WHERE deal_id = ?`, id)[0]
		assert.Equal(t, strings.HasSuffix(eventTypes(s, funding), " funding.updated"), true)

		h := hull(s, boat)
		assert.Equal(t, h.Status, hulls.Available)
		assert.Equal(t, h.Condition, hulls.Condition("used"))
		assert.Equal(t, h.SoldAt, nil)
		assert.Equal(t, *h.ReceivedOn, "2027-03-16")
		assert.Contains(t, eventTypes(s, boat), "hull.status_changed")

		var kinds []string
		for _, a := range adjustmentsOf(s.Test, id) {
			kinds = append(kinds, a.Kind)
		}
		assert.Equal(t, strings.Join(kinds, " "), "unwind line_item product")
		tasks := testkit.Rows[int64](s, `SELECT COUNT(*) FROM activities WHERE object_id = ?`, id)[0]
		assert.Equal(t, tasks > 0, true, "a manager has a task about the trade-in")

		w.wantCSV(january, row)
		sold := strings.Split(strings.Split(row, "\n")[1], ",")
		w.wantCSV("gross?table=months&date_after=2027-03-01", grossMonths, "2027-03,0,-53000.00,-"+strings.Join(sold[3:6], ",-")+",0,0,1")

		again := s.Test.AcceptedDeal(map[string]any{"hull_id": boat, "offer_usd": 50000})
		assert.Equal(t, deal(s, again).Status, deals.Accepted, "the boat can be sold again")
		s.Test.Post(unwind, body, 409, nil).WantDetail(t, "status", "state")
	})
}

// A cash sale is undone before the delivery. The dealership refunds a part and keeps the rest.
func TestUnwindBeforeTheDelivery(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.DealIn("funded", map[string]any{"offer_usd": 50000, "taxes": []any{}})
		payment := testkit.Rows[string](s, `SELECT id FROM payments WHERE deal_id = ?`, id)[0]
		s.Test.Post("/v2-preview/deals/"+id+"/unwind", map[string]any{"reason": "Changed their mind", "hull_status": "not_for_sale",
			"payments": []any{map[string]any{"payment_id": payment, "outcome": "refund", "amount": usd(4900000)}}}, 200, nil)
		d := deal(s, id)
		assert.Equal(t, d.Totals.PaidCents, 100000)
		h := hull(s, d.HullID)
		assert.Equal(t, h.Status, hulls.NotForSale)
		assert.Equal(t, h.Condition, hulls.Condition("new"), "it was not titled")
		all := adjustmentsOf(s.Test, id)
		assert.Len(t, all, 1)
		assert.Equal(t, all[0].Kind, "forfeit")
		assert.Equal(t, all[0].Amount, usd(100000))
		refund := testkit.Rows[string](s, `SELECT id FROM payments WHERE refunds_payment_id = ?`, payment)[0]
		same(t, "refund", eventTypes(s, refund), "payment.refunded")
		same(t, "refund in the audit log", audited(s, refund), "payment.refunded")

		contracted := s.Test.DealIn("contracted", nil)
		s.Test.Post("/v2-preview/deals/"+contracted+"/unwind", `{"reason": "No", "hull_status": "available"}`, 409, nil).WantDetail(t, "status", "state")
		s.Test.Post("/v2-preview/deals/"+contracted+"/unwind", `{"reason": "No", "hull_status": "sold"}`, 422, nil).WantDetail(t, "hull_status", "enum")
	})
}
