package sales

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slipway/internal/testkit/pdftext"
	"testing"

	"slipway/internal/documents"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// The executed document has the signatures and starts with what was signed.
func TestExecuted(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.AcceptedDeal(nil)
		path := "/v1/deals/" + id + "/documents"
		var doc documents.Document
		s.Test.Post(path, `{"kind": "purchase_agreement"}`, 201, &doc)
		executed := "/v2-preview/deals/" + id + "/documents/" + doc.ID + "/executed"
		s.Test.Post(path+"/"+doc.ID+"/sign", `{"signer_role": "buyer", "signer_name": "Zoë Núñez", "ip": "192.0.2.7"}`, 200, nil)
		s.Test.Get(executed, 409, nil).WantDetail(t, "status", "state")
		s.Test.Post(path+"/"+doc.ID+"/sign", `{"signer_role": "dealer", "signer_name": "Sam Hill"}`, 200, nil)

		res := s.Test.Get(executed, 200, nil)
		signed := s.Test.Get(path+"/"+doc.ID+"/content", 200, nil).Bytes
		if !bytes.HasPrefix(res.Bytes, signed) {
			t.Error("got a file with another start, want the signed bytes")
		}
		sum := sha256.Sum256(res.Bytes[:doc.SizeBytes])
		assert.Equal(t, hex.EncodeToString(sum[:]), doc.SHA256, "hash of the start")
		text := pdftext.Of(t, res.Bytes)
		for _, want := range []string{"Record of Signatures", "Zoë Núñez", "Buyer", "192.0.2.7", "Sam Hill", "Dealer", "On paper", doc.SHA256[:32]} {
			assert.Contains(t, text, want)
		}
		assert.Equal(t, s.Test.Get(executed, 200, nil).Header.Get("ETag"), res.Header.Get("ETag"), "ETag")

		s.Test.Post(path+"/"+doc.ID+"/void", `{"reason": "Wrong boat"}`, 200, nil)
		s.Test.Get(executed, 409, nil)
	})
}
