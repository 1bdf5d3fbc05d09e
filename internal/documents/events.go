package documents

import "slipway/internal/platform/events"

// Events are what can happen to a document.
var Events = []events.Kind{
	{Type: "document.issued", Doc: "A document was issued.", Object: Document{}},
	{Type: "document.partially_signed", Doc: "A document was signed by some of those who must.", Object: Document{}},
	{Type: "document.signed", Doc: "A document was signed by all who must.", Object: Document{}},
	{Type: "document.voided", Doc: "A document was voided.", Object: Document{}},
}
