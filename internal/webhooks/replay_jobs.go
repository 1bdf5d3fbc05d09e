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

// batch is how many rows a job changes in one transaction: others write, too.
const batch = 500

// Work registers the jobs of webhooks.
func (a *API) Work(r *jobs.Registry) {
	jobs.On(r, a.ReplayEvents)
	jobs.On(r, a.DrainDeadLetters)
	jobs.On(r, a.ForgetDeliveries)
	jobs.On(r, a.purge)
	jobs.Every(r, time.Hour, purgeFeed{})
}

// ReplayEvents delivers past events again: those that are named, or those of a
// range of ids.
type ReplayEvents struct {
	Env       auth.Env `json:"env"`
	WebhookID string   `json:"webhook_id"`
	Replay    string   `json:"replay"` // tells its deliveries from others of the same event
	EventIDs  []string `json:"event_ids,omitempty"`
	From      string   `json:"from,omitempty"`
	To        string   `json:"to,omitempty"`
	Types     []string `json:"types,omitempty"`
}

// Kind names the job.
func (ReplayEvents) Kind() string { return "replay_events" }

// ReplayEvents works through the events in steps. After a crash it starts over
// and leaves out what is there.
func (a *API) ReplayEvents(ctx context.Context, job ReplayEvents) error {
	done, at := 0, job.From
	for {
		again, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) ([]events.Event, error) {
			w, err := find(ctx, tx, job.WebhookID)
			if err != nil {
				return nil, nil //nolint:nilerr // the webhook is gone, and with it the wish
			}
			var some []events.Event
			if job.EventIDs != nil {
				some, err = events.FindAll(ctx, tx, job.EventIDs[done:min(done+batch, len(job.EventIDs))])
			} else {
				some, err = nextEvents(ctx, tx, job, at, batch)
			}
			if err != nil {
				return nil, err
			}
			return some, replaySome(ctx, tx, job, w, some)
		})
		if err != nil {
			return err
		}
		if done += batch; len(again) == 0 || (job.EventIDs != nil && done >= len(job.EventIDs)) {
			return nil
		}
		at = again[len(again)-1].ID
	}
}

func replaySome(ctx context.Context, tx *db.Tx, job ReplayEvents, w Webhook, some []events.Event) error {
	if len(some) == 0 {
		return nil
	}
	var ids []string
	for _, e := range some {
		ids = append(ids, e.ID)
	}
	before, err := replayed(ctx, tx, job, ids)
	if err != nil {
		return err
	}
	var fresh []Delivery
	for _, e := range some {
		if !slices.Contains(before, e.ID) {
			fresh = append(fresh, newDelivery(tx, w, e, job.Replay))
		}
	}
	tx.NotifyRelay()
	return insertDeliveries(ctx, tx, fresh)
}

// DrainDeadLetters redelivers or discards dead letters: those that are named,
// or all that were dead at a time.
type DrainDeadLetters struct {
	Env         auth.Env  `json:"env"`
	WebhookID   string    `json:"webhook_id"`
	Redeliver   bool      `json:"redeliver"`
	DeliveryIDs []string  `json:"delivery_ids,omitempty"`
	Until       time.Time `json:"until"`
}

// Kind names the job.
func (DrainDeadLetters) Kind() string { return "drain_dead_letters" }

// DrainDeadLetters works in steps; what is drained is no longer dead, so that a
// second run does not repeat it.
func (a *API) DrainDeadLetters(ctx context.Context, job DrainDeadLetters) error {
	for done := 0; ; done += batch {
		n, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (n int, err error) {
			var ids []string
			if job.DeliveryIDs == nil {
				ids, err = someDead(ctx, tx, job, batch)
			} else if named := job.DeliveryIDs[min(done, len(job.DeliveryIDs)):min(done+batch, len(job.DeliveryIDs))]; len(named) > 0 {
				n = len(named)
				ids, err = deadAmong(ctx, tx, job, named)
			}
			if err != nil || len(ids) == 0 {
				return n, err
			}
			tx.NotifyRelay()
			if job.Redeliver {
				return len(ids), revive(ctx, tx, job, ids, tx.Now)
			}
			return len(ids), discard(ctx, tx, job, ids)
		})
		if err != nil || n == 0 {
			return err
		}
	}
}

// ForgetDeliveries removes what is left of a webhook that was deleted.
type ForgetDeliveries struct {
	Env       auth.Env `json:"env"`
	WebhookID string   `json:"webhook_id"`
}

// Kind names the job.
func (ForgetDeliveries) Kind() string { return "forget_deliveries" }

// ForgetDeliveries works in steps.
func (a *API) ForgetDeliveries(ctx context.Context, job ForgetDeliveries) error {
	return inSteps(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (int64, error) {
		return forgetDeliveries(ctx, tx, job.WebhookID)
	})
}

type purgeFeed struct{}

func (purgeFeed) Kind() string { return "purge_feed" }

// purge removes events and deliveries that are too old.
func (a *API) purge(ctx context.Context, _ purgeFeed) error {
	envs, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) ([]dealership.Dealership, error) {
		return dealership.Environments(ctx, tx, "")
	})
	for _, e := range envs {
		for _, old := range []db.Func[int64]{purgeDeliveries, events.Purge} {
			if err == nil {
				err = inSteps(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (int64, error) { return old(ctx, tx.In(e.Env)) })
			}
		}
	}
	return err
}

// inSteps repeats a transaction until it finds nothing to do.
func inSteps(ctx context.Context, d *db.DB, step db.Func[int64]) error {
	for {
		if n, err := db.Write(ctx, d, step); err != nil || n == 0 {
			return err
		}
	}
}
