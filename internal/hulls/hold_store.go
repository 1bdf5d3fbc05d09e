package hulls

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/privacy"
)

// MoveHolds moves the holds for one contact to another.
func MoveHolds(ctx context.Context, tx *db.Tx, from, to string) error {
	held, err := heldFor(ctx, tx, from)
	if err != nil {
		return err
	}
	if _, err := db.Exec(ctx, tx, `UPDATE hull_history SET held_for = ? WHERE env = ? AND held_for = ?`, to, tx.Env, from); err != nil {
		return err
	}

	for _, id := range held {
		h, err := FindForUpdate(ctx, tx, id)
		if err != nil {
			return err
		}
		if h.Hold == nil || null.Text(h.Hold.ContactID) != from {
			continue
		}
		before, hold := h, *h.Hold
		hold.ContactID = &to
		h.Hold = &hold
		if err := Save(ctx, tx, before, &h, Cause{Event: "hull.updated"}); err != nil {
			return err
		}
	}
	return nil
}

// heldFor returns the IDs of hulls that are or were on hold for a lead or contact.
func heldFor(ctx context.Context, tx *db.Tx, id string) ([]string, error) {
	return db.All[string](ctx, tx, `SELECT DISTINCT hull_id FROM hull_history WHERE env = ? AND held_for = ?`, tx.Env, id)
}

// HoldsFor returns the changes that put hulls on hold for a lead or contact.
func HoldsFor(ctx context.Context, tx *db.Tx, id string) ([]HullChange, error) {
	return db.All[HullChange](ctx, tx, `SELECT {cols} FROM hull_history WHERE env = ? AND held_for = ? ORDER BY id`, tx.Env, id)
}

// EraseHoldsFor removes what users wrote about holds for a lead or contact that
// was erased.
func EraseHoldsFor(ctx context.Context, tx *db.Tx, id string) error {
	held, err := heldFor(ctx, tx, id)
	if err != nil {
		return err
	}
	for _, hullID := range held {
		mine := func(h Hold) bool { return null.Text(h.ContactID) == id || null.Text(h.LeadID) == id }
		if err := eraseHolds(ctx, tx, hullID, mine); err != nil {
			return err
		}
	}
	return nil
}

// EraseHolds removes what users wrote about holds of the hull of a deal, after
// the buyer was erased. The hold itself stays.
func EraseHolds(ctx context.Context, tx *db.Tx, hullID, dealID string) error {
	return eraseHolds(ctx, tx, hullID, func(h Hold) bool { return null.Text(h.DealID) == dealID })
}

func eraseHolds(ctx context.Context, tx *db.Tx, hullID string, mine func(h Hold) bool) error {
	holds := db.Rows{Table: "hull_history", Where: "hull_id = ? AND (to_status = 'on_hold' OR from_status = 'on_hold')", Args: []any{hullID}}
	if err := db.Erase[HullChange](ctx, tx, holds, false); err != nil {
		return err
	}
	if err := events.RedactWith(ctx, tx, hullID, `"hold":{`); err != nil {
		return err
	}

	h, err := FindForUpdate(ctx, tx, hullID)
	if err != nil || h.Hold == nil || h.Hold.Reason == nil || !mine(*h.Hold) {
		return err
	}
	hold := *h.Hold
	privacy.Erase(&hold, false)
	h.Hold = &hold
	return hulls.Save(ctx, tx, &h)
}
