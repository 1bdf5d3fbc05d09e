package channels

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"slipway/internal/hulls"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/wire"
)

const schemaOrg = "https://schema.org/"

// jsonWriter writes a DataFeed of schema.org in JSON-LD. The text can be embedded in a
// script element.
type jsonWriter struct {
	w     io.Writer
	count int
}

func newJSON(w io.Writer) writer { return &jsonWriter{w: w} }

func (j *jsonWriter) begin(s shop) error {
	name, err := wire.MarshalHTML(s.name)
	if err == nil {
		_, err = io.WriteString(j.w, `{"@context":"https://schema.org","@type":"DataFeed","name":`+string(name)+`,"dataFeedElement":[`)
	}
	return err
}

func (j *jsonWriter) write(l listing) error {
	text, err := wire.MarshalHTML(ldFeedItem{"DataFeedItem", l.UpdatedAt.Format(wire.TimeFormat), productOf(l)})
	if err != nil {
		return err
	}
	before := "\n"
	if j.count++; j.count > 1 {
		before = ",\n"
	}
	_, err = io.WriteString(j.w, before+string(text))
	return err
}

func (j *jsonWriter) end() error {
	_, err := io.WriteString(j.w, "\n]}\n")
	return err
}

// alone writes one boat, without a feed around it.
func (j *jsonWriter) alone(l listing) error {
	p := productOf(l)
	p.Context = strings.TrimSuffix(schemaOrg, "/")
	text, err := wire.MarshalHTML(p)
	if err == nil {
		_, err = j.w.Write(append(text, '\n'))
	}
	return err
}

type ldFeedItem struct {
	Type     string  `json:"@type"`
	Modified string  `json:"dateModified"`
	Item     product `json:"item"`
}

// product is a boat. schema.org has no type for boats. Unknown values are omitted.
type product struct {
	Context     string       `json:"@context,omitempty"`
	Type        []string     `json:"@type"`
	ID          string       `json:"@id"`
	ProductID   string       `json:"productID"`
	URL         string       `json:"url,omitempty"`
	SKU         string       `json:"sku,omitempty"`
	Serial      string       `json:"serialNumber,omitempty"`
	Name        string       `json:"name"`
	Description string       `json:"description,omitempty"`
	Brand       ldThing      `json:"brand"`
	Model       string       `json:"model"`
	ModelDate   string       `json:"vehicleModelDate"`
	Built       string       `json:"productionDate,omitempty"`
	Category    string       `json:"category"`
	Condition   string       `json:"itemCondition"`
	Images      []string     `json:"image,omitempty"`
	Engines     []ldEngine   `json:"vehicleEngine,omitempty"`
	Offers      ldOffer      `json:"offers"`
	Properties  []ldProperty `json:"additionalProperty"`
}

type ldThing struct {
	Type    string   `json:"@type"`
	Name    string   `json:"name,omitempty"`
	Phone   string   `json:"telephone,omitempty"`
	Address *ldPlace `json:"address,omitempty"`
}

type ldPlace struct {
	Type    string `json:"@type"`
	Street  string `json:"streetAddress,omitempty"`
	City    string `json:"addressLocality,omitempty"`
	Region  string `json:"addressRegion,omitempty"`
	Postal  string `json:"postalCode,omitempty"`
	Country string `json:"addressCountry,omitempty"`
}

type ldEngine struct {
	Type       string      `json:"@type"`
	Name       string      `json:"name,omitempty"`
	EngineType string      `json:"engineType,omitempty"`
	Fuel       string      `json:"fuelType,omitempty"`
	Power      *ldQuantity `json:"enginePower,omitempty"`
}

type ldQuantity struct {
	Type  string  `json:"@type"`
	Value float64 `json:"value"`
	Unit  string  `json:"unitCode"`
}

type ldOffer struct {
	Type         string    `json:"@type"`
	URL          string    `json:"url,omitempty"`
	Price        string    `json:"price,omitempty"`
	Currency     string    `json:"priceCurrency"`
	Prices       []ldPrice `json:"priceSpecification,omitempty"`
	Availability string    `json:"availability"`
	Seller       ldThing   `json:"seller"`
	At           *ldThing  `json:"availableAtOrFrom,omitempty"`
}

