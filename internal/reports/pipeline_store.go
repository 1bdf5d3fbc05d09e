package reports

import (
	"context"

	"slipway/internal/platform/db"
)

// inProgress must be the same as in the index deals_in_progress.
const inProgress = `d.status IN ('open', 'accepted', 'in_finance', 'contracted', 'funded', 'delivered')`

// atHull adds the condition that the hull of a deal d is at the location of the
// report.
func atHull(w *db.Where, p period) {
	if p.LocationID != nil {
		at, args := db.OneOf("h.location_id", *p.LocationID)
		w.And("EXISTS (SELECT 1 FROM hulls h WHERE h.env = d.env AND h.id = d.hull_id AND "+at+")", args...)
	}
}

func findPipeline(ctx context.Context, tx *db.Tx, p period, _ rows) (PipelineReport, error) {
	open := &db.Where{}
	open.And("d.env = ?", tx.Env)
	open.And(inProgress)
	atHull(open, p)
	// in_finance has no column with its time.
	now, err := db.All[openDeal](ctx, tx, `SELECT {cols} FROM (SELECT d.status, d.price_usd, d.paid_cents, COALESCE(CASE d.status
		WHEN 'accepted' THEN d.accepted_at WHEN 'contracted' THEN d.contracted_at WHEN 'funded' THEN d.funded_at
		WHEN 'delivered' THEN d.delivered_at WHEN 'in_finance' THEN (SELECT MAX(c.at) FROM deal_history c
			WHERE c.env = d.env AND c.deal_id = d.id AND c.to_status = 'in_finance') END, d.created_at) AS since
		FROM deals d WHERE `+open.String()+`) AS current`, open.Args...)
	if err != nil {
		return PipelineReport{}, err
	}

	w := createdIn(tx, p, "d", "deal")
	atHull(w, p)
	created, err := db.All[outcomeGroup](ctx, tx, `SELECT status, accepted, COUNT(*) AS deals, CAST(SUM(price_usd) AS BIGINT) AS price_usd
		FROM (SELECT d.env, d.status, CASE WHEN d.accepted_at IS NULL THEN 0 ELSE 1 END AS accepted, d.price_usd
		FROM deals d WHERE `+w.String()+`) AS created GROUP BY status, accepted`, w.Args...)
	return pipeline(p, now, created), err
}
