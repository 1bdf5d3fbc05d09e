// Package preview has what combines several features, such as references that can be expanded,
// the lists of the office and the search. It also mounts the operations of /v1 with money in the
// preview, which has another shape for it. The rules and the rows are those of /v1.
package preview

// twins are the operations of /v1 with money that the preview has too, with the same rules and
// the same handler. The router translates the JSON. A test compares the list with what the
// operations read and write. Those that can also expand references are mounted by hand.
var twins = []string{
	"archiveHull", "transitionHull", "getHullPricing", "adjustHullPricing", "listHullPriceChanges",
	"listChannels", "createChannel",
	"createLead", "updateLead", "assignLead", "closeLead", "convertLead",
	"updateDeal", "advanceDeal", "cancelDeal",
	"listOffers", "makeOffer", "getOffer", "acceptOffer", "rejectOffer", "listTradeIns", "addTradeIn",
	"listFinanceStructures", "createFinanceStructure", "getFinanceStructure", "selectFinanceStructure",
	"listFundings", "submitFunding", "getFunding", "advanceFunding",
	"listPayments", "recordPayment", "getPayment", "refundPayment",
	"getDealership", "updateDealership", "listLocations", "createLocation", "getLocation", "updateLocation",
}
