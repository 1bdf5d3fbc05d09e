package demo

import (
	"context"
	"net/http"
	"time"
)

// buyer is somebody who wants a boat, and what came of it so far.
type buyer struct {
	first, last, email, phone string
	source, detail, interest  string
	boat                      string // the stock number of the one asked for
	daysAgo                   int
	story                     []step

	desk  *desk
	boats map[string]*boat
	id    string // of the lead, given by the service
}

// step is a request about a lead.
type step struct {
	daysAgo int // 0 is a few minutes ago: what it sends is still to go out
	method  string
	path    string // below the lead's own
	body    map[string]any
}

func post(daysAgo int, path string, body map[string]any) step {
	return step{daysAgo, http.MethodPost, path, body}
}

func change(daysAgo int, body map[string]any) step {
	return step{daysAgo, http.MethodPatch, "", body}
}

// agree is the box that was ticked on the website.
func agree(daysAgo int, channels ...string) step {
	return post(daysAgo, "/consents", map[string]any{
		"channels": channels, "scope": "all", "basis": "express_written", "source": "web_form", "method": "checkbox", "consent_text_version": "2026-01",
		"consent_text": "I agree to receive texts and email about boats from " + Name + ". Consent is not a condition of purchase.",
		"source_url":   "https://chesapeakemarine.example/contact", "ip": "203.0.113.24",
	})
}

// signal is something that the website saw.
func signal(daysAgo int, kind string) step {
	return post(daysAgo, "/signals", map[string]any{"kind": kind, "source": "website"})
}

var turn = map[string]any{"strategy": "round_robin"}

// buyers are the leads of the last weeks.
func buyers() []*buyer {
	return []*buyer{
		{
			first: "Maren", last: "Holt", email: "maren.holt@example.com", phone: "+14105550111", source: "web", detail: "Listing page", boat: "GW-1003", daysAgo: 20,
			interest: "Two adults, two children, the upper bay", story: []step{
				agree(20, "sms", "email"), signal(20, "price_view"), signal(18, "payment_calculator"), post(18, "/assign", turn), change(17, map[string]any{"status": "contacted"}),
				signal(6, "return_visit"), signal(5, "sea_trial_request"), change(4, map[string]any{"status": "working", "timeline": "before the spring"}),
				post(0, "/messages", map[string]any{"channel": "sms", "purpose": "transactional", "body": "Hello Maren, the Freedom 235 is fueled and waiting for Saturday, 10 o'clock."}),
			},
		},
		{
			first: "Theo", last: "Okafor", email: "theo@example.com", phone: "+14435550122", source: "marketplace", detail: "Boat Trader", boat: "BW-1021", daysAgo: 14,
			interest: "A first boat to learn on", story: []step{
				agree(14, "email"), signal(14, "page_view"), signal(13, "brochure"), post(13, "/assign", turn), change(12, map[string]any{"status": "contacted"}),
				post(0, "/messages", map[string]any{"channel": "email", "purpose": "marketing", "subject": "The 210 Montauk has a new price", "body": "Hello Theo,\n\nthe 2022 Montauk that you asked about has come down this week. Shall we keep her for you until Sunday?\n\nChesapeake Marine"}),
			},
		},
		{
			first: "Ruth", last: "Lindqvist", email: "ruth.lindqvist@example.com", phone: "+13015550133", source: "phone", boat: "GW-1009", daysAgo: 9,
			interest: "Offshore, twin engines", story: []step{
				agree(9, "sms"), signal(9, "call"), signal(8, "trade_valuation"), signal(7, "credit_start"), signal(3, "call"), post(9, "/assign", turn),
			},
		},
		{
			first: "Dale", last: "Prewitt", email: "dale@example.net", phone: "+12405550144", source: "event", detail: "Annapolis boat show", daysAgo: 31,
			interest: "Something with a cabin, someday", story: []step{
				agree(31, "sms", "email"), change(30, map[string]any{"status": "contacted"}),
				post(0, "/inbound_messages", map[string]any{"channel": "sms", "from": "+12405550144", "body": "Please stop texting me, I bought a camper"}),
			},
		},
		{
			first: "Ines", last: "Carvalho", email: "ines@example.org", phone: "+14105550155", source: "walk_in", boat: "BW-1025", daysAgo: 6,
			interest: "Fishing with the brothers", story: []step{signal(6, "price_view"), post(6, "/assign", turn), change(2, map[string]any{"status": "qualified", "budget_max_usd": 180000})},
		},
		{
			first: "Wendell", last: "Shaw", email: "wshaw@example.com", phone: "+17035550166", source: "referral", detail: "Maren Holt", daysAgo: 45,
			interest: "A sailing boat for the retirement", story: []step{
				change(44, map[string]any{"status": "working"}), post(15, "/close", map[string]any{"reason": "Bought from a friend"}),
			},
		},
		{
			first: "Kit", last: "Amari", email: "kit@example.com", phone: "+14105550177", source: "web", boat: "GW-1001", daysAgo: 2,
			interest: "New, with the full warranty", story: []step{
				agree(2, "sms", "email"), signal(2, "page_view"), signal(1, "price_view"),
				post(0, "/inbound_messages", map[string]any{"channel": "sms", "from": "+14105550177", "body": "Who is this?"}),
			},
		},
		{first: "Noor", last: "Haddad", email: "noor.haddad@example.com", phone: "+14105550188", source: "web", detail: "Contact form", daysAgo: 1, interest: "A kayak for two"},
	}
}

// acts are the requests of the buyer's story.
func (b *buyer) acts(now time.Time) []act {
	at := func(daysAgo, n int) time.Time {
		if daysAgo == 0 {
			return now.Add(time.Duration(n-30) * time.Minute)
		}
		day := now.UTC().Truncate(24*time.Hour).AddDate(0, 0, -daysAgo)
		return day.Add(15*time.Hour + time.Duration(n)*7*time.Minute + time.Duration(len(b.first))*time.Minute)
	}
	all := []act{{at: at(b.daysAgo, 0), buyer: b, method: http.MethodPost}}
	for n, s := range b.story {
		all = append(all, act{at: at(s.daysAgo, n+1), buyer: b, method: s.method, path: s.path, body: s.body})
	}
	return all
}

// perform enters one of the acts.
func (b *buyer) perform(ctx context.Context, o *office, a act) error {
	if b.id != "" {
		return o.send(ctx, b.desk.key, a.method, "/v1/leads/"+b.id+a.path, a.body, nil)
	}
	lead := map[string]any{
		"contact": map[string]any{"first_name": b.first, "last_name": b.last, "email": b.email, "phone": b.phone},
		"source":  b.source, "interest": b.interest,
	}
	if b.detail != "" {
		lead["source_detail"] = b.detail
	}
	if boat := b.boats[b.boat]; boat != nil {
		lead["hull_id"] = boat.id
	}
	var made struct{ ID string }
	err := o.send(ctx, b.desk.key, a.method, "/v1/leads", lead, &made)
	b.id = made.ID
	return err
}
