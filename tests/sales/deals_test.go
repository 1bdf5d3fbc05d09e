package sales

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"slipway/internal/deals"
	"slipway/internal/hulls"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

func TestCreateGetUpdate(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.Test.Patch("/v1/dealership", `{"settings": {"default_tax_rate_percent": "6"}}`, 200, nil)
		boat, buyer := s.Test.Hull(s.Test.Location(), nil), s.Test.Contact(nil)
		var d deals.Deal
		res := s.Test.Post("/v1/deals", map[string]any{"hull_id": boat, "buyer_id": buyer, "offer_usd": 118000,
			"metadata": map[string]string{"desk": "3"}}, 201, &d)
		assert.Equal(t, res.Header.Get("ETag"), `"1"`)
		assert.Equal(t, d.OfferUSD, 118000)
		assert.Equal(t, d.Status, deals.Open)
		assert.Equal(t, d.StatusCategory, "open")
		assert.Equal(t, d.DealType, deals.Cash)
		assert.Equal(t, d.SaleType, "retail")
		assert.Equal(t, d.Totals.PriceCents, 11800000)
		assert.Equal(t, d.Totals.TaxCents, 708000)
		assert.Equal(t, d.Totals.BalanceDueCents, 12508000)
		assert.Equal(t, d.FundingState, "not_required")
		assert.Equal(t, d.Rev, 1)
		read := s.Test.Get("/v1/deals/"+d.ID, 200, nil)
		assert.Equal(t, string(read.Bytes), string(res.Bytes), "read after create")
		same(t, "hull", hull(s, boat).Status, hulls.Available)

		path := "/v1/deals/" + d.ID
		d = deals.Deal{}
		s.Test.Patch(path, `{"tax_rate_percent": "7.5", "line_items": [{"kind": "fee", "amount_cents": 10000, "taxable": true}, `+
			`{"kind": "product", "amount_cents": 5000, "cost_cents": 2000}], "metadata": {"desk": null}}`, 200, &d)
		assert.Equal(t, d.Totals.LineItemsCents, 15000)
		assert.Equal(t, d.Totals.TaxCents, 885750)
		assert.Equal(t, d.Version, 2)
		assert.Equal(t, len(d.Metadata), 0)
		assert.Equal(t, d.LineItems[1].Side, new(deals.LineItemSide("back")))
		assert.Equal(t, d.Totals.BackProfitCents, new(int64(3000)))
		if d.Totals.FrontProfitCents != nil {
			t.Error("got a profit for a hull without a cost, want none")
		}
		s.Test.Put("/v1/hulls/"+boat+"/pricing", `{"price_usd": 124900, "cost": {"invoice_cents": 9000000, "freight_cents": 100000}}`, 200, nil)
		d = deal(s, d.ID)
		assert.Equal(t, d.Totals.FrontProfitCents, nil, "the cost of the fee is unknown")
		s.Test.Patch(path, `{"line_items": [{"kind": "fee", "amount_cents": 10000, "cost_cents": 0, "taxable": true}, `+
			`{"kind": "product", "amount_cents": 5000, "cost_cents": 2000}]}`, 200, &d)
		assert.Equal(t, d.Totals.FrontProfitCents, new(int64(11800000-9100000+10000)))
		var seen deals.Deal
		s.As(s.Key(auth.DealsRead)).Get(path, 200, &seen)
		assert.Equal(t, seen.Totals.FrontProfitCents, nil, "without deals:write")
		assert.Equal(t, seen.Totals.BackProfitCents, nil, "without deals:write")
		assert.Equal(t, seen.LineItems[1].CostCents, nil, "without deals:write")
		s.Test.Patch(path, `{"line_items": null}`, 200, &d)
		assert.Len(t, d.LineItems, 0)
		s.Test.With("If-Match", `"1"`).Patch(path, `{"metadata": {"a": "1"}}`, 409, nil)
		same(t, "events of the deal", eventTypes(s, d.ID), "deal.opened deal.updated deal.updated deal.updated")
		emitted := testkit.Rows[string](s, `SELECT data FROM {emitted} WHERE object_id = ? AND type = 'deal.updated'`, d.ID)
		assert.Contains(t, emitted[0], `"back_profit_cents":null`, "event without the profit")
		assert.Excludes(t, emitted[0], `"cost_cents":2000`, "event without the profit")
	})
}

