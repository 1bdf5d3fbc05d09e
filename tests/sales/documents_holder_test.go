package sales

import (
	"encoding/json"
	"strings"
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// Deals follow a merge, an export and an erasure of their contacts. A contact with
// an open deal can't be erased.
func TestDealsFollowContacts(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		ann, same1, other := s.Test.Contact(nil), s.Test.Contact(map[string]any{"last_name": "Quillfeather"}), s.Test.Contact(nil)
		bought := s.Test.Deal(map[string]any{"buyer_id": same1, "co_buyer_id": other,
			"metadata": map[string]string{"note": "Quillfeather likes blue"}})
		together := s.Test.Deal(map[string]any{"buyer_id": ann, "co_buyer_id": same1})
		helped := s.Test.Deal(map[string]any{"buyer_id": other, "co_buyer_id": same1})
		s.Test.Post("/v1/contacts/"+ann+"/merge", map[string]string{"duplicate_id": same1}, 200, nil)
		d := deal(s, bought)
		assert.Equal(t, d.BuyerID, ann)
		assert.Equal(t, d.CoBuyerID, new(other))
		d = deal(s, together)
		assert.Equal(t, d.BuyerID, ann)
		assert.Equal(t, d.CoBuyerID, nil)
		assert.Equal(t, *deal(s, helped).CoBuyerID, ann, "co-buyer")
		s.Test.Post("/v1/deals", s.Test.DealBody(map[string]any{"buyer_id": same1}), 409, nil)

		s.Test.Post("/v1/deals/"+bought+"/payments", `{"kind": "deposit", "method": "card", "amount_cents": 100}`, 201, nil)
		signed := s.Test.SignedDocument(bought, "buyers_order")
		var export map[string]json.RawMessage
		s.Test.Get("/v1/contacts/"+ann+"/export", 200, &export)
		for list, want := range map[string]int{"deals": 3, "offers": 3, "payments": 1, "documents": 1, "trade_ins": 0, "fundings": 0} {
			var rows []any
			if err := json.Unmarshal(export[list], &rows); err != nil || len(rows) != want {
				t.Errorf("%s: %v, %d rows, want %d", list, err, len(rows), want)
			}
		}
		s.Test.Do("DELETE", "/v1/contacts/"+ann, nil, 409, nil).WantDetail(t, "deal_id", "state")
		for _, id := range []string{bought, together, helped} {
			s.Test.Post("/v1/deals/"+id+"/cancel", `{"reason": "Quillfeather stopped sailing", "deposit_outcome": "refund"}`, 200, nil)
		}
		s.Test.Delete("/v1/contacts/"+ann, 204)
		s.Test.Get("/v1/deals/"+bought+"/documents/"+signed+"/content", 404, nil)
		res := s.Test.Get("/v1/deals/"+bought+"/documents/"+signed, 200, nil)
		assert.Excludes(t, res.Bytes, "Sam Hill", "still known")
		assert.Equal(t, len(deal(s, bought).Metadata), 0, "still known")
		for _, table := range []string{"SELECT data FROM {emitted}", "SELECT changes FROM audit_entries", "SELECT metadata FROM deals", "SELECT COALESCE(reason, '') FROM deal_history", "SELECT COALESCE(cancel_reason, '') FROM deals"} {
			assert.Excludes(t, strings.Join(testkit.Rows[string](s, table), "\n"), "Quillfeather", table, "without the name")
		}
	})
}

// Documents of a completed sale are retained, as the law requires.
func TestDocumentsOfASaleAreRetained(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		buyer := s.Test.Contact(nil)
		id := s.Test.DealIn("closed", map[string]any{"buyer_id": buyer})
		s.Test.Delete("/v1/contacts/"+buyer, 204)
		s.Test.Get("/v1/deals/"+id+"/documents/"+*deal(s, id).SignedAgreementID+"/content", 200, nil)
	})
}
