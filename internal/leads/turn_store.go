package leads

import (
	"context"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
)

// byTurn is the order of the leads that wait: the longest wait first.
var byTurn = db.Order[Lead]{
	Name: "awaiting_since", Column: "COALESCE(turn_since, created_at)", IsExpr: true, Prefix: leads.Prefix,
	Value:    func(l Lead) int64 { return l.turnSince().UnixMilli() },
	Argument: func(ms int64) any { return time.UnixMilli(ms) },
}

// whereTurn adds the condition of leads for which it is someone's turn at a time.
func whereTurn(w *db.Where, turn Turn, now time.Time) {
	switch turn {
	case "":
	case Nobody:
		w.And("(turn = ? OR snoozed_until > ?)", Nobody, now)
	default:
		w.And("turn = ?", turn)
		w.And("(snoozed_until IS NULL OR snoozed_until <= ?)", now)
	}
}

// AwaitingFilter is the query of the counts of leads that wait for an answer.
type AwaitingFilter struct {
	LocationID string `query:"location_id" maxLength:"1000" doc:"Only leads that this location works. Several are separated by commas."`
}

func countAwaiting(ctx context.Context, tx *db.Tx, f AwaitingFilter) (AwaitingLeads, error) {
	d, err := dealership.Find(ctx, tx)
	if err != nil {
		return AwaitingLeads{}, err
	}
	zone, err := time.LoadLocation(d.Timezone)
	if err != nil {
		zone = time.UTC
	}
	year, month, day := tx.Now.In(zone).Date()
	today := time.Date(year, month, day, 0, 0, 0, 0, zone)

	var w db.Where
	w.And("turn IN (?, ?)", Us, Them)
	w.And("(turn = ? OR turn_since >= ?)", Us, today)
	w.AndOneOf("location_id", f.LocationID)
	where := db.InEnv(tx, &w)
	return db.One[AwaitingLeads](ctx, tx, `SELECT
		COUNT(CASE WHEN turn = 'us' AND (snoozed_until IS NULL OR snoozed_until <= ?) THEN 1 END) AS everyone,
		COUNT(CASE WHEN turn = 'us' AND (snoozed_until IS NULL OR snoozed_until <= ?) AND (owner_id IS NULL OR owner_id = ?) THEN 1 END) AS mine,
		MIN(CASE WHEN turn = 'us' AND (snoozed_until IS NULL OR snoozed_until <= ?) THEN COALESCE(turn_since, created_at) END) AS oldest_since,
		COUNT(CASE WHEN turn = 'us' AND snoozed_until > ? THEN 1 END) AS snoozed,
		MIN(CASE WHEN turn = 'us' AND snoozed_until > ? THEN snoozed_until END) AS next_wake_at,
		COUNT(CASE WHEN turn = 'them' THEN 1 END) AS answered_today
		FROM leads WHERE `+where.String(), append([]any{tx.Now, tx.Now, auth.From(ctx).UserID, tx.Now, tx.Now, tx.Now}, where.Args...)...)
}
