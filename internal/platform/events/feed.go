package events

import (
	"context"
	"strings"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/id"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/wire"
)

// keepFor is how long events are stored: 30 days, plus the duration of the
// delivery attempts, so that a dead letter still has its event.
const keepFor = 34 * 24 * time.Hour

// Publish moves events from the outbox to the feed and returns them in the order
// of the feed. It moves up to limit events of each environment, so that a long
// queue does not delay other environments. It skips events that another node is
// moving.
func Publish(ctx context.Context, tx *db.Tx, limit int) ([]Event, error) {
	// Reads one index entry per environment, however many events it has.
	envs, err := db.All[auth.Env](ctx, tx, `
		WITH RECURSIVE waiting (env) AS (
			SELECT MIN(env) FROM outbox
			UNION ALL
			SELECT (SELECT MIN(env) FROM outbox WHERE env > waiting.env) FROM waiting WHERE waiting.env IS NOT NULL
		)
		SELECT env FROM waiting WHERE env IS NOT NULL`)
	var all []Event
	for _, env := range envs { // in order, to prevent a deadlock between two nodes
		if err != nil {
			break
		}
		var moved []Event
		moved, err = publish(ctx, tx.In(env), limit)
		all = append(all, moved...)
	}
	return all, err
}

func publish(ctx context.Context, tx *db.Tx, limit int) ([]Event, error) {
	moved, err := db.Claim[Event](ctx, tx, `SELECT {cols} FROM outbox WHERE env = ? ORDER BY id LIMIT ?`, tx.Env, limit)
	if err != nil || len(moved) == 0 {
		return nil, err
	}

	var ids []string
	for _, e := range moved {
		ids = append(ids, e.ID)
	}
	marks, args := db.In(ids)
	if _, err := db.Exec(ctx, tx, `DELETE FROM outbox WHERE env = ? AND id IN `+marks, append([]any{tx.Env}, args...)...); err != nil {
		return nil, err
	}
	err = appendToFeed(ctx, tx, moved)
	return moved, err
}

// Append adds an event directly to the feed, without the outbox and without an
// audit entry.
func Append(ctx context.Context, tx *db.Tx, name, objectID string, object any) (Event, error) {
	e, err := newEvent(ctx, tx, name, objectID, object, map[string]any{})
	if err != nil {
		return e, err
	}

	one := []Event{e}
	err = appendToFeed(ctx, tx, one) // before one[0] is read, because it sets the ID
	return one[0], err
}

// appendToFeed assigns the IDs of events and adds them to the feed. It locks the
// feed until the transaction ends.
func appendToFeed(ctx context.Context, tx *db.Tx, added []Event) error {
	last, err := db.One[string](ctx, tx, `
		INSERT INTO event_feeds (env, last_id) VALUES (?, '')
		ON CONFLICT (env) DO UPDATE SET last_id = event_feeds.last_id
		RETURNING last_id`, tx.Env)
	if err != nil {
		return err
	}

	for i := range added {
		next := tx.NewID("evt")
		if next <= last { // the clock of another node is ahead
			next = id.Next(last)
		}
		added[i].ID, last = next, next
	}

	if err := db.Insert(ctx, tx, "events", added...); err != nil {
		return err
	}
	_, err = db.Exec(ctx, tx, `UPDATE event_feeds SET last_id = ? WHERE env = ?`, last, tx.Env)
	return err
}

// Waiting reports whether the outbox has events to publish.
func Waiting(ctx context.Context, tx *db.Tx) (bool, error) {
	found, err := db.All[int](ctx, tx, `SELECT 1 FROM outbox WHERE env IS NOT NULL LIMIT 1`)
	return len(found) > 0, err
}

// Find returns an event of the feed.
func Find(ctx context.Context, tx *db.Tx, eventID string) (Event, error) {
	e, err := db.One[Event](ctx, tx, `SELECT {cols} FROM events WHERE env = ? AND id = ?`, tx.Env, eventID)
	if db.IsNoRows(err) {
		return e, fault.NotFound("event", eventID)
	}
	return e, err
}

// FindAll returns the events with these IDs that exist.
func FindAll(ctx context.Context, tx *db.Tx, ids []string) ([]Event, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	marks, args := db.In(ids)
	return db.All[Event](ctx, tx, `SELECT {cols} FROM events WHERE env = ? AND id IN `+marks, append([]any{tx.Env}, args...)...)
}

// feed is the source of the events, which get their IDs when they appear.
var feed = db.Source{From: "events", Cols: "cols", ID: "id", InOrder: true}

// List returns a page of the feed.
func List(ctx context.Context, tx *db.Tx, q page.Query, w *db.Where) (page.Page[Event], error) {
	return db.List[Event](ctx, tx, feed, q, w)
}

// Redact removes the data of an erased object from its events. The events
// themselves remain.
func Redact(ctx context.Context, tx *db.Tx, objectID string) error {
	return redact(ctx, tx, objectID, "")
}

// RedactWith does the same for the events of an object that contain a part, such
// as a field that refers to an erased object.
func RedactWith(ctx context.Context, tx *db.Tx, objectID, part string) error {
	escaped := strings.NewReplacer(`!`, `!!`, `%`, `!%`, `_`, `!_`).Replace(part)
	return redact(ctx, tx, objectID, ` AND data LIKE ? ESCAPE '!'`, "%"+escaped+"%")
}

func redact(ctx context.Context, tx *db.Tx, objectID, filter string, args ...any) error {
	data, err := wire.Marshal(map[string]any{"object": map[string]any{"id": objectID}, "previous": map[string]any{}})
	if err != nil {
		return err
	}
	// The outbox first. If the relay is moving an event, this waits until the event is in the feed.
	for _, statement := range []string{
		`UPDATE outbox SET data = ? WHERE env = ? AND object_id = ?`,
		`UPDATE events SET data = ? WHERE env = ? AND object_id = ?`,
	} {
		if _, err := db.Exec(ctx, tx, statement+filter, append([]any{string(data), tx.Env, objectID}, args...)...); err != nil {
			return err
		}
	}
	return nil
}

// Purge deletes up to 1,000 events that are too old, and returns how many.
func Purge(ctx context.Context, tx *db.Tx) (int64, error) {
	return db.Exec(ctx, tx, `DELETE FROM events WHERE env = ? AND id IN (SELECT id FROM events WHERE env = ? AND id < ? ORDER BY id LIMIT 1000)`,
		tx.Env, tx.Env, id.Floor("evt", tx.Now.Add(-keepFor)))
}
