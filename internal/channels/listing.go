package channels

import (
	"strconv"
	"strings"

	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/photos"
	"slipway/internal/vocab/null"
)

// listing is a hull as the public sees it on a channel.
type listing struct {
	hulls.Hull
	pricing   hulls.HullPricing
	specs     hulls.HullSpecs
	photos    []photos.HullPhoto // only those that are ready
	at        *dealership.Location
	shop      shop
	page      string // its URL on the dealer's website, or ""
	withdrawn bool   // it is withdrawn
}

// saleStatus returns the status that partners use.
func (l listing) saleStatus() string {
	switch {
	case l.withdrawn:
		return "withdrawn"
	case l.Status == hulls.SalePending:
		return "sale_pending"
	case l.Status.IsComing():
		return "pre_order"
	}
	return "active"
}

// price returns the asking price, or "" if it is hidden.
func (l listing) price() string {
	if l.pricing.PriceHidden || l.pricing.PriceType == "call" {
		return ""
	}
	return strconv.FormatInt(l.PriceUSD, 10)
}

func (l listing) headline() string {
	if l.Title != nil {
		return *l.Title
	}
	return strconv.FormatInt(l.Year, 10) + " " + l.Make + " " + l.Model
}

// class returns the class of the boat without its category: center for power-center.
func (l listing) class() string {
	_, class, _ := strings.Cut(null.String(l.BoatClass), "-")
	return class
}

// field is one value of a listing. The same table is used for the XML of Slipway, CSV
// and the properties that schema.org has no name for.
type field struct {
	name string
	unit string // UN/CEFACT code for JSON properties; "-" if JSON has the value elsewhere
	text func(listing) string
}

var fields = []field{
	{"stock_number", "-", func(l listing) string { return null.Text(l.StockNumber) }},
	{"hin", "-", func(l listing) string { return null.Text(l.HIN) }},
	{"status", "", listing.saleStatus},
	{"title", "-", listing.headline},
	{"make", "-", func(l listing) string { return l.Make }},
	{"model", "-", func(l listing) string { return l.Model }},
	{"year", "-", func(l listing) string { return strconv.FormatInt(l.Year, 10) }},
	{"condition", "", func(l listing) string { return string(l.Condition) }},
	{"category", "-", func(l listing) string { return string(l.Category) }},
	{"boat_class", "", func(l listing) string { return null.String(l.BoatClass) }},
	{"price_usd", "-", listing.price},
	{"msrp_usd", "-", func(l listing) string { return whole(l.pricing.MSRPUSD) }},
	{"length_ft", "FOT", func(l listing) string { return decimal(&l.LengthFt) }},
	{"beam_ft", "FOT", func(l listing) string { return decimal(l.specs.BeamFt) }},
	{"draft_max_ft", "FOT", func(l listing) string { return decimal(l.draft().Max) }},
	{"dry_weight_lb", "LBR", func(l listing) string { return decimal(l.specs.DryWeightLb) }},
	{"hull_material", "", func(l listing) string { return null.String(l.specs.HullMaterial) }},
	{"hull_shape", "", func(l listing) string { return null.String(l.specs.HullShape) }},
	{"hull_color", "", func(l listing) string { return null.Text(l.specs.HullColor) }},
	{"engine_count", "", func(l listing) string { return whole(l.specs.EngineCount) }},
	{"engines", "", func(l listing) string { return l.eachEngine(engineText) }},
	{"total_power_hp", "BHP", func(l listing) string { return decimal(l.specs.TotalPowerHP) }},
	{"fuel_gal", "GLL", func(l listing) string { return decimal(l.tanks().FuelGal) }},
	{"max_persons", "", func(l listing) string { return whole(l.specs.MaxPersons) }},
	{"cabins", "", func(l listing) string { return whole(l.specs.Cabins) }},
	{"heads", "", func(l listing) string { return whole(l.specs.Heads) }},
	{"max_speed_kn", "KNT", func(l listing) string { return decimal(l.specs.MaxSpeedKn) }},
	{"description", "-", func(l listing) string { return null.Text(l.Description) }},
	{"seller", "-", func(l listing) string { return l.shop.name }},
	{"location", "-", func(l listing) string { return l.lot().Name }},
	{"city", "-", func(l listing) string { return l.address().City }},
	{"region", "-", func(l listing) string { return null.Text(l.address().Region) }},
	{"country", "-", func(l listing) string { return l.address().Country }},
	{"phone", "-", func(l listing) string { return null.Text(l.lot().Phone) }},
	{"street", "-", func(l listing) string { return l.address().Line1 }},
	{"postal_code", "-", func(l listing) string { return null.Text(l.address().PostalCode) }},
	{"url", "-", func(l listing) string { return l.page }},
	{"price_type", "", func(l listing) string { return string(l.pricing.PriceType) }},
	{"year_built", "-", func(l listing) string { return whole(l.specs.YearBuilt) }},
	{"draft_drive_up_ft", "FOT", func(l listing) string { return decimal(l.draft().DriveUp) }},
	{"bridge_clearance_ft", "FOT", func(l listing) string { return decimal(l.specs.BridgeClearanceFt) }},
	{"displacement_lb", "LBR", func(l listing) string { return decimal(l.specs.DisplacementLb) }},
	{"deadrise_deg", "DD", func(l listing) string { return decimal(l.specs.DeadriseDeg) }},
	{"keel", "", func(l listing) string { return null.String(l.specs.Keel) }},
	{"max_power_hp", "BHP", func(l listing) string { return decimal(l.specs.MaxPowerHP) }},
	{"water_gal", "GLL", func(l listing) string { return decimal(l.tanks().WaterGal) }},
	{"holding_gal", "GLL", func(l listing) string { return decimal(l.tanks().HoldingGal) }},
	{"berths", "", func(l listing) string { return whole(l.berths().Total) }},
	{"cruise_speed_kn", "KNT", func(l listing) string { return decimal(l.specs.CruiseSpeedKn) }},
	{"range_nm", "NMI", func(l listing) string { return decimal(l.specs.RangeNm) }},
	{"trailer_included", "", func(l listing) string {
		if t := l.specs.Trailer; t != nil && t.Included != nil {
			return strconv.FormatBool(*t.Included)
		}
		return ""
	}},
	{"trailer", "", listing.trailer},
}

