package sales

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slipway/internal/testkit/pdftext"
	"testing"

	"github.com/google/uuid"

	"slipway/internal/documents"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

func TestDocuments(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		boat := s.Test.Hull(s.Test.Location(), map[string]any{"hin": "GRT40912B324"})
		buyer := s.Test.Contact(map[string]any{"first_name": "Zoë", "last_name": "Núñez"})
		id := s.Test.AcceptedDeal(map[string]any{"hull_id": boat, "buyer_id": buyer,
			"co_buyer_id": s.Test.Contact(map[string]any{"first_name": "Jérôme"})})
		path := "/v1/deals/" + id + "/documents"
		var doc documents.Document
		s.Test.Post(path, `{"kind": "purchase_agreement"}`, 201, &doc)
		assert.Equal(t, doc.Status, documents.Issued)
		assert.Equal(t, fmt.Sprint(doc.RequiredSigners), "[buyer co_buyer dealer]")
		assert.Equal(t, doc.Title, "Purchase Agreement")
		assert.Equal(t, doc.PageCount, 2)
		assert.Equal(t, doc.ContentType, "application/pdf")
		assert.Equal(t, doc.IssuedBy.Type, "api_key")
		res := s.Test.Get(path+"/"+doc.ID+"/content", 200, nil)
		sum := sha256.Sum256(res.Bytes)
		assert.Equal(t, hex.EncodeToString(sum[:]), doc.SHA256)
		assert.Equal(t, int64(len(res.Bytes)), doc.SizeBytes)
		assert.Equal(t, res.Header.Get("Content-Type"), "application/pdf")
		assert.Equal(t, res.Header.Get("ETag"), `"`+doc.SHA256+`"`)
		text := pdftext.Of(t, res.Bytes)
		assert.Contains(t, text, "Zoë Núñez")
		assert.Contains(t, text, "Jérôme")
		assert.Contains(t, text, "GRT40912B324")
		assert.Contains(t, text, doc.ID)
		assert.Contains(t, text, "Page 2 of 2")
		assert.Contains(t, text, "Acme Marine")
		assert.Contains(t, text, "$118,000.00")
		s.Test.With("If-None-Match", `"`+doc.SHA256+`"`).Do("GET", path+"/"+doc.ID+"/content", nil, 304, nil)
		assert.Equal(t, string(s.Test.With("Range", "bytes=0-4").Do("GET", path+"/"+doc.ID+"/content", nil, 206, nil).Bytes), "%PDF-")

		sign := func(doc documents.Document, role string, want int) (after documents.Document) {
			t.Helper()
			s.Test.Post(path+"/"+doc.ID+"/sign", map[string]any{"signer_role": role, "signer_name": "Zoë Núñez", "ip": "192.0.2.7"}, want, nil)
			s.Test.Get(path+"/"+doc.ID, 200, &after)
			return after
		}
		assert.Equal(t, sign(doc, "buyer", 200).Status, documents.PartiallySigned, "one signature")
		sign(doc, "buyer", 409)
		sign(doc, "lender", 409)
		sign(doc, "dealer", 200)
		signed := sign(doc, "co_buyer", 200)
		if signed.Status != documents.FullySigned || len(signed.Signatures) != 3 || signed.Signatures[0].SignerName != "Zoë Núñez" ||
			*signed.Signatures[0].IP != "192.0.2.7" || signed.SignedAt == nil || signed.SHA256 != doc.SHA256 {
			t.Errorf(`got %s; want signed.Status = documents.FullySigned, len(signed.Signatures) = 3, `+
				`signed.Signatures[0].SignerName = "Zoë Núñez", signed.Signatures[0].IP = "192.0.2.7", signed.SignedAt != nil, signed.SHA256 = %q`,
				assert.Show(signed), doc.SHA256)
		}
		assert.Equal(t, *deal(s, id).SignedAgreementID, doc.ID, "the deal's agreement")
		assert.Excludes(t, fmt.Sprint(testkit.Rows[string](s, `SELECT changes FROM audit_entries WHERE target_id = ?`, doc.ID)), "Zoë", "audit log without the signer's name")

		// Issuing it again voids the old document, and the terms can change again.
		var next documents.Document
		s.Test.Post(path, map[string]any{"kind": "bill_of_sale", "supersedes_id": doc.ID}, 422, nil)
		s.Test.Post(path, map[string]any{"kind": "purchase_agreement", "supersedes_id": "doc_00000000000000000000000000"}, 422, nil)
		s.Test.Post(path, map[string]any{"kind": "purchase_agreement", "supersedes_id": doc.ID, "title": "Purchase Agreement, second issue"},
			201, &next)
		s.Test.Get(path+"/"+doc.ID, 200, &doc)
		assert.Equal(t, doc.Status, documents.Voided)
		assert.Equal(t, doc.VoidReason, new("superseded by "+next.ID))
		assert.Equal(t, next.SupersedesID, new(doc.ID))
		assert.Equal(t, next.Title, "Purchase Agreement, second issue")
		assert.Equal(t, deal(s, id).SignedAgreementID, nil)
		sign(doc, "buyer", 409)
		s.Test.Post(path+"/"+next.ID+"/void", `{}`, 400, nil)
		s.Test.Post(path+"/"+next.ID+"/void", `{"reason": "Wrong boat"}`, 200, &next)
		assert.Equal(t, *next.VoidReason, "Wrong boat", "void")
		s.Test.Post(path+"/"+next.ID+"/void", `{"reason": "Wrong boat"}`, 409, nil)
		assert.Equal(t, s.Test.Get(path+"/"+doc.ID+"/content", 200, nil).StatusCode, 200, "bytes of a void document")
		var p page.Page[documents.Document]
		s.Test.Get(path, 200, &p)
		assert.Equal(t, len(p.Data), 2, "documents")
		assert.Equal(t, s.EventTypes(doc.ID), []string{
			"document.issued", "document.partially_signed", "document.partially_signed", "document.signed", "document.voided",
		})
	})
}

