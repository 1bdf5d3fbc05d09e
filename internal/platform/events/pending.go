package events

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"slipway/internal/platform/db"
)

// pending are the events of a transaction. They are saved together before the commit,
// because an import emits hundreds.
type pending struct{ events []Event }

func savePending(ctx context.Context, tx *db.Tx, p *pending) error {
	added := p.events
	p.events = nil
	return save(ctx, tx, added)
}

// flush saves the events that were emitted so far, for what reads them.
func flush(ctx context.Context, tx *db.Tx) error {
	return savePending(ctx, tx, db.Deferred(tx, savePending))
}

// save numbers events and adds them to the feed, or to the outbox. It sets their IDs.
func save(ctx context.Context, tx *db.Tx, added []Event) error {
	if len(added) == 0 {
		return nil
	}
	slices.SortStableFunc(added, func(a, b Event) int { return cmp.Compare(a.Env, b.Env) })
	for start := 0; start < len(added); {
		end := start + 1
		for end < len(added) && added[end].Env == added[start].Env {
			end++
		}
		if err := insert(ctx, tx.In(added[start].Env), added[start:end]); err != nil {
			return err
		}
		start = end
	}

	tx.NotifyRelay()
	tx.AfterCommit(func() { CountsOf(tx).add(added) })
	return nil
}

func insert(ctx context.Context, tx *db.Tx, added []Event) error {
	if !tx.CommitsInOrder() {
		return insertWaiting(ctx, tx, added)
	}
	if err := number(ctx, tx, added); err != nil {
		return err
	}
	return appendToFeed(ctx, tx, added)
}

// perNumbering is how many sequences one statement changes at most.
const perNumbering = 256

// sequence is the number of the last event of an object.
type sequence struct {
	ObjectID string `db:"object_id"`
	Last     int64  `db:"last"`
}

// number sets the numbers of events in the sequences of their objects. Old events are
// purged, so the last numbers are in their own table.
func number(ctx context.Context, tx *db.Tx, added []Event) error {
	counts := map[string]int64{}
	for _, e := range added {
		counts[e.ObjectID]++
	}

	next := map[string]int64{}
	for _, statement := range countUp(tx, counts) {
		rows, err := db.All[sequence](ctx, tx, statement.text+` RETURNING {cols}`, statement.args...)
		if err != nil {
			return err
		}
		for _, r := range rows {
			next[r.ObjectID] = r.Last - counts[r.ObjectID] + 1
		}
	}

	for i := range added {
		added[i].Sequence = next[added[i].ObjectID]
		next[added[i].ObjectID]++
	}
	return nil
}

// statement is a text and its arguments.
type statement struct {
	text string
	args []any
}

// countUp returns the statements that add to the sequences of objects.
func countUp(tx *db.Tx, counts map[string]int64) (all []statement) {
	objects := slices.Sorted(maps.Keys(counts)) // in order, to prevent a deadlock
	for _, chunk := range db.Chunks(objects, perNumbering) {
		var args []any
		for _, id := range chunk {
			args = append(args, tx.Env, id, counts[id])
		}
		all = append(all, statement{`
			INSERT INTO event_sequences (env, object_id, last)
			VALUES ` + strings.TrimSuffix(strings.Repeat("(?, ?, ?), ", len(chunk)), ", ") + `
			ON CONFLICT (env, object_id) DO UPDATE SET last = event_sequences.last + excluded.last`, args})
	}
	return all
}

// Counts counts the committed events of this process by type.
type Counts struct {
	mu     sync.Mutex
	byType map[string]int64
}

// Attach adds the counts to a database, and what this process knows about waiting events.
func Attach(d *db.DB) {
	d.Attach(&Counts{byType: map[string]int64{}})
	d.Attach(newWaitingSet())
}

// CountsOf returns the counts of a database.
func CountsOf(h db.Handle) *Counts { return db.Attached[*Counts](h) }

func (c *Counts) add(events []Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range events {
		c.byType[e.Type]++
	}
}

// Map returns the counts by type.
func (c *Counts) Map() map[string]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.byType)
}