// lists are values that CSV has in one cell. The other formats repeat an element.
var lists = []field{
	{"engine_position", "", func(l listing) string {
		return l.eachEngine(func(e hulls.SpecEngine) string { return null.String(e.Position) })
	}},
	{"engine_hours", "", func(l listing) string {
		return l.eachEngine(func(e hulls.SpecEngine) string { return decimal(e.Hours) })
	}},
	{"engine_fuel", "", func(l listing) string {
		return l.eachEngine(func(e hulls.SpecEngine) string { return null.String(e.Fuel) })
	}},
	{"engine_type", "", func(l listing) string {
		return l.eachEngine(func(e hulls.SpecEngine) string { return null.String(e.Type) })
	}},
	{"engine_drive", "", func(l listing) string {
		return l.eachEngine(func(e hulls.SpecEngine) string { return null.String(e.Drive) })
	}},
	{"highlights", "", func(l listing) string { return strings.Join(l.highlights(), "; ") }},
}

func (l listing) lot() dealership.Location {
	if l.at == nil {
		return dealership.Location{}
	}
	return *l.at
}

func (l listing) address() dealership.Address {
	if a := l.lot().Address; a != nil {
		return *a
	}
	return dealership.Address{}
}

func (l listing) draft() hulls.SpecDraft {
	if l.specs.DraftFt == nil {
		return hulls.SpecDraft{}
	}
	return *l.specs.DraftFt
}

func (l listing) tanks() hulls.SpecTanks {
	if l.specs.Tanks == nil {
		return hulls.SpecTanks{}
	}
	return *l.specs.Tanks
}

func (l listing) berths() hulls.SpecBerths {
	if l.specs.Berths == nil {
		return hulls.SpecBerths{}
	}
	return *l.specs.Berths
}

func (l listing) highlights() []string {
	if l.specs.Highlights == nil {
		return nil
	}
	return *l.specs.Highlights
}

func (l listing) engines() []hulls.SpecEngine {
	if l.specs.Engines == nil {
		return nil
	}
	return *l.specs.Engines
}

// eachEngine returns a text for each engine, in one line. They can differ, so it
// doesn't write "2 x". It is empty if all texts are.
func (l listing) eachEngine(text func(hulls.SpecEngine) string) string {
	var all []string
	for _, e := range l.engines() {
		all = append(all, text(e))
	}
	if strings.Join(all, "") == "" {
		return ""
	}
	return strings.Join(all, "; ")
}

// engineText names an engine and its power.
func engineText(e hulls.SpecEngine) string {
	text := engineName(e)
	if e.HP != nil {
		text += " " + decimal(e.HP) + " hp"
	}
	return strings.TrimSpace(text)
}

func engineName(e hulls.SpecEngine) string {
	return strings.TrimSpace(null.Text(e.Make) + " " + null.Text(e.Model))
}

// trailer describes the trailer, or returns "" if nothing is known about it. Its VIN is
// not for the public.
func (l listing) trailer() string {
	t := l.specs.Trailer
	if t == nil {
		return ""
	}
	text := strings.Join(strings.Fields(whole(t.Year)+" "+null.Text(t.Make)+" "+null.Text(t.Model)), " ")
	if t.Axles != nil {
		text += ", axles: " + whole(t.Axles)
	}
	if t.CapacityLb != nil {
		text += ", capacity: " + decimal(t.CapacityLb) + " lb"
	}
	return strings.TrimPrefix(text, ", ")
}

func whole(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

func decimal(n *float64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatFloat(*n, 'f', -1, 64)
}
