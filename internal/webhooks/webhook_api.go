package webhooks

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/outbound"
	"slipway/internal/platform/rest"
	"slipway/internal/platform/seal"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/signature"
)

var manage = auth.Require(auth.Webhooks)

// API serves webhooks, their deliveries and the list of events.
type API struct {
	DB    *db.DB
	Box   *seal.Box
	Jobs  *jobs.Queue
	Kinds []events.Kind // the event types that webhooks can subscribe to

	Streams *Streams // that clients follow

	AllowPrivate bool // URLs can have private addresses
}

// Hooks are what webhooks call in app.
type Hooks struct {
	Observe func(delivered bool, took time.Duration) // for metrics, after each attempt
}

// New returns the feature, and attaches its hooks to the database.
func New(a API, h Hooks) API {
	a.DB.AttachHooks(h)
	return a
}

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	r = r.Family("Webhooks")
	rest.Get(r, "/webhooks", "listWebhooks", manage, "List webhook endpoints", a.list,
		rest.Describe("Returns the endpoints that receive events, with their health. The secrets are not returned. Newest first."))
	rest.PostCreated(r, "/webhooks", "createWebhook", manage, "Register a webhook endpoint", a.create,
		rest.Describe("Deliveries are signed as defined by Standard Webhooks. Verify the `webhook-signature` header with the secret. The secret is only in this response. Each event type requires the scope of its object, such as deals:read for deal.accepted. A pattern such as * only receives the events that your scopes can read."))
	rest.Get(r, "/webhooks/{webhook_id}", "getWebhook", manage, "Retrieve a webhook endpoint", a.get,
		rest.Describe("Returns the endpoint with its health. The secret is not returned. To get a new one, rotate it."))
	rest.Patch(r, "/webhooks/{webhook_id}", "updateWebhook", manage, "Change, disable or enable a webhook endpoint", a.update,
		rest.Describe("If you send events, the webhook receives what your scopes can read, even if it received more before. To change the URL, you need the scopes of all events that the webhook receives."))
	rest.Delete(r, "/webhooks/{webhook_id}", "deleteWebhook", manage, "Delete a webhook endpoint", a.delete,
		rest.Describe("Deliveries to the endpoint stop immediately. Its past deliveries are deleted in the background."))
	rest.PostOK(r, "/webhooks/{webhook_id}/rotate_secret", "rotateWebhookSecret", manage, "Rotate the signing secret", a.rotate,
		rest.Describe("Generates a new secret. Deliveries are signed with the old and the new secret until the overlap ends."))
	rest.PostAccepted(r, "/webhooks/{webhook_id}/test", "testWebhook", manage, "Send a test event", a.test, rest.NoIfMatch,
		rest.Describe("Delivers a `webhook.test` event to this webhook, even if it doesn't subscribe to that type. Retrieve the delivery to see the result."))

	rest.PostAccepted(r, "/webhooks/{webhook_id}/replay", "replayEvents", manage,
		"Replay past events by ID or time range", a.replay, rest.NoIfMatch,
		rest.Describe("Delivers past events again in the background. Send either `event_ids`, or `since` for a time range. `count` is the number of events. Events that the scopes of the webhook can't read are not replayed."))

	rest.Get(r, "/webhooks/{webhook_id}/deliveries", "listDeliveries", manage, "List deliveries and their attempts", a.listDeliveries,
		rest.Describe("Returns the deliveries to this endpoint, each with its attempts. Deliveries are stored for 30 days. Newest first."))
	rest.Get(r, "/webhooks/{webhook_id}/deliveries/{delivery_id}", "getDelivery", manage, "Retrieve a delivery with every attempt",
		a.getDelivery,
		rest.Describe("Returns the delivery with the response, the latency and the error of each attempt."))
	rest.PostAccepted(r, "/webhooks/{webhook_id}/deliveries/{delivery_id}/retry", "retryDelivery", manage, "Retry a delivery now",
		a.retryDelivery, rest.NoIfMatch,
		rest.Describe("Sends the event again as soon as possible. A pending delivery keeps its schedule. Any other delivery starts its schedule again. The webhook must be enabled."))
	rest.Get(r, "/webhooks/{webhook_id}/dead_letters", "listDeadLetters", manage, "List deliveries that exhausted their retries",
		a.listDeadLetters,
		rest.Describe("Returns the deliveries whose scheduled attempts have all failed. They are stored for 30 days. Newest first."))
	rest.PostAccepted(r, "/webhooks/{webhook_id}/dead_letters/drain", "drainDeadLetters", manage, "Redeliver or discard dead letters",
		a.drain, rest.NoIfMatch,
		rest.Describe("Delivers dead letters again, or discards them, in the background. Send `delivery_ids` for some of them, or omit it for all. `count` is the number of dead letters. To redeliver, the webhook must be enabled."))

	rest.Get(r, "/events", "listEvents", manage, "List events, newest first", a.listEvents,
		rest.Describe("Events become visible in the order of their IDs. To read all new events, send the ID of the last event that you read as `ending_before`. Events are stored for 30 days. The list only contains events that your scopes can read, such as hull events with hulls:read."))
	rest.Get(r, "/events/{event_id}", "getEvent", manage, "Retrieve an event", a.getEvent,
		rest.Describe("Returns the event with the object as it was then. Events are stored for 30 days. You need the scope that the type of the event requires."))
	rest.Raw(r.Preview("2026-11-17"), http.MethodGet, http.StatusOK, "/events/stream", "streamEvents", manage, "Follow events as they happen",
		a.streamEvents, rest.OrSession, rest.Streams,
		rest.Describe("Sends a server-sent event for each new event that your scopes can read: its ID, its type and the ID of its object. Read the object again to see what has changed. After a disconnect, send the ID of the last event as `Last-Event-ID` to get what you missed. The event `reset` means that you missed too much: read everything again. A session doesn't need the scope `webhooks`."))
	rest.PostAccepted(r.Preview("2026-11-16"), "/events/trigger", "triggerEvent", manage, "Emit a sample event", a.triggerEvent,
		rest.Describe("Emits an event about an object that doesn't exist, so that you can test your receiver. Your webhooks receive it like any other event. Only for the test environment."))

	p := r.Preview("2026-11-17")
	rest.Get(p, "/events", "listEvents", manage, "List events with who caused them, newest first", a.listEventsWithActor,
		rest.Describe("The same as in `/v1`, with the `actor` of each event."))
	rest.Get(p, "/events/{event_id}", "getEvent", manage, "Retrieve an event with who caused it", a.getEventWithActor,
		rest.Describe("The same as in `/v1`, with the `actor`."))

	for _, k := range a.Kinds {
		summary := k.Doc + " Requires the scope " + k.Read.String() + "."
		rest.Webhook(r, k.Type, summary, func(schemas huma.Registry) *huma.Schema { return payload(schemas, k) })
	}
}

