package leads

import (
	"context"

	"slipway/internal/hulls"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/fault"
)

func insertSignal(ctx context.Context, tx *db.Tx, l Lead, n LeadSignalCreate) (LeadSignal, error) {
	s := LeadSignal{
		LeadID: l.ID, Kind: n.Kind, HullID: n.HullID, Value: n.Value, Source: n.Source, OccurredAt: PastTime(n.OccurredAt, tx.Now),
	}
	if n.HullID != nil {
		var bad fault.Fields
		_, err := hulls.Find(ctx, tx, *n.HullID)
		if err := bad.AddNotFound("hull_id", err); err != nil {
			return s, err
		}
		if err := bad.Err(); err != nil {
			return s, err
		}
	}

	err := signals.Insert(ctx, tx, &s)
	return s, err
}

// rescore calculates the score from the recent signals.
func rescore(ctx context.Context, tx *db.Tx, l *Lead) error {
	recent, err := db.All[LeadSignal](ctx, tx, `SELECT {cols} FROM lead_signals WHERE env = ? AND lead_id = ? AND occurred_at > ? ORDER BY id`,
		l.Env, l.ID, tx.Now.Add(-maxAge))
	l.rate(recent, tx.Now)
	return err
}
