package sales

import (
	"testing"

	"slipway/internal/deals"
	"slipway/internal/finance"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// A payment of 1999 would be in no report.
func TestDateOfAPayment(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		newWorld(t, s, "2027-02-01T12:00:00Z")
		path := "/v1/deals/" + s.Test.Deal(nil) + "/payments"
		record := func(day string, want int) *testkit.Response {
			return s.Test.Post(path, map[string]any{"kind": "deposit", "method": "card", "amount_cents": 1, "received_on": day}, want, nil)
		}
		record("1999-12-31", 422).WantDetail(t, "received_on", "minimum")
		record("2026-01-31", 422).WantDetail(t, "received_on", "minimum")
		record("2026-02-01", 201)
	})
}

// A boat with an open task is not ready for the delivery.
func TestOpenTaskOnTheBoat(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.DealIn("accepted", nil)
		d := deal(s, id)
		assert.Len(t, d.Warnings, 0)
		var task struct{ ID string }
		s.Test.Post("/v2-preview/activities", map[string]any{"object_id": d.HullID, "kind": "task", "body": "Make ready", "user_id": s.Test.User(nil)}, 201, &task)
		assert.Equal(t, deal(s, id).Warnings, []deals.DealWarning{{Code: deals.OpenTasks, Message: "A task on the boat is open. Finish it before the delivery."}})
		s.Test.Patch("/v2-preview/activities/"+task.ID, map[string]any{"done_at": d.CreatedAt}, 200, nil)
		assert.Len(t, deal(s, id).Warnings, 0)
	})
}

func TestCurrencyIsReported(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Deal(nil)
		path := "/v1/deals/" + id + "/payments"
		var p finance.Payment
		s.Test.Post(path, `{"kind": "deposit", "method": "cash", "amount_cents": 1000000}`, 201, nil)
		s.Test.Post(path, `{"kind": "deposit", "method": "check", "amount_cents": 1000000}`, 201, nil)
		assert.Len(t, deal(s, id).Warnings, 0)
		s.Test.Post(path, `{"kind": "deposit", "method": "cash", "amount_cents": 1}`, 201, &p)
		assert.Equal(t, deal(s, id).Warnings, []deals.DealWarning{{
			Code: deals.Form8300, AmountCents: 1000001, Message: "$10,000.01 was paid in currency. File Form 8300 with the IRS within 15 days.",
		}})
		s.Test.Post(path+"/"+p.ID+"/refund", `{"reason": "Too much"}`, 201, nil)
		assert.Len(t, deal(s, id).Warnings, 1, "it was received")
		s.Test.Post(path, `{"kind": "deposit", "method": "cash", "amount_cents": 5}`, 201, &p)
		s.Test.Post(path+"/"+p.ID+"/refund", `{"reason": "Counterfeit", "reversal": true}`, 201, nil)
		assert.Equal(t, deal(s, id).Warnings[0].AmountCents, 1000001)

		to := s.Test.Deal(map[string]any{"buyer_id": deal(s, id).BuyerID})
		s.Test.Post("/v1/deals/"+id+"/cancel", map[string]any{"reason": "No", "deposit_outcome": "transfer", "transfer_to_deal_id": to}, 200, nil)
		assert.Len(t, deal(s, to).Warnings, 0, "only $10,000 of the currency is left")
	})
}

// A trade-in is stocked when the boat is delivered, if someone asks for it, and only once.
func TestStockTradesAtTheDelivery(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.DealIn("funded", map[string]any{"trade_ins": []any{map[string]any{
			"make": "Lund", "model": "Tyee", "year": 2016, "length_ft": 20, "allowance_cents": 1000, "acv_cents": 1000, "stock_in": true,
		}}})
		path := "/v1/deals/" + id
		stocked := func() int64 {
			return testkit.Rows[int64](s, `SELECT COUNT(*) FROM hulls WHERE make = 'Lund'`)[0]
		}
		s.Test.Post(path+"/advance", `{"to": "delivered", "stock_in_trades": true}`, 200, nil)
		assert.Equal(t, stocked(), 1)
		s.Test.Post(path+"/advance", `{"to": "closed", "stock_in_trades": true}`, 422, nil).WantDetail(t, "stock_in_trades", "exclusive")
		s.Test.Post(path+"/advance", `{"to": "closed"}`, 200, nil)
		assert.Equal(t, stocked(), 1)
	})
}

// Sold boats that wait for their delivery, and deposits that the dealership keeps, are in a report.
func TestSoldBoatsAndKeptDepositsAreReported(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newWorld(t, s, "2027-02-01T12:00:00Z")
		s.Test.DealIn("contracted", map[string]any{"hull_id": w.hull(w.east, "2027-01-01", 55000, 4000000)})
		s.Test.DealIn("contracted", map[string]any{"hull_id": w.hull(w.east, "2027-01-02", 10000, 0)})
		s.Test.DealIn("contracted", map[string]any{"hull_id": w.hull(w.west, "", 20000, 0, map[string]any{"status": "on_order", "hin": nil})})
		const columns = "group,hulls,price_usd,cost_usd,without_cost"
		w.wantCSV("inventory?table=not_in_total", columns, "on_the_way,1,20000.00,0.00,1", "sold,2,65000.00,40000.00,1")
		w.wantCSV("inventory?table=not_in_total&location_id="+w.west, columns, "on_the_way,1,20000.00,0.00,1", "sold,0,0.00,0.00,0")

		id := s.Test.Deal(map[string]any{"hull_id": w.hull(w.east, "2027-01-01", 100, 0)})
		pay(s, id, 50000)
		s.Test.Post("/v1/deals/"+id+"/cancel", `{"reason": "No show", "deposit_outcome": "forfeit"}`, 200, nil)
		w.wantCSV("cash?table=kept", "deals,amount_usd", "1,500.00")
		w.wantCSV("cash?table=kept&location_id="+w.west, "deals,amount_usd", "0,0.00")
		w.wantCSV("cash?table=kept&date_before=2027-01-31", "deals,amount_usd", "0,0.00")
	})
}
