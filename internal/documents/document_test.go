package documents

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"slipway/internal/contacts"
	"slipway/internal/deals"
	"slipway/internal/testkit/pdftext"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// Tests each action on a document in each status.
func TestEveryDocumentAction(t *testing.T) {
	for _, status := range []DocumentStatus{Issued, PartiallySigned, FullySigned, Voided} {
		doc := Document{ID: "doc_1", Kind: PurchaseAgreement, Status: status, RequiredSigners: []SignerRole{ByBuyer, ByDealer}}
		switch status {
		case PartiallySigned:
			doc.Signatures = []DocumentSignature{{SignerRole: ByBuyer}}
		case FullySigned:
			doc.Signatures = []DocumentSignature{{SignerRole: ByBuyer}, {SignerRole: ByDealer}}
		}

		for _, role := range []SignerRole{ByBuyer, ByCoBuyer, ByDealer, ByLender} {
			d := doc
			err := d.sign(DocumentSign{SignerRole: role, SignerName: "Ann"}, now)
			want := map[DocumentStatus]map[SignerRole]DocumentStatus{
				Issued:          {ByBuyer: PartiallySigned, ByDealer: PartiallySigned},
				PartiallySigned: {ByDealer: FullySigned},
			}[status][role]
			if (err == nil) != (want != "") || err == nil && d.Status != want || err != nil && fault.KindOf(err) != fault.KindConflict {
				t.Errorf("the %s signs a document that is %s: %v, %s; want %q", role, status, err, d.Status, want)
			}
		}

		for _, s := range []deals.Status{deals.Open, deals.Accepted, deals.InFinance, deals.Contracted, deals.Funded, deals.Delivered,
			deals.Closed, deals.Cancelled} {
			for _, binding := range []bool{false, true} {
				d, deal := doc, deals.Deal{Status: s}
				if binding {
					deal.SignedAgreementID = &d.ID
				}
				fixed := binding && slices.Contains([]deals.Status{deals.Contracted, deals.Funded, deals.Delivered, deals.Closed}, s)
				if err := d.void("why", deal, now); (err == nil) != (status != Voided && !fixed) {
					t.Errorf("void a document that is %s of a deal that is %s (binding %v): got %v, want it allowed: %t", status, s, binding,
						err, status != Voided && !fixed)
				}
			}
		}
	}
}

func TestWhoSigns(t *testing.T) {
	agreed := deals.Deal{AcceptedOfferID: new("off_1")}
	alone, together := facts{deal: agreed}, facts{deal: agreed, coBuyer: &contacts.Contact{}}
	for name, tt := range map[string]struct {
		f    facts
		in   DocumentIssue
		want []SignerRole // nil: rejected
	}{
		"usual":              {alone, DocumentIssue{Kind: "bill_of_sale"}, []SignerRole{ByBuyer, ByDealer}},
		"with a co-buyer":    {together, DocumentIssue{Kind: "bill_of_sale"}, []SignerRole{ByBuyer, ByCoBuyer, ByDealer}},
		"as requested":       {together, DocumentIssue{Kind: "bill_of_sale", RequiredSigners: []SignerRole{ByDealer}}, []SignerRole{ByDealer}},
		"no signers":         {together, DocumentIssue{Kind: "uscg_cg1340"}, []SignerRole{}},
		"a missing co-buyer": {alone, DocumentIssue{Kind: "bill_of_sale", RequiredSigners: []SignerRole{ByCoBuyer}}, nil},
		"no accepted offer":  {facts{}, DocumentIssue{Kind: "purchase_agreement"}, nil},
		"no structure":       {alone, DocumentIssue{Kind: "retail_installment_contract"}, nil},
		"no trade-in":        {alone, DocumentIssue{Kind: "trade_title"}, nil},
		"nothing paid":       {alone, DocumentIssue{Kind: "deposit_receipt"}, nil},
		"a cancelled deal":   {facts{deal: deals.Deal{Status: deals.Cancelled}}, DocumentIssue{Kind: "bill_of_sale"}, nil},
	} {
		d, err := tt.in.document(tt.f, auth.System)
		if (err == nil) != (tt.want != nil) || err == nil && !slices.Equal(d.RequiredSigners, tt.want) {
			t.Errorf("%s: got signers %v, %v; want %v", name, d.RequiredSigners, err, tt.want)
		}
	}

	if forms[PurchaseAgreement].signers[0] != ByBuyer || len(forms[PurchaseAgreement].signers) != 2 {
		t.Error("the co-buyer of one deal changed the form of all deals")
	}
}

