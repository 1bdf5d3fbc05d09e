package deals

import (
	"time"

	"slipway/internal/vocab/fault"
)

// undo takes back the last step of an offer: that it was made, accepted, rejected or withdrawn. It
// returns the offers that ended with that step and are pending again. It fails if anything has
// happened on the deal since.
func (o *Offer) undo(d Deal, all []Offer, now time.Time) (restored []Offer, err error) {
	if o.Status == Superseded || o.Status == Expired {
		return nil, fault.Conflict("The offer is %s. There is nothing to undo.", o.Status).Detail("status", "state", "is %s", o.Status)
	}
	at := o.CreatedAt
	if o.DecidedAt != nil {
		at = *o.DecidedAt
	}
	if err := d.checkOfferUndo(*o, all, at); err != nil {
		return nil, err
	}

	for _, other := range all {
		ended := other.Status == Superseded && other.DecidedAt.Equal(at) && (other.ExpiresAt == nil || other.ExpiresAt.After(now))
		if other.ID != o.ID && ended && o.Status != Rejected && o.Status != Withdrawn {
			other.Status, other.DecidedAt = Pending, nil
			restored = append(restored, other)
		}
	}
	if o.Status == Pending {
		o.decide(Withdrawn, now)
		o.Reason = new("Undone")
	} else {
		o.Status, o.DecidedAt, o.Reason = Pending, nil, nil
	}
	return restored, nil
}

// checkOfferUndo fails if anything has happened on the deal since the last step of an offer.
func (d Deal) checkOfferUndo(o Offer, all []Offer, at time.Time) error {
	if o.Status == OfferAccepted {
		if d.Status != Accepted || d.AcceptedOfferID == nil || *d.AcceptedOfferID != o.ID || d.SignedAgreementID != nil || d.UpdatedAt.After(at) {
			return fault.Conflict("The deal has changed since the offer was accepted. You can't undo it anymore.").
				Detail("deal_id", "state", "has changed since the offer was accepted")
		}
	} else if d.Status != Open {
		return fault.Conflict("The deal is %s. You can't undo its offers.", d.Status).Detail("status", "state", "must be open")
	}
	for _, other := range all {
		if other.ID != o.ID && (other.CreatedAt.After(at) || other.DecidedAt != nil && other.DecidedAt.After(at)) {
			return fault.Conflict("Someone has answered or made another offer since. You can't undo this one.").
				Detail("offer_id", "state", "is followed by another offer")
		}
	}
	return nil
}
