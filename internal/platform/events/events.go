// Package events records changes in the transaction of the change.
//
// Clients read events through the API and webhooks. Each event also has an audit
// entry, so features call Emit for both.
//
// Clients and webhooks see the events of the feed, in the order of their IDs. On
// SQLite, transactions commit one after the other, so Emit writes to the feed. On
// PostgreSQL, it writes to the outbox, and Publish moves committed events from there
// to the feed.
package events

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/platform/trace"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/privacy"
	"slipway/internal/vocab/version"
	"slipway/internal/vocab/wire"
)

// Event is a change of an object.
type Event struct {
	_ struct{} `doc:"Something that happened to an object." columns:"id type created_at data.object.id:OBJECT / sequence"`

	Env         auth.Env     `json:"-" db:"env"`
	ID          string       `json:"id" db:"id" doc:"Also the webhook-id header of its deliveries. Use it to ignore duplicates." example:"evt_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Type        string       `json:"type" db:"type" doc:"What happened: the type of the object and a past participle." example:"hull.created"`
	CreatedAt   time.Time    `json:"created_at" db:"created_at" doc:"When it happened."`
	Environment auth.Mode    `json:"environment" doc:"Environment in which it happened."`
	Sequence    int64        `json:"sequence" db:"sequence" doc:"Number of the event in the sequence of its object. Use it to ignore events that arrive out of order." example:"1"`
	APIVersion  string       `json:"api_version" db:"api_version" doc:"API version of the data." example:"2026-11-15"`
	Request     EventRequest `json:"request" doc:"API request that caused the event."`
	Data        EventData    `json:"data" db:"data,json" doc:"The object after the event, and the old values of the changed fields."`

	ObjectID       string  `json:"-" db:"object_id"`
	RequestID      *string `json:"-" db:"request_id"`
	IdempotencyKey *string `json:"-" db:"idempotency_key"`
	Traceparent    string  `json:"-" db:"traceparent"` // of the request, for deliveries
}

// EventRequest is the API request that caused an event.
type EventRequest struct {
	_ struct{} `doc:"API request that caused an event."`

	ID             *string `json:"id" doc:"Request-Id of the request. Null if the event was not caused by a request." example:"req_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	IdempotencyKey *string `json:"idempotency_key" doc:"Idempotency-Key of the request. Null if none was sent."`
}

// EventData is the object after the event, and the old values of the changed
// fields. It is stored as text, so that all deliveries of an event have the same
// bytes.
type EventData struct{ jsontext.Value }

// Schema accepts any object. The webhooks section of the OpenAPI document has a
// schema for each event type.
func (EventData) Schema(huma.Registry) *huma.Schema {
	return DataSchema(&huma.Schema{Type: huma.TypeObject})
}

// DataSchema returns the schema of the data for an object.
func DataSchema(object *huma.Schema) *huma.Schema {
	object.Description = "The object after the event. Its fields depend on the type of the event."
	s := &huma.Schema{
		Type: huma.TypeObject, Description: "The object after the event, and the old values of the changed fields.",
		Required: []string{"object", "previous"}, Properties: map[string]*huma.Schema{
			"object":   object,
			"previous": {Type: huma.TypeObject, Description: "Old values of the changed fields.", AdditionalProperties: true},
		},
	}
	s.PrecomputeMessages()
	return s
}

// Kind describes an event type.
type Kind struct {
	Type   string
	Doc    string
	Object any       // a value of the object's type
	Read   auth.Rule // the scopes that are required to read its events
	Since  string    // the version that added it, or "" for the first one
}

// Scoped returns the kinds with the rule for reading their events. Each list of
// kinds goes through here, so that no kind can be left open by mistake. The zero
// rule allows no caller.
func Scoped(read auth.Rule, kinds []Kind) []Kind {
	for i := range kinds {
		kinds[i].Read = read
		kinds[i].Since = version.DateOf(kinds[i].Since)
	}
	return kinds
}

// ReadableBy reports whether a caller with these scopes can read the events, in this
// version of the API.
func (k Kind) ReadableBy(scopes []auth.Scope, v string) bool {
	return k.Read.Allows(scopes) && k.Since <= version.Pinned(v)
}

// Readable returns the kinds whose events a caller can read.
func Readable(kinds []Kind, scopes []auth.Scope, v string) []Kind {
	return slices.DeleteFunc(slices.Clone(kinds), func(k Kind) bool { return !k.ReadableBy(scopes, v) })
}

// In returns an event as a client of an environment and a version sees it.
func (k Kind) In(e Event, mode auth.Mode, v string) Event {
	e.Environment, e.Request = mode, EventRequest{ID: e.RequestID, IdempotencyKey: e.IdempotencyKey}
	if v = version.Pinned(v); v < version.Latest() && k.Object != nil {
		e.Data.Value = version.OfEvent(reflect.TypeOf(k.Object)).Older(v, e.Data.Value)
	}
	e.APIVersion = min(v, e.APIVersion)
	return e
}

// Change is an object before and after a change. Before is nil for a new object. Costs
// are not emitted: an event has the same data for all readers.
type Change struct{ Before, After any }

func (c Change) withoutCosts() Change {
	return Change{privacy.WithoutCosts(c.Before), privacy.WithoutCosts(c.After)}
}

// Emit records a change of an object: an event with the next number in the
// sequence of the object, and an audit entry with the same name.
func Emit(ctx context.Context, tx *db.Tx, name, objectID string, c Change) error {
	c = c.withoutCosts()
	if err := audit.Record(ctx, tx, name, objectID, audit.Diff(c.Before, c.After)); err != nil {
		return err
	}
	return emit(ctx, tx, name, objectID, c)
}

// EmitFailure is Emit for an attempt that failed, such as a message that was
// blocked. The outcome of the audit entry is failure.
func EmitFailure(ctx context.Context, tx *db.Tx, name, objectID string, c Change) error {
	c = c.withoutCosts()
	noun, _, _ := strings.Cut(name, ".")
	if err := audit.RecordFailure(ctx, tx, name, audit.Target{Type: noun, ID: objectID}, audit.Diff(c.Before, c.After)); err != nil {
		return err
	}
	return emit(ctx, tx, name, objectID, c)
}

func emit(ctx context.Context, tx *db.Tx, name, objectID string, c Change) error {
	previous := map[string]any{}
	if c.Before != nil {
		for field, values := range audit.Changes(c.Before, c.After) {
			previous[field] = values[0]
		}
	}

	e, err := newEvent(ctx, tx, name, objectID, content{c.After, previous})
	if err != nil {
		return err
	}
	p := db.Deferred(tx, savePending)
	p.events = append(p.events, e)
	return nil
}

// content is what the data of an event contains.
type content struct {
	Object   any            `json:"object"`
	Previous map[string]any `json:"previous"`
}

// newEvent returns an event without an ID and without its number in the sequence.
func newEvent(ctx context.Context, tx *db.Tx, name, objectID string, c content) (Event, error) {
	tx.RequireEnv()
	data, err := wire.Marshal(c)
	req := auth.RequestFrom(ctx)
	return Event{
		Env: tx.Env, Type: name, ObjectID: objectID, RequestID: null.From(req.ID), IdempotencyKey: null.From(req.IdempotencyKey),
		Traceparent: trace.Header(ctx), APIVersion: version.Latest(), Data: EventData{data}, CreatedAt: tx.Now,
	}, err
}