// payload returns the schema of an event type.
func payload(schemas huma.Registry, k events.Kind) *huma.Schema {
	var since map[string]any
	if k.Since != "" {
		since = map[string]any{"x-since": k.Since}
	}
	return &huma.Schema{AllOf: []*huma.Schema{
		schemas.Schema(reflect.TypeFor[events.Event](), true, ""),
		{Type: huma.TypeObject, Properties: map[string]*huma.Schema{
			"type": {Type: huma.TypeString, Const: k.Type, Description: k.Doc},
			"data": events.DataSchema(schemas.Schema(reflect.TypeOf(k.Object), true, "")),
		}, Extensions: since},
	}}
}

// ByWebhook is the path of a webhook.
type ByWebhook struct {
	WebhookID string `path:"webhook_id" doc:"ID of the webhook." example:"whk_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) list(ctx context.Context, tx *db.Tx, in *struct{ page.Query }) (page.Page[Webhook], error) {
	return webhooks.List(ctx, tx, in.Query, nil)
}

func (a *API) get(ctx context.Context, tx *db.Tx, in *ByWebhook) (Webhook, error) {
	return webhooks.Find(ctx, tx, in.WebhookID)
}

func (a *API) create(ctx context.Context, tx *db.Tx, in *struct{ Body WebhookCreate }) (WebhookWithSecret, error) {
	c, secret := auth.From(ctx), signature.NewSecret()
	w := Webhook{
		URL: in.Body.URL, Events: in.Body.Events, Description: in.Body.Description, Status: Enabled, Mode: c.Mode, APIVersion: c.Version,
		InstallID: installOf(c),
	}
	w.derive()
	if err := w.validate(a.Kinds); err != nil {
		return WebhookWithSecret{}, err
	}
	if err := a.checkAddress(w.URL); err != nil {
		return WebhookWithSecret{}, err
	}
	if err := w.subscribe(a.Kinds, c.Scopes); err != nil {
		return WebhookWithSecret{}, err
	}

	webhooks.Stamp(tx, &w) // the secrets are bound to the ID
	if err := sealSecrets(a.Box, &w, []signature.Secret{secret}); err != nil {
		return WebhookWithSecret{}, err
	}
	if err := webhooks.Insert(ctx, tx, &w); err != nil {
		return WebhookWithSecret{}, err
	}
	if err := followFromNow(ctx, tx); err != nil {
		return WebhookWithSecret{}, err
	}
	return WebhookWithSecret{w, secret.Text()}, audit.Record(ctx, tx, "webhook.created", w.ID, audit.Diff(nil, w))
}

// checkAddress rejects a new URL whose deliveries would all fail.
func (a *API) checkAddress(url string) error {
	var bad fault.Fields
	outbound.CheckAddress(&bad, "url", url, a.AllowPrivate)
	return bad.Err()
}

// change edits and saves a webhook. The action is for the audit log.
func (a *API) change(ctx context.Context, tx *db.Tx, id, action string, edit func(*Webhook) error) (Webhook, error) {
	return rest.Change(ctx, tx, webhooks.Find, id, func(before Webhook, w *Webhook) error {
		if err := edit(w); err != nil {
			return err
		}
		if err := webhooks.Save(ctx, tx, w); err != nil {
			return err
		}

		if before.Status == Disabled && w.Status == Enabled {
			if err := followFromNow(ctx, tx); err != nil {
				return err
			}
		}
		if before.Status == Enabled && w.Status == Disabled {
			return events.Emit(ctx, tx, "webhook.disabled", w.ID, before, *w)
		}
		return audit.Record(ctx, tx, action, w.ID, audit.Diff(before, *w))
	})
}

func (a *API) update(ctx context.Context, tx *db.Tx, in *struct {
	ByWebhook
	Body WebhookPatch
}) (Webhook, error) {
	return a.change(ctx, tx, in.WebhookID, "webhook.updated", func(w *Webhook) error {
		url := w.URL
		in.Body.apply(w)
		tx.NotifyRelay() // if it is enabled now, deliveries might be due
		if err := w.validate(a.Kinds); err != nil {
			return err
		}
		if w.URL != url {
			if err := a.checkAddress(w.URL); err != nil {
				return err
			}
			w.InstallID = installOf(auth.From(ctx))
		}

		switch {
		case in.Body.Events.Set:
			return w.subscribe(a.Kinds, auth.From(ctx).Scopes)
		case w.URL != url:
			return w.redirect(a.Kinds, auth.From(ctx).Scopes)
		}
		return nil
	})
}

func (a *API) delete(ctx context.Context, tx *db.Tx, in *ByWebhook) (none rest.None, err error) {
	w, err := webhooks.Find(ctx, tx, in.WebhookID)
	if err != nil {
		return none, err
	}
	if err := rest.CheckIfMatch(ctx, w.Version); err != nil {
		return none, err
	}

	return none, a.deleteWebhook(ctx, tx, w)
}

func (a *API) deleteWebhook(ctx context.Context, tx *db.Tx, w Webhook) error {
	if err := webhooks.Delete(ctx, tx, w.ID); err != nil {
		return err
	}
	if err := a.Jobs.Enqueue(ctx, tx, PurgeDeliveries{tx.Env, w.ID}, tx.Now); err != nil {
		return err
	}
	return audit.Record(ctx, tx, "webhook.deleted", w.ID, map[string][2]any{"url": {w.URL, nil}})
}

// DeleteOfInstall deletes the webhooks of an app that is uninstalled. Otherwise it
// would still receive events.
func (a *API) DeleteOfInstall(ctx context.Context, tx *db.Tx, installID string) error {
	all, err := listOfInstall(ctx, tx, installID)
	if err != nil {
		return err
	}
	for _, w := range all {
		if err := a.deleteWebhook(ctx, tx, w); err != nil {
			return err
		}
	}
	return nil
}

// installOf returns the install of the calling app, or nil for other callers.
func installOf(c auth.Principal) *string {
	if c.AppID == "" {
		return nil
	}
	return &c.OriginalID
}

// WebhookRotate is the request to rotate a signing secret.
type WebhookRotate struct {
	OverlapHours *int64 `json:"overlap_hours" required:"false" minimum:"0" maximum:"168" doc:"Hours until the old secret expires. Defaults to 168 (7 days). If 0, it expires immediately."`
}

func (a *API) rotate(ctx context.Context, tx *db.Tx, in *struct {
	ByWebhook
	Body *WebhookRotate
}) (WebhookWithSecret, error) {
	overlap := 7 * 24 * time.Hour
	if in.Body != nil && in.Body.OverlapHours != nil {
		overlap = time.Duration(*in.Body.OverlapHours) * time.Hour
	}

	var newest signature.Secret
	w, err := a.change(ctx, tx, in.WebhookID, "webhook.secret_rotated", func(w *Webhook) error {
		secrets, err := openSecrets(a.Box, *w)
		if err != nil {
			return err
		}
		secrets = signature.Rotate(secrets, tx.Now, overlap)
		newest = secrets[0]
		return sealSecrets(a.Box, w, secrets)
	})
	return WebhookWithSecret{w, newest.Text()}, err
}

// findEnabled returns a webhook, or a 409 if it is disabled.
func findEnabled(ctx context.Context, tx *db.Tx, id string) (Webhook, error) {
	w, err := webhooks.Find(ctx, tx, id)
	if err == nil && w.Status == Disabled {
		err = fault.Conflict("The webhook is disabled. Enable it first.").Detail("status", "state", "is disabled")
	}
	return w, err
}
