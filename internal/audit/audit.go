// Package audit remembers who changed what.
//
// Entries are written in the transaction of the change, so that there is no
// change without an entry and no entry without its change.
package audit

import (
	"context"
	"reflect"
	"strings"
	"time"

	"slipway/internal/db"
	"slipway/internal/principal"
)

// Entry is one line of the audit log.
type Entry struct {
	Env        principal.Env     `json:"-" db:"env"`
	ID         string            `json:"id" db:"id"`
	At         time.Time         `json:"at" db:"at"`
	ActorType  string            `json:"-" db:"actor_type"`
	ActorID    string            `json:"-" db:"actor_id"`
	ActorLabel string            `json:"-" db:"actor_label"`
	Action     string            `json:"action" db:"action"`
	TargetType string            `json:"-" db:"target_type"`
	TargetID   string            `json:"-" db:"target_id"`
	RequestID  *string           `json:"request_id" db:"request_id"`
	IP         *string           `json:"ip" db:"ip"`
	UserAgent  *string           `json:"user_agent" db:"user_agent"`
	Changes    map[string][2]any `json:"changes" db:"changes,json"`
	Outcome    string            `json:"outcome" db:"outcome"`
}

// Record writes that the caller did something to a target, which the action's
// noun says the type of.
func Record(ctx context.Context, tx *db.Tx, env principal.Env, action, targetID string, changes map[string][2]any) error {
	noun, _, _ := strings.Cut(action, ".")
	return record(ctx, tx, env, action, noun, targetID, changes, "success")
}

// Fail writes that somebody tried in vain.
func Fail(ctx context.Context, tx *db.Tx, env principal.Env, action, targetType, targetID string, changes map[string][2]any) error {
	return record(ctx, tx, env, action, targetType, targetID, changes, "failure")
}

func record(ctx context.Context, tx *db.Tx, env principal.Env, action, targetType, targetID string, changes map[string][2]any, outcome string) error {
	actor, req := principal.From(ctx).Actor, principal.RequestFrom(ctx)
	if changes == nil {
		changes = map[string][2]any{}
	}
	return db.Insert(ctx, tx, "audit_entries", Entry{
		Env: env, ID: tx.NewID("aud"), At: tx.Now,
		ActorType: actor.Type, ActorID: actor.ID, ActorLabel: actor.Label,
		Action: action, TargetType: targetType, TargetID: targetID,
		RequestID: orNil(req.ID), IP: orNil(req.IP), UserAgent: orNil(req.UserAgent),
		Changes: changes, Outcome: outcome,
	})
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Diff lists the fields of a resource that differ, by their JSON names, with
// the old and the new value. Before may be nil: then every field is new. Bookkeeping
// (version, times) and fields tagged audit:"-" are left out.
func Diff(before, after any) map[string][2]any {
	changes := map[string][2]any{}
	b, a := value(before), value(after)
	for _, f := range reflect.VisibleFields(a.Type()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" || f.Tag.Get("audit") == "-" || name == "version" || name == "updated_at" {
			continue
		}
		now := a.FieldByIndex(f.Index)
		if !b.IsValid() {
			if !now.IsZero() {
				changes[name] = [2]any{nil, now.Interface()}
			}
			continue
		}
		if was := b.FieldByIndex(f.Index).Interface(); !reflect.DeepEqual(was, now.Interface()) {
			changes[name] = [2]any{was, now.Interface()}
		}
	}
	return changes
}

func value(v any) reflect.Value { return reflect.Indirect(reflect.ValueOf(v)) }
