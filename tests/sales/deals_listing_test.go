package sales

import (
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/testkit/pdftext"
)

// listing returns an agreement of 10 percent, of which the co-broker gets half.
func listing(owner string) map[string]any {
	return map[string]any{"owner_contact_id": owner, "kind": "exclusive", "commission_percent": "10", "co_broker": "Bay Yacht Brokers",
		"co_broker_split_percent": "50", "escrow_holder": "Harbor Escrow"}
}

// print issues a document and returns its text.
func print(t *testing.T, s *testkit.Server, dealID, kind string) string {
	t.Helper()
	var doc struct{ ID string }
	s.Test.Post("/v1/deals/"+dealID+"/documents", map[string]string{"kind": kind}, 201, &doc)
	return pdftext.Of(t, s.Test.Get("/v1/deals/"+dealID+"/documents/"+doc.ID+"/content", 200, nil).Bytes)
}

// The owner is the seller on papers, and the commission is the profit.
func TestBrokerageSale(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		boat := s.Test.Hull(s.Test.Location(), map[string]any{"ownership": "brokerage", "condition": "used"})
		path := "/v2-preview/hulls/" + boat + "/listing_agreement"
		id := s.Test.AcceptedDeal(map[string]any{"hull_id": boat, "offer_usd": 85000, "sale_type": "brokerage", "tax_rate_percent": "0"})
		issue := "/v1/deals/" + id + "/documents"

		// Without an owner, papers that name the seller are refused with the reason.
		s.Test.Get(path, 404, nil)
		for _, kind := range []string{"purchase_agreement", "buyers_order", "bill_of_sale", "title_application", "uscg_cg1340", "settlement_statement"} {
			s.Test.Post(issue, map[string]string{"kind": kind}, 409, nil).WantDetail(t, "hull.listing_agreement", "state", kind)
		}
		assert.Contains(t, print(t, s, id, "survey"), "Broker Acme Marine")

		owner := s.Test.Contact(map[string]any{"first_name": "Olive", "last_name": "Owner"})
		s.Test.Put(path, listing("con_00000000000000000000000000"), 422, nil).WantDetail(t, "owner_contact_id", "not_found")
		s.Test.Put(path, map[string]any{"owner_contact_id": owner, "kind": "open"}, 422, nil).WantDetail(t, "commission_percent", "exclusive")
		var l struct{ Version int64 }
		s.Test.Put(path, listing(owner), 200, &l)
		assert.Equal(t, l.Version, 1)
		s.Test.With("If-Match", `"7"`).Put(path, listing(owner), 409, nil)

		for kind, wants := range map[string][]string{
			"purchase_agreement": {"Seller and owner Olive Owner", "Broker Acme Marine", "is the broker of the seller and not the owner",
				"Harbor Escrow holds the deposit", "Olive Owner Seller and owner"},
			"bill_of_sale":         {"Seller and owner Olive Owner"},
			"title_application":    {"Seller Olive Owner"},
			"uscg_cg1340":          {"4. Seller Name and address Olive Owner"},
			"settlement_statement": {"Commission at 10% −$8,500.00", "Net proceeds of the owner $76,500.00", "Acme Marine $4,250.00", "Bay Yacht Brokers, co-broker $4,250.00", "Escrow holder Harbor Escrow"},
		} {
			text := print(t, s, id, kind)
			for _, want := range wants {
				assert.Contains(t, text, want, kind)
			}
		}

		// The profit is the commission without the part of the co-broker.
		assert.Equal(t, *deal(s, id).Totals.FrontProfitCents, 425000)
		s.Test.Put(path, map[string]any{"owner_contact_id": owner, "kind": "exclusive", "net_price": map[string]any{"amount": 8000000, "currency": "USD"}}, 200, nil)
		assert.Equal(t, *deal(s, id).Totals.FrontProfitCents, 500000, "net price")
		s.Test.Put(path, listing(owner), 200, nil)
		assert.Equal(t, s.EventTypes(boat)[len(s.EventTypes(boat))-1], "listing_agreement.saved")

		var expanded struct {
			ListingAgreement struct {
				CommissionPercent string `json:"commission_percent"`
			} `json:"listing_agreement"`
		}
		s.Test.Get("/v2-preview/hulls/"+boat+"?expand=listing_agreement", 200, &expanded)
		assert.Equal(t, expanded.ListingAgreement.CommissionPercent, "10")
		s.Person("sales").Get("/v2-preview/hulls/"+boat+"?expand=listing_agreement", 403, nil).WantDetail(t, "expand", "scope")
		assert.Excludes(t, s.Test.Get("/v2-preview/hulls/"+s.Test.Hull(s.Test.Location(), nil)+"?expand=listing_agreement", 200, nil).Bytes, "listing_agreement")
	})
}

// An agreement is stale after the owner changed.
func TestSellerIsATerm(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		boat := s.Test.Hull(s.Test.Location(), nil)
		path := "/v2-preview/hulls/" + boat + "/listing_agreement"
		s.Test.Put(path, listing(s.Test.Contact(nil)), 200, nil)
		assert.Equal(t, string(hull(s, boat).Ownership), "brokerage", "the agreement says who owns the boat")
		id := s.Test.AcceptedDeal(map[string]any{"hull_id": boat})
		var doc struct{ ID string }
		s.Test.Post("/v1/deals/"+id+"/documents", `{"kind": "purchase_agreement"}`, 201, &doc)
		s.Test.Put(path, listing(s.Test.Contact(nil)), 200, nil)
		s.Test.Post("/v1/deals/"+id+"/documents/"+doc.ID+"/sign", `{"signer_role": "buyer", "signer_name": "Ann"}`, 409, nil).WantDetail(t, "document_id", "stale")
		s.Test.Delete(path, 204)
		s.Test.Delete(path, 404)
		assert.Equal(t, s.EventTypes(boat)[len(s.EventTypes(boat))-1], "listing_agreement.removed")
	})
}

// The gross report counts the commission, and a delivered sale keeps it.
func TestCommissionInReports(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		boat := s.Test.Hull(s.Test.Location(), nil)
		path := "/v2-preview/hulls/" + boat + "/listing_agreement"
		owner := s.Test.Contact(nil)
		s.Test.Put(path, listing(owner), 200, nil)
		s.Test.Do("DELETE", "/v1/contacts/"+owner, nil, 409, nil).WantDetail(t, "hull_id", "state")
		id := s.Test.DealIn("delivered", map[string]any{"hull_id": boat, "offer_usd": 85000})
		var r struct {
			Total struct {
				Front struct{ Amount int64 }
			}
		}
		s.Test.Get("/v2-preview/reports/gross", 200, &r)
		assert.Equal(t, r.Total.Front.Amount, 425000)
		s.Test.Put(path, listing(owner), 409, nil).WantDetail(t, "hull_id", "state")
		s.Test.Do("PUT", "/v1/hulls/"+boat+"/pricing", `{"price_usd": 90000, "cost": {"invoice_cents": 100}}`, 200, nil)
		assert.Equal(t, *deal(s, id).Totals.FrontProfitCents, 425000, "a bill doesn't change what the owner got")
	})
}
