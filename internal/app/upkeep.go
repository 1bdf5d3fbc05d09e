package app

import (
	"context"
	"time"

	"slipway/internal/access"
	"slipway/internal/people"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/rest"
)

// housekeeping registers the periodic work of one node.
func (a *App) housekeeping(q *jobs.Queue) {
	jobs.Every(q, time.Hour, forget{})
	jobs.On(q, func(ctx context.Context, _ forget) error {
		for _, old := range []db.Func[int64]{rest.PurgeKeys, access.PurgeUsedCodes, people.DeleteExpired} {
			if _, err := db.Write(ctx, a.DB, old); err != nil {
				return err
			}
		}
		return audit.Purge(ctx, a.DB)
	})
}

type forget struct{}

func (forget) Kind() string { return "purge_expired" }

const (
	// linkEvery is how often audit entries are linked into the chain.
	linkEvery = 2 * time.Second
	// flushEvery is how often the use of credentials is written.
	flushEvery = 10 * time.Second
)

// upkeep is the periodic work of every node, until ctx ends: it links the audit
// log and writes the use of credentials. Settle writes the rest at the end.
func (a *App) upkeep(ctx context.Context) {
	link, flush := time.NewTicker(linkEvery), time.NewTicker(flushEvery)
	defer link.Stop()
	defer flush.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-link.C:
			if _, err := audit.Link(ctx, a.DB); err != nil && ctx.Err() == nil {
				a.log.Warn("linking the audit log", "err", err)
			}
		case <-flush.C:
			if err := a.usage.Flush(ctx, a.DB, false); err != nil && ctx.Err() == nil {
				a.log.Warn("writing credential usage", "err", err)
			}
		}
	}
}

// Settle writes now what upkeep would write later, in tests and at shutdown.
func (a *App) Settle(ctx context.Context) error {
	if err := a.usage.Flush(ctx, a.DB, true); err != nil {
		return err
	}
	_, err := audit.Link(ctx, a.DB)
	return err
}
