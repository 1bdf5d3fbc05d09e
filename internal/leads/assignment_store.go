package leads

import (
	"context"

	"slipway/internal/people"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// assign gives the lead to a user, with a line of history and the event.
func assign(ctx context.Context, tx *db.Tx, l *Lead, userID, method string, reason *string) error {
	before := *l
	l.OwnerID = &userID
	l.touch(tx.Now)
	if err := db.Insert(ctx, tx, "lead_assignments", LeadAssignment{
		Env: l.Env, ID: tx.NewID("asg"), LeadID: l.ID, From: before.OwnerID, To: userID,
		Method: method, Reason: reason, Actor: auth.From(ctx).Actor, At: tx.Now,
	}); err != nil {
		return err
	}
	return save(ctx, tx, before, l, "lead.assigned")
}

// mayOwn blames a field that names a user who cannot work leads any more.
func mayOwn(ctx context.Context, tx *db.Tx, field, userID string) error {
	u, err := people.FindUser(ctx, tx, userID)
	var bad fault.Fields
	if err := missing(&bad, field, err); err != nil {
		return err
	}
	if err == nil && u.Status == people.Deactivated {
		bad.Add(field, "state", "is deactivated")
	}
	return bad.Err()
}

// takeTurn returns whose turn it is at a location. Transactions that ask for
// the same location pass one at a time, so everybody gets as many turns.
func takeTurn(ctx context.Context, tx *db.Tx, locationID string) (string, error) {
	last, err := db.One[string](ctx, tx, `
		INSERT INTO lead_rotations (env, location_id, last_id, turns) VALUES (?, ?, '', 1)
		ON CONFLICT (env, location_id) DO UPDATE SET turns = lead_rotations.turns + 1
		RETURNING last_id`, tx.Env, locationID)
	if err != nil {
		return "", err
	}
	sellers, err := people.Sellers(ctx, tx, locationID)
	if err != nil {
		return "", err
	}
	next, ok := nextInTurn(sellers, last)
	if !ok {
		return "", fault.Conflict("No active user takes leads there.").Detail("strategy", "state", "finds no active user with leads:write at the lead's location")
	}
	_, err = db.Exec(ctx, tx, `UPDATE lead_rotations SET last_id = ? WHERE env = ? AND location_id = ?`, next.ID, tx.Env, locationID)
	return next.ID, err
}