func TestDocumentsReject(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.DealIn("contracted", nil)
		path := "/v1/deals/" + id + "/documents"
		for kind, field := range map[string]string{"retail_installment_contract": "selected_structure_id", "trade_title": "trade_ins",
			"deposit_receipt": "totals.paid_cents"} {
			s.Test.Post(path, map[string]string{"kind": kind}, 409, nil).WantDetail(t, field, "state", kind)
		}
		s.Test.Post(path, `{"kind": "survey", "lines": [{"description": "Battery"}]}`, 422, nil).WantDetail(t, "lines", "exclusive")
		s.Test.Post(path, `{"kind": "due_bill", "lines": [{"description": ""}]}`, 422, nil)
		s.Test.Post(path, `{"kind": "due_bill", "lines": [{"description": "Battery", "due_on": "soon"}]}`, 422, nil)
		s.Test.Post(path, `{"kind": "love_letter"}`, 422, nil)
		s.Test.Post(path, `{"kind": "bill_of_sale", "required_signers": ["captain"]}`, 422, nil)
		s.Test.Post(path, `{"kind": "bill_of_sale", "required_signers": ["co_buyer"]}`, 422, nil)
		agreement := *deal(s, id).SignedAgreementID
		s.Test.Post(path+"/"+agreement+"/void", `{"reason": "Regret"}`, 409, nil)
		s.Test.Post(path, map[string]string{"kind": "purchase_agreement", "supersedes_id": agreement}, 409, nil)
		s.Test.Post(path+"/"+agreement+"/sign", `{"signer_role": "buyer", "signer_name": "A", "signed_at": "2200-01-01T00:00:00Z"}`, 422, nil)
		s.Test.With("If-Match", `"1"`).Post(path+"/"+agreement+"/void", `{"reason": "Regret"}`, 409, nil)
		s.Test.Get("/v1/deals/"+s.Test.Deal(nil)+"/documents/"+agreement+"/content", 404, nil)
	})
}

// A due bill lists what the dealership owes.
func TestDueBillLines(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		path := "/v1/deals/" + s.Test.DealIn("contracted", nil) + "/documents"
		var doc documents.Document
		s.Test.Post(path, `{"kind": "due_bill", "lines": [{"description": "Second battery", "due_on": "2026-12-15"}, {"description": "Spare propeller"}]}`, 201, &doc)
		text := pdftext.Of(t, s.Test.Get(path+"/"+doc.ID+"/content", 200, nil).Bytes)
		assert.Contains(t, text, "1 Second battery Dec 15, 2026 2 Spare propeller")
	})
}

// A document shows the deal at the time it is issued, even while the deal changes.
// A repeated request gets the first document.
func TestDocumentsOfAChangingDeal(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.AcceptedDeal(nil)
		path := "/v1/deals/" + id
		testkit.Concurrently(t, 6, func(i int) (*testkit.Response, error) {
			if i%2 == 0 {
				return s.Test.Send("POST", path+"/documents", `{"kind": "buyers_order"}`)
			}
			return s.Test.Send("POST", path+"/payments", `{"kind": "deposit", "method": "cash", "amount_cents": 100000}`)
		})

		var p page.Page[documents.Document]
		s.Test.Get(path+"/documents", 200, &p)
		for _, doc := range p.Data {
			// Both lock the deal, so the events are in the order of the changes.
			paid := testkit.Rows[int64](s, `SELECT COUNT(*) FROM {emitted} WHERE type = 'payment.recorded'
				AND id < (SELECT id FROM {emitted} WHERE type = 'document.issued' AND object_id = ?)`, doc.ID)[0]
			want := "$0.00 Balance due"
			if paid > 0 {
				want = fmt.Sprintf("$%d,000.00 Balance due", paid)
			}
			assert.Contains(t, pdftext.Of(t, s.Test.Get(path+"/documents/"+doc.ID+"/content", 200, nil).Bytes), want, "after", paid, "payments")
		}

		c := s.Test.With("Idempotency-Key", uuid.NewString())
		first := c.Post(path+"/documents", `{"kind": "bill_of_sale"}`, 201, nil)
		s.Test.Post(path+"/cancel", `{"reason": "no", "deposit_outcome": "refund"}`, 200, nil)
		assert.Equal(t, string(c.Post(path+"/documents", `{"kind": "bill_of_sale"}`, 201, nil).Bytes), string(first.Bytes))
		s.Test.Post(path+"/documents", `{"kind": "bill_of_sale"}`, 409, nil)
	})
}
