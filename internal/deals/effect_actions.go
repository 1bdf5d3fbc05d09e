package deals

import (
	"context"
	"fmt"
	"strings"

	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/leads"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/effect"
	"slipway/internal/vocab/null"
)

// Described is a deal that an effect is about, with its boat and its buyer.
type Described struct {
	Deal
	Hull  hulls.Hull
	Buyer contacts.Contact
}

// Called is what people call the deal.
func (d Deal) Called() string { return fmt.Sprintf("deal %d", d.Number) }

// Sale is the deal in a title, such as Ann Bell's 2024 Grady-White Freedom 235.
func (d Described) Sale() string {
	return "the sale of the " + d.Hull.Name() + " to " + d.Buyer.Called()
}

// Describe finds a deal that an effect is about.
func Describe(ctx context.Context, tx *db.Tx, e *effect.ProposalEffect, id string) (d Described, err error) {
	if d.Deal, err = Find(ctx, tx, id); err != nil {
		return d, err
	}
	e.Pin("Deal", d.ID, d.Version)
	if d.Hull, err = hulls.Describe(ctx, tx, e, d.HullID); err != nil {
		return d, err
	}
	if d.Buyer, err = contacts.Describe(ctx, tx, e, "Buyer", d.BuyerID); err != nil {
		return d, err
	}
	e.Text = fmt.Sprintf("%s. Total %s, paid %s.", effect.Begin(d.Called()), effect.Cents(d.Totals.TotalCents), effect.Cents(d.PaidCents))
	return d, nil
}

// sale is a deal that doesn't exist yet.
type sale struct {
	hullID, buyerID string
	offerUSD        int64
}

// describe adds the boat and the buyer of a new deal.
func (s sale) describe(ctx context.Context, tx *db.Tx, e *effect.ProposalEffect) error {
	h, err := hulls.Describe(ctx, tx, e, s.hullID)
	if err != nil {
		return err
	}
	c, err := contacts.Describe(ctx, tx, e, "Buyer", s.buyerID)
	if err != nil {
		return err
	}
	e.Title = fmt.Sprintf("Open a deal with %s: %s for the %s", c.Called(), effect.USD(s.offerUSD), h.Name())
	e.Amount("offer", s.offerUSD, "")
	if _, err = hulls.DescribePrices(ctx, tx, e, h, s.offerUSD); err != nil {
		return err
	}
	e.Said = []string{"hull_id", "buyer_id", "offer_usd"}
	_, err = describeRivals(ctx, tx, e, Deal{HullID: h.ID})
	return err
}

func convertEffect(ctx context.Context, tx *db.Tx, in *struct {
	leads.ByLead
	Body LeadConvert
}) (e effect.ProposalEffect, err error) {
	l, err := leads.Find(ctx, tx, in.LeadID)
	if err != nil {
		return e, err
	}
	e.Pin("Lead", l.ID, l.Version)
	hull := in.Body.HullID
	if hull == nil {
		hull = l.HullID
	}
	if hull == nil {
		return e, errNoHull()
	}
	if err := (sale{*hull, l.ContactID, in.Body.OfferUSD}).describe(ctx, tx, &e); err != nil {
		return e, err
	}
	e.Change("Lead", l.ID, effect.Word(l.Status), "converted")
	return e, nil
}

func createEffect(ctx context.Context, tx *db.Tx, in *struct{ Body DealCreate }) (e effect.ProposalEffect, err error) {
	err = sale{in.Body.HullID, in.Body.BuyerID, in.Body.OfferUSD}.describe(ctx, tx, &e)
	return e, err
}

func updateEffect(ctx context.Context, tx *db.Tx, in *struct {
	ByDeal
	Body DealPatch
}) (e effect.ProposalEffect, err error) {
	d, err := Describe(ctx, tx, &e, in.DealID)
	if err != nil {
		return e, err
	}
	e.Title, e.Before = "Change "+d.Sale(), d.Deal
	company, err := dealership.Find(ctx, tx)
	if err != nil {
		return e, err
	}
	after := d
	if err := in.Body.apply(&after.Deal, company.Settings); err != nil {
		return e, err
	}
	return e, describeLower(ctx, tx, &e, d.Deal, after)
}

