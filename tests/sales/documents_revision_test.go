package sales

import (
	"testing"

	"slipway/internal/documents"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// The revision of a deal counts the versions of its agreed terms.
func TestRevision(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.AcceptedDeal(nil)
		path := "/v1/deals/" + id + "/documents"
		assert.Equal(t, deal(s, id).Rev, 1, "new deal")

		var unsigned documents.Document
		s.Test.Post(path, `{"kind": "purchase_agreement"}`, 201, &unsigned)
		s.Test.Post(path+"/"+unsigned.ID+"/void", `{"reason": "Typo"}`, 200, nil)
		assert.Equal(t, deal(s, id).Rev, 1, "after voiding an unsigned agreement")

		first := s.Test.SignedDocument(id, "purchase_agreement")
		assert.Equal(t, deal(s, id).Rev, 1, "after signing")
		s.Test.Post(path+"/"+first+"/void", `{"reason": "New price"}`, 200, nil)
		assert.Equal(t, deal(s, id).Rev, 2, "after voiding the signed agreement")

		second := s.Test.SignedDocument(id, "purchase_agreement")
		s.Test.Post(path, map[string]string{"kind": "purchase_agreement", "supersedes_id": second}, 201, nil)
		assert.Equal(t, deal(s, id).Rev, 3, "after replacing the signed agreement")

		bill := s.Test.SignedDocument(id, "bill_of_sale")
		s.Test.Post(path+"/"+bill+"/void", `{"reason": "Typo"}`, 200, nil)
		assert.Equal(t, deal(s, id).Rev, 3, "after voiding another document")
	})
}
