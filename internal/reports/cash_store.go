package reports

import (
	"context"

	"slipway/internal/platform/db"
)

func findCash(ctx context.Context, tx *db.Tx, p period, listed rows) (CashReport, error) {
	w := &db.Where{}
	w.And("p.received_on >= ? AND p.received_on <= ?", *p.From, *p.To)
	w.And("p.type IN ('payment', 'refund', 'reversal')") // a transfer moves no money
	if p.LocationID != nil {
		// In a join, SQLite would read all hulls of the location for each payment.
		at, args := db.OneOf("h.location_id", *p.LocationID)
		w.And("EXISTS (SELECT 1 FROM deals d WHERE d.env = p.env AND d.id = p.deal_id AND "+
			"EXISTS (SELECT 1 FROM hulls h WHERE h.env = d.env AND h.id = d.hull_id AND "+at+"))", args...)
	}
	groups, err := db.All[cashGroup](ctx, tx, `SELECT p.kind, p.method, p.type, COUNT(*) AS payments, CAST(SUM(p.amount_cents) AS BIGINT)
		AS amount_cents FROM payments p WHERE p.env = ? AND `+w.String()+` GROUP BY p.kind, p.method, p.type`,
		append([]any{tx.Env}, w.Args...)...)
	if err != nil {
		return CashReport{}, err
	}

	open := &db.Where{}
	open.And("d.env = ?", tx.Env)
	open.And(inProgress + " AND d.status <> 'delivered' AND d.paid_cents > 0 AND p.kind = 'deposit'")
	atHull(open, p)
	// CROSS JOIN makes SQLite start with the deals.
	held, err := db.All[CashDeal](ctx, tx, `SELECT id, status, amount_cents, received_on FROM (SELECT d.id, d.status, MIN(p.received_on) AS received_on,
		CAST(SUM(CASE WHEN p.refunds_payment_id IS NULL THEN p.amount_cents ELSE -p.amount_cents END) AS BIGINT) AS amount_cents
		FROM deals d CROSS JOIN payments p WHERE p.env = d.env AND p.deal_id = d.id AND `+open.String()+` GROUP BY d.env, d.id, d.status) AS held
		WHERE amount_cents > 0 ORDER BY received_on, id`, open.Args...)
	if err != nil {
		return CashReport{}, err
	}
	r := cash(p, groups, held, listed)
	r.Kept, err = findKept(ctx, tx, p)
	return r, err
}

// findKept sums what the dealership kept from deals that were cancelled.
func findKept(ctx context.Context, tx *db.Tx, p period) (CashHeld, error) {
	w := &db.Where{}
	w.And("a.env = ?", tx.Env)
	w.And("a.created_at >= ? AND a.created_at < ?", p.start, p.end)
	w.And("a.kind = 'forfeit'")
	atHull(w, p)
	return db.One[CashHeld](ctx, tx, `SELECT COUNT(DISTINCT a.deal_id) AS deals, CAST(COALESCE(SUM(a.amount_cents), 0) AS BIGINT) AS amount_cents
		FROM deal_adjustments a JOIN deals d ON d.env = a.env AND d.id = a.deal_id WHERE `+w.String(), w.Args...)
}
