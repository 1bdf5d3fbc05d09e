package deals

import (
	"context"

	"slipway/internal/hulls"
	"slipway/internal/identity/access"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
)

// Restructure saves a deal that has another finance structure. If the deal is contracted
// and its total changed, a manager must agree: the purchase agreement is voided, and the
// deal is accepted again until everyone has signed a new one.
func Restructure(ctx context.Context, tx *db.Tx, before Deal, d *Deal) error {
	if before.Status != Contracted {
		return Save(ctx, tx, before, d)
	}
	newTotal := d.TotalCents() != before.TotalCents()
	if !newTotal {
		if err := db.Attached[Hooks](tx).Restructured(ctx, tx, d, newTotal); err != nil {
			return err
		}
		return Save(ctx, tx, before, d)
	}
	if err := access.CheckDuty(auth.From(ctx), auth.Exception, "structure_id"); err != nil {
		return err
	}

	d.reopen()
	if err := db.Attached[Hooks](tx).Restructured(ctx, tx, d, newTotal); err != nil {
		return err
	}
	reason := "the lender's terms change the total"
	if err := hulls.Unsell(ctx, tx, d.HullID, reason); err != nil {
		return err
	}
	return saveAndEmit(ctx, tx, before, d, cause{event: "deal.reopened", reason: &reason})
}
