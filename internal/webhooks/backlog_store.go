package webhooks

import (
	"context"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
)

// Backlog is the work of the relay in all environments, for metrics.
type Backlog struct {
	Events      int64         // that were not relayed yet
	Lag         time.Duration // age of the oldest of them
	DeadLetters int64
}

// ReadBacklog returns the current backlog.
func ReadBacklog(ctx context.Context, tx *db.Tx) (b Backlog, err error) {
	var first time.Time
	if b.Events, first, err = events.Backlog(ctx, tx, watched); err != nil {
		return b, err
	}
	if b.Events > 0 && !first.IsZero() {
		b.Lag = max(0, tx.Now.Sub(first))
	}
	b.DeadLetters, err = db.One[int64](ctx, tx, `
		SELECT COUNT(*) FROM webhooks w
		JOIN deliveries d ON d.env = w.env AND d.webhook_id = w.id AND d.status = 'dead'
		WHERE w.env IS NOT NULL`)
	return b, err
}
