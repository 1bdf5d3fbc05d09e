package deals

import (
	"context"

	"slipway/internal/platform/db"
)

// Create creates a deal and returns it as the caller can see it.
func Create(ctx context.Context, tx *db.Tx, c DealCreate) (Deal, error) {
	d, err := open(ctx, tx, c)
	if err != nil {
		return d, err
	}
	return showOne(ctx, tx, d)
}

// FindVisible returns a deal as the caller can see it.
func FindVisible(ctx context.Context, tx *db.Tx, id string) (Deal, error) {
	d, err := Find(ctx, tx, id)
	if err != nil {
		return d, err
	}
	return showOne(ctx, tx, d)
}

// FindNext returns what a deal requires for each later status.
func FindNext(ctx context.Context, tx *db.Tx, d Deal) (DealNext, error) {
	r, err := findRequirements(ctx, tx, d)
	return d.next(r), err
}
