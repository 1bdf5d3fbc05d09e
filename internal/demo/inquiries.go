package demo

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// inquirers are the people who asked about boats in the last 90 days, with the
// first digits of their phone numbers.
var inquirers = []struct{ first, last, area string }{
	{"Alicia", "Brennan", "443"}, {"Bob", "Castellano", "410"}, {"Carmen", "Delgado", "667"}, {"Derek", "Osei", "571"},
	{"Ellen", "Fairbanks", "302"}, {"Felix", "Grabowski", "717"}, {"Gwen", "Harding", "443"}, {"Hassan", "Ibrahim", "571"},
	{"Irene", "Jablonski", "667"}, {"Jack", "Kessler", "302"}, {"Kara", "Lindgren", "443"}, {"Leon", "Mwangi", "804"},
	{"Monica", "Nguyen", "571"}, {"Ned", "O'Rourke", "443"}, {"Olivia", "Petrov", "667"}, {"Paul", "Quigley", "717"},
	{"Rosa", "Santana", "571"}, {"Scott", "Tolliver", "443"}, {"Tamara", "Underhill", "302"}, {"Umar", "Vance", "667"},
	{"Val", "Whitaker", "443"}, {"Walt", "Xavier", "804"}, {"Yolanda", "Youngblood", "571"}, {"Zack", "Zimmerman", "717"},
	{"Anita", "Ashby", "443"}, {"Brett", "Burke", "302"}, {"Celia", "Cho", "667"}, {"Dominic", "D'Amico", "571"},
	{"Elise", "Engel", "443"}, {"Frank", "Foley", "804"}, {"Gina", "Giordano", "667"}, {"Howard", "Hirsch", "717"},
	{"Isabel", "Irwin", "443"}, {"Jerome", "Jarrett", "571"}, {"Kelly", "Kowalski", "302"}, {"Luis", "Lozano", "667"},
	{"Mira", "Mehta", "443"}, {"Nolan", "Norris", "804"}, {"Paige", "Porter", "571"}, {"Quentin", "Reyes", "443"},
}

// outcomes has the status of each inquiry, oldest first.
var outcomes = strings.Fields(strings.Repeat("lost ", 9) + strings.Repeat("contacted lost working ", 2) +
	strings.Repeat("working qualified ", 4) + strings.Repeat("contacted qualified ", 3) + strings.Repeat("contacted ", 5) +
	strings.Repeat("new ", 6))

// inquiries returns the leads of the last 90 days that are not among the buyers.
func inquiries(now time.Time, boats []*boat) (all []*buyer) {
	for i, outcome := range outcomes {
		who := inquirers[i]
		q := &inquiry{
			random: rand.New(rand.NewPCG(1776, uint64(i))), //nolint:gosec // the demo must be the same each time
			buyer: &buyer{
				First: who.first, Last: who.last, Phone: fmt.Sprintf("+1%s55501%02d", who.area, 50+i),
				Email:   strings.ToLower(strings.ReplaceAll(who.first+"."+who.last, "'", "")) + "@example." + []string{"com", "net", "org"}[i%3],
				DaysAgo: max(1, 90-i*90/(len(outcomes)-1)-i%2),
			},
		}
		q.choose(now, boats)
		q.ask()
		q.follow(outcome)
		all = append(all, q.buyer)
	}
	return all
}

// inquiry writes the history of a lead.
type inquiry struct {
	*buyer
	random *rand.Rand
	about  *boat // nil if the lead has no boat in mind
	texts  bool  // the lead agreed to text messages
}

func (q *inquiry) pick(from ...string) string { return from[q.random.IntN(len(from))] }

// choose picks a boat that was for sale on the day of the inquiry. Some people
// don't have one in mind.
func (q *inquiry) choose(now time.Time, boats []*boat) {
	day := at(now, q.DaysAgo, 0)
	first := q.random.IntN(max(len(boats), 1))
	if q.random.IntN(8) == 0 {
		return
	}
	for i := range boats {
		b := boats[(first+i*7)%len(boats)]
		if !b.gone && !b.since.IsZero() && b.since.Before(day) {
			q.about, q.Boat = b, b.stockNumber()
			return
		}
	}
}

// what returns the words for the boat.
func (q *inquiry) what() string {
	if q.about == nil {
		return "boat"
	}
	return q.about.model["model"]
}

