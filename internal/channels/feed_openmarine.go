package channels

import (
	"cmp"
	"encoding/xml"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/vocab/null"
)

// openMarineWriter writes OpenMarine XML 1.7, which portals in Europe read. Its wiki
// describes it: wiki.openmarine.org. Speeds are in knots, tanks in liters and weights in
// kilograms.
type openMarineWriter struct{ *xmlStream }

func newOpenMarine(w io.Writer) writer { return &openMarineWriter{newStream(w)} }

func (o *openMarineWriter) begin(s shop) error {
	err := o.start(
		element("open_marine", "version", "1.7", "language", "en", "origin", "Slipway", "date", s.changed.UTC().Format(time.RFC3339)),
		element("broker", "code", s.partyID()))
	if err != nil {
		return err
	}
	if err := o.item(omBroker{Name: s.name}); err != nil {
		return err
	}
	offices := omOffices{}
	for _, l := range s.lots {
		office := omOffice{ID: l.ID, Name: l.Name, Phone: null.Text(l.Phone)}
		if a := l.Address; a != nil {
			office.Address, office.Town, office.County, office.Country = a.Line1, a.City, null.Text(a.Region), a.Country
			office.Postcode = null.Text(a.PostalCode)
			if a.Line2 != nil {
				office.Address += ", " + *a.Line2
			}
		}
		offices.Offices = append(offices.Offices, office)
	}
	if err := o.item(offices); err != nil {
		return err
	}
	return o.start(element("adverts"))
}

type omBroker struct {
	XMLName xml.Name `xml:"broker_details"`
	Name    string   `xml:"company_name"`
}

type omOffices struct {
	XMLName xml.Name   `xml:"offices"`
	Offices []omOffice `xml:"office"`
}

type omOffice struct {
	ID       string `xml:"id,attr"`
	Name     string `xml:"office_name"`
	Address  string `xml:"address,omitempty"`
	Town     string `xml:"town,omitempty"`
	County   string `xml:"county,omitempty"`
	Country  string `xml:"country,omitempty"`
	Postcode string `xml:"postcode,omitempty"`
	Phone    string `xml:"daytime_phone,omitempty"`
}

type omAdvert struct {
	XMLName  xml.Name    `xml:"advert"`
	Ref      string      `xml:"ref,attr"`
	OfficeID string      `xml:"office_id,attr"`
	Status   string      `xml:"status,attr"`
	Modified string      `xml:"last_modified,attr"`
	Media    omMediaList `xml:"advert_media"`
	Features omFeatures  `xml:"advert_features"`
	Boat     omBoat      `xml:"boat_features"`
}

type omMediaList struct {
	Media []omMedia `xml:"media"`
}

type omMedia struct {
	Type     string `xml:"type,attr"`
	Caption  string `xml:"caption,attr"`
	Primary  bool   `xml:"primary,attr"`
	Modified string `xml:"file_mtime,attr"`
	URL      string `xml:",chardata"`
}

type omFeatures struct {
	BoatType     string          `xml:"boat_type"`
	Category     string          `xml:"boat_category,omitempty"`
	NewOrUsed    string          `xml:"new_or_used"`
	Lying        omLying         `xml:"vessel_lying"`
	Price        omPrice         `xml:"asking_price"`
	Descriptions []omDescription `xml:"marketing_descs>marketing_desc"`
	Manufacturer string          `xml:"manufacturer"`
	Model        string          `xml:"model"`
	Other        *omItems        `xml:"other"`
}

type omLying struct {
	Country string `xml:"country,attr"`
	Place   string `xml:",chardata"`
}

type omPrice struct {
	OnApplication bool   `xml:"poa,attr"`
	Currency      string `xml:"currency,attr"`
	VATIncluded   bool   `xml:"vat_included,attr"`
	Amount        string `xml:",chardata"`
}

type omDescription struct {
	Language string `xml:"language,attr"`
	Text     string `xml:",chardata"`
}

