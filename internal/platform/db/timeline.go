package db

import (
	"context"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"
)

// timeline prevents writes to an old primary. A failover starts a new timeline. If
// the old primary comes back, it is still writable, but its writes are lost. A node
// that has seen the new timeline rejects connections to an older one.
type timeline struct {
	mu   sync.Mutex
	seen int64
}

// check rejects a new connection to an old primary.
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
