package jobs

import (
	"context"
	"time"

	"slipway/internal/platform/db"
)

// LaneState is what waits and runs in a lane.
type LaneState struct {
	Name   string
	Jobs   map[string]int64 // by state: available, running, scheduled or retryable
	Waited time.Duration    // how long the oldest available job has waited
}

// states are the states of jobs that are not finished.
var states = []string{"available", "running", "scheduled", "retryable"}

// Lanes returns the state of all lanes, for metrics.
func (q *Queue) Lanes(ctx context.Context, tx *db.Tx) (found []LaneState, err error) {
	type count struct {
		Queue string `db:"queue"`
		State string `db:"state"`
		N     int64  `db:"n"`
	}
	counts, err := db.All[count](ctx, tx, `
		SELECT queue, state, n FROM (SELECT queue, state, COUNT(*) AS n FROM river_job
			WHERE state IN ('available', 'running', 'scheduled', 'retryable') GROUP BY queue, state) AS counted`)
	if err != nil {
		return nil, err
	}

	for _, l := range lanes {
		name := l.name
		lane := LaneState{Name: name, Jobs: map[string]int64{}}
		for _, state := range states {
			lane.Jobs[state] = 0
		}
		for _, c := range counts {
			if c.Queue == name {
				lane.Jobs[c.State] = c.N
			}
		}
		first, err := db.All[time.Time](ctx, tx, `
			SELECT scheduled_at FROM river_job WHERE state = 'available' AND queue = ? ORDER BY priority, scheduled_at LIMIT 1`, name)
		if err != nil {
			return nil, err
		}
		if len(first) > 0 {
			lane.Waited = max(0, time.Since(first[0])) //nolint:forbidigo // the queue uses the real clock
		}
		found = append(found, lane)
	}
	return found, nil
}
