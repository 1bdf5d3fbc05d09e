package appointments

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/fault"
)

// Book creates an appointment: at the request of a client, or for a customer who chose a time.
func (a *API) Book(ctx context.Context, tx *db.Tx, n AppointmentCreate) (Appointment, error) {
	p := n.appointment()
	if err := n.Check(tx.Now); err != nil {
		return p, err
	}
	if p.UserID == "" {
		var bad fault.Fields
		bad.Add("user_id", "required", "is required with an API key")
		return p, bad.Err()
	}
	if err := checkReferences(ctx, tx, Appointment{}, &p); err != nil {
		return p, err
	}
	if err := a.settle(ctx, tx, Appointment{}, &p, timing{&n.StartsAt, p.Reminder != nil, n.OverrideBoat}); err != nil {
		return p, err
	}
	if err := insert(ctx, tx, &p); err != nil {
		return p, err
	}
	return p, a.enqueue(ctx, tx, Appointment{}, p)
}
