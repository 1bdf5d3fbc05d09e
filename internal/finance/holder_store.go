package finance

import (
	"context"

	"slipway/internal/contacts"
	"slipway/internal/deals"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
)

// Holder lets the structures, payments and fundings of a contact follow an export
// or an erasure. They belong to deals, which follow a merge themselves.
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

	payments, fundings := []Payment{}, []Funding{}
	for _, d := range all {
		p, err := Payments(ctx, tx, d)
		if err != nil {
			return nil, err
		}
		f, err := fundingsOf(ctx, tx, d)
		if err != nil {
			return nil, err
		}
		for i := range f {
			f[i] = f[i].withoutBuyRate() // the dealership's rates are not the contact's data
		}
		payments, fundings = append(payments, p...), append(fundings, f...)
	}
	return map[string]any{"payments": payments, "fundings": fundings}, nil
}

// erase removes the text that users and lenders wrote from the finance of a
// contact's deals, and the data of its events. Amounts, dates and statuses stay
// for the books. The references of payments stay if the deal is a sale, because
// they identify the payments in bank statements.
func erase(ctx context.Context, tx *db.Tx, contactID string) error {
	all, err := deals.OfContact(ctx, tx, contactID)
	if err != nil {
		return err
	}

	for _, d := range all {
		if err := eraseFundings(ctx, tx, d); err != nil {
			return err
		}
		statements := []string{
			`UPDATE finance_structures SET name = NULL WHERE env = ? AND deal_id = ?`,
			`UPDATE payments SET reason = NULL WHERE env = ? AND deal_id = ?`,
		}
		if d.Status == deals.Cancelled {
			statements = append(statements, `UPDATE payments SET reference = NULL WHERE env = ? AND deal_id = ?`)
		}
		for _, statement := range statements {
			if _, err := db.Exec(ctx, tx, statement, tx.Env, d.ID); err != nil {
				return err
			}
		}
		for _, query := range []string{
			`SELECT id FROM finance_structures WHERE env = ? AND deal_id = ?`,
			`SELECT id FROM payments WHERE env = ? AND deal_id = ?`,
		} {
			ids, err := db.All[string](ctx, tx, query, tx.Env, d.ID)
			if err != nil {
				return err
			}
			for _, id := range ids {
				if err := events.Redact(ctx, tx, id); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func eraseFundings(ctx context.Context, tx *db.Tx, d deals.Deal) error {
	if _, err := db.Exec(ctx, tx, `UPDATE stipulations SET description = NULL, note = NULL, version = version + 1, updated_at = ?
		WHERE env = ? AND deal_id = ?`, tx.Now, tx.Env, d.ID); err != nil {
		return err
	}
	all, err := fundingsOf(ctx, tx, d)
	if err != nil {
		return err
	}
	for _, f := range all {
		f.erase()
		if err := fundings.Save(ctx, tx, &f); err != nil {
			return err
		}
		if err := events.Redact(ctx, tx, f.ID); err != nil {
			return err
		}
	}
	return nil
}
