package leads

import (
	"context"

	"slipway/internal/platform/db"
)

// Create adds a lead, and its contact if it is new.
func Create(ctx context.Context, tx *db.Tx, n LeadCreate) (Lead, error) {
	l, err := n.lead(tx.Now)
	if err != nil {
		return l, err
	}
	if err := checkReferences(ctx, tx, &l, Lead{}); err != nil {
		return l, err
	}
	c, err := contactOf(ctx, tx, n)
	if err != nil {
		return l, err
	}

	l.ContactID, l.PossibleMismatch = c.ID, l.SubmittedContact.differs(c)
	if err := insert(ctx, tx, &l); err != nil {
		return l, err
	}
	if err := addConsents(ctx, tx, l, c, n.Consents); err != nil || n.OwnerID == nil {
		return l, err
	}
	if err := checkOwner(ctx, tx, "owner_id", *n.OwnerID); err != nil {
		return l, err
	}
	err = assign(ctx, tx, &l, LeadAssignment{To: *n.OwnerID, Method: "manual"})
	return l, err
}
