package deals

import (
	"strings"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/hin"
	"slipway/internal/vocab/patch"
)

// TradeIn is a boat that the buyer trades in.
type TradeIn struct {
	_ struct{} `doc:"A boat that the buyer trades in." columns:"id year+make+model:BOAT hin allowance_cents payoff_cents equity_cents / acv_cents lienholder"`

	Env                 auth.Env  `json:"-" db:"env"`
	ID                  string    `json:"id" db:"id" doc:"Identifies the trade-in. Starts with trd_." example:"trd_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	DealID              string    `json:"deal_id" db:"deal_id" doc:"Deal that the trade-in belongs to." example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Description         *string   `json:"description" db:"description" doc:"The boat in your own words. Null if there is none." example:"2016 Boston Whaler 210 Montauk with trailer"`
	HIN                 *string   `json:"hin" db:"hin" doc:"Hull identification number of the boat. Null if unknown." privacy:"personal,sale"`
	Year                *int64    `json:"year" db:"year" doc:"Model year of the boat. Null if unknown." example:"2016"`
	Make                *string   `json:"make" db:"make" doc:"Manufacturer of the boat. Null if unknown." example:"Boston Whaler" privacy:"personal,sale"`
	Model               *string   `json:"model" db:"model" doc:"Model name of the boat. Null if unknown." example:"210 Montauk" privacy:"personal,sale"`
	LengthFt            *float64  `json:"length_ft" db:"length_ft" doc:"Length overall in feet. Null if unknown." example:"21.33"`
	AllowanceCents      int64     `json:"allowance_cents" db:"allowance_cents" doc:"Amount in cents that the dealership credits the buyer for the boat." example:"3250000"`
	ACVCents            *int64    `json:"acv_cents" db:"acv_cents" doc:"Actual cash value, which is what the boat is worth to the dealership. Null if your key does not have deals:write." privacy:"cost,deals:write"`
	PayoffCents         int64     `json:"payoff_cents" db:"payoff_cents" doc:"Amount in cents that the buyer still owes on the boat."`
	EquityCents         int64     `json:"equity_cents" doc:"Allowance minus payoff. Negative equity is added to the total."`
	PayoffGoodThroughOn *string   `json:"payoff_good_through_on" db:"payoff_good_through_on" format:"date" doc:"Last day on which the lender accepts the payoff." since:"next"`
	PerDiemCents        *int64    `json:"per_diem_cents" db:"per_diem_cents" doc:"Interest that the payoff increases by each day after that." example:"412" since:"next"`
	Lienholder          *string   `json:"lienholder" db:"lienholder" doc:"Lender that the payoff is owed to. Null if there is none." privacy:"personal,sale"`
	StockIn             bool      `json:"stock_in" db:"stock_in" doc:"Whether it is added to the inventory as a hull when the deal is closed."`
	HullID              *string   `json:"hull_id" db:"hull_id" doc:"Hull that was created from it. Null until then."`
	CreatedAt           time.Time `json:"created_at" db:"created_at" doc:"When the trade-in was added."`
	OverAllowedCents    int64     `json:"-"`
}

// TradeInAdd is the request body for a new trade-in.
type TradeInAdd struct {
	_ struct{} `doc:"A boat to trade in with a new deal."`

	Description         *string  `json:"description" required:"false" maxLength:"500" doc:"The boat in your own words, such as with trailer and equipment."`
	HIN                 *string  `json:"hin" required:"false" maxLength:"32" doc:"Hull identification number of the boat. It must not belong to a hull in stock."`
	Year                *int64   `json:"year" required:"false" minimum:"1900" maximum:"9999" doc:"Model year of the boat."`
	Make                *string  `json:"make" required:"false" minLength:"1" maxLength:"100" doc:"Manufacturer of the boat."`
	Model               *string  `json:"model" required:"false" minLength:"1" maxLength:"100" doc:"Model name of the boat."`
	LengthFt            *float64 `json:"length_ft" required:"false" exclusiveMinimum:"0" maximum:"1000" doc:"Length overall in feet, with at most two decimals."`
	AllowanceCents      int64    `json:"allowance_cents" minimum:"0" maximum:"100000000000" doc:"Amount in cents that the dealership credits the buyer for the boat." example:"3250000"`
	ACVCents            *int64   `json:"acv_cents" privacy:"cost,deals:write" required:"false" minimum:"0" maximum:"100000000000" doc:"Actual cash value in cents: what the boat is worth to the dealership. The profit is null while it is unknown." example:"3000000"`
	PayoffCents         int64    `json:"payoff_cents,omitempty" minimum:"0" maximum:"100000000000" doc:"Amount in cents that the buyer still owes on the boat. Defaults to 0." example:"1200000"`
	PayoffGoodThroughOn *string  `json:"payoff_good_through_on" required:"false" format:"date" doc:"Last day on which the lender accepts the payoff." since:"next"`
	PerDiemCents        *int64   `json:"per_diem_cents" required:"false" minimum:"0" maximum:"100000000000" doc:"Interest that the payoff increases by each day after that." example:"412" since:"next"`
	Lienholder          *string  `json:"lienholder" required:"false" maxLength:"200" doc:"Lender that the payoff is owed to."`
	StockIn             bool     `json:"stock_in,omitempty" doc:"Add it to the inventory as a hull when the deal is closed. Requires make, model, year and length_ft. The HIN must be valid if you send one."`
}

