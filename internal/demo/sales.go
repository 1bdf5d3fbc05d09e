package demo

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"time"
)

// sale is a deal, and how far it has come.
type sale struct {
	first, last, email, phone, city string
	boat                            string // its stock number
	daysAgo                         int
	offer                           int
	more                            map[string]any // beside buyer, boat and offer
	story                           []move

	desk  *desk
	boats map[string]*boat
	ids   map[string]string // what was made so far, by the names that the story gives
}

// move is a request about a deal. In its path and body, {name} stands for the id
// of what an earlier move made under that name.
type move struct {
	daysAgo int
	path    string // below the deal's own
	body    map[string]any
	name    string
}

func sell(daysAgo int, path string, body map[string]any, name ...string) move {
	return move{daysAgo, path, body, strings.Join(name, "")}
}

// agreed are the moves by which both sides come to a price.
func agreed(daysAgo, amount int) []move {
	return []move{
		sell(daysAgo, "/offers", map[string]any{"amount_usd": amount, "made_by": "dealer"}, "counter"),
		sell(daysAgo-1, "/offers/{counter}/accept", map[string]any{"by": "buyer"}),
	}
}

// signed are the moves by which a paper is issued and signed.
func signed(daysAgo int, kind, buyer string) []move {
	return []move{
		sell(daysAgo, "/documents", map[string]any{"kind": kind}, kind),
		sell(daysAgo, "/documents/{"+kind+"}/sign", map[string]any{"signer_role": "buyer", "signer_name": buyer}),
		sell(daysAgo, "/documents/{"+kind+"}/sign", map[string]any{"signer_role": "dealer", "signer_name": "Owen Tilghman"}),
	}
}

func paid(daysAgo int, kind, method string, cents int) move {
	return sell(daysAgo, "/payments", map[string]any{"kind": kind, "method": method, "amount_cents": cents})
}

func advanced(daysAgo int, to string) move {
	return sell(daysAgo, "/advance", map[string]any{"to": to})
}

func story(parts ...[]move) (all []move) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// sales are the deals of the last months, in every state.
func sales() []*sale {
	return []*sale{
		{ // closed, in cash and a boat in trade
			first: "Henry", last: "Aldous", email: "henry.aldous@example.com", phone: "+14105550211", city: "Easton", boat: "GW-1007", daysAgo: 70, offer: 63000,
			story: story(
				[]move{
					paid(70, "deposit", "card", 250000),
					sell(69, "/trade_ins", map[string]any{"year": 2009, "make": "Sea Ray", "model": "240 Sundancer", "length_ft": 25.5, "allowance_cents": 2200000, "acv_cents": 1950000, "stock_in": true}),
				},
				agreed(68, 65500), signed(60, "purchase_agreement", "Henry Aldous"),
				[]move{advanced(60, "contracted"), paid(52, "balance", "wire", 4100000), advanced(51, "funded")},
				signed(45, "delivery_checklist", "Henry Aldous"), []move{advanced(45, "delivered"), advanced(40, "closed")},
			),
		},
		{ // financed, contracted, and the lender still wants something
			first: "Renée", last: "Doucet", email: "renee@example.com", phone: "+14105550222", city: "St. Michaels", boat: "GW-1002", daysAgo: 33, offer: 144000, more: map[string]any{"deal_type": "finance"},
			story: story(
				agreed(30, 149500),
				[]move{
					paid(29, "deposit", "ach", 1000000),
					sell(28, "/finance_structures", map[string]any{"name": "20 years, 15% down", "lender": "Bay Federal Credit Union", "cash_down_cents": 1250000, "apr_percent": "7.49", "term_months": 240, "products": []any{
						map[string]any{"kind": "service_contract", "provider": "Seaworthy Assurance", "price_cents": 389500, "cost_cents": 210000, "term_months": 60, "financed": true},
						map[string]any{"kind": "gap", "price_cents": 79500, "cost_cents": 32000, "financed": true},
					}}, "long"),
					sell(28, "/finance_structures", map[string]any{"name": "12 years, 15% down", "lender": "Seacoast Bank", "cash_down_cents": 1250000, "apr_percent": "6.99", "term_months": 144}),
					sell(27, "/finance_structures/{long}/select", nil),
					advanced(27, "in_finance"),
					sell(26, "/fundings", map[string]any{"lender": "Bay Federal Credit Union", "reference": "APP-20417"}, "bay"),
					sell(26, "/fundings", map[string]any{"lender": "Seacoast Bank"}, "seacoast"),
					sell(24, "/fundings/{seacoast}/advance", map[string]any{"to": "declined", "reason": "Boat too old for the program"}),
					sell(23, "/fundings/{bay}/advance", map[string]any{"to": "conditional", "decision": map[string]any{"apr_percent": "7.49", "term_months": 240, "conditions": "Proof of income, survey"}}),
					sell(23, "/fundings/{bay}/stipulations", map[string]any{"kind": "proof_of_income", "description": "Two years of tax returns"}, "income"),
					sell(23, "/fundings/{bay}/stipulations", map[string]any{"kind": "insurance_binder"}, "insurance"),
					sell(19, "/fundings/{bay}/stipulations/{income}/resolve", map[string]any{"status": "accepted"}),
				},
				signed(18, "purchase_agreement", "Renée Doucet"), signed(18, "retail_installment_contract", "Renée Doucet"),
				[]move{
					advanced(17, "contracted"),
					sell(17, "/fundings/{bay}/advance", map[string]any{"to": "contract_sent"}),
					sell(16, "/fundings/{bay}/advance", map[string]any{"to": "signed"}),
					sell(14, "/fundings/{bay}/advance", map[string]any{"to": "package_submitted"}),
					sell(6, "/fundings/{bay}/advance", map[string]any{"to": "pending_docs", "reason": "Insurance binder is missing"}),
				},
			),
		},
		{ // accepted, with a deposit
			first: "Marcus", last: "Webb", email: "mwebb@example.net", phone: "+14435550233", city: "Baltimore", boat: "BW-1024", daysAgo: 12, offer: 198000,
			story: story(agreed(10, 204000), []move{
				paid(9, "deposit", "card", 500000),
				sell(8, "/documents", map[string]any{"kind": "deposit_receipt"}),
				sell(7, "/documents", map[string]any{"kind": "purchase_agreement"}),
			}),
		},
		{ // somebody else would take the same boat
			first: "Priya", last: "Raman", email: "priya@example.org", phone: "+13015550244", city: "Bethesda", boat: "BW-1024", daysAgo: 5, offer: 206000,
		},
		{ // still talking
			first: "Lars", last: "Öberg", email: "lars.oberg@example.com", phone: "+14105550255", city: "Cambridge", boat: "GW-1006", daysAgo: 4, offer: 97000,
			story: []move{
				sell(3, "/offers", map[string]any{"amount_usd": 103500, "made_by": "dealer", "note": "With trailer and a full tank"}, "counter"),
				sell(1, "/offers", map[string]any{"amount_usd": 100500, "made_by": "buyer", "in_reply_to": "{counter}"}),
			},
		},
		{ // came to nothing
			first: "Gail", last: "Stone", email: "gail@example.com", phone: "+17035550266", city: "Alexandria", boat: "BW-1018", daysAgo: 25, offer: 23000,
			story: story(agreed(23, 24000), []move{
				paid(22, "deposit", "check", 100000),
				sell(15, "/cancel", map[string]any{"reason": "The survey found soft stringers", "deposit_outcome": "refund"}),
			}),
		},
		{ // delivered last week
			first: "Tom and Ana", last: "Breuer", email: "breuer@example.com", phone: "+14105550277", city: "Rock Hall", boat: "GW-1011", daysAgo: 40, offer: 64000,
			story: story(agreed(38, 66000), signed(36, "purchase_agreement", "Tom Breuer"),
				[]move{advanced(36, "contracted"), paid(30, "balance", "wire", 6600000), advanced(29, "funded")},
				signed(8, "bill_of_sale", "Tom Breuer"), []move{advanced(8, "delivered")}),
		},
	}
}

