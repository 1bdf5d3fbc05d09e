package proposals

import "slipway/internal/vocab/fault"

// Allowed are the operations that can be proposed. Each has the operation that reads what
// it changes, with the version for If-Match, or "" if it only creates something. A new
// operation can't be proposed until it is added here.
var Allowed = map[string]string{
	// Hulls
	"createHull":        "",
	"updateHull":        "getHull",
	"transitionHull":    "getHull",
	"archiveHull":       "getHull",
	"adjustHullPricing": "getHullPricing",
	"replaceHullSpecs":  "getHullSpecs",
	"publishHull":       "getHull",
	"withdrawHull":      "getHull",

	// Contacts and leads
	"createContact":    "",
	"updateContact":    "getContact",
	"createLead":       "",
	"updateLead":       "getLead",
	"assignLead":       "getLead",
	"convertLead":      "getLead",
	"closeLead":        "getLead",
	"sendLeadMessage":  "getLead",
	"recordLeadSignal": "getLead",

	// Deals
	"createDeal":             "",
	"updateDeal":             "getDeal",
	"makeOffer":              "getDeal",
	"acceptOffer":            "getOffer",
	"rejectOffer":            "getOffer",
	"addTradeIn":             "getDeal",
	"updateTradeIn":          "getDeal",
	"removeTradeIn":          "getDeal",
	"advanceDeal":            "getDeal",
	"cancelDeal":             "getDeal",
	"createFinanceStructure": "getDeal",
	"selectFinanceStructure": "getDeal",
	"submitFunding":          "getDeal",
	"addStipulation":         "getFunding",
	"issueDocument":          "getDeal",

	// Appointments and activities
	"createAppointment": "",
	"updateAppointment": "getAppointment",
	"cancelAppointment": "getAppointment",
	"createActivity":    "",
	"updateActivity":    "getActivity",
}

// Why operations can't be proposed. The reasons complete "It ...".
const (
	consents    = "records or revokes consent, or decides about it"
	credentials = "manages credentials or secrets"
	users       = "manages users and roles"
	deletes     = "deletes or merges records permanently"
	signs       = "signs or voids a document"
	moves       = "records, returns or reverses money"
	uploads     = "needs a file"
	administers = "changes the settings of the dealership"
	webhooks    = "manages webhooks"
	decides     = "decides about proposals"
	changesNone = "changes nothing. Call it directly"
	resolves    = "says what a person found out about a message"
	sameAs      = "is the same as an operation of /v1. Propose that one"
)

// Excluded are the other operations that write, by the reason.
var Excluded = map[string][]string{
	consents: {"logLeadConsent", "revokeLeadConsent", "receiveLeadMessage", "receiveMessage"},
	credentials: {
		"createApiKey", "revokeApiKey", "rotateApiKey", "enrollMfaFactor", "deleteMfaFactor", "verifyMfaFactor", "revokeSession",
		"createApp", "updateApp", "deleteApp", "rotateAppSecret", "revokeInstall",
		"createSsoConnection", "updateSsoConnection", "deleteSsoConnection",
		"createChannel", "updateChannel", "deleteChannel", "revokeChannelFeedUrl", "rotateChannelFeedUrl", "rotateChannelSecret",
		"createUserCalendar", "deleteUserCalendar",
	},
	users: {
		"provisionUser", "updateUser", "deactivateUser", "assignUserRoles", "createRole", "updateRole", "deleteRole",
	},
	deletes:     {"eraseContact", "mergeContact", "deleteHullPhoto", "deleteActivity"},
	signs:       {"signDocument", "voidDocument"},
	moves:       {"recordPayment", "refundPayment", "advanceFunding", "resolveStipulation"},
	uploads:     {"uploadHullPhoto", "updateHullPhoto", "createHullImport", "uploadDocument", "replaceLogo"},
	administers: {"updateDealership", "createLocation", "updateLocation", "deleteLocation", "deleteLogo"},
	webhooks: {
		"createWebhook", "updateWebhook", "deleteWebhook", "replayEvents", "rotateWebhookSecret", "testWebhook", "retryDelivery",
		"drainDeadLetters", "triggerEvent",
	},
	decides:     {"createProposal", "approveProposal", "declineProposal"},
	changesNone: {"quoteFinance"},
	resolves:    {"resolveUnknownMessage"},
	sameAs:      {"updateHullPricing"},
}

// check returns an error unless an operation can be proposed.
func check(operationID string, exists bool) error {
	if _, ok := Allowed[operationID]; ok && exists {
		return nil
	}
	var bad fault.Fields
	if !exists {
		bad.Add("operation_id", "not_found", "is not an operation of the API")
		return bad.Err()
	}
	bad.Add("operation_id", "not_proposable", "can't be proposed. It %s", reasonFor(operationID))
	return bad.Err()
}

func reasonFor(operationID string) string {
	for reason, ids := range Excluded {
		for _, id := range ids {
			if id == operationID {
				return reason
			}
		}
	}
	return changesNone
}
