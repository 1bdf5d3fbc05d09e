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
	region                          string // MD if it is empty
	company                         string
	boat                            string // stock number
	daysAgo                         int
	offer                           int
	source, message                 string // of the lead that it started as; empty if there was none
	more                            object // other fields of the deal
	steps                           []dealStep

	env      *environment
	boats    map[string]*boat
	ids      map[string]string // IDs of created resources, by the names in the steps
	financed int               // amount of the last finance structure, in cents
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
		onDeal(daysAgo, "/documents/{"+kind+"}/sign", object{"signer_role": "dealer", "signer_name": signer}),
	}
}

func paid(daysAgo int, kind, method string, cents int) dealStep {
	return onDeal(daysAgo, "/payments", object{"kind": kind, "method": method, "amount_cents": cents})
}

// paidRest pays what is still due.
func paidRest(daysAgo int, method string) dealStep {
	return onDeal(daysAgo, "/payments", object{"kind": "balance", "method": method, "amount_cents": "{balance}"})
}

// paidByLender records the amount of the finance structure.
func paidByLender(daysAgo int) dealStep {
	return onDeal(daysAgo, "/payments", object{"kind": "lender_proceeds", "method": "financing", "amount_cents": "{financed}"})
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
				[]dealStep{advanced(60, "contracted"), paidRest(52, "wire"), advanced(51, "funded")},
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
			city: "Alexandria", region: "VA", boat: "BW-1018", daysAgo: 25, offer: 23000,
			steps: join(agreed(23, 24000), []dealStep{
				paid(22, "deposit", "check", 100000),
				onDeal(15, "/cancel", object{"reason": "The survey found soft stringers", "deposit_outcome": "refund"}),
			}),
		},
		{ // delivered last week
			first: "Tom and Ana", last: "Breuer", email: "breuer@example.com", phone: "+14105550277",
			city: "Rock Hall", boat: "GW-1011", daysAgo: 40, offer: 64000,
			steps: join(agreed(38, 66000), signed(36, "purchase_agreement", "Tom Breuer"),
				[]dealStep{advanced(36, "contracted"), paidRest(30, "wire"), advanced(29, "funded")},
				signed(8, "bill_of_sale", "Tom Breuer"), []dealStep{advanced(8, "delivered")}),
		},
	}
}

// requests returns the requests of the deal. The first ones create the buyer, or
// the lead that it starts as, and the deal.
func (s *sale) requests(now time.Time) []request {
	when := func(daysAgo, n int) time.Time { return at(now, daysAgo, 11*60+n*3+len(s.first)) }
	var all []request
	add := func(daysAgo, n int, path string, m dealStep) {
		all = append(all, request{at: when(daysAgo, n), sale: s, method: http.MethodPost, path: path, body: m})
	}

	deal := object{"offer_usd": s.offer}
	maps.Copy(deal, s.more)
	if s.source == "" {
		deal["hull_id"], deal["buyer_id"], deal["owner_id"] = "{boat}", "{buyer}", "{"+staff[len(s.last)%3].name+"}"
		add(s.daysAgo, 0, "/v1/contacts", dealStep{name: "buyer", body: s.contact()})
		add(s.daysAgo, 1, "/v1/deals", dealStep{name: "deal", body: deal})
	} else {
		lead := object{"contact": s.contact(), "source": s.source, "hull_id": "{boat}", "consents": []any{checkbox("sms", "email")}}
		if s.message != "" {
			lead["message"] = s.message
		}
		first := s.daysAgo + 2 + len(s.last)%6
		add(first, 0, "/v1/leads", dealStep{name: "lead", body: lead})
		add(first, 1, "/v1/leads/{lead}/assign", dealStep{body: roundRobin})
		add(first-1, 2, "/v1/leads/{lead}/signals", dealStep{body: object{"kind": "sea_trial_request", "source": "website"}})
		add(s.daysAgo, 3, "/v1/leads/{lead}/convert", dealStep{name: "deal", body: deal})
	}
	for n, m := range s.steps {
		add(m.daysAgo, n+4, "/v1/deals/{deal}"+m.path, m)
	}
	return all
}

