package documents

import (
	"bytes"
	"context"
	"errors"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/deals"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

var (
	read  = auth.Need(auth.DealsRead)
	write = auth.Need(auth.DealsWrite)
)

// API serves the documents of deals.
type API struct {
	DB *db.DB
}

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	r = r.Family("Finance")
	rest.Get(r, "/deals/{deal_id}/documents", "listDocuments", read, "List documents", a.documents)
	rest.Raw(r, "POST", 201, "/deals/{deal_id}/documents", "issueDocument", write, "Issue a document as PDF", a.issueDocument,
		rest.Describe("Made from the deal as it is now, and never changed afterwards. To issue it anew, name the old one in `supersedes_id`: it is voided."),
		rest.Example(`{"kind": "purchase_agreement"}`))
	rest.Get(r, "/deals/{deal_id}/documents/{document_id}", "getDocument", read, "Retrieve a document's record", a.getDocument)
	rest.Get(r, "/deals/{deal_id}/documents/{document_id}/content", "getDocumentContent", read, "Download the PDF", a.getContent, rest.Produces(mime))
	rest.PostOK(r, "/deals/{deal_id}/documents/{document_id}/sign", "signDocument", write, "Record a signature", a.signDocument,
		rest.Describe("A purchase agreement that all have signed lets the deal be contracted, and fixes its terms."),
		rest.Example(`{"signer_role": "buyer", "signer_name": "Ann Bell"}`))
	rest.PostOK(r, "/deals/{deal_id}/documents/{document_id}/void", "voidDocument", write, "Void a document", a.voidDocument,
		rest.Example(`{"reason": "Wrong trailer"}`))
}

// ByDocument names a document of a deal.
type ByDocument struct {
	deals.ByDeal
	DocumentID string `path:"document_id" example:"doc_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) documents(ctx context.Context, tx *db.Tx, in *struct {
	deals.ByDeal
	page.Query
}) (page.Page[Document], error) {
	return listDocuments(ctx, tx, in.DealID, in.Query)
}

func (a *API) getDocument(ctx context.Context, tx *db.Tx, in *ByDocument) (Document, error) {
	return find(ctx, tx, *in)
}

func find(ctx context.Context, tx *db.Tx, in ByDocument) (Document, error) {
	d, err := deals.Find(ctx, tx, in.DealID)
	if err != nil {
		return Document{}, err
	}
	return findDocument(ctx, tx, d, in.DocumentID)
}

// getContent gives the PDF. Its bytes never change, so its hash names them.
func (a *API) getContent(ctx context.Context, tx *db.Tx, in *ByDocument) (*rest.Content, error) {
	doc, err := find(ctx, tx, *in)
	if err != nil {
		return nil, err
	}
	pdf, err := findFile(ctx, tx, doc)
	if err != nil {
		return nil, err
	}
	return &rest.Content{Type: mime, Name: string(doc.Kind) + "-" + doc.ID + ".pdf", ETag: doc.SHA256, File: file{bytes.NewReader(pdf)}}, nil
}

// file is bytes that need no closing.
type file struct{ *bytes.Reader }

func (file) Close() error { return nil }

// errOutdated is that the deal changed while its document was being set.
var errOutdated = errors.New("the deal has changed since the document was set")

// issueDocument sets the document before the transaction, which must not wait
// for it, and issues it only if it still tells the deal as it is. Otherwise it
// is set anew.
func (a *API) issueDocument(ctx context.Context, in *struct {
	deals.ByDeal
	Body DocumentIssue
}) (Document, error) {
	const tries = 5
	for try := 1; ; try++ {
		doc, err := a.issueOnce(ctx, in.DealID, in.Body)
		if !errors.Is(err, errOutdated) || try == tries {
			return doc, err
		}
	}
}

func (a *API) issueOnce(ctx context.Context, dealID string, in DocumentIssue) (Document, error) {
	set, doc, pdf, failed := a.setDocument(ctx, dealID, in)
	return rest.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (Document, error) {
		d, err := deals.FindForUpdate(ctx, tx, dealID)
		if err != nil {
			return Document{}, err
		}
		issued := doc
		switch {
		case failed != nil: // said only here: a repeat gets the answer of the first request, whatever is true now
			return issued, failed
		case d.Version != set.deal.Version:
			return issued, fault.Conflict("The deal keeps changing. Try again.").Detail("version", "stale", "has moved on").Because(errOutdated)
		}
		if err := rest.CheckIfMatch(ctx, d.Version); err != nil {
			return issued, err
		}
		if err := replace(ctx, tx, &d, issued); err != nil {
			return issued, err
		}
		return issued, insertDocument(ctx, tx, d, &issued, pdf)
	})
}

// setDocument makes the record and the PDF of the deal as it is now.
func (a *API) setDocument(ctx context.Context, dealID string, in DocumentIssue) (set facts, doc Document, pdf []byte, err error) {
	doc, err = rest.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (doc Document, err error) {
		if set, err = gather(ctx, tx, dealID); err != nil {
			return doc, err
		}
		if doc, err = in.document(set, auth.From(ctx).Actor); err != nil {
			return doc, err
		}
		doc.ID = tx.NewID("doc") // it is printed on every page
		return doc, nil
	})
	if err != nil {
		return set, doc, nil, err
	}
	var pages int
	pdf, pages, err = set.set(doc)
	doc.PageCount = int64(pages)
	return set, doc, pdf, err
}

// changeDocument is how a document's record is changed.
func (a *API) changeDocument(ctx context.Context, tx *db.Tx, in ByDocument, edit func(d *deals.Deal, doc *Document) error) (Document, error) {
	d, err := deals.FindForUpdate(ctx, tx, in.DealID)
	if err != nil {
		return Document{}, err
	}
	doc, err := findDocument(ctx, tx, d, in.DocumentID)
	if err != nil {
		return doc, err
	}
	if err := rest.CheckIfMatch(ctx, doc.Version); err != nil {
		return doc, err
	}
	err = edit(&d, &doc)
	return doc, err
}

func (a *API) signDocument(ctx context.Context, tx *db.Tx, in *struct {
	ByDocument
	Body DocumentSign
}) (Document, error) {
	return a.changeDocument(ctx, tx, in.ByDocument, func(d *deals.Deal, doc *Document) error {
		before := *doc
		if err := doc.sign(in.Body, tx.Now); err != nil {
			return err
		}
		if doc.Status != AllSigned {
			return saveDocument(ctx, tx, before, doc, "document.partially_signed")
		}
		if doc.Kind == PurchaseAgreement && d.SignedAgreementID == nil {
			if err := bind(ctx, tx, d, &doc.ID); err != nil {
				return err
			}
		}
		return saveDocument(ctx, tx, before, doc, "document.signed")
	})
}

func (a *API) voidDocument(ctx context.Context, tx *db.Tx, in *struct {
	ByDocument
	Body DocumentVoid
}) (Document, error) {
	return a.changeDocument(ctx, tx, in.ByDocument, func(d *deals.Deal, doc *Document) error {
		return voidOne(ctx, tx, d, doc, in.Body.Reason)
	})
}

// Schema lists the kinds in the description of the API.
func (DocumentKind) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString, Description: "What the document is for.", Examples: []any{"purchase_agreement"}}
	for _, k := range kinds {
		s.Enum = append(s.Enum, string(k))
	}
	s.PrecomputeMessages()
	return s
}
