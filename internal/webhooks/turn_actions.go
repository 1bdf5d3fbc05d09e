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

// turn is one transaction of the relay. It collects the attempts to start after
// the commit.
type turn struct {
	relay    *Relay
	lanes    map[laneKey]laneView
	webhooks map[auth.Env][]Webhook // the enabled ones
	lease    lease
	start    []attempt
	waiting  []auth.Env // with new events
	more     []auth.Env // with more events than a turn relays
}

// laneView is the state of a lane at the start of a turn. Attempts that finish
// during the turn only make more room.
type laneView struct {
	room    int
	backlog bool
}

// newTurn returns a turn with the current state of the lanes.
func (r *Relay) newTurn(waiting []auth.Env) *turn {
	t := &turn{relay: r, waiting: waiting, lanes: map[laneKey]laneView{}, webhooks: map[auth.Env][]Webhook{}}
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, l := range r.lanes {
		t.lanes[key] = laneView{l.room(), l.backlog}
	}
	return t
}

// view returns the state of a lane. A lane that is not in use is empty.
func (t *turn) view(key laneKey) laneView {
	if view, ok := t.lanes[key]; ok {
		return view
	}
	return laneView{room: (&lane{}).room()}
}

func (t *turn) run(ctx context.Context, tx *db.Tx, done []attempt) error {
	if err := db.ForceCustomPlan(ctx, tx); err != nil {
		return err
	}
	if err := t.relay.record(ctx, tx, done); err != nil {
		return err
	}

	now, err := db.SharedClock(ctx, tx)
	if err != nil {
		return err
	}
	startBy := time.Now().Add(startIn) //nolint:forbidigo // leases use the real clock
	t.lease = lease{node: t.relay.node, now: now, until: now.Add(leaseFor), startBy: startBy}

	if err := t.fanOut(ctx, tx); err != nil {
		return err
	}
	return t.claim(ctx, tx)
}

// fanOut creates the deliveries of new events. Those that can start immediately
// are inserted with a lease.
func (t *turn) fanOut(ctx context.Context, tx *db.Tx) error {
	published, err := events.Publish(ctx, tx, perTurn, t.waiting)
	if err != nil {
		return err
	}

	count := map[auth.Env]int{}
	var all []Delivery
	for _, e := range published {
		count[e.Env]++
		if count[e.Env] == perTurn {
			t.more = append(t.more, e.Env)
		}
		if e.Type == testKind { // it has its delivery
			continue
		}
		enabled, err := t.enabled(ctx, tx.In(e.Env))
		if err != nil {
			return err
		}
		for _, w := range enabled {
			if w.subscribes(e.Type) && t.relay.kinds.allow(e.Type, w) {
				all = append(all, t.deliver(tx, w, e))
			}
		}
	}
	return insertDeliveries(ctx, tx, all)
}

// deliver returns the delivery of an event. It starts the delivery if its lane
// has room and no older delivery is waiting.
func (t *turn) deliver(tx *db.Tx, w Webhook, e events.Event) Delivery {
	d, key := newDelivery(tx, w, e, ""), laneKey{w.Env, w.ID}
	view := t.view(key)
	if view.backlog || view.room == 0 {
		view.backlog = true
	} else {
		view.room--
		d.AttemptCount, d.LeaseUntil, d.LeaseBy = 1, &t.lease.until, &t.lease.node
		t.start = append(t.start, attempt{Delivery: d, webhook: w, event: e, kind: t.relay.kinds[e.Type], startBy: t.lease.startBy})
	}
	t.lanes[key] = view
	return d
}

// claim claims due deliveries for the lanes that have room.
func (t *turn) claim(ctx context.Context, tx *db.Tx) error {
	keys := slices.SortedFunc(maps.Keys(t.lanes), func(a, b laneKey) int {
		return cmp.Or(cmp.Compare(a.Env, b.Env), cmp.Compare(a.WebhookID, b.WebhookID))
	})
	for _, key := range keys {
		view := t.lanes[key]
		if !view.backlog || view.room == 0 {
			continue
		}

		enabled, err := t.enabled(ctx, tx.In(key.Env))
		if err != nil {
			return err
		}
		i := slices.IndexFunc(enabled, func(w Webhook) bool { return w.ID == key.WebhookID })
		if i < 0 { // disabled or deleted
			view.backlog = false
			t.lanes[key] = view
			continue
		}

		if err := t.claimFor(ctx, tx, key, enabled[i]); err != nil {
			return err
		}
	}
	return nil
}

// claimFor claims due deliveries of one webhook.
func (t *turn) claimFor(ctx context.Context, tx *db.Tx, key laneKey, w Webhook) error {
	view := t.lanes[key]
	due, err := t.claimDue(ctx, tx, key, view.room)
	if err != nil {
		return err
	}
	view.backlog = len(due) == view.room

	var ids []string
	for _, d := range due {
		ids = append(ids, d.EventID)
	}
	found, err := events.FindAll(ctx, tx.In(key.Env), ids)
	if err != nil {
		return err
	}

	for _, d := range due {
		i := slices.IndexFunc(found, func(e events.Event) bool { return e.ID == d.EventID })
		// The event was purged, or the scopes of the webhook no longer include it.
		if i < 0 || !t.relay.kinds.allow(found[i].Type, w) {
			d.Status, d.NextAttemptAt = Dead, nil
			if err := saveDelivery(ctx, tx, &d); err != nil {
				return err
			}
			continue
		}
		view.room--
		t.start = append(t.start, attempt{Delivery: d, webhook: w, event: found[i], kind: t.relay.kinds[found[i].Type], startBy: t.lease.startBy})
	}
	t.lanes[key] = view
	return nil
}

// enabled returns the enabled webhooks of an environment. It reads them once per
// turn.
func (t *turn) enabled(ctx context.Context, tx *db.Tx) ([]Webhook, error) {
	if enabled, ok := t.webhooks[tx.Env]; ok {
		return enabled, nil
	}
	enabled, err := listEnabled(ctx, tx)
	t.webhooks[tx.Env] = enabled
	return enabled, err
}
