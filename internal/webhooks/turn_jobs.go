package webhooks

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// turn is one transaction of the relay: what it will know and start once that
// has committed.
type turn struct {
	relay *Relay
	lanes map[lane]lookout
	hooks map[auth.Env][]Webhook // the enabled ones
	lease lease
	start []attempt
	more  bool
}

// lookout is what a turn sees of a lane. Attempts that end meanwhile only make
// more room.
type lookout struct {
	room    int
	backlog bool
}

// next is a turn that knows how things are.
func (r *Relay) next() *turn {
	t := &turn{relay: r, lanes: map[lane]lookout{}, hooks: map[auth.Env][]Webhook{}}
	r.mu.Lock()
	defer r.mu.Unlock()
	for l, known := range r.lanes {
		t.lanes[l] = lookout{known.room(), known.backlog}
	}
	return t
}

// lane is how a lane looks; one that nothing is known of is empty.
func (t *turn) lane(l lane) lookout {
	if known, ok := t.lanes[l]; ok {
		return known
	}
	return lookout{room: (&traffic{}).room()}
}

func (t *turn) run(ctx context.Context, tx *db.Tx, done []attempt) error {
	if err := db.ForceCustomPlan(ctx, tx); err != nil {
		return err
	}
	if err := record(ctx, tx, t.relay.node, done); err != nil {
		return err
	}
	now, err := db.SharedClock(ctx, tx)
	if err != nil {
		return err
	}
	t.lease = lease{node: t.relay.node, now: now, until: now.Add(leaseFor), startBy: time.Now().Add(startIn)} //nolint:forbidigo // leases pass in real time
	if err := t.fanOut(ctx, tx); err != nil {
		return err
	}
	return t.claim(ctx, tx)
}

// fanOut relays new events to the webhooks that want them. What can be
// attempted at once is claimed as it is written.
func (t *turn) fanOut(ctx context.Context, tx *db.Tx) error {
	published, err := events.Publish(ctx, tx, perTurn)
	if err != nil {
		return err
	}
	count := map[auth.Env]int{}
	var all []Delivery
	for _, e := range published {
		count[e.Env]++
		t.more = t.more || count[e.Env] == perTurn
		hooks, err := t.enabled(ctx, tx.In(e.Env))
		if err != nil {
			return err
		}
		for _, w := range hooks {
			if w.wants(e.Type) {
				all = append(all, t.deliver(tx, w, e))
			}
		}
	}
	return insertDeliveries(ctx, tx, all)
}

// deliver makes the delivery of an event, and starts it if its lane is free and
// nothing older waits there.
func (t *turn) deliver(tx *db.Tx, w Webhook, e events.Event) Delivery {
	d, l := newDelivery(tx, w, e, ""), lane{w.Env, w.ID}
	known := t.lane(l)
	if known.backlog || known.room == 0 {
		known.backlog = true
	} else {
		known.room--
		d.AttemptCount, d.LeaseUntil, d.LeaseBy = 1, &t.lease.until, &t.lease.node
		t.start = append(t.start, attempt{Delivery: d, webhook: w, event: e, startBy: t.lease.startBy})
	}
	t.lanes[l] = known
	return d
}

// claim takes what is due in the lanes that have room.
func (t *turn) claim(ctx context.Context, tx *db.Tx) error {
	lanes := slices.SortedFunc(maps.Keys(t.lanes), func(a, b lane) int {
		return cmp.Or(cmp.Compare(a.Env, b.Env), cmp.Compare(a.WebhookID, b.WebhookID))
	})
	for _, l := range lanes {
		known := t.lanes[l]
		if !known.backlog || known.room == 0 {
			continue
		}
		hooks, err := t.enabled(ctx, tx.In(l.Env))
		if err != nil {
			return err
		}
		i := slices.IndexFunc(hooks, func(w Webhook) bool { return w.ID == l.WebhookID })
		if i < 0 { // disabled or deleted
			known.backlog = false
			t.lanes[l] = known
			continue
		}
		if err := t.claimIn(ctx, tx, l, hooks[i]); err != nil {
			return err
		}
	}
	return nil
}

func (t *turn) claimIn(ctx context.Context, tx *db.Tx, l lane, w Webhook) error {
	known := t.lanes[l]
	due, err := claim(ctx, tx, l, t.lease, known.room, t.relay.sending)
	if err != nil {
		return err
	}
	known.backlog = len(due) == known.room
	var ids []string
	for _, d := range due {
		ids = append(ids, d.EventID)
	}
	found, err := events.FindAll(ctx, tx.In(l.Env), ids)
	if err != nil {
		return err
	}
	for _, d := range due {
		i := slices.IndexFunc(found, func(e events.Event) bool { return e.ID == d.EventID })
		if i < 0 { // too old to be kept
			d.Status, d.NextAttemptAt = Dead, nil
			if err := saveDelivery(ctx, tx, &d); err != nil {
				return err
			}
			continue
		}
		known.room--
		t.start = append(t.start, attempt{Delivery: d, webhook: w, event: found[i], startBy: t.lease.startBy})
	}
	t.lanes[l] = known
	return nil
}

func (t *turn) enabled(ctx context.Context, tx *db.Tx) ([]Webhook, error) {
	if hooks, ok := t.hooks[tx.Env]; ok {
		return hooks, nil
	}
	hooks, err := enabled(ctx, tx)
	t.hooks[tx.Env] = hooks
	return hooks, err
}
