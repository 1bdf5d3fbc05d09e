package webhooks

import (
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// Events lists the event types of this feature.
var Events = events.Scoped(auth.Require(auth.Webhooks), []events.Kind{
	{
		Type:   "webhook.disabled",
		Doc:    "A webhook was disabled: on request, because it returned 410, or because it failed for five days.",
		Object: Webhook{},
	},
	{Type: testKind, Doc: "A test event was sent. It is only delivered to the webhook that was tested.", Object: Webhook{}},
})
