package jobs

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
	"time"

	"slipway/internal/platform/db"
)

// On PostgreSQL, a node says every beatEvery that it is alive. Other nodes take over its
// jobs when it has been silent for silentFor, and so does a node that starts on the same
// host after restartedFor. A node that can't reach the database cancels its jobs before
// that, after fencedAfter. On SQLite there is one node, so all others have stopped.
const (
	beatEvery    = 2 * time.Second
	restartedFor = 3 * beatEvery
	fencedAfter  = 20 * time.Second
	silentFor    = 30 * time.Second
)

// takenAttempts limits how often a job runs again immediately after its node has stopped.
// A job that kills its node would otherwise stop one after the other. It then runs when
// its timeout is over.
const takenAttempts = 3

// errSilent ends the jobs of a node that the others might have given up.
var errSilent = errors.New("the database didn't hear from this server, so another one might run the job")

// node is a process that runs jobs.
type node struct {
	id   string // different for each process
	host string // stays the same when the process starts again

	mu    sync.Mutex
	alive context.Context //nolint:containedctx // canceled when the node can't reach the database
	lost  context.CancelCauseFunc
	stop  context.CancelFunc
	done  chan struct{}
}

func newNode(host string) *node {
	n := &node{id: rand.Text(), host: host}
	n.alive, n.lost = context.WithCancelCause(context.Background())
	return n
}

// guard returns a context that also ends when the node might have been given up.
func (n *node) guard(ctx context.Context) (context.Context, context.CancelFunc) {
	n.mu.Lock()
	alive := n.alive
	n.mu.Unlock()
	ctx, cancel := context.WithCancelCause(ctx)
	release := context.AfterFunc(alive, func() { cancel(context.Cause(alive)) })
	return ctx, func() {
		release()
		cancel(nil)
	}
}

// heard records whether the database answered.
func (n *node) heard(ok bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case !ok:
		n.lost(errSilent)
	case n.alive.Err() != nil:
		n.alive, n.lost = context.WithCancelCause(context.Background())
	}
}

// Node identifies this process in the claims of jobs, such as a lease.
func (q *Queue) Node() string { return q.node.id }

// OnTakeover adds a function that ends what the jobs of a node had claimed, such as a
// lease. It runs when the node has stopped, before its jobs run again.
func OnTakeover(q *Queue, release func(ctx context.Context, tx *db.Tx, node string) error) {
	q.release = append(q.release, release)
}

// join takes over the jobs of nodes that have stopped, and keeps telling the others that
// this node is alive until leave.
func (q *Queue) join(ctx context.Context) error {
	if err := q.beat(ctx); err != nil {
		return err
	}
	if q.db.SQLite() {
		return nil
	}
	ctx, q.node.stop = context.WithCancel(context.WithoutCancel(ctx))
	q.node.done = make(chan struct{})
	go q.live(ctx)
	return nil
}

// leave ends what join started. The node stays in the table, so that jobs which didn't
// end are taken over.
func (q *Queue) leave() {
	if q.node.stop != nil {
		q.node.stop()
		<-q.node.done
		q.node.stop = nil
	}
}

func (q *Queue) live(ctx context.Context) {
	defer close(q.node.done)
	fence := time.AfterFunc(fencedAfter, func() {
		q.log.WarnContext(ctx, "no answer from the database; jobs are canceled", "after", fencedAfter)
		q.node.heard(false)
	})
	defer fence.Stop()

	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		limited, cancel := context.WithTimeout(ctx, fencedAfter/2)
		if err := q.beat(limited); err == nil {
			fence.Reset(fencedAfter)
			q.node.heard(true)
		}
		cancel()
	}
}

// beat says that this node is alive and takes over the jobs of those that are not.
func (q *Queue) beat(ctx context.Context) error {
	_, err := db.Write(ctx, q.db, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
		_, err := db.Exec(ctx, tx, `INSERT INTO job_nodes (id, host, seen_at) VALUES (?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`, q.node.id, q.node.host, tx.Now)
		if err != nil {
			return struct{}{}, err
		}
		return struct{}{}, q.takeOver(ctx, tx)
	})
	return err
}

// takeOver makes the jobs available that were running on nodes that have stopped. If
// several nodes try, one of them finds the rows to delete.
func (q *Queue) takeOver(ctx context.Context, tx *db.Tx) error {
	silent, restarted := tx.Now.Add(-silentFor), tx.Now.Add(-restartedFor)
	if q.db.SQLite() {
		silent, restarted = tx.Now.Add(time.Hour), tx.Now.Add(time.Hour)
	}
	stopped, err := db.All[string](ctx, tx, `DELETE FROM job_nodes WHERE id <> ? AND (seen_at < ? OR host = ? AND seen_at < ?) RETURNING id`,
		q.node.id, silent, q.node.host, restarted)
	if err != nil {
		return err
	}

	for _, id := range stopped {
		for _, release := range q.release {
			if err := release(ctx, tx, id); err != nil {
				return err
			}
		}
		last := "attempted_by[array_upper(attempted_by, 1)] = ?"
		if q.db.SQLite() {
			last = "json_extract(attempted_by, '$[#-1]') = ?"
		}
		lanes, err := db.All[string](ctx, tx, `UPDATE river_job SET state = 'available' WHERE state = 'running' AND attempt <= ? AND attempt < max_attempts
			AND `+last+` RETURNING queue`, takenAttempts, id)
		if err != nil {
			return err
		}
		if err := q.wake(ctx, tx, lanes); err != nil {
			return err
		}
	}
	return nil
}

// wake makes River look for jobs in lanes after tx commits.
func (q *Queue) wake(ctx context.Context, tx *db.Tx, lanes []string) error {
	slices.Sort(lanes)
	for _, lane := range slices.Compact(lanes) {
		if q.db.SQLite() {
			tx.AfterCommit(func() { q.inserted.notify(lane) })
			continue
		}
		_, err := db.Exec(ctx, tx, `SELECT pg_notify(current_schema() || '.`+insertTopic+`', ?)`, payloadOf(lane))
		if err != nil {
			return err
		}
	}
	return nil
}
