package demo

import (
	"context"
	"net/http"
	"time"
)

// buyer is a lead with its history.
type buyer struct {
	first, last, email, phone string
	source, detail, interest  string
	message                   string // what the buyer wrote
	consents                  []any  // given with the inquiry
	boat                      string // stock number of the boat the lead asks about
	daysAgo                   int
	steps                     []leadStep

	env   *environment
	boats map[string]*boat // by stock number
	id    string           // of the lead, once it is created
}

// leadStep is a request for a lead.
type leadStep struct {
	daysAgo int // 0 is a few minutes ago, so that a message is sent after the start
	method  string
	path    string // after the path of the lead
	body    object
}

// object is a JSON object.
type object = map[string]any

func post(daysAgo int, path string, body object) leadStep {
	return leadStep{daysAgo, http.MethodPost, path, body}
}

func update(daysAgo int, body object) leadStep {
	return leadStep{daysAgo, http.MethodPatch, "", body}
}

// consent records a checkbox on the website.
func consent(daysAgo int, channels ...string) leadStep {
	return post(daysAgo, "/consents", checkbox(channels...))
}

// checkbox is the consent of someone who checked a box on the website.
func checkbox(channels ...string) object {
	return object{
		"channels": channels, "scope": "all", "basis": "express_written", "source": "web_form", "method": "checkbox",
		"consent_text_version": "2026-01",
		"consent_text": "I agree to receive text messages and email about boats from " + Name + ". " +
			"Consent is not a condition of purchase.",
		"source_url": "https://chesapeakemarine.example/contact", "ip": "203.0.113.24",
	}
}

// signal records an intent signal from the website.
func signal(daysAgo int, kind string) leadStep {
	return post(daysAgo, "/signals", object{"kind": kind, "source": "website"})
}

var roundRobin = object{"strategy": "round_robin"}

// buyers returns the leads of the last weeks.
func buyers() []*buyer {
	return []*buyer{
		{
			first: "Maren", last: "Holt", email: "maren.holt@example.com", phone: "+14105550111",
			source: "web", detail: "Listing page", boat: "GW-1003", daysAgo: 20,
			interest: "Family of four, upper bay", steps: []leadStep{
				consent(20, "sms", "email"), signal(20, "price_view"), signal(18, "payment_calculator"), post(18, "/assign", roundRobin),
				update(17, object{"status": "contacted"}),
				signal(6, "return_visit"), signal(5, "sea_trial_request"), update(4, object{"status": "working", "timeline": "before spring"}),
				post(0, "/messages", object{
					"channel": "sms", "purpose": "transactional",
					"body": "Hi Maren, the Freedom 235 is ready for your sea trial on Saturday at 10 am.",
				}),
			},
		},
		{
			first: "Theo", last: "Okafor", email: "theo@example.com", phone: "+14435550122",
			source: "marketplace", detail: "Boat Trader", boat: "BW-1021", daysAgo: 14,
			interest: "A first boat to learn on", steps: []leadStep{
				consent(14, "email"), signal(14, "page_view"), signal(13, "brochure"), post(13, "/assign", roundRobin),
				update(12, object{"status": "contacted"}),
				post(0, "/messages", object{
					"channel": "email", "purpose": "marketing", "subject": "The 210 Montauk has a new price",
					"body": "Hi Theo,\n\nWe lowered the price of the 2022 Montauk that you asked about. " +
						"Would you like us to hold it for you until Sunday?\n\nChesapeake Marine",
				}),
			},
		},
		{
			first: "Ruth", last: "Lindqvist", email: "ruth.lindqvist@example.com", phone: "+13015550133",
			source: "phone", boat: "GW-1009", daysAgo: 9,
			interest: "Offshore, twin engines", steps: []leadStep{
				consent(9, "sms"), signal(9, "call"), signal(8, "trade_valuation"), signal(7, "credit_start"), signal(3, "call"),
				post(9, "/assign", roundRobin),
			},
		},
		{
			first: "Dale", last: "Prewitt", email: "dale@example.net", phone: "+12405550144",
			source: "event", detail: "Annapolis boat show", daysAgo: 31,
			interest: "A boat with a cabin, not urgent", steps: []leadStep{
				consent(31, "sms", "email"), update(30, object{"status": "contacted"}),
				post(0, "/inbound_messages", object{"channel": "sms", "from": "+12405550144", "body": "Please stop texting me, I bought a camper"}),
			},
		},
		{
			first: "Ines", last: "Carvalho", email: "ines@example.org", phone: "+14105550155",
			source: "walk_in", boat: "BW-1025", daysAgo: 6,
			interest: "Fishing with family", steps: []leadStep{
				signal(6, "price_view"), post(6, "/assign", roundRobin),
				update(2, object{"status": "qualified", "budget_max_usd": 180000}),
			},
		},
		{
			first: "Wendell", last: "Shaw", email: "wshaw@example.com", phone: "+17035550166",
			source: "referral", detail: "Maren Holt", daysAgo: 45,
			interest: "A sailboat for retirement", steps: []leadStep{
				update(44, object{"status": "working"}), post(15, "/close", object{"reason": "Bought from a friend"}),
			},
		},
		{
			first: "Kit", last: "Amari", email: "kit@example.com", phone: "+14105550177",
			source: "web", boat: "GW-1001", daysAgo: 2,
			interest: "New, with the full warranty", steps: []leadStep{
				consent(2, "sms", "email"), signal(2, "page_view"), signal(1, "price_view"),
				post(0, "/inbound_messages", object{"channel": "sms", "from": "+14105550177", "body": "Who is this?"}),
			},
		},
		{
			first: "Noor", last: "Haddad", email: "noor.haddad@example.com", phone: "+14105550188",
			source: "web", detail: "Contact form", daysAgo: 1, interest: "A kayak for two",
		},
	}
}

