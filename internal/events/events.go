// Package events records what happened, in the transaction in which it did.
//
// An event is what webhooks tell the outside, an audit entry what the
// dealership can look up. Every event has its entry, so a feature makes one
// call for both.
package events

import (
	"context"
	"time"

	"slipway/internal/audit"
	"slipway/internal/db"
	"slipway/internal/principal"
	"slipway/internal/version"
	"slipway/internal/wire"
)

// Event is one thing that happened to an object.
type Event struct {
	Env            principal.Env `json:"-" db:"env"`
	ID             string        `json:"id" db:"id"`
	Type           string        `json:"type" db:"type"`
	ObjectID       string        `json:"-" db:"object_id"`
	Sequence       int64         `json:"sequence" db:"sequence"`
	RequestID      *string       `json:"-" db:"request_id"`
	IdempotencyKey *string       `json:"-" db:"idempotency_key"`
	APIVersion     string        `json:"api_version" db:"api_version"`
	Data           Data          `json:"data" db:"data,json"`
	CreatedAt      time.Time     `json:"created_at" db:"created_at"`
}

// Data is the object as it is now, and the old values of what changed.
type Data struct {
	Object   any            `json:"object"`
	Previous map[string]any `json:"previous"`
}

// Emit records that an object changed: the event, with its place in the
// object's own sequence, and the audit entry of the same name. Before is nil
// for a new object.
func Emit(ctx context.Context, tx *db.Tx, env principal.Env, name, objectID string, before, after any) error {
	changes := audit.Diff(before, after)
	if err := audit.Record(ctx, tx, env, name, objectID, changes); err != nil {
		return err
	}
	// The count outlives the events, which are purged.
	sequence, err := db.One[int64](ctx, tx, `
		INSERT INTO event_sequences (env, object_id, last) VALUES (?, ?, 1)
		ON CONFLICT (env, object_id) DO UPDATE SET last = event_sequences.last + 1
		RETURNING last`, env, objectID)
	if err != nil {
		return err
	}
	previous := map[string]any{}
	if before != nil {
		for field, values := range changes {
			previous[field] = values[0]
		}
	}
	req := principal.RequestFrom(ctx)
	return db.Insert(ctx, tx, "events", Event{
		Env: env, ID: tx.NewID("evt"), Type: name, ObjectID: objectID, Sequence: sequence,
		RequestID: orNil(req.ID), IdempotencyKey: orNil(req.IdempotencyKey),
		APIVersion: version.Latest(), Data: Data{after, previous}, CreatedAt: tx.Now,
	})
}

// Redact takes an object that was erased out of its earlier events. That they
// happened stays, with their places in the sequence.
func Redact(ctx context.Context, tx *db.Tx, env principal.Env, objectID string) error {
	data, err := wire.Marshal(Data{map[string]any{"id": objectID}, map[string]any{}})
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, tx, `UPDATE events SET data = ? WHERE env = ? AND object_id = ?`, string(data), env, objectID)
	return err
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
