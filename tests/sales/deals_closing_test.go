package sales

import (
	"testing"
	"time"

	"slipway/internal/deals"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// fundedFinanceDeal creates a finance deal whose lender has funded. No money was
// recorded.
func fundedFinanceDeal(s *testkit.Server) string {
	c := s.Test
	id := c.AcceptedDeal(map[string]any{"deal_type": "finance", "offer_usd": 53000})
	path := "/v1/deals/" + id
	var structure, funding struct{ ID string }
	c.Post(path+"/finance_structures", `{"apr_percent": "7.49", "term_months": 240}`, 201, &structure)
	c.Post(path+"/finance_structures/"+structure.ID+"/select", nil, 200, nil)
	c.Post(path+"/fundings", `{"lender": "Bay Federal"}`, 201, &funding)
	for range 6 {
		c.Post(path+"/fundings/"+funding.ID+"/advance", nil, 200, nil)
	}
	c.SignedDocument(id, "purchase_agreement")
	for _, to := range []string{"contracted", "funded"} {
		c.Post(path+"/advance", map[string]string{"to": to}, 200, nil)
	}
	return id
}

// A finance deal is closed with $53,000 due, and the lender's check bounces later.
func TestCloseWithoutTheMoney(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := fundedFinanceDeal(s)
		path := "/v1/deals/" + id
		var d deals.Deal
		s.Test.Post(path+"/advance", `{"to": "delivered"}`, 200, &d)
		assert.Equal(t, d.Warnings, []deals.DealWarning{{Code: "balance_due", Message: "$53,000.00 is due.", AmountCents: 5300000}})
		s.Test.Post(path+"/advance", nil, 409, nil).WantDetail(t, "totals.balance_due_cents", "state")

		var p struct{ ID, Status string }
		s.Test.Post(path+"/payments", `{"kind": "lender_proceeds", "method": "check", "amount_cents": 5300000}`, 201, &p)
		d = deals.Deal{}
		s.Test.Post(path+"/advance", nil, 200, &d)
		assert.Equal(t, d.Status, deals.Closed)
		assert.Len(t, d.Warnings, 0)
		s.Test.Post(path+"/payments", `{"kind": "balance", "method": "cash", "amount_cents": 1}`, 409, nil)

		var reversal struct {
			ID, Type         string
			RefundsPaymentID string `json:"refunds_payment_id"`
		}
		s.Test.Post(path+"/payments/"+p.ID+"/refund", `{"reversal": true, "reason": "Insufficient funds"}`, 201, &reversal)
		assert.Equal(t, reversal.Type, "reversal")
		assert.Equal(t, reversal.RefundsPaymentID, p.ID)
		s.Test.Get(path+"/payments/"+p.ID, 200, &p)
		assert.Equal(t, p.Status, "reversed")
		same(t, "events", eventTypes(s, reversal.ID), "payment.reversed")
		d = deal(s, id)
		assert.Equal(t, d.Totals.BalanceDueCents, 5300000)
		assert.Equal(t, d.Warnings[0].AmountCents, 5300000)
		s.Test.Post(path+"/payments", `{"kind": "lender_proceeds", "method": "wire", "amount_cents": 5300000}`, 201, nil)
		same(t, "balance", deal(s, id).Totals.BalanceDueCents, 0)
	})
}

// A cash buyer is $12.50 short. A manager writes it off when the deal is funded, and the buyer pays
// it after all in a later month.
func TestSmallShortfall(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newWorld(t, s, "2027-01-15T12:00:00Z")
		id := s.Test.DealIn("contracted", map[string]any{"hull_id": w.hull(w.east, "2027-01-01", 55000, 4000000), "offer_usd": 50000, "taxes": []any{}})
		path := "/v1/deals/" + id
		s.Test.Post(path+"/payments", `{"kind": "balance", "method": "wire", "amount_cents": 4998750}`, 201, nil)
		s.Test.Post(path+"/advance", `{"to": "funded"}`, 409, nil).WantDetail(t, "totals.balance_due_cents", "state")
		short := `{"to": "funded", "write_off_reason": "Bank fee"}`
		s.Person("sales").Post(path+"/advance", short, 403, nil).WantDetail(t, "write_off_reason", "forbidden")
		s.Person("manager").Post(path+"/advance", short, 200, nil)
		for _, to := range []string{"delivered", "closed"} {
			var d deals.Deal
			s.Test.Post(path+"/advance", map[string]string{"to": to}, 200, &d)
			assert.Len(t, d.Warnings, 0, to)
			assert.Equal(t, *d.Totals.FrontProfitCents, 998750, to)
			assert.Equal(t, *d.WrittenOffCents, 1250, to)
		}
		assert.Contains(t, audited(s, id), "deal.balance_written_off deal.adjusted deal.funded")
		assert.Contains(t, eventTypes(s, id), "deal.adjusted deal.funded")
		january := "gross?table=months&date_after=2027-01-01&date_before=2027-01-31"
		w.wantCSV(january, grossMonths, "2027-01,1,50000.00,9987.50,0.00,9987.50,0,0,0")

		s.Advance(30 * 24 * time.Hour) // February 14
		s.Test.Post(path+"/payments", `{"kind": "balance", "method": "cash", "amount_cents": 1000}`, 201, nil)
		assert.Equal(t, *deal(s, id).Totals.FrontProfitCents, 999750)
		w.wantCSV(january, grossMonths, "2027-01,1,50000.00,9987.50,0.00,9987.50,0,0,0")
		w.wantCSV("gross?table=months&date_after=2027-02-01", grossMonths, "2027-02,0,0.00,10.00,0.00,10.00,0,0,0")

		other := s.Test.DealIn("contracted", map[string]any{"offer_usd": 50000, "taxes": []any{}})
		s.Test.Post("/v1/deals/"+other+"/payments", `{"kind": "balance", "method": "wire", "amount_cents": 5001000}`, 201, nil)
		var d deals.Deal
		for _, to := range []string{"funded", "delivered"} {
			s.Test.Post("/v1/deals/"+other+"/advance", map[string]string{"to": to}, 200, &d)
		}
		assert.Equal(t, d.Warnings, []deals.DealWarning{{Code: deals.Overpaid, Message: "$10.00 too much was paid. Refund it.", AmountCents: 1000}})

		financed := structured(s)
		s.Test.SignedDocument(financed, "purchase_agreement")
		s.Test.Post("/v1/deals/"+financed+"/advance", `{"to": "contracted"}`, 200, nil)
		s.Test.Post("/v1/deals/"+financed+"/advance", short, 422, nil).WantDetail(t, "write_off_reason", "exclusive", "the lender pays")
	})
}

