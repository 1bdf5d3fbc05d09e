package finance

import (
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// Events lists the event types of finance.
var Events = events.Scoped(auth.Require(auth.DealsRead), []events.Kind{
	{Type: "finance_structure.created", Doc: "A finance structure was created.", Object: FinanceStructure{}},
	{Type: "finance_structure.selected", Doc: "A finance structure was selected.", Object: FinanceStructure{}},
	{Type: "funding.submitted", Doc: "A deal was submitted to a lender.", Object: Funding{}},
	{Type: "funding.updated", Doc: "A funding or one of its stipulations changed.", Object: Funding{}},
	{Type: "payment.recorded", Doc: "A payment was recorded, or transferred from another deal.", Object: Payment{}},
	{Type: "payment.refunded", Doc: "A payment was refunded.", Object: Payment{}},
	{Type: "payment.reversed", Doc: "A payment was reversed, for example because a check bounced.", Object: Payment{}, Since: "next"},
	{Type: "payment.transferred", Doc: "A payment was transferred to another deal.", Object: Payment{}, Since: "next"},
})
