package webhooks

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/id"
	"slipway/internal/vocab/page"
)

// ByDelivery names a delivery of a webhook.
type ByDelivery struct {
	ByWebhook
	DeliveryID string `path:"delivery_id" example:"dlv_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) listDeliveries(ctx context.Context, tx *db.Tx, in *struct {
	ByWebhook
	page.Query
	Status  string `query:"status" enum:"pending,succeeded,dead,discarded"`
	EventID string `query:"event_id" maxLength:"64" doc:"Deliveries of this event."`
}) (page.Page[Delivery], error) {
	w := &db.Where{}
	w.And("env = ? AND webhook_id = ?", tx.Env, in.WebhookID)
	if in.Status != "" {
		w.And("status = ?", in.Status)
	}
	if in.EventID != "" {
		w.And("event_id = ?", in.EventID)
	}
	return listOf(ctx, tx, in.WebhookID, in.Query, w)
}

func (a *API) listDeadLetters(ctx context.Context, tx *db.Tx, in *struct {
	ByWebhook
	page.Query
}) (page.Page[Delivery], error) {
	w := &db.Where{}
	w.And("env = ? AND webhook_id = ? AND status = 'dead'", tx.Env, in.WebhookID)
	return listOf(ctx, tx, in.WebhookID, in.Query, w)
}

func listOf(ctx context.Context, tx *db.Tx, webhookID string, q page.Query, w *db.Where) (page.Page[Delivery], error) {
	if _, err := find(ctx, tx, webhookID); err != nil {
		return page.Page[Delivery]{}, err
	}
	return listDeliveries(ctx, tx, q, w)
}

func (a *API) getDelivery(ctx context.Context, tx *db.Tx, in *ByDelivery) (Delivery, error) {
	if _, err := find(ctx, tx, in.WebhookID); err != nil {
		return Delivery{}, err
	}
	return findDelivery(ctx, tx, in.WebhookID, in.DeliveryID)
}

func (a *API) retryDelivery(ctx context.Context, tx *db.Tx, in *ByDelivery) (Delivery, error) {
	w, err := usable(ctx, tx, in.WebhookID)
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
		d.NextAttemptAt = &tx.Now // the rest of the schedule stays
	} else {
		d.again(tx.Now)
	}
	if err := saveDelivery(ctx, tx, &d); err != nil {
		return d, err
	}
	tx.NotifyRelay()
	return d, audit.Record(ctx, tx, "delivery.retried", d.ID, map[string][2]any{"webhook_id": {nil, w.ID}, "event_id": {nil, d.EventID}})
}

// DeadLetterDrain says what to do with dead letters.
type DeadLetterDrain struct {
	Action      string    `json:"action" enum:"redeliver,discard" doc:"Redelivering starts the schedule anew."`
	DeliveryIDs *[]string `json:"delivery_ids" required:"false" minItems:"1" maxItems:"10000" doc:"Only these; without it, all that are dead now."`
}

func (a *API) drain(ctx context.Context, tx *db.Tx, in *struct {
	ByWebhook
	Body DeadLetterDrain
}) (Counted, error) {
	w, err := find(ctx, tx, in.WebhookID)
	if err == nil && in.Body.Action == "redeliver" {
		w, err = usable(ctx, tx, in.WebhookID)
	}
	if err != nil {
		return Counted{}, err
	}
	job := DrainDeadLetters{Env: tx.Env, WebhookID: w.ID, Redeliver: in.Body.Action == "redeliver", Until: tx.Now}
	if in.Body.DeliveryIDs != nil {
		job.DeliveryIDs = *in.Body.DeliveryIDs
		if err := job.allDead(ctx, tx); err != nil {
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
	return Counted{n}, audit.Record(ctx, tx, "webhook.drained", w.ID, map[string][2]any{"action": {nil, in.Body.Action}, "count": {nil, n}})
}

// allDead fails if one of the deliveries that were named is no dead letter.
func (j DrainDeadLetters) allDead(ctx context.Context, tx *db.Tx) error {
	dead := map[string]bool{}
	for part := range slices.Chunk(j.DeliveryIDs, 1000) {
		found, err := deadAmong(ctx, tx, j, part)
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
			bad.Add(fmt.Sprintf("delivery_ids[%d]", i), "not_found", "is no dead letter of this webhook")
		}
	}
	return bad.Err()
}

// testKind is the event with which a webhook is tried out.
const testKind = "webhook.test"

func (a *API) test(ctx context.Context, tx *db.Tx, in *ByWebhook) (Delivery, error) {
	w, err := usable(ctx, tx, in.WebhookID)
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

// newDelivery is an event that is due at a webhook.
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
	w, err := usable(ctx, tx, in.WebhookID)
	if err != nil {
		return Counted{}, err
	}
	if err := in.Body.Check(tx.Now); err != nil {
		return Counted{}, err
	}
	job := ReplayEvents{Env: tx.Env, WebhookID: w.ID, Replay: tx.NewID("rpl")}
	var n int64
	if in.Body.EventIDs != nil {
		n, err = job.chose(ctx, tx, *in.Body.EventIDs)
	} else {
		n, err = job.reach(ctx, tx, a.Kinds, w, in.Body)
	}
	if err != nil {
		return Counted{}, err
	}
	if err := a.Jobs.Enqueue(ctx, tx, job, tx.Now); err != nil {
		return Counted{}, err
	}
	return Counted{n}, audit.Record(ctx, tx, "webhook.replayed", w.ID, map[string][2]any{"count": {nil, n}})
}

// chose takes events by their ids.
func (j *ReplayEvents) chose(ctx context.Context, tx *db.Tx, ids []string) (int64, error) {
	known := map[string]bool{}
	for part := range slices.Chunk(ids, 1000) {
		found, err := events.FindAll(ctx, tx, part)
		if err != nil {
			return 0, err
		}
		for _, e := range found {
			known[e.ID] = true
		}
	}
	var bad fault.Fields
	for i, id := range ids {
		if !known[id] {
			bad.Add(fmt.Sprintf("event_ids[%d]", i), "not_found", "is no event of this environment")
		}
	}
	j.EventIDs = slices.Sorted(maps.Keys(known))
	return int64(len(known)), bad.Err()
}

// reach takes events of a range of time.
func (j *ReplayEvents) reach(ctx context.Context, tx *db.Tx, known []events.Kind, w Webhook, r Replay) (int64, error) {
	patterns := w.Events
	if r.Types != nil {
		patterns = *r.Types
		var bad fault.Fields
		for i, p := range patterns {
			if len(typesOf(known, p)) == 0 {
				bad.Add(fmt.Sprintf("types[%d]", i), "enum", "is no type of event, nor a pattern such as hull.* or *")
			}
		}
		if err := bad.Err(); err != nil {
			return 0, err
		}
	}
	until := tx.Now
	if r.Until != nil && r.Until.Before(until) {
		until = *r.Until
	}
	j.Types = typesOf(known, patterns...)
	j.From, j.To = id.Floor("evt", *r.Since), id.Floor("evt", until)
	return countEvents(ctx, tx, *j)
}
