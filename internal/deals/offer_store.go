package deals

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/fault"
)

func findOffer(ctx context.Context, tx *db.Tx, dealID, id string) (Offer, error) {
	o, err := db.One[Offer](ctx, tx, `SELECT {cols} FROM offers WHERE env = ? AND deal_id = ? AND id = ?`, tx.Env, dealID, id)
	if db.IsNoRows(err) {
		return o, fault.NotFound("offer", id)
	}
	return o, err
}

func insertOffer(ctx context.Context, tx *db.Tx, d Deal, o *Offer) error {
	o.Env, o.ID, o.DealID, o.Version, o.CreatedAt, o.UpdatedAt = d.Env, tx.NewID("off"), d.ID, 1, tx.Now, tx.Now
	return db.Insert(ctx, tx, "offers", *o)
}

// saveOffer writes a changed offer and, if it has a name, the event, which is
// one of the deal's.
func saveOffer(ctx context.Context, tx *db.Tx, before Offer, o *Offer, event string) error {
	o.Version, o.UpdatedAt = before.Version+1, tx.Now
	err := db.Changed(db.Update(ctx, tx, "offers", o, "env = ? AND deal_id = ? AND id = ? AND version = ?", o.Env, o.DealID, o.ID, before.Version))
	if err != nil || event == "" {
		return err
	}
	return events.Emit(ctx, tx, event, o.DealID, before, *o)
}

// endOffers ends the pending offers of some sides: the deal needs them no more.
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

// priceOnTable is what the deal's price is before an offer is accepted: the
// newest pending offer, or the opening one if there is none.
func priceOnTable(ctx context.Context, tx *db.Tx, d Deal) (int64, error) {
	amounts, err := db.All[int64](ctx, tx, `SELECT amount_usd FROM offers WHERE env = ? AND deal_id = ? AND status = 'pending' ORDER BY id DESC LIMIT 1`, d.Env, d.ID)
	if err != nil || len(amounts) == 0 {
		return d.OfferUSD, err
	}
	return amounts[0], nil
}

// reprice brings the deal's price in line with the offers on the table.
func reprice(ctx context.Context, tx *db.Tx, d *Deal) error {
	before := *d
	price, err := priceOnTable(ctx, tx, *d)
	if err != nil {
		return err
	}
	d.PriceUSD = price
	d.repriced(before)
	return Keep(ctx, tx, before, d)
}

// checkReply refuses a reply to what is no offer of the other side.
func checkReply(ctx context.Context, tx *db.Tx, d Deal, m OfferMake) error {
	if m.InReplyTo == nil {
		return nil
	}
	var bad fault.Fields
	other, err := findOffer(ctx, tx, d.ID, *m.InReplyTo)
	switch {
	case fault.KindOf(err) == fault.KindNotFound:
		bad.Add("in_reply_to", "not_found", "is no offer of this deal")
	case err != nil:
		return err
	case other.MadeBy == m.MadeBy:
		bad.Add("in_reply_to", "exclusive", "must be an offer of the %s", m.MadeBy.other())
	}
	return bad.Err()
}
