package proposals

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// SettleProposal are the arguments of the job that expires a proposal, or finishes an
// approval whose server stopped.
type SettleProposal struct {
	Env auth.Env `json:"env"`
	ID  string   `json:"id"`
}

// Kind is the name of the job.
func (SettleProposal) Kind() string { return "settle_proposal" }

// Work registers the jobs of proposals.
func (a *API) Work(q *jobs.Queue) { jobs.On(q, a.SettleProposal) }

// SettleProposal settles a proposal, unless someone has decided about it.
func (a *API) SettleProposal(ctx context.Context, job SettleProposal) error {
	_, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (ProposalState, error) {
		p, err := proposals.FindForUpdate(ctx, tx, job.ID)
		if fault.KindOf(err) == fault.KindNotFound { // erased
			return p, nil
		}
		if err != nil {
			return p, err
		}
		if p.isStale(tx.Now) {
			if err := a.settle(ctx, tx, &p); err != nil {
				return p, err
			}
		}
		if p.Status == Expired && p.DecidedAt == nil || p.isOverdue(tx.Now) {
			return p, expire(ctx, tx, &p)
		}
		return p, nil
	})
	return err
}
