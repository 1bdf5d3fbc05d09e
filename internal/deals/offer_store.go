package deals

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/fault"
)

var offers = db.Table[Offer]{Name: "offers", Prefix: "off", Noun: "offer", Parent: "deal_id"}

// offersOf returns the offers of a deal, oldest first.
func offersOf(ctx context.Context, tx *db.Tx, d Deal) ([]Offer, error) {
	return db.All[Offer](ctx, tx, `SELECT {cols} FROM offers WHERE env = ? AND deal_id = ? ORDER BY id`, d.Env, d.ID)
}

// saveOffer writes a changed offer and the event of its deal. An empty event
// means that the caller emits another one.
func saveOffer(ctx context.Context, tx *db.Tx, before Offer, o *Offer, event string) error {
	if err := offers.Save(ctx, tx, o); err != nil || event == "" {
		return err
	}
	return events.Emit(ctx, tx, event, o.DealID, events.Change{Before: before, After: *o})
}

// endOffers changes the status of the pending offers of some sides.
func endOffers(ctx context.Context, tx *db.Tx, d Deal, as OfferStatus, sides ...Side) error {
	for _, side := range sides {
		_, err := db.Exec(ctx, tx, `UPDATE offers SET status = ?, decided_at = ?, version = version + 1, updated_at = ?
			WHERE env = ? AND deal_id = ? AND made_by = ? AND status = 'pending'`, as, tx.Now, tx.Now, d.Env, d.ID, side)
		if err != nil {
			return err
		}
	}
	return nil
}

// currentPrice returns the price before an offer is accepted: the newest pending
// offer, or the opening offer if none is pending.
func currentPrice(ctx context.Context, tx *db.Tx, d Deal) (int64, error) {
	amounts, err := db.All[int64](ctx, tx, `SELECT amount_usd FROM offers
		WHERE env = ? AND deal_id = ? AND status = 'pending' ORDER BY id DESC LIMIT 1`, d.Env, d.ID)
	if err != nil || len(amounts) == 0 {
		return d.OfferUSD, err
	}
	return amounts[0], nil
}

// reprice sets the price of the deal from its pending offers. It doesn't change
// the price of signed terms.
func reprice(ctx context.Context, tx *db.Tx, d *Deal) error {
	before := *d
	if d.CheckTermsOpen() != nil {
		return nil //nolint:nilerr // signed terms keep their price
	}
	price, err := currentPrice(ctx, tx, *d)
	if err != nil {
		return err
	}
	d.PriceUSD = price
	d.deselectIfRepriced(before)
	return Save(ctx, tx, before, d)
}

// answer ends the offer that a new one replies to. It rejects a reply to
// anything but an offer of the other side.
func answer(ctx context.Context, tx *db.Tx, d Deal, m OfferMake) error {
	if m.InReplyTo == nil {
		return nil
	}
	var bad fault.Fields
	other, err := offers.FindIn(ctx, tx, d.ID, *m.InReplyTo)
	switch {
	case fault.KindOf(err) == fault.KindNotFound:
		bad.Add("in_reply_to", "not_found", "must be an offer of this deal")
	case err != nil:
		return err
	case other.MadeBy == m.MadeBy:
		bad.Add("in_reply_to", "exclusive", "must be an offer of the %s", m.MadeBy.other())
	case other.Status == Pending:
		return endOffers(ctx, tx, d, Superseded, other.MadeBy) // each side has at most one pending offer
	}
	return bad.Err()
}

// maxRivals limits how many other offers an approver sees.
const maxRivals = 5

// rivals returns the pending offers for the same hull in other open deals: from buyers
// first, the highest first.
func rivals(ctx context.Context, tx *db.Tx, d Deal) ([]Offer, error) {
	return db.All[Offer](ctx, tx, `SELECT {cols} FROM offers WHERE env = ? AND status = 'pending' AND (expires_at IS NULL OR expires_at > ?)
		AND deal_id IN (SELECT id FROM deals WHERE env = ? AND hull_id = ? AND id <> ? AND status = 'open')
		ORDER BY made_by, amount_usd DESC, id LIMIT ?`, tx.Env, tx.Now, tx.Env, d.HullID, d.ID, maxRivals)
}
