package storefront

import (
	"cmp"
	"net/url"
	"strings"

	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/platform/front"
	"slipway/internal/vocab/null"
)

// fact is a value with its name.
type fact struct {
	Name, Value string
	Mono        bool
}

type specGroup struct {
	Name  string
	Facts []fact
}

// factsOf are up to four numbers that decide.
func factsOf(h hulls.Hull, s hulls.HullSpecs) []fact {
	all := []fact{{Name: front.Say("spec.length"), Value: front.Feet(h.LengthFt)}}
	if s.TotalPowerHP != nil && *s.TotalPowerHP > 0 {
		all = append(all, fact{Name: front.Say("spec.engine"), Value: front.Say("hp", front.Decimal(*s.TotalPowerHP))})
	}
	if hours := s.EngineHours(); len(hours) > 0 {
		all = append(all, fact{Name: front.Say("spec.hours"), Value: front.Decimal(hours[0])})
	}
	if s.MaxPersons != nil && *s.MaxPersons > 0 {
		all = append(all, fact{Name: front.Say("spec.seats"), Value: front.Number(*s.MaxPersons)})
	}
	if s.Cabins != nil && *s.Cabins > 0 && len(all) < 4 {
		all = append(all, fact{Name: front.Say("spec.cabins"), Value: front.Number(*s.Cabins)})
	}
	if s.BeamFt != nil && len(all) < 4 {
		all = append(all, fact{Name: front.Say("spec.beam"), Value: front.Feet(*s.BeamFt)})
	}
	if len(all)%2 == 1 { // two columns on a phone
		all = append(all, fact{Name: front.Say("spec.year"), Value: whole(&h.Year)})
	}
	return all
}

// specsOf are the specifications in groups. Unknown values are left out. Serial numbers of engines
// and trailers are not for the public.
func specsOf(h hulls.Hull, s hulls.HullSpecs) []specGroup {
	hull, engine := &specGroup{Name: front.Say("specs.hull")}, &specGroup{Name: front.Say("specs.engine")}
	add := func(g *specGroup, key, value string) {
		if value != "" {
			g.Facts = append(g.Facts, fact{Name: front.Say("spec." + key), Value: value})
		}
	}
	of := func(n *float64, format func(float64) string) string {
		if n == nil || *n <= 0 {
			return ""
		}
		return format(*n)
	}
	unit := func(key string) func(float64) string {
		return func(n float64) string { return front.Say(key, front.Decimal(n)) }
	}
	count := func(n *int64) string {
		if n == nil || *n <= 0 {
			return ""
		}
		return front.Number(*n)
	}

	add(hull, "loa", front.Feet(h.LengthFt))
	add(hull, "beam", of(s.BeamFt, front.Feet))
	if s.DraftFt != nil {
		add(hull, "draft", of(s.DraftFt.Max, front.Feet))
	}
	add(hull, "clearance", of(s.BridgeClearanceFt, front.Feet))
	add(hull, "weight", of(s.DryWeightLb, unit("lb")))
	add(hull, "displacement", of(s.DisplacementLb, unit("lb")))
	add(hull, "material", wordsOf(null.String(s.HullMaterial)))
	add(hull, "color", null.Text(s.HullColor))
	add(hull, "built", whole(s.YearBuilt))
	add(hull, "cabins", count(s.Cabins))
	if s.Berths != nil {
		add(hull, "berths", count(s.Berths.Total))
	}
	add(hull, "heads", count(s.Heads))
	if h.HIN != nil {
		hull.Facts = append(hull.Facts, fact{Name: front.Say("spec.hin"), Value: *h.HIN, Mono: true})
	}

	if s.Engines != nil {
		for _, e := range *s.Engines {
			name := strings.TrimSpace(null.Text(e.Make) + " " + null.Text(e.Model))
			if y := whole(e.Year); y != "" && name != "" {
				name += ", " + y
			}
			add(engine, "engine", name)
			add(engine, "hours", of(e.Hours, front.Decimal))
			add(engine, "fuel", wordsOf(null.String(e.Fuel)))
		}
	}
	add(engine, "power", of(s.TotalPowerHP, unit("hp")))
	add(engine, "speed", of(s.MaxSpeedKn, unit("kn")))
	if s.Tanks != nil {
		add(engine, "fuel.tank", of(s.Tanks.FuelGal, unit("gal")))
		add(engine, "water", of(s.Tanks.WaterGal, unit("gal")))
		add(engine, "holding", of(s.Tanks.HoldingGal, unit("gal")))
	}
	if s.Trailer != nil && s.Trailer.Included != nil && *s.Trailer.Included {
		add(engine, "trailer", cmp.Or(strings.TrimSpace(null.Text(s.Trailer.Make)+" "+null.Text(s.Trailer.Model)), front.Say("included")))
	}

	var all []specGroup
	for _, g := range []*specGroup{hull, engine} {
		if len(g.Facts) > 0 {
			all = append(all, *g)
		}
	}
	return all
}

