package demo

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"time"
)

// sale is a deal with its history.
type sale struct {
	first, last, email, phone, city string
	boat                            string // stock number
	daysAgo                         int
	offer                           int
	more                            object // other fields of the deal
	steps                           []dealStep

	env   *environment
	boats map[string]*boat
	ids   map[string]string // IDs of created resources, by the names in the steps
}

// dealStep is a request for a deal. In its path and body, {name} is replaced with
// the ID of the resource that an earlier step with that name created.
type dealStep struct {
	daysAgo int
	path    string // after the path of the deal
	body    object
	name    string
}

func onDeal(daysAgo int, path string, body object, name ...string) dealStep {
	return dealStep{daysAgo, path, body, strings.Join(name, "")}
}

// agreed returns the steps of a counteroffer that the buyer accepts.
func agreed(daysAgo, amount int) []dealStep {
	return []dealStep{
		onDeal(daysAgo, "/offers", object{"amount_usd": amount, "made_by": "dealer"}, "counter"),
		onDeal(daysAgo-1, "/offers/{counter}/accept", object{"by": "buyer"}),
	}
}

// signed returns the steps that issue and sign a document.
func signed(daysAgo int, kind, buyer string) []dealStep {
	return []dealStep{
		onDeal(daysAgo, "/documents", object{"kind": kind}, kind),
		onDeal(daysAgo, "/documents/{"+kind+"}/sign", object{"signer_role": "buyer", "signer_name": buyer}),
		onDeal(daysAgo, "/documents/{"+kind+"}/sign", object{"signer_role": "dealer", "signer_name": "Owen Tilghman"}),
	}
}

func paid(daysAgo int, kind, method string, cents int) dealStep {
	return onDeal(daysAgo, "/payments", object{"kind": kind, "method": method, "amount_cents": cents})
}

func advanced(daysAgo int, to string) dealStep {
	return onDeal(daysAgo, "/advance", object{"to": to})
}

func join(parts ...[]dealStep) (all []dealStep) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// sales returns the deals of the last months, in different statuses.
func sales() []*sale {
	return []*sale{
		{ // closed, paid in cash with a trade-in
			first: "Henry", last: "Aldous", email: "henry.aldous@example.com", phone: "+14105550211",
			city: "Easton", boat: "GW-1007", daysAgo: 70, offer: 63000,
			steps: join(
				[]dealStep{
					paid(70, "deposit", "card", 250000),
					onDeal(69, "/trade_ins", object{
						"year": 2009, "make": "Sea Ray", "model": "240 Sundancer", "length_ft": 25.5,
						"allowance_cents": 2200000, "acv_cents": 1950000, "stock_in": true,
					}),
				},
				agreed(68, 65500), signed(60, "purchase_agreement", "Henry Aldous"),
				[]dealStep{advanced(60, "contracted"), paid(52, "balance", "wire", 4100000), advanced(51, "funded")},
				signed(45, "delivery_checklist", "Henry Aldous"), []dealStep{advanced(45, "delivered"), advanced(40, "closed")},
			),
		},
		{ // financed and contracted, with an open stipulation
			first: "Renée", last: "Doucet", email: "renee@example.com", phone: "+14105550222",
			city: "St. Michaels", boat: "GW-1002", daysAgo: 33, offer: 144000, more: object{"deal_type": "finance"},
			steps: join(
				agreed(30, 149500),
				[]dealStep{
					paid(29, "deposit", "ach", 1000000),
					onDeal(28, "/finance_structures", object{
						"name": "20 years, 15% down", "lender": "Bay Federal Credit Union",
						"cash_down_cents": 1250000, "apr_percent": "7.49", "term_months": 240, "products": []any{
							object{
								"kind": "service_contract", "provider": "Seaworthy Assurance",
								"price_cents": 389500, "cost_cents": 210000, "term_months": 60, "financed": true,
							},
							object{"kind": "gap", "price_cents": 79500, "cost_cents": 32000, "financed": true},
						},
					}, "long"),
					onDeal(28, "/finance_structures", object{
						"name": "12 years, 15% down", "lender": "Seacoast Bank",
						"cash_down_cents": 1250000, "apr_percent": "6.99", "term_months": 144,
					}),
					onDeal(27, "/finance_structures/{long}/select", nil),
					advanced(27, "in_finance"),
					onDeal(26, "/fundings", object{"lender": "Bay Federal Credit Union", "reference": "APP-20417"}, "bay"),
					onDeal(26, "/fundings", object{"lender": "Seacoast Bank"}, "seacoast"),
					onDeal(24, "/fundings/{seacoast}/advance", object{"to": "declined", "reason": "Boat too old for the program"}),
					onDeal(23, "/fundings/{bay}/advance", object{
						"to": "conditional", "decision": object{"apr_percent": "7.49", "term_months": 240, "conditions": "Proof of income, survey"},
					}),
					onDeal(23, "/fundings/{bay}/stipulations", object{"kind": "proof_of_income", "description": "Two years of tax returns"}, "income"),
					onDeal(23, "/fundings/{bay}/stipulations", object{"kind": "insurance_binder"}, "insurance"),
					onDeal(19, "/fundings/{bay}/stipulations/{income}/resolve", object{"status": "accepted"}),
				},
				signed(18, "purchase_agreement", "Renée Doucet"), signed(18, "retail_installment_contract", "Renée Doucet"),
				[]dealStep{
					advanced(17, "contracted"),
					onDeal(17, "/fundings/{bay}/advance", object{"to": "contract_sent"}),
					onDeal(16, "/fundings/{bay}/advance", object{"to": "signed"}),
					onDeal(14, "/fundings/{bay}/advance", object{"to": "package_submitted"}),
					onDeal(6, "/fundings/{bay}/advance", object{"to": "pending_docs", "reason": "Insurance binder is missing"}),
				},
			),
		},
		{ // accepted, with a deposit
			first: "Marcus", last: "Webb", email: "mwebb@example.net", phone: "+14435550233",
			city: "Baltimore", boat: "BW-1024", daysAgo: 12, offer: 198000,
			steps: join(agreed(10, 204000), []dealStep{
				paid(9, "deposit", "card", 500000),
				onDeal(8, "/documents", object{"kind": "deposit_receipt"}),
				onDeal(7, "/documents", object{"kind": "purchase_agreement"}),
			}),
		},
		{ // a second offer for the same boat
			first: "Priya", last: "Raman", email: "priya@example.org", phone: "+13015550244",
			city: "Bethesda", boat: "BW-1024", daysAgo: 5, offer: 206000,
		},
		{ // in negotiation
			first: "Lars", last: "Öberg", email: "lars.oberg@example.com", phone: "+14105550255",
			city: "Cambridge", boat: "GW-1006", daysAgo: 4, offer: 97000,
			steps: []dealStep{
				onDeal(3, "/offers", object{"amount_usd": 103500, "made_by": "dealer", "note": "With trailer and a full tank"}, "counter"),
				onDeal(1, "/offers", object{"amount_usd": 100500, "made_by": "buyer", "in_reply_to": "{counter}"}),
			},
		},
		{ // cancelled
			first: "Gail", last: "Stone", email: "gail@example.com", phone: "+17035550266",
			city: "Alexandria", boat: "BW-1018", daysAgo: 25, offer: 23000,
			steps: join(agreed(23, 24000), []dealStep{
				paid(22, "deposit", "check", 100000),
				onDeal(15, "/cancel", object{"reason": "The survey found soft stringers", "deposit_outcome": "refund"}),
			}),
		},
		{ // delivered last week
			first: "Tom and Ana", last: "Breuer", email: "breuer@example.com", phone: "+14105550277",
			city: "Rock Hall", boat: "GW-1011", daysAgo: 40, offer: 64000,
			steps: join(agreed(38, 66000), signed(36, "purchase_agreement", "Tom Breuer"),
				[]dealStep{advanced(36, "contracted"), paid(30, "balance", "wire", 6600000), advanced(29, "funded")},
				signed(8, "bill_of_sale", "Tom Breuer"), []dealStep{advanced(8, "delivered")}),
		},
	}
}