// Each kind can be issued and has a title, an issuer and page numbers.
func TestEveryKind(t *testing.T) {
	if len(forms) != len(allKinds.Values) {
		t.Errorf("got %d forms, want %d, one for each kind", len(forms), len(allKinds.Values))
	}
	f := everything()
	for _, kind := range allKinds.Values {
		doc, text := issue(t, f, kind)
		for _, want := range []string{doc.Title, doc.ID, "Document 1207, deal 1042", "Chesapeake Marine", fmt.Sprintf("Page %d of %d", doc.PageCount, doc.PageCount)} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: got %s, want it to contain %q", kind, text, want)
			}
		}
		for _, role := range doc.RequiredSigners {
			if role == ByBuyer && !strings.Contains(text, "Zoë Núñez") {
				t.Errorf("%s has no line for the buyer", kind)
			}
		}
	}
}

// issue renders a document and extracts its text.
func issue(t *testing.T, f facts, kind DocumentKind) (Document, string) {
	t.Helper()
	f = allowing(f, kind)
	doc, err := DocumentIssue{Kind: kind}.document(f, auth.System)
	if err != nil {
		t.Fatal(err)
	}
	doc.ID, doc.Number = "doc_01jcqz8t5n8m2x4v6b7c9d0e1f", 1207
	set, pages, err := f.render(doc)
	if err != nil {
		t.Fatal(err)
	}
	doc.PageCount = int64(pages)
	return doc, pdftext.Of(t, set)
}

func TestContents(t *testing.T) {
	f := everything()
	for kind, wants := range map[DocumentKind][]string{
		PurchaseAgreement: {
			"Chesapeake Marine Sales, Inc.", "Åkersberga, MD 21401", "Jérôme", "2024 Grady-White Freedom 235",
			"GRT40912B324", "2016 Boston Whaler",
			"$118,000.00", "$7,220.94", "$109,359.94", "$104,359.94", "fitted", "Boat show special", "Signatures", "Co-buyer",
		},
		"retail_installment_contract": {
			"7.49%", "$87,198.65", "$93,564.94", "$180,763.59",
			"239 monthly payments of $753.18, beginning on Dec 15, 2026, and a final payment of $753.57.",
			"Dec 15, 2026", "Nov 15, 2046", "$0.00", "NOTICE: Any holder of this consumer credit contract",
		},
		"deposit_receipt": {"Nov 10, 2026", "ch_8842", "$5,000.00", "Total received"},
		"uscg_cg1340":     {"CG-1340", "GRT40912B324", "Joint owners: 100%", "$118,850.00"},
	} {
		doc, text := issue(t, f, kind)
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s: got %s, want it to contain %q", kind, text, want)
			}
		}
		if heads := strings.Count(text, "Principal"); kind == "retail_installment_contract" && (doc.PageCount < 6 || heads < 6) {
			t.Errorf("got a schedule on %d pages with %d heads, want at least 6 of each", doc.PageCount, heads)
		}
	}
}

// The same deal always produces the same bytes.
func TestRenderIsReproducible(t *testing.T) {
	f := everything()
	doc := Document{ID: "doc_1", Kind: PurchaseAgreement, Title: "Purchase Agreement", RequiredSigners: both}
	first, _, err := f.render(doc)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if again, _, err := f.render(doc); err != nil || !bytes.Equal(first, again) {
			t.Fatalf("got different bytes the second time, %v; want the same document", err)
		}
	}
}
