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
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/signature"
	"slipway/internal/vocab/version"
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
	r = r.Family(family.Webhooks)
	rest.Get(r, rest.Route{
		Path: "/webhooks", ID: "listWebhooks", Needs: manage,
		Summary: "List webhook endpoints",
		Text:    "Returns the endpoints that receive events, with their health. The secrets are not returned. Newest first.",
		Assist:  assist.Read,
	}, a.list)
	rest.PostCreated(r, rest.Route{
		Path: "/webhooks", ID: "createWebhook", Needs: manage,
		Summary: "Register a webhook endpoint",
		Text:    "Deliveries are signed as defined by Standard Webhooks. Verify the `webhook-signature` header with the secret. The secret is only in this response. Each event type requires the scope of its object, such as deals:read for deal.accepted. A pattern such as * only receives the events that your scopes can read.",
		Assist:  assist.Never(assist.Webhooks),
	}, a.create)
	rest.Get(r, rest.Route{
		Path: "/webhooks/{webhook_id}", ID: "getWebhook", Needs: manage,
		Summary: "Retrieve a webhook endpoint",
		Text:    "Returns the endpoint with its health. The secret is not returned. To get a new one, rotate it.",
		Assist:  assist.Read,
	}, a.get)
	rest.Patch(r, rest.Route{
		Path: "/webhooks/{webhook_id}", ID: "updateWebhook", Needs: manage,
		Summary: "Change, disable or enable a webhook endpoint",
		Text:    "If you send events, the webhook receives what your scopes can read, even if it received more before. To change the URL, you need the scopes of all events that the webhook receives.",
		Assist:  assist.Never(assist.Webhooks),
	}, a.update)
	rest.Delete(r, rest.Route{
		Path: "/webhooks/{webhook_id}", ID: "deleteWebhook", Needs: manage,
		Summary: "Delete a webhook endpoint",
		Text:    "Deliveries to the endpoint stop immediately. Its past deliveries are deleted in the background.",
		Assist:  assist.Never(assist.Webhooks),
	}, a.delete)
	rest.PostOK(r, rest.Route{
		Path: "/webhooks/{webhook_id}/rotate_secret", ID: "rotateWebhookSecret", Needs: manage,
		Summary: "Rotate the signing secret",
		Text:    "Generates a new secret. Deliveries are signed with the old and the new secret until the overlap ends.",
		Assist:  assist.Never(assist.Webhooks),
	}, a.rotate)
	rest.PostAccepted(r, rest.Route{
		Path: "/webhooks/{webhook_id}/test", ID: "testWebhook", Needs: manage,
		Summary:    "Send a test event",
		Text:       "Delivers a `webhook.test` event to this webhook, even if it doesn't subscribe to that type. Retrieve the delivery to see the result.",
		Assist:     assist.Never(assist.Webhooks),
		NoIfMatch:  true,
		Background: "/v1/webhooks/{webhook_id}/deliveries/{id}",
	}, a.test)

	rest.PostAccepted(r, rest.Route{
		Path: "/webhooks/{webhook_id}/replay", ID: "replayEvents", Needs: manage,
		Summary:    "Replay past events by ID or time range",
		Text:       "Delivers past events again in the background. Send either `event_ids`, or `since` for a time range. `count` is the number of events. Events that the scopes of the webhook can't read are not replayed.",
		Assist:     assist.Never(assist.Webhooks),
		NoIfMatch:  true,
		Background: "/v1/webhooks/{webhook_id}/deliveries",
	}, a.replay)

	rest.Get(r, rest.Route{
		Path: "/webhooks/{webhook_id}/deliveries", ID: "listDeliveries", Needs: manage,
		Summary: "List deliveries and their attempts",
		Text:    "Returns the deliveries to this endpoint, each with its attempts. Deliveries are stored for 30 days. Newest first.",
		Assist:  assist.Read,
	}, a.listDeliveries)
	rest.Get(r, rest.Route{
		Path: "/webhooks/{webhook_id}/deliveries/{delivery_id}", ID: "getDelivery", Needs: manage,
		Summary: "Retrieve a delivery with every attempt",
		Text:    "Returns the delivery with the response, the latency and the error of each attempt.",
		Assist:  assist.Read,
	}, a.getDelivery)
	rest.PostAccepted(r, rest.Route{
		Path: "/webhooks/{webhook_id}/deliveries/{delivery_id}/retry", ID: "retryDelivery", Needs: manage,
		Summary:    "Retry a delivery now",
		Text:       "Sends the event again as soon as possible. A pending delivery keeps its schedule. Any other delivery starts its schedule again. The webhook must be enabled.",
		Assist:     assist.Never(assist.Webhooks),
		NoIfMatch:  true,
		Background: "/v1/webhooks/{webhook_id}/deliveries/{id}",
	}, a.retryDelivery)
	rest.Get(r, rest.Route{
		Path: "/webhooks/{webhook_id}/dead_letters", ID: "listDeadLetters", Needs: manage,
		Summary: "List deliveries that exhausted their retries",
		Text:    "Returns the deliveries whose scheduled attempts have all failed. They are stored for 30 days. Newest first.",
		Assist:  assist.Read,
	}, a.listDeadLetters)
	rest.PostAccepted(r, rest.Route{
		Path: "/webhooks/{webhook_id}/dead_letters/drain", ID: "drainDeadLetters", Needs: manage,
		Summary:    "Redeliver or discard dead letters",
		Text:       "Delivers dead letters again, or discards them, in the background. Send `delivery_ids` for some of them, or omit it for all. `count` is the number of dead letters. To redeliver, the webhook must be enabled.",
		Assist:     assist.Never(assist.Webhooks),
		NoIfMatch:  true,
		Background: "/v1/webhooks/{webhook_id}/dead_letters",
	}, a.drain)

	rest.Get(r, rest.Route{
		Path: "/events", ID: "listEvents", Needs: manage,
		Summary: "List events, newest first",
		Text:    "Events become visible in the order of their IDs. To read all new events, send the ID of the last event that you read as `ending_before`. Events are stored for 30 days. The list only contains events that your scopes can read, such as hull events with hulls:read.",
		Assist:  assist.Read,
	}, a.listEvents)
	rest.Get(r, rest.Route{
		Path: "/events/{event_id}", ID: "getEvent", Needs: manage,
		Summary: "Retrieve an event",
		Text:    "Returns the event with the object as it was then. Events are stored for 30 days. You need the scope that the type of the event requires.",
		Assist:  assist.Read,
	}, a.getEvent)
	rest.Raw(r.Preview("2026-11-17"), http.MethodGet, http.StatusOK, rest.Route{
		Path: "/events/stream", ID: "streamEvents", Needs: manage,
		Summary:   "Follow events as they happen",
		Text:      "Sends a server-sent event for each new event that your scopes can read: its ID, its type and the ID of its object. Read the object again to see what has changed. After a disconnect, send the ID of the last event as `Last-Event-ID` to get what you missed. The event `reset` means that you missed too much: read everything again. A session doesn't need the scope `webhooks`.",
		Assist:    assist.Never(assist.Files),
		OrSession: true, Streams: true,
	}, a.streamEvents)
	rest.PostAccepted(r.Preview("2026-11-16"), rest.Route{
		Path: "/events/trigger", ID: "triggerEvent", Needs: manage,
		Summary: "Emit a sample event",
		Text:    "Emits an event about an object that doesn't exist, so that you can test your receiver. Your webhooks receive it like any other event. Only for the test environment.",
		Assist:  assist.Never(assist.Webhooks),
	}, a.triggerEvent)

	p := r.Preview("2026-11-17")
	rest.Get(p, rest.Route{
		Path: "/events", ID: "listEventsV2", Needs: manage,
		Summary: "List events with who caused them, newest first",
		Text:    "The same as in `/v1`, with the `actor` of each event. Objects are in the shape of the preview.",
		Assist:  assist.Never(assist.Twin),
	}, a.listEventsWithActor)
	rest.Get(p, rest.Route{
		Path: "/events/{event_id}", ID: "getEventV2", Needs: manage,
		Summary: "Retrieve an event with who caused it",
		Text:    "The same as in `/v1`, with the `actor`. The object is in the shape of the preview.",
		Assist:  assist.Never(assist.Twin),
	}, a.getEventWithActor)

	for _, k := range a.Kinds {
		summary := k.Doc + " Requires the scope " + k.Read.String() + "."
		r.DocumentWebhook(rest.Webhook{Name: k.Type, Summary: summary, Since: k.Since,
			Message: func(schemas huma.Registry) *huma.Schema { return payload(schemas, k) }})
	}
}

