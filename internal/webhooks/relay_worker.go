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
	"slipway/internal/platform/trace"
)

const (
	// pollEvery is how often the relay checks for work without a notification.
	// Retries become due without one, and another node might stop between a
	// commit and its notification.
	pollEvery = time.Second
	// checkEvery is how long a check after a commit waits if the one before found
	// nothing. Without webhooks, there is a check for several commits, not for each.
	checkEvery = 25 * time.Millisecond
	// leaseFor is longer than an attempt that starts within startIn of its
	// claim, so that no other node repeats the attempt.
	startIn  = 4 * time.Second
	leaseFor = startIn + Timeout + time.Second
	// laneWidth is how many attempts run at the same time for a webhook on one
	// node. laneQueue is how many more can wait. A failing webhook has
	// failingWidth and no queue: if it hangs, connections must not pile up.
	laneWidth, laneQueue, failingWidth = 16, 64, 2
	// batchFor is how long results wait, so that several are saved together.
	batchFor = 3 * time.Millisecond
	// turnTimeout limits the time of a turn.
	turnTimeout = 30 * time.Second
	// perTurn is how many events of an environment are relayed in one turn.
	perTurn = 200
)

// Relay moves events from the outbox to the event feed and delivers them to the
// webhooks.
//
// It writes in turns of one transaction each. The work that arrives during a
// turn is done in the next one, so under load the turns become larger, not
// more. Attempts run concurrently. Each webhook has its own lane, so that a
// slow or failing webhook does not delay the others.
type Relay struct {
	DB     *db.DB
	Box    *seal.Box
	Client *http.Client
	Log    *slog.Logger

	Tracer *trace.Tracer // nil if there are no traces

	kinds catalog

	// Published is called when the feed might have new events.
	Published func()

	node     string        // identifies the leases of this relay
	wake     chan struct{} // deliveries might be due
	done     chan struct{} // an attempt has finished
	running  sync.WaitGroup
	sending  map[string]bool // deliveries that this node has claimed; only used by Run
	unmarked time.Time       // when removeMarks ran; only used by Run

	mu       sync.Mutex
	lanes    map[laneKey]*lane
	finished []attempt // not saved yet
}

// lane contains the attempts of one webhook.
type lane struct {
	queue   []attempt // claimed and waiting to start
	running int
	failing bool
	backlog bool // more deliveries might be due than were claimed
}

// width is how many attempts can run at the same time.
func (l *lane) width() int {
	if l.failing {
		return failingWidth
	}
	return laneWidth
}

// room is how many more deliveries can be claimed.
func (l *lane) room() int {
	room := l.width() - l.running - len(l.queue)
	if !l.failing {
		room += laneQueue
	}
	return max(0, room)
}

// NewRelay returns a relay for these event types. Call Run to start it.
func NewRelay(d *db.DB, box *seal.Box, client *http.Client, kinds []events.Kind, log *slog.Logger) *Relay {
	return &Relay{
		DB: d, Box: box, Client: client, Log: log, kinds: catalogOf(kinds), node: rand.Text(),
		wake: make(chan struct{}, 1), done: make(chan struct{}, 1),
		lanes: map[laneKey]*lane{}, sending: map[string]bool{}, Published: func() {},
	}
}

// Wake makes the relay check for due deliveries.
func (r *Relay) Wake() { notify(r.wake) }

func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // already notified
	}
}

// Run relays events until ctx ends. Then it waits for the running attempts and
// saves their results.
func (r *Relay) Run(ctx context.Context) {
	defer r.finish(context.WithoutCancel(ctx))
	poll, batch, check := time.NewTicker(pollEvery), stoppedTimer(), stoppedTimer()
	defer poll.Stop()
	defer batch.Stop()
	defer check.Stop()
	var checked time.Time // when the last check found nothing

	work, err := r.begin(ctx)
	for ctx.Err() == nil {
		for work && err == nil && ctx.Err() == nil {
			work, err = r.turn(ctx)
		}
		if err != nil && ctx.Err() == nil {
			r.Log.Warn("can't relay events", "err", err)
			wait(ctx, poll.C) // the results are kept until the database is available again
			work, err = true, nil
			continue
		}

		select {
		case <-ctx.Done():
		case <-r.DB.Notifications():
			r.Published()
			if r.DB.SQLite() { // the event is already in the feed
				check.Reset(checkEvery - time.Since(checked)) //nolint:forbidigo // a duration of the real clock
			} else {
				work = true
			}
		case <-check.C:
			if work, err = r.hasWork(ctx); !work {
				checked = time.Now() //nolint:forbidigo // a duration of the real clock
			}
		case <-r.done: // wait for more results; new events are relayed first
			batch.Reset(batchFor)
		case <-batch.C:
			work = true
		case <-r.wake:
			work, err = r.hasWork(ctx)
		case <-poll.C:
			if work, err = r.hasWork(ctx); err == nil {
				err = r.removeMarks(ctx)
			}
		}
	}
}

func stoppedTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

func wait(ctx context.Context, tick <-chan time.Time) {
	select {
	case <-ctx.Done():
	case <-tick:
	}
}

// begin ends the leases of the previous process.
func (r *Relay) begin(ctx context.Context) (work bool, err error) {
	if r.DB.SQLite() {
		if _, err := db.Write(ctx, r.DB, endLeases); err != nil {
			return false, err
		}
	}
	return r.hasWork(ctx)
}

