package deals

import (
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// Events lists the event types of deals. Events of offers, trade-ins and
// adjustments have the deal as their subject and contain the offer, and so on.
var Events = events.Scoped(auth.Require(auth.DealsRead), []events.Kind{
	{Type: "deal.opened", Doc: "A deal was created with its opening offer.", Object: Deal{}},
	{Type: "deal.updated", Doc: "The line items, tax, parties, owner or metadata of a deal changed.", Object: Deal{}},
	{Type: "deal.offer_made", Doc: "An offer or a counteroffer was made.", Object: Offer{}},
	{Type: "deal.offer_rejected", Doc: "An offer was rejected by the other side.", Object: Offer{}},
	{Type: "deal.offer_withdrawn", Doc: "An offer was withdrawn by the side that made it.", Object: Offer{}},
	{Type: "deal.offer_expired", Doc: "An offer expired.", Object: Offer{}},
	{Type: "deal.offer_undone", Doc: "The last step of an offer was undone: it was made, accepted, rejected or withdrawn by mistake.", Object: Offer{}, Since: "next"},
	{Type: "deal.trade_in_added", Doc: "A trade-in was added to a deal.", Object: TradeIn{}},
	{Type: "deal.trade_in_replaced", Doc: "A trade-in of a deal was replaced, for example with a new payoff.", Object: TradeIn{}, Since: "next"},
	{Type: "deal.trade_in_removed", Doc: "A trade-in was removed from a deal.", Object: TradeIn{}},
	{Type: "deal.accepted", Doc: "An offer was accepted and the hull was reserved.", Object: Deal{}},
	{Type: "deal.in_finance", Doc: "A deal was sent to the finance office.", Object: Deal{}},
	{Type: "deal.contracted", Doc: "A deal is under contract.", Object: Deal{}},
	{Type: "deal.funded", Doc: "A deal was funded.", Object: Deal{}},
	{Type: "deal.delivered", Doc: "The boat was delivered to the buyer.", Object: Deal{}},
	{Type: "deal.closed", Doc: "A deal was closed.", Object: Deal{}},
	{Type: "deal.reopened", Doc: "A contracted deal is accepted again, because the lender's terms changed its total. Or an accepted deal is open again, because the acceptance was undone.", Object: Deal{}, Since: "next"},
	{Type: "deal.adjusted", Doc: "The profit of a deal changed after the delivery, or the dealership keeps money of a cancelled deal.", Object: DealAdjustment{}, Since: "next"},
	{Type: "deal.unwound", Doc: "A funded, delivered or closed sale was undone, and its hull is in stock again.", Object: Deal{}, Since: "next"},
	{Type: "deal.cancelled", Doc: "A deal was cancelled and its hull was released.", Object: Deal{}},
})

// ListingEvents lists the event types of listing agreements. They have the hull as their subject.
var ListingEvents = events.Scoped(auth.Require(auth.HullsWrite), []events.Kind{
	{Type: "listing_agreement.saved", Doc: "The agreement with the owner of a boat was added or changed.", Object: ListingAgreement{}, Since: "next"},
	{Type: "listing_agreement.removed", Doc: "The agreement with the owner of a boat was removed.", Object: ListingAgreement{}, Since: "next"},
})