func TestCreateRejects(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		post := func(want int, changes map[string]any) testkit.Fault {
			return s.Test.Post("/v1/deals", s.Test.DealBody(changes), want, nil).Fault(t)
		}
		unknown := "_00000000000000000000000000"
		f := post(422, map[string]any{"hull_id": "hull" + unknown, "buyer_id": "con" + unknown, "co_buyer_id": "con_00000000000000000000000001",
			"lead_id": "lead" + unknown, "owner_id": "usr" + unknown})
		for _, field := range []string{"hull_id", "buyer_id", "co_buyer_id", "lead_id", "owner_id"} {
			f.WantDetail(t, field, "not_found")
		}
		if f := post(422, map[string]any{"offer_usd": -1, "metadata": map[string]string{strings.Repeat("k", 41): ""}}); !f.HasDetail("offer_usd",
			"minimum") || !f.HasDetail("metadata", "too_long") {
			t.Errorf(`not all errors together: got %+v; want a detail "offer_usd" "minimum", a detail "metadata" "too_long"`, f)
		}

		buyer := s.Test.Contact(nil)
		post(422, map[string]any{"buyer_id": buyer, "co_buyer_id": buyer}).WantDetail(t, "co_buyer_id", "exclusive")
		if f := s.Test.Post("/v1/deals", `{"hull_id": "x"}`, 400, nil).Fault(t); !f.HasDetail("buyer_id", "required") ||
			!f.HasDetail("offer_usd", "required") {
			t.Errorf(`got %+v; want a detail "buyer_id" "required", a detail "offer_usd" "required"`, f)
		}
		post(422, map[string]any{"status": "closed"})

		gone := s.Test.Hull(s.Test.Location(), map[string]any{"status": "not_for_sale"})
		post(409, map[string]any{"hull_id": gone}).WantDetail(t, "hull_id", "state")
		id := s.Test.Deal(nil)
		for body, field := range map[string]string{
			`{"tax_rate_percent": "6,5"}`: "tax_rate_percent",
			`{"line_items": [{"kind": "discount", "amount_cents": 1, "cost_cents": 1}]}`: "line_items[0].cost_cents",
			`{"line_items": [{"kind": "fee", "amount_cents": -1}]}`:                      "line_items[0].amount_cents",
			`{"line_items": [{"kind": "bribe", "amount_cents": 1}]}`:                     "line_items[0].kind",
			`{"owner_id": "usr_x"}`: "owner_id",
		} {
			f := s.Test.Patch("/v1/deals/"+id, body, 422, nil).Fault(t)
			assert.Len(t, f.Details, 1, body)
			assert.Equal(t, f.Details[0].Field, field, body)
		}
	})
}

// A cash deal from the first offer to closing.
func TestWholeCashDeal(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		boat := s.Test.Hull(s.Test.Location(), nil)
		id := s.Test.Deal(map[string]any{"hull_id": boat})
		path := "/v1/deals/" + id
		s.Test.Post(path+"/advance", nil, 409, nil).WantDetail(t, "to", "state", "advance without an accepted offer")
		accept(s, id, 200)
		same(t, "hull", hull(s, boat).Status, hulls.SalePending)
		s.Test.Post(path+"/advance", nil, 409, nil).WantDetail(t, "signed_agreement_id", "state", "contract without an agreement")
		s.Test.SignedDocument(id, "purchase_agreement")
		s.Test.Patch(path, `{"tax_rate_percent": "1"}`, 409, nil).WantDetail(t, "signed_agreement_id", "state", "signed terms")
		s.Test.Patch(path, `{"metadata": {"a": "1"}}`, 200, nil)
		s.Test.Post(path+"/advance", nil, 200, nil)
		same(t, "hull", hull(s, boat).Status, hulls.Sold)
		s.Test.Post(path+"/advance", `{}`, 409, nil).WantDetail(t, "totals.balance_due_cents", "state", "fund without money")
		s.Test.Post(path+"/advance", `{"to": "delivered"}`, 409, nil).WantDetail(t, "status", "state", "deliver without money")
		pay(s, id, 11800000)
		s.Test.Post(path+"/advance", `{"to": "funded"}`, 200, nil)
		s.Test.Post(path+"/cancel", `{"reason": "too late", "deposit_outcome": "refund"}`, 409, nil)
		s.Test.Post(path+"/advance", `{"to": "delivered", "reason": "at the slip"}`, 200, nil)
		same(t, "hull", hull(s, boat).Status, hulls.Delivered)
		s.Test.Post(path+"/advance", nil, 200, nil)

		d := deal(s, id)
		if d.Status != deals.Closed || d.StatusCategory != "done" || d.AcceptedAt == nil || d.ContractedAt == nil || d.FundedAt == nil ||
			d.DeliveredAt == nil || d.ClosedAt == nil || d.Totals.BalanceDueCents != 0 {
			t.Errorf(`closed %s; want d.Status = deals.Closed, d.StatusCategory = "done", d.AcceptedAt != nil, d.ContractedAt != nil, `+
				`d.FundedAt != nil, d.DeliveredAt != nil, d.ClosedAt != nil, d.Totals.BalanceDueCents = 0`, assert.Show(d))
		}
		s.Test.Post("/v1/hulls/"+boat+"/archive", nil, 200, nil) // the deal no longer has it
		same(t, "events of the deal", eventTypes(s, id),
			"deal.opened deal.accepted deal.updated deal.contracted deal.funded deal.delivered deal.closed")
		same(t, "events of the hull", eventTypes(s, boat),
			"hull.created hull.status_changed hull.sold hull.status_changed hull.updated hull.archived")

		var history page.Page[deals.DealChange]
		s.Test.Get(path+"/history", 200, &history)
		var got []string
		for _, c := range history.Data {
			got = append(got, string(c.To))
		}
		same(t, "history", strings.Join(got, " "), "closed delivered funded contracted accepted open")
		assert.Equal(t, history.Data[1].Reason, new("at the slip"))
		assert.Equal(t, history.Data[5].From, nil)
		assert.Equal(t, history.Data[0].From, new(string(deals.Delivered)))
	})
}

