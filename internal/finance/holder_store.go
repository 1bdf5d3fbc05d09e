package finance

import (
	"context"

	"slipway/internal/contacts"
	"slipway/internal/deals"
	"slipway/internal/platform/db"
)

// Holder lets the payments and fundings of a contact follow an export. Nothing
// here refers to a contact directly, so a merge or an erasure changes nothing.
func (a *API) Holder() contacts.Holder {
	return contacts.Holder{
		Move:   func(context.Context, *db.Tx, string, string) error { return nil },
		Export: export,
		Erase:  func(context.Context, *db.Tx, string) error { return nil },
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
		payments, fundings = append(payments, p...), append(fundings, f...)
	}
	return map[string]any{"payments": payments, "fundings": fundings}, nil
}
