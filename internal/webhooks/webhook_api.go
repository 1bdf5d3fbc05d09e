package webhooks

import (
	"context"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/rest"
	"slipway/internal/platform/seal"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

var manage = auth.Need(auth.Webhooks)

// API serves webhooks, their deliveries and the feed of events.
type API struct {
	DB    *db.DB
	Box   *seal.Box
	Jobs  *jobs.Queue
	Kinds []events.Kind // what can be subscribed to
}

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	r = r.Family("Webhooks")
	rest.Get(r, "/webhooks", "listWebhooks", manage, "List webhook endpoints", a.list)
	rest.PostCreated(r, "/webhooks", "createWebhook", manage, "Register a webhook endpoint", a.create,
		rest.Example(`{"url": "https://example.com/hooks/slipway", "events": ["hull.*", "deal.accepted"], "description": "Website"}`),
		rest.Describe("Events are signed as Standard Webhooks says: check `webhook-signature` with the secret, which is in this answer and in no other."))
	rest.Get(r, "/webhooks/{webhook_id}", "getWebhook", manage, "Retrieve a webhook endpoint", a.get)
	rest.Patch(r, "/webhooks/{webhook_id}", "updateWebhook", manage, "Change, disable or enable a webhook endpoint", a.update, rest.Example(`{"events": ["*"]}`))
	rest.Delete(r, "/webhooks/{webhook_id}", "deleteWebhook", manage, "Remove a webhook endpoint", a.remove)
	rest.PostOK(r, "/webhooks/{webhook_id}/rotate_secret", "rotateWebhookSecret", manage, "Rotate the signing secret; both sign for 7 days", a.rotate, rest.Example(`{"overlap_hours": 24}`))
	rest.PostAccepted(r, "/webhooks/{webhook_id}/test", "testWebhook", manage, "Send a test event", a.test, rest.NoIfMatch,
		rest.Describe("Delivers an event of type `webhook.test` to this endpoint, whatever it subscribes to. Look at the delivery to see how it went."))
	rest.PostAccepted(r, "/webhooks/{webhook_id}/replay", "replayEvents", manage, "Replay past events by id or time range", a.replay, rest.NoIfMatch,
		rest.Example(`{"since": "2026-05-01T00:00:00Z", "types": ["deal.*"]}`),
		rest.Describe("Delivers past events again, in the background: those with `event_ids`, or those of a time range that the endpoint subscribes to or that `types` names. `count` says how many there are."))
	rest.Get(r, "/webhooks/{webhook_id}/deliveries", "listDeliveries", manage, "List deliveries and their attempts", a.listDeliveries)
	rest.Get(r, "/webhooks/{webhook_id}/deliveries/{delivery_id}", "getDelivery", manage, "Retrieve a delivery with every attempt", a.getDelivery)
	rest.PostAccepted(r, "/webhooks/{webhook_id}/deliveries/{delivery_id}/retry", "retryDelivery", manage, "Retry a delivery now", a.retryDelivery, rest.NoIfMatch)
	rest.Get(r, "/webhooks/{webhook_id}/dead_letters", "listDeadLetters", manage, "List deliveries that exhausted their retries", a.listDeadLetters)
	rest.PostAccepted(r, "/webhooks/{webhook_id}/dead_letters/drain", "drainDeadLetters", manage, "Redeliver or discard dead letters", a.drain, rest.NoIfMatch,
		rest.Example(`{"action": "redeliver"}`))
	rest.Get(r, "/events", "listEvents", manage, "List events, newest first", a.listEvents,
		rest.Describe("Events become visible in the order of their ids: whoever reads on with `ending_before` from the last one seen misses none. They are kept for 30 days."))
	rest.Get(r, "/events/{event_id}", "getEvent", manage, "Retrieve an event", a.getEvent)
	for _, k := range a.Kinds {
		rest.Webhook(r, k.Type, k.Doc, func(schemas huma.Registry) *huma.Schema { return payload(schemas, k) })
	}
}

// payload is the schema of an event of one kind.
func payload(schemas huma.Registry, k events.Kind) *huma.Schema {
	return &huma.Schema{AllOf: []*huma.Schema{
		schemas.Schema(reflect.TypeFor[events.Event](), true, ""),
		{Type: huma.TypeObject, Properties: map[string]*huma.Schema{
			"type": {Type: huma.TypeString, Enum: []any{k.Type}},
			"data": events.DataSchema(schemas.Schema(reflect.TypeOf(k.Object), true, "")),
		}},
	}}
}

