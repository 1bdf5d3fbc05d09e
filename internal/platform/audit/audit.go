// Package audit records who changed what, and detects changes of its records.
//
// Entries are written in the transaction of the change, so each change has an
// entry. Shortly after, a background task links them into a chain per
// environment, so that writers don't wait for each other.
package audit

import (
	"context"
	"strings"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/site"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/wire"
)

// Entry is one entry of the audit log. Its mark depends on the order and the
// types of its fields, so they must not change.
type Entry struct {
	Env        auth.Env  `db:"env"`
	ID         string    `db:"id"`
	At         time.Time `db:"at"`
	ActorType  string    `db:"actor_type"`
	ActorID    string    `db:"actor_id"`
	ActorLabel string    `db:"actor_label"`
	Action     string    `db:"action"`
	TargetType string    `db:"target_type"`
	TargetID   string    `db:"target_id"`
	RequestID  *string   `db:"request_id"`
	IP         *string   `db:"ip"`
	UserAgent  *string   `db:"user_agent"`
	Changes    string    `db:"changes"` // JSON
	Outcome    string    `db:"outcome"`
	Mark       []byte    `db:"mark"`
	Link       *int64    `db:"link"`
	MAC        []byte    `db:"mac"`
}

// Record adds an entry for an action of the caller. The first part of the action
// is the type of the target.
func Record(ctx context.Context, tx *db.Tx, action, targetID string, changes map[string][2]any) error {
	noun, _, _ := strings.Cut(action, ".")
	return record(ctx, tx, action, noun, targetID, changes, "success")
}

// RecordFailure adds an entry for an action that failed.
func RecordFailure(ctx context.Context, tx *db.Tx, action, targetType, targetID string, changes map[string][2]any) error {
	return record(ctx, tx, action, targetType, targetID, changes, "failure")
}

func record(ctx context.Context, tx *db.Tx, action, targetType, targetID string, changes map[string][2]any, outcome string) error {
	tx.RequireEnv()
	actor, req := auth.From(ctx).Actor, auth.RequestFrom(ctx)
	if changes == nil {
		changes = map[string][2]any{}
	}
	text, err := wire.Marshal(changes)
	if err != nil {
		return err
	}
	e := Entry{
		Env: tx.Env, ID: tx.NewID("aud"), At: tx.Now,
		ActorType: actor.Type, ActorID: actor.ID, ActorLabel: actor.Label,
		Action: action, TargetType: targetType, TargetID: targetID,
		RequestID: orNil(req.ID), IP: orNil(req.IP), UserAgent: orNil(req.UserAgent),
		Changes: string(text), Outcome: outcome,
	}
	e.Mark = site.Of(tx).MAC(e.content())
	return db.Insert(ctx, tx, "audit_entries", e)
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
