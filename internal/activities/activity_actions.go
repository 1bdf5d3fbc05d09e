package activities

import (
	"context"
	"slices"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/null"
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

// AddNotes adds notes to a contact that the caller has locked or added. A note that it has already
// isn't added again. It returns how many were added.
func AddNotes(ctx context.Context, tx *db.Tx, contactID string, texts []string) (added int64, err error) {
	have, err := listByObject(ctx, tx, contactID)
	if err != nil {
		return 0, err
	}
	for _, text := range texts {
		if slices.ContainsFunc(have, func(a Activity) bool { return a.Kind == note && null.Text(a.Body) == text }) {
			continue
		}
		act, err := ActivityCreate{ObjectID: contactID, Kind: note, Body: text}.activity(tx.Now)
		if err != nil {
			return added, err
		}
		if err := insert(ctx, tx, &act); err != nil {
			return added, err
		}
		have = append(have, act)
		added++
	}
	return added, nil
}
