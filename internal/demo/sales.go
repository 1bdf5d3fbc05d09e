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
	First, Last, Email, Phone, City string
	Region                          string // MD if it is empty
	Company                         string
	Boat                            string // stock number
	DaysAgo                         int    `json:"days_ago"`
	Offer                           int    `json:"offer_usd"`
	Source, Message                 string // of the lead that it started as; empty if there was none
	Deal                            object // other fields of the deal
	Steps                           []dealStep

	env      *environment
	boats    map[string]*boat
	ids      map[string]string // IDs of created resources, by the names in the steps
	financed int               // amount of the last finance structure, in cents
}

// dealStep is a request for a deal. In its path and body, {name} is replaced with
// the ID of the resource that an earlier step with that name created. {balance} is what is
// still due, and {financed} the amount of the finance structure.
type dealStep struct {
	DaysAgo int    `json:"days_ago"`
	Path    string // after the path of the deal, or a whole path of the preview
	Body    object
	As      string // its name
}

// requests returns the requests of the deal. The first ones create the buyer, or
// the lead that it starts as, and the deal.
func (s *sale) requests(now time.Time) []request {
	when := func(daysAgo, n int) time.Time { return at(now, daysAgo, 11*60+n*3+len(s.First)) }
	var all []request
	add := func(daysAgo, n int, path string, m dealStep) {
		all = append(all, request{at: when(daysAgo, n), sale: s, method: http.MethodPost, path: path, body: m})
	}

	deal := object{"offer_usd": s.Offer}
	maps.Copy(deal, s.Deal)
	if s.Source == "" {
		deal["hull_id"], deal["buyer_id"], deal["owner_id"] = "{boat}", "{buyer}", "{"+staff[len(s.Last)%3].name+"}"
		add(s.DaysAgo, 0, "/v1/contacts", dealStep{As: "buyer", Body: s.contact()})
		add(s.DaysAgo, 1, "/v1/deals", dealStep{As: "deal", Body: deal})
	} else {
		lead := object{"contact": s.contact(), "source": s.Source, "hull_id": "{boat}", "consents": []any{checkbox("sms", "email")}}
		if s.Message != "" {
			lead["message"] = s.Message
		}
		first := s.DaysAgo + 2 + len(s.Last)%6
		add(first, 0, "/v1/leads", dealStep{As: "lead", Body: lead})
		add(first, 1, "/v1/leads/{lead}/assign", dealStep{Body: roundRobin})
		add(first-1, 2, "/v1/leads/{lead}/signals", dealStep{Body: object{"kind": "sea_trial_request", "source": "website"}})
		add(s.DaysAgo, 3, "/v1/leads/{lead}/convert", dealStep{As: "deal", Body: deal})
	}
	for n, m := range s.Steps {
		path := "/v1/deals/{deal}" + m.Path
		if strings.HasPrefix(m.Path, "/v2-preview") {
			path = m.Path
		}
		add(m.DaysAgo, n+4, path, m)
	}
	return all
}

// contact returns the buyer.
func (s *sale) contact() object {
	home := homes[s.City]
	region := s.Region
	if region == "" {
		region = "MD"
	}
	c := object{
		"first_name": s.First, "last_name": s.Last, "email": s.Email, "phone": s.Phone,
		"address": object{"line1": home.street, "city": s.City, "region": region, "postal_code": home.postal, "country": "US"},
	}
	if s.Company != "" {
		c["company_name"] = s.Company
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
	boat := s.boats[s.Boat]
	if boat == nil {
		return nil
	}
	if s.ids == nil {
		s.ids = map[string]string{"boat": boat.id}
		maps.Copy(s.ids, s.env.staff)
	}

	m := r.body.(dealStep)
	body := object{}
	for field, value := range m.Body {
		body[field] = s.fillAll(value)
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
	if m.As != "" {
		s.ids[m.As] = created.ID
	}
	if created.Financed > 0 {
		s.financed = created.Financed
	}
	if err == nil && m.As == "deal" {
		err = s.list(ctx, sd)
	}
	return err
}

// list records the agreement with the owner if the boat is sold for someone else. The owner is
// the seller on the papers.
func (s *sale) list(ctx context.Context, sd *seeder) error {
	var boat struct{ Ownership string }
	if err := sd.as(s.env.key).send(ctx, http.MethodGet, s.fill("/v1/hulls/{boat}"), nil, &boat); err != nil {
		return err
	}
	kind := map[string]string{"consignment": "consignment", "brokerage": "exclusive"}[boat.Ownership]
	if kind == "" {
		return nil
	}
	var owner struct{ ID string }
	if err := sd.as(s.env.key).send(ctx, http.MethodPost, "/v1/contacts", object{"first_name": "Harriet", "last_name": "Lindqvist",
		"company_name": "Owner of " + s.Boat}, &owner); err != nil {
		return err
	}
	return sd.as(s.env.key).send(ctx, http.MethodPut, s.fill("/v2-preview/hulls/{boat}/listing_agreement"), object{
		"owner_contact_id": owner.ID, "kind": kind, "commission_percent": "10", "co_broker": "Bay Yacht Brokers", "co_broker_split_percent": "40",
		"escrow_holder": "Chesapeake Escrow Services"}, nil)
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

// fillAll replaces names in all texts of a value.
func (s *sale) fillAll(value any) any {
	switch v := value.(type) {
	case string:
		return s.fill(v)
	case []any:
		filled := make([]any, len(v))
		for i, item := range v {
			filled[i] = s.fillAll(item)
		}
		return filled
	case map[string]any:
		filled := map[string]any{}
		for name, item := range v {
			filled[name] = s.fillAll(item)
		}
		return filled
	}
	return value
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
