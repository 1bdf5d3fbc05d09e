// Package webhooks delivers events to other systems. It contains the webhook
// endpoints, deliveries with every attempt, dead letters, replays and the list
// of events.
package webhooks

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"slipway/internal/platform/events"
	"slipway/internal/platform/outbound"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/patch"
)

// Status is whether a webhook receives events.
type Status string

// The statuses of a webhook.
const (
	Enabled  Status = "enabled"
	Disabled Status = "disabled"
)

var allStatuses = enum.Of("WebhookStatus", "Whether a webhook receives events.", Enabled, Disabled)

func (Status) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allStatuses.Describe(s)
}

// Webhook is a URL that events are delivered to.
type Webhook struct {
	_ struct{} `doc:"A URL that events are delivered to." columns:"id url status events health / description created_by.label:BY failing_since created_at" privacy:"plain"`

	Env            auth.Env        `json:"-" db:"env"`
	ID             string          `json:"id" db:"id" doc:"Identifies the webhook. Starts with whk_." example:"whk_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	URL            string          `json:"url" db:"url" doc:"URL that events are sent to." example:"https://example.com/hooks/slipway"`
	Events         []string        `json:"events" db:"events,json" nullable:"false" doc:"Event types or patterns, such as deal.accepted, hull.* or *."`
	Scopes         []auth.Scope    `json:"scopes" db:"scopes,json" nullable:"false" doc:"Scopes of the caller who last set the events. The webhook only receives events that these scopes can read." since:"next"`
	Description    *string         `json:"description" db:"description" doc:"Your own note about the endpoint. Null if there is none."`
	Status         Status          `json:"status" db:"status" doc:"While a webhook is disabled, events are not delivered to it. You can replay them later."`
	DisabledReason *DisabledReason `json:"disabled_reason" db:"disabled_reason" doc:"requested: It was disabled by an API request, or with the user who created it. gone: It returned 410. failing: It failed for five days. Null if it is enabled."`
	Health         Health          `json:"health" doc:"Whether the last attempt succeeded." audit:"-"`
	FailingSince   *time.Time      `json:"failing_since" db:"failing_since" doc:"When the attempts started to fail. Null if the last attempt succeeded." audit:"-"`
	APIVersion     string          `json:"api_version" db:"api_version" doc:"API version of its events. Set when the webhook is created." example:"2026-11-15"`
	CreatedBy      auth.Actor      `json:"created_by" db:"created_by,json" doc:"User, API key or app that created the webhook, or that last changed its URL or enabled it. The type is system if that was not recorded." since:"next"`
	Mode           auth.Mode       `json:"-" db:"mode"`
	InstallID      *string         `json:"-" db:"install_id"` // of the app that set the URL
	Secrets        []byte          `json:"-" db:"secrets"`    // encrypted
	Version        int64           `json:"version" db:"version" doc:"Number of the current version. Same as the ETag." example:"1"`
	CreatedAt      time.Time       `json:"created_at" db:"created_at" doc:"When it was created."`
	UpdatedAt      time.Time       `json:"updated_at" db:"updated_at" doc:"When it last changed."`
}

// Health is whether the last attempt succeeded.
type Health string

// The values.
const (
	Healthy Health = "healthy"
	Failing Health = "failing"
)

var allHealths = enum.Of("WebhookHealth", "Whether the last attempt to deliver to a webhook succeeded.", Healthy, Failing)

func (Health) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allHealths.Describe(s)
}

// DisabledReason is why a webhook is disabled.
type DisabledReason string

// The values.
const (
	DisabledOnRequest DisabledReason = "requested"
	DisabledGone      DisabledReason = "gone"
	DisabledFailing   DisabledReason = "failing"
)

var allDisabledReasons = enum.Of("WebhookDisabledReason", "Why a webhook is disabled.",
	DisabledOnRequest, DisabledGone, DisabledFailing)

func (DisabledReason) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allDisabledReasons.Describe(s)
}

// Revision is the webhook's version.
func (w Webhook) Revision() int64 { return w.Version }

// WebhookWithSecret is a webhook with its signing secret, which is only shown
// when it is generated.
type WebhookWithSecret struct {
	_ struct{} `doc:"A webhook with its signing secret, which is only returned once."`

	Webhook
	Secret string `json:"secret" privacy:"secret" doc:"Signing secret. Use it to verify signatures. It is not shown again." example:"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"`
}

// WebhookCreate is the request to create a webhook.
type WebhookCreate struct {
	_ struct{} `doc:"A new webhook."`

	URL         string   `json:"url" minLength:"1" maxLength:"2000" doc:"URL to send events to. Must start with https:// in the live environment." example:"https://example.com/hooks/slipway"`
	Events      []string `json:"events" minItems:"1" maxItems:"100" doc:"Event types or patterns, such as deal.accepted, hull.* or *." example:"[\"hull.*\", \"deal.accepted\"]"`
	Description *string  `json:"description" required:"false" maxLength:"500" doc:"Your own note about the endpoint."`
}

// WebhookPatch is the request to change a webhook.
type WebhookPatch struct {
	_ struct{} `doc:"Changes to a webhook. Omitted fields keep their values, null clears a field."`

	URL         patch.Value[string]   `json:"url,omitzero" minLength:"1" maxLength:"2000" doc:"URL to send events to. Must start with https:// in the live environment."`
	Events      patch.Value[[]string] `json:"events,omitzero" minItems:"1" maxItems:"100" doc:"Replaces the event types and patterns."`
	Description patch.Null[string]    `json:"description,omitzero" maxLength:"500" doc:"Your own note about the endpoint. Null removes it."`
	Status      patch.Value[Status]   `json:"status,omitzero" doc:"Disables or enables the endpoint. You can replay the events that it missed while it was disabled."`
}

func (p WebhookPatch) apply(w *Webhook) {
	p.URL.To(&w.URL)
	p.Events.To(&w.Events)
	p.Description.To(&w.Description)
	if p.Status.Set && p.Status.V != w.Status {
		w.Status, w.FailingSince, w.DisabledReason = p.Status.V, nil, nil
		if w.Status == Disabled {
			w.DisabledReason = new(DisabledOnRequest)
		}
		w.derive()
	}
}

// validate checks what the schema can't.
func (w *Webhook) validate(kinds []events.Kind) error {
	var bad fault.Fields
	outbound.CheckURL(&bad, "url", w.URL, w.Mode == auth.Live)
	for i, pattern := range w.Events {
		switch {
		case slices.Contains(w.Events[:i], pattern):
			bad.Add(fmt.Sprintf("events[%d]", i), "duplicate", "repeats %s", pattern)
		case len(typesOf(kinds, pattern)) == 0:
			bad.Add(fmt.Sprintf("events[%d]", i), "enum", "must be an event type, or a pattern such as hull.* or *")
		}
	}
	return bad.Err()
}

// derive fills in the fields that are not columns.
func (w *Webhook) derive() {
	w.Health = Healthy
	if w.FailingSince != nil {
		w.Health = Failing
	}
}

// subscribes reports whether the webhook subscribes to an event type.
func (w *Webhook) subscribes(name string) bool {
	return slices.ContainsFunc(w.Events, func(pattern string) bool { return Matches(pattern, name) })
}

// Matches reports whether a pattern, such as deal.accepted, deal.* or *, matches
// an event type.
func Matches(pattern, name string) bool {
	if noun, ok := strings.CutSuffix(pattern, ".*"); ok {
		return strings.HasPrefix(name, noun+".")
	}
	return pattern == "*" || pattern == name
}

// typesOf returns the event types that match any of the patterns.
func typesOf(kinds []events.Kind, patterns ...string) (types []string) {
	for _, k := range kinds {
		if slices.ContainsFunc(patterns, func(p string) bool { return Matches(p, k.Type) }) {
			types = append(types, k.Type)
		}
	}
	return types
}

// secretsPlace identifies the row that the encrypted secrets belong to.
func secretsPlace(w Webhook) string { return fmt.Sprintf("webhooks/%d/%s", w.Env, w.ID) }
