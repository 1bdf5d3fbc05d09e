package sales

import (
	"testing"

	"slipway/internal/deals"
	"slipway/internal/hulls"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/testkit/pdftext"
)

// toDelivery returns the codes of what a deal requires for the delivery.
func toDelivery(s *testkit.Server, id string) (codes []deals.MissingCode) {
	var n deals.DealNext
	s.Test.Get("/v2-preview/deals/"+id+"/next", 200, &n)
	for _, step := range n.Steps {
		if step.To != deals.Delivered {
			continue
		}
		for _, m := range step.Missing {
			codes = append(codes, m.Code)
		}
	}
	return codes
}

// A boat is sold before it is built, and followed until it arrives. The agreement was signed without
// a HIN, so everyone signs another one.
func TestSoldBeforeItIsBuilt(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newWorld(t, s, "2027-01-15T12:00:00Z")
		boat := w.hull(w.east, "", 124900, 0, map[string]any{"status": "on_order", "hin": nil, "order_number": " GW-2027-11843 ",
			"expected_on": "2027-03-01", "options": []string{"Second battery", "Tower"}})
		h := hull(s, boat)
		assert.Equal(t, h.StockState, hulls.StockOnOrder)
		assert.Equal(t, *h.OrderNumber, "GW-2027-11843")
		id := s.Test.DealIn("accepted", map[string]any{"hull_id": boat})
		s.Test.Patch("/v1/hulls/"+boat, `{"title": "For Ann", "expected_on": "2027-03-15"}`, 200, nil)
		onTheWay := func(hulls string) {
			t.Helper()
			const columns = "group,hulls,price_usd,cost_usd,without_cost"
			w.wantCSV("inventory?table=not_in_total", columns, "on_the_way,"+hulls, "sold,0,0.00,0.00,0")
		}
		onTheWay("1,124900.00,0.00,1")

		old := s.Test.SignedDocument(id, "purchase_agreement")
		text := pdftext.Of(t, s.Test.Get("/v1/deals/"+id+"/documents/"+old+"/content", 200, nil).Bytes)
		for _, want := range []string{"Manufacturer's order number GW-2027-11843", "Expected arrival Mar 15, 2027", "Options: Second battery; Tower.", "It must be issued again"} {
			assert.Contains(t, text, want)
		}
		pay(s, id, 11800000)
		advance := "/v1/deals/" + id + "/advance"
		s.Test.Post(advance, `{"to": "contracted"}`, 200, nil)
		onTheWay("1,124900.00,0.00,1")

		// The sale is pending or complete, and the boat moves.
		move := "/v1/hulls/" + boat + "/transition"
		s.Test.Post(move, `{"to": "on_hold"}`, 409, nil).WantDetail(t, "to", "state")
		s.Test.Post(move, `{"to": "in_transit", "expires_at": "2027-02-01T00:00:00Z"}`, 422, nil).WantDetail(t, "expires_at", "exclusive")
		s.Test.Post(move, `{"to": "in_transit", "reason": "Left the factory"}`, 200, &h)
		assert.Equal(t, h.Status, hulls.Sold)
		assert.Equal(t, h.StockState, hulls.StockInTransit)
		onTheWay("1,124900.00,0.00,1")
		s.Test.Post(advance, `{"to": "funded"}`, 200, nil)
		assert.Equal(t, toDelivery(s, id), []deals.MissingCode{"hin"})
		s.Test.Post(advance, `{"to": "delivered"}`, 409, nil).WantDetail(t, "hull_id", "state")
		s.Test.Post(move, `{"to": "available"}`, 400, nil).WantDetail(t, "hin", "required")
		s.Test.Patch("/v1/hulls/"+boat, `{"hin": "ABC12345L495"}`, 200, nil)
		s.Test.Post(move, `{"to": "available"}`, 200, &h)
		assert.Equal(t, h.Status, hulls.Sold)
		assert.Equal(t, h.StockState, hulls.InStock)
		assert.Equal(t, *h.ReceivedOn, "2027-01-15")
		s.Test.Post(move, `{"to": "in_transit"}`, 409, nil)
		var history struct{ Data []hulls.HullChange }
		s.Test.Get("/v1/hulls/"+boat+"/history", 200, &history)
		assert.Equal(t, *history.Data[0].From+" to "+history.Data[0].To, "in_transit to in_stock")
		assert.Equal(t, *history.Data[1].Reason, "Left the factory")
		w.wantCSV("inventory?table=not_in_total", "group,hulls,price_usd,cost_usd,without_cost", "on_the_way,0,0.00,0.00,0", "sold,1,124900.00,0.00,1")

		// The old agreement binds until everyone has signed the new one.
		assert.Equal(t, toDelivery(s, id), []deals.MissingCode{"agreement_hin"})
		s.Test.Post(advance, `{"to": "delivered"}`, 409, nil).WantDetail(t, "signed_agreement_id", "state")
		documents := "/v1/deals/" + id + "/documents"
		s.Test.Post(documents+"/"+old+"/void", `{"reason": "No"}`, 409, nil)
		var doc struct{ ID string }
		s.Test.Post(documents, map[string]any{"kind": "purchase_agreement", "supersedes_id": old}, 201, &doc)
		s.Test.Post(documents+"/"+doc.ID+"/sign", `{"signer_role": "buyer", "signer_name": "Ann"}`, 200, nil)
		assert.Equal(t, *deal(s, id).SignedAgreementID, old)
		s.Test.Post(documents+"/"+doc.ID+"/sign", `{"signer_role": "dealer", "signer_name": "Bob"}`, 200, nil)
		d := deal(s, id)
		assert.Equal(t, *d.SignedAgreementID, doc.ID)
		assert.Equal(t, d.Rev, 2)
		same(t, "old agreement", testkit.Rows[string](s, `SELECT status FROM documents WHERE id = ?`, old)[0], "voided")
		same(t, "events of the old agreement", eventTypes(s, old), "document.issued document.partially_signed document.signed document.voided")
		assert.Len(t, toDelivery(s, id), 0)
		s.Test.Post(advance, `{"to": "delivered"}`, 200, nil)
		h = hull(s, boat)
		assert.Equal(t, h.Status, hulls.Delivered)
		assert.Equal(t, h.StockState, hulls.Released)
	})
}

