package finance

import (
	"context"

	"slipway/internal/contacts"
	"slipway/internal/deals"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/privacy"
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

	payments, fundings, plans := []Payment{}, []Funding{}, []FinanceStructure{}
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
			f[i] = privacy.Hide(f[i], nil) // the dealership's rates are not the contact's data
		}
		s, err := db.All[FinanceStructure](ctx, tx, `SELECT {cols} FROM finance_structures WHERE env = ? AND deal_id = ? ORDER BY id`, tx.Env, d.ID)
		if err != nil {
			return nil, err
		}
		for _, one := range s {
			one.fillTaxable()
			plans = append(plans, privacy.Hide(one, nil))
		}
		payments, fundings = append(payments, p...), append(fundings, f...)
	}
	return map[string]any{"payments": payments, "fundings": fundings, "finance_structures": plans}, nil
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
		if err := eraseDeal(ctx, tx, d); err != nil {
			return err
		}
		for _, query := range []string{
			`SELECT id FROM finance_structures WHERE env = ? AND deal_id = ?`,
			`SELECT id FROM payments WHERE env = ? AND deal_id = ?`,
			`SELECT id FROM fundings WHERE env = ? AND deal_id = ?`,
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

func eraseDeal(ctx context.Context, tx *db.Tx, d deals.Deal) error {
	of, isSale := func(table string) db.Rows { return db.Rows{Table: table, Where: "deal_id = ?", Args: []any{d.ID}} }, d.IsSale()
	if err := db.Erase[FinanceStructure](ctx, tx, of("finance_structures"), isSale); err != nil {
		return err
	}
	if err := db.Erase[Payment](ctx, tx, of("payments"), isSale); err != nil {
		return err
	}
	if err := db.Erase[Stipulation](ctx, tx, of("stipulations"), isSale); err != nil {
		return err
	}
	if _, err := db.Exec(ctx, tx, `UPDATE fundings SET undo = NULL WHERE env = ? AND deal_id = ?`, tx.Env, d.ID); err != nil {
		return err
	}
	return db.Erase[Funding](ctx, tx, of("fundings"), isSale)
}