// requests returns the requests of the deal. The first two create the buyer and
// the deal.
func (s *sale) requests(now time.Time) []request {
	when := func(daysAgo, n int) time.Time { return at(now, daysAgo, 11*60+n*3+len(s.first)) }
	buyer := object{
		"first_name": s.first, "last_name": s.last, "email": s.email, "phone": s.phone,
		"address": object{"line1": "12 Harbor Lane", "city": s.city, "region": "MD", "country": "US"},
	}
	deal := object{"hull_id": "{boat}", "buyer_id": "{buyer}", "offer_usd": s.offer}
	maps.Copy(deal, s.more)

	all := []request{
		{at: when(s.daysAgo, 0), sale: s, method: http.MethodPost, path: "/v1/contacts", body: dealStep{name: "buyer", body: buyer}},
		{at: when(s.daysAgo, 1), sale: s, method: http.MethodPost, path: "/v1/deals", body: dealStep{name: "deal", body: deal}},
	}
	for n, m := range s.steps {
		all = append(all, request{at: when(m.daysAgo, n+2), sale: s, method: http.MethodPost, path: "/v1/deals/{deal}" + m.path, body: m})
	}
	return all
}

// run sends one of the requests, unless the environment doesn't have the boat.
func (s *sale) run(ctx context.Context, sd *seeder, r request) error {
	if s.ids == nil {
		s.ids = map[string]string{}
	}
	boat := s.boats[s.boat]
	if boat == nil {
		return nil
	}

	s.ids["boat"] = boat.id
	m := r.body.(dealStep)
	body := object{}
	for field, value := range m.body {
		if text, ok := value.(string); ok {
			value = s.fill(text)
		}
		body[field] = value
	}

	var created struct{ ID string }
	err := sd.send(ctx, s.env.key, r.method, s.fill(r.path), body, &created)
	if m.name != "" {
		s.ids[m.name] = created.ID
	}
	return err
}

// fill replaces names in braces with IDs.
func (s *sale) fill(text string) string {
	for name, id := range s.ids {
		text = strings.ReplaceAll(text, "{"+name+"}", id)
	}
	return text
}
