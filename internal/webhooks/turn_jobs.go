package webhooks

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"slipway/internal/db"
	"slipway/internal/events"
	"slipway/internal/principal"
)

// turn is one transaction of the relay: what it will know and start once that
// has committed.
type turn struct {
	relay *Relay
	lanes map[lane]traffic
	hooks map[principal.Env][]Webhook // the enabled ones
	lease lease
	start []attempt
	more  bool
}

// next is the turn after these attempts.
func (r *Relay) next(done []attempt) *turn {
	t := &turn{relay: r, lanes: maps.Clone(r.lanes), hooks: map[principal.Env][]Webhook{}}
	for _, a := range done {
		l := lane{a.Env, a.WebhookID}
		traffic := t.lanes[l]
		traffic.busy--
		traffic.failing = !a.delivered
		t.lanes[l] = traffic
	}
	return t
}

func (t *turn) run(ctx context.Context, tx *db.Tx, done []attempt) error {
	if err := record(ctx, tx, t.relay.node, done); err != nil {
		return err
	}
	now, err := db.SharedClock(ctx, tx)
	if err != nil {
		return err
	}
	t.lease = lease{node: t.relay.node, now: now, until: now.Add(leaseFor)}
	if err := t.fanOut(ctx, tx); err != nil {
		return err
	}
	if err := t.claim(ctx, tx); err != nil {
		return err
	}
	maps.DeleteFunc(t.lanes, func(_ lane, known traffic) bool { return known == traffic{} })
	return nil
}

// fanOut relays new events to the webhooks that want them. What can be
// attempted at once is claimed as it is written.
func (t *turn) fanOut(ctx context.Context, tx *db.Tx) error {
	published, err := events.Publish(ctx, tx, perTurn)
	if err != nil {
		return err
	}
	count := map[principal.Env]int{}
	var all []Delivery
	for _, e := range published {
		count[e.Env]++
		t.more = t.more || count[e.Env] == perTurn
		hooks, err := t.enabled(ctx, tx, e.Env)
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
	known := t.lanes[l]
	if known.backlog || known.free() == 0 {
		known.backlog = true
	} else {
		known.busy++
		d.AttemptCount, d.LeaseUntil, d.LeaseBy = 1, &t.lease.until, &t.lease.node
		t.start = append(t.start, attempt{Delivery: d, webhook: w, event: e})
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
		if !known.backlog || known.free() == 0 {
			continue
		}
		hooks, err := t.enabled(ctx, tx, l.Env)
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
	due, err := claim(ctx, tx, l, t.lease, known.free(), t.relay.sending)
	if err != nil {
		return err
	}
	known.backlog = len(due) == known.free()
	var ids []string
	for _, d := range due {
		ids = append(ids, d.EventID)
	}
	found, err := events.FindAll(ctx, tx, l.Env, ids)
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
		known.busy++
		t.start = append(t.start, attempt{Delivery: d, webhook: w, event: found[i]})
	}
	t.lanes[l] = known
	return nil
}

func (t *turn) enabled(ctx context.Context, tx *db.Tx, env principal.Env) ([]Webhook, error) {
	if hooks, ok := t.hooks[env]; ok {
		return hooks, nil
	}
	hooks, err := enabled(ctx, tx, env)
	t.hooks[env] = hooks
	return hooks, err
}
