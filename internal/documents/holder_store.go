package documents

import (
	"context"

	"slipway/internal/contacts"
	"slipway/internal/deals"
	"slipway/internal/platform/blobs"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
)

// Holder lets the documents of a contact follow an export or an erasure. They
// belong to deals, which follow a merge themselves.
func Holder() contacts.Holder {
	return contacts.Holder{
		Move:   func(context.Context, *db.Tx, string, string) error { return nil },
		Export: export,
		Erase:  erase,
	}
}

func export(ctx context.Context, tx *db.Tx, contactID string) (map[string]any, error) {
	all, err := deals.OfContact(ctx, tx, contactID)
	if err != nil {
		return nil, err
	}

	found := []Document{}
	for _, d := range all {
		docs, err := documentsOf(ctx, tx, d)
		if err != nil {
			return nil, err
		}
		found = append(found, docs...)
	}
	return map[string]any{"documents": found}, nil
}

// erase removes the PDFs, signatures and titles of cancelled deals. The documents
// of a sale must be retained by law.
func erase(ctx context.Context, tx *db.Tx, contactID string) error {
	all, err := deals.OfContact(ctx, tx, contactID)
	if err != nil {
		return err
	}

	for _, d := range all {
		docs, err := documentsOf(ctx, tx, d)
		if err != nil {
			return err
		}

		rows := db.Rows{Table: "documents", Where: "deal_id = ?", Args: []any{d.ID}}
		if err := db.Erase[Document](ctx, tx, rows, d.IsSale()); err != nil {
			return err
		}
		for _, doc := range docs {
			if err := events.Redact(ctx, tx, doc.ID); err != nil {
				return err
			}
			if d.IsSale() {
				continue
			}
			if _, err := db.Exec(ctx, tx, `DELETE FROM document_files WHERE env = ? AND id = ?`, tx.Env, doc.ID); err != nil {
				return err
			}
			if doc.Blob != nil {
				if err := blobs.DeleteLater(ctx, tx, *doc.Blob); err != nil {
					return err
				}
			}
			_, err := db.Exec(ctx, tx, `UPDATE documents SET title = ?, blob = NULL WHERE env = ? AND deal_id = ? AND id = ?`,
				forms[doc.Kind].title, tx.Env, d.ID, doc.ID)
			if err != nil {
				return err
			}
		}
	}

	return nil
}

// Restructured voids the documents that state the payment plan that a contracted deal had
// before. If the total of the deal changed, this includes the purchase agreement.
func Restructured(ctx context.Context, tx *db.Tx, d *deals.Deal, newTotal bool) error {
	docs, err := documentsOf(ctx, tx, *d)
	if err != nil {
		return err
	}
	for _, doc := range docs {
		stale := forms[doc.Kind].requires.structure || newTotal && doc.isAgreementOf(*d)
		if !stale || doc.Origin == FromUpload || doc.Status == Voided {
			continue
		}
		if err := void(ctx, tx, d, &doc, "the finance structure changed"); err != nil {
			return err
		}
	}
	return nil
}

// VoidAll voids the documents that Slipway issued for a sale that is undone. Uploaded ones stay as
// evidence.
func VoidAll(ctx context.Context, tx *db.Tx, d *deals.Deal) error {
	docs, err := documentsOf(ctx, tx, *d)
	if err != nil {
		return err
	}
	for _, doc := range docs {
		if doc.Origin == FromUpload || doc.Status == Voided {
			continue
		}
		before := doc
		if err := doc.void("deal unwound", *d, tx.Now); err != nil {
			return err
		}
		if err := saveDocument(ctx, tx, before, &doc, "document.voided"); err != nil {
			return err
		}
	}
	return nil
}

// VoidUnsigned voids the documents that are not fully signed when a deal is open again or
// cancelled.
func VoidUnsigned(ctx context.Context, tx *db.Tx, d *deals.Deal) error {
	docs, err := documentsOf(ctx, tx, *d)
	if err != nil {
		return err
	}
	reason := "the acceptance of the offer was undone"
	if d.Status == deals.Cancelled {
		reason = "deal cancelled"
	}
	for _, doc := range docs {
		if doc.Origin == FromUpload || doc.Status != Issued && doc.Status != PartiallySigned {
			continue
		}
		before := doc
		if err := doc.void(reason, *d, tx.Now); err != nil {
			return err
		}
		if err := saveDocument(ctx, tx, before, &doc, "document.voided"); err != nil {
			return err
		}
	}
	return nil
}
