package webhooks

import (
	"context"
	"slices"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/jobs"
	"slipway/internal/vocab/auth"
)

// batchSize is how many rows a job changes in one transaction, so that others
// can write in between.
const batchSize = 500

// Work registers the jobs of webhooks.
func (a *API) Work(q *jobs.Queue) {
	jobs.On(q, a.ReplayEvents)
	jobs.On(q, a.DrainDeadLetters)
	jobs.On(q, a.PurgeDeliveries)
	jobs.On(q, func(ctx context.Context, _ purgeFeed) error { return a.Purge(ctx) })
	jobs.Every(q, time.Hour, purgeFeed{})
}

// ReplayEvents is the job that delivers past events again, either by ID or from
// a range of IDs.
type ReplayEvents struct {
	Env       auth.Env `json:"env"`
	WebhookID string   `json:"webhook_id"`
	Replay    string   `json:"replay"` // ID of the replay
	EventIDs  []string `json:"event_ids,omitempty"`
	From      string   `json:"from,omitempty"`
	To        string   `json:"to,omitempty"`
	Types     []string `json:"types,omitempty"`
}

// Kind is the kind of the job.
func (ReplayEvents) Kind() string { return "replay_events" }

// ReplayEvents creates the deliveries in several transactions. After a crash, it
// starts again and skips the deliveries that exist.
func (a *API) ReplayEvents(ctx context.Context, job ReplayEvents) error {
	done, after := 0, job.From
	for {
		replayed, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) ([]events.Event, error) {
			w, err := webhooks.Find(ctx, tx, job.WebhookID)
			if err != nil {
				return nil, nil //nolint:nilerr // the webhook was deleted
			}

			var some []events.Event
			if job.EventIDs != nil {
				some, err = events.FindAll(ctx, tx, job.EventIDs[done:min(done+batchSize, len(job.EventIDs))])
			} else {
				some, err = nextEvents(ctx, tx, job, after, batchSize)
			}
			if err != nil {
				return nil, err
			}
			return some, a.insertReplays(ctx, tx, job, w, some)
		})
		if err != nil {
			return err
		}

		if done += batchSize; len(replayed) == 0 || (job.EventIDs != nil && done >= len(job.EventIDs)) {
			return nil
		}
		after = replayed[len(replayed)-1].ID
	}
}

// insertReplays creates the deliveries of a replay, except those that exist. It
// checks the scopes again, because they might have changed since the request.
func (a *API) insertReplays(ctx context.Context, tx *db.Tx, job ReplayEvents, w Webhook, some []events.Event) error {
	known := catalogOf(a.Kinds)
	some = slices.DeleteFunc(slices.Clone(some), func(e events.Event) bool { return !known.allow(e.Type, w) })
	if len(some) == 0 {
		return nil
	}
	var ids []string
	for _, e := range some {
		ids = append(ids, e.ID)
	}
	existing, err := alreadyReplayed(ctx, tx, job, ids)
	if err != nil {
		return err
	}

	var added []Delivery
	for _, e := range some {
		if !slices.Contains(existing, e.ID) {
			added = append(added, newDelivery(tx, w, e, job.Replay))
		}
	}
	tx.NotifyRelay()
	return insertDeliveries(ctx, tx, added)
}

// DrainDeadLetters is the job that redelivers or discards dead letters, either
// by ID or all that were dead at a time.
type DrainDeadLetters struct {
	Env         auth.Env  `json:"env"`
	WebhookID   string    `json:"webhook_id"`
	Redeliver   bool      `json:"redeliver"`
	DeliveryIDs []string  `json:"delivery_ids,omitempty"`
	Until       time.Time `json:"until"`
}

// Kind is the kind of the job.
func (DrainDeadLetters) Kind() string { return "drain_dead_letters" }

// DrainDeadLetters works in several transactions. A drained delivery is no
// longer dead, so a second run does not repeat it.
func (a *API) DrainDeadLetters(ctx context.Context, job DrainDeadLetters) error {
	for done := 0; ; done += batchSize {
		n, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (n int, err error) {
			var ids []string
			if job.DeliveryIDs == nil {
				ids, err = someDead(ctx, tx, job, batchSize)
			} else if named := job.DeliveryIDs[min(done, len(job.DeliveryIDs)):min(done+batchSize, len(job.DeliveryIDs))]; len(named) > 0 {
				n = len(named)
				ids, err = deadAmong(ctx, tx, job, named)
			}
			if err != nil || len(ids) == 0 {
				return n, err
			}

			tx.NotifyRelay()
			if job.Redeliver {
				return len(ids), redeliver(ctx, tx, job, ids, tx.Now)
			}
			return len(ids), discard(ctx, tx, job, ids)
		})
		if err != nil || n == 0 {
			return err
		}
	}
}

// PurgeDeliveries is the job that deletes the deliveries of a deleted webhook.
type PurgeDeliveries struct {
	Env       auth.Env `json:"env"`
	WebhookID string   `json:"webhook_id"`
}

// Kind is the kind of the job.
func (PurgeDeliveries) Kind() string { return "forget_deliveries" }

// PurgeDeliveries works in several transactions.
func (a *API) PurgeDeliveries(ctx context.Context, job PurgeDeliveries) error {
	return repeat(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (int64, error) {
		return deleteSomeOf(ctx, tx, job.WebhookID)
	})
}

type purgeFeed struct{}

func (purgeFeed) Kind() string { return "purge_feed" }

// Purge deletes events and deliveries that are too old.
func (a *API) Purge(ctx context.Context) error {
	envs, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) ([]dealership.Dealership, error) {
		return dealership.Environments(ctx, tx, "")
	})
	for _, e := range envs {
		for _, purgeSome := range []db.Func[int64]{purgeDeliveries, events.Purge} {
			if err == nil {
				err = repeat(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (int64, error) { return purgeSome(ctx, tx.In(e.Env)) })
			}
		}
	}
	return err
}

// repeat repeats a transaction until it changes nothing.
func repeat(ctx context.Context, d *db.DB, step db.Func[int64]) error {
	for {
		if n, err := db.Write(ctx, d, step); err != nil || n == 0 {
			return err
		}
	}
}
