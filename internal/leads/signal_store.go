package leads

import (
	"context"

	"slipway/internal/hulls"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/fault"
)

func insertSignal(ctx context.Context, tx *db.Tx, l Lead, n LeadSignalCreate) (LeadSignal, error) {
	s := LeadSignal{
		Env: l.Env, ID: tx.NewID("sig"), LeadID: l.ID, Kind: n.Kind, HullID: n.HullID, Value: n.Value, Source: n.Source,
		OccurredAt: past(n.OccurredAt, tx.Now), CreatedAt: tx.Now,
	}
	if n.HullID != nil {
		var bad fault.Fields
		_, err := hulls.Find(ctx, tx, *n.HullID)
		if err := missing(&bad, "hull_id", err); err != nil {
			return s, err
		}
		if err := bad.Err(); err != nil {
			return s, err
		}
	}
	return s, db.Insert(ctx, tx, "lead_signals", s)
}

// rescore works the score out anew from the signals that still count.
func rescore(ctx context.Context, tx *db.Tx, l *Lead) error {
	signals, err := db.All[LeadSignal](ctx, tx, `SELECT {cols} FROM lead_signals WHERE env = ? AND lead_id = ? AND occurred_at > ? ORDER BY id`,
		l.Env, l.ID, tx.Now.Add(-forgotten))
	l.rate(signals, tx.Now)
	return err
}
