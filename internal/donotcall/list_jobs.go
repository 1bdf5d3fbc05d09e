package donotcall

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/vocab/auth"
)

// PurgeNumbers is the job that deletes the numbers of a deleted list.
type PurgeNumbers struct {
	Env    auth.Env `json:"env"`
	ListID string   `json:"list_id"`
}

// Kind is the job kind.
func (PurgeNumbers) Kind() string { return "purge_do_not_call_numbers" }

// Work registers the jobs.
func (a *API) Work(q *jobs.Queue) { jobs.On(q, a.PurgeNumbers) }

// PurgeNumbers deletes the numbers in small steps, because a list can have millions.
func (a *API) PurgeNumbers(ctx context.Context, job PurgeNumbers) error {
	for {
		n, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (int64, error) {
			return purge(ctx, tx, job.ListID)
		})
		if err != nil || n == 0 {
			return err
		}
	}
}