// wordsOf writes the value of an enum: fiberglass becomes Fiberglass.
func wordsOf(value string) string {
	if value == "" {
		return ""
	}
	value = strings.ReplaceAll(value, "_", " ")
	return strings.ToUpper(value[:1]) + value[1:]
}

// gear lists the equipment.
func gear(s hulls.HullSpecs) []string {
	if s.Highlights == nil {
		return nil
	}
	return *s.Highlights
}

// paragraphs splits text from users.
func paragraphs(text string) (all []string) {
	for p := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		if p = strings.TrimSpace(p); p != "" {
			all = append(all, p)
		}
	}
	return all
}

// place is where a boat can be seen.
func (v visit) place(l dealership.Location) *placeView {
	if l.ID == "" {
		return nil
	}
	p := &placeView{Name: l.Name, Lines: lines(l.Address), Hours: v.hours(l.ID), Phone: v.phone(l)}
	if len(p.Lines) > 0 {
		p.Map = "https://www.openstreetmap.org/search?query=" + url.QueryEscape(strings.Join(p.Lines, ", "))
	}
	return p
}

// phone is the number to call about a boat.
func (v visit) phone(l dealership.Location) *front.Link {
	if l.Phone != nil {
		return front.Tel(*l.Phone)
	}
	for _, p := range v.places() {
		if p.Phone != nil {
			return p.Phone
		}
	}
	return nil
}

// describe is what search engines show below the title.
func (v visit) describe(h hulls.Hull, b boatView) string {
	parts := []string{front.Say("condition."+string(h.Condition)) + " " + headline(h), front.Feet(h.LengthFt)}
	if b.Price != "" && !b.Call {
		parts = append(parts, b.Price)
	}
	return front.Say("boat.description", strings.Join(parts, ", "), v.name(), b.Town)
}

// Data for search engines (schema.org).
type (
	ldProduct struct {
		Context   string   `json:"@context"`
		Type      string   `json:"@type"`
		Name      string   `json:"name"`
		SKU       string   `json:"sku,omitempty"`
		URL       string   `json:"url"`
		Category  string   `json:"category"`
		Model     string   `json:"model"`
		Brand     ldThing  `json:"brand"`
		Text      string   `json:"description,omitempty"`
		Images    []string `json:"image,omitempty"`
		Condition string   `json:"itemCondition"`
		Offer     ldOffer  `json:"offers"`
	}
	ldThing struct {
		Type string `json:"@type"`
		Name string `json:"name"`
	}
	ldOffer struct {
		Type         string  `json:"@type"`
		URL          string  `json:"url"`
		Price        string  `json:"price,omitempty"`
		Currency     string  `json:"priceCurrency,omitempty"`
		Availability string  `json:"availability"`
		Seller       ldThing `json:"seller"`
	}
)

const schemaOrg = "https://schema.org/"

// data describes a boat to search engines. A hidden price isn't in it.
func (v visit) data(h hulls.Hull, b boatView) any {
	p := ldProduct{
		Context: strings.TrimSuffix(schemaOrg, "/"), Type: "Product", Name: b.Title, SKU: b.Stock, URL: v.origin + v.page(h), Category: "Boat",
		Model: h.Model, Brand: ldThing{"Brand", h.Make}, Text: strings.Join(b.Description, "\n\n"), Condition: schemaOrg + "UsedCondition",
		Offer: ldOffer{Type: "Offer", URL: v.origin + v.page(h), Availability: schemaOrg + "InStock", Seller: ldThing{"AutoDealer", v.name()}},
	}
	if h.Condition == "new" {
		p.Condition = schemaOrg + "NewCondition"
	}
	if !b.Call {
		p.Offer.Price, p.Offer.Currency = whole(&h.PriceUSD)+".00", "USD"
	}
	switch {
	case h.Status == hulls.SalePending || h.Status == hulls.OnHold:
		p.Offer.Availability = schemaOrg + "LimitedAvailability"
	case h.Status.IsComing():
		p.Offer.Availability = schemaOrg + "PreOrder"
	}
	for _, picture := range b.Photos {
		p.Images = append(p.Images, v.origin+picture.Src)
	}
	return p
}
