package hulls

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/vocab/auth"
)

// ReleaseHold is the job that ends an expired hold.
type ReleaseHold struct {
	Env    auth.Env `json:"env"`
	HullID string   `json:"hull_id"`
}

// Kind returns the name of the job.
func (ReleaseHold) Kind() string { return "release_hold" }

// Work registers the jobs of hulls.
func (a *API) Work(q *jobs.Queue) {
	jobs.On(q, a.ReleaseHold)
}

// ReleaseHold makes the hull available again, unless the hold was ended or
// extended. An extended hold has its own job.
func (a *API) ReleaseHold(ctx context.Context, job ReleaseHold) error {
	_, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (Hull, error) {
		h, err := Find(ctx, tx, job.HullID)
		if err != nil || h.Hold == nil || tx.Now.Before(h.Hold.ExpiresAt) {
			return h, err
		}
		before := h
		h.Status, h.Hold = Available, nil
		err = Save(ctx, tx, before, &h, Cause{Event: "hull.status_changed", Reason: new("hold expired")})
		return h, err
	})
	return err
}
