package reports

import (
	"context"

	"slipway/internal/deals"
	"slipway/internal/platform/db"
)

func findTaxes(ctx context.Context, tx *db.Tx, p period, _ rows) (TaxReport, error) {
	sold, undone, err := deals.Taxed(ctx, tx, p.start, p.end, p.LocationID)
	return taxes(p, sold, undone), err
}
