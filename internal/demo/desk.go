package demo

// Line items that most deals have.
func fee(code, text string, cents int) object {
	return object{"kind": "fee", "code": code, "description": text, "amount_cents": cents, "cost_cents": 0}
}

func extra(text string, cents, cost int) object {
	return object{"kind": "accessory", "description": text, "amount_cents": cents, "cost_cents": cost}
}

var (
	documentFee     = fee("doc", "Documentation fee", 49_900)
	titleFee        = fee("title", "Title and registration", 8_400)
	prep            = fee("prep", "Dealer preparation", 119_500)
	electronics     = extra("Garmin 12-inch chartplotter, installed", 389_500, 271_000)
	cover           = extra("Mooring cover", 129_900, 84_000)
	serviceContract = object{
		"kind": "product", "code": "vsc", "description": "Service contract, 5 years", "amount_cents": 289_500, "cost_cents": 158_000,
	}
	trailer = extra("Aluminum tandem trailer", 549_500, 441_000)
)

func lines(items ...object) object {
	all := []any{}
	for _, i := range items {
		all = append(all, i)
	}
	return object{"line_items": all}
}

func with(terms object, name string, value any) object {
	terms[name] = value
	return terms
}

// Products of finance structures.
var (
	gap      = object{"kind": "gap", "provider": "Seaworthy Assurance", "price_cents": 79_500, "cost_cents": 32_000, "financed": true}
	hullCare = object{"kind": "hull_protection", "provider": "Bluewater Care", "price_cents": 149_500, "cost_cents": 61_000, "financed": true}
	coverage = object{
		"kind": "service_contract", "provider": "Seaworthy Assurance", "price_cents": 349_500, "cost_cents": 192_000,
		"term_months": 60, "financed": true,
	}
)

// terms are what a lender offers.
type terms struct {
	apr, buyRate string
	months       int
}

// loan is a finance structure. It is selected.
func loan(daysAgo int, name, lender string, t terms, down int, products ...any) []dealStep {
	return []dealStep{
		onDeal(daysAgo, "/finance_structures", object{
			"name": name, "lender": lender, "cash_down_cents": down, "apr_percent": t.apr, "buy_rate_percent": t.buyRate, "reserve_split_percent": "75",
			"term_months": t.months, "products": products,
		}, "structure"),
		onDeal(daysAgo, "/finance_structures/{structure}/select", nil),
	}
}

// applied submits the deal to a lender.
func applied(daysAgo int, lender, reference, name string) dealStep {
	return onDeal(daysAgo, "/fundings", object{"lender": lender, "reference": reference}, name)
}

// decided records the answer of a lender.
func decided(daysAgo int, name, to string, t terms, conditions string) dealStep {
	return onDeal(daysAgo, "/fundings/{"+name+"}/advance", object{
		"to": to, "decision": object{"apr_percent": t.apr, "term_months": t.months, "conditions": conditions, "tier": "A"},
	})
}

func fundingTo(daysAgo int, name string, statuses ...string) (all []dealStep) {
	for _, to := range statuses {
		all = append(all, onDeal(daysAgo, "/fundings/{"+name+"}/advance", object{"to": to}))
	}
	return all
}

func declined(daysAgo int, name, reason string) dealStep {
	return onDeal(daysAgo, "/fundings/{"+name+"}/advance", object{"to": "declined", "reason": reason})
}

func stipulation(daysAgo int, funding, kind, name string) dealStep {
	return onDeal(daysAgo, "/fundings/{"+funding+"}/stipulations", object{"kind": kind}, name)
}

func resolved(daysAgo int, funding, name, status string) dealStep {
	return onDeal(daysAgo, "/fundings/{"+funding+"}/stipulations/{"+name+"}/resolve", object{"status": status})
}

func trade(daysAgo int, fields object) dealStep { return onDeal(daysAgo, "/trade_ins", fields) }

func one(step dealStep) []dealStep { return []dealStep{step} }

const (
	bayFederal = "Bay Federal Credit Union"
	seacoast   = "Seacoast Bank"
	tidewater  = "Tidewater Marine Lending"
)
