package app

import (
	"context"
	"errors"
	"time"

	"slipway/internal/access"
	"slipway/internal/oauth"
	"slipway/internal/people"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/authlog"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/rest"
	"slipway/internal/signin"
	"slipway/internal/sso"
)

// housekeeping registers the periodic work that only one node does.
func (a *App) housekeeping(q *jobs.Queue) {
	jobs.Every(q, time.Hour, purgeExpired{})
	jobs.On(q, func(ctx context.Context, _ purgeExpired) error {
		for _, purge := range []db.Func[int64]{
			rest.PurgeKeys, access.PurgeUsedCodes, people.DeleteExpired, signin.DeleteExpired, oauth.DeleteExpired,
			sso.DeleteExpired, authlog.Purge,
		} {
			if _, err := db.Write(ctx, a.DB, purge); err != nil {
				return err
			}
		}
		return audit.Purge(ctx, a.DB)
	})

	jobs.Every(q, time.Hour, noteHeads{})
	jobs.On(q, func(ctx context.Context, _ noteHeads) error { return a.logHeads(ctx) })
}

type purgeExpired struct{}

func (purgeExpired) Kind() string { return "purge_expired" }

// noteHeads writes the heads of the audit logs to the log, outside the database.
type noteHeads struct{}

func (noteHeads) Kind() string { return "note_audit_heads" }

const (
	// linkEvery is how often audit entries are linked into the chain.
	linkEvery = 2 * time.Second
	// recordEvery is how often authentication events are saved.
	recordEvery = time.Second
	// flushEvery is how often the usage of credentials is saved.
	flushEvery = 10 * time.Second
)

// upkeep does the periodic work of each node until ctx ends. It links the audit
// log, saves authentication events and the usage of credentials, and checks the disk.
// Settle does the rest at shutdown.
func (a *App) upkeep(ctx context.Context) {
	link, flush, record := time.NewTicker(linkEvery), time.NewTicker(flushEvery), time.NewTicker(recordEvery)
	defer link.Stop()
	defer flush.Stop()
	defer record.Stop()
	recorded := make(chan struct{})
	go func() { // not behind a slow link
		defer close(recorded)
		a.AuthLog.Run(ctx, record.C, func(err error) { a.log.Warn("can't save authentication events", "err", err) })
	}()
	defer func() { <-recorded }()
	a.disk.check()
	for {
		select {
		case <-ctx.Done():
			return
		case <-link.C:
			if _, err := audit.Link(ctx, a.DB); err != nil && ctx.Err() == nil {
				a.log.Warn("can't link the audit log", "err", err)
			}
		case <-flush.C:
			a.disk.check()
			if err := a.usage.Flush(ctx, a.DB); err != nil && ctx.Err() == nil {
				a.log.Warn("can't save the usage of credentials", "err", err)
			}
			if err := a.uses.Flush(ctx, a.DB); err != nil && ctx.Err() == nil {
				a.log.Warn("can't save the usage of apps", "err", err)
			}
		}
	}
}

// Settle does the work of upkeep immediately, in tests and at shutdown.
func (a *App) Settle(ctx context.Context) error {
	if err := errors.Join(a.usage.Flush(ctx, a.DB), a.AuthLog.Settle(ctx)); err != nil {
		return err
	}
	if err := a.uses.Flush(ctx, a.DB); err != nil {
		return err
	}
	_, err := audit.Link(ctx, a.DB)
	return err
}
