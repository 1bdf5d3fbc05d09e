package events

import (
	"context"
	"slices"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/id"
	"slipway/internal/vocab/null"
)

// change identifies a change in the events and in the audit log, which are written in
// the same transaction.
type change struct {
	objectID, name, request string
	at                      int64
}

// auditDelay is how much later than the change the ID of its audit entry can be.
const auditDelay = time.Hour

// Actors returns who caused each event, as the audit log has it. If the audit log
// doesn't have the change, it is the system.
func Actors(ctx context.Context, tx *db.Tx, all []Event) ([]auth.Actor, error) {
	actors := slices.Repeat([]auth.Actor{auth.System}, len(all))
	if len(all) == 0 {
		return actors, nil
	}
	var ids []string
	first, last := all[0].CreatedAt, all[0].CreatedAt
	for _, e := range all {
		ids = append(ids, e.ObjectID)
		if e.CreatedAt.Before(first) {
			first = e.CreatedAt
		}
		if e.CreatedAt.After(last) {
			last = e.CreatedAt
		}
	}

	marks, args := db.In(ids)
	args = append(append([]any{tx.Env}, args...), id.Floor("aud", first), id.Floor("aud", last.Add(auditDelay)))
	entries, err := db.All[struct {
		At        time.Time      `db:"at"`
		Type      auth.ActorType `db:"actor_type"`
		ID        string         `db:"actor_id"`
		Label     string         `db:"actor_label"`
		Action    string         `db:"action"`
		TargetID  string         `db:"target_id"`
		RequestID *string        `db:"request_id"`
	}](ctx, tx, `SELECT {cols} FROM audit_entries WHERE env = ? AND target_id IN `+marks+` AND id >= ? AND id < ?`, args...)
	if err != nil {
		return nil, err
	}

	found := map[change]auth.Actor{}
	for _, e := range entries {
		found[change{e.TargetID, e.Action, null.Text(e.RequestID), e.At.UnixMilli()}] = auth.Actor{Type: e.Type, ID: e.ID, Label: e.Label}
	}
	for i, e := range all {
		if actor, ok := found[change{e.ObjectID, e.Type, null.Text(e.RequestID), e.CreatedAt.UnixMilli()}]; ok {
			actors[i] = actor
		}
	}
	return actors, nil
}
