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

// Usage counts the use of credentials in memory and saves it regularly. Requests
// don't write, and a flood of rejected requests doesn't fill the disk. A crash
// loses the counts since the last time.
type Usage struct {
	mu       sync.Mutex
	keys     map[keyHour]useCount
	sessions map[sessionUser]time.Time
	failures map[failure]failureCount
}

type keyHour struct {
	env  auth.Env
	id   string
	hour time.Time
}

type useCount struct {
	n    int64
	last time.Time
}

type sessionUser struct {
	env        auth.Env
	id, userID string
}

type failure struct {
	env      auth.Env
	kind, id string
	reason   string
	minute   time.Time
}

type failureCount struct {
	n           int64
	first, last time.Time
}

// maxEntries limits the memory. More credentials than that are not counted.
const maxEntries = 100_000

// NewUsage returns a Usage without counts.
func NewUsage() *Usage {
	return &Usage{keys: map[keyHour]useCount{}, sessions: map[sessionUser]time.Time{}, failures: map[failure]failureCount{}}
}

func (u *Usage) countKey(env auth.Env, id string, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.keys) < maxEntries {
		k := keyHour{env, id, now.Truncate(time.Hour)}
		u.keys[k] = useCount{u.keys[k].n + 1, now}
	}
}

func (u *Usage) markSession(env auth.Env, id, userID string, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.sessions) < maxEntries {
		u.sessions[sessionUser{env, id, userID}] = now
	}
}

// Reject counts a rejected credential of another package.
func (u *Usage) Reject(env auth.Env, kind, id string, err error, now time.Time) {
	u.countFailure(env, kind, id, err, now)
}

// countFailure counts a rejected credential of an existing key or user. The
// rejections of one minute for the same reason become one audit entry.
func (u *Usage) countFailure(env auth.Env, kind, id string, err error, now time.Time) {
	reason := err.Error()
	if f, ok := err.(*fault.Error); ok { //nolint:errorlint // never wrapped
		reason = f.Message
	}

	u.mu.Lock()
	defer u.mu.Unlock()
	f := failure{env, kind, id, reason, now.Truncate(time.Minute)}
	times, known := u.failures[f]
	if !known && len(u.failures) >= maxEntries {
		return
	}
	if !known {
		times.first = now
	}
	times.n, times.last = times.n+1, now
	u.failures[f] = times
}

// Flush saves the counts since the last time. It saves the failures of the
// current minute only if all is set.
func (u *Usage) Flush(ctx context.Context, d *db.DB, all bool) error {
	keys, sessions, failures := u.drain(d.Now().UTC(), all)
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
		u.restore(keys, failures)
	}
	return err
}

// restore adds counts that could not be saved to the newer ones.
func (u *Usage) restore(keys map[keyHour]useCount, failures map[failure]failureCount) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for k, old := range keys {
		times := u.keys[k]
		u.keys[k] = useCount{old.n + times.n, later(old.last, times.last)}
	}
	for f, old := range failures {
		times := u.failures[f]
		u.failures[f] = failureCount{old.n + times.n, old.first, later(old.last, times.last)}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// drain returns the counts and resets them.
func (u *Usage) drain(now time.Time, all bool) (map[keyHour]useCount, map[sessionUser]time.Time, map[failure]failureCount) {
	u.mu.Lock()
	defer u.mu.Unlock()
	keys, sessions, due := u.keys, u.sessions, map[failure]failureCount{}
	u.keys, u.sessions = map[keyHour]useCount{}, map[sessionUser]time.Time{}
	for f, times := range u.failures {
		if all || now.Sub(f.minute) >= time.Minute {
			due[f] = times
			delete(u.failures, f)
		}
	}
	return keys, sessions, due
}