// TradeInPut is the request body for a trade-in of an existing deal.
type TradeInPut struct {
	_ struct{} `doc:"A trade-in to add to a deal or to replace."`

	TradeInAdd
	ReplacesID *string `json:"replaces_id" required:"false" minLength:"1" maxLength:"64" doc:"Trade-in of this deal to replace. It keeps its ID. Omitted fields are cleared." example:"trd_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

// TradeInPatch is a JSON merge patch of a trade-in.
type TradeInPatch struct {
	_ struct{} `doc:"Changes to a trade-in. Fields that you leave out keep their values."`

	Description         patch.Null[string]  `json:"description,omitzero" maxLength:"500" doc:"What it is, in your words."`
	HIN                 patch.Null[string]  `json:"hin,omitzero" maxLength:"32" doc:"Hull identification number."`
	Year                patch.Null[int64]   `json:"year,omitzero" minimum:"1900" maximum:"9999" doc:"Model year."`
	Make                patch.Null[string]  `json:"make,omitzero" minLength:"1" maxLength:"100" doc:"Manufacturer."`
	Model               patch.Null[string]  `json:"model,omitzero" minLength:"1" maxLength:"100" doc:"Model."`
	LengthFt            patch.Null[float64] `json:"length_ft,omitzero" exclusiveMinimum:"0" maximum:"1000" doc:"Length overall in feet."`
	AllowanceCents      patch.Value[int64]  `json:"allowance_cents,omitzero" minimum:"0" maximum:"100000000000" doc:"Amount that the dealership credits the buyer for it."`
	ACVCents            patch.Null[int64]   `json:"acv_cents,omitzero" privacy:"cost,deals:write" minimum:"0" maximum:"100000000000" doc:"Actual cash value."`
	PayoffCents         patch.Value[int64]  `json:"payoff_cents,omitzero" minimum:"0" maximum:"100000000000" doc:"Amount still owed on it."`
	PayoffGoodThroughOn patch.Null[string]  `json:"payoff_good_through_on,omitzero" format:"date" doc:"Last day on which the lender accepts the payoff."`
	PerDiemCents        patch.Null[int64]   `json:"per_diem_cents,omitzero" minimum:"0" maximum:"100000000000" doc:"Interest that the payoff increases by each day after that."`
	Lienholder          patch.Null[string]  `json:"lienholder,omitzero" maxLength:"200" doc:"Lender that the payoff is owed to."`
	StockIn             patch.Value[bool]   `json:"stock_in,omitzero" doc:"Whether to add it to the inventory as a hull when the deal is closed."`
}

// apply returns the complete request that changes a trade-in.
func (p TradeInPatch) apply(t TradeIn) TradeInAdd {
	a := TradeInAdd{
		Description: t.Description, HIN: t.HIN, Year: t.Year, Make: t.Make, Model: t.Model, LengthFt: t.LengthFt,
		AllowanceCents: t.AllowanceCents, ACVCents: t.ACVCents, PayoffCents: t.PayoffCents, PayoffGoodThroughOn: t.PayoffGoodThroughOn,
		PerDiemCents: t.PerDiemCents, Lienholder: t.Lienholder, StockIn: t.StockIn,
	}
	p.Description.To(&a.Description)
	p.HIN.To(&a.HIN)
	p.Year.To(&a.Year)
	p.Make.To(&a.Make)
	p.Model.To(&a.Model)
	p.LengthFt.To(&a.LengthFt)
	p.AllowanceCents.To(&a.AllowanceCents)
	p.ACVCents.To(&a.ACVCents)
	p.PayoffCents.To(&a.PayoffCents)
	p.PayoffGoodThroughOn.To(&a.PayoffGoodThroughOn)
	p.PerDiemCents.To(&a.PerDiemCents)
	p.Lienholder.To(&a.Lienholder)
	p.StockIn.To(&a.StockIn)
	return a
}

// Check validates what the schema can't express.
func (a TradeInAdd) Check(now time.Time) error {
	var bad fault.Fields
	a.check(&bad, "", now)
	return bad.Err()
}

// check adds the errors with a prefix for the field names.
func (a TradeInAdd) check(bad *fault.Fields, prefix string, now time.Time) {
	if a.LengthFt != nil {
		hulls.CheckLength(bad, prefix+"length_ft", new(*a.LengthFt))
	}
	if a.StockIn {
		for _, f := range []struct {
			name string
			set  bool
		}{{"make", a.Make != nil}, {"model", a.Model != nil}, {"year", a.Year != nil}, {"length_ft", a.LengthFt != nil}} {
			if !f.set {
				bad.Add(prefix+f.name, "required", "is required if stock_in is true")
			}
		}
		if a.HIN != nil && !hin.Decode(*a.HIN, now).Valid {
			bad.Add(prefix+"hin", "pattern", "must be a valid hull identification number if stock_in is true")
		}
	}
	if a.Year != nil && *a.Year > int64(now.Year())+2 {
		bad.Add(prefix+"year", "maximum", "must be at most %d", now.Year()+2)
	}
}

// tradeIn builds the trade-in. A valid HIN is stored as the inventory stores it.
func (a TradeInAdd) tradeIn(now time.Time) TradeIn {
	if a.HIN != nil {
		if d := hin.Decode(*a.HIN, now); d.Valid {
			a.HIN = d.Normalized
		}
	}
	return TradeIn{
		Description: a.Description, HIN: a.HIN, Year: a.Year, Make: a.Make, Model: a.Model, LengthFt: a.LengthFt,
		AllowanceCents: a.AllowanceCents, ACVCents: a.ACVCents, PayoffCents: a.PayoffCents, Lienholder: a.Lienholder, StockIn: a.StockIn,
		PayoffGoodThroughOn: a.PayoffGoodThroughOn, PerDiemCents: a.PerDiemCents,
	}
}

// sameHIN reports whether the boat has this HIN.
func (t TradeIn) sameHIN(number string) bool {
	return t.HIN != nil && strings.EqualFold(*t.HIN, number)
}

// derive calculates the fields that are not stored. Without an actual cash value,
// the over-allowance is unknown.
func (t *TradeIn) derive() {
	t.EquityCents, t.OverAllowedCents = t.AllowanceCents-t.PayoffCents, 0
	if t.ACVCents != nil {
		t.OverAllowedCents = t.AllowanceCents - *t.ACVCents
	}
}

// tradeChange is a change of the trade-ins of a deal. Without before it adds one, and without
// after it removes one.
type tradeChange struct{ before, after *TradeIn }

// apply changes the totals of the deal.
func (c tradeChange) apply(d *Deal) {
	was := *d
	if c.before != nil {
		d.countTrade(*c.before, -1)
	}
	if c.after != nil {
		d.countTrade(*c.after, 1)
	}
	d.deselectIfRepriced(was)
}

func (d *Deal) countTrade(t TradeIn, sign int64) {
	t.derive()
	d.TradeAllowanceCents += sign * t.AllowanceCents
	d.TradeEquityCents += sign * t.EquityCents
	d.OverAllowanceCents += sign * t.OverAllowedCents
	if t.ACVCents == nil {
		d.TradesWithoutACV += sign
	}
}

// checkACV fails if the value of a trade-in is unknown. The buyer might be credited too much for it.
func (d Deal) checkACV() error {
	if d.TradesWithoutACV == 0 {
		return nil
	}
	return fault.Forbidden("The value of a trade-in (acv_cents) is unknown. Ask a user who can see costs (hulls:write).").
		Detail("trade_ins", "acv_unknown", "must have acv_cents, so that the price can be checked")
}

// hull returns the boat for the inventory and its cost. It is not for sale until
// the dealership has inspected it.
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
		reason := hulls.HINNotYetAssigned
		if *t.Year < 1972 {
			reason = hulls.HINBefore1972
		}
		c.HINAbsentReason = &reason
	}
	return c, worth
}
