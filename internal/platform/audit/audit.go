// Package audit remembers who changed what, and can prove that nobody changed
// what it remembers.
//
// Entries are written in the transaction of the change, so that there is no
// change without an entry and no entry without its change. Shortly after, they
// are linked into a chain per environment: writers do not wait for each other.
package audit

import (
	"context"
	"reflect"
	"strings"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/wire"
)

// Entry is one line of the audit log, as it is kept. The order and kind of its
// fields make its mark: they do not change.
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

// Record writes that the caller did something to a target, which the action's
// noun says the type of.
func Record(ctx context.Context, tx *db.Tx, action, targetID string, changes map[string][2]any) error {
	noun, _, _ := strings.Cut(action, ".")
	return record(ctx, tx, action, noun, targetID, changes, "success")
}

// Fail writes that somebody tried in vain.
func Fail(ctx context.Context, tx *db.Tx, action, targetType, targetID string, changes map[string][2]any) error {
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
	e.Mark = tx.MAC(e.content())
	return db.Insert(ctx, tx, "audit_entries", e)
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Diff lists the fields of a resource that differ, by their JSON names, with
// the old and the new value. Before may be nil: then every field is new.
// Bookkeeping (version, times) and fields tagged audit:"-" are left out.
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
