package demo

import (
	"net/http"
	"time"

	"slipway/internal/hulls"
)

const (
	days   = 400  // how long the dealership has been in business
	newest = 2027 // the model year that is arriving now
)

// act is one request in the life of a boat, a lead or a deal.
type act struct {
	at     time.Time
	boat   *boat
	buyer  *buyer // instead of a boat
	sale   *sale  // or of a buyer
	method string
	path   string // below the boat's or the lead's own
	body   any
}

// life is what happens to a boat between its arrival and now.
type life struct {
	*boat
	now  time.Time
	acts []act
}

func (b *boat) life(now time.Time) []act {
	l := &life{boat: b, now: now}
	if b.condition == "order" {
		l.order(20 + b.luck.IntN(60))
		return l.acts
	}
	arrived := l.arrive()
	l.drop(arrived)
	if arrived > 30 && b.luck.IntN(12) == 0 {
		l.move(arrived / 2)
	}
	l.settle(arrived)
	return l.acts
}

// on adds a request, so many days ago, in business hours.
func (l *life) on(daysAgo int, method, path string, body any) {
	day := l.now.UTC().Truncate(24*time.Hour).AddDate(0, 0, -daysAgo)
	minute := 13*60 + l.number%8*60 + len(l.acts)*4 + l.number%4 // from nine in the morning, Maryland time
	l.acts = append(l.acts, act{at: day.Add(time.Duration(minute) * time.Minute), boat: l.boat, method: method, path: path, body: body})
}

// enter puts the boat in the books, with its specification and its costs.
func (l *life) enter(daysAgo int, status hulls.Status) {
	c := l.create()
	if c.Status = status; status == hulls.OnOrder {
		c.HIN, c.HINAbsentReason = nil, nil // the maker has not given it yet
	}
	l.on(daysAgo, http.MethodPost, "", c)
	l.on(daysAgo, http.MethodPut, "/specs", l.sheet(l.now))
	l.on(daysAgo, http.MethodPut, "/pricing", l.pricing(l.price, nil))
}

// order is the life of a boat that is not here yet.
func (l *life) order(daysAgo int) {
	l.enter(daysAgo, hulls.OnOrder)
	if l.luck.IntN(3) == 0 {
		l.ship(1 + l.luck.IntN(6))
	}
}

func (l *life) ship(daysAgo int) {
	l.on(daysAgo, http.MethodPatch, "", map[string]any{"hin": l.hin()})
	l.transition(daysAgo, hulls.InTransit, "Left the factory")
}

// arrive brings the boat into stock and returns how many days ago that was.
func (l *life) arrive() int {
	switch {
	case l.condition == "used" && l.luck.IntN(5) == 0:
		daysAgo := 25 + l.luck.IntN(days-30)
		l.enter(daysAgo, hulls.NotForSale)
		daysAgo -= 6 + l.luck.IntN(14)
		l.transition(daysAgo, hulls.Available, "Reconditioned")
		return daysAgo
	case l.condition == "used":
		daysAgo := 2 + l.luck.IntN(days-5)
		l.enter(daysAgo, hulls.Available)
		return daysAgo
	}
	daysAgo := 3 + l.luck.IntN(40)
	if l.year < newest {
		daysAgo += 40 + l.luck.IntN(200)
	}
	if l.luck.IntN(2) == 0 {
		l.enter(daysAgo, hulls.Available)
		return daysAgo
	}
	l.enter(daysAgo+45+l.luck.IntN(30), hulls.OnOrder)
	l.ship(daysAgo + 4 + l.luck.IntN(5))
	l.transition(daysAgo, hulls.Available, "Arrived and rigged")
	return daysAgo
}

// drop lowers the price from time to time while there is no buyer.
func (l *life) drop(arrived int) {
	reasons := []string{"Season-end pricing", "Sixty days in stock", "To meet the market", "Annapolis boat show special", "Making room for the spring"}
	price, hurry := l.price, 0.02
	if l.condition == "used" {
		hurry = 0.035
	}
	for left := arrived - 45 - l.luck.IntN(60); left > 3; left -= 70 + l.luck.IntN(90) {
		price = round(float64(price) * (1 - hurry - l.luck.Float64()*0.02))
		l.on(left, http.MethodPut, "/pricing", l.pricing(price, new(l.pick(reasons...))))
	}
}

func (l *life) move(daysAgo int) {
	to := l.desk.lots["BAL"]
	if l.acts[0].body.(hulls.HullCreate).LocationID == to {
		to = l.desk.lots["ANN"]
	}
	l.on(daysAgo, http.MethodPatch, "", map[string]any{"location_id": to})
}

// settle leaves most boats for sale and some not. It comes last in a life.
func (l *life) settle(arrived int) {
	daysAgo := 1 + l.luck.IntN(3)
	switch fate := l.luck.IntN(100); {
	case fate < 8 && arrived > 5:
		until := l.now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 2+l.luck.IntN(6)).Add(21 * time.Hour)
		l.on(daysAgo, http.MethodPost, "/transition", hulls.HullTransition{To: hulls.OnHold, ExpiresAt: &until,
			Reason: new(l.pick("Deposit taken, survey to follow", "Second showing on Saturday", "Waiting for the bank"))})
	case fate < 12 && arrived > 5:
		l.transition(daysAgo, hulls.NotForSale, l.pick("Warranty work", "Lent to the sailing school", "Shown at the boat show"))
	case fate < 20 && arrived > 60:
		reason := "Traded to another dealer"
		if l.condition == "used" {
			reason = l.pick("Sent to auction", "Broken up for parts", "Given to the maritime museum")
		}
		l.on(daysAgo, http.MethodPost, "/archive", hulls.HullArchive{Reason: &reason})
	}
}

func (l *life) transition(daysAgo int, to hulls.Status, reason string) {
	l.on(daysAgo, http.MethodPost, "/transition", hulls.HullTransition{To: to, Reason: &reason})
}
