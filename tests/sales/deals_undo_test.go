package sales

import (
	"testing"
	"time"

	"slipway/internal/deals"
	"slipway/internal/documents"
	"slipway/internal/finance"
	"slipway/internal/hulls"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

// Each step of a negotiation can be undone until something else happens.
func TestUndoOffer(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Deal(nil)
		path, undo := "/v1/deals/"+id+"/offers", "/v2-preview/deals/"+id+"/offers/"
		opening := s.Test.OpeningOffer(id)
		status := func(offer string) deals.OfferStatus {
			t.Helper()
			var o deals.Offer
			s.Test.Get(path+"/"+offer, 200, &o)
			return o.Status
		}

		var counter deals.Offer
		s.Advance(time.Minute)
		s.Test.Post(path, map[string]any{"amount_usd": 121500, "made_by": "dealer", "in_reply_to": opening}, 201, &counter)
		s.Advance(time.Minute)
		s.Test.Post(undo+counter.ID+"/undo", nil, 200, nil)
		assert.Equal(t, status(counter.ID), deals.Withdrawn)
		assert.Equal(t, status(opening), deals.Pending, "the offer that it answered")
		assert.Equal(t, deal(s, id).Totals.PriceCents, 11800000)

		s.Test.Post(path+"/"+opening+"/reject", nil, 200, nil)
		s.Advance(time.Minute)
		s.Test.Post(undo+opening+"/undo", nil, 200, nil)
		assert.Equal(t, status(opening), deals.Pending, "after a rejection was undone")

		s.Test.Post(path+"/"+opening+"/accept", nil, 200, nil)
		var issued documents.Document
		s.Test.Post("/v1/deals/"+id+"/documents", `{"kind": "purchase_agreement"}`, 201, &issued)
		s.Advance(time.Minute)
		s.Test.Post(undo+opening+"/undo", nil, 200, nil)
		d := deal(s, id)
		assert.Equal(t, d.Status, deals.Open)
		assert.Equal(t, d.AcceptedOfferID, nil)
		assert.Equal(t, status(opening), deals.Pending, "after an acceptance was undone")
		var h hulls.Hull
		s.Test.Get("/v1/hulls/"+d.HullID, 200, &h)
		assert.Equal(t, h.Status, hulls.Available)
		s.Test.Get("/v1/deals/"+id+"/documents/"+issued.ID, 200, &issued)
		assert.Equal(t, issued.Status, documents.Voided)
		assert.Equal(t, *issued.VoidReason, "the acceptance of the offer was undone")

		// Someone has acted since.
		s.Test.Post(path+"/"+opening+"/accept", nil, 200, nil)
		s.Advance(time.Second)
		s.Test.Post("/v1/deals/"+id+"/payments", `{"kind": "deposit", "method": "card", "amount_cents": 500000}`, 201, nil)
		s.Test.Post(undo+opening+"/undo", nil, 409, nil).WantDetail(t, "deal_id", "state", "a payment since")
		same(t, "events", eventTypes(s, id), "deal.opened deal.offer_made deal.offer_undone deal.offer_rejected deal.offer_undone "+
			"deal.accepted deal.offer_undone deal.reopened deal.accepted")
	})
}

// A payment can be undone by the person who recorded it, for ten minutes.
func TestUndoPayment(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.AcceptedDeal(nil)
		pay := func() (p finance.Payment) {
			t.Helper()
			s.Advance(time.Minute)
			s.Test.Post("/v1/deals/"+id+"/payments", `{"kind": "deposit", "method": "card", "amount_cents": 500000}`, 201, &p)
			return p
		}
		undo := func(c *testkit.Client, p finance.Payment, want int) *testkit.Response {
			t.Helper()
			return c.Post("/v2-preview/deals/"+id+"/payments/"+p.ID+"/undo", nil, want, nil)
		}
		first := pay()
		undo(s.As(s.Key(auth.DealsRead, auth.DealsWrite)), first, 409).WantDetail(t, "payment_id", "state", "someone else")
		undo(s.Test, first, 201)
		assert.Equal(t, deal(s, id).Totals.PaidCents, 0)
		undo(s.Test, first, 409).WantDetail(t, "status", "state", "undone before")

		late := pay()
		s.Advance(11 * time.Minute)
		undo(s.Test, late, 409).WantDetail(t, "created_at", "state", "too late")
		second := pay()
		pay()
		undo(s.Test, second, 409).WantDetail(t, "version", "state", "another payment since")
	})
}

