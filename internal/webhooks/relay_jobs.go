package webhooks

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/seal"
)

const (
	// pollEvery is the net under the bell: retries fall due by themselves, and
	// another node may have stopped between a commit and its relay's turn.
	pollEvery = time.Second
	// leaseFor outlives an attempt that begins within startIn of its claim, so
	// that no other node repeats it meanwhile.
	startIn  = 4 * time.Second
	leaseFor = startIn + Timeout + time.Second
	// laneWidth is how many attempts a webhook gets at once from one node, and
	// laneQueue how many more wait for their turn there. One that fails gets
	// laneNarrow and no queue: if it hangs, it must not gather connections.
	laneWidth, laneQueue, laneNarrow = 16, 64, 2
	// gatherFor is how long ends of attempts wait for others to be written down
	// with.
	gatherFor = 3 * time.Millisecond
	// turnIn bounds a turn.
	turnIn = 30 * time.Second
	// perTurn is how many events of an environment are relayed in one turn.
	perTurn = 200
)

// Relay moves events from the outbox to the feed and on to the webhooks.
//
// All it writes it writes in turns, one transaction each: what came in while
// one turn ran is done in the next, so that under load turns grow larger and
// not more. Attempts run beside it, each webhook in a lane of its own, so that
// one that is slow or dead delays no other.
type Relay struct {
	DB     *db.DB
	Box    *seal.Box
	Client *http.Client
	Log    *slog.Logger

	// Observe, if given, learns how attempts went.
	Observe func(delivered bool, took time.Duration)

	node    string        // whose leases are this relay's
	wake    chan struct{} // something may be due
	done    chan struct{} // an attempt has finished
	running sync.WaitGroup
	sending map[string]bool // deliveries that this node has claimed; of the loop alone

	mu       sync.Mutex
	lanes    map[lane]*traffic
	finished []attempt // to be written down
}

// traffic is what happens in a lane.
type traffic struct {
	queue   []attempt // claimed, and waiting for others to end
	running int
	failing bool
	backlog bool // more may be due than has been claimed
}

// width is how many attempts may run at once.
func (t *traffic) width() int {
	if t.failing {
		return laneNarrow
	}
	return laneWidth
}

// room is how many more may be claimed.
func (t *traffic) room() int {
	room := t.width() - t.running - len(t.queue)
	if !t.failing {
		room += laneQueue
	}
	return max(0, room)
}

// NewRelay returns a relay.
func NewRelay(d *db.DB, box *seal.Box, client *http.Client, log *slog.Logger) *Relay {
	return &Relay{
		DB: d, Box: box, Client: client, Log: log, node: rand.Text(), wake: make(chan struct{}, 1), done: make(chan struct{}, 1),
		lanes: map[lane]*traffic{}, sending: map[string]bool{},
	}
}

// Wake makes the relay look for what is due.
func (r *Relay) Wake() { ring(r.wake) }

func ring(bell chan struct{}) {
	select {
	case bell <- struct{}{}:
	default: // it rings already
	}
}

// Run relays until ctx ends; then it waits for the attempts that run and writes
// down how they went.
func (r *Relay) Run(ctx context.Context) {
	defer r.finish(context.WithoutCancel(ctx))
	poll, ends := time.NewTicker(pollEvery), time.NewTimer(0)
	defer poll.Stop()
	defer ends.Stop()
	<-ends.C
	work, err := r.begin(ctx)
	for ctx.Err() == nil {
		for work && err == nil && ctx.Err() == nil {
			work, err = r.turn(ctx)
		}
		if err != nil && ctx.Err() == nil {
			r.Log.Warn("relaying events", "err", err)
			wait(ctx, poll.C) // what was attempted is kept until the database is back
			work, err = true, nil
			continue
		}
		select {
		case <-ctx.Done():
		case <-r.DB.Notifications():
			work = true
		case <-r.done: // others will follow, and what is new comes first
			ends.Reset(gatherFor)
		case <-ends.C:
			work = true
		case <-r.wake:
			work, err = r.look(ctx)
		case <-poll.C:
			work, err = r.look(ctx)
		}
	}
}

func wait(ctx context.Context, tick <-chan time.Time) {
	select {
	case <-ctx.Done():
	case <-tick:
	}
}

// begin frees what the process before this one was doing.
func (r *Relay) begin(ctx context.Context) (work bool, err error) {
	if r.DB.SQLite() {
		if _, err := db.Write(ctx, r.DB, endLeases); err != nil {
			return false, err
		}
	}
	return r.look(ctx)
}

