package deals

import (
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// Events lists the event types of deals. Events of offers and trade-ins have the
// deal as their subject and contain the offer or the trade-in.
var Events = events.Scoped(auth.Require(auth.DealsRead), []events.Kind{
	{Type: "deal.opened", Doc: "A deal was created with its opening offer.", Object: Deal{}},
	{Type: "deal.updated", Doc: "The line items, tax, parties, owner or metadata of a deal changed.", Object: Deal{}},
	{Type: "deal.offer_made", Doc: "An offer or a counteroffer was made.", Object: Offer{}},
	{Type: "deal.offer_rejected", Doc: "An offer was rejected by the other side.", Object: Offer{}},
	{Type: "deal.offer_withdrawn", Doc: "An offer was withdrawn by the side that made it.", Object: Offer{}},
	{Type: "deal.offer_expired", Doc: "An offer expired.", Object: Offer{}},
	{Type: "deal.trade_in_added", Doc: "A trade-in was added to a deal.", Object: TradeIn{}},
	{Type: "deal.trade_in_replaced", Doc: "A trade-in of a deal was replaced, for example with a new payoff.", Object: TradeIn{}, Since: "2026-12-01"},
	{Type: "deal.trade_in_removed", Doc: "A trade-in was removed from a deal.", Object: TradeIn{}},
	{Type: "deal.accepted", Doc: "An offer was accepted and the hull was reserved.", Object: Deal{}},
	{Type: "deal.in_finance", Doc: "A deal was sent to the finance office.", Object: Deal{}},
	{Type: "deal.contracted", Doc: "A deal is under contract.", Object: Deal{}},
	{Type: "deal.funded", Doc: "A deal was funded.", Object: Deal{}},
	{Type: "deal.delivered", Doc: "The boat was delivered to the buyer.", Object: Deal{}},
	{Type: "deal.closed", Doc: "A deal was closed.", Object: Deal{}},
	{Type: "deal.cancelled", Doc: "A deal was cancelled and its hull was released.", Object: Deal{}},
})
