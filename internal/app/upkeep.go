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
	"slipway/internal/signin"
)

// housekeeping registers the periodic work that only one node does.
func (a *App) housekeeping(q *jobs.Queue) {
	jobs.Every(q, time.Hour, purgeExpired{})
	jobs.On(q, func(ctx context.Context, _ purgeExpired) error {
		for _, purge := range []db.Func[int64]{rest.PurgeKeys, access.PurgeUsedCodes, people.DeleteExpired, signin.DeleteExpired} {
			if _, err := db.Write(ctx, a.DB, purge); err != nil {
				return err
			}
		}
		return audit.Purge(ctx, a.DB)
	})
}

type purgeExpired struct{}

func (purgeExpired) Kind() string { return "purge_expired" }

const (
	// linkEvery is how often audit entries are linked into the chain.
	linkEvery = 2 * time.Second
	// flushEvery is how often the usage of credentials is saved.
	flushEvery = 10 * time.Second
)

// upkeep does the periodic work of each node until ctx ends. It links the audit
// log and saves the usage of credentials. Settle does the rest at shutdown.
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
				a.log.Warn("can't link the audit log", "err", err)
			}
		case <-flush.C:
			if err := a.usage.Flush(ctx, a.DB, false); err != nil && ctx.Err() == nil {
				a.log.Warn("can't save the usage of credentials", "err", err)
			}
		}
	}
}

// Settle does the work of upkeep immediately, in tests and at shutdown.
func (a *App) Settle(ctx context.Context) error {
	if err := a.usage.Flush(ctx, a.DB, true); err != nil {
		return err
	}
	_, err := audit.Link(ctx, a.DB)
	return err
}
