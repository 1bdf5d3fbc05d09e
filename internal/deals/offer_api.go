package deals

import (
	"context"

	"slipway/internal/hulls"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

// ByOffer are the path parameters of an offer.
type ByOffer struct {
	ByDeal
	OfferID string `path:"offer_id" doc:"ID of the offer." example:"off_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) listOffers(ctx context.Context, tx *db.Tx, in *struct {
	ByDeal
	page.Query
}) (page.Page[Offer], error) {
	return ListOf(ctx, tx, offers, in.DealID, in.Query)
}

func (a *API) getOffer(ctx context.Context, tx *db.Tx, in *ByOffer) (Offer, error) {
	if _, err := Find(ctx, tx, in.DealID); err != nil {
		return Offer{}, err
	}
	return offers.FindIn(ctx, tx, in.DealID, in.OfferID)
}

func (a *API) makeOffer(ctx context.Context, tx *db.Tx, in *struct {
	ByDeal
	Body OfferMake
}) (Offer, error) {
	d, err := FindForUpdate(ctx, tx, in.DealID)
	if err != nil {
		return Offer{}, err
	}
	if err := rest.CheckIfMatch(ctx, d.Version); err != nil {
		return Offer{}, err
	}

	o, err := in.Body.offer(d, tx.Now)
	if err != nil {
		return o, err
	}
	if err := answer(ctx, tx, d, in.Body); err != nil {
		return o, err
	}

	if err := endOffers(ctx, tx, d, Superseded, o.MadeBy); err != nil {
		return o, err
	}
	o.DealID = d.ID
	if err := offers.Insert(ctx, tx, &o); err != nil {
		return o, err
	}
	if o.ExpiresAt != nil {
		if err := a.Jobs.Enqueue(ctx, tx, ExpireOffer{tx.Env, d.ID, o.ID}, *o.ExpiresAt); err != nil {
			return o, err
		}
	}
	if err := reprice(ctx, tx, &d); err != nil {
		return o, err
	}
	err = events.Emit(ctx, tx, "deal.offer_made", d.ID, events.Change{After: o})
	return o, err
}

// decideOffer finds an offer for accepting or rejecting it. It locks the deal, so
// that only one of two simultaneous decisions succeeds.
func (a *API) decideOffer(ctx context.Context, tx *db.Tx, in ByOffer, decide func(d *Deal, o *Offer) error) (Offer, error) {
	d, err := FindForUpdate(ctx, tx, in.DealID)
	if err != nil {
		return Offer{}, err
	}
	o, err := offers.FindIn(ctx, tx, in.DealID, in.OfferID)
	if err != nil {
		return o, err
	}
	if err := rest.CheckIfMatch(ctx, o.Version); err != nil {
		return o, err
	}

	err = decide(&d, &o)
	return o, err
}

func (a *API) acceptOffer(ctx context.Context, tx *db.Tx, in *struct {
	ByOffer
	Body *OfferAccept
}) (Offer, error) {
	return a.decideOffer(ctx, tx, in.ByOffer, func(d *Deal, o *Offer) error {
		var asked OfferAccept
		if in.Body != nil {
			asked = *in.Body
		}
		if asked.By == "" {
			asked.By = o.MadeBy.other()
		}
		if d.Status != Open {
			return fault.Conflict("The deal is %s. You can only accept an offer of an open deal.", d.Status).
				Detail("status", "state", "must be open")
		}
		if err := d.CheckTermsOpen(); err != nil {
			return err
		}

		offered, before := *o, *d
		if err := o.accept(asked.By, tx.Now); err != nil {
			return err
		}
		d.PriceUSD = o.AmountUSD
		if err := checkFloor(ctx, tx, *d); err != nil {
			return err
		}
		if err := reserveHull(ctx, tx, d, asked.OverrideHold); err != nil {
			return err
		}

		if err := saveOffer(ctx, tx, offered, o, ""); err != nil {
			return err
		}
		if err := endOffers(ctx, tx, *d, Superseded, o.MadeBy.other()); err != nil {
			return err
		}
		d.Status, d.AcceptedOfferID, d.AcceptedAt = Accepted, &o.ID, &tx.Now
		d.deselectIfRepriced(before)
		return saveAndEmit(ctx, tx, before, d, cause{event: "deal.accepted"})
	})
}

func (a *API) rejectOffer(ctx context.Context, tx *db.Tx, in *struct {
	ByOffer
	Body *OfferReject
}) (Offer, error) {
	return a.decideOffer(ctx, tx, in.ByOffer, func(d *Deal, o *Offer) error {
		r := OfferReject{By: o.MadeBy.other()}
		if in.Body != nil {
			r.Reason = in.Body.Reason
			if in.Body.By != "" {
				r.By = in.Body.By
			}
		}

		if err := d.CheckTermsOpen(); err != nil && d.Status == Open {
			return err
		}
		before := *o
		if err := o.reject(r, tx.Now); err != nil {
			return err
		}

		event := "deal.offer_rejected"
		if o.Status == Withdrawn {
			event = "deal.offer_withdrawn"
		}
		if err := saveOffer(ctx, tx, before, o, event); err != nil {
			return err
		}
		return reprice(ctx, tx, d)
	})
}

func (a *API) undoOffer(ctx context.Context, tx *db.Tx, in *ByOffer) (Offer, error) {
	return a.decideOffer(ctx, tx, *in, func(d *Deal, o *Offer) error {
		all, err := offersOf(ctx, tx, *d)
		if err != nil {
			return err
		}
		before := *o
		restored, err := o.undo(*d, all, tx.Now)
		if err != nil {
			return err
		}

		if err := saveOffer(ctx, tx, before, o, "deal.offer_undone"); err != nil {
			return err
		}
		for _, other := range restored {
			if err := offers.Save(ctx, tx, &other); err != nil {
				return err
			}
		}
		if before.Status == OfferAccepted {
			return undoAcceptance(ctx, tx, d)
		}
		return reprice(ctx, tx, d)
	})
}

// undoAcceptance opens a deal again. Its documents are voided, because they state a price that no
// one has agreed on.
func undoAcceptance(ctx context.Context, tx *db.Tx, d *Deal) error {
	before := *d
	if err := db.Attached[Hooks](tx).VoidUnsigned(ctx, tx, d); err != nil {
		return err
	}
	reason := "the acceptance was undone"
	if d.HullStatus != nil {
		if err := hulls.Release(ctx, tx, d.HullID, hulls.Earlier{Status: *d.HullStatus, Hold: d.HullHold}, reason); err != nil {
			return err
		}
	}
	d.Status, d.AcceptedOfferID, d.AcceptedAt, d.HullStatus, d.HullHold = Open, nil, nil, nil, nil
	price, err := currentPrice(ctx, tx, *d)
	if err != nil {
		return err
	}
	d.PriceUSD = price
	d.deselectIfRepriced(before)
	return saveAndEmit(ctx, tx, before, d, cause{event: "deal.reopened", reason: &reason})
}
