package access

import (
	"context"
	"sync"
	"time"

	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
)

// Usage counts the use of credentials in memory and saves it regularly, so that
// requests don't write. A crash loses the counts since the last time. When and
// where credentials are used is in the audit log; see package authlog.
type Usage struct {
	mu       sync.Mutex
	keys     map[keyHour]useCount
	sessions map[sessionUser]time.Time
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

// maxEntries limits the memory. More credentials than that are not counted.
const maxEntries = 100_000

// NewUsage returns a Usage without counts.
func NewUsage() *Usage {
	return &Usage{keys: map[keyHour]useCount{}, sessions: map[sessionUser]time.Time{}}
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

// Flush saves the counts since the last time.
func (u *Usage) Flush(ctx context.Context, d *db.DB) error {
	keys, sessions := u.drain()
	if len(keys)+len(sessions) == 0 {
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
		return 0, nil
	})
	if err != nil {
		u.restore(keys)
	}
	return err
}

// restore adds counts that could not be saved to the newer ones.
func (u *Usage) restore(keys map[keyHour]useCount) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for k, old := range keys {
		times := u.keys[k]
		u.keys[k] = useCount{old.n + times.n, later(old.last, times.last)}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// drain returns the counts and resets them.
func (u *Usage) drain() (map[keyHour]useCount, map[sessionUser]time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	keys, sessions := u.keys, u.sessions
	u.keys, u.sessions = map[keyHour]useCount{}, map[sessionUser]time.Time{}
	return keys, sessions
}
