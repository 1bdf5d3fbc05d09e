package access

import (
	"context"
	"sync"
	"time"

	"slipway/internal/people"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// Usage adds up in memory what requests do to credentials, and writes it now
// and then: a request writes nothing, and a flood of bad ones fills no disk. A
// crash loses the counts of the last interval.
type Usage struct {
	mu       sync.Mutex
	keys     map[usedKey]usedTimes
	sessions map[usedSession]time.Time
	failures map[failure]failedTimes
}

type usedKey struct {
	env  auth.Env
	id   string
	hour time.Time
}

type usedTimes struct {
	n    int64
	last time.Time
}

type usedSession struct {
	env        auth.Env
	id, userID string
}

type failure struct {
	env      auth.Env
	kind, id string
	reason   string
	minute   time.Time
}

type failedTimes struct {
	n           int64
	first, last time.Time
}

// maxNoted bounds the memory of one interval: whoever has that many different
// credentials has other worries than our counts.
const maxNoted = 100_000

// NewUsage returns an empty count.
func NewUsage() *Usage {
	return &Usage{keys: map[usedKey]usedTimes{}, sessions: map[usedSession]time.Time{}, failures: map[failure]failedTimes{}}
}

func (u *Usage) key(env auth.Env, id string, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.keys) < maxNoted {
		k := usedKey{env, id, now.Truncate(time.Hour)}
		u.keys[k] = usedTimes{u.keys[k].n + 1, now}
	}
}

func (u *Usage) session(env auth.Env, id, userID string, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.sessions) < maxNoted {
		u.sessions[usedSession{env, id, userID}] = now
	}
}

// failed takes note of a refused credential that names a known key, user or
// app; refusals of one kind within a minute become one audit entry.
func (u *Usage) failed(env auth.Env, kind, id string, why error, now time.Time) {
	reason := why.Error()
	if f, ok := why.(*fault.Error); ok { //nolint:errorlint // ours, as it was made
		reason = f.Message
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	f := failure{env, kind, id, reason, now.Truncate(time.Minute)}
	times, known := u.failures[f]
	if !known && len(u.failures) >= maxNoted {
		return
	}
	if !known {
		times.first = now
	}
	times.n, times.last = times.n+1, now
	u.failures[f] = times
}

// Flush writes what was added up since the last time. Failures of a minute
// that is not over wait, unless all is asked for.
func (u *Usage) Flush(ctx context.Context, d *db.DB, all bool) error {
	keys, sessions, failures := u.take(d.Now().UTC(), all)
	if len(keys)+len(sessions)+len(failures) == 0 {
		return nil
	}
	_, err := db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) (int, error) {
		for k, times := range keys {
			if _, err := db.Exec(ctx, tx, `
				INSERT INTO api_key_uses (env, key_id, hour, uses) VALUES (?, ?, ?, ?)
				ON CONFLICT (env, key_id, hour) DO UPDATE SET uses = api_key_uses.uses + excluded.uses`, k.env, k.id, k.hour, times.n); err != nil {
				return 0, err
			}
			if _, err := db.Exec(ctx, tx, `UPDATE api_keys SET last_used_at = ? WHERE env = ? AND id = ?`, times.last, k.env, k.id); err != nil {
				return 0, err
			}
		}
		for s, at := range sessions {
			if err := people.MarkSeen(ctx, tx.In(s.env), s.id, s.userID, at); err != nil {
				return 0, err
			}
		}
		for f, times := range failures {
			err := audit.RecordFailure(ctx, tx.In(f.env), "auth.failed", f.kind, f.id, map[string][2]any{
				"reason": {nil, f.reason}, "times": {nil, times.n}, "first_at": {nil, times.first}, "last_at": {nil, times.last},
			})
			if err != nil {
				return 0, err
			}
		}
		return 0, nil
	})
	if err != nil {
		u.putBack(keys, failures)
	}
	return err
}

// putBack adds counts that could not be written to those that have come since.
func (u *Usage) putBack(keys map[usedKey]usedTimes, failures map[failure]failedTimes) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for k, old := range keys {
		times := u.keys[k]
		u.keys[k] = usedTimes{old.n + times.n, later(old.last, times.last)}
	}
	for f, old := range failures {
		times := u.failures[f]
		u.failures[f] = failedTimes{old.n + times.n, old.first, later(old.last, times.last)}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// take empties the counts.
func (u *Usage) take(now time.Time, all bool) (map[usedKey]usedTimes, map[usedSession]time.Time, map[failure]failedTimes) {
	u.mu.Lock()
	defer u.mu.Unlock()
	keys, sessions, ripe := u.keys, u.sessions, map[failure]failedTimes{}
	u.keys, u.sessions = map[usedKey]usedTimes{}, map[usedSession]time.Time{}
	for f, times := range u.failures {
		if all || now.Sub(f.minute) >= time.Minute {
			ripe[f] = times
			delete(u.failures, f)
		}
	}
	return keys, sessions, ripe
}