// With these settings, a hull is sold when the deal is funded, and it can be
// delivered before that.
func TestDealershipSettings(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.Test.Patch("/v1/dealership", `{"settings": {"sold_when": "funded", "allow_delivery_before_funding": true}}`, 200, nil)
		boat := s.Test.Hull(s.Test.Location(), nil)
		id := s.Test.DealIn("contracted", map[string]any{"hull_id": boat})
		same(t, "hull of a contracted deal", hull(s, boat).Status, hulls.SalePending)
		s.Test.Post("/v1/deals/"+id+"/advance", `{"to": "delivered"}`, 200, nil)
		if h := hull(s, boat); h.Status != hulls.Delivered || h.SoldAt == nil {
			t.Errorf("delivered before funding: got %s; want h.Status = hulls.Delivered, h.SoldAt != nil", assert.Show(h))
		}
		s.Test.Post("/v1/deals/"+id+"/advance", nil, 409, nil).WantDetail(t, "totals.balance_due_cents", "state", "close without money")
		pay(s, id, 11800000)
		s.Test.Post("/v1/deals/"+id+"/advance", nil, 200, nil)
	})
}

// Canceling restores the previous status of the hull.
func TestCancelReleasesTheHull(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		until := func(d time.Duration) string { return s.DB.Now().Add(d).UTC().Format(time.RFC3339) }
		held := func(d time.Duration) string {
			boat := s.Test.Hull(loc, nil)
			s.Test.Post("/v1/hulls/"+boat+"/transition", map[string]string{"to": "on_hold", "reason": "survey", "expires_at": until(d)}, 200, nil)
			return boat
		}

		for name, tt := range map[string]struct {
			boat  string
			wait  time.Duration
			after hulls.Status
		}{
			"available":        {s.Test.Hull(loc, nil), 0, hulls.Available},
			"on order":         {s.Test.Hull(loc, map[string]any{"status": "on_order", "hin": nil}), 0, hulls.OnOrder},
			"in transit":       {s.Test.Hull(loc, map[string]any{"status": "in_transit"}), 0, hulls.InTransit},
			"on hold":          {held(24 * time.Hour), 0, hulls.OnHold},
			"on hold, expired": {held(time.Hour), 2 * time.Hour, hulls.Available},
		} {
			id := s.Test.Deal(map[string]any{"hull_id": tt.boat})
			s.Test.Post("/v1/deals/"+id+"/offers/"+s.Test.OpeningOffer(id)+"/accept", `{"override_hold": true}`, 200, nil)
			s.Advance(tt.wait)
			s.Test.Post("/v1/deals/"+id+"/cancel", `{"reason": "no"}`, 200, nil)
			h := hull(s, tt.boat)
			if h.Status != tt.after || (h.Hold != nil) != (tt.after == hulls.OnHold) {
				t.Errorf("%s: got %s, want %s, with a hold only if on hold", name, assert.Show(h), tt.after)
			}
		}

		boat := s.Test.Hull(loc, nil)
		id := s.Test.DealIn("contracted", map[string]any{"hull_id": boat}) // a sold hull becomes available again
		s.Test.Post("/v1/deals/"+id+"/cancel", `{"reason": "no"}`, 200, nil)
		h := hull(s, boat)
		assert.Equal(t, h.Status, hulls.Available)
		assert.Equal(t, h.SoldAt, nil)
	})
}