// A sale of a boat that is not there yet is cancelled or undone. The boat is where it is.
func TestOrderOutlivesItsSale(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		for _, c := range []struct {
			moves []string
			want  hulls.Status
		}{{nil, hulls.OnOrder}, {[]string{"in_transit"}, hulls.InTransit}, {[]string{"in_transit", "available"}, hulls.Available}, {[]string{"available"}, hulls.Available}} {
			for _, how := range []string{"cancelled", "unwound"} {
				boat := s.Test.Hull(loc, map[string]any{"status": "on_order"})
				status := "accepted"
				if how == "unwound" {
					status = "funded"
				}
				id := s.Test.DealIn(status, map[string]any{"hull_id": boat})
				for _, to := range c.moves {
					s.Test.Post("/v1/hulls/"+boat+"/transition", map[string]string{"to": to}, 200, nil)
				}
				if how == "cancelled" {
					s.Test.Post("/v1/deals/"+id+"/cancel", `{"reason": "no"}`, 200, nil)
				} else {
					payment := testkit.Rows[string](s, `SELECT id FROM payments WHERE deal_id = ?`, id)[0]
					s.Test.Post("/v2-preview/deals/"+id+"/unwind", map[string]any{"reason": "no", "hull_status": "available",
						"payments": []any{map[string]any{"payment_id": payment, "outcome": "refund"}}}, 200, nil)
				}
				same(t, how, hull(s, boat).Status, c.want)
			}
		}
		s.Test.Post("/v1/hulls", map[string]any{"make": "Lund", "model": "Tyee", "year": 2026, "length_ft": 20, "price_usd": 1, "location_id": loc, "status": "on_order",
			"options": []string{" "}}, 422, nil).WantDetail(t, "options[0]", "too_long")
	})
}
