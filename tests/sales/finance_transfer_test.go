package sales

import (
	"testing"

	"slipway/internal/deals"
	"slipway/internal/finance"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

// A deposit is transferred to another deal and then also refunded.
func TestRefundATransferredDeposit(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		from := s.Test.Deal(nil)
		to := s.Test.Deal(map[string]any{"buyer_id": deal(s, from).BuyerID})
		path := "/v1/deals/" + from
		var deposit, returned finance.Payment
		s.Test.Post(path+"/payments", `{"kind": "deposit", "method": "card", "amount_cents": 500000, "reference": "ch_1"}`, 201, &deposit)
		s.Test.Post(path+"/payments/"+deposit.ID+"/refund", `{"amount_cents": 100000, "reason": "Too much"}`, 201, &returned)

		cancel := func(body map[string]any, want int) *testkit.Response {
			t.Helper()
			body["reason"] = "Bought a bigger boat"
			return s.Test.Post(path+"/cancel", body, want, nil)
		}
		cancel(map[string]any{"deposit_outcome": "transfer"}, 400).WantDetail(t, "transfer_to_deal_id", "required")
		cancel(map[string]any{"deposit_outcome": "transfer", "transfer_to_deal_id": from}, 422).WantDetail(t, "transfer_to_deal_id", "exclusive")
		cancel(map[string]any{"deposit_outcome": "refund", "transfer_to_deal_id": to}, 422).WantDetail(t, "transfer_to_deal_id", "exclusive")
		cancel(map[string]any{"deposit_outcome": "transfer", "transfer_to_deal_id": "deal_x"}, 422).
			WantDetail(t, "transfer_to_deal_id", "not_found")
		foreign := s.Other.Deal(nil)
		cancel(map[string]any{"deposit_outcome": "transfer", "transfer_to_deal_id": foreign}, 422).
			WantDetail(t, "transfer_to_deal_id", "not_found", "of another dealership")
		ended := s.Test.DealIn("cancelled", nil)
		cancel(map[string]any{"deposit_outcome": "transfer", "transfer_to_deal_id": ended}, 409).
			WantDetail(t, "transfer_to_deal_id", "state")
		assert.Equal(t, deal(s, from).Status, deals.Open)

		cancel(map[string]any{"deposit_outcome": "transfer", "transfer_to_deal_id": to}, 200)
		assert.Equal(t, deal(s, from).Totals.PaidCents, 0)
		assert.Equal(t, deal(s, from).TransferredToDealID, &to)
		assert.Equal(t, deal(s, to).Totals.PaidCents, 400000)

		var out, in page.Page[finance.Payment]
		s.Test.Get(path+"/payments", 200, &out)
		s.Test.Get("/v1/deals/"+to+"/payments", 200, &in)
		assert.Len(t, out.Data, 3)
		assert.Len(t, in.Data, 1)
		assert.Equal(t, out.Data[0].Type, finance.TransferOut)
		assert.Equal(t, out.Data[0].AmountCents, 400000)
		assert.Equal(t, out.Data[0].RefundsPaymentID, &deposit.ID)
		assert.Equal(t, out.Data[0].TransferPaymentID, &in.Data[0].ID)
		assert.Equal(t, out.Data[2].Status, "transferred")
		assert.Equal(t, in.Data[0].Type, finance.TransferIn)
		assert.Equal(t, in.Data[0].TransferPaymentID, &out.Data[0].ID)
		assert.Equal(t, in.Data[0].TransferDealID, &from)
		assert.Equal(t, in.Data[0].Reference, new("ch_1"))
		assert.Equal(t, s.EventTypes(out.Data[0].ID), []string{"payment.transferred"})
		assert.Equal(t, s.EventTypes(in.Data[0].ID), []string{"payment.recorded"})
		same(t, "audit of the transfer", audited(s, out.Data[0].ID), "payment.transferred")
		same(t, "audit of the payment", audited(s, in.Data[0].ID), "payment.recorded")

		s.Test.Post(path+"/payments/"+deposit.ID+"/refund", `{"reason": "Again"}`, 409, nil).WantDetail(t, "deposit_outcome", "state")
		s.Test.Post(path+"/payments/"+out.Data[0].ID+"/refund", `{"reason": "Again"}`, 409, nil)
		s.Test.Post("/v1/deals/"+to+"/payments/"+in.Data[0].ID+"/refund", `{"reason": "No boat after all"}`, 201, nil)
		assert.Equal(t, deal(s, to).Totals.PaidCents, 0)
	})
}

// A deposit of one buyer can't pay the boat of another one, unless a manager says so.
func TestTransferToAnotherBuyer(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		from, to := s.Test.Deal(nil), s.Test.Deal(nil)
		pay(s, from, 500000)
		body := map[string]any{"reason": "Wrong boat", "deposit_outcome": "transfer", "transfer_to_deal_id": to}
		path := "/v1/deals/" + from + "/cancel"
		s.Person("manager").Post(path, body, 409, nil).WantDetail(t, "transfer_to_deal_id", "other_buyer")
		body["override_buyer"] = true
		s.Person("sales").Post(path, body, 403, nil).WantDetail(t, "override_buyer", "forbidden")
		assert.Equal(t, deal(s, from).Status, deals.Open)

		s.Person("manager").Post(path, body, 200, nil)
		assert.Equal(t, deal(s, to).Totals.PaidCents, 500000)
		assert.Contains(t, audited(s, from), "deal.buyer_overridden")
		changes := testkit.Rows[string](s, `SELECT changes FROM audit_entries WHERE action = 'deal.buyer_overridden' AND target_id = ?`, from)[0]
		assert.Contains(t, changes, to)
	})
}

// Two deals are cancelled at the same time, each with a transfer to the other. The
// money must not disappear.
func TestTransfersInBothDirections(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for range 3 {
			first := s.Test.Deal(nil)
			ids := []string{first, s.Test.Deal(map[string]any{"co_buyer_id": deal(s, first).BuyerID})}
			for _, id := range ids {
				s.Test.Post("/v1/deals/"+id+"/payments", `{"kind": "deposit", "method": "cash", "amount_cents": 100}`, 201, nil)
			}
			counts := testkit.Concurrently(t, 2, func(i int) (*testkit.Response, error) {
				return s.Test.Send("POST", "/v1/deals/"+ids[i]+"/cancel",
					map[string]string{"reason": "no", "deposit_outcome": "transfer", "transfer_to_deal_id": ids[1-i]})
			})
			assert.Equal(t, counts[200], 1)
			assert.Equal(t, counts[409], 1)
			assert.Equal(t, deal(s, ids[0]).Totals.PaidCents+deal(s, ids[1]).Totals.PaidCents, 200)
		}
	})
}
