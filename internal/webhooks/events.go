package webhooks

import "slipway/internal/platform/events"

// Events are what can happen to a webhook.
var Events = []events.Kind{
	{Type: "webhook.disabled", Doc: "A webhook was disabled: on request, because it answered 410, or because it failed for five days.", Object: Webhook{}},
	{Type: testKind, Doc: "Somebody tried the webhook out. It is delivered to that webhook only.", Object: Webhook{}},
}
