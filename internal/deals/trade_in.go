package deals

import (
	"time"

	"slipway/internal/hulls"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/hin"
)

// TradeIn is a boat that the buyer gives in payment.
type TradeIn struct {
	Env              auth.Env  `json:"-" db:"env"`
	ID               string    `json:"id" db:"id" example:"trd_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	DealID           string    `json:"deal_id" db:"deal_id" example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Description      *string   `json:"description" db:"description" example:"2016 Boston Whaler 210 Montauk with trailer"`
	HIN              *string   `json:"hin" db:"hin"`
	Year             *int64    `json:"year" db:"year" example:"2016"`
	Make             *string   `json:"make" db:"make" example:"Boston Whaler"`
	Model            *string   `json:"model" db:"model" example:"210 Montauk"`
	LengthFt         *float64  `json:"length_ft" db:"length_ft" example:"21.33"`
	AllowanceCents   int64     `json:"allowance_cents" db:"allowance_cents" doc:"What the buyer is given for it." example:"3250000"`
	ACVCents         *int64    `json:"acv_cents" db:"acv_cents" doc:"Actual cash value: what it is worth to the dealership. Null without deals:write." audit:"-"`
	PayoffCents      int64     `json:"payoff_cents" db:"payoff_cents" doc:"What is still owed on it."`
	EquityCents      int64     `json:"equity_cents" doc:"Allowance less payoff; negative equity adds to what the buyer pays."`
	Lienholder       *string   `json:"lienholder" db:"lienholder" doc:"To whom it is owed."`
	StockIn          bool      `json:"stock_in" db:"stock_in" doc:"Whether it becomes a hull when the deal is closed."`
	HullID           *string   `json:"hull_id" db:"hull_id" doc:"The hull that it became."`
	CreatedAt        time.Time `json:"created_at" db:"created_at"`
	OverAllowedCents int64     `json:"-"`
}

// TradeInAdd is a new trade-in.
type TradeInAdd struct {
	Description    *string  `json:"description" required:"false" maxLength:"500"`
	HIN            *string  `json:"hin" required:"false" maxLength:"32"`
	Year           *int64   `json:"year" required:"false" minimum:"1900" maximum:"9999"`
	Make           *string  `json:"make" required:"false" minLength:"1" maxLength:"100"`
	Model          *string  `json:"model" required:"false" minLength:"1" maxLength:"100"`
	LengthFt       *float64 `json:"length_ft" required:"false" exclusiveMinimum:"0" maximum:"1000"`
	AllowanceCents int64    `json:"allowance_cents" minimum:"0" maximum:"100000000000" example:"3250000"`
	ACVCents       *int64   `json:"acv_cents" required:"false" minimum:"0" maximum:"100000000000" doc:"Actual cash value." example:"3000000"`
	PayoffCents    int64    `json:"payoff_cents,omitempty" minimum:"0" maximum:"100000000000" example:"1200000"`
	Lienholder     *string  `json:"lienholder" required:"false" maxLength:"200"`
	StockIn        bool     `json:"stock_in,omitempty" doc:"Make it a hull when the deal is closed, which needs make, model, year and length_ft, and a good HIN if any."`
}

// Check says what the schema cannot.
func (a TradeInAdd) Check(now time.Time) error {
	var bad fault.Fields
	if a.StockIn {
		for _, f := range []struct {
			name  string
			there bool
		}{{"make", a.Make != nil}, {"model", a.Model != nil}, {"year", a.Year != nil}, {"length_ft", a.LengthFt != nil}} {
			if !f.there {
				bad.Add(f.name, "required", "is required to stock the boat in")
			}
		}
		if a.HIN != nil && !hin.Decode(*a.HIN, now).Valid {
			bad.Add("hin", "pattern", "must be a hull identification number to stock the boat in")
		}
	}
	if a.Year != nil && *a.Year > int64(now.Year())+2 {
		bad.Add("year", "maximum", "must be at most %d", now.Year()+2)
	}
	return bad.Err()
}

func (a TradeInAdd) tradeIn() TradeIn {
	return TradeIn{
		Description: a.Description, HIN: a.HIN, Year: a.Year, Make: a.Make, Model: a.Model, LengthFt: a.LengthFt,
		AllowanceCents: a.AllowanceCents, ACVCents: a.ACVCents, PayoffCents: a.PayoffCents, Lienholder: a.Lienholder, StockIn: a.StockIn,
	}
}

// derive computes what follows from the rest. A boat whose value nobody has
// estimated is taken to be worth what is allowed for it.
func (t *TradeIn) derive() {
	t.EquityCents, t.OverAllowedCents = t.AllowanceCents-t.PayoffCents, 0
	if t.ACVCents != nil {
		t.OverAllowedCents = t.AllowanceCents - *t.ACVCents
	}
}

// told is the trade-in as events tell it, and for those who may only read.
func (t TradeIn) told() TradeIn {
	t.ACVCents = nil
	return t
}

// trade adds (or with -1 takes away) a trade-in from what the deal comes to.
func (d *Deal) trade(t TradeIn, sign int64) {
	t.derive()
	was := *d
	d.TradeAllowanceCents += sign * t.AllowanceCents
	d.TradeEquityCents += sign * t.EquityCents
	d.OverAllowanceCents += sign * t.OverAllowedCents
	d.repriced(was)
}

// hull is the boat as it comes into stock: not for sale until somebody has
// looked it over, at what it is worth to the dealership.
func (t TradeIn) hull(locationID string) (hulls.HullCreate, int64) {
	worth := t.AllowanceCents
	if t.ACVCents != nil {
		worth = *t.ACVCents
	}
	c := hulls.HullCreate{
		HIN: t.HIN, Make: *t.Make, Model: *t.Model, Year: *t.Year, LengthFt: *t.LengthFt, PriceUSD: worth / 100,
		LocationID: locationID, Status: hulls.NotForSale, Condition: "used", Ownership: "owned", Description: t.Description,
	}
	if t.HIN == nil {
		reason := "not_yet_assigned"
		if *t.Year < 1972 {
			reason = "pre_1972"
		}
		c.HINAbsentReason = &reason
	}
	return c, worth
}