func advanceEffect(ctx context.Context, tx *db.Tx, in *struct {
	ByDeal
	Body *DealAdvance
}) (e effect.ProposalEffect, err error) {
	d, err := Describe(ctx, tx, &e, in.DealID)
	if err != nil {
		return e, err
	}
	to := d.nextStatus()
	e.Said = []string{"to"}
	if in.Body != nil && in.Body.To != "" {
		to = in.Body.To
	}
	e.Title = "Move " + d.Sale() + " to " + effect.Word(to)
	e.Change("Deal", d.ID, effect.Word(d.Status), effect.Word(to))
	if in.Body == nil || in.Body.WriteOffReason == nil {
		return e, nil
	}

	e.Title = "Move " + d.Sale() + " to " + effect.Word(to) + " and write off " + effect.Cents(d.Totals.BalanceDueCents)
	warnManagers(auth.From(ctx), &e, auth.Exception, exception{rule: "write_off", text: "Nobody asks " + d.Buyer.Called() + " for the balance anymore."})
	return e, nil
}

func cancelEffect(ctx context.Context, tx *db.Tx, in *struct {
	ByDeal
	Body DealCancel
}) (e effect.ProposalEffect, err error) {
	d, err := Describe(ctx, tx, &e, in.DealID)
	if err != nil {
		return e, err
	}
	e.Title = "Cancel " + d.Sale()
	e.Change("Deal", d.ID, effect.Word(d.Status), "cancelled")
	if d.HullStatus != nil {
		e.Change("Status of the boat", d.HullID, effect.Word(d.Hull.Status), effect.Word(*d.HullStatus))
	}
	e.Fact("Offers and unsigned documents", d.ID, "are withdrawn and voided")
	if d.PaidCents > 0 {
		e.Warn(effect.Caution, "paid", d.Buyer.Called()+" has paid "+effect.Cents(d.PaidCents)+".")
	}
	if in.Body.OverrideBuyer {
		warnManagers(auth.From(ctx), &e, auth.Exception, exception{"other_buyer", "The money moves to a deal of another buyer."})
	}
	if in.Body.refunds() && d.PaidCents > 0 {
		warnManagers(auth.From(ctx), &e, auth.Payout, exception{"refund", effect.Cents(d.PaidCents) + " is refunded."})
	}
	return e, nil
}

func makeOfferEffect(ctx context.Context, tx *db.Tx, in *struct {
	ByDeal
	Body OfferMake
}) (e effect.ProposalEffect, err error) {
	d, err := Describe(ctx, tx, &e, in.DealID)
	if err != nil {
		return e, err
	}
	e.Title = fmt.Sprintf("Record %s's offer of %s for the %s", d.Buyer.Called(), effect.USD(in.Body.AmountUSD), d.Hull.Name())
	if in.Body.MadeBy == Dealer {
		e.Title = fmt.Sprintf("Offer %s the %s for %s", d.Buyer.Called(), d.Hull.Name(), effect.USD(in.Body.AmountUSD))
	}
	e.Said = []string{"made_by", "amount_usd", "in_reply_to"}
	e.Amount("offer", in.Body.AmountUSD, "")
	best, err := describeRivals(ctx, tx, &e, d.Deal)
	if err != nil {
		return e, err
	}
	if in.Body.MadeBy != Dealer {
		_, err = hulls.DescribePrices(ctx, tx, &e, d.Hull, in.Body.AmountUSD)
		return e, err
	}
	after := d
	after.PriceUSD = in.Body.AmountUSD
	if err := describePrice(ctx, tx, &e, after, in.Body.AmountUSD); err != nil {
		return e, err
	}
	best.warn(&e, in.Body.AmountUSD)
	return e, nil
}

func acceptEffect(ctx context.Context, tx *db.Tx, in *struct {
	ByOffer
	Body *OfferAccept
}) (e effect.ProposalEffect, err error) {
	d, o, err := describeOffer(ctx, tx, &e, in.ByOffer)
	if err != nil {
		return e, err
	}
	e.Title = "Accept " + effect.USD(o.AmountUSD) + " for the " + d.Hull.Name()
	e.Amount("offer", o.AmountUSD, "")
	after := d
	after.PriceUSD = o.AmountUSD
	if err := describePrice(ctx, tx, &e, after, o.AmountUSD); err != nil {
		return e, err
	}
	best, err := describeRivals(ctx, tx, &e, d.Deal)
	if err != nil {
		return e, err
	}
	if best != nil {
		e.Fact("Offer of "+effect.USD(best.AmountUSD)+" on "+best.deal.Called(), best.DealID, "stays open, but can't be accepted anymore")
	}
	best.warn(&e, o.AmountUSD)
	describeHold(ctx, tx, &e, d, in.Body != nil && in.Body.OverrideHold)
	e.Said = []string{"by", "override_hold"}
	e.Change("Offer of "+effect.USD(o.AmountUSD), o.ID, effect.Word(o.Status), effect.Word(OfferAccepted))
	e.Change(effect.Begin(d.Called()), d.ID, effect.Word(d.Status), "accepted, price "+effect.USD(o.AmountUSD))
	e.Change("Status of the boat", d.HullID, effect.Word(d.Hull.Status), "sale pending")
	e.Fact("Message", d.BuyerID, d.Buyer.Called()+" gets no message from this")
	return e, nil
}