// ByWebhook names a webhook.
type ByWebhook struct {
	WebhookID string `path:"webhook_id" example:"whk_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) list(ctx context.Context, tx *db.Tx, in *struct{ page.Query }) (page.Page[Webhook], error) {
	return list(ctx, tx, in.Query)
}

func (a *API) get(ctx context.Context, tx *db.Tx, in *ByWebhook) (Webhook, error) {
	return find(ctx, tx, in.WebhookID)
}

func (a *API) create(ctx context.Context, tx *db.Tx, in *struct{ Body WebhookCreate }) (WebhookWithSecret, error) {
	c, secret := auth.From(ctx), NewSecret()
	w := Webhook{
		Env: tx.Env, ID: tx.NewID("whk"), URL: in.Body.URL, Events: in.Body.Events, Description: in.Body.Description, Status: Enabled,
		Mode: c.Mode, APIVersion: c.Version, Version: 1, CreatedAt: tx.Now, UpdatedAt: tx.Now,
	}
	w.derive()
	if err := w.check(a.Kinds); err != nil {
		return WebhookWithSecret{}, err
	}
	if err := sealSecrets(a.Box, &w, []Secret{secret}); err != nil {
		return WebhookWithSecret{}, err
	}
	if err := insert(ctx, tx, w); err != nil {
		return WebhookWithSecret{}, err
	}
	return WebhookWithSecret{w, secret.Text()}, audit.Record(ctx, tx, "webhook.created", w.ID, audit.Diff(nil, w))
}

// change finds a webhook, lets fn change it and saves it.
func (a *API) change(ctx context.Context, tx *db.Tx, id, action string, fn func(*Webhook) error) (Webhook, error) {
	w, err := find(ctx, tx, id)
	if err != nil {
		return w, err
	}
	if err := rest.CheckIfMatch(ctx, w.Version); err != nil {
		return w, err
	}
	before := w
	if err := fn(&w); err != nil {
		return w, err
	}
	if err := save(ctx, tx, &w); err != nil {
		return w, err
	}
	if before.Status == Enabled && w.Status == Disabled {
		return w, events.Emit(ctx, tx, "webhook.disabled", w.ID, before, w)
	}
	return w, audit.Record(ctx, tx, action, w.ID, audit.Diff(before, w))
}

func (a *API) update(ctx context.Context, tx *db.Tx, in *struct {
	ByWebhook
	Body WebhookPatch
}) (Webhook, error) {
	return a.change(ctx, tx, in.WebhookID, "webhook.updated", func(w *Webhook) error {
		in.Body.apply(w)
		tx.NotifyRelay() // what waited while it was disabled is due
		return w.check(a.Kinds)
	})
}

func (a *API) remove(ctx context.Context, tx *db.Tx, in *ByWebhook) (none rest.None, err error) {
	w, err := find(ctx, tx, in.WebhookID)
	if err != nil {
		return none, err
	}
	if err := rest.CheckIfMatch(ctx, w.Version); err != nil {
		return none, err
	}
	if err := remove(ctx, tx, w); err != nil {
		return none, err
	}
	if err := a.Jobs.Enqueue(ctx, tx, ForgetDeliveries{tx.Env, w.ID}, tx.Now); err != nil {
		return none, err
	}
	return none, audit.Record(ctx, tx, "webhook.deleted", w.ID, map[string][2]any{"url": {w.URL, nil}})
}

// WebhookRotate says how long the old secret signs beside the new one.
type WebhookRotate struct {
	OverlapHours *int64 `json:"overlap_hours" required:"false" minimum:"0" maximum:"168" doc:"168, which is 7 days, without it; with 0 the old secret ends at once."`
}

func (a *API) rotate(ctx context.Context, tx *db.Tx, in *struct {
	ByWebhook
	Body *WebhookRotate
}) (WebhookWithSecret, error) {
	overlap := 7 * 24 * time.Hour
	if in.Body != nil && in.Body.OverlapHours != nil {
		overlap = time.Duration(*in.Body.OverlapHours) * time.Hour
	}
	var fresh Secret
	w, err := a.change(ctx, tx, in.WebhookID, "webhook.secret_rotated", func(w *Webhook) error {
		secrets, err := openSecrets(a.Box, *w)
		if err != nil {
			return err
		}
		secrets = rotate(secrets, tx.Now, overlap)
		fresh = secrets[0]
		return sealSecrets(a.Box, w, secrets)
	})
	return WebhookWithSecret{w, fresh.Text()}, err
}

// usable finds a webhook that deliveries can be asked of.
func usable(ctx context.Context, tx *db.Tx, id string) (Webhook, error) {
	w, err := find(ctx, tx, id)
	if err == nil && w.Status == Disabled {
		err = fault.Conflict("The webhook is disabled. Enable it first.").Detail("status", "state", "is disabled")
	}
	return w, err
}
