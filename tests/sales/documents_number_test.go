package sales

import (
	"slices"
	"slipway/internal/testkit/pdftext"
	"testing"

	"slipway/internal/documents"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

// Deals and documents have numbers that increase, also if they are added at the
// same time.
func TestNumbers(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		first := s.Test.AcceptedDeal(nil)
		assert.Equal(t, deal(s, first).Number, 1001)
		body := s.Test.DealBody(nil)
		testkit.Concurrently(t, 8, func(i int) (*testkit.Response, error) {
			if i%2 == 0 {
				return s.Test.Send("POST", "/v1/deals/"+first+"/documents", `{"kind": "buyers_order"}`)
			}
			return s.Test.Send("POST", "/v1/deals", body)
		})

		numbers := testkit.Rows[int64](s, `SELECT number FROM deals ORDER BY number`)
		assert.Equal(t, numbers, []int64{1001, 1002, 1003, 1004, 1005}, "deals")
		numbers = testkit.Rows[int64](s, `SELECT number FROM documents ORDER BY number`)
		assert.Equal(t, len(slices.Compact(numbers)), 4, "documents")
		assert.Equal(t, numbers[0], 1001, "first document")

		var found page.Page[struct{ Number int64 }]
		s.Test.Get("/v1/deals?number=1003", 200, &found)
		assert.Equal(t, len(found.Data), 1, "deals with the number")
		assert.Equal(t, found.Data[0].Number, 1003)
	})
}

// A name that no font has must not become a box on a contract.
func TestNameWithoutAFont(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		buyer := s.Test.Contact(map[string]any{"first_name": nil, "last_name": "\U000323AE\U000323AD"})
		id := s.Test.AcceptedDeal(map[string]any{"buyer_id": buyer})
		path := "/v1/deals/" + id + "/documents"
		s.Test.Post(path, `{"kind": "purchase_agreement"}`, 422, nil).WantDetail(t, "legal_name_latin", "unprintable")
		s.Test.Post(path, map[string]any{"kind": "purchase_agreement", "title": "\U000323AE"}, 422, nil).WantDetail(t, "title", "unprintable")

		s.Test.Patch("/v1/contacts/"+buyer, `{"legal_name_latin": "王"}`, 422, nil).WantDetail(t, "legal_name_latin", "pattern")
		s.Test.Patch("/v1/contacts/"+buyer, `{"legal_name_latin": "Wang Xiaoming"}`, 200, nil)
		var doc documents.Document
		s.Test.Post(path, `{"kind": "purchase_agreement"}`, 201, &doc)
		text := pdftext.Of(t, s.Test.Get(path+"/"+doc.ID+"/content", 200, nil).Bytes)
		assert.Contains(t, text, "Wang Xiaoming")
	})
}
