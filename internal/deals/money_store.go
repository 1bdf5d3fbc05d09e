package deals

import (
	"context"

	"slipway/internal/identity/access"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// recordWriteOff adds an audit entry for a balance that is written off.
func recordWriteOff(ctx context.Context, tx *db.Tx, d Deal, asked DealAdvance) error {
	if asked.WriteOffReason == nil {
		return nil
	}
	return audit.Record(ctx, tx, "deal.balance_written_off", d.ID, map[string][2]any{"written_off_cents": {nil, *d.WrittenOffCents}})
}

// lockTransfer locks both deals of a transfer in the order of their IDs, so that
// two transfers in opposite directions don't wait for each other.
func lockTransfer(ctx context.Context, tx *db.Tx, dealID string, c DealCancel) error {
	if !c.transfers() || c.TransferToDealID == nil {
		return nil
	}
	first, second := dealID, *c.TransferToDealID
	if second < first {
		first, second = second, first
	}
	for _, id := range []string{first, second} {
		if err := db.LockRow(ctx, tx, `SELECT id FROM deals WHERE env = ? AND id = ?`, tx.Env, id); err != nil {
			return err
		}
	}
	return nil
}

// checkTransfer fails if the deal that gets the money doesn't exist, can't get it anymore or has
// other buyers.
func checkTransfer(ctx context.Context, tx *db.Tx, d Deal, override bool) error {
	if d.TransferredToDealID == nil {
		return nil
	}
	to, err := Find(ctx, tx, *d.TransferredToDealID)
	switch {
	case fault.KindOf(err) == fault.KindNotFound:
		var bad fault.Fields
		bad.Add("transfer_to_deal_id", "not_found", "does not exist")
		return bad.Err()
	case err != nil:
		return err
	case to.Status == Closed || to.Status == Cancelled:
		return fault.Conflict("Deal %s is %s. You can't transfer money to it.", to.ID, to.Status).
			Detail("transfer_to_deal_id", "state", "refers to a deal that is %s", to.Status)
	case d.sharesBuyer(to):
		return nil
	case !override:
		return fault.Conflict("Deal %s has other buyers. Ask a manager to send override_buyer.", to.ID).
			Detail("transfer_to_deal_id", "other_buyer", "refers to a deal of other buyers")
	}
	if err := access.CheckDuty(auth.From(ctx), auth.Exception, "override_buyer"); err != nil {
		return err
	}
	return audit.Record(ctx, tx, "deal.buyer_overridden", d.ID, map[string][2]any{
		"transferred_to_deal_id": {nil, to.ID}, "buyer_id": {d.BuyerID, to.BuyerID},
	})
}
