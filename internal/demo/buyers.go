package demo

import (
	"cmp"
	"context"
	"net/http"
	"time"
)

// buyer is a lead with its history.
type buyer struct {
	First, Last, Email, Phone string
	Source, Detail, Interest  string
	Boat                      string // stock number of the boat the lead asks about
	DaysAgo                   int    `json:"days_ago"`
	Steps                     []leadStep

	message  string // what the buyer wrote
	consents []any  // given with the inquiry

	env   *environment
	boats map[string]*boat // by stock number
	id    string           // of the lead, once it is created
}

// leadStep is a request for a lead.
type leadStep struct {
	DaysAgo int      `json:"days_ago"` // 0 is a few minutes ago, so that a message is sent after the start
	Method  string   // POST if it is empty
	Path    string   // after the path of the lead
	Consent []string // the channels of a checkbox on the website
	Body    object
}

// object is a JSON object.
type object = map[string]any

func post(daysAgo int, path string, body object) leadStep {
	return leadStep{DaysAgo: daysAgo, Path: path, Body: body}
}

// call is a call to the lead.
func call(daysAgo int, note string) leadStep {
	return post(daysAgo, "/call", object{"kind": "call", "body": note})
}

func update(daysAgo int, body object) leadStep {
	return leadStep{DaysAgo: daysAgo, Method: http.MethodPatch, Body: body}
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

// requests returns the requests of the lead.
func (b *buyer) requests(now time.Time) []request {
	when := func(daysAgo, n int) time.Time {
		if daysAgo == 0 {
			return now.Add(time.Duration(n-30) * time.Minute)
		}
		return at(now, daysAgo, 10*60+n*7+len(b.First))
	}
	all := []request{{at: when(b.DaysAgo, 0), buyer: b, method: http.MethodPost}}
	for n, s := range b.Steps {
		r := request{at: when(s.DaysAgo, n+1), buyer: b, method: cmp.Or(s.Method, http.MethodPost), path: s.Path, body: s.Body}
		if s.Consent != nil {
			r.body = checkbox(s.Consent...)
		}
		all = append(all, r)
	}
	return all
}

// run sends one of the requests. The first one creates the lead.
func (b *buyer) run(ctx context.Context, s *seeder, r request) error {
	if b.id != "" {
		var created struct{ ID string }
		path := "/v1/leads/" + b.id + r.path
		if r.path == "/call" {
			path, r.body.(object)["object_id"] = "/v2-preview/activities", b.id
		}
		err := s.as(b.env.key).send(ctx, r.method, path, r.body, &created)
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
		"contact": object{"first_name": b.First, "last_name": b.Last, "email": b.Email, "phone": b.Phone},
		"source":  b.Source,
	}
	if b.Interest != "" {
		lead["interest"] = b.Interest
	}
	if b.Detail != "" {
		lead["source_detail"] = b.Detail
	}
	if b.message != "" {
		lead["message"] = b.message
	}
	if len(b.consents) > 0 {
		lead["consents"] = b.consents
	}
	if boat := b.boats[b.Boat]; boat != nil {
		lead["hull_id"] = boat.id
	}

	var created struct{ ID string }
	err := s.as(b.env.key).send(ctx, r.method, "/v1/leads", lead, &created)
	b.id = created.ID
	return err
}
