package messages

import (
	"cmp"
	"context"

	"slipway/internal/consent"
	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/leads"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/null"
)

// inquiryIn returns the lead of an email that someone else forwards for a customer, or nil if the sender
// is the customer. An address that the dealership has written to is in a conversation.
func inquiryIn(ctx context.Context, tx *db.Tx, in arrival) (*leads.LeadCreate, error) {
	if in.channel != consent.Email || in.inReplyTo != "" || in.last != "" {
		return nil, nil
	}
	d, err := dealership.Find(ctx, tx)
	if err != nil {
		return nil, err
	}

	list := d.Settings.Inbound.Marketplaces
	known := in.isADF || isMarketplace(list, cmp.Or(in.sender, in.from))
	f, found := parseInquiry(in.incoming, known)
	switch {
	case found && f.reachable():
		n := f.lead(in.incoming)
		n.HullID, err = f.boat.find(ctx, tx)
		return &n, err
	case found, in.isADF, isMarketplace(list, in.from):
		return new(in.unread()), nil
	}
	return nil, nil
}

// find returns the ID of the boat in stock, or nil.
func (b formBoat) find(ctx context.Context, tx *db.Tx) (*string, error) {
	if b.stock != "" {
		found, err := hulls.FindByStockNumber(ctx, tx, []string{b.stock})
		if h, ok := found[b.stock]; ok || err != nil {
			return null.From(h.ID), err
		}
	}
	if b.hin == "" {
		return nil, nil
	}
	id, err := hulls.FindInStock(ctx, tx, b.hin)
	return null.From(id), err
}

// placeInquiry creates the lead of a forwarded inquiry, unless too many new senders wrote in this hour. What
// a marketplace writes below it, such as how to unsubscribe, is not from the customer.
func placeInquiry(ctx context.Context, tx *db.Tx, in arrival, n leads.LeadCreate) (r received, err error) {
	r.Intent = ordinary
	if !in.isNew {
		return r, nil
	}
	if in.receivedAt.IsZero() && !in.isADF {
		if r.Quarantined, err = quarantine(ctx, tx, in.incoming, consent.Hash(tx, tx.Env, in.from)); err != nil || r.Quarantined {
			return r, err
		}
	}
	l, err := leads.Create(ctx, tx, n)
	r.LeadID, r.CreatedLead = &l.ID, err == nil
	return r, err
}
