package leads

import (
	"context"
	"time"

	"slipway/internal/consent"
	"slipway/internal/contacts"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/null"
)

// Create adds a lead, and its contact if it is new. A follow-up plan for its source starts.
func Create(ctx context.Context, tx *db.Tx, n LeadCreate) (Lead, error) {
	l, err := create(ctx, tx, n)
	if err != nil || l.NeedsReview {
		return l, err
	}
	return l, db.Attached[Hooks](tx).Created(ctx, tx, l)
}

func create(ctx context.Context, tx *db.Tx, n LeadCreate) (Lead, error) {
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
	given := reachable(n.Consents, c)
	l.Unrecorded = given.left
	if err := insert(ctx, tx, &l); err != nil {
		return l, err
	}
	if err := addConsents(ctx, tx, l, c, given.consents); err != nil {
		return l, err
	}
	if err := recordInquiry(ctx, tx, l, c); err != nil || n.OwnerID == nil {
		return l, err
	}
	if err := checkOwner(ctx, tx, "owner_id", *n.OwnerID); err != nil {
		return l, err
	}
	err = assign(ctx, tx, l, &l, LeadAssignment{To: *n.OwnerID, Method: assignedManually})
	return l, err
}

// Answer records that a person of the dealership wrote to the customer, called or met them.
// A lead without an owner is assigned to the user who answered.
func Answer(ctx context.Context, tx *db.Tx, l Lead) error {
	before := l
	l.answered(tx.Now)

	user := auth.From(ctx).UserID
	switch {
	case l.OwnerID == nil && user != "":
		return assign(ctx, tx, before, &l, LeadAssignment{To: user, Method: assignedManually, Reason: new("First answer")})
	case l.Status != before.Status:
		return save(ctx, tx, before, &l, "lead.updated")
	}
	return update(ctx, tx, &l)
}

// Unanswered records that an answer was not sent. If it was the last one, the lead waits again,
// since the customer wrote, or since the lead was created.
func Unanswered(ctx context.Context, tx *db.Tx, leadID string, answeredAt time.Time, askedAt *time.Time) error {
	l, err := FindForUpdate(ctx, tx, leadID)
	if err != nil || l.Turn != Them || l.turnSince().After(answeredAt) {
		return err
	}
	if askedAt == nil {
		askedAt = &l.CreatedAt
	}
	l.begin(Us, *askedAt)
	return update(ctx, tx, &l)
}

// recordInquiry records that a lead with a message left a phone number, so that the dealership can
// answer by text message.
func recordInquiry(ctx context.Context, tx *db.Tx, l Lead, c contacts.Contact) error {
	number := null.Text(c.Phone)
	if !l.InquiredBy(consent.SMS, number, c, tx.Now) {
		return nil
	}
	return consent.AppendInquiry(ctx, tx, consent.Consent{
		ContactID: c.ID, LeadID: &l.ID, Bindings: []consent.ConsentBinding{{Channel: consent.SMS, Address: number}},
		PersonName: null.From(c.Name()), CapturedAt: l.CreatedAt, Source: new(string(l.Source)), Method: new("message"),
		Evidence: map[string]any{"lead_id": l.ID},
	})
}
