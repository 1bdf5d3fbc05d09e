package sales

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"slipway/internal/finance"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

func TestPaymentsAndRefunds(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Deal(nil)
		path := "/v1/deals/" + id + "/payments"
		balance := func(step string, want int64) {
			t.Helper()
			assert.Equal(t, deal(s, id).Totals.BalanceDueCents, want, "balance after "+step)
		}
		balance("nothing", 11800000)

		var deposit, back finance.Payment
		s.Test.Post(path, `{"kind": "deposit", "method": "card", "amount_cents": 500000, "reference": "ch_1"}`, 201, &deposit)
		zone, err := time.LoadLocation("America/New_York") // time zone of a new dealership
		if err != nil {
			t.Fatal(err)
		}

		assert.Equal(t, deposit.Status, "succeeded")
		assert.Equal(t, deposit.ReceivedOn, s.DB.Now().In(zone).Format(time.DateOnly))
		assert.Equal(t, deposit.RefundsPaymentID, nil)
		balance("a deposit", 11300000)
		s.Test.Post(path, `{"kind": "balance", "method": "wire", "amount_cents": 11300000, "received_on": "2026-01-02"}`, 201, nil)
		balance("the rest", 0)
		s.Test.Post(path+"/"+deposit.ID+"/refund", `{"amount_cents": 200000, "reason": "Half"}`, 201, &back)
		assert.Equal(t, back.RefundsPaymentID, new(deposit.ID))
		assert.Equal(t, back.AmountCents, 200000)
		assert.Equal(t, back.Kind, "deposit")
		assert.Equal(t, back.Reason, new("Half"))
		balance("a partial refund", 200000)
		s.Test.Get(path+"/"+deposit.ID, 200, &deposit)
		assert.Equal(t, deposit.Status, "partially_refunded")
		assert.Equal(t, deposit.RefundedCents, 200000)
		assert.Equal(t, deposit.AmountCents, 500000)
		s.Test.Post(path+"/"+deposit.ID+"/refund", `{"amount_cents": 300001, "reason": "More"}`, 409, nil).
			WantDetail(t, "amount_cents", "maximum")
		s.Test.Post(path+"/"+deposit.ID+"/refund", `{"reason": "The rest"}`, 201, &back)
		assert.Equal(t, back.AmountCents, 300000, "the rest")
		balance("all of it back", 500000)
		s.Test.Post(path+"/"+deposit.ID+"/refund", `{"reason": "Again"}`, 409, nil)
		s.Test.Post(path+"/"+back.ID+"/refund", `{"reason": "A refund of a refund"}`, 409, nil)

		var p page.Page[finance.Payment]
		s.Test.Get(path, 200, &p)
		assert.Len(t, p.Data, 4)
		assert.Equal(t, p.Data[3].Status, "refunded")
		assert.Equal(t, p.Data[0].ID, back.ID)

		f := s.Test.Post(path, `{"kind": "gift", "method": "shells", "amount_cents": 0}`, 422, nil).Fault(t)
		f.WantDetail(t, "kind", "enum", "all errors together")
		f.WantDetail(t, "method", "enum", "all errors together")
		f.WantDetail(t, "amount_cents", "minimum", "all errors together")
		s.Test.Post(path, `{"kind": "deposit", "method": "cash", "amount_cents": 1, "received_on": "2200-01-01"}`, 422, nil)
		s.Test.Post(path+"/pay_00000000000000000000000000/refund", `{"reason": "x"}`, 404, nil)
		assert.Equal(t, s.EventTypes(deposit.ID), []string{"payment.recorded"})
		assert.Equal(t, s.EventTypes(back.ID), []string{"payment.refunded"})
	})
}

// 50 simultaneous refunds never exceed the payment.
func TestSimultaneousRefunds(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Deal(nil)
		path := "/v1/deals/" + id + "/payments"
		var p finance.Payment
		s.Test.Post(path, `{"kind": "deposit", "method": "card", "amount_cents": 100000}`, 201, &p)
		counts := testkit.Concurrently(t, 50, func(i int) (*testkit.Response, error) {
			return s.Test.Send(http.MethodPost, path+"/"+p.ID+"/refund", fmt.Sprintf(`{"amount_cents": 3000, "reason": "no. %d"}`, i))
		})
		assert.Equal(t, counts[201], 33)
		assert.Equal(t, counts[409], 17)
		s.Test.Get(path+"/"+p.ID, 200, &p)
		assert.Equal(t, p.RefundedCents, 99000, "refunded")
		assert.Equal(t, deal(s, id).Totals.PaidCents, 1000, "paid")
		assert.Equal(t, testkit.Rows[int64](s, `SELECT CAST(SUM(amount_cents) AS BIGINT) FROM payments WHERE refunds_payment_id = ?`, p.ID)[0], 99000, "rows")
	})
}

// Simultaneous payments are all counted.
func TestSimultaneousPayments(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Deal(nil)
		counts := testkit.Concurrently(t, 30, func(i int) (*testkit.Response, error) {
			return s.Test.Send(http.MethodPost, "/v1/deals/"+id+"/payments",
				fmt.Sprintf(`{"kind": "deposit", "method": "cash", "amount_cents": %d}`, i+1))
		})
		assert.Equal(t, counts[201], 30, "recorded")
		assert.Equal(t, deal(s, id).Totals.PaidCents, 30*31/2, "paid")
	})
}