// Canceling requires a deposit outcome, ends offers and documents, and lets
// another deal reserve the hull.
func TestCancel(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for outcome, paid := range map[string]int64{"refund": 0, "forfeit": 50000} {
			boat := s.Test.Hull(s.Test.Location(), nil)
			id := s.Test.Deal(map[string]any{"hull_id": boat})
			path := "/v1/deals/" + id
			pay(s, id, 20000)
			pay(s, id, 30000)
			s.Test.Post(path+"/trade_ins", `{"allowance_cents": 0}`, 201, nil)
			s.Test.Post(path+"/offers", `{"amount_usd": 120000, "made_by": "dealer"}`, 201, nil)

			var order, agreement struct{ ID, Status string }
			s.Test.Post(path+"/documents", `{"kind": "buyers_order"}`, 201, &order)
			agreement.ID = s.Test.SignedDocument(id, "trade_title")
			s.Test.Post(path+"/cancel", `{"reason": "no"}`, 400, nil).WantDetail(t, "deposit_outcome", "required")
			s.Test.Post(path+"/cancel", `{}`, 400, nil)
			s.Test.Post(path+"/cancel", `{"reason": "no", "deposit_outcome": "keep"}`, 422, nil)

			var d deals.Deal
			s.Test.Post(path+"/cancel", map[string]string{"reason": "Survey", "deposit_outcome": outcome}, 200, &d)
			if d.Status != deals.Cancelled || d.StatusCategory != "cancelled" || *d.CancelReason != "Survey" || string(*d.DepositOutcome) != outcome ||
				d.Totals.PaidCents != paid || d.Totals.BalanceDueCents != 0 || d.CancelledAt == nil {
				t.Errorf(`%s: got %s; want d.Status = deals.Cancelled, d.StatusCategory = "cancelled", d.CancelReason = "Survey", `+
					`d.DepositOutcome = %q, d.Totals.PaidCents = %v, d.Totals.BalanceDueCents = 0, d.CancelledAt != nil`,
					outcome, assert.Show(d), outcome, paid)
			}
			s.Test.Get(path+"/documents/"+order.ID, 200, &order)
			s.Test.Get(path+"/documents/"+agreement.ID, 200, &agreement)
			assert.Equal(t, order.Status, "voided")
			assert.Equal(t, agreement.Status, "signed")

			var offers page.Page[deals.Offer]
			s.Test.Get(path+"/offers", 200, &offers)
			for _, o := range offers.Data {
				same(t, "offer", o.Status, deals.Withdrawn)
			}
			s.Test.Post(path+"/cancel", `{"reason": "again"}`, 409, nil)
			s.Test.Post(path+"/payments", `{"kind": "deposit", "method": "card", "amount_cents": 1}`, 409, nil)
			accept(s, s.Test.Deal(map[string]any{"hull_id": boat}), 200)
		}
	})
}

func TestListDeals(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		here := s.Test.Location()
		boat, buyer, owner := s.Test.Hull(here, nil), s.Test.Contact(nil), s.Test.User(nil)
		first := s.Test.Deal(map[string]any{"hull_id": boat, "buyer_id": buyer})
		second := s.Test.AcceptedDeal(map[string]any{"hull_id": boat, "owner_id": owner, "deal_type": "finance"})
		third := s.Test.DealIn("cancelled", nil)
		for query, want := range map[string][]string{
			"":                          {third, second, first},
			"status=accepted":           {second},
			"status_category=open":      {second, first},
			"status_category=cancelled": {third},
			"status_category=done":      {},
			"deal_type=finance":         {second},
			"hull_id=" + boat:           {second, first},
			"buyer_id=" + buyer:         {first},
			"owner_id=" + owner:         {second},
			"location_id=" + here:       {second, first},
			"location_id=" + here + "&status=accepted": {second},
			"location_id=loc_none":                     {},
			"limit=1":                                  {third},
			"starting_after=" + second:                 {first},
			"hull_id=" + boat + "&status_category=open&created_before=2100-01-01T00:00:00Z&updated_after=2020-01-01T00:00:00Z": {second, first},
			"created_after=2100-01-01T00:00:00Z": {},
		} {
			var p page.Page[deals.Deal]
			s.Test.Get("/v1/deals?"+query, 200, &p)
			got := []string{}
			for _, d := range p.Data {
				got = append(got, d.ID)
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: %v, want %v", query, got, want)
			}
		}

		s.Test.Get("/v1/deals?status=closed&status_category=open", 400, nil)
		s.Test.Get("/v1/deals?status=sold", 400, nil)
		s.Test.Get("/v1/deals?starting_after="+boat, 400, nil)
	})
}

