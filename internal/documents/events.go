package documents

import (
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// Events lists the event types of documents.
var Events = events.Scoped(auth.Require(auth.DealsRead), []events.Kind{
	{Type: "document.issued", Doc: "A document was issued or uploaded.", Object: Document{}},
	{Type: "document.partially_signed", Doc: "A document was signed by some of its required signers.", Object: Document{}},
	{Type: "document.signed", Doc: "A document was signed by all required signers.", Object: Document{}},
	{Type: "document.voided", Doc: "A document was voided.", Object: Document{}},
})
