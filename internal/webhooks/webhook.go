// Package webhooks tells other systems what happened: endpoints, deliveries
// with every attempt, dead letters, replays, and the feed of events itself.
package webhooks

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"slipway/internal/platform/events"
	"slipway/internal/platform/outbound"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/patch"
)

// The states of a webhook.
const (
	Enabled  = "enabled"
	Disabled = "disabled"
)

// Webhook is an address that events are delivered to.
type Webhook struct {
	Env            auth.Env   `json:"-" db:"env"`
	ID             string     `json:"id" db:"id" example:"whk_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	URL            string     `json:"url" db:"url" example:"https://example.com/hooks/slipway"`
	Events         []string   `json:"events" db:"events,json" nullable:"false" doc:"Types of events, such as deal.accepted, hull.* or *."`
	Description    *string    `json:"description" db:"description"`
	Status         string     `json:"status" db:"status" enum:"enabled,disabled" doc:"Events are kept while it is disabled, and can be replayed."`
	DisabledReason *string    `json:"disabled_reason" db:"disabled_reason" enum:"requested,gone,failing" doc:"Why it is disabled: you asked for it, it answered 410, or it failed for five days."`
	Health         string     `json:"health" enum:"healthy,failing" doc:"Whether the last attempt got through." audit:"-"`
	FailingSince   *time.Time `json:"failing_since" db:"failing_since" doc:"Since when every attempt failed." audit:"-"`
	APIVersion     string     `json:"api_version" db:"api_version" doc:"The version of the API that its events are written in, fixed when it was made." example:"2026-11-15"`
	Mode           auth.Mode  `json:"-" db:"mode"`
	Secrets        []byte     `json:"-" db:"secrets"` // sealed
	Version        int64      `json:"version" db:"version" doc:"Counts the changes; the same as the ETag." example:"1"`
	CreatedAt      time.Time  `json:"created_at" db:"created_at"`
	UpdatedAt      time.Time  `json:"updated_at" db:"updated_at"`
}

// Revision is the webhook's version.
func (w Webhook) Revision() int64 { return w.Version }

// WebhookWithSecret is a webhook with what its owner checks signatures with,
// shown this once.
type WebhookWithSecret struct {
	Webhook
	Secret string `json:"secret" doc:"Check signatures with it. It is not shown again." example:"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"`
}

// WebhookCreate is what a new webhook needs.
type WebhookCreate struct {
	URL         string   `json:"url" minLength:"1" maxLength:"2000" example:"https://example.com/hooks/slipway" doc:"In the live environment it starts with https."`
	Events      []string `json:"events" minItems:"1" maxItems:"100" example:"[\"hull.*\", \"deal.accepted\"]"`
	Description *string  `json:"description" required:"false" maxLength:"500"`
}

// WebhookPatch changes a webhook.
type WebhookPatch struct {
	URL         patch.Value[string]   `json:"url,omitzero" minLength:"1" maxLength:"2000"`
	Events      patch.Value[[]string] `json:"events,omitzero" minItems:"1" maxItems:"100"`
	Description patch.Null[string]    `json:"description,omitzero" maxLength:"500"`
	Status      patch.Value[string]   `json:"status,omitzero" enum:"enabled,disabled"`
}

func (p WebhookPatch) apply(w *Webhook) {
	p.URL.To(&w.URL)
	p.Events.To(&w.Events)
	p.Description.To(&w.Description)
	if p.Status.Set && p.Status.V != w.Status {
		w.Status, w.FailingSince, w.DisabledReason = p.Status.V, nil, nil
		if w.Status == Disabled {
			w.DisabledReason = new("requested")
		}
	}
}

// check says everything that the schema cannot.
func (w *Webhook) check(kinds []events.Kind) error {
	var bad fault.Fields
	outbound.CheckURL(&bad, "url", w.URL, w.Mode == auth.Live)
	for i, pattern := range w.Events {
		switch {
		case slices.Contains(w.Events[:i], pattern):
			bad.Add(fmt.Sprintf("events[%d]", i), "duplicate", "repeats %s", pattern)
		case len(typesOf(kinds, pattern)) == 0:
			bad.Add(fmt.Sprintf("events[%d]", i), "enum", "is no type of event, nor a pattern such as hull.* or *")
		}
	}
	return bad.Err()
}

// derive fills in what the row does not hold.
func (w *Webhook) derive() {
	w.Health = "healthy"
	if w.FailingSince != nil {
		w.Health = "failing"
	}
}

// wants reports whether the webhook subscribes to a type of event.
func (w *Webhook) wants(name string) bool {
	return slices.ContainsFunc(w.Events, func(pattern string) bool { return Matches(pattern, name) })
}

// Matches reports whether a pattern, such as deal.accepted, deal.* or *, means
// a type of event.
func Matches(pattern, name string) bool {
	if noun, ok := strings.CutSuffix(pattern, ".*"); ok {
		return strings.HasPrefix(name, noun+".")
	}
	return pattern == "*" || pattern == name
}

// typesOf are the types of events that patterns mean.
func typesOf(kinds []events.Kind, patterns ...string) (types []string) {
	for _, k := range kinds {
		if slices.ContainsFunc(patterns, func(p string) bool { return Matches(p, k.Type) }) {
			types = append(types, k.Type)
		}
	}
	return types
}

// Secret is what deliveries are signed with. One that was rotated signs beside
// its successor for a while.
type Secret struct {
	Key   []byte     `json:"key"`
	Until *time.Time `json:"until,omitempty"`
}

// NewSecret makes a secret as long as the hash that it is used with.
func NewSecret() Secret {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return Secret{Key: key}
}

// Text is the secret as its owner gets it.
func (s Secret) Text() string { return "whsec_" + base64.StdEncoding.EncodeToString(s.Key) }

// ParseSecret reads what Text wrote.
func ParseSecret(text string) (Secret, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, "whsec_"))
	return Secret{Key: key}, err
}

// rotate adds a new secret; the others sign until the overlap ends.
func rotate(secrets []Secret, now time.Time, overlap time.Duration) []Secret {
	until := now.Add(overlap)
	rotated := []Secret{NewSecret()}
	for _, s := range live(secrets, now) {
		if s.Until == nil || until.Before(*s.Until) {
			s.Until = &until
		}
		rotated = append(rotated, s)
	}
	return live(rotated, now)
}

// live are the secrets that sign now.
func live(secrets []Secret, now time.Time) []Secret {
	return slices.DeleteFunc(slices.Clone(secrets), func(s Secret) bool { return s.Until != nil && !now.Before(*s.Until) })
}

// Sign is the webhook-signature of a delivery by the rules of Standard
// Webhooks: one signature for each secret that is live.
func Sign(secrets []Secret, eventID string, at time.Time, body []byte) string {
	var signatures []string
	for _, s := range live(secrets, at) {
		mac := hmac.New(sha256.New, s.Key)
		fmt.Fprintf(mac, "%s.%s.%s", eventID, strconv.FormatInt(at.Unix(), 10), body)
		signatures = append(signatures, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(signatures, " ")
}

// secretsPlace binds the sealed secrets to their row.
func secretsPlace(w Webhook) string { return fmt.Sprintf("webhooks/%d/%s", w.Env, w.ID) }
