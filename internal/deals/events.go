package deals

import "slipway/internal/events"

// Events are what can happen to a deal. Costs and profits are not in them.
var Events = []events.Kind{
	{Type: "deal.opened", Doc: "A deal was opened with its first offer.", Object: Deal{}},
	{Type: "deal.updated", Doc: "A deal's terms or owner changed.", Object: Deal{}},
	{Type: "deal.offer_made", Doc: "An offer or a counter-offer was made.", Object: Offer{}},
	{Type: "deal.offer_rejected", Doc: "The other side rejected an offer.", Object: Offer{}},
	{Type: "deal.offer_withdrawn", Doc: "An offer was withdrawn by the side that made it.", Object: Offer{}},
	{Type: "deal.offer_expired", Doc: "An offer expired.", Object: Offer{}},
	{Type: "deal.trade_in_added", Doc: "A trade-in was added to a deal.", Object: TradeIn{}},
	{Type: "deal.trade_in_removed", Doc: "A trade-in was removed from a deal.", Object: TradeIn{}},
	{Type: "deal.accepted", Doc: "An offer was accepted, and the hull is sale_pending.", Object: Deal{}},
	{Type: "deal.in_finance", Doc: "A deal went to the finance office.", Object: Deal{}},
	{Type: "deal.contracted", Doc: "A deal is under contract.", Object: Deal{}},
	{Type: "deal.funded", Doc: "A deal is paid for.", Object: Deal{}},
	{Type: "deal.delivered", Doc: "The hull was handed over.", Object: Deal{}},
	{Type: "deal.closed", Doc: "A deal is closed.", Object: Deal{}},
	{Type: "deal.cancelled", Doc: "A deal was cancelled, and its hull is free.", Object: Deal{}},
}