// describeOffer adds the deal and the offer.
func describeOffer(ctx context.Context, tx *db.Tx, e *effect.ProposalEffect, in ByOffer) (d Described, o Offer, err error) {
	if d, err = Describe(ctx, tx, e, in.DealID); err != nil {
		return d, o, err
	}
	if o, err = offers.FindIn(ctx, tx, in.DealID, in.OfferID); err != nil {
		return d, o, err
	}
	e.Pin("Offer", o.ID, o.Version)
	whose := d.Buyer.Called() + "'s offer"
	if o.MadeBy == Dealer {
		whose = "Our offer to " + d.Buyer.Called()
	}
	e.Text = fmt.Sprintf("%s of %s on %s. Asking %s.", whose, effect.USD(o.AmountUSD), d.Called(), effect.USD(d.Hull.PriceUSD))
	return d, o, nil
}

// describePrice compares the price of a deal with the floor, the cost and the asking price.
// Below the floor or the cost, the approver has to type the amount.
func describePrice(ctx context.Context, tx *db.Tx, e *effect.ProposalEffect, after Described, usd int64) error {
	below, err := describeFloor(ctx, tx, e, after.Deal)
	if err != nil {
		return err
	}
	loss, err := hulls.DescribePrices(ctx, tx, e, after.Hull, usd)
	if err != nil {
		return err
	}
	if below || loss {
		requires := auth.HullsWrite
		e.Confirm = &effect.ProposalConfirm{AmountUSD: usd, Requires: &requires}
	}
	return nil
}

// describeLower is describePrice for what checkFloorAfter checks: discounts, accessories and
// trade-ins that are added after an offer was accepted.
func describeLower(ctx context.Context, tx *db.Tx, e *effect.ProposalEffect, before Deal, after Described) error {
	if !after.isLoweredFrom(before) {
		return nil
	}
	usd := after.netPriceCents() / 100
	e.Amount("new price", usd, "")
	if err := describePrice(ctx, tx, e, after, usd); err != nil {
		return err
	}
	e.Amount("price now", before.netPriceCents()/100, "")
	return nil
}

// describeFloor warns if the price of a deal is below the floor, and says whether the rule
// would refuse the caller, who proposes it.
func describeFloor(ctx context.Context, tx *db.Tx, e *effect.ProposalEffect, d Deal) (below bool, err error) {
	floor, err := hulls.FloorUSD(ctx, tx, d.HullID)
	if err != nil || floor == nil {
		return false, err
	}
	if d.netPriceCents() >= *floor*100 {
		if d.TradesWithoutACV > 0 && !canGoBelowFloor(ctx) {
			e.Warn(effect.Caution, "acv_unknown", mayNot(auth.From(ctx), "The value of a trade-in is unknown.", "Users who can see costs"))
		}
		return false, nil
	}
	text := "Below the floor by " + effect.Cents(*floor*100-d.netPriceCents()) + "."
	if !canGoBelowFloor(ctx) {
		text = mayNot(auth.From(ctx), text, "You")
	}
	e.Loss(auth.HullsWrite, "below_floor", text, "The price is too low for you to accept. Ask someone who can see costs.")
	return true, nil
}

// describeHold warns of a hold for another buyer.
func describeHold(ctx context.Context, tx *db.Tx, e *effect.ProposalEffect, d Described, override bool) {
	if !d.Hull.IsHeld(tx.Now) || d.owns(*d.Hull.Hold) {
		return
	}
	text := "The boat is on hold for another buyer. This can't be accepted until the hold ends."
	if override {
		warnManagers(auth.From(ctx), e, auth.Exception, exception{"hull_on_hold", "The boat is on hold for another buyer. This ends the hold."})
		return
	}
	e.Warn(effect.Danger, "hull_on_hold", text)
}