// A bounced check can be recorded in each status.
func TestCheckBouncesInAnyStatus(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for _, status := range []string{"open", "accepted", "contracted", "funded", "closed", "cancelled"} {
			id := s.Test.Deal(nil)
			path := "/v1/deals/" + id
			var p struct{ ID string }
			s.Test.Post(path+"/payments", `{"kind": "deposit", "method": "check", "amount_cents": 11800000}`, 201, &p)
			switch status {
			case "open":
			case "cancelled":
				s.Test.Post(path+"/cancel", `{"reason": "no", "deposit_outcome": "forfeit"}`, 200, nil)
			default:
				accept(s, id, 200)
				s.Test.SignedDocument(id, "purchase_agreement")
				for deal(s, id).Status != deals.Status(status) {
					s.Test.Post(path+"/advance", nil, 200, nil)
				}
			}
			s.Test.Post(path+"/payments/"+p.ID+"/refund", `{"reversal": true, "reason": "Bounced"}`, 201, nil)
			same(t, status, deal(s, id).Totals.PaidCents, 0)
			s.Test.Post(path+"/payments/"+p.ID+"/refund", `{"reversal": true, "reason": "Again"}`, 409, nil).WantDetail(t, "status", "state")
		}
	})
}

// A salesperson tries to write off a balance. A manager can, and it is audited.
func TestWriteOffWithoutPermission(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		delivered := func() string {
			id := fundedFinanceDeal(s)
			s.Test.Post("/v1/deals/"+id+"/advance", `{"to": "delivered"}`, 200, nil)
			return id
		}
		id := delivered()
		path, body := "/v1/deals/"+id+"/advance", `{"to": "closed", "write_off_reason": "The lender kept a fee"}`
		for name, c := range map[string]*testkit.Client{
			"a key":         s.As(s.Key(auth.DealsRead, auth.DealsWrite, auth.HullsWrite)),
			"a salesperson": s.Person("sales").Client,
		} {
			c.Post(path, body, 403, nil).WantDetail(t, "write_off_reason", "forbidden", name)
		}

		var d deals.Deal
		s.Person("manager").Post(path, body, 200, &d)
		assert.Equal(t, d.Status, deals.Closed)
		assert.Equal(t, d.WrittenOffCents, new(int64(5300000)))
		assert.Equal(t, d.WriteOffReason, new("The lender kept a fee"))
		entries := testkit.Rows[string](s, `SELECT changes FROM audit_entries WHERE action = 'deal.balance_written_off' AND target_id = ?`, id)
		assert.Len(t, entries, 1)
		assert.Contains(t, entries[0], "5300000")
		s.Test.Post("/v1/deals/"+id+"/payments", `{"kind": "balance", "method": "cash", "amount_cents": 100}`, 201, nil) // still due

		other := "/v1/deals/" + delivered() + "/advance"
		s.Person("owner").Post(other, body, 200, nil)
		third := delivered()
		s.Test.Post("/v1/deals/"+third+"/advance", body, 200, nil) // admin scope

		paid := s.Test.DealIn("delivered", nil)
		s.Test.Post("/v1/deals/"+paid+"/advance", body, 422, nil).WantDetail(t, "write_off_reason", "exclusive", "nothing is due")
		early := s.Test.DealIn("accepted", nil)
		s.Test.Post("/v1/deals/"+early+"/advance", `{"to": "in_finance", "write_off_reason": "x"}`, 422, nil).
			WantDetail(t, "write_off_reason", "exclusive", "not closed")
	})
}