// acts are the requests of the sale's story, the buyer and the deal first.
func (s *sale) acts(now time.Time) []act {
	at := func(daysAgo, n int) time.Time {
		day := now.UTC().Truncate(24*time.Hour).AddDate(0, 0, -daysAgo)
		return day.Add(16*time.Hour + time.Duration(n)*3*time.Minute + time.Duration(len(s.first))*time.Minute)
	}
	all := []act{{at: at(s.daysAgo, 0), sale: s, method: http.MethodPost, path: "/v1/contacts", body: move{name: "buyer", body: map[string]any{
		"first_name": s.first, "last_name": s.last, "email": s.email, "phone": s.phone,
		"address": map[string]any{"line1": "12 Harbor Lane", "city": s.city, "region": "MD", "country": "US"},
	}}}}
	deal := map[string]any{"hull_id": "{boat}", "buyer_id": "{buyer}", "offer_usd": s.offer}
	maps.Copy(deal, s.more)
	all = append(all, act{at: at(s.daysAgo, 1), sale: s, method: http.MethodPost, path: "/v1/deals", body: move{name: "deal", body: deal}})
	for n, m := range s.story {
		all = append(all, act{at: at(m.daysAgo, n+2), sale: s, method: http.MethodPost, path: "/v1/deals/{deal}" + m.path, body: m})
	}
	return all
}

// perform enters one of the acts. A boat that this environment does not have is
// not sold in it.
func (s *sale) perform(ctx context.Context, o *office, a act) error {
	if s.ids == nil {
		s.ids = map[string]string{}
	}
	boat := s.boats[s.boat]
	if boat == nil {
		return nil
	}
	s.ids["boat"] = boat.id
	m := a.body.(move)
	body := map[string]any{}
	for field, value := range m.body {
		if text, ok := value.(string); ok {
			value = s.fill(text)
		}
		body[field] = value
	}
	var made struct{ ID string }
	err := o.send(ctx, s.desk.key, a.method, s.fill(a.path), body, &made)
	if m.name != "" {
		s.ids[m.name] = made.ID
	}
	return err
}

// fill puts ids where their names stand.
func (s *sale) fill(text string) string {
	for name, id := range s.ids {
		text = strings.ReplaceAll(text, "{"+name+"}", id)
	}
	return text
}