type omBoat struct {
	omItems
	Dimensions    omItems `xml:"dimensions"`
	Build         omItems `xml:"build"`
	Engine        omItems `xml:"engine"`
	Accommodation omItems `xml:"accommodation"`
	Additional    omItems `xml:"additional"`
}

type omItems struct {
	Items []omItem `xml:"item"`
}

type omItem struct {
	Name  string `xml:"name,attr"`
	Label string `xml:"label,attr,omitempty"`
	Unit  string `xml:"unit,attr,omitempty"`
	Text  string `xml:",chardata"`
}

// add adds an item, unless its text is empty.
func (i *omItems) add(name, unit, text string) {
	if text != "" {
		i.Items = append(i.Items, omItem{Name: name, Unit: unit, Text: text})
	}
}

// label adds an item that the format has no name for.
func (i *omItems) label(name, label, text string) {
	if text != "" {
		i.Items = append(i.Items, omItem{Name: name, Label: label, Text: text})
	}
}

// omStatuses are the statuses of adverts. There is none for a boat that is withdrawn, and
// a portal must not show it as available.
var omStatuses = map[string]string{"active": "Available", "sale_pending": "UnderOffer", "withdrawn": "Sold"}

var (
	omTypes = map[hulls.Category]string{"power": "motor", "pwc": "motor", "sail": "sail", "unpowered": "other"}
	omWords = map[string]string{"gas": "petrol", "outboard_2s": "two-stroke outboard", "outboard_4s": "four-stroke outboard"}
)

func (o *openMarineWriter) write(l listing) error {
	a := omAdvert{
		Ref: l.ID, OfficeID: l.lot().ID, Status: omStatuses[l.saleStatus()], Modified: l.UpdatedAt.UTC().Format(time.RFC3339),
		Features: omFeatures{
			BoatType: omTypes[l.Category], Category: l.class(),
			NewOrUsed: "used", Lying: omLying{l.address().Country, lying(l)}, Price: omPrice{l.price() == "", "USD", false, l.price()},
			Descriptions: []omDescription{{"en", null.Text(l.Description)}}, Manufacturer: l.Make, Model: l.Model,
		},
		Boat: omBoatOf(l),
	}
	if l.Condition == "new" {
		a.Features.NewOrUsed = "new"
	}
	if l.Description == nil {
		a.Features.Descriptions[0].Text = l.headline()
	}
	if l.page != "" {
		a.Features.Other = &omItems{}
		a.Features.Other.label("external_url", "Website", l.page)
	}
	for i, p := range l.photos {
		a.Media.Media = append(a.Media.Media, omMedia{
			"image/jpeg", null.Text(p.Caption), i == 0, p.UpdatedAt.UTC().Format(time.RFC3339), p.URLs.Full,
		})
	}
	return o.item(a)
}

// lying is the place where the boat is.
func lying(l listing) string {
	place := l.address().City
	if region := l.address().Region; region != nil {
		place += ", " + *region
	}
	return place
}

