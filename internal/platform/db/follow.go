package db

import (
	"context"
	"strings"
	"time"

	"slipway/internal/vocab/id"
)

// A page waits 300 ms, in steps, for writes that are still running. Most end within
// milliseconds.
const (
	followSteps = 60
	followStep  = 5 * time.Millisecond
)

// writer is the name of the sessions that write, in pg_stat_activity.
const writer = "slipway-writer"

// settledBefore returns the ID before which no more rows can appear in a list.
//
// An ID contains a time of the database after its transaction has started. On PostgreSQL, a
// transaction can commit after others that started later. A client that follows a list with
// ending_before would have moved on, and miss its rows. So it gets no rows newer than the
// oldest transaction that still writes. A transaction that isn't listed yet reads the clock
// later than the statement here started. On SQLite, IDs increase in the order of commits.
//
// If a row is hidden, it waits for the transactions for a moment: an empty page would tell
// the client that there is nothing.
func (src Source) settledBefore(ctx context.Context, tx *Tx, cursor string, w *Where) (string, error) {
	tx.replica = nil // it doesn't know the transactions of the primary
	prefix, _, _ := strings.Cut(cursor, "_")
	settled, err := tx.settledAt(ctx)
	if err != nil {
		return "", err
	}
	before := id.Floor(prefix, settled)
	w = w.With(src.ID+" >= ?", before)
	hidden, err := All[string](ctx, tx, "SELECT "+src.ID+" FROM "+src.From+" WHERE "+w.String()+" ORDER BY "+src.ID+" DESC LIMIT 1", w.Args...)
	if err != nil || len(hidden) == 0 {
		return before, err
	}

	for step := 0; before <= hidden[0] && step < followSteps; step++ {
		if err := pause(ctx, followStep); err != nil {
			return "", err
		}
		if settled, err = tx.settledAt(ctx); err != nil {
			return "", err
		}
		before = id.Floor(prefix, settled)
	}
	return before, nil
}

// settledAt returns the time when the oldest transaction that still writes has started, or
// the current time if there is none. It must be read before the rows: what ended before it
// is visible to them.
func (tx *Tx) settledAt(ctx context.Context) (time.Time, error) {
	const running = ` FROM pg_stat_activity WHERE datname = current_database() AND application_name = ?`
	if !tx.db.OwnClock {
		return One[time.Time](ctx, tx, `SELECT COALESCE(MIN(LEAST(xact_start, statement_timestamp())), statement_timestamp())`+running, writer)
	}
	now := tx.db.now()
	age, err := One[float64](ctx, tx, `SELECT COALESCE(EXTRACT(EPOCH FROM MAX(clock_timestamp() - xact_start)), 0)::float8`+running, writer)
	return now.Add(-time.Duration(max(age, 0) * float64(time.Second))), err
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
