package webhooks

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/id"
)

// where returns the filter as SQL conditions. It only matches events that the
// caller can read.
func (f EventFilter) where(caller auth.Principal, kinds []events.Kind) (*db.Where, error) {
	w := &db.Where{}
	w.And("env = ?", caller.Env)
	readable := events.Readable(kinds, caller.Scopes, caller.Version)
	switch {
	case f.Type != "":
		if len(typesOf(kinds, f.Type)) == 0 {
			return w, fault.BadRequest("type must be an event type, or a pattern such as hull.*.").
				Detail("type", "enum", "must be an event type, or a pattern such as hull.*")
		}
		if err := checkReadable(kinds, f.Type, caller.Scopes, caller.Version, "type"); err != nil {
			return w, err
		}
		marks, args := db.In(typesOf(readable, f.Type))
		w.And("type IN "+marks, args...)
	case len(readable) < len(kinds):
		// Not a plain IN: the index on the type would have to sort all events of these types for each page.
		marks, args := db.In(typesOf(readable, "*"))
		w.And("CASE WHEN type IN "+marks+" THEN 1 ELSE 0 END = 1", args...)
	}

	w.AndIf(f.ObjectID != "", "object_id = ?", f.ObjectID)
	if f.CreatedAfter.Set {
		w.And("id >= ?", id.Floor("evt", f.CreatedAfter.V))
	}
	if f.CreatedBefore.Set {
		w.And("id < ?", id.Floor("evt", f.CreatedBefore.V))
	}

	return w, nil
}

// changesAfter returns the events after one.
func changesAfter(ctx context.Context, tx *db.Tx, eventID string, limit int) ([]Change, error) {
	return db.All[Change](ctx, tx, `SELECT {cols} FROM events WHERE env = ? AND id > ? ORDER BY id LIMIT ?`, tx.Env, eventID, limit)
}

// feed is the newest event of an environment.
type feed struct {
	Env    auth.Env `db:"env"`
	LastID string   `db:"last_id"`
}

func listFeeds(ctx context.Context, tx *db.Tx, envs []auth.Env) ([]feed, error) {
	marks, args := db.In(envs)
	return db.All[feed](ctx, tx, `SELECT {cols} FROM event_feeds WHERE env IN `+marks, args...)
}