func omBoatOf(l listing) (b omBoat) {
	b.add("range", "", decimal(l.specs.RangeNm))
	b.add("passenger_capacity", "", whole(l.specs.MaxPersons))

	b.Dimensions.add("beam", "feet", decimal(l.specs.BeamFt))
	b.Dimensions.add("draft", "feet", decimal(l.draft().Max))
	b.Dimensions.add("loa", "feet", decimal(&l.LengthFt))
	if l.specs.Lengths != nil {
		b.Dimensions.add("lwl", "feet", decimal(l.specs.Lengths.LWLFt))
	}
	b.Dimensions.add("air_draft", "feet", decimal(l.specs.BridgeClearanceFt))

	b.Build.add("builder", "", l.Make)
	year := l.specs.YearBuilt
	if year == nil {
		year = &l.Year
	}
	b.Build.add("year", "", whole(year))
	b.Build.add("hull_colour", "", null.Text(l.specs.HullColor))
	b.Build.add("hull_construction", "", words(null.String(l.specs.HullMaterial)))
	b.Build.add("hull_number", "", null.Text(l.HIN))
	b.Build.add("hull_type", "", words(null.String(l.specs.HullShape)))
	b.Build.add("keel_type", "", words(null.String(l.specs.Keel)))
	b.Build.add("ballast", "kg", times(l.specs.BallastLb, kgPerPound))
	b.Build.add("displacement", "kg", times(l.specs.DisplacementLb, kgPerPound))

	addEngines(&b, l)
	b.Engine.add("cruising_speed", "knots", decimal(l.specs.CruiseSpeedKn))
	b.Engine.add("max_speed", "knots", decimal(l.specs.MaxSpeedKn))
	b.Engine.add("tankage", "litres", times(l.tanks().FuelGal, litersPerGallon))

	b.Accommodation.add("cabins", "", whole(l.specs.Cabins))
	b.Accommodation.add("berths", "", whole(l.berths().Total))
	b.Accommodation.add("toilet", "", whole(l.specs.Heads))

	b.Additional.label("stock_number", "Stock number", null.Text(l.StockNumber))
	b.Additional.label("title", "Title", null.Text(l.Title))
	b.Additional.label("price_type", "Price type", string(l.pricing.PriceType))
	b.Additional.label("model_year", "Model year", strconv.FormatInt(l.Year, 10))
	b.Additional.add("dry_weight", "kg", times(l.specs.DryWeightLb, kgPerPound))
	b.Additional.add("fresh_water_tanks", "litres", times(l.tanks().WaterGal, litersPerGallon))
	b.Additional.add("holding_tanks", "litres", times(l.tanks().HoldingGal, litersPerGallon))
	b.Additional.label("trailer", "Trailer", l.trailer())
	for _, h := range l.highlights() {
		b.Additional.label("highlight", "Highlight", h)
	}
	return b
}

// addEngines describes the first engine as the format does, and all engines with a label:
// the format has only one.
func addEngines(b *omBoat, l listing) {
	b.Engine.add("engine_quantity", "", whole(l.specs.EngineCount))
	for i, e := range l.engines() {
		if i == 0 {
			b.Engine.add("engine_manufacturer", "", null.Text(e.Make))
			b.Engine.add("engine_model", "", null.Text(e.Model))
			b.Engine.add("horse_power", "", decimal(e.HP))
			b.Engine.add("hours", "", decimal(e.Hours))
			b.Engine.add("fuel", "", omWord(e.Fuel))
			b.Engine.add("engine_location", "", omWord(e.Type))
			b.Engine.add("drive_type", "", words(null.String(e.Drive)))
			b.Engine.add("propeller_type", "", null.Text(e.Propeller))
		}
		parts := []string{words(null.String(e.Position)), whole(e.Year), engineText(e), omWord(e.Fuel), omWord(e.Type), words(null.String(e.Drive))}
		if e.Hours != nil {
			parts = append(parts, decimal(e.Hours)+" hours")
		}
		parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
		n := strconv.Itoa(i + 1)
		b.Additional.label("engine_"+n, "Engine "+n, strings.Join(parts, ", "))
	}
}

// omWord returns what the portals call a fuel or a type of engine.
func omWord[T ~string](value *T) string {
	return cmp.Or(omWords[null.String(value)], words(null.String(value)))
}

const (
	kgPerPound      = 0.45359237
	litersPerGallon = 3.785411784
)

// times converts a value and rounds it to two decimals.
func times(v *float64, factor float64) string {
	if v == nil {
		return ""
	}
	return decimal(new(math.Round(*v*factor*100) / 100))
}

// words returns the words of an enum: modified_vee is "modified vee".
func words(value string) string { return strings.ReplaceAll(value, "_", " ") }
