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
	"slipway/internal/platform/blobs"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/null"
)

// contentType is the type of the documents that Slipway issues.
const contentType = "application/pdf"

var documents = db.Table[Document]{
	Name: "documents", Prefix: "doc", Noun: "document", Parent: "deal_id",
}

// documentsOf returns the documents of a deal, oldest first.
func documentsOf(ctx context.Context, tx *db.Tx, d deals.Deal) ([]Document, error) {
	return db.All[Document](ctx, tx, `SELECT {cols} FROM documents WHERE env = ? AND deal_id = ? ORDER BY id`, d.Env, d.ID)
}

// findFile returns the PDF of an issued document. It does not exist anymore if the contact was erased.
func findFile(ctx context.Context, tx *db.Tx, d Document) ([]byte, error) {
	pdf, err := db.One[[]byte](ctx, tx, `SELECT bytes FROM document_files WHERE env = ? AND id = ?`, d.Env, d.ID)
	if db.IsNoRows(err) {
		return nil, fault.NotFound("content of document", d.ID)
	}
	return pdf, err
}

// gather reads everything that a document can contain.
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
	specs, err := hulls.FindAllSpecs(ctx, tx, []string{f.hull.ID})
	if err != nil {
		return f, err
	}
	f.specs = specs[f.hull.ID]
	if f.listing, err = deals.FindListing(ctx, tx, f.hull.ID); err != nil {
		return f, err
	}
	if f.listing != nil {
		owner, err := contacts.Find(ctx, tx, f.listing.OwnerContactID)
		if err != nil {
			return f, err
		}
		f.owner = &owner
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
	if f.funding, err = finance.FindFunded(ctx, tx, f.deal); err != nil {
		return f, err
	}
	f.logo, err = dealership.FindLogo(ctx, tx)
	return f, err
}

// insertDocument adds a document and its PDF.
func insertDocument(ctx context.Context, tx *db.Tx, d deals.Deal, doc *Document, pdf []byte) error {
	sum := sha256.Sum256(pdf)
	doc.DealID = d.ID
	doc.SHA256, doc.SizeBytes = hex.EncodeToString(sum[:]), int64(len(pdf))
	if err := documents.Insert(ctx, tx, doc); err != nil {
		return err
	}

	if _, err := db.Exec(ctx, tx, `INSERT INTO document_files (env, id, bytes) VALUES (?, ?, ?)`, doc.Env, doc.ID, pdf); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "document.issued", doc.ID, events.Change{After: *doc})
}

// insertUpload adds a document whose content is in a blob.
func insertUpload(ctx context.Context, tx *db.Tx, d deals.Deal, doc *Document) (err error) {
	doc.DealID = d.ID
	if doc.Number, err = deals.NextNumber(ctx, tx, "document"); err != nil {
		return err
	}
	if err := documents.Insert(ctx, tx, doc); err != nil {
		return err
	}
	if err := blobs.Keep(ctx, tx, *doc.Blob); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "document.issued", doc.ID, events.Change{After: *doc})
}

// CheckEvidence fails if a document is not of the deal or is voided. The field is
// that of the request.
func CheckEvidence(ctx context.Context, tx *db.Tx, dealID, documentID string) error {
	var bad fault.Fields
	doc, err := documents.FindIn(ctx, tx, dealID, documentID)
	switch {
	case fault.KindOf(err) == fault.KindNotFound:
		bad.Add("document_id", "not_found", "must be a document of this deal")
	case err != nil:
		return err
	case doc.Status == Voided:
		bad.Add("document_id", "state", "refers to a document that is voided")
	}
	return bad.Err()
}

// saveDocument writes a changed record and the event.
func saveDocument(ctx context.Context, tx *db.Tx, before Document, doc *Document, event string) error {
	if err := documents.Save(ctx, tx, doc); err != nil {
		return err
	}
	return events.Emit(ctx, tx, event, doc.ID, events.Change{Before: before, After: *doc})
}

// void voids a document. If it was the signed purchase agreement, the terms of the
// deal can change again.
func void(ctx context.Context, tx *db.Tx, d *deals.Deal, doc *Document, reason string) error {
	before := *doc
	if err := doc.void(reason, *d, tx.Now); err != nil {
		return err
	}

	if before.isAgreementOf(*d) {
		signed := *d
		d.VoidAgreement()
		if err := deals.Save(ctx, tx, signed, d); err != nil {
			return err
		}
	}
	return saveDocument(ctx, tx, before, doc, "document.voided")
}

// replace voids the document that a new one supersedes.
func replace(ctx context.Context, tx *db.Tx, d *deals.Deal, doc Document) error {
	if doc.SupersedesID == nil {
		return nil
	}

	var bad fault.Fields
	old, err := documents.FindIn(ctx, tx, d.ID, *doc.SupersedesID)
	switch {
	case fault.KindOf(err) == fault.KindNotFound:
		bad.Add("supersedes_id", "not_found", "must be a document of this deal")
		return bad.Err()
	case err != nil:
		return err
	case old.Kind != doc.Kind:
		bad.Add("supersedes_id", "exclusive", "must be a document of the kind %s", doc.Kind)
		return bad.Err()
	case old.Status == Voided:
		return nil
	case old.isAgreementOf(*d) && d.NeedsAgreement(doc.HIN):
		return nil // it binds the buyer until everyone has signed the new one
	}
	return void(ctx, tx, d, &old, supersededBy(doc))
}

func supersededBy(doc Document) string { return "superseded by " + doc.ID }

// signAgreement records a purchase agreement that everyone has signed. If the boat had no HIN when
// the current one was signed, one that states it replaces it.
func signAgreement(ctx context.Context, tx *db.Tx, d *deals.Deal, doc Document) error {
	before := *d
	if d.SignedAgreementID != nil {
		h, err := hulls.Find(ctx, tx, d.HullID)
		if err != nil || !d.NeedsAgreement(h.HIN) || null.Text(doc.HIN) != null.Text(h.HIN) {
			return err
		}
		old, err := documents.FindIn(ctx, tx, d.ID, *d.SignedAgreementID)
		if err != nil {
			return err
		}
		signed := old
		old.Status, old.VoidReason, old.VoidedAt = Voided, new(supersededBy(doc)), &tx.Now
		if err := saveDocument(ctx, tx, signed, &old, "document.voided"); err != nil {
			return err
		}
		d.VoidAgreement()
	}
	d.SignAgreement(doc.ID, doc.HIN)
	return deals.Save(ctx, tx, before, d)
}
