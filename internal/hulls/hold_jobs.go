package hulls

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/vocab/auth"
)

// ReleaseHold ends a hold that has expired.
type ReleaseHold struct {
	Env    auth.Env `json:"env"`
	HullID string   `json:"hull_id"`
}

// Kind names the job.
func (ReleaseHold) Kind() string { return "release_hold" }

// Work registers the jobs of the inventory.
func (a *API) Work(r *jobs.Registry) {
	jobs.On(r, a.ReleaseHold)
}

// ReleaseHold makes the hull available again, unless the hold ended or was
// prolonged in the meantime: a prolonged hold has a job of its own.
func (a *API) ReleaseHold(ctx context.Context, job ReleaseHold) error {
	_, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (Hull, error) {
		h, err := Find(ctx, tx, job.HullID)
		if err != nil || h.Hold == nil || tx.Now.Before(h.Hold.ExpiresAt) {
			return h, err
		}
		before := h
		h.Status, h.Hold = Available, nil
		return h, Save(ctx, tx, before, &h, "hull.status_changed", new("hold expired"))
	})
	return err
}
