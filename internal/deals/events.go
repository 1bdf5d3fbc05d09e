package deals

import "slipway/internal/platform/events"

// Events are what can happen to a deal. Those of offers and trade-ins are the
// deal's, too, and show the offer or the trade-in.
var Events = []events.Kind{
	{Type: "deal.opened", Doc: "A deal was opened with its first offer.", Object: Deal{}},
	{Type: "deal.updated", Doc: "Line items, tax, parties, owner or notes of a deal changed.", Object: Deal{}},
	{Type: "deal.offer_made", Doc: "An offer or a counter-offer was made.", Object: Offer{}},
	{Type: "deal.offer_rejected", Doc: "An offer was rejected by the other side.", Object: Offer{}},
	{Type: "deal.offer_withdrawn", Doc: "An offer was withdrawn by the side that made it.", Object: Offer{}},
	{Type: "deal.offer_expired", Doc: "An offer ended by itself.", Object: Offer{}},
	{Type: "deal.trade_in_added", Doc: "A trade-in was added to a deal.", Object: TradeIn{}},
	{Type: "deal.trade_in_removed", Doc: "A trade-in was removed from a deal.", Object: TradeIn{}},
	{Type: "deal.accepted", Doc: "An offer was accepted, and the hull reserved.", Object: Deal{}},
	{Type: "deal.in_finance", Doc: "A deal went to the finance office.", Object: Deal{}},
	{Type: "deal.contracted", Doc: "A deal is under contract.", Object: Deal{}},
	{Type: "deal.funded", Doc: "The money for a deal is there.", Object: Deal{}},
	{Type: "deal.delivered", Doc: "The boat was handed over.", Object: Deal{}},
	{Type: "deal.closed", Doc: "A deal is done.", Object: Deal{}},
	{Type: "deal.cancelled", Doc: "A deal was cancelled, and its hull given back.", Object: Deal{}},
}
