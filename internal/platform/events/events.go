// Package events records what happened, in the transaction in which it did.
//
// An event is what webhooks tell the outside, an audit entry what the
// dealership can look up. Every event has its entry, so a feature makes one
// call for both.
//
// Emit writes to the outbox. Publish moves what has been committed there to
// the feed, which is what callers and webhooks see.
package events

import (
	"context"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/wire"
)

// Event is one thing that happened to an object.
type Event struct {
	Env         auth.Env     `json:"-" db:"env"`
	ID          string       `json:"id" db:"id" doc:"Also the webhook-id of its deliveries: what has been seen before can be dropped." example:"evt_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Type        string       `json:"type" db:"type" example:"hull.created"`
	CreatedAt   time.Time    `json:"created_at" db:"created_at"`
	Environment auth.Mode    `json:"environment" enum:"live,test"`
	Sequence    int64        `json:"sequence" db:"sequence" doc:"Counts the events of one object: an older one than the last seen can be dropped." example:"1"`
	APIVersion  string       `json:"api_version" db:"api_version" doc:"The version of the API that data is written in." example:"2026-11-15"`
	Request     EventRequest `json:"request"`
	Data        EventData    `json:"data" db:"data,json"`

	ObjectID       string  `json:"-" db:"object_id"`
	RequestID      *string `json:"-" db:"request_id"`
	IdempotencyKey *string `json:"-" db:"idempotency_key"`
}

// EventRequest is the request that caused an event.
type EventRequest struct {
	ID             *string `json:"id" doc:"Null for what happened by itself." example:"req_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	IdempotencyKey *string `json:"idempotency_key"`
}

// EventData is the object as it was after the event, and the old values of what
// changed. It is kept as the text that it was written as, because deliveries of
// an event are equal to the byte.
type EventData struct{ jsontext.Value }

// Schema is that of an object of any kind; the webhooks section of the
// description has one for each type of event.
func (EventData) Schema(huma.Registry) *huma.Schema {
	return DataSchema(&huma.Schema{Type: huma.TypeObject})
}

// DataSchema is the schema of an event's data about an object.
func DataSchema(object *huma.Schema) *huma.Schema {
	s := &huma.Schema{
		Type: huma.TypeObject, Required: []string{"object", "previous"}, Properties: map[string]*huma.Schema{
			"object":   object,
			"previous": {Type: huma.TypeObject, Description: "The old values of the fields that changed.", AdditionalProperties: true},
		},
	}
	s.PrecomputeMessages()
	return s
}

// Kind is a type of event: what subscriptions may name and the reference shows.
type Kind struct {
	Type   string
	Doc    string
	Object any // a value of the object's type
}

// Emit records that an object changed: the event, with its place in the
// object's own sequence, and the audit entry of the same name. Before is nil
// for a new object.
func Emit(ctx context.Context, tx *db.Tx, name, objectID string, before, after any) error {
	changes := audit.Diff(before, after)
	if err := audit.Record(ctx, tx, name, objectID, changes); err != nil {
		return err
	}
	return emit(ctx, tx, name, objectID, before, after, changes)
}

// EmitFailure is Emit for an attempt that failed, such as a message that was
// blocked. The outcome of the audit entry is failure.
func EmitFailure(ctx context.Context, tx *db.Tx, name, objectID string, before, after any) error {
	changes := audit.Diff(before, after)
	noun, _, _ := strings.Cut(name, ".")
	if err := audit.Fail(ctx, tx, name, noun, objectID, changes); err != nil {
		return err
	}
	return emit(ctx, tx, name, objectID, before, after, changes)
}

func emit(ctx context.Context, tx *db.Tx, name, objectID string, before, after any, changes map[string][2]any) error {
	previous := map[string]any{}
	if before != nil {
		for field, values := range changes {
			previous[field] = values[0]
		}
	}
	e, err := draft(ctx, tx, name, objectID, after, previous)
	if err != nil {
		return err
	}
	e.ID = tx.NewID("evt")
	tx.NotifyRelay()
	return db.Insert(ctx, tx, "outbox", e)
}

// draft is an event without an id.
func draft(ctx context.Context, tx *db.Tx, name, objectID string, object any, previous map[string]any) (Event, error) {
	// The count outlives the events, which are purged.
	sequence, err := db.One[int64](ctx, tx, `
		INSERT INTO event_sequences (env, object_id, last) VALUES (?, ?, 1)
		ON CONFLICT (env, object_id) DO UPDATE SET last = event_sequences.last + 1
		RETURNING last`, tx.Env, objectID)
	if err != nil {
		return Event{}, err
	}
	data, err := wire.Marshal(struct {
		Object   any            `json:"object"`
		Previous map[string]any `json:"previous"`
	}{object, previous})
	req := auth.RequestFrom(ctx)
	return Event{
		Env: tx.Env, Type: name, ObjectID: objectID, Sequence: sequence,
		RequestID: orNil(req.ID), IdempotencyKey: orNil(req.IdempotencyKey),
		APIVersion: wire.LatestVersion(), Data: EventData{data}, CreatedAt: tx.Now,
	}, err
}

// In completes an event as an environment shows it.
func (e Event) In(mode auth.Mode) Event {
	e.Environment, e.Request = mode, EventRequest{e.RequestID, e.IdempotencyKey}
	return e
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
