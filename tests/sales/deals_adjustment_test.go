package sales

import (
	"testing"
	"time"

	"slipway/internal/deals"
	"slipway/internal/platform/rest"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// adjustment is an adjustment in the shape of the preview.
type adjustment struct {
	ID, Kind    string
	Amount      rest.Money
	Front, Back *rest.Money
	Description *string
	Position    *int64
	PaymentID   *string `json:"payment_id"`
	PaidTo      *string `json:"paid_to"`
	EffectiveOn *string `json:"effective_on"`
}

func adjustmentsOf(c *testkit.Client, id string) []adjustment {
	var p struct{ Data []adjustment }
	c.Get("/v2-preview/deals/"+id+"/adjustments", 200, &p)
	return p.Data
}

const grossMonths = "month,deals,price_usd,front_usd,back_usd,profit_usd,without_front,without_back,unwound"

// The yard sends another bill in March for a boat that was delivered in January. The report of
// January doesn't change.
func TestBillAfterTheDelivery(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newWorld(t, s, "2027-01-15T12:00:00Z")
		boat := w.hull(w.east, "2027-01-01", 120000, 10000000)
		id := s.Test.DealIn("closed", map[string]any{"hull_id": boat, "offer_usd": 118000})
		unknown := w.hull(w.east, "2027-01-01", 60000, 0)
		other := s.Test.DealIn("delivered", map[string]any{"hull_id": unknown, "offer_usd": 50000})
		january := "gross?table=months&date_after=2027-01-01&date_before=2027-01-31"
		row := "2027-01,2,168000.00,18000.00,0.00,18000.00,1,0,0"
		w.wantCSV(january, grossMonths, row)

		s.Advance(60 * 24 * time.Hour) // March 16
		bill := func(hull string, cents int64) {
			s.Test.Patch("/v2-preview/hulls/"+hull+"/pricing", map[string]any{"cost": map[string]any{"invoice": usd(cents)}}, 200, nil)
		}
		bill(boat, 10050000)
		bill(unknown, 4500000)
		w.wantCSV(january, grossMonths, row)
		w.wantCSV("gross?table=months&date_after=2027-03-01", grossMonths, "2027-03,0,0.00,4500.00,0.00,4500.00,0,0,0")
		w.wantCSV("gross?table=adjustments&date_after=2027-03-01", "deal_id,kind,on,price_usd,front_usd,back_usd",
			other+",cost,2027-03-16,0.00,5000.00,0.00", id+",cost,2027-03-16,0.00,-500.00,0.00")
		w.wantCSV("gross?table=adjustments&location_id="+w.west, "deal_id,kind,on,price_usd,front_usd,back_usd")

		assert.Equal(t, *deal(s, id).Totals.FrontProfitCents, 1750000)
		assert.Equal(t, *deal(s, other).Totals.FrontProfitCents, 500000)
		s.Test.Patch("/v2-preview/hulls/"+boat+"/pricing", `{"cost": null}`, 200, nil)
		assert.Equal(t, *deal(s, id).Totals.FrontProfitCents, 1750000, "a cost that is removed stays booked")

		all := adjustmentsOf(s.Test, id)
		assert.Len(t, all, 1)
		assert.Equal(t, all[0].Kind, "cost")
		assert.Equal(t, *all[0].Front, usd(-50000))
		assert.Equal(t, adjustmentsOf(s.Person("finance").Client, id)[0].Front, nil, "hidden like profits")
		assert.Contains(t, eventTypes(s, id), "deal.closed deal.adjusted")
		assert.Contains(t, audited(s, id), "deal.adjusted")
		assert.Excludes(t, testkit.Rows[string](s, `SELECT data FROM {emitted} WHERE object_id = ? AND type = 'deal.adjusted'`, id)[0], "-50000")
	})
}

// A boat that was delivered in the east is taken back, and sold in the west. The reports of January for the east
// don't change.
func TestBoatMovesAfterTheDelivery(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newWorld(t, s, "2027-01-15T12:00:00Z")
		boat := w.hull(w.east, "2027-01-01", 120000, 10000000)
		tax := []any{map[string]any{"name": "Tax", "rate_percent": "1", "jurisdiction": "East"}}
		id := s.Test.DealIn("delivered", map[string]any{"hull_id": boat, "offer_usd": 118000, "taxes": tax})
		reports := map[string]string{}
		january := func(name, at string) string {
			return csv(t, s.Test, name+"date_after=2027-01-01&date_before=2027-01-31&location_id="+at)
		}
		names := []string{"gross?table=months&", "gross?table=deals&", "taxes?"}
		for _, name := range names {
			reports[name] = january(name, w.east)
			assert.Contains(t, reports[name], "118000.00", name)
		}

		s.Advance(60 * 24 * time.Hour) // March 16
		payment := testkit.Rows[string](s, `SELECT id FROM payments WHERE deal_id = ?`, id)[0]
		s.Test.Post("/v2-preview/deals/"+id+"/unwind", map[string]any{"reason": "No", "hull_status": "available",
			"payments": []any{map[string]any{"payment_id": payment, "outcome": "refund"}}}, 200, nil)
		s.Test.Patch("/v1/hulls/"+boat, map[string]any{"location_id": w.west}, 200, nil)
		for _, name := range names {
			assert.Equal(t, january(name, w.east), reports[name], name)
			assert.Excludes(t, january(name, w.west), "118000.00", name)
		}
		w.wantCSV("gross?table=months&date_after=2027-03-01&location_id="+w.east, grossMonths, "2027-03,0,-118000.00,-18000.00,0.00,-18000.00,0,0,1")
	})
}

// A boat that is not delivered yet has the cost of today.
func TestBillBeforeTheDelivery(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newWorld(t, s, "2027-01-15T12:00:00Z")
		boat := w.hull(w.east, "2027-01-01", 120000, 10000000)
		id := s.Test.DealIn("funded", map[string]any{"hull_id": boat, "offer_usd": 118000})
		s.Test.Patch("/v2-preview/hulls/"+boat+"/pricing", map[string]any{"cost": map[string]any{"invoice": usd(9000000)}}, 200, nil)
		var d deals.Deal
		s.Test.Post("/v1/deals/"+id+"/advance", nil, 200, &d)
		assert.Equal(t, *d.Totals.FrontProfitCents, 2800000)
		assert.Len(t, adjustmentsOf(s.Test, id), 0)
	})
}

// A deposit that the dealership keeps is counted when the deal is cancelled, and when it is paid
// back after all.
func TestForfeitedDeposit(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Deal(nil)
		var p struct{ ID string }
		s.Test.Post("/v1/deals/"+id+"/payments", `{"kind": "deposit", "method": "card", "amount_cents": 500000}`, 201, &p)
		s.Test.Post("/v1/deals/"+id+"/cancel", `{"reason": "No show", "deposit_outcome": "forfeit"}`, 200, nil)
		s.Test.Post("/v1/deals/"+id+"/payments/"+p.ID+"/refund", `{"reason": "Goodwill", "amount_cents": 200000}`, 201, nil)
		all := adjustmentsOf(s.Test, id)
		assert.Len(t, all, 2)
		assert.Equal(t, all[0].Kind, "forfeit")
		assert.Equal(t, all[0].Amount, usd(-200000))
		assert.Equal(t, all[1].Amount, usd(500000))
		assert.Contains(t, eventTypes(s, id), "deal.adjusted")
	})
}
