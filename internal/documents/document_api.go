package documents

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"mime"

	"slipway/internal/deals"
	"slipway/internal/platform/blobs"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

var (
	read  = auth.Require(auth.DealsRead)
	write = auth.Require(auth.DealsWrite)
)

// API serves the documents of deals.
type API struct {
	DB    *db.DB
	Blobs *blobs.Files
}

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	r = r.Family(family.Finance)
	rest.Get(r, rest.Route{
		Path: "/deals/{deal_id}/documents", ID: "listDocuments", Needs: read,
		Summary: "List documents",
		Text:    "Returns the documents of the deal with their signatures, including voided ones. Newest first.",
		Assist:  assist.Read,
	}, a.list)
	rest.Raw(r, "POST", 201, rest.Route{
		Path: "/deals/{deal_id}/documents", ID: "issueDocument", Needs: write,
		Summary: "Issue a document as a PDF",
		Text:    "Creates the PDF from the current state of the deal. A purchase agreement, a bill of sale and an installment contract require an accepted offer. The PDF never changes. To replace a document, send its ID in `supersedes_id`. The old document is voided.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(issueEffect),
	}, a.issue)
	rest.Get(r, rest.Route{
		Path: "/deals/{deal_id}/documents/{document_id}", ID: "getDocument", Needs: read,
		Summary: "Retrieve a document's record",
		Text:    "Returns the record with its signatures and the hash of the PDF. Download the PDF with getDocumentContent.",
		Assist:  assist.Read,
	}, a.get)
	rest.Raw(r, "GET", 200, rest.Route{
		Path: "/deals/{deal_id}/documents/{document_id}/content", ID: "getDocumentContent", Needs: read,
		Summary:  "Download the PDF",
		Text:     "Returns the PDF exactly as it was issued, or the file that was uploaded. Its SHA-256 hash is the `sha256` of the document.",
		Assist:   assist.Never(assist.Files),
		Produces: uploadTypes,
	}, a.getContent)
	rest.Raw(r.Preview("2026-11-16"), "GET", 200, rest.Route{
		Path: "/deals/{deal_id}/documents/{document_id}/executed", ID: "getExecutedDocument", Needs: read,
		Summary:  "Download the signed PDF with its signatures",
		Text:     "Returns the PDF with a page that lists the name, role, time and IP address of each signature, and the SHA-256 hash of what was signed. The file starts with the bytes of the signed PDF. Returns 409 until everyone has signed.",
		Assist:   assist.Never(assist.Files),
		Produces: []string{contentType},
	}, a.getExecuted)
	rest.Get(r.Preview("2026-11-19"), rest.Route{
		Path: "/deals/{deal_id}/missing_documents", ID: "listMissingDocuments", Needs: read,
		Summary: "List the documents that a deal still needs",
		Text:    "Returns the usual documents of a deal like this one that were not issued yet and that can be issued now, in the order of a sale. It depends on the financing, products, trade-ins, payments, taxes and the owner of the boat.",
		Assist:  assist.Read,
	}, a.listMissing)
	rest.Raw(r.Preview("2026-11-19"), "POST", 201, rest.Route{
		Path: "/deals/{deal_id}/missing_documents", ID: "issueMissingDocuments", Needs: write,
		Summary: "Issue all documents that a deal still needs",
		Text:    "Issues each document of `listMissingDocuments`, or none if one of them fails. All of them state the same terms. They are not sent to anyone.",
		Assist:  assist.Never(assist.Signs),
	}, a.issueMissing)
	rest.Raw(r.Preview("2026-11-16"), "POST", 201, rest.Route{
		Path: "/deals/{deal_id}/documents/upload", ID: "uploadDocument", Needs: write,
		Summary: "Upload a document",
		Text:    "Send a PDF, or a JPEG or PNG image, of up to 25 MiB as the body or as the form field `file`. The type is detected from the content. The document has no signers. Use it as evidence for a stipulation with `document_id` of resolveStipulation.",
		Assist:  assist.Never(assist.Files),
		Accepts: rest.Files{Most: maxUploadBytes, Types: uploadTypes, Fields: []string{"kind", "title"}},
	}, a.upload)
	rest.PostOK(r, rest.Route{
		Path: "/deals/{deal_id}/documents/{document_id}/sign", ID: "signDocument", Needs: write,
		Summary: "Record a signature",
		Text:    "After everyone has signed the purchase agreement, the deal can be contracted, and you can't change its terms. If the terms have changed since the document was issued, issue it again.",
		Assist:  assist.Never(assist.Signs),
	}, a.sign)
	rest.PostOK(r, rest.Route{
		Path: "/deals/{deal_id}/documents/{document_id}/void", ID: "voidDocument", Needs: write,
		Summary: "Void a document",
		Text:    "If the document is the signed purchase agreement, you can change the terms of the deal again, and its revision increases.",
		Assist:  assist.Never(assist.Signs),
	}, a.void)
}

