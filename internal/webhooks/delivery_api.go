package webhooks

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/id"
	"slipway/internal/vocab/page"
)

// ByDelivery is the path of a delivery.
type ByDelivery struct {
	ByWebhook
	DeliveryID string `path:"delivery_id" doc:"ID of the delivery." example:"dlv_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) listDeliveries(ctx context.Context, tx *db.Tx, in *struct {
	ByWebhook
	page.Query
	Status  DeliveryStatus `query:"status" doc:"Only deliveries in this status."`
	EventID string         `query:"event_id" maxLength:"64" doc:"ID of the event."`
}) (page.Page[Delivery], error) {
	return listOf(ctx, tx, in.WebhookID, in.Query, deliveriesOf(in.WebhookID, in.Status, in.EventID))
}

func (a *API) listDeadLetters(ctx context.Context, tx *db.Tx, in *struct {
	ByWebhook
	page.Query
}) (page.Page[Delivery], error) {
	return listOf(ctx, tx, in.WebhookID, in.Query, deliveriesOf(in.WebhookID, "dead", ""))
}

// listOf returns the deliveries of a webhook that match. If the webhook does
// not exist, it returns a 404.
func listOf(ctx context.Context, tx *db.Tx, webhookID string, q page.Query, filter *db.Where) (page.Page[Delivery], error) {
	if _, err := webhooks.Find(ctx, tx, webhookID); err != nil {
		return page.Page[Delivery]{}, err
	}
	return listDeliveries(ctx, tx, q, filter)
}

func (a *API) getDelivery(ctx context.Context, tx *db.Tx, in *ByDelivery) (Delivery, error) {
	if _, err := webhooks.Find(ctx, tx, in.WebhookID); err != nil {
		return Delivery{}, err
	}
	return findDelivery(ctx, tx, in.WebhookID, in.DeliveryID)
}

func (a *API) retryDelivery(ctx context.Context, tx *db.Tx, in *ByDelivery) (Delivery, error) {
	w, err := findEnabled(ctx, tx, in.WebhookID)
	if err != nil {
		return Delivery{}, err
	}
	if err := lockDelivery(ctx, tx, in.DeliveryID); err != nil {
		return Delivery{}, err
	}
	d, err := findDelivery(ctx, tx, w.ID, in.DeliveryID)
	if err != nil {
		return d, err
	}

	if d.Status == Pending {
		d.NextAttemptAt = &tx.Now // the rest of the schedule stays the same
	} else {
		d.restart(tx.Now)
	}

	if err := saveDelivery(ctx, tx, &d); err != nil {
		return d, err
	}
	tx.NotifyRelay()
	return d, audit.Record(ctx, tx, "delivery.retried", d.ID, map[string][2]any{"webhook_id": {nil, w.ID}, "event_id": {nil, d.EventID}})
}

// DeadLetterDrain is the request to redeliver or discard dead letters.
type DeadLetterDrain struct {
	_ struct{} `doc:"What to do with dead letters."`

	Action      DeadLetterAction `json:"action" doc:"redeliver: Start the schedule of attempts again. discard: Don't attempt again."`
	DeliveryIDs *[]string        `json:"delivery_ids" required:"false" minItems:"1" maxItems:"10000" doc:"Only these dead letters. Defaults to all current dead letters of the webhook."`
}

// DeadLetterAction is what happens to dead letters.
type DeadLetterAction string

// The values.
const (
	DrainRedeliver DeadLetterAction = "redeliver"
	DrainDiscard   DeadLetterAction = "discard"
)

var allDeadLetterActions = enum.Of("DeadLetterAction", "What happens to dead letters.", DrainRedeliver, DrainDiscard)

func (DeadLetterAction) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allDeadLetterActions.Describe(s)
}

func (a *API) drain(ctx context.Context, tx *db.Tx, in *struct {
	ByWebhook
	Body DeadLetterDrain
}) (Counted, error) {
	w, err := webhooks.Find(ctx, tx, in.WebhookID)
	if err == nil && in.Body.Action == DrainRedeliver {
		w, err = findEnabled(ctx, tx, in.WebhookID)
	}
	if err != nil {
		return Counted{}, err
	}

	job := DrainDeadLetters{Env: tx.Env, WebhookID: w.ID, Redeliver: in.Body.Action == DrainRedeliver, Until: tx.Now}
	if in.Body.DeliveryIDs != nil {
		job.DeliveryIDs = *in.Body.DeliveryIDs
		if err := job.checkIDs(ctx, tx); err != nil {
			return Counted{}, err
		}
	}
	n, err := countDead(ctx, tx, job)
	if err != nil {
		return Counted{}, err
	}

	if err := a.Jobs.Enqueue(ctx, tx, job, tx.Now); err != nil {
		return Counted{}, err
	}
	return Counted{Count: n}, audit.Record(ctx, tx, "webhook.drained", w.ID, map[string][2]any{"action": {nil, in.Body.Action}, "count": {nil, n}})
}

// checkIDs fails if one of the delivery IDs is not a dead letter of the webhook.
func (j DrainDeadLetters) checkIDs(ctx context.Context, tx *db.Tx) error {
	dead := map[string]bool{}
	for chunk := range slices.Chunk(j.DeliveryIDs, 1000) {
		found, err := deadAmong(ctx, tx, j, chunk)
		if err != nil {
			return err
		}
		for _, id := range found {
			dead[id] = true
		}
	}

	var bad fault.Fields
	for i, id := range j.DeliveryIDs {
		if !dead[id] {
			bad.Add(fmt.Sprintf("delivery_ids[%d]", i), "not_found", "must be a dead letter of this webhook")
		}
	}
	return bad.Err()
}

// testKind is the type of the event that testWebhook sends.
const testKind = "webhook.test"

func (a *API) test(ctx context.Context, tx *db.Tx, in *ByWebhook) (Delivery, error) {
	w, err := findEnabled(ctx, tx, in.WebhookID)
	if err != nil {
		return Delivery{}, err
	}

	e, err := events.Append(ctx, tx, testKind, w.ID, w)
	if err != nil {
		return Delivery{}, err
	}
	d := newDelivery(tx, w, e, "")
	if err := insertDeliveries(ctx, tx, []Delivery{d}); err != nil {
		return d, err
	}
	tx.NotifyRelay()
	return d, audit.Record(ctx, tx, "webhook.tested", w.ID, map[string][2]any{"event_id": {nil, e.ID}})
}

// newDelivery returns a delivery of an event that is due now.
func newDelivery(tx *db.Tx, w Webhook, e events.Event, replay string) Delivery {
	return Delivery{
		Env: w.Env, ID: tx.NewID("dlv"), WebhookID: w.ID, EventID: e.ID, EventType: e.Type, Status: Pending, Attempts: []DeliveryAttempt{},
		NextAttemptAt: &tx.Now, Replay: replay, IsReplay: replay != "", CreatedAt: tx.Now, UpdatedAt: tx.Now,
	}
}

func (a *API) replay(ctx context.Context, tx *db.Tx, in *struct {
	ByWebhook
	Body Replay
}) (Counted, error) {
	w, err := findEnabled(ctx, tx, in.WebhookID)
	if err != nil {
		return Counted{}, err
	}
	if err := in.Body.Check(tx.Now); err != nil {
		return Counted{}, err
	}

	job := ReplayEvents{Env: tx.Env, WebhookID: w.ID, Replay: tx.NewID("rpl")}
	var n int64
	if in.Body.EventIDs != nil {
		n, err = job.selectByID(ctx, tx, a.Kinds, w, *in.Body.EventIDs)
	} else {
		n, err = job.selectByTime(ctx, tx, a.Kinds, w, in.Body)
	}
	if err != nil {
		return Counted{}, err
	}

	if n > 0 {
		if err := a.Jobs.Enqueue(ctx, tx, job, tx.Now); err != nil {
			return Counted{}, err
		}
	}
	return Counted{Count: n}, audit.Record(ctx, tx, "webhook.replayed", w.ID, map[string][2]any{"count": {nil, n}})
}

// selectByID makes the job replay these events, and returns how many there are.
// An event that the webhook can't receive is treated as if it did not exist.
func (j *ReplayEvents) selectByID(ctx context.Context, tx *db.Tx, kinds []events.Kind, w Webhook, ids []string) (int64, error) {
	exists, known := map[string]bool{}, catalogOf(kinds)
	for chunk := range slices.Chunk(ids, 1000) {
		found, err := events.FindAll(ctx, tx, chunk)
		if err != nil {
			return 0, err
		}
		for _, e := range found {
			if known.allow(e.Type, w) {
				exists[e.ID] = true
			}
		}
	}

	var bad fault.Fields
	for i, id := range ids {
		if !exists[id] {
			bad.Add(fmt.Sprintf("event_ids[%d]", i), "not_found", "must be an event that the webhook can receive")
		}
	}
	j.EventIDs = slices.Sorted(maps.Keys(exists))
	return int64(len(exists)), bad.Err()
}

// selectByTime makes the job replay the events of a time range, and returns how
// many there are.
func (j *ReplayEvents) selectByTime(ctx context.Context, tx *db.Tx, kinds []events.Kind, w Webhook, r Replay) (int64, error) {
	patterns := w.Events
	if r.Types != nil {
		patterns = *r.Types
		var bad fault.Fields
		for i, p := range patterns {
			if len(typesOf(kinds, p)) == 0 {
				bad.Add(fmt.Sprintf("types[%d]", i), "enum", "must be an event type, or a pattern such as hull.* or *")
			}
		}
		if err := bad.Err(); err != nil {
			return 0, err
		}
		for i, p := range patterns {
			if err := checkReadable(kinds, p, w.Scopes, w.APIVersion, fmt.Sprintf("types[%d]", i)); err != nil {
				return 0, err
			}
		}
	}

	until := tx.Now
	if r.Until != nil && r.Until.Before(until) {
		until = *r.Until
	}
	if j.Types = typesOf(events.Readable(kinds, w.Scopes, w.APIVersion), patterns...); len(j.Types) == 0 {
		return 0, nil
	}
	j.From, j.To = id.Floor("evt", *r.Since), id.Floor("evt", until)
	return countEvents(ctx, tx, *j)
}
