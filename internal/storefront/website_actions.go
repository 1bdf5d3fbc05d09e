package storefront

import (
	"context"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
)

// settle is how long a new price must stay before people are told. It can be a mistake.
const settle = 10 * time.Minute

// Repriced tells the people who wait for a lower price of a boat.
func (a *API) Repriced(ctx context.Context, tx *db.Tx, h hulls.Hull) error {
	if !h.ShowsPrice() {
		return nil
	}
	all, err := waiting(ctx, tx, h.ID, h.PriceUSD, 1)
	if err != nil || len(all) == 0 {
		return err
	}
	return a.Jobs.Enqueue(ctx, tx, SendAlerts{tx.Env, h.ID}, tx.Now.Add(settle))
}

// activeOf returns the users who are still active.
func activeOf(ctx context.Context, tx *db.Tx, ids []string) (active []string, err error) {
	for _, id := range ids {
		u, err := people.FindUser(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		if u.Status == people.Active {
			active = append(active, id)
		}
	}
	return active, nil
}
