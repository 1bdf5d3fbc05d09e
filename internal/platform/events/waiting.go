package events

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/work"
	"slipway/internal/vocab/auth"
)

// The relay of a server knows from its own commits which environments have events. It finds
// the events that other servers left in the outbox through the marks of the environments: the
// database refuses an event without a mark, and refuses to remove a mark that has events.
//
// To keep the marks out of the transactions, a mark stays for keepMark, and a server sets it
// again only every markEvery. If it was removed anyway, the transaction runs again.
const (
	markEvery = 5 * time.Minute
	keepMark  = 2 * markEvery
)

// maxWaiting limits the environments that are found at a time.
const maxWaiting = 1000

// waitingSet are the environments whose events wait, as far as this process knows, and when
// it marked environments.
type waitingSet struct {
	mu     sync.Mutex
	envs   map[auth.Env]bool
	marked map[auth.Env]time.Time
}

func newWaitingSet() *waitingSet {
	return &waitingSet{envs: map[auth.Env]bool{}, marked: map[auth.Env]time.Time{}}
}

// Remember adds environments whose events TakeWaiting returns.
func Remember(h db.Handle, envs ...auth.Env) {
	s := db.Attached[*waitingSet](h)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, env := range envs {
		s.envs[env] = true
	}
}

// TakeWaiting returns the environments for Publish. If the transaction fails, the caller adds
// them again.
func TakeWaiting(h db.Handle) (envs []auth.Env) {
	s := db.Attached[*waitingSet](h)
	s.mu.Lock()
	defer s.mu.Unlock()
	for env := range s.envs {
		envs = append(envs, env)
	}
	clear(s.envs)
	return envs
}

// isMarked reports whether this process has marked an environment recently.
func (s *waitingSet) isMarked(env auth.Env, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.marked[env]
	return ok && now.Sub(at) < markEvery
}

func (s *waitingSet) setMarked(env auth.Env, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.marked[env] = at
}

// waitingEvent is an event in the outbox.
type waitingEvent struct {
	Event
	Mark work.Kind `db:"mark"`
}

// insertWaiting adds events of the environment of the transaction to the outbox. It needs no answer from
// the database, so it takes no round trip of its own: the events are inserted with their distance from the
// last one of their object, and then numbered.
func insertWaiting(ctx context.Context, tx *db.Tx, added []Event) error {
	s := db.Attached[*waitingSet](tx)
	tx.AfterCommit(func() { Remember(tx, tx.Env) })
	if tx.Again() || !s.isMarked(tx.Env, tx.Now) { // again, because the mark could be missing
		if err := work.MarkAgain(ctx, tx, work.Events, tx.Now); err != nil {
			return err
		}
		tx.AfterCommit(func() { s.setMarked(tx.Env, tx.Now) })
	}

	counts, rows := map[string]int64{}, make([]waitingEvent, len(added))
	for i := range added {
		added[i].ID = tx.NewID("evt")
	}
	for i, e := range slices.Backward(added) {
		e.Sequence = -counts[e.ObjectID]
		counts[e.ObjectID]++
		rows[i] = waitingEvent{e, work.Events}
	}
	for _, statement := range countUp(tx, counts) {
		if err := db.Send(ctx, tx, statement.text, statement.args...); err != nil {
			return err
		}
	}
	if err := db.Insert(ctx, tx, "outbox", rows...); err != nil {
		return err
	}
	for _, chunk := range db.Chunks(added, perNumbering) {
		args := []any{tx.Env, tx.Env}
		for _, e := range chunk {
			args = append(args, e.ID)
		}
		if err := db.Send(ctx, tx, `UPDATE outbox SET sequence = sequence + (SELECT last FROM event_sequences WHERE env = ? AND object_id = outbox.object_id)
			WHERE env = ? AND id IN (`+strings.TrimSuffix(strings.Repeat("?, ", len(chunk)), ", ")+`)`, args...); err != nil {
			return err
		}
	}
	return nil
}

// behind selects the feeds with events that Publish has not returned.
func behind(watched string) string {
	return `SELECT env FROM event_feeds WHERE last_id > relayed_id AND env IN (` + watched + `)`
}

// Waiting returns environments that have events for Publish. Watched is a query for the
// environments that the caller is interested in. Only SQLite needs it.
func Waiting(ctx context.Context, tx *db.Tx, watched string) ([]auth.Env, error) {
	found, err := db.All[auth.Env](ctx, tx, `SELECT DISTINCT env FROM outbox WHERE mark IS NULL`) // of the last release
	if err != nil {
		return nil, err
	}
	query := `SELECT w.env FROM waiting_work w WHERE w.kind = 'events' AND EXISTS (SELECT 1 FROM outbox o WHERE o.env = w.env) LIMIT ?`
	if tx.CommitsInOrder() {
		query = behind(watched) + ` LIMIT ?`
	}
	marked, err := db.All[auth.Env](ctx, tx, query, maxWaiting)
	return slices.Concat(found, marked), err
}

// RemoveMarks removes the marks of environments that had no events for a while.
func RemoveMarks(ctx context.Context, d *db.DB) error {
	old, err := db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) ([]auth.Env, error) {
		return work.MarkedUntil(ctx, tx, work.Events, tx.Now.Add(-keepMark), maxWaiting)
	})
	for _, env := range old {
		if err != nil {
			return err
		}
		_, err = db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
			return struct{}{}, work.Settle(ctx, tx.In(env), work.Events, nextEvent)
		})
	}
	return err
}

// nextEvent returns the current time if the mark of the environment is needed, or nil.
func nextEvent(ctx context.Context, tx *db.Tx) (*time.Time, error) {
	some, err := db.All[int](ctx, tx, `SELECT 1 FROM outbox WHERE env = ? LIMIT 1`, tx.Env)
	if err != nil || len(some) == 0 {
		return nil, err
	}
	return &tx.Now, nil
}
