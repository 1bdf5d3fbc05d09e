package reports

import (
	"context"

	"slipway/internal/platform/db"
)

func findResponses(ctx context.Context, tx *db.Tx, p period, _ int) (ResponsesReport, error) {
	w := createdIn(tx, p, "l", "lead")
	w.And("l.source NOT IN ('phone', 'walk_in', 'import')") // someone talked to them already
	if p.LocationID != nil {
		w.And("l.location_id = ?", *p.LocationID)
	}
	leads, err := db.All[answeredLead](ctx, tx, `SELECT {cols} FROM (SELECT l.source, l.owner_id, l.status, l.created_at,
		(SELECT MIN(m.sent_at) FROM messages m WHERE m.env = l.env AND m.lead_id = l.id AND m.direction = 'outbound'
			AND m.automatic = FALSE AND m.notice = FALSE AND m.sent_at IS NOT NULL) AS written_at,
		(SELECT MIN(a.occurred_at) FROM activities a WHERE a.env = l.env AND a.object_id = l.id AND a.kind IN ('call', 'visit')) AS called_at
		FROM leads l WHERE `+w.String()+`) AS answered`, w.Args...)
	return responses(p, leads), err
}