func TestConvertLead(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		boat, buyer := s.Test.Hull(s.Test.Location(), nil), s.Test.Contact(nil)
		var lead struct {
			ID, Status string
			DealID     *string `json:"deal_id"`
		}
		s.Test.Post("/v1/leads", map[string]any{"contact_id": buyer}, 201, &lead)
		s.Test.Post("/v1/leads/"+lead.ID+"/convert", `{"offer_usd": 1000}`, 400, nil).WantDetail(t, "hull_id", "required")

		var d deals.Deal
		s.Test.Post("/v1/leads/"+lead.ID+"/convert", map[string]any{"offer_usd": 1000, "hull_id": boat}, 201, &d)
		assert.Equal(t, d.BuyerID, buyer)
		assert.Equal(t, d.HullID, boat)
		assert.Equal(t, d.OfferUSD, 1000)
		assert.Equal(t, d.LeadID, new(lead.ID))
		assert.Equal(t, d.Status, deals.Open)
		s.Test.Get("/v1/leads/"+lead.ID, 200, &lead)
		assert.Equal(t, lead.Status, "converted")
		assert.Equal(t, lead.DealID, new(d.ID))
		s.Test.Post("/v1/leads/"+lead.ID+"/convert", map[string]any{"offer_usd": 1000, "hull_id": boat}, 409, nil)

		var p page.Page[deals.Deal]
		s.Test.Get("/v1/deals?lead_id="+lead.ID, 200, &p)
		assert.Len(t, p.Data, 1, "deals of one lead")
	})
}

// Tests each action in each status. One deal passes through all statuses. Actions
// that would end it are tested on other deals.
func TestEveryActionInEveryStatus(t *testing.T) {
	const rejected = 409
	actions := []struct {
		name, path, body string
		allowed          string // the statuses in which it works
		success          int
	}{
		{"make an offer on", "/offers", `{"amount_usd": 1, "made_by": "buyer"}`, "open", 201},
		{"accept an offer on", "/offers/{offer}/accept", `{}`, "open", 200},
		{"reject an offer on", "/offers/{offer}/reject", `{}`, "open", 200},
		{"trade in on", "/trade_ins", `{"allowance_cents": 0}`, "open accepted", 201},
		{"create a structure for", "/finance_structures", `{"apr_percent": "5", "term_months": 12}`, "open accepted", 201},
		{"pay", "/payments", `{"kind": "deposit", "method": "cash", "amount_cents": 1}`,
			"open accepted in_finance contracted funded delivered", 201},
		{"issue a document of", "/documents", `{"kind": "privacy_notice"}`, "open accepted in_finance contracted funded delivered closed", 201},
		{"cancel", "/cancel", `{"reason": "no", "deposit_outcome": "forfeit"}`, "open accepted in_finance contracted", 200},
		{"move to accepted", "/advance", `{"to": "accepted"}`, "", 200},
		{"move to finance", "/advance", `{"to": "in_finance"}`, "accepted", 200},
		{"advance", "/advance", `{}`, "in_finance contracted funded delivered", 200},
	}

	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		c := s.Test
		on := c.AcceptedDeal(nil)
		for _, status := range []string{"open", "accepted", "in_finance", "contracted", "funded", "delivered", "closed", "cancelled"} {
			id := on
			switch status {
			case "open", "cancelled":
				id = c.DealIn(status, nil)
			case "in_finance":
				c.SignedDocument(on, "purchase_agreement")
			case "contracted":
				pay(s, on, deal(s, on).Totals.BalanceDueCents)
			}

			same(t, "status of the deal", string(deal(s, id).Status), status)
			for _, a := range actions {
				target, want := id, rejected
				if strings.Contains(" "+a.allowed+" ", " "+status+" ") {
					want = a.success
					if status == "open" || a.name == "cancel" {
						target = c.DealIn(status, nil)
					}
				}
				path := "/v1/deals/" + target + strings.ReplaceAll(a.path, "{offer}", c.OpeningOffer(target))
				if res, err := c.Send(http.MethodPost, path, a.body); err != nil || res.StatusCode != want {
					t.Errorf("%s a deal that is %s: %v %d, want %d\n%s", a.name, status, err, res.StatusCode, want, res.Bytes)
				}
			}
		}
	})
}