func rejectEffect(ctx context.Context, tx *db.Tx, in *struct {
	ByOffer
	Body *OfferReject
}) (e effect.ProposalEffect, err error) {
	d, o, err := describeOffer(ctx, tx, &e, in.ByOffer)
	if err != nil {
		return e, err
	}
	verb, to := "Reject ", Rejected
	if in.Body != nil && in.Body.By == o.MadeBy {
		verb, to = "Withdraw ", Withdrawn
	}
	e.Title = verb + effect.USD(o.AmountUSD) + " for the " + d.Hull.Name()
	e.Said = []string{"by"}
	e.Change("Offer of "+effect.USD(o.AmountUSD), o.ID, effect.Word(o.Status), effect.Word(to))
	e.Fact("Message", d.BuyerID, d.Buyer.Called()+" gets no message from this")
	_, err = describeRivals(ctx, tx, &e, d.Deal)
	return e, err
}

// boat is what people call a trade-in.
func (t TradeIn) boat() string {
	year := ""
	if t.Year != nil {
		year = fmt.Sprint(*t.Year)
	}
	name := strings.Join(strings.Fields(year+" "+null.Text(t.Make)+" "+null.Text(t.Model)), " ")
	switch {
	case name != "":
		return name
	case t.Description != nil:
		return *t.Description
	}
	return "boat"
}

func addTradeEffect(ctx context.Context, tx *db.Tx, in *struct {
	ByDeal
	Body TradeInPut
}) (e effect.ProposalEffect, err error) {
	d, err := Describe(ctx, tx, &e, in.DealID)
	if err != nil {
		return e, err
	}
	t := in.Body.tradeIn(tx.Now)
	e.Title = fmt.Sprintf("Take a %s in trade from %s for %s", t.boat(), d.Buyer.Called(), effect.Cents(t.AllowanceCents))
	before, err := tradeInToReplace(ctx, tx, d.Deal, in.Body.ReplacesID)
	if err != nil {
		return e, err
	}
	if err := describeTrades(ctx, tx, &e, d, tradeChange{before, &t}); err != nil {
		return e, err
	}
	if before == nil {
		return e, nil
	}
	e.Title = fmt.Sprintf("Change the trade-in of %s to a %s for %s", d.Buyer.Called(), t.boat(), effect.Cents(t.AllowanceCents))
	e.Before, e.Said = before, []string{"replaces_id"}
	return e, nil
}

// describeTrades says what a change of the trade-ins does to the price.
func describeTrades(ctx context.Context, tx *db.Tx, e *effect.ProposalEffect, d Described, c tradeChange) error {
	after := d
	c.apply(&after.Deal)
	return describeLower(ctx, tx, e, d.Deal, after)
}

// describeTrade adds a trade-in of a deal. It has no version: the deal changes with it.
func describeTrade(ctx context.Context, tx *db.Tx, e *effect.ProposalEffect, in ByTradeIn) (d Described, t TradeIn, err error) {
	if d, err = Describe(ctx, tx, e, in.DealID); err != nil {
		return d, t, err
	}
	if t, err = tradeIns.FindIn(ctx, tx, d.ID, in.TradeInID); err != nil {
		return d, t, err
	}
	e.Fact("Trade-in", d.ID, t.boat())
	return d, t, nil
}

func removeTradeEffect(ctx context.Context, tx *db.Tx, in *ByTradeIn) (e effect.ProposalEffect, err error) {
	d, t, err := describeTrade(ctx, tx, &e, *in)
	if err != nil {
		return e, err
	}
	e.Title = "Remove the trade-in of " + d.Buyer.Called()
	e.Change("Credit for the trade-in", d.ID, effect.Cents(t.AllowanceCents), "nothing")
	return e, describeTrades(ctx, tx, &e, d, tradeChange{before: &t})
}

// UpdateTradeEffect is the effect of UpdateTradeIn, which the preview mounts.
func UpdateTradeEffect(ctx context.Context, tx *db.Tx, in ByTradeIn, p TradeInPatch) (e effect.ProposalEffect, err error) {
	d, before, err := describeTrade(ctx, tx, &e, in)
	if err != nil {
		return e, err
	}
	e.Title, e.Before = "Change the trade-in of "+d.Buyer.Called(), before
	after := p.apply(before).tradeIn(tx.Now)
	return e, describeTrades(ctx, tx, &e, d, tradeChange{&before, &after})
}
