package documents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/deals"
	"slipway/internal/finance"
	"slipway/internal/hulls"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

// mime is what all documents are.
const mime = "application/pdf"

func findDocument(ctx context.Context, tx *db.Tx, d deals.Deal, id string) (Document, error) {
	doc, err := db.One[Document](ctx, tx, `SELECT {cols} FROM documents WHERE env = ? AND deal_id = ? AND id = ?`, d.Env, d.ID, id)
	if db.IsNoRows(err) {
		return doc, fault.NotFound("document", id)
	}
	doc.ContentType = mime
	return doc, err
}

// documentsOf are the documents of a deal, oldest first.
func documentsOf(ctx context.Context, tx *db.Tx, d deals.Deal) ([]Document, error) {
	all, err := db.All[Document](ctx, tx, `SELECT {cols} FROM documents WHERE env = ? AND deal_id = ? ORDER BY id`, d.Env, d.ID)
	for i := range all {
		all[i].ContentType = mime
	}
	return all, err
}

// findFile returns the bytes, unless they were erased with the contact they are
// about.
func findFile(ctx context.Context, tx *db.Tx, d Document) ([]byte, error) {
	pdf, err := db.One[[]byte](ctx, tx, `SELECT bytes FROM document_files WHERE env = ? AND id = ?`, d.Env, d.ID)
	if db.IsNoRows(err) {
		return nil, fault.NotFound("content of document", d.ID)
	}
	return pdf, err
}

func listDocuments(ctx context.Context, tx *db.Tx, dealID string, q page.Query) (page.Page[Document], error) {
	p, err := deals.ListOf[Document](ctx, tx, "documents", "doc", dealID, q)
	for i := range p.Data {
		p.Data[i].ContentType = mime
	}
	return p, err
}

// gather reads all that a document may say about a deal.
func gather(ctx context.Context, tx *db.Tx, dealID string) (f facts, err error) {
	if f.deal, err = deals.Find(ctx, tx, dealID); err != nil {
		return f, err
	}
	if f.company, err = dealership.Find(ctx, tx); err != nil {
		return f, err
	}
	if f.today, err = finance.Today(ctx, tx); err != nil {
		return f, err
	}
	if f.hull, err = hulls.Find(ctx, tx, f.deal.HullID); err != nil {
		return f, err
	}
	if f.location, err = dealership.FindLocation(ctx, tx, f.hull.LocationID); err != nil {
		return f, err
	}
	if f.buyer, err = contacts.Find(ctx, tx, f.deal.BuyerID); err != nil {
		return f, err
	}
	if f.deal.CoBuyerID != nil {
		co, err := contacts.Find(ctx, tx, *f.deal.CoBuyerID)
		if err != nil {
			return f, err
		}
		f.coBuyer = &co
	}
	if f.trades, err = deals.TradeIns(ctx, tx, f.deal); err != nil {
		return f, err
	}
	if f.payments, err = finance.Payments(ctx, tx, f.deal); err != nil {
		return f, err
	}
	if f.deal.SelectedStructureID != nil {
		s, err := finance.FindStructure(ctx, tx, f.deal, *f.deal.SelectedStructureID)
		if err != nil {
			return f, err
		}
		f.structure = &s
	}
	return f, nil
}

// insertDocument adds a document with its bytes. Both are there or neither.
func insertDocument(ctx context.Context, tx *db.Tx, d deals.Deal, doc *Document, pdf []byte) error {
	sum := sha256.Sum256(pdf)
	doc.Env, doc.DealID, doc.Version, doc.CreatedAt, doc.UpdatedAt = d.Env, d.ID, 1, tx.Now, tx.Now
	doc.ContentType, doc.SHA256, doc.SizeBytes = mime, hex.EncodeToString(sum[:]), int64(len(pdf))
	if err := db.Insert(ctx, tx, "documents", *doc); err != nil {
		return err
	}
	if _, err := db.Exec(ctx, tx, `INSERT INTO document_files (env, id, bytes) VALUES (?, ?, ?)`, doc.Env, doc.ID, pdf); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "document.issued", doc.ID, nil, *doc)
}

// saveDocument writes a changed record and the event.
func saveDocument(ctx context.Context, tx *db.Tx, before Document, doc *Document, event string) error {
	doc.Version, doc.UpdatedAt = before.Version+1, tx.Now
	err := db.Changed(db.Update(ctx, tx, "documents", doc, "env = ? AND deal_id = ? AND id = ? AND version = ?", doc.Env, doc.DealID, doc.ID, before.Version))
	if err != nil {
		return err
	}
	return events.Emit(ctx, tx, event, doc.ID, before, *doc)
}

// bind makes the deal know of its signed agreement, or that there is none.
func bind(ctx context.Context, tx *db.Tx, d *deals.Deal, agreementID *string) error {
	before := *d
	d.SignedAgreementID = agreementID
	return deals.Keep(ctx, tx, before, d)
}

// voidOne voids a document and frees the deal that it bound.
func voidOne(ctx context.Context, tx *db.Tx, d *deals.Deal, doc *Document, reason string) error {
	before := *doc
	if err := doc.void(reason, *d, tx.Now); err != nil {
		return err
	}
	if before.binds(*d) {
		if err := bind(ctx, tx, d, nil); err != nil {
			return err
		}
	}
	return saveDocument(ctx, tx, before, doc, "document.voided")
}

// replace voids the document that a new one takes the place of.
func replace(ctx context.Context, tx *db.Tx, d *deals.Deal, doc Document) error {
	if doc.SupersedesID == nil {
		return nil
	}
	var bad fault.Fields
	old, err := findDocument(ctx, tx, *d, *doc.SupersedesID)
	switch {
	case fault.KindOf(err) == fault.KindNotFound:
		bad.Add("supersedes_id", "not_found", "is no document of this deal")
		return bad.Err()
	case err != nil:
		return err
	case old.Kind != doc.Kind:
		bad.Add("supersedes_id", "exclusive", "must be of the kind %s", doc.Kind)
		return bad.Err()
	case old.Status == Voided:
		return nil
	}
	return voidOne(ctx, tx, d, &old, "superseded by "+doc.ID)
}