// payload returns the schema of an event type.
func payload(schemas huma.Registry, k events.Kind) *huma.Schema {
	var since map[string]any
	if k.Since != "" {
		since = map[string]any{version.Extension: k.Since}
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
		InstallID: installOf(c), CreatedBy: c.Actor,
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
	return WebhookWithSecret{Webhook: w, Secret: secret.Text()}, audit.Record(ctx, tx, "webhook.created", w.ID, audit.Diff(nil, w))
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
			return events.Emit(ctx, tx, "webhook.disabled", w.ID, events.Change{Before: before, After: *w})
		}
		return audit.Record(ctx, tx, action, w.ID, audit.Diff(before, *w))
	})
}

func (a *API) update(ctx context.Context, tx *db.Tx, in *struct {
	ByWebhook
	Body WebhookPatch
}) (Webhook, error) {
	return a.change(ctx, tx, in.WebhookID, "webhook.updated", func(w *Webhook) error {
		url, status, caller := w.URL, w.Status, auth.From(ctx)
		in.Body.apply(w)
		if w.URL != url || w.Status == Enabled && status == Disabled {
			w.CreatedBy = caller.Actor // it acts for the caller from now on
		}
		tx.NotifyRelay() // if it is enabled now, deliveries might be due
		if err := w.validate(a.Kinds); err != nil {
			return err
		}
		if w.URL != url {
			if err := a.checkAddress(w.URL); err != nil {
				return err
			}
			w.InstallID = installOf(caller)
		}

		switch {
		case in.Body.Events.Set:
			return w.subscribe(a.Kinds, caller.Scopes)
		case w.URL != url:
			return w.redirect(a.Kinds, caller.Scopes)
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

// installOf returns the install of the calling app, or nil for other callers.
func installOf(c auth.Principal) *string {
	if c.AppID == "" {
		return nil
	}
	return &c.OriginalID
}

// WebhookRotate is the request to rotate a signing secret.
type WebhookRotate struct {
	_ struct{} `doc:"How long the old secret stays valid."`

	OverlapHours *int64 `json:"overlap_hours" required:"false" minimum:"0" maximum:"168" doc:"Hours until the old secret expires. Defaults to 168 (7 days). If 0, it expires immediately."`
}

func (a *API) rotate(ctx context.Context, tx *db.Tx, in *struct {
	ByWebhook
	Body *WebhookRotate
}) (WebhookWithSecret, error) {
	var hours *int64
	if in.Body != nil {
		hours = in.Body.OverlapHours
	}

	var newest signature.Secret
	w, err := a.change(ctx, tx, in.WebhookID, "webhook.secret_rotated", func(w *Webhook) error {
		secrets, err := openSecrets(a.Box, *w)
		if err != nil {
			return err
		}
		secrets = signature.Rotate(secrets, tx.Now, signature.Overlap(hours))
		newest = secrets[0]
		return sealSecrets(a.Box, w, secrets)
	})
	return WebhookWithSecret{Webhook: w, Secret: newest.Text()}, err
}

// findEnabled returns a webhook, or a 409 if it is disabled.
func findEnabled(ctx context.Context, tx *db.Tx, id string) (Webhook, error) {
	w, err := webhooks.Find(ctx, tx, id)
	if err == nil && w.Status == Disabled {
		err = fault.Conflict("The webhook is disabled. Enable it first.").Detail("status", "state", "is disabled")
	}
	return w, err
}
