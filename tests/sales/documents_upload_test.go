package sales

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"slipway/internal/documents"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// Scans are uploaded, downloaded and used as evidence.
func TestUpload(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.AcceptedDeal(map[string]any{"deal_type": "finance"})
		path := "/v2-preview/deals/" + id + "/documents/upload"
		scan := testkit.Picture()
		var doc documents.Document
		s.Test.Post(path+"?kind=credit_application&title=Tax+return", scan, 201, &doc)
		sum := sha256.Sum256(scan.Bytes)
		assert.Equal(t, doc.SHA256, hex.EncodeToString(sum[:]))
		assert.Equal(t, doc.SizeBytes, int64(len(scan.Bytes)))
		assert.Equal(t, doc.Origin, documents.FromUpload)
		assert.Equal(t, doc.ContentType, "image/png")
		assert.Equal(t, doc.Title, "Tax return")
		assert.Equal(t, doc.Number, 1001)
		content := "/v1/deals/" + id + "/documents/" + doc.ID
		res := s.Test.Get(content+"/content", 200, nil)
		assert.Equal(t, string(res.Bytes), string(scan.Bytes), "content")
		assert.Equal(t, res.Header.Get("Content-Type"), "image/png")
		s.Test.Post(content+"/sign", `{"signer_role": "buyer", "signer_name": "Ann Bell"}`, 409, nil)

		// The type is detected, whatever the caller declares.
		pdf := testkit.File{Type: "image/png", Bytes: []byte("%PDF-1.7 and more")}
		s.Test.Post(path+"?kind=insurance_binder", pdf, 201, &doc)
		assert.Equal(t, doc.ContentType, "application/pdf")
		assert.Equal(t, doc.Title, "Insurance Information")
		html := testkit.File{Type: "application/pdf", Bytes: []byte("<html><script>")}
		s.Test.Post(path+"?kind=survey", html, 422, nil).WantDetail(t, "file", "type")
		cut := testkit.File{Type: "image/png", Bytes: scan.Bytes[:60]}
		s.Test.Post(path+"?kind=survey", cut, 422, nil).WantDetail(t, "file", "damaged")
		s.Test.Post(path+"?kind=love_letter", testkit.Picture(), 422, nil).WantDetail(t, "kind", "enum")
		s.Live.Post(path+"?kind=survey", testkit.Picture(), 404, nil)

		var structure, funding, stipulation struct{ ID string }
		s.Test.Post("/v1/deals/"+id+"/finance_structures", `{"apr_percent": "7.49", "term_months": 240}`, 201, &structure)
		s.Test.Post("/v1/deals/"+id+"/finance_structures/"+structure.ID+"/select", nil, 200, nil)
		fundings := "/v1/deals/" + id + "/fundings"
		s.Test.Post(fundings, map[string]string{"lender": "Bay Federal", "structure_id": structure.ID}, 201, &funding)
		stipulations := fundings + "/" + funding.ID + "/stipulations"
		s.Test.Post(stipulations, `{"kind": "tax_returns"}`, 201, &stipulation)
		resolve := stipulations + "/" + stipulation.ID + "/resolve"
		other := s.Test.SignedDocument(s.Test.AcceptedDeal(nil), "bill_of_sale")
		s.Test.Post(resolve, map[string]string{"status": "received", "document_id": other}, 422, nil).WantDetail(t, "document_id", "not_found")
		var resolved struct {
			DocumentID *string `json:"document_id"`
		}
		s.Test.Post(resolve, map[string]string{"status": "received", "document_id": doc.ID}, 200, &resolved)
		assert.Equal(t, resolved.DocumentID, new(doc.ID))

		// Cancelling the deal keeps the uploads.
		s.Test.Post("/v1/deals/"+id+"/cancel", `{"reason": "no"}`, 200, nil)
		s.Test.Get("/v1/deals/"+id+"/documents/"+doc.ID, 200, &doc)
		assert.Equal(t, doc.Status, documents.Issued)
	})
}

// A PDF that runs code is rejected. Others are sent as attachments.
func TestUploadActivePDF(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		path := "/v2-preview/deals/" + s.Test.AcceptedDeal(nil) + "/documents/upload?kind=insurance_binder"
		pdf := "%PDF-1.7\n1 0 obj\n<< /S /JavaScript /JS (app.alert(1)) >>\nendobj\n"
		s.Test.Post(path, testkit.File{Type: "application/pdf", Bytes: []byte(pdf)}, 422, nil).WantDetail(t, "file", "active")
		var doc documents.Document
		plain := strings.ReplaceAll(pdf, "/S /JavaScript /JS (app.alert(1))", "/Type /Catalog")
		s.Test.Post(path, testkit.File{Type: "application/pdf", Bytes: []byte(plain)}, 201, &doc)
		res := s.Test.Get("/v1/deals/"+doc.DealID+"/documents/"+doc.ID+"/content", 200, nil)
		assert.Contains(t, res.Header.Get("Content-Disposition"), "attachment")
	})
}
