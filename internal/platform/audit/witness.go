package audit

import (
	"context"
	"errors"
	"slices"
	"sync"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
)

// witness remembers the entries that this process committed until it has seen them
// in the database again. They can't be removed unnoticed before they are linked.
type witness struct {
	mu      sync.Mutex
	entries []committed
}

type committed struct {
	env                  auth.Env
	id, action, targetID string
}

// maxCommitted limits the memory if entries are never linked, as in a long command.
const maxCommitted = 100_000

// Attach prepares a database for audit entries.
func Attach(d *db.DB) { d.Attach(&witness{}) }

func witnessOf(h db.Handle) *witness { return db.Attached[*witness](h) }

func (w *witness) add(entries []Entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range entries {
		if len(w.entries) < maxCommitted {
			w.entries = append(w.entries, committed{e.Env, e.ID, e.Action, e.TargetID})
		}
	}
}

func (w *witness) take() []committed {
	w.mu.Lock()
	defer w.mu.Unlock()
	taken := w.entries
	w.entries = nil
	return taken
}

func (w *witness) restore(entries []committed) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.entries = append(entries, w.entries...)
}

// actionMissing is the action of an entry about an entry that was removed before it
// was linked. Its target is the removed entry.
const actionMissing = "audit.entry_missing"

// recordMissing looks for the entries that this process committed, and adds an
// entry to the log for each that was removed.
func recordMissing(ctx context.Context, d *db.DB) error {
	byEnv := map[auth.Env][]committed{}
	for _, c := range witnessOf(d).take() {
		byEnv[c.env] = append(byEnv[c.env], c)
	}

	var errs []error
	for env, entries := range byEnv {
		for some := range slices.Chunk(entries, batch) {
			if err := recordMissingOf(ctx, d, env, some); err != nil {
				errs = append(errs, err)
				witnessOf(d).restore(some)
			}
		}
	}
	return errors.Join(errs...)
}

func recordMissingOf(ctx context.Context, d *db.DB, env auth.Env, entries []committed) error {
	var ids []string
	for _, c := range entries {
		ids = append(ids, c.id)
	}
	found, err := db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) ([]string, error) {
		marks, args := db.In(ids)
		return db.All[string](ctx, tx, `SELECT id FROM audit_entries WHERE env = ? AND id IN `+marks, append([]any{env}, args...)...)
	})
	if err != nil || len(found) == len(entries) {
		return err
	}

	_, err = db.Write(auth.InEnv(ctx, env), d, func(ctx context.Context, tx *db.Tx) (int, error) {
		for _, c := range entries {
			if slices.Contains(found, c.id) {
				continue
			}
			err := RecordFailure(ctx, tx, actionMissing, Target{Type: "audit", ID: c.id}, map[string][2]any{
				"action": {c.action, nil}, "target_id": {c.targetID, nil},
			})
			if err != nil {
				return 0, err
			}
		}
		return 0, nil
	})
	return err
}
