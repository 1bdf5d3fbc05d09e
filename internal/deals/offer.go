package deals

import (
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// Offer is what one side would pay or take for the boat.
type Offer struct {
	Env       auth.Env    `json:"-" db:"env"`
	ID        string      `json:"id" db:"id" example:"off_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	DealID    string      `json:"deal_id" db:"deal_id" example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	AmountUSD int64       `json:"amount_usd" db:"amount_usd" doc:"In whole US dollars." example:"118000"`
	MadeBy    Side        `json:"made_by" db:"made_by" enum:"buyer,dealer"`
	InReplyTo *string     `json:"in_reply_to" db:"in_reply_to" doc:"The offer of the other side that it counters."`
	ExpiresAt *time.Time  `json:"expires_at" db:"expires_at"`
	Note      *string     `json:"note" db:"note" audit:"-"`
	Status    OfferStatus `json:"status" db:"status" enum:"pending,accepted,rejected,withdrawn,superseded,expired"`
	Reason    *string     `json:"reason" db:"reason" audit:"-" doc:"Why it was rejected or withdrawn."`
	DecidedAt *time.Time  `json:"decided_at" db:"decided_at" doc:"When it was no longer pending."`
	Version   int64       `json:"version" db:"version"`
	CreatedAt time.Time   `json:"created_at" db:"created_at"`
	UpdatedAt time.Time   `json:"updated_at" db:"updated_at"`
}

// Revision is the offer's version.
func (o Offer) Revision() int64 { return o.Version }

// Side is a party to a deal.
type Side string

// The two sides.
const (
	Buyer  Side = "buyer"
	Dealer Side = "dealer"
)

func (s Side) other() Side {
	if s == Buyer {
		return Dealer
	}
	return Buyer
}

// OfferStatus is what became of an offer.
type OfferStatus string

// The statuses of an offer. Only a pending one can change.
const (
	Pending    OfferStatus = "pending"
	Taken      OfferStatus = "accepted"
	Rejected   OfferStatus = "rejected"
	Withdrawn  OfferStatus = "withdrawn"
	Superseded OfferStatus = "superseded"
	Expired    OfferStatus = "expired"
)

// OfferMake is a new offer.
type OfferMake struct {
	AmountUSD int64      `json:"amount_usd" minimum:"0" maximum:"1000000000" example:"121500"`
	MadeBy    Side       `json:"made_by" enum:"buyer,dealer"`
	InReplyTo *string    `json:"in_reply_to" required:"false" maxLength:"64" doc:"An offer of the other side."`
	ExpiresAt *time.Time `json:"expires_at" required:"false" doc:"When it ends by itself; without it, never." example:"2026-12-01T17:00:00Z"`
	Note      *string    `json:"note" required:"false" maxLength:"2000"`
}

// Check says what the schema cannot.
func (m OfferMake) Check(now time.Time) error {
	var bad fault.Fields
	if m.ExpiresAt != nil && !m.ExpiresAt.After(now) {
		bad.Add("expires_at", "minimum", "must be in the future")
	}
	return bad.Err()
}

// offer makes the offer of a deal that is still open.
func (m OfferMake) offer(d Deal, now time.Time) (Offer, error) {
	if err := m.Check(now); err != nil {
		return Offer{}, err
	}
	if d.Status != Open {
		return Offer{}, fault.Conflict("The deal is %s: no more offers can be made.", d.Status).Detail("status", "state", "must be open")
	}
	o := Offer{AmountUSD: m.AmountUSD, MadeBy: m.MadeBy, InReplyTo: m.InReplyTo, Note: m.Note, Status: Pending}
	if m.ExpiresAt != nil {
		o.ExpiresAt = new(m.ExpiresAt.UTC().Truncate(time.Millisecond))
	}
	return o, nil
}

// OfferAccept says who accepts an offer.
type OfferAccept struct {
	By Side `json:"by,omitempty" enum:"buyer,dealer" doc:"Without it: the side that did not make the offer."`
}

// OfferReject says who rejects an offer, and why.
type OfferReject struct {
	By     Side    `json:"by,omitempty" enum:"buyer,dealer" doc:"Without it: the side that did not make the offer. The side that made it withdraws it."`
	Reason *string `json:"reason" required:"false" maxLength:"500"`
}

// live fails unless the offer can still be accepted or rejected.
func (o Offer) live(now time.Time) error {
	switch {
	case o.Status != Pending:
		return fault.Conflict("The offer is %s.", o.Status).Detail("status", "state", "is %s", o.Status)
	case o.ExpiresAt != nil && !o.ExpiresAt.After(now): // its job has not come to it yet
		return fault.Conflict("The offer has expired.").Detail("expires_at", "state", "has passed")
	}
	return nil
}

// accept is the other side's yes.
func (o *Offer) accept(by Side, now time.Time) error {
	if err := o.live(now); err != nil {
		return err
	}
	if by == o.MadeBy {
		return fault.Conflict("The %s cannot accept an offer of the %s.", by, by).Detail("by", "state", "must be %s", by.other())
	}
	o.decide(Taken, now)
	return nil
}

// reject is the other side's no, or its maker's change of mind.
func (o *Offer) reject(r OfferReject, now time.Time) error {
	if err := o.live(now); err != nil {
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
