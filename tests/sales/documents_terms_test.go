package sales

import (
	"testing"

	"slipway/internal/documents"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// Both parties sign at $50,000 while the deal is open, and a $60,000 offer is made
// and accepted afterward. The boat must not be sold on a document that states
// another price.
func TestSignThenRaiseThePrice(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Deal(map[string]any{"offer_usd": 50000})
		path := "/v1/deals/" + id
		for _, kind := range []string{"purchase_agreement", "bill_of_sale", "retail_installment_contract", "uscg_cg1340"} {
			s.Test.Post(path+"/documents", map[string]string{"kind": kind}, 409, nil).WantDetail(t, "accepted_offer_id", "state", kind)
		}
		s.Test.Post(path+"/documents", `{"kind": "buyers_order"}`, 201, nil)

		s.Test.Post(path+"/offers/"+s.Test.OpeningOffer(id)+"/accept", nil, 200, nil)
		s.Test.SignedDocument(id, "purchase_agreement")
		s.Test.Post(path+"/offers", `{"amount_usd": 60000, "made_by": "dealer"}`, 409, nil)
		assert.Equal(t, deal(s, id).Totals.PriceCents, 5000000)
	})
}

// An open deal that was signed by an earlier version of the service.
func TestOffersOnASignedOpenDeal(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Deal(map[string]any{"offer_usd": 50000})
		path := "/v1/deals/" + id + "/offers"
		opening := path + "/" + s.Test.OpeningOffer(id)
		s.Exec(`UPDATE deals SET signed_agreement_id = 'doc_00000000000000000000000000' WHERE id = ?`, id)
		s.Test.Post(path, `{"amount_usd": 60000, "made_by": "dealer"}`, 409, nil).WantDetail(t, "signed_agreement_id", "state", "make")
		s.Test.Post(opening+"/accept", nil, 409, nil).WantDetail(t, "signed_agreement_id", "state", "accept")
		s.Test.Post(opening+"/reject", nil, 409, nil).WantDetail(t, "signed_agreement_id", "state", "reject")
	})
}

// The agreement is issued first, then the terms change, and then it is signed.
func TestChangeTheTermsBeforeTheSignature(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for name, change := range map[string]func(path string){
			"line items": func(path string) {
				s.Test.Patch(path, `{"line_items": [{"kind": "fee", "amount_cents": 1000000}]}`, 200, nil)
			},
			"tax":      func(path string) { s.Test.Patch(path, `{"tax_rate_percent": "6"}`, 200, nil) },
			"trade-in": func(path string) { s.Test.Post(path+"/trade_ins", `{"allowance_cents": 500000}`, 201, nil) },
			"co-buyer": func(path string) {
				s.Test.Patch(path, map[string]string{"co_buyer_id": s.Test.Contact(nil)}, 200, nil)
			},
		} {
			id := s.Test.AcceptedDeal(nil)
			path := "/v1/deals/" + id
			var doc, again documents.Document
			s.Test.Post(path+"/documents", `{"kind": "purchase_agreement"}`, 201, &doc)
			sign := path + "/documents/" + doc.ID + "/sign"
			s.Test.Post(sign, `{"signer_role": "buyer", "signer_name": "Ann Bell"}`, 200, nil)
			change(path)
			s.Test.Post(sign, `{"signer_role": "dealer", "signer_name": "Sam Hill"}`, 409, nil).WantDetail(t, "document_id", "stale", name)
			assert.Equal(t, deal(s, id).SignedAgreementID, nil, name)

			s.Test.Post(path+"/documents", map[string]string{"kind": "purchase_agreement", "supersedes_id": doc.ID}, 201, &again)
			s.Test.Post(path+"/payments", `{"kind": "deposit", "method": "card", "amount_cents": 100000}`, 201, nil) // not a term
			s.Test.Post(path+"/documents/"+again.ID+"/sign", `{"signer_role": "buyer", "signer_name": "Ann Bell"}`, 200, nil)
		}
	})
}
