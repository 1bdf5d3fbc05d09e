package reports

import (
	"context"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/id"
	"slipway/internal/vocab/null"
)

func findLeads(ctx context.Context, tx *db.Tx, p period, _ rows) (LeadsReport, error) {
	// IDs contain the creation time, so the period is a range of the primary key.
	month, args := p.monthOf("l.id", func(at time.Time) any { return id.Floor("lead", at) })
	w := createdIn(tx, p, "l", "lead")
	w.AndOneOf("l.location_id", null.Text(p.LocationID))
	groups, err := db.All[leadGroup](ctx, tx, `SELECT month, source, status, sold, COUNT(*) AS leads
		FROM (SELECT l.env, `+month+` AS month, l.source, l.status,
		CASE WHEN d.status IN ('contracted', 'funded', 'delivered', 'closed') THEN 1 ELSE 0 END AS sold
		FROM leads l LEFT JOIN deals d ON d.env = l.env AND d.id = l.deal_id WHERE `+w.String()+`) AS created
		GROUP BY month, source, status, sold`, append(args, w.Args...)...)
	if err != nil {
		return LeadsReport{}, err
	}
	r := leadsReport(p, groups, auth.From(ctx).Can(auth.DealsRead))

	d, err := dealership.Find(ctx, tx)
	if err != nil {
		return r, err
	}
	w.And("l.status = 'lost'")
	found, err := db.All[LeadsLostReason](ctx, tx, `SELECT COALESCE(l.lost_reason, '') AS reason, COUNT(*) AS leads FROM leads l WHERE l.env = ? AND `+w.String()+`
		GROUP BY COALESCE(l.lost_reason, '')`, append([]any{tx.Env}, w.Args...)...)
	r.LostReasons = lostReasons(d.Settings.LostReasons, found)
	return r, err
}

// createdIn returns a filter for the rows that were created in a period.
func createdIn(tx *db.Tx, p period, table, prefix string) *db.Where {
	w := &db.Where{}
	w.And(table+".env = ?", tx.Env)
	if !p.start.IsZero() {
		w.And(table+".id >= ?", id.Floor(prefix, p.start))
	}
	if !p.end.IsZero() {
		w.And(table+".id < ?", id.Floor(prefix, p.end))
	}
	return w
}
