package deals

import (
	"context"

	"slipway/internal/contacts"
	"slipway/internal/hulls"
	"slipway/internal/leads"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/privacy"
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

	if err := moveListings(ctx, tx, from, to); err != nil {
		return err
	}
	return hulls.MoveHolds(ctx, tx, from, to)
}

func export(ctx context.Context, tx *db.Tx, contactID string) (map[string]any, error) {
	all, err := OfContact(ctx, tx, contactID)
	if err != nil {
		return nil, err
	}

	offers, trades, changes := []Offer{}, []TradeIn{}, []DealChange{}
	for i, d := range all {
		all[i] = privacy.Hide(d, nil) // the dealership's costs are not the contact's data
		o, err := db.All[Offer](ctx, tx, `SELECT {cols} FROM offers WHERE env = ? AND deal_id = ? ORDER BY id`, tx.Env, d.ID)
		if err != nil {
			return nil, err
		}
		t, err := TradeIns(ctx, tx, d)
		if err != nil {
			return nil, err
		}
		for i := range t {
			t[i] = privacy.Hide(t[i], nil)
		}
		h, err := db.All[DealChange](ctx, tx, `SELECT {cols} FROM deal_history WHERE env = ? AND deal_id = ? ORDER BY id`, tx.Env, d.ID)
		if err != nil {
			return nil, err
		}
		offers, trades, changes = append(offers, o...), append(trades, t...), append(changes, h...)
	}
	holds, err := exportHolds(ctx, tx, contactID)
	if err != nil {
		return nil, err
	}
	listed, err := ListingsOf(ctx, tx, contactID)
	return map[string]any{
		"deals": all, "offers": offers, "trade_ins": trades, "deal_history": changes, "holds": holds, "listing_agreements": listed,
	}, err
}

// exportHolds returns the holds of hulls for the contact or one of its leads.
func exportHolds(ctx context.Context, tx *db.Tx, contactID string) ([]hulls.HullChange, error) {
	ids, err := leads.IDsOf(ctx, tx, contactID)
	if err != nil {
		return nil, err
	}
	all := []hulls.HullChange{}
	for _, id := range append(ids, contactID) {
		found, err := hulls.HoldsFor(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
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

	if err := checkListings(ctx, tx, contactID); err != nil {
		return err
	}
	for _, d := range all {
		if err := eraseDeal(ctx, tx, d); err != nil {
			return err
		}
	}
	return eraseHolds(ctx, tx, contactID)
}

// eraseHolds removes the reasons of holds for the contact or one of its leads, also from
// deals of other buyers, which remember the hold that they replaced.
func eraseHolds(ctx context.Context, tx *db.Tx, contactID string) error {
	ids, err := leads.IDsOf(ctx, tx, contactID)
	if err != nil {
		return err
	}
	for _, id := range append(ids, contactID) {
		if err := hulls.EraseHoldsFor(ctx, tx, id); err != nil {
			return err
		}
		others, err := db.All[Deal](ctx, tx, `SELECT {cols} FROM deals WHERE env = ? AND hull_hold LIKE ?`, tx.Env, `%"`+id+`"%`)
		if err != nil {
			return err
		}
		for _, d := range others {
			hold := *d.HullHold
			privacy.Erase(&hold, false)
			d.HullHold = &hold
			if err := deals.Save(ctx, tx, &d); err != nil {
				return err
			}
		}
	}
	return nil
}

// eraseDeal removes the free text of a deal. The event doesn't contain the old
// values.
func eraseDeal(ctx context.Context, tx *db.Tx, d Deal) error {
	of, isSale := func(table string) db.Rows { return db.Rows{Table: table, Where: "deal_id = ?", Args: []any{d.ID}} }, d.IsSale()
	if err := db.Erase[Offer](ctx, tx, of("offers"), isSale); err != nil {
		return err
	}
	if err := db.Erase[DealChange](ctx, tx, of("deal_history"), isSale); err != nil {
		return err
	}
	if err := db.Erase[DealAdjustment](ctx, tx, of("deal_adjustments"), isSale); err != nil {
		return err
	}
	if err := db.Erase[TradeIn](ctx, tx, of("trade_ins"), isSale); err != nil {
		return err
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