// hasWork reports whether a turn would have something to do. It only reads, so
// that an idle service does not write to its database.
func (r *Relay) hasWork(ctx context.Context) (bool, error) {
	return db.Read(ctx, r.DB, func(ctx context.Context, tx *db.Tx) (bool, error) {
		due, err := dueLanes(ctx, tx)
		if err != nil {
			return false, err
		}

		r.mu.Lock()
		for _, key := range due {
			r.lane(key).backlog = true
		}
		r.mu.Unlock()

		waiting, err := events.Waiting(ctx, tx, watched)
		events.Remember(tx, waiting...)
		return len(waiting)+len(due) > 0, err
	})
}

// removeMarks removes marks of environments without events, once per minute.
func (r *Relay) removeMarks(ctx context.Context) error {
	if now := r.DB.Now(); now.Sub(r.unmarked) >= time.Minute {
		r.unmarked = now
		return events.RemoveMarks(ctx, r.DB)
	}
	return nil
}

// finish waits for the running attempts and saves their results.
func (r *Relay) finish(ctx context.Context) {
	r.running.Wait()
	if done := r.takeFinished(); len(done) > 0 {
		ctx, cancel := context.WithTimeout(ctx, turnTimeout)
		defer cancel()
		_, err := db.Write(ctx, r.DB, func(ctx context.Context, tx *db.Tx) (int, error) { return 0, r.record(ctx, tx, done) })
		if err != nil {
			r.Log.Warn("can't save the last delivery attempts", "err", err)
		}
	}
}

// takeFinished returns the finished attempts that are not saved yet.
func (r *Relay) takeFinished() []attempt {
	r.mu.Lock()
	defer r.mu.Unlock()
	done := r.finished
	r.finished = nil
	return done
}

// lane returns the lane of a webhook. The caller must hold mu.
func (r *Relay) lane(key laneKey) *lane {
	if r.lanes[key] == nil {
		r.lanes[key] = &lane{}
	}
	return r.lanes[key]
}

// turn saves finished attempts, relays new events and claims due deliveries in
// one transaction. Then it starts the attempts. It reports whether there is
// more to do.
func (r *Relay) turn(ctx context.Context) (more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, turnTimeout)
	defer cancel()
	done, waiting := r.takeFinished(), events.TakeWaiting(r.DB)
	t, err := db.Write(ctx, r.DB, func(ctx context.Context, tx *db.Tx) (*turn, error) {
		t := r.newTurn(waiting) // a new one each time, because db.Write can repeat the transaction
		return t, t.run(ctx, tx, done)
	})

	if err == nil {
		r.Published()
		events.Remember(r.DB, t.more...)
	} else {
		events.Remember(r.DB, waiting...)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.finished = append(done, r.finished...)
		return false, err
	}
	for _, a := range done {
		delete(r.sending, a.ID)
	}
	for key, view := range t.lanes {
		r.lane(key).backlog = view.backlog
	}

	for _, a := range t.start {
		r.sending[a.ID] = true
		l := r.lane(laneKey{a.Env, a.WebhookID})
		l.queue = append(l.queue, a)
		if l.running < l.width() {
			l.running++
			r.running.Go(func() { r.work(context.WithoutCancel(ctx), l) })
		}
	}
	for key, l := range r.lanes {
		if l.running == 0 && !l.backlog && !l.failing && len(l.queue) == 0 {
			delete(r.lanes, key)
		}
	}
	return len(t.more) > 0, nil
}

// work makes the attempts of a lane until its queue is empty, or until more
// attempts are running than its width allows.
func (r *Relay) work(ctx context.Context, l *lane) {
	for {
		r.mu.Lock()
		if len(l.queue) == 0 || l.running > l.width() {
			l.running--
			r.mu.Unlock()
			return
		}
		a := l.queue[0]
		l.queue = l.queue[1:]
		r.mu.Unlock()

		// Skip an attempt that waited too long. Its lease might expire while it runs.
		if a.skipped = time.Now().After(a.startBy); !a.skipped { //nolint:forbidigo // leases use the real clock
			r.attempt(ctx, &a)
		}

		r.mu.Lock()
		if !a.skipped {
			l.failing = !a.delivered
		}
		r.finished = append(r.finished, a)
		r.mu.Unlock()
		notify(r.done)
	}
}

// attempt makes one attempt.
func (r *Relay) attempt(ctx context.Context, a *attempt) {
	ctx, span := r.Tracer.Root(ctx, trace.Client, "webhook "+a.event.Type, a.event.Traceparent)
	span.Set("slipway.webhook", a.WebhookID)
	span.Set("slipway.event", a.EventID)
	span.Set("slipway.delivery.attempt", int(a.AttemptCount))
	defer func() {
		if span != nil {
			span.Error = a.problem()
		}
		span.End()
	}()

	secrets, err := openSecrets(r.Box, a.webhook)
	if err == nil {
		err = a.send(ctx, r.Client, secrets, r.DB.Now)
	}
	if err != nil { // an internal error, such as the wrong master key
		r.Log.Error("can't prepare a delivery", "webhook", a.WebhookID, "event", a.EventID, "err", err)
		a.result.Error = new("internal error while preparing the delivery")
	}
	db.Attached[Hooks](r.DB).Observe(a.delivered, time.Duration(a.result.LatencyMS)*time.Millisecond)
}
