package hulls

import (
	"context"
	"slices"

	"slipway/internal/platform/db"
)

// Figures are what an imported file is compared with.
type Figures struct {
	ID         string  `db:"id"`
	PriceUSD   int64   `db:"price_usd"`
	Status     Status  `db:"status"`
	LocationID string  `db:"location_id"`
	HIN        *string `db:"hin"`
	CostCents  int64   `db:"cost_cents"`
}

// FindFigures returns the figures of hulls, by ID.
func FindFigures(ctx context.Context, tx *db.Tx, ids []string) (map[string]Figures, error) {
	found := map[string]Figures{}
	for batch := range slices.Chunk(ids, BatchSize) {
		list, args := idList(tx, batch)
		rows, err := db.All[Figures](ctx, tx, `SELECT id, price_usd, status, location_id, hin, 0 AS cost_cents FROM hulls WHERE env = ? AND id IN `+list, args...)
		if err != nil {
			return nil, err
		}
		pricing, err := FindAllPricing(ctx, tx, batch)
		if err != nil {
			return nil, err
		}
		for _, f := range rows {
			f.CostCents = pricing[f.ID].sumOfCosts()
			found[f.ID] = f
		}
	}
	return found, nil
}

// sumOfCosts is the sum of the known costs.
func (p HullPricing) sumOfCosts() (sum int64) {
	if c := p.Cost; c != nil {
		for _, part := range []*int64{c.InvoiceCents, c.FreightCents, c.RiggingCents, c.PackCents, c.ReconditioningCents} {
			if part != nil {
				sum += *part
			}
		}
	}
	return sum
}
