package deals

import (
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
)

// Offer is a price that one side offers to the other.
type Offer struct {
	_ struct{} `doc:"A price for the boat that one side offers to the other." columns:"id amount_usd made_by status expires_at created_at / note"`

	Env       auth.Env    `json:"-" db:"env"`
	ID        string      `json:"id" db:"id" doc:"Identifies the offer. Starts with off_." example:"off_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	DealID    string      `json:"deal_id" db:"deal_id" doc:"Deal that the offer belongs to." example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	AmountUSD int64       `json:"amount_usd" db:"amount_usd" doc:"Amount in whole US dollars." example:"118000"`
	MadeBy    Side        `json:"made_by" db:"made_by" doc:"Side that makes the offer. The other side can accept or reject it."`
	InReplyTo *string     `json:"in_reply_to" db:"in_reply_to" privacy:"plain" doc:"The other side's offer that this one answers. It becomes superseded. Null if it answers none."`
	ExpiresAt *time.Time  `json:"expires_at" db:"expires_at" doc:"When the offer expires. Null if it never does."`
	Note      *string     `json:"note" db:"note" doc:"Note for your staff. Null if there is none."`
	Status    OfferStatus `json:"status" db:"status" doc:"Whether the offer is still pending, or how it ended."`
	Reason    *string     `json:"reason" db:"reason" doc:"Reason for rejecting or withdrawing it. Null if none was recorded."`
	DecidedAt *time.Time  `json:"decided_at" db:"decided_at" doc:"When it was accepted, rejected, withdrawn, answered, replaced or expired. Null while it is pending."`
	Version   int64       `json:"version" db:"version" doc:"Number of the current version. Same as the ETag."`
	CreatedAt time.Time   `json:"created_at" db:"created_at" doc:"When it was created."`
	UpdatedAt time.Time   `json:"updated_at" db:"updated_at" doc:"When it last changed."`
}

// Revision returns the version for the ETag.
func (o Offer) Revision() int64 { return o.Version }

// Side is a party to a deal.
type Side string

// The two sides.
const (
	Buyer  Side = "buyer"
	Dealer Side = "dealer"
)

var allSides = enum.Of("OfferParty", "Side of a deal.",
	Buyer, Dealer)

func (Side) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allSides.Describe(s)
}

func (s Side) other() Side {
	if s == Buyer {
		return Dealer
	}
	return Buyer
}

// OfferStatus is the state of an offer.
type OfferStatus string

// The statuses of an offer. Only a pending offer can change.
const (
	Pending       OfferStatus = "pending"
	OfferAccepted OfferStatus = "accepted"
	Rejected      OfferStatus = "rejected"
	Withdrawn     OfferStatus = "withdrawn"
	Superseded    OfferStatus = "superseded"
	Expired       OfferStatus = "expired"
)

var offerStatuses = enum.Of("OfferStatus", "Whether an offer is pending, or how it ended.",
	Pending, OfferAccepted, Rejected, Withdrawn, Superseded, Expired)

func (OfferStatus) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return offerStatuses.Describe(s)
}

// OfferMake is the request body for a new offer.
type OfferMake struct {
	_ struct{} `doc:"A new offer or counteroffer."`

	AmountUSD int64      `json:"amount_usd" minimum:"0" maximum:"1000000000" doc:"Price of the boat in whole US dollars." example:"121500"`
	MadeBy    Side       `json:"made_by" doc:"Side that makes the offer. The other side can accept or reject it."`
	InReplyTo *string    `json:"in_reply_to" privacy:"plain" required:"false" maxLength:"64" doc:"The other side's offer that this one answers. If it is pending, it becomes superseded and can't be accepted anymore."`
	ExpiresAt *time.Time `json:"expires_at" required:"false" doc:"When it expires. Never by default." example:"2026-12-01T17:00:00Z"`
	Note      *string    `json:"note" required:"false" maxLength:"2000" doc:"Note for your staff."`
}

// Check validates what the schema can't express.
func (m OfferMake) Check(now time.Time) error {
	var bad fault.Fields
	if m.ExpiresAt != nil && !m.ExpiresAt.After(now) {
		bad.Add("expires_at", "minimum", "must be in the future")
	}
	return bad.Err()
}

// offer builds the offer. It fails if the deal is not open.
func (m OfferMake) offer(d Deal, now time.Time) (Offer, error) {
	if err := m.Check(now); err != nil {
		return Offer{}, err
	}
	if d.Status != Open {
		return Offer{}, fault.Conflict("The deal is %s. You can't make offers anymore.", d.Status).Detail("status", "state", "must be open")
	}
	if err := d.CheckTermsOpen(); err != nil {
		return Offer{}, err
	}
	o := Offer{AmountUSD: m.AmountUSD, MadeBy: m.MadeBy, InReplyTo: m.InReplyTo, Note: m.Note, Status: Pending}
	if m.ExpiresAt != nil {
		o.ExpiresAt = new(m.ExpiresAt.UTC().Truncate(time.Millisecond))
	}
	return o, nil
}

// OfferAccept is the request body for accepting an offer.
type OfferAccept struct {
	_ struct{} `doc:"Conditions of accepting an offer."`

	By           Side `json:"by,omitempty" doc:"Defaults to the side that did not make the offer."`
	OverrideHold bool `json:"override_hold,omitempty" doc:"Accept the offer although the hull is on hold for another buyer. Requires the scope admin, or a user with a role for managers." since:"next"`
}

// OfferReject is the request body for rejecting an offer.
type OfferReject struct {
	_ struct{} `doc:"Who rejects an offer, and why."`

	By     Side    `json:"by,omitempty" doc:"Defaults to the side that did not make the offer. If the side that made the offer rejects it, the offer is withdrawn."`
	Reason *string `json:"reason" required:"false" maxLength:"500" doc:"Reason for rejecting or withdrawing the offer."`
}

// checkPending fails if the offer can't be accepted or rejected anymore.
func (o Offer) checkPending(now time.Time) error {
	switch {
	case o.Status != Pending:
		return fault.Conflict("The offer is %s.", o.Status).Detail("status", "state", "is %s", o.Status)
	case o.ExpiresAt != nil && !o.ExpiresAt.After(now): // the job that expires it has not run yet
		return fault.Conflict("The offer has expired.").Detail("expires_at", "state", "has passed")
	}
	return nil
}

func (o *Offer) accept(by Side, now time.Time) error {
	if err := o.checkPending(now); err != nil {
		return err
	}
	if by == o.MadeBy {
		return fault.Conflict("The %s made this offer. The %s must accept it.", by, by.other()).Detail("by", "state", "must be %s", by.other())
	}
	o.decide(OfferAccepted, now)
	return nil
}

// reject rejects the offer, or withdraws it if its own side rejects it.
func (o *Offer) reject(r OfferReject, now time.Time) error {
	if err := o.checkPending(now); err != nil {
		return err
	}
	o.Reason = r.Reason
	if r.By == o.MadeBy {
		o.decide(Withdrawn, now)
	} else {
		o.decide(Rejected, now)
	}
	return nil
}

func (o *Offer) decide(s OfferStatus, now time.Time) { o.Status, o.DecidedAt = s, &now }
