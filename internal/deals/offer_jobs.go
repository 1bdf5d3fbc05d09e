package deals

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/vocab/auth"
)

// ExpireOffer are the arguments of the job that expires an offer.
type ExpireOffer struct {
	Env     auth.Env `json:"env"`
	DealID  string   `json:"deal_id"`
	OfferID string   `json:"offer_id"`
}

// Kind is the name of the job.
func (ExpireOffer) Kind() string { return "expire_offer" }

// Work registers the jobs of deals.
func (a *API) Work(q *jobs.Queue) { jobs.On(q, a.ExpireOffer) }

// ExpireOffer expires the offer unless it is already decided.
func (a *API) ExpireOffer(ctx context.Context, job ExpireOffer) error {
	_, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (Offer, error) {
		d, err := FindForUpdate(ctx, tx, job.DealID)
		if err != nil {
			return Offer{}, err
		}
		o, err := offers.FindIn(ctx, tx, job.DealID, job.OfferID)
		if err != nil || o.Status != Pending || tx.Now.Before(*o.ExpiresAt) {
			return o, err
		}

		before := o
		o.decide(Expired, tx.Now)
		if err := saveOffer(ctx, tx, before, &o, "deal.offer_expired"); err != nil {
			return o, err
		}
		return o, reprice(ctx, tx, &d)
	})
	return err
}