// ByDocument are the path parameters of a document.
type ByDocument struct {
	deals.ByDeal
	DocumentID string `path:"document_id" doc:"ID of the document." example:"doc_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) list(ctx context.Context, tx *db.Tx, in *struct {
	deals.ByDeal
	page.Query
}) (page.Page[Document], error) {
	return deals.ListOf(ctx, tx, documents, in.DealID, in.Query)
}

func (a *API) get(ctx context.Context, tx *db.Tx, in *ByDocument) (Document, error) {
	if _, err := deals.Find(ctx, tx, in.DealID); err != nil {
		return Document{}, err
	}
	return documents.FindIn(ctx, tx, in.DealID, in.DocumentID)
}

// getContent returns the content. It never changes, so its hash is the ETag.
func (a *API) getContent(ctx context.Context, in *ByDocument) (*rest.Content, error) {
	var pdf []byte
	doc, err := rest.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (doc Document, err error) {
		if doc, err = a.get(ctx, tx, in); err != nil || doc.Blob != nil {
			return doc, err
		}
		pdf, err = findFile(ctx, tx, doc)
		return doc, err
	})
	if err != nil {
		return nil, err
	}

	content := &rest.Content{Type: doc.ContentType, Name: string(doc.Kind) + "-" + doc.ID + extensions[doc.ContentType], ETag: doc.SHA256}
	content.File = file{bytes.NewReader(pdf)}
	if doc.Blob != nil {
		content.Headers = map[string]string{ // a file of someone else is saved and not opened in this site
			"Content-Security-Policy": "sandbox", "Content-Disposition": mime.FormatMediaType("attachment", map[string]string{"filename": content.Name}),
		}
		content.File, err = a.Blobs.Open(ctx, *doc.Blob+"/"+blobName)
	}
	return content, err
}

// getExecuted returns the PDF with its signatures.
func (a *API) getExecuted(ctx context.Context, in *ByDocument) (*rest.Content, error) {
	var doc Document
	var signed []byte
	f, err := rest.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (f facts, err error) {
		if doc, err = a.get(ctx, tx, in); err != nil {
			return f, err
		}
		if signed, err = findFile(ctx, tx, doc); err != nil {
			return f, err
		}
		return gather(ctx, tx, in.DealID)
	})
	if err != nil {
		return nil, err
	}

	content, err := f.executed(doc, signed)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	name := string(doc.Kind) + "-" + doc.ID + "-executed.pdf"
	return &rest.Content{Type: contentType, Name: name, ETag: hex.EncodeToString(sum[:]), File: file{bytes.NewReader(content)}}, nil
}

// file adds a Close method to a reader.
type file struct{ *bytes.Reader }

func (file) Close() error { return nil }

// errOutdated means that the deal changed while its document was rendered.
var errOutdated = errors.New("the deal changed while the document was rendered")

// issue renders the document before the transaction, because that takes too long
// inside. If the deal changed in the meantime, it renders the document again.
func (a *API) issue(ctx context.Context, in *struct {
	deals.ByDeal
	Body DocumentIssue
}) (Document, error) {
	const tries = 5
	var number int64
	for try := 1; ; try++ {
		doc, err := a.issueOnce(ctx, in.DealID, in.Body, &number)
		if !errors.Is(err, errOutdated) || try == tries {
			return doc, err
		}
	}
}

func (a *API) issueOnce(ctx context.Context, dealID string, in DocumentIssue, number *int64) (Document, error) {
	f, doc, pdf, failed := a.render(ctx, dealID, in, number)
	return rest.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (Document, error) {
		d, err := deals.FindForUpdate(ctx, tx, dealID)
		if err != nil {
			return Document{}, err
		}
		issued := doc
		switch {
		case failed != nil: // not earlier: a repeated request gets the stored response first, even if rendering fails now
			return issued, failed
		case d.Version != f.deal.Version:
			return issued, fault.Conflict("The deal keeps changing. Try again.").Detail("version", "stale", "has changed").WithCause(errOutdated)
		}
		if err := rest.CheckIfMatch(ctx, d.Version); err != nil {
			return issued, err
		}

		if err := replace(ctx, tx, &d, issued); err != nil {
			return issued, err
		}
		err = insertDocument(ctx, tx, d, &issued, pdf)
		return issued, err
	})
}

// render builds the record and the PDF from the current state of the deal. The
// number is on each page, so it is taken first, unless an earlier try took it. If
// the document is not issued after all, the number is not used again.
func (a *API) render(
	ctx context.Context, dealID string, in DocumentIssue, number *int64,
) (f facts, doc Document, pdf []byte, err error) {
	doc, err = rest.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (doc Document, err error) {
		if f, err = gather(ctx, tx, dealID); err != nil {
			return doc, err
		}
		f.lines = in.Lines
		if doc, err = in.document(f, auth.From(ctx).Actor); err != nil {
			return doc, err
		}
		doc.ID = tx.NewID(documents.Prefix) // printed on each page
		return doc, nil
	})
	if err == nil {
		err = f.checkPrintable(doc) // not earlier, because it reads fonts
	}
	if err != nil {
		return f, doc, nil, err
	}

	if *number == 0 {
		*number, err = db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (int64, error) {
			return deals.NextNumber(ctx, tx, "document")
		})
		if err != nil {
			return f, doc, nil, err
		}
	}
	doc.Number = *number

	var pages int
	pdf, pages, err = f.render(doc)
	doc.PageCount = int64(pages)
	return f, doc, pdf, err
}

// change locks the deal, finds a document of it, checks If-Match and calls edit.
func change(
	ctx context.Context, tx *db.Tx, in ByDocument, edit func(d *deals.Deal, before Document, doc *Document) error,
) (Document, error) {
	d, err := deals.FindForUpdate(ctx, tx, in.DealID)
	if err != nil {
		return Document{}, err
	}

	find := func(ctx context.Context, tx *db.Tx, id string) (Document, error) {
		return documents.FindIn(ctx, tx, d.ID, id)
	}
	return rest.Change(ctx, tx, find, in.DocumentID, func(before Document, doc *Document) error { return edit(&d, before, doc) })
}

func (a *API) sign(ctx context.Context, tx *db.Tx, in *struct {
	ByDocument
	Body DocumentSign
}) (Document, error) {
	return change(ctx, tx, in.ByDocument, func(d *deals.Deal, before Document, doc *Document) error {
		trades, err := deals.TradeIns(ctx, tx, *d)
		if err != nil {
			return err
		}
		listing, err := deals.FindListing(ctx, tx, d.HullID)
		if err != nil {
			return err
		}
		if err := doc.checkTerms(*d, trades, listing); err != nil {
			return err
		}
		if err := doc.sign(in.Body, tx.Now); err != nil {
			return err
		}
		if doc.Status != FullySigned {
			return saveDocument(ctx, tx, before, doc, "document.partially_signed")
		}

		if doc.Kind == PurchaseAgreement {
			if err := signAgreement(ctx, tx, d, *doc); err != nil {
				return err
			}
		}
		return saveDocument(ctx, tx, before, doc, "document.signed")
	})
}

func (a *API) void(ctx context.Context, tx *db.Tx, in *struct {
	ByDocument
	Body DocumentVoid
}) (Document, error) {
	return change(ctx, tx, in.ByDocument, func(d *deals.Deal, _ Document, doc *Document) error {
		return void(ctx, tx, d, doc, in.Body.Reason)
	})
}
