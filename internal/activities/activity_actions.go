package activities

import (
	"context"

	"slipway/internal/platform/db"
)

// Assign gives a user a task on an object that is due now.
func Assign(ctx context.Context, tx *db.Tx, objectID, userID, text string) error {
	act, err := ActivityCreate{ObjectID: objectID, Kind: task, Body: text, UserID: &userID, DueAt: &tx.Now}.activity(tx.Now)
	if err != nil {
		return err
	}
	if err := insert(ctx, tx, &act); err != nil {
		return err
	}
	return touch(ctx, tx, act)
}

// AddTask adds a task on an object that is due now, for a user or for no one, and returns its ID.
func AddTask(ctx context.Context, tx *db.Tx, objectID string, userID *string, text string) (string, error) {
	act, err := ActivityCreate{ObjectID: objectID, Kind: task, Body: text, UserID: userID, DueAt: &tx.Now}.activity(tx.Now)
	if err != nil {
		return "", err
	}
	err = insert(ctx, tx, &act)
	return act.ID, err
}
