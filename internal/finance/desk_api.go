package finance

import (
	"context"

	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/privacy"
)

func (a *API) getDesk(ctx context.Context, tx *db.Tx, _ *struct{}) (DealDesk, error) {
	company, err := dealership.Find(ctx, tx)
	if err != nil {
		return DealDesk{}, err
	}
	names, err := lenders(ctx, tx)
	desk := DealDesk{DefaultFees: company.Settings.DefaultFees, Products: company.Settings.Products, Lenders: names}
	return privacy.Hide(desk, auth.From(ctx).Scopes), err
}
