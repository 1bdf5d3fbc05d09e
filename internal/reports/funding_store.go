package reports

import (
	"context"

	"slipway/internal/platform/db"
)

func findFunding(ctx context.Context, tx *db.Tx, p period, listed rows) (FundingReport, error) {
	w := createdIn(tx, p, "f", "fund")
	w.And("f.status IN ('contract_sent', 'signed', 'package_submitted', 'pending_docs', 'approved_to_fund')")
	atHull(w, p)
	all, err := db.All[contract](ctx, tx, `SELECT {cols} FROM (SELECT f.id, f.deal_id, f.lender, f.status, f.amount_cents,
		(SELECT COUNT(*) FROM stipulations s WHERE s.env = f.env AND s.deal_id = f.deal_id AND s.funding_id = f.id
			AND s.status NOT IN ('accepted', 'waived')) AS stipulations, d.contracted_at, d.delivered_at
		FROM fundings f JOIN deals d ON d.env = f.env AND d.id = f.deal_id WHERE `+w.String()+`) AS transit`, w.Args...)
	return funding(p, all, listed), err
}
