package leads

import (
	"context"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/vocab/auth"
)

// FindStalled finds leads without activity.
type FindStalled struct{}

// Kind is the job kind.
func (FindStalled) Kind() string { return "find_stalled_leads" }

// Work registers the jobs.
func (a *API) Work(q *jobs.Queue) {
	jobs.On(q, a.FindStalled)
	jobs.Every(q, 5*time.Minute, FindStalled{})
	jobs.On(q, a.ReopenDue)
	jobs.Every(q, 5*time.Minute, ReopenDue{})
}

// FindStalled marks the open leads of each environment without activity for the
// dealership's stalled_after_hours. A lead is marked again only after it was
// touched.
func (a *API) FindStalled(ctx context.Context, _ FindStalled) error {
	environments, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) ([]dealership.Dealership, error) {
		return dealership.Environments(ctx, tx, "")
	})
	if err != nil {
		return err
	}

	for _, d := range environments {
		patience := time.Duration(d.Settings.StalledAfterHours) * time.Hour
		ctx := auth.InEnv(ctx, d.Env)
		ids, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) ([]string, error) {
			return stalled(ctx, tx, tx.Now.Add(-patience))
		})
		if err != nil {
			return err
		}
		for _, id := range ids {
			if err := a.markStalled(ctx, id, d.Settings); err != nil {
				return err
			}
		}
	}

	return nil
}

// markStalled marks one lead unless it was touched since it was found. If the dealership wants it, the lead
// is assigned to the next user in turn.
func (a *API) markStalled(ctx context.Context, id string, s dealership.Settings) error {
	patience := time.Duration(s.StalledAfterHours) * time.Hour
	_, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (Lead, error) {
		l, err := Find(ctx, tx, id)
		if err != nil || l.StalledAt != nil || !l.Status.isOpen() || l.LastTouchedAt.Add(patience).After(tx.Now) {
			return l, err
		}
		before := l
		l.StalledAt = new(tx.Now)
		if err := save(ctx, tx, before, &l, "lead.stalled"); err != nil || !s.ReassignStalled {
			return l, err
		}
		return l, reassign(ctx, tx, l)
	})
	return err
}
