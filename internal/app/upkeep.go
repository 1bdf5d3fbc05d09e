package app

import (
	"context"
	"errors"
	"slices"
	"time"

	"slipway/internal/identity"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/authlog"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/ratelimit"
	"slipway/internal/platform/rest"
	"slipway/internal/proposals"
	"slipway/internal/requestlog"
)

// housekeeping registers the periodic work that only one node does.
func (a *App) housekeeping(q *jobs.Queue) {
	jobs.Every(q, time.Hour, purgeExpired{})
	jobs.On(q, func(ctx context.Context, _ purgeExpired) error {
		all := append(slices.Clone(identity.Expired), rest.PurgeKeys, ratelimit.Purge, authlog.Purge, proposals.DeleteExpired)
		for _, purge := range all {
			if _, err := db.Write(ctx, a.DB, purge); err != nil {
				return err
			}
		}
		if err := requestlog.Purge(ctx, a.DB, a.settings.RequestLogRows); err != nil {
			return err
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
	// shareEvery is how often the servers share their rate limits.
	shareEvery = 100 * time.Millisecond
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
	shared := make(chan struct{})
	go func() {
		defer close(shared)
		a.shareLimits(ctx)
	}()
	defer func() { <-shared }()
	logged := make(chan struct{})
	go func() {
		defer close(logged)
		a.saveRequests(ctx)
	}()
	defer func() { <-logged }()
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
			if err := a.identity.SaveUsage(ctx); err != nil && ctx.Err() == nil {
				a.log.Warn("can't save the usage of credentials", "err", err)
			}
		}
	}
}

// saveRequests saves the request log until ctx ends. Requests that can't be saved are
// lost, because work is more important than its log.
func (a *App) saveRequests(ctx context.Context) {
	if a.requests == nil {
		return
	}
	save, failing := time.NewTicker(recordEvery), false
	defer save.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-save.C:
		}
		if a.maintenance.Load() != nil {
			continue
		}
		err := a.requests.Flush(ctx, a.DB)
		if err != nil && !failing && ctx.Err() == nil {
			a.log.Warn("can't save the request log", "err", err)
		}
		failing = err != nil
	}
}

// shareLimits makes rate limits apply to all servers together. SQLite has one server.
func (a *App) shareLimits(ctx context.Context) {
	if a.DB.SQLite() {
		return
	}
	share := time.NewTicker(shareEvery)
	defer share.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-share.C:
		}
		if a.maintenance.Load() != nil {
			continue
		}
		sharing, cancel := context.WithTimeout(ctx, time.Second)
		if err := a.Router.ShareLimits(sharing); err != nil && ctx.Err() == nil {
			a.log.Debug("can't share the rate limits", "err", err)
		}
		cancel()
	}
}

// Settle does the work of upkeep immediately, in tests and at shutdown.
func (a *App) Settle(ctx context.Context) error {
	if err := errors.Join(a.identity.SaveUsage(ctx), a.AuthLog.Settle(ctx)); err != nil {
		return err
	}
	if a.requests != nil {
		if err := a.requests.Flush(ctx, a.DB); err != nil {
			return err
		}
	}
	_, err := audit.Link(ctx, a.DB)
	return err
}
