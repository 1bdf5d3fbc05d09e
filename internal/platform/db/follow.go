package db

import (
	"context"
	"strings"
	"time"

	"slipway/internal/vocab/id"
)

// followDelay is how far the clocks of two nodes can differ before a client that
// follows a list misses a row.
const followDelay = 2 * time.Second

// writer is the name of the sessions that write, in pg_stat_activity.
const writer = "slipway-writer"

// settledBefore returns the ID before which no more rows can appear in a list.
//
// An ID contains the time when its transaction started. On PostgreSQL, a transaction
// can commit after others that started later. A client that follows a list with
// ending_before would have moved on, and miss its rows. So it gets no rows newer than
// the oldest transaction that still writes. On SQLite, IDs increase in the order of
// commits.
func settledBefore(ctx context.Context, tx *Tx, cursor string) (string, error) {
	tx.replica = nil // it doesn't know the transactions of the primary
	if tx.settled.IsZero() {
		// This must be read before the rows: what ended before it is visible to them.
		now := tx.db.now()
		age, err := One[float64](ctx, tx, `SELECT COALESCE(EXTRACT(EPOCH FROM MAX(clock_timestamp() - xact_start)), 0)::float8
			FROM pg_stat_activity WHERE datname = current_database() AND application_name = ?`, writer)
		if err != nil {
			return "", err
		}
		tx.settled = now.Add(-time.Duration(max(age, 0)*float64(time.Second)) - tx.db.FollowDelay)
	}
	prefix, _, _ := strings.Cut(cursor, "_")
	return id.Floor(prefix, tx.settled), nil
}
