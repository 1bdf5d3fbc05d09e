package finance

import (
	"context"

	"slipway/internal/contacts"
	"slipway/internal/deals"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
)

// Holder tells the contacts what is kept here of them.
func (a *API) Holder() contacts.Holder {
	return contacts.Holder{Move: moveNothing, Export: export, Erase: erase}
}

// moveNothing is all there is to do: everything here hangs on a deal, which
// moves with its buyer.
func moveNothing(context.Context, *db.Tx, string, string) error { return nil }

func export(ctx context.Context, tx *db.Tx, contactID string) (map[string]any, error) {
	all, err := deals.OfContact(ctx, tx, contactID)
	if err != nil {
		return nil, err
	}
	payments, documents, fundings := []Payment{}, []Document{}, []Funding{}
	for _, d := range all {
		p, err := paymentsOf(ctx, tx, d)
		if err != nil {
			return nil, err
		}
		docs, err := documentsOf(ctx, tx, d)
		if err != nil {
			return nil, err
		}
		f, err := fundingsOf(ctx, tx, d)
		if err != nil {
			return nil, err
		}
		payments, documents, fundings = append(payments, p...), append(documents, docs...), append(fundings, f...)
	}
	return map[string]any{"payments": payments, "documents": documents, "fundings": fundings}, nil
}

// erase forgets the papers of deals that came to nothing: who signed, from
// where, and the pages. Those of a sale must be kept.
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
		for _, doc := range docs {
			if err := events.Redact(ctx, tx, doc.ID); err != nil {
				return err
			}
			if d.Status != deals.Cancelled {
				continue
			}
			if _, err := db.Exec(ctx, tx, `DELETE FROM document_files WHERE env = ? AND id = ?`, tx.Env, doc.ID); err != nil {
				return err
			}
			if _, err := db.Exec(ctx, tx, `UPDATE documents SET signatures = '[]' WHERE env = ? AND deal_id = ? AND id = ?`, tx.Env, d.ID, doc.ID); err != nil {
				return err
			}
		}
	}
	return nil
}
