package events

import (
	"context"
	"slices"
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

// Publish returns new events of these environments in the order of the feed, up to limit for
// each, so that a long queue does not delay others. It moves them from the outbox to the feed,
// and skips those that another node is moving. On SQLite, they are in the feed, and it returns
// those after the last call.
func Publish(ctx context.Context, tx *db.Tx, limit int, envs []auth.Env) (all []Event, err error) {
	for _, env := range slices.Sorted(slices.Values(envs)) { // in order, to prevent a deadlock between two nodes
		moved, err := publish(ctx, tx.In(env), limit)
		if err == nil && tx.CommitsInOrder() { // the outbox had events of an earlier version of the program
			moved, err = unrelayed(ctx, tx.In(env), limit)
		}
		if err != nil {
			return all, err
		}
		all = append(all, moved...)
	}
	return all, nil
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

// unrelayed returns the events of a feed after the last one that it returned.
func unrelayed(ctx context.Context, tx *db.Tx, limit int) ([]Event, error) {
	added, err := db.All[Event](ctx, tx, `
		SELECT {cols} FROM events
		WHERE env = ? AND id > (SELECT relayed_id FROM event_feeds WHERE env = ?) ORDER BY id LIMIT ?`, tx.Env, tx.Env, limit)
	if err == nil && len(added) > 0 {
		_, err = db.Exec(ctx, tx, `UPDATE event_feeds SET relayed_id = ? WHERE env = ?`, added[len(added)-1].ID, tx.Env)
	}
	return added, err
}

// SkipUntilNow makes Publish return only events that are emitted from now on, for an
// environment whose events nothing has followed. It does nothing on PostgreSQL.
func SkipUntilNow(ctx context.Context, tx *db.Tx) error {
	if !tx.CommitsInOrder() {
		return nil
	}
	if err := flush(ctx, tx); err != nil {
		return err
	}
	_, err := db.Exec(ctx, tx, `UPDATE event_feeds SET relayed_id = last_id WHERE env = ?`, tx.Env)
	return err
}

// Append adds an event directly to the feed, without the outbox and without an
// audit entry.
func Append(ctx context.Context, tx *db.Tx, name, objectID string, object any) (Event, error) {
	e, err := newEvent(ctx, tx, name, objectID, content{object, map[string]any{}})
	if err != nil {
		return e, err
	}

	one := []Event{e}
	if err := number(ctx, tx, one); err != nil {
		return e, err
	}
	err = appendToFeed(ctx, tx, one) // before one[0] is read, because it sets the ID
	return one[0], err
}

// appendToFeed assigns the IDs of events and adds them to the feed. It locks the
// feed until the transaction ends.
func appendToFeed(ctx context.Context, tx *db.Tx, added []Event) error {
	for i := range added {
		added[i].ID = tx.NewID("evt")
	}
	last := added[len(added)-1].ID
	end, err := db.One[string](ctx, tx, `
		INSERT INTO event_feeds (env, last_id) VALUES (?, ?)
		ON CONFLICT (env) DO UPDATE SET last_id = CASE
			WHEN event_feeds.last_id < ? THEN excluded.last_id ELSE event_feeds.last_id END
		RETURNING last_id`, tx.Env, last, added[0].ID)
	if err != nil {
		return err
	}

	if end != last { // the clock of another node is ahead, or the clock was set back
		for i := range added {
			end = id.Next(end)
			added[i].ID = end
		}
		if _, err := db.Exec(ctx, tx, `UPDATE event_feeds SET last_id = ? WHERE env = ?`, end, tx.Env); err != nil {
			return err
		}
	}
	return db.Insert(ctx, tx, "events", added...)
}

// Backlog counts the events that Publish would return, and returns when the first of
// them was emitted.
func Backlog(ctx context.Context, tx *db.Tx, watched string) (n int64, first time.Time, err error) {
	oldest := `SELECT created_at FROM outbox WHERE env IS NOT NULL ORDER BY created_at LIMIT 1`
	count := `SELECT COUNT(*) FROM outbox WHERE env IS NOT NULL`
	if tx.CommitsInOrder() {
		const unrelayed = ` AND id > (SELECT relayed_id FROM event_feeds WHERE env = events.env)`
		oldest = `SELECT created_at FROM events WHERE env IN (` + behind(watched) + `)` + unrelayed + ` ORDER BY created_at LIMIT 1`
		count = `SELECT COUNT(*) FROM events WHERE env IN (` + behind(watched) + `)` + unrelayed
	}
	times, err := db.All[time.Time](ctx, tx, oldest)
	if err != nil || len(times) == 0 {
		return 0, first, err
	}
	n, err = db.One[int64](ctx, tx, count)
	return n, times[0], err
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
	if err := flush(ctx, tx); err != nil {
		return err
	}
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

// Last returns the ID of the newest event of the environment, or "".
func Last(ctx context.Context, tx *db.Tx) (string, error) {
	last, err := db.One[string](ctx, tx, `SELECT last_id FROM event_feeds WHERE env = ?`, tx.Env)
	if db.IsNoRows(err) {
		return "", nil
	}
	return last, err
}
