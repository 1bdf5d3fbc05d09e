package demo

import (
	"net/http"
	"time"

	"slipway/internal/hulls"
)

const (
	days      = 400  // age of the dealership
	modelYear = 2027 // the current model year
)

// request is a request for a boat, a lead, a deal or an appointment.
type request struct {
	at     time.Time
	boat   *boat
	buyer  *buyer // set for a lead
	sale   *sale  // set for a deal
	visit  *visit // set for an appointment
	method string
	path   string // after the path of the boat or the lead
	body   any
}

// history collects the requests of a boat.
type history struct {
	*boat
	now      time.Time
	requests []request
}

// requests returns the requests of the boat.
func (b *boat) requests(now time.Time) []request {
	l := &history{boat: b, now: now}
	if b.condition == "order" {
		l.order(20 + b.random.IntN(60))
		return l.requests
	}
	arrived := l.arrive()
	b.since = l.requests[0].at
	l.reducePrice(arrived)
	if arrived > 30 && b.random.IntN(12) == 0 {
		l.changeLocation(arrived / 2)
	}
	l.setFinalStatus(arrived)
	return l.requests
}

// maryland is the time zone of the dealership.
var maryland = func() *time.Location {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		panic(err)
	}
	return zone
}()

// at returns the time at a number of days ago and minutes after midnight.
func at(now time.Time, daysAgo, minute int) time.Time {
	year, month, day := now.In(maryland).Date()
	return time.Date(year, month, day-daysAgo, 0, minute, 0, 0, maryland).UTC()
}

// add adds a request at a number of days ago, in business hours.
func (l *history) add(daysAgo int, method, path string, body any) {
	minute := 9*60 + l.number%8*60 + len(l.requests)*4 + l.number%4
	l.requests = append(l.requests, request{
		at: at(l.now, daysAgo, minute), boat: l.boat, method: method, path: path, body: body,
	})
}

// create adds the boat with its specifications and pricing.
func (l *history) create(daysAgo int, status hulls.Status) {
	c := l.hull()
	if c.Status = status; status == hulls.OnOrder {
		c.HIN, c.HINAbsentReason = nil, nil // not assigned yet
		if l.condition == "order" {
			c.ExpectedOn = new(l.now.AddDate(0, 0, 20+l.number%9*10).Format(time.DateOnly))
		}
	}
	l.add(daysAgo, http.MethodPost, "", c)
	l.add(daysAgo, http.MethodPut, "/specs", l.specs(l.now))
	l.add(daysAgo, http.MethodPut, "/pricing", l.pricing(l.price, ""))
}

// order adds a boat that has not arrived yet.
func (l *history) order(daysAgo int) {
	l.create(daysAgo, hulls.OnOrder)
	if l.random.IntN(3) == 0 {
		l.ship(1 + l.random.IntN(6))
	}
}

func (l *history) ship(daysAgo int) {
	l.add(daysAgo, http.MethodPatch, "", map[string]any{"hin": l.hin()})
	l.transition(daysAgo, hulls.InTransit, "Left the factory")
}

// arrive adds a boat in stock and returns how many days ago it arrived.
func (l *history) arrive() int {
	switch {
	case l.condition == "used" && l.random.IntN(5) == 0:
		daysAgo := 25 + l.random.IntN(days-30)
		l.create(daysAgo, hulls.NotForSale)
		daysAgo -= 6 + l.random.IntN(14)
		l.transition(daysAgo, hulls.Available, "Reconditioned")
		return daysAgo
	case l.condition == "used":
		daysAgo := 2 + l.random.IntN(days-5)
		l.create(daysAgo, hulls.Available)
		return daysAgo
	}
	daysAgo := 3 + l.random.IntN(40)
	if l.year < modelYear {
		daysAgo += 40 + l.random.IntN(200)
	}
	if l.random.IntN(2) == 0 {
		l.create(daysAgo, hulls.Available)
		return daysAgo
	}
	l.create(daysAgo+45+l.random.IntN(30), hulls.OnOrder)
	l.ship(daysAgo + 4 + l.random.IntN(5))
	l.transition(daysAgo, hulls.Available, "Arrived and rigged")
	return daysAgo
}

// reducePrice reduces the price a few times.
func (l *history) reducePrice(arrived int) {
	reasons := []string{
		"Season-end pricing", "60 days in stock", "Market adjustment", "Annapolis boat show special", "Making room for spring models",
	}
	price, step := l.price, 0.02
	if l.condition == "used" {
		step = 0.035
	}
	for daysAgo := arrived - 45 - l.random.IntN(60); daysAgo > 3; daysAgo -= 70 + l.random.IntN(90) {
		price = round(float64(price) * (1 - step - l.random.Float64()*0.02))
		l.add(daysAgo, http.MethodPut, "/pricing", l.pricing(price, l.pick(reasons...)))
	}
}

func (l *history) changeLocation(daysAgo int) {
	to := l.env.locations["BAL"]
	if l.requests[0].body.(hulls.HullCreate).LocationID == to {
		to = l.env.locations["ANN"]
	}
	l.add(daysAgo, http.MethodPatch, "", map[string]any{"location_id": to})
}

// setFinalStatus holds, withdraws or archives some boats. It must be called last.
func (l *history) setFinalStatus(arrived int) {
	daysAgo := 1 + l.random.IntN(3)
	switch n := l.random.IntN(100); {
	case n < 8 && arrived > 5:
		until := at(l.now, -2-l.random.IntN(6), 17*60)
		l.add(daysAgo, http.MethodPost, "/transition", hulls.HullTransition{To: hulls.OnHold, ExpiresAt: &until,
			Reason: new(l.pick("Deposit received, survey scheduled", "Second showing on Saturday", "Waiting for financing"))})
	case n < 12 && arrived > 5:
		l.gone = true
		l.transition(daysAgo, hulls.NotForSale, l.pick("Warranty work", "Loaned to the sailing school", "On display at the boat show"))
	case n < 20 && arrived > 60:
		reason := "Traded to another dealer"
		if l.condition == "used" {
			reason = l.pick("Sent to auction", "Sold for parts", "Donated to the maritime museum")
		}
		l.gone = true
		l.add(daysAgo, http.MethodPost, "/archive", hulls.HullArchive{Reason: &reason})
	}
}

func (l *history) transition(daysAgo int, to hulls.Status, reason string) {
	l.add(daysAgo, http.MethodPost, "/transition", hulls.HullTransition{To: to, Reason: &reason})
}
