package deals

import (
	"context"

	"slipway/internal/contacts"
	"slipway/internal/hulls"
	"slipway/internal/leads"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/fault"
)

// Holder lets deals follow a merge, an export or an erasure of a contact.
func Holder() contacts.Holder {
	return contacts.Holder{Move: move, Export: export, Erase: erase}
}

// OfContact returns the deals in which a contact is a buyer, oldest first.
func OfContact(ctx context.Context, tx *db.Tx, contactID string) ([]Deal, error) {
	all, err := db.All[Deal](ctx, tx, `SELECT {cols} FROM deals WHERE env = ? AND (buyer_id = ? OR co_buyer_id = ?) ORDER BY id`,
		tx.Env, contactID, contactID)
	for i := range all {
		all[i].derive()
	}
	return all, err
}

// ObjectsOf returns the IDs of a contact's leads and deals, and the contact's own.
func ObjectsOf(ctx context.Context, tx *db.Tx, contactID string) ([]string, error) {
	ids, err := leads.IDsOf(ctx, tx, contactID)
	if err != nil {
		return nil, err
	}
	all, err := OfContact(ctx, tx, contactID)
	for _, d := range all {
		ids = append(ids, d.ID)
	}
	return append(ids, contactID), err
}

// move moves the deals of one contact to another. If buyer and co-buyer become the
// same contact, the co-buyer is removed.
func move(ctx context.Context, tx *db.Tx, from, to string) error {
	all, err := OfContact(ctx, tx, from)
	if err != nil {
		return err
	}

	for _, d := range all {
		before := d
		if d.BuyerID == from {
			d.BuyerID = to
		}
		if d.CoBuyerID != nil && *d.CoBuyerID == from {
			d.CoBuyerID = &to
		}
		if d.CoBuyerID != nil && *d.CoBuyerID == d.BuyerID {
			d.CoBuyerID = nil
		}
		if d.HullHold != nil && d.HullHold.ContactID != nil && *d.HullHold.ContactID == from {
			hold := *d.HullHold
			hold.ContactID = &to
			d.HullHold = &hold
		}
		if err := saveAndEmit(ctx, tx, before, &d, cause{event: "deal.updated"}); err != nil {
			return err
		}
	}

	return hulls.MoveHolds(ctx, tx, from, to)
}

func export(ctx context.Context, tx *db.Tx, contactID string) (map[string]any, error) {
	all, err := OfContact(ctx, tx, contactID)
	if err != nil {
		return nil, err
	}

	offers, trades := []Offer{}, []TradeIn{}
	for i, d := range all {
		all[i].hideCosts() // the dealership's costs are not the contact's data
		o, err := db.All[Offer](ctx, tx, `SELECT {cols} FROM offers WHERE env = ? AND deal_id = ? ORDER BY id`, tx.Env, d.ID)
		if err != nil {
			return nil, err
		}
		t, err := TradeIns(ctx, tx, d)
		if err != nil {
			return nil, err
		}
		for i := range t {
			t[i] = t[i].public()
		}
		offers, trades = append(offers, o...), append(trades, t...)
	}
	return map[string]any{"deals": all, "offers": offers, "trade_ins": trades}, nil
}

// erase fails if a deal is not closed or cancelled. It removes the free text from
// the deals. A sale stays with its amounts, line items and the trade-ins that
// were taken over, because tax and title laws require them.
func erase(ctx context.Context, tx *db.Tx, contactID string) error {
	all, err := OfContact(ctx, tx, contactID)
	if err != nil {
		return err
	}
	for _, d := range all {
		if d.Status.category() == CategoryOpen {
			return fault.Conflict("The contact has deal %s, which is %s. Close or cancel it first.", d.ID, d.Status).
				Detail("deal_id", "state", "is %s, which is %s", d.ID, d.Status)
		}
	}

	for _, d := range all {
		if err := eraseDeal(ctx, tx, d); err != nil {
			return err
		}
	}
	return eraseHolds(ctx, tx, contactID)
}

// eraseHolds removes the reasons of holds for the contact or one of its leads.
func eraseHolds(ctx context.Context, tx *db.Tx, contactID string) error {
	ids, err := leads.IDsOf(ctx, tx, contactID)
	if err != nil {
		return err
	}
	for _, id := range append(ids, contactID) {
		if err := hulls.EraseHoldsFor(ctx, tx, id); err != nil {
			return err
		}
	}
	return nil
}

// eraseDeal removes the free text of a deal. The event doesn't contain the old
// values.
func eraseDeal(ctx context.Context, tx *db.Tx, d Deal) error {
	statements := []string{
		`UPDATE offers SET note = NULL, reason = NULL WHERE env = ? AND deal_id = ?`,
		`UPDATE deal_history SET reason = NULL WHERE env = ? AND deal_id = ?`,
		`UPDATE trade_ins SET description = NULL WHERE env = ? AND deal_id = ?`,
	}
	if d.Status == Cancelled { // nothing was traded in
		statements = append(statements,
			`UPDATE trade_ins SET hin = NULL, make = NULL, model = NULL, lienholder = NULL WHERE env = ? AND deal_id = ?`)
	}
	for _, statement := range statements {
		if _, err := db.Exec(ctx, tx, statement, tx.Env, d.ID); err != nil {
			return err
		}
	}

	if err := events.Redact(ctx, tx, d.ID); err != nil {
		return err
	}
	if err := hulls.EraseHolds(ctx, tx, d.HullID, d.ID); err != nil {
		return err
	}
	d.erase()
	return saveAndEmit(ctx, tx, d, &d, cause{event: "deal.updated"})
}
