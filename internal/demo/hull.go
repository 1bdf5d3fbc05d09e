package demo

import (
	"fmt"
	"math"
	"time"

	"slipway/internal/hulls"
)

// hull returns the request body of the new hull.
func (b *boat) hull() hulls.HullCreate {
	c := hulls.HullCreate{
		Make: b.model["make"], Model: b.model["model"], Year: int64(b.year), LengthFt: *b.model.number("loa"), PriceUSD: b.price,
		LocationID: b.env.locations[b.location()], Status: hulls.Available, StockNumber: new(b.stockNumber()), Condition: hulls.Condition(b.condition),
		BoatClass: new(hulls.BoatClass(b.model["class"])), Title: new(b.title()), Description: new(b.description()),
		Ownership: hulls.Ownership(b.ownership()), HIN: b.hin(), Metadata: map[string]string{"berth": b.berth()},
	}
	if b.condition == "order" {
		c.Condition = "new"
		c.OrderNumber, c.Options = new(fmt.Sprintf("%d-%05d", b.year, 11_000+b.number*37)), factoryOptions[b.number%len(factoryOptions)]
	}
	if c.HIN == nil {
		c.HINAbsentReason = new(hulls.HINBefore1972)
	}
	return c
}

// factoryOptions are options of boats on order.
var factoryOptions = [][]string{
	{"Second battery with switch", "Underwater lights"}, {"Tower with canvas", "Upgraded stereo"}, {"Hull color: Ice Blue"},
	{"Trim tabs with auto control", "Cockpit cover", "Freshwater sink"},
}

func (b *boat) ownership() string {
	switch {
	case b.condition != "used":
		return b.pick("floorplan", "floorplan", "owned")
	case b.price > 150_000:
		return b.pick("brokerage", "brokerage", "owned")
	}
	return b.pick("owned", "owned", "owned", "consignment")
}

// location returns the code of the boat's location. All sailboats are in Annapolis.
func (b *boat) location() string {
	if b.model.isSail() {
		return "ANN"
	}
	return b.pick("ANN", "BAL")
}

func (b *boat) berth() string {
	if *b.model.number("loa") < 24 {
		return fmt.Sprintf("rack %d-%02d", 1+b.random.IntN(4), 1+b.random.IntN(24))
	}
	return fmt.Sprintf("slip %c-%02d", 'A'+b.random.IntN(5), 1+b.random.IntN(40))
}

// pricing returns the request body of the pricing, with the costs of the boat.
func (b *boat) pricing(price int64, reason string) object {
	share := func(of float64) int64 { return round(float64(b.price) * of) }
	cents := func(of float64) *int64 { return new(share(of) * 100) }
	p := object{"price_usd": price, "price_type": "asking", "floor_usd": share(0.86)}
	if reason != "" {
		p["reason"] = reason
	}
	if price < b.price {
		p["price_type"] = "sale"
	}
	if b.condition == "used" {
		p["cost"] = hulls.HullCost{InvoiceCents: cents(0.78), ReconditioningCents: cents(0.02)}
		return p
	}
	p["msrp_usd"] = share(1.07)
	p["cost"] = hulls.HullCost{InvoiceCents: cents(0.8), FreightCents: cents(0.015), RiggingCents: cents(0.01)}
	return p
}

// round rounds to $100.
func round(v float64) int64 { return int64(math.Round(v/100)) * 100 }

// age returns the age of the boat in years.
func (b *boat) age(now time.Time) int { return max(0, now.Year()-b.year) }

// specs returns the specifications of the boat.
func (b *boat) specs(now time.Time) hulls.SpecSheet {
	m := b.model
	b.color = b.pick("White", "White", "Oyster", "Seafoam", "Flag blue", "Ice blue", "Black")
	s := hulls.SpecSheet{
		Lengths: &hulls.SpecLengths{LOAFt: m.number("loa")}, BeamFt: m.number("beam"), DeadriseDeg: m.number("deadrise"),
		HullMaterial: text[hulls.HullMaterial](m, "material"), HullShape: text[hulls.HullShape](m, "shape"), Keel: text[hulls.KeelType](m, "keel"), BallastLb: m.number("ballast"),
		HullColor:      &b.color,
		DesignCategory: new(designCategory(*m.number("loa"))), YearBuilt: new(int64(b.year - 1)),
		Engines: new(b.engines(now)), MaxPersons: m.count("persons"), Cabins: m.count("cabins"), Heads: m.count("heads"),
		Berths: &hulls.SpecBerths{Total: m.count("berths")}, MaxSpeedKn: m.number("knots"),
		Tanks:      &hulls.SpecTanks{FuelGal: m.number("fuel"), WaterGal: m.number("water")},
		Highlights: new(b.highlights()),
	}

	if draft := m.number("draft"); draft != nil {
		s.DraftFt = &hulls.SpecDraft{Max: draft}
	}
	switch {
	case m.isSail():
		s.Propulsion, s.DisplacementLb = new(hulls.Propulsion("sail")), m.number("weight")
	case m.isPaddled():
		s.Propulsion, s.DryWeightLb = new(hulls.Propulsion("manual")), m.number("weight")
	default:
		s.Propulsion, s.DryWeightLb = new(hulls.Propulsion("propeller")), m.number("weight")
		s.MaxPowerHP = new(*m.number("hp") * *m.number("engines"))
		s.CruiseSpeedKn = new(math.Round(*s.MaxSpeedKn * 0.65))
	}
	if m["type"] == "jet" {
		s.Propulsion = new(hulls.Propulsion("water_jet"))
	}
	if m.hasMotor() && *m.number("loa") < 24 {
		s.Trailer = &hulls.SpecTrailer{Included: new(true), Make: new("Load Rite"), Axles: new(1 + *m.count("weight")/3500)}
	}
	if b.age(now) < 3 {
		s.Warranty = &hulls.SpecWarranty{ExpiresAt: new(time.Date(b.year+5, time.June, 30, 0, 0, 0, 0, time.UTC)), Transferable: new(true)}
	}
	return s
}

func (b *boat) engines(now time.Time) []hulls.SpecEngine {
	m := b.model
	hours := new(float64(b.age(now)*(30+b.random.IntN(50)) + 2))
	engines := []hulls.SpecEngine{}
	for _, side := range map[string][]hulls.EnginePosition{"1": {"single"}, "2": {"port", "starboard"}}[m["engines"]] {
		engines = append(engines, hulls.SpecEngine{
			Position: &side, Make: text[string](m, "engine_make"), Model: text[string](m, "engine"), Year: new(int64(b.year)),
			HP: m.number("hp"), Hours: hours, Type: text[hulls.EngineType](m, "type"), Fuel: text[hulls.EngineFuel](m, "energy"),
		})
	}
	return engines
}

// designCategory returns the usual design category for a length.
func designCategory(length float64) hulls.DesignCategory {
	switch {
	case length >= 40:
		return "ocean"
	case length >= 28:
		return "offshore"
	case length >= 18:
		return "inshore"
	}
	return "sheltered"
}