// contact returns the buyer.
func (s *sale) contact() object {
	home := homes[s.city]
	region := s.region
	if region == "" {
		region = "MD"
	}
	c := object{
		"first_name": s.first, "last_name": s.last, "email": s.email, "phone": s.phone,
		"address": object{"line1": home.street, "city": s.city, "region": region, "postal_code": home.postal, "country": "US"},
	}
	if s.company != "" {
		c["company_name"] = s.company
	}
	return c
}

// homes has an address in each city.
var homes = map[string]struct{ street, postal string }{
	"Easton": {"118 Goldsborough Street", "21601"}, "St. Michaels": {"207 Cherry Street", "21663"},
	"Baltimore": {"1422 Thames Street", "21231"},
	"Bethesda":  {"7904 Glenbrook Road", "20814"}, "Cambridge": {"305 Water Street", "21613"}, "Alexandria": {"612 Queen Street", "22314"},
	"Rock Hall": {"21 Bayside Avenue", "21661"}, "Annapolis": {"84 Conduit Street", "21401"}, "Severna Park": {"19 Boone Trail", "21146"},
	"Pasadena": {"7731 Water Oak Point Road", "21122"}, "Edgewater": {"3506 South River Terrace", "21037"},
	"Chestertown": {"410 High Street", "21620"}, "Columbia": {"6220 Hidden Clearing", "21045"}, "Solomons": {"14 Back Creek Loop", "20688"},
	"Lewes": {"33 Pilottown Road", "19958"}, "Lancaster": {"927 Virginia Avenue", "17603"}, "Norfolk": {"1810 Colley Avenue", "23517"},
	"Havre de Grace": {"245 Market Street", "21078"}, "Arlington": {"2415 North Kenmore Street", "22207"},
	"Kent Island": {"150 Cockey Lane", "21666"},
}

// run sends one of the requests, unless the environment doesn't have the boat.
func (s *sale) run(ctx context.Context, sd *seeder, r request) error {
	boat := s.boats[s.boat]
	if boat == nil {
		return nil
	}
	if s.ids == nil {
		s.ids = map[string]string{"boat": boat.id}
		maps.Copy(s.ids, s.env.staff)
	}

	m := r.body.(dealStep)
	body := object{}
	for field, value := range m.body {
		if text, ok := value.(string); ok {
			value = s.fill(text)
		}
		body[field] = value
	}
	if due, err := s.amount(ctx, sd, body["amount_cents"]); err != nil || due <= 0 && body["amount_cents"] == "{balance}" {
		return err // nothing is due
	} else if due > 0 {
		body["amount_cents"] = due
	}

	var created struct {
		ID       string
		Financed int `json:"amount_financed_cents"`
	}
	err := sd.as(s.env.key).send(ctx, r.method, s.fill(r.path), body, &created)
	if m.name != "" {
		s.ids[m.name] = created.ID
	}
	if created.Financed > 0 {
		s.financed = created.Financed
	}
	return err
}

// amount returns the amount of a payment that depends on the deal, or 0.
func (s *sale) amount(ctx context.Context, sd *seeder, of any) (cents int, err error) {
	switch of {
	case "{financed}":
		return s.financed, nil
	case "{balance}":
		var d struct {
			Totals struct {
				Due int `json:"balance_due_cents"`
			}
		}
		err := sd.as(s.env.key).send(ctx, http.MethodGet, s.fill("/v1/deals/{deal}"), nil, &d)
		return d.Totals.Due, err
	}
	return 0, nil
}

// fill replaces names in braces with IDs.
func (s *sale) fill(text string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	for name, id := range s.ids {
		text = strings.ReplaceAll(text, "{"+name+"}", id)
	}
	return text
}