// look reports whether a turn would find something to do. It writes nothing,
// so that a service at rest leaves its database alone.
func (r *Relay) look(ctx context.Context) (work bool, err error) {
	return db.Read(ctx, r.DB, func(ctx context.Context, tx *db.Tx) (bool, error) {
		due, err := dueLanes(ctx, tx)
		if err != nil {
			return false, err
		}
		r.mu.Lock()
		for _, l := range due {
			r.lane(l).backlog = true
		}
		r.mu.Unlock()
		waiting, err := events.Waiting(ctx, tx)
		return waiting || len(due) > 0, err
	})
}

// finish waits for the attempts that run.
func (r *Relay) finish(ctx context.Context) {
	r.running.Wait()
	if done := r.take(); len(done) > 0 {
		ctx, cancel := context.WithTimeout(ctx, turnIn)
		defer cancel()
		_, err := db.Write(ctx, r.DB, func(ctx context.Context, tx *db.Tx) (int, error) { return 0, record(ctx, tx, r.node, done) })
		if err != nil {
			r.Log.Warn("writing down the last deliveries", "err", err)
		}
	}
}

// take returns what attempts have left behind.
func (r *Relay) take() []attempt {
	r.mu.Lock()
	defer r.mu.Unlock()
	done := r.finished
	r.finished = nil
	return done
}

// lane is the traffic of a lane; the caller holds mu.
func (r *Relay) lane(l lane) *traffic {
	if r.lanes[l] == nil {
		r.lanes[l] = &traffic{}
	}
	return r.lanes[l]
}

// turn writes down what was attempted, relays what is new and claims what is
// due, all in one transaction; then it starts the attempts. It reports whether
// there is more.
func (r *Relay) turn(ctx context.Context) (more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, turnIn)
	defer cancel()
	done := r.take()
	t, err := db.Write(ctx, r.DB, func(ctx context.Context, tx *db.Tx) (*turn, error) {
		t := r.next() // a try that was undone leaves nothing behind
		return t, t.run(ctx, tx, done)
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.finished = append(done, r.finished...)
		return false, err
	}
	for _, a := range done {
		delete(r.sending, a.ID)
	}
	for l, known := range t.lanes {
		r.lane(l).backlog = known.backlog
	}
	for _, a := range t.start {
		r.sending[a.ID] = true
		traffic := r.lane(lane{a.Env, a.WebhookID})
		traffic.queue = append(traffic.queue, a)
		if traffic.running < traffic.width() {
			traffic.running++
			r.running.Go(func() { r.work(context.WithoutCancel(ctx), traffic) })
		}
	}
	for l, known := range r.lanes {
		if known.running == 0 && !known.backlog && !known.failing && len(known.queue) == 0 {
			delete(r.lanes, l)
		}
	}
	return t.more, nil
}

// work attempts what waits in a lane until nothing does, or until the lane has
// become too narrow for one more.
func (r *Relay) work(ctx context.Context, t *traffic) {
	for {
		r.mu.Lock()
		if len(t.queue) == 0 || t.running > t.width() {
			t.running--
			r.mu.Unlock()
			return
		}
		a := t.queue[0]
		t.queue = t.queue[1:]
		r.mu.Unlock()

		// One that waited too long is given back: its lease would end before it.
		if a.skipped = time.Now().After(a.startBy); !a.skipped { //nolint:forbidigo // leases pass in real time
			r.attempt(ctx, &a)
		}
		r.mu.Lock()
		if !a.skipped {
			t.failing = !a.delivered
		}
		r.finished = append(r.finished, a)
		r.mu.Unlock()
		ring(r.done)
	}
}

// attempt tries once.
func (r *Relay) attempt(ctx context.Context, a *attempt) {
	secrets, err := openSecrets(r.Box, a.webhook)
	if err == nil {
		err = a.send(ctx, r.Client, secrets, r.DB.Now)
	}
	if err != nil { // ours, such as a master key that does not fit
		r.Log.Error("delivering an event", "webhook", a.WebhookID, "event", a.EventID, "err", err)
		a.made.Error = new("the delivery could not be prepared")
	}
	if r.Observe != nil {
		r.Observe(a.delivered, time.Duration(a.made.LatencyMS)*time.Millisecond)
	}
}