// Several steps of a lender are recorded and undone at once, and its money with the last one.
func TestFundingSteps(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := structured(s)
		var f finance.Funding
		s.Test.Post("/v1/deals/"+id+"/fundings", `{"lender": "Bay Federal"}`, 201, &f)
		path := "/v1/deals/" + id + "/fundings/" + f.ID
		undo := "/v2-preview/deals/" + id + "/fundings/" + f.ID + "/undo"
		s.Test.Post(path+"/advance", `{"to": "signed"}`, 409, nil)
		s.Test.Post(path+"/advance", `{"to": "signed", "skip_steps": true, "reference": "BF-1", "decision": {"apr_percent": "7.49"}}`, 200, &f)
		assert.Equal(t, f.Status, finance.Signed)
		assert.Equal(t, *f.Reference, "BF-1")
		assert.Equal(t, *f.Decision.APRPercent, "7.49")
		same(t, "events", eventTypes(s, f.ID), "funding.submitted funding.updated funding.updated funding.updated")

		s.Test.Post(undo, nil, 200, nil)
		s.Test.Get(path, 200, &f)
		assert.Equal(t, f.Status, finance.Submitted)
		assert.Equal(t, f.Reference, nil)
		assert.Equal(t, f.Decision, nil)
		assert.Equal(t, string(deal(s, id).FundingState), "submitted")
		s.Test.Post(undo, nil, 409, nil).WantDetail(t, "version", "state", "nothing to undo")

		s.Test.Post(path+"/advance", `{"to": "approved", "record_payment": true}`, 422, nil)
		s.Test.Post(path+"/advance", `{"to": "approved"}`, 200, nil)
		s.Test.Post(path+"/stipulations", `{"kind": "survey"}`, 201, nil)
		s.Test.Post(undo, nil, 409, nil).WantDetail(t, "version", "state", "a stipulation since")
		s.Test.Post(path+"/advance", `{"to": "funded", "skip_steps": true, "record_payment": true}`, 409, nil)
		s.Test.Get(path, 200, &f)
		assert.Equal(t, f.Status, finance.Approved, "a step that fails undoes the others")
		s.Test.Post(path+"/stipulations/"+f.Stipulations[0].ID+"/resolve", `{"status": "waived"}`, 200, nil)
		s.Test.Post(path+"/advance", `{"to": "funded", "skip_steps": true, "record_payment": true, "amount_cents": 9990000}`, 200, &f)
		assert.Equal(t, f.AmountCents, 9990000)
		var paid page.Page[finance.Payment]
		s.Test.Get("/v1/deals/"+id+"/payments", 200, &paid)
		assert.Len(t, paid.Data, 1)
		assert.Equal(t, paid.Data[0].AmountCents, 9990000)
		assert.Equal(t, string(paid.Data[0].Kind), "lender_proceeds")
		s.Test.Post(undo, nil, 409, nil).WantDetail(t, "status", "state", "money has changed hands")
	})
}

// New deals have the fees of the dealership, unless they bring their own lines.
func TestDealDesk(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.Test.Patch("/v1/dealership", `{"settings": {
			"default_fees": [{"description": "Documentation fee", "amount_cents": 49900, "cost_cents": 0, "code": "doc"}],
			"products": [{"name": "Hull care", "kind": "hull_protection", "provider": "Shore", "price_cents": 99500, "cost_cents": 41000, "term_months": 60}]}}`, 200, nil)
		s.Test.Patch("/v1/dealership", `{"settings": {"products": [{"name": "A", "kind": "gap", "price_cents": 1}, {"name": " a", "kind": "key", "price_cents": 1}]}}`, 422, nil).
			WantDetail(t, "settings.products[1].name", "duplicate", "the same name")
		lines := func(fields map[string]any) []deals.DealLineItem {
			t.Helper()
			fields["hull_id"] = s.Test.Hull(s.Test.Location(), nil)
			return deal(s, s.Test.Deal(fields)).LineItems
		}
		fees := lines(map[string]any{})
		assert.Len(t, fees, 1)
		assert.Equal(t, *fees[0].Description, "Documentation fee")
		assert.Equal(t, *fees[0].CostCents, 0)
		assert.Equal(t, *fees[0].Taxable, false)
		assert.Len(t, lines(map[string]any{"sale_type": "wholesale"}), 0)
		assert.Len(t, lines(map[string]any{"line_items": []any{}}), 0)

		id := structured(s)
		s.Test.Post("/v1/deals/"+id+"/fundings", `{"lender": "Seacoast"}`, 201, nil)
		s.Test.Post("/v1/deals/"+id+"/fundings", `{"lender": "Bay Federal"}`, 201, nil)
		s.Test.Post("/v1/deals/"+id+"/fundings", `{"lender": "Seacoast"}`, 201, nil)
		var desk struct {
			Lenders  []string
			Products []struct {
				Cost *struct{ Amount int64 }
			}
		}
		s.Test.Get("/v2-preview/deal_desk", 200, &desk)
		assert.Equal(t, len(desk.Lenders), 2)
		assert.Equal(t, desk.Lenders[0], "Seacoast")
		assert.Equal(t, desk.Products[0].Cost.Amount, 41000)
		s.As(s.Key(auth.DealsRead)).Get("/v2-preview/deal_desk", 200, &desk)
		assert.Equal(t, desk.Products[0].Cost == nil, true, "the cost for a key that can't write deals")
	})
}

// The documents of a deal are issued in one step.
func TestMissingDocuments(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := structured(s)
		path := "/v2-preview/deals/" + id + "/missing_documents"
		var missing documents.MissingDocuments
		s.Test.Get(path, 200, &missing)
		assert.Len(t, missing.Data, 3)
		var issued documents.IssuedDocuments
		s.Test.Post(path, nil, 201, &issued)
		assert.Len(t, issued.Data, 3)
		assert.Equal(t, issued.Data[0].Kind, documents.PurchaseAgreement)
		assert.Equal(t, string(issued.Data[1].Kind), "retail_installment_contract")
		s.Test.Post(path, nil, 409, nil).WantDetail(t, "documents", "state", "nothing is missing")
		s.Test.Post("/v1/deals/"+id+"/payments", `{"kind": "deposit", "method": "card", "amount_cents": 500000}`, 201, nil)
		s.Test.Post(path, nil, 201, &issued)
		assert.Equal(t, string(issued.Data[0].Kind), "deposit_receipt")
	})
}
