// Package audit records who changed what, and detects changes of its records.
//
// Entries are written in the transaction of the change, so each change has an
// entry. Shortly after, a background task links them into a chain per
// environment, so that writers don't wait for each other. Until then, entries are
// numbered within their transaction, and each server remembers what it wrote.
//
// Someone who can write to the database but doesn't have the master key can't
// change, remove or add entries without Verify detecting it. An older copy of the
// whole database is detected by comparing it with a head from the server's log.
package audit

import (
	"context"
	"strings"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/site"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/wire"
)

// Entry is one entry of the audit log. Its mark depends on the order and the
// types of its fields, so they must not change.
type Entry struct {
	Env        auth.Env       `db:"env"`
	ID         string         `db:"id"`
	At         time.Time      `db:"at"`
	ActorType  auth.ActorType `db:"actor_type"`
	ActorID    string         `db:"actor_id"`
	ActorLabel string         `db:"actor_label"`
	Action     string         `db:"action"`
	TargetType string         `db:"target_type"`
	TargetID   string         `db:"target_id"`
	RequestID  *string        `db:"request_id"`
	IP         *string        `db:"ip"`
	UserAgent  *string        `db:"user_agent"`
	Changes    string         `db:"changes"` // JSON
	Outcome    Outcome        `db:"outcome"`
	Mark       []byte         `db:"mark"`
	Link       *int64         `db:"link"`
	MAC        []byte         `db:"mac"`

	// The place of the entry among those that its transaction wrote in the
	// environment. The group is the ID of the first one. Entries of earlier
	// versions don't have it.
	Group  *string `db:"group_id"`
	Number *int64  `db:"number"`
	Total  *int64  `db:"total"`
}

// Outcome is whether an action succeeded.
type Outcome string

// The values.
const (
	Success Outcome = "success"
	Failure Outcome = "failure"
)

var allOutcomes = enum.Of("AuditOutcome", "Whether an audited action succeeded.", Success, Failure)

func (Outcome) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allOutcomes.Describe(s)
}

// Record adds an entry for an action of the caller. The first part of the action
// is the type of the target.
func Record(ctx context.Context, tx *db.Tx, action, targetID string, changes map[string][2]any) error {
	noun, _, _ := strings.Cut(action, ".")
	return record(ctx, tx, Entry{Action: action, TargetType: noun, TargetID: targetID, Outcome: Success}, changes)
}

// Target is what an action was about.
type Target struct{ Type, ID string }

// RecordFailure adds an entry for an action that failed.
func RecordFailure(ctx context.Context, tx *db.Tx, action string, t Target, changes map[string][2]any) error {
	return record(ctx, tx, Entry{Action: action, TargetType: t.Type, TargetID: t.ID, Outcome: Failure}, changes)
}

// record adds who did it, when and from where.
func record(ctx context.Context, tx *db.Tx, e Entry, changes map[string][2]any) error {
	tx.RequireEnv()
	actor, req := auth.From(ctx).Actor, auth.RequestFrom(ctx)
	if changes == nil {
		changes = map[string][2]any{}
	}
	text, err := wire.Marshal(changes)
	if err != nil {
		return err
	}
	e.Env, e.ID, e.At = tx.Env, tx.NewID("aud"), tx.Now
	e.ActorType, e.ActorID, e.ActorLabel = actor.Type, actor.ID, actor.Label
	e.RequestID, e.IP, e.UserAgent = null.From(req.ID), null.From(req.IP), null.From(req.UserAgent)
	e.Changes = string(text)
	p := db.Deferred(tx, savePending)
	p.entries = append(p.entries, e)
	return nil
}

// pending are the entries of a transaction. They are saved together before the
// commit, when their number is known.
type pending struct{ entries []Entry }

func savePending(ctx context.Context, tx *db.Tx, p *pending) error {
	byEnv := map[auth.Env][]*Entry{}
	for i := range p.entries {
		e := &p.entries[i]
		byEnv[e.Env] = append(byEnv[e.Env], e)
	}
	for _, group := range byEnv {
		for i, e := range group {
			e.Group, e.Number, e.Total = &group[0].ID, new(int64(i+1)), new(int64(len(group)))
			e.Mark = site.Of(tx).MAC(e.Content())
		}
	}

	tx.AfterCommit(func() { witnessOf(tx).add(p.entries) })
	return db.Insert(ctx, tx, "audit_entries", p.entries...)
}
