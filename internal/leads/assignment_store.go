package leads

import (
	"context"

	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/null"
)

// assign sets the owner of a lead and adds an entry to its assignment history. The entry
// has the new owner, the method and the reason. It also saves what else differs from before.
func assign(ctx context.Context, tx *db.Tx, before Lead, l *Lead, entry LeadAssignment) error {
	l.OwnerID = &entry.To
	l.touch(tx.Now)

	entry.LeadID, entry.From, entry.Actor, entry.At = l.ID, before.OwnerID, auth.From(ctx).Actor, tx.Now
	if err := assignments.Insert(ctx, tx, &entry); err != nil {
		return err
	}
	return save(ctx, tx, before, l, "lead.assigned")
}

// checkOwner returns an error for the field if the user doesn't exist or is
// deactivated.
func checkOwner(ctx context.Context, tx *db.Tx, field, userID string) error {
	u, err := people.FindUser(ctx, tx, userID)
	var bad fault.Fields
	if err := bad.AddNotFound(field, err); err != nil {
		return err
	}
	if err == nil && u.Status == people.Deactivated {
		bad.Add(field, "state", "is deactivated")
	}
	return bad.Err()
}

// takeTurn returns the user whose turn it is at a location. The first statement
// locks the location's row, so concurrent requests take different turns.
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
		return "", fault.Conflict("No active user takes leads at the lead's location. Send user_id instead, or set takes_leads for a user.").
			Detail("strategy", "state", "finds no active user who takes leads at the lead's location")
	}
	_, err = db.Exec(ctx, tx, `UPDATE lead_rotations SET last_id = ? WHERE env = ? AND location_id = ?`, next.ID, tx.Env, locationID)
	return next.ID, err
}

// reassign assigns a stalled lead to the next user in turn. It stays with its owner if no one else takes leads.
func reassign(ctx context.Context, tx *db.Tx, l Lead) error {
	for range 2 { // the owner's turn goes to the next one
		next, err := takeTurn(ctx, tx, null.Text(l.LocationID))
		switch {
		case fault.KindOf(err) == fault.KindConflict:
			return nil
		case err != nil:
			return err
		case l.OwnerID == nil || next != *l.OwnerID:
			return assign(ctx, tx, l, &l, LeadAssignment{To: next, Method: assignedInTurn, Reason: new("Stalled")})
		}
	}
	return nil
}
