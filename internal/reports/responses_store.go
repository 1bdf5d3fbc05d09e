package reports

import (
	"context"
	"slices"

	"slipway/internal/leads"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/id"
	"slipway/internal/vocab/null"
)

func findResponses(ctx context.Context, tx *db.Tx, p period, _ rows) (ResponsesReport, error) {
	w := &db.Where{}
	w.And("l.id >= ? AND l.id < ?", id.Floor("lead", p.start), id.Floor("lead", p.end))
	for _, met := range leads.Met {
		w.And("l.source <> ?", met)
	}
	w.AndOneOf("l.location_id", null.Text(p.LocationID))
	all, err := db.All[answeredLead](ctx, tx, `SELECT {l.cols} FROM leads l WHERE l.env = ? AND `+w.String(),
		append([]any{tx.Env}, w.Args...)...)
	if err != nil {
		return ResponsesReport{}, err
	}

	// The responses are ranges of an index, like the leads. That is faster than a
	// query for each lead.
	from, to := id.Floor("lead", p.start), id.Floor("lead", p.end)
	written, err := db.All[answer](ctx, tx, `SELECT m.lead_id AS id, MIN(m.sent_at) AS at FROM messages m WHERE m.env = ?
		AND m.lead_id >= ? AND m.lead_id < ? AND m.direction = 'outbound' AND m.automatic = FALSE AND m.notice = FALSE AND m.campaign_id IS NULL AND m.lead_plan_id IS NULL
		AND m.sent_at IS NOT NULL GROUP BY m.lead_id`, tx.Env, from, to)
	if err != nil {
		return ResponsesReport{}, err
	}
	called, err := db.All[answer](ctx, tx, `SELECT a.object_id AS id, MIN(a.occurred_at) AS at FROM activities a WHERE a.env = ?
		AND a.object_id >= ? AND a.object_id < ? AND a.kind IN ('call', 'visit') GROUP BY a.object_id`, tx.Env, from, to)
	if err != nil {
		return ResponsesReport{}, err
	}
	goals, err := findGoals(ctx, tx)
	return responses(p, all, slices.Concat(written, called), goals), err
}

// findGoals returns within how many minutes locations want to answer, by location.
func findGoals(ctx context.Context, tx *db.Tx) (map[string]int64, error) {
	type goal struct {
		ID      string `db:"id"`
		Minutes int64  `db:"minutes"`
	}
	goals := map[string]int64{}
	all, err := db.All[goal](ctx, tx, `SELECT id, response_goal_minutes AS minutes FROM locations WHERE env = ? AND response_goal_minutes IS NOT NULL`, tx.Env)
	for _, g := range all {
		goals[g.ID] = g.Minutes
	}
	return goals, err
}