// requests returns the requests of the lead.
func (b *buyer) requests(now time.Time) []request {
	when := func(daysAgo, n int) time.Time {
		if daysAgo == 0 {
			return now.Add(time.Duration(n-30) * time.Minute)
		}
		return at(now, daysAgo, 10*60+n*7+len(b.first))
	}
	all := []request{{at: when(b.daysAgo, 0), buyer: b, method: http.MethodPost}}
	for n, s := range b.steps {
		all = append(all, request{at: when(s.daysAgo, n+1), buyer: b, method: s.method, path: s.path, body: s.body})
	}
	return all
}

// run sends one of the requests. The first one creates the lead.
func (b *buyer) run(ctx context.Context, s *seeder, r request) error {
	if b.id != "" {
		var created struct{ ID string }
		err := s.as(b.env.key).send(ctx, r.method, "/v1/leads/"+b.id+r.path, r.body, &created)
		if err != nil || s.started.Sub(r.at) < 12*time.Hour {
			return err // the server sends today's messages
		}
		switch r.path {
		case "/messages":
			return s.deliver(ctx, b.env, created.ID)
		case "/inbound_messages":
			return s.confirm(ctx, b.env, b.id)
		}
		return nil
	}

	lead := object{
		"contact": object{"first_name": b.first, "last_name": b.last, "email": b.email, "phone": b.phone},
		"source":  b.source,
	}
	if b.interest != "" {
		lead["interest"] = b.interest
	}
	if b.detail != "" {
		lead["source_detail"] = b.detail
	}
	if b.message != "" {
		lead["message"] = b.message
	}
	if len(b.consents) > 0 {
		lead["consents"] = b.consents
	}
	if boat := b.boats[b.boat]; boat != nil {
		lead["hull_id"] = boat.id
	}

	var created struct{ ID string }
	err := s.as(b.env.key).send(ctx, r.method, "/v1/leads", lead, &created)
	b.id = created.ID
	return err
}