// ask sets what the lead asks, and how.
func (q *inquiry) ask() {
	q.Source = q.pick("web", "web", "web", "marketplace", "marketplace", "marketplace", "phone", "walk_in", "referral", "event")
	switch q.Source {
	case "web":
		q.Detail = q.pick("Listing page", "Contact form", "Payment calculator", "Winter newsletter")
	case "marketplace":
		q.Detail = q.pick("Boat Trader", "Boat Trader", "YachtWorld")
	case "event":
		q.Detail = "Annapolis boat show"
	case "referral":
		q.Detail = q.pick("Henry Aldous", "Tom and Ana Breuer", "Severn Sailing Association")
	}

	switch q.Source {
	case "web", "marketplace":
		q.message = q.pick(
			"Is the "+q.what()+" still available? I could come by on Saturday.",
			"What would the payment be with 15% down over 15 years?",
			"Do you take trades? I have a 2012 Sea Hunt 211 with a trailer.",
			"Could you send more pictures of the helm and the engine hours for the "+q.what()+"?",
			"Is there any room in the price of the "+q.what()+"? I can pay cash.",
			"How much does it weigh on the trailer? I tow with a half-ton truck.",
			"Would you store it for me until April?",
			"Has the "+q.what()+" been surveyed recently?")
		channels := []string{"email"}
		if q.texts = q.random.IntN(3) > 0; q.texts {
			channels = []string{"sms", "email"}
		}
		q.consents = []any{checkbox(channels...)}
	default:
		q.Interest = q.pick("A family boat for the upper bay", "Something to fish the bay bridge", "A first sailboat",
			"A weekender with a cabin", "A pontoon for the river", "A bigger boat in two years", "A boat for tubing with the kids")
		if q.texts = q.random.IntN(2) == 0; q.texts {
			q.consents = []any{object{
				"channels": []string{"sms"}, "scope": "transactional", "basis": "express_oral", "source": q.Source, "method": "recorded_call",
				"consent_text": "Asked us to text about the boat.",
			}}
		}
	}
	if q.about == nil && q.Interest == "" {
		q.Interest = q.pick("A center console around 23 feet", "A pontoon under $50,000", "A sailboat for two")
	}
}

// follow adds what happened after the inquiry.
func (q *inquiry) follow(outcome string) {
	day := q.DaysAgo
	next := func(most int) int { // up to a number of days later, but not today
		day = max(1, day-q.random.IntN(most+1))
		return day
	}
	add := func(steps ...leadStep) { q.Steps = append(q.Steps, steps...) }

	if q.Source == "web" {
		add(signal(day, "page_view"), signal(day, q.pick("price_view", "brochure", "payment_calculator")))
	}
	if outcome == "new" {
		if day > 2 {
			add(post(day, "/assign", roundRobin))
		}
		return
	}

	add(post(day, "/assign", roundRobin), q.answer(next(1)), update(day, object{"status": "contacted"}))
	if outcome == "contacted" {
		return
	}
	if outcome == "lost" && q.random.IntN(2) == 0 {
		next(12)
		if q.texts && q.random.IntN(2) == 0 {
			add(q.reply(day, "STOP"))
		}
		add(post(day, "/close", object{"reason": q.pick("Stopped responding", "Bought elsewhere", "Only looking")}))
		return
	}

	add(q.reply(next(2), q.pick("Thanks, that helps. When can I see it?", "Could we do Saturday at 11?", "What is the best price?",
		"My wife wants to see it, too. Are you open on Sunday?", "We like it. What would you give me for my boat?")))
	add(signal(day, q.pick("return_visit", "trade_valuation", "payment_calculator")))
	low := 20_000
	if q.about != nil {
		low = int(round(float64(q.about.price) * 0.85))
	}
	add(update(next(1), object{"status": "qualified", "budget_min_usd": low, "budget_max_usd": low * 5 / 4,
		"timeline": q.pick("before spring", "this month", "by the boat show", "no rush")}))
	if day > 8 {
		add(call(next(1), "Answered the question. They want to think about it."))
	}
	switch outcome {
	case "working":
		add(signal(next(3), "sea_trial_request"), q.confirm(day), update(day, object{"status": "working"}))
	case "lost":
		add(post(next(14), "/close", object{"reason": q.pick("Bought elsewhere", "Keeps the old boat", "Financing declined",
			"Wants a slip that we can't offer", "Price")}))
	}
}

// answer is the first message to the lead, or a call.
func (q *inquiry) answer(daysAgo int) leadStep {
	switch {
	case q.texts:
		return q.text(daysAgo, "Hi "+q.First+", this is Chesapeake Marine. The "+q.what()+" is here. When would you like to see it?")
	case len(q.consents) > 0:
		return post(daysAgo, "/messages", object{
			"channel": "email", "purpose": "transactional", "subject": "Your question about the " + q.what(),
			"body": "Hi " + q.First + ",\n\nThank you for asking about the " + q.what() + ". It is at our dock and ready to show. " +
				"Would Saturday morning work for you?\n\nChesapeake Marine",
		})
	}
	return call(daysAgo, "Told them about the "+q.what()+". They will look at the pictures.")
}

// confirm confirms an appointment.
func (q *inquiry) confirm(daysAgo int) leadStep {
	if q.texts {
		return q.text(daysAgo, "Hi "+q.First+", your sea trial is confirmed. Please bring a light jacket. See you at the dock.")
	}
	return call(daysAgo, "Confirmed the sea trial.")
}

func (q *inquiry) text(daysAgo int, body string) leadStep {
	return post(daysAgo, "/messages", object{"channel": "sms", "purpose": "transactional", "body": body})
}

// reply is a message from the lead.
func (q *inquiry) reply(daysAgo int, body string) leadStep {
	if q.texts {
		return post(daysAgo, "/inbound_messages", object{"channel": "sms", "from": q.Phone, "body": body})
	}
	return post(daysAgo, "/inbound_messages", object{"channel": "email", "from": q.Email, "subject": "Re: your question", "body": body})
}
