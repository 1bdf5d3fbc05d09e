package leads

import (
	"context"

	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
)

// ReopenDue opens the lost leads that were closed until a time.
type ReopenDue struct{}

// Kind is the job kind.
func (ReopenDue) Kind() string { return "reopen_leads" }

// ReopenDue opens the leads whose time has come, in each environment.
func (a *API) ReopenDue(ctx context.Context, _ ReopenDue) error {
	environments, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) ([]dealership.Dealership, error) {
		return dealership.Environments(ctx, tx, "")
	})
	if err != nil {
		return err
	}

	for _, d := range environments {
		ctx := auth.InEnv(ctx, d.Env)
		ids, err := db.Read(ctx, a.DB, due)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if err := a.reopen(ctx, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// reopen opens one lead unless it changed since it was found.
func (a *API) reopen(ctx context.Context, id string) error {
	_, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (Lead, error) {
		l, err := Find(ctx, tx, id)
		if err != nil || l.ReopenAt == nil || l.ReopenAt.After(tx.Now) {
			return l, err
		}
		before := l
		l.reopen(tx.Now)
		err = save(ctx, tx, before, &l, "lead.updated")
		return l, err
	})
	return err
}