type ldPrice struct {
	Type      string `json:"@type"`
	PriceType string `json:"priceType"`
	Price     string `json:"price"`
	Currency  string `json:"priceCurrency"`
}

type ldProperty struct {
	Type  string `json:"@type"`
	Name  string `json:"name"`
	Value any    `json:"value"`
	Unit  string `json:"unitCode,omitempty"`
}

var availabilities = map[string]string{
	"active": "InStock", "sale_pending": "LimitedAvailability", "pre_order": "PreOrder", "withdrawn": "Discontinued",
}

func productOf(l listing) product {
	p := product{
		Type: []string{"Product", "Vehicle"}, ID: l.shop.url + "/v1/hulls/" + l.ID, ProductID: l.ID, URL: l.page, SKU: null.Text(l.StockNumber),
		Serial: null.Text(l.HIN), Name: l.headline(), Description: null.Text(l.Description), Brand: ldThing{Type: "Brand", Name: l.Make},
		Model: l.Model, ModelDate: strconv.FormatInt(l.Year, 10), Built: whole(l.specs.YearBuilt), Category: string(l.Category),
		Condition: schemaOrg + "UsedCondition", Offers: offerOf(l), Properties: propertiesOf(l),
	}
	if l.Hull.Condition == "new" {
		p.Condition = schemaOrg + "NewCondition"
	}
	for _, photo := range l.photos {
		p.Images = append(p.Images, photo.URLs.Full)
	}
	for _, e := range l.engines() {
		engine := ldEngine{Type: "EngineSpecification", Name: engineName(e), EngineType: null.String(e.Type), Fuel: null.String(e.Fuel)}
		if e.HP != nil {
			engine.Power = &ldQuantity{"QuantitativeValue", *e.HP, "BHP"}
		}
		p.Engines = append(p.Engines, engine)
	}
	return p
}

func offerOf(l listing) ldOffer {
	o := ldOffer{
		Type: "Offer", URL: l.page, Price: l.price(), Currency: "USD", Availability: schemaOrg + availabilities[l.saleStatus()],
		Seller: ldThing{Type: "Organization", Name: l.shop.name},
	}
	if l.pricing.PriceType == "sale" && o.Price != "" {
		o.Prices = append(o.Prices, ldPrice{"UnitPriceSpecification", schemaOrg + "SalePrice", o.Price, "USD"})
	}
	if msrp := whole(l.pricing.MSRPUSD); msrp != "" {
		o.Prices = append(o.Prices, ldPrice{"UnitPriceSpecification", schemaOrg + "MSRP", msrp, "USD"})
	}
	if l.at != nil {
		o.At = &ldThing{Type: "Place", Name: l.at.Name, Phone: null.Text(l.at.Phone)}
		if a := l.at.Address; a != nil {
			o.At.Address = &ldPlace{"PostalAddress", a.Line1, a.City, null.Text(a.Region), null.Text(a.PostalCode), a.Country}
		}
	}
	return o
}

// propertiesOf returns what schema.org has no name for.
func propertiesOf(l listing) (all []ldProperty) {
	add := func(name, text, unit string) {
		if text == "" {
			return
		}
		p := ldProperty{"PropertyValue", name, text, unit}
		if n, err := strconv.ParseFloat(text, 64); err == nil && unit != "" {
			p.Value = n
		}
		all = append(all, p)
	}
	for _, f := range fields {
		if f.unit != "-" {
			add(f.name, f.text(l), f.unit)
		}
	}
	for i, e := range l.engines() {
		for _, f := range engineProperties {
			add(fmt.Sprintf("engine_%d_%s", i+1, f.name), f.text(e), f.unit)
		}
	}
	for _, h := range l.highlights() {
		add("highlight", h, "")
	}
	return all
}

var engineProperties = []struct {
	name, unit string
	text       func(hulls.SpecEngine) string
}{
	{"position", "", func(e hulls.SpecEngine) string { return null.String(e.Position) }},
	{"year", "", func(e hulls.SpecEngine) string { return whole(e.Year) }},
	{"hours", "HUR", func(e hulls.SpecEngine) string { return decimal(e.Hours) }},
	{"drive", "", func(e hulls.SpecEngine) string { return null.String(e.Drive) }},
	{"propeller", "", func(e hulls.SpecEngine) string { return null.Text(e.Propeller) }},
}
