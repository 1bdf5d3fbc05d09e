package db

import (
	"context"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"
)

// timeline keeps writes off a dead past. A failover starts a new timeline; an
// old primary that comes back is writable too, and what it is told is lost.
// A node that has seen the new timeline rejects connections to an older one.
type timeline struct {
	mu   sync.Mutex
	seen int64
}

// check admits a fresh connection.
func (t *timeline) check(ctx context.Context, conn *pgx.Conn) error {
	var id int64
	if err := conn.QueryRow(ctx, "SELECT timeline_id FROM pg_control_checkpoint()").Scan(&id); err != nil {
		return fmt.Errorf("read the server's timeline: %w", err)
	}
	return t.admit(id)
}

func (t *timeline) admit(id int64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if id < t.seen {
		return fmt.Errorf("server is on timeline %d, a later one (%d) exists: it is an old primary", id, t.seen)
	}
	t.seen = id
	return nil
}
