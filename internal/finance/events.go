package finance

import "slipway/internal/platform/events"

// Events are what can happen to the finance of a deal.
var Events = []events.Kind{
	{Type: "finance_structure.created", Doc: "A finance structure was worked out.", Object: FinanceStructure{}},
	{Type: "finance_structure.selected", Doc: "The buyer takes a finance structure.", Object: FinanceStructure{}},
	{Type: "funding.submitted", Doc: "A deal was submitted to a lender.", Object: Funding{}},
	{Type: "funding.updated", Doc: "A funding or one of its stipulations came to another state.", Object: Funding{}},
	{Type: "payment.recorded", Doc: "Money came in.", Object: Payment{}},
	{Type: "payment.refunded", Doc: "Money went back.", Object: Payment{}},
}
