package finance

import "slipway/internal/events"

// Events are what can happen to the money and the papers of a deal.
var Events = []events.Kind{
	{Type: "finance_structure.created", Doc: "A finance structure was worked out.", Object: FinanceStructure{}},
	{Type: "finance_structure.selected", Doc: "The buyer takes a finance structure.", Object: FinanceStructure{}},
	{Type: "funding.submitted", Doc: "A deal was submitted to a lender.", Object: Funding{}},
	{Type: "funding.updated", Doc: "A funding moved on, or one of its stipulations changed.", Object: Funding{}},
	{Type: "document.issued", Doc: "A document was issued.", Object: Document{}},
	{Type: "document.partially_signed", Doc: "Some of those who must have signed a document.", Object: Document{}},
	{Type: "document.signed", Doc: "All who must have signed a document.", Object: Document{}},
	{Type: "document.voided", Doc: "A document was voided.", Object: Document{}},
	{Type: "payment.recorded", Doc: "A payment was recorded.", Object: Payment{}},
	{Type: "payment.refunded", Doc: "A payment was refunded, in whole or in part.", Object: Payment{}},
}
