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

// housekeeping is the work that no request asks for, done by one node.
func (a *App) housekeeping(r *jobs.Registry) {
	jobs.Every(r, time.Hour, forget{})
	jobs.On(r, func(ctx context.Context, _ forget) error {
		for _, old := range []db.Func[int64]{rest.ForgetKeys, access.ForgetSpent, people.DeleteExpired} {
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
	// linkEvery is how soon an audit entry is part of the chain.
	linkEvery = 2 * time.Second
	// flushEvery is how late the use of credentials may show.
	flushEvery = 10 * time.Second
)

// upkeep does what every node does for itself, until ctx ends: it links the
// audit log and writes down what requests did to credentials. What remains is
// written at the end.
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
				a.log.Warn("writing the use of credentials", "err", err)
			}
		}
	}
}

// Settle writes what upkeep would write later. Tests and the end call it.
func (a *App) Settle(ctx context.Context) error {
	if err := a.usage.Flush(ctx, a.DB, true); err != nil {
		return err
	}
	_, err := audit.Link(ctx, a.DB)
	return err
}
