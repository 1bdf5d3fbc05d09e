package channels

import (
	"encoding/csv"
	"encoding/xml"
	"io"
	"strconv"
	"strings"

	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/photos"
	"slipway/internal/vocab/cell"
	"slipway/internal/vocab/wire"
)

// listing is a hull as the public sees it on a channel.
type listing struct {
	hulls.Hull
	pricing   hulls.HullPricing
	specs     hulls.HullSpecs
	photos    []photos.HullPhoto // only those that are ready
	at        *dealership.Location
	seller    string
	withdrawn bool // it is withdrawn
}

// saleStatus returns the status that partners use.
func (l listing) saleStatus() string {
	switch {
	case l.withdrawn:
		return "withdrawn"
	case l.Status == hulls.SalePending:
		return "sale_pending"
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

// field is one value of a listing. The same table is used for XML, CSV and the
// properties that schema.org has no name for.
type field struct {
	name string
	unit string // UN/CEFACT code for JSON properties; "-" if JSON has the value elsewhere
	text func(listing) string
}

var fields = []field{
	{"stock_number", "-", func(l listing) string { return deref(l.StockNumber) }},
	{"hin", "-", func(l listing) string { return deref(l.HIN) }},
	{"status", "", listing.saleStatus},
	{"title", "-", listing.headline},
	{"make", "-", func(l listing) string { return l.Make }},
	{"model", "-", func(l listing) string { return l.Model }},
	{"year", "-", func(l listing) string { return strconv.FormatInt(l.Year, 10) }},
	{"condition", "", func(l listing) string { return l.Condition }},
	{"category", "-", func(l listing) string { return l.Category }},
	{"boat_class", "", func(l listing) string { return deref((*string)(l.BoatClass)) }},
	{"price_usd", "-", listing.price},
	{"msrp_usd", "USD", func(l listing) string { return whole(l.pricing.MSRPUSD) }},
	{"length_ft", "FOT", func(l listing) string { return decimal(&l.LengthFt) }},
	{"beam_ft", "FOT", func(l listing) string { return decimal(l.specs.BeamFt) }},
	{"draft_max_ft", "FOT", func(l listing) string {
		if l.specs.DraftFt == nil {
			return ""
		}
		return decimal(l.specs.DraftFt.Max)
	}},
	{"dry_weight_lb", "LBR", func(l listing) string { return decimal(l.specs.DryWeightLb) }},
	{"hull_material", "", func(l listing) string { return deref(l.specs.HullMaterial) }},
	{"hull_shape", "", func(l listing) string { return deref(l.specs.HullShape) }},
	{"hull_color", "", func(l listing) string { return deref(l.specs.HullColor) }},
	{"engine_count", "", func(l listing) string { return whole(l.specs.EngineCount) }},
	{"engines", "", listing.engines},
	{"total_power_hp", "BHP", func(l listing) string { return decimal(l.specs.TotalPowerHP) }},
	{"fuel_gal", "GLL", func(l listing) string {
		if l.specs.Tanks == nil {
			return ""
		}
		return decimal(l.specs.Tanks.FuelGal)
	}},
	{"max_persons", "", func(l listing) string { return whole(l.specs.MaxPersons) }},
	{"cabins", "", func(l listing) string { return whole(l.specs.Cabins) }},
	{"heads", "", func(l listing) string { return whole(l.specs.Heads) }},
	{"max_speed_kn", "KNT", func(l listing) string { return decimal(l.specs.MaxSpeedKn) }},
	{"description", "-", func(l listing) string { return deref(l.Description) }},
	{"seller", "-", func(l listing) string { return l.seller }},
	{"location", "-", func(l listing) string {
		if l.at == nil {
			return ""
		}
		return l.at.Name
	}},
	{"city", "-", func(l listing) string { return l.address().City }},
	{"region", "-", func(l listing) string { return deref(l.address().Region) }},
	{"country", "-", func(l listing) string { return l.address().Country }},
	{"phone", "-", func(l listing) string {
		if l.at == nil {
			return ""
		}
		return deref(l.at.Phone)
	}},
}

func (l listing) address() dealership.Address {
	if l.at == nil || l.at.Address == nil {
		return dealership.Address{}
	}
	return *l.at.Address
}

// engines returns all engines in one line. They can differ, so it doesn't write "2 x".
func (l listing) engines() string {
	var all []string
	if l.specs.Engines != nil {
		for _, e := range *l.specs.Engines {
			text := strings.TrimSpace(deref(e.Make) + " " + deref(e.Model))
			if e.HP != nil {
				text += " " + decimal(e.HP) + " hp"
			}
			all = append(all, strings.TrimSpace(text))
		}
	}
	return strings.Join(all, "; ")
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

// writer writes a document of listings in one format. A partner receives each
// listing as a separate document.
type writer interface {
	begin(seller string) error
	write(l listing) error
	end() error
}

// mediaTypes are the media types of the formats.
var mediaTypes = map[string]string{"json": "application/ld+json", "xml": "application/xml", "csv": "text/csv; charset=utf-8"}

func newWriter(format string, w io.Writer) writer {
	switch format {
	case "xml":
		return &xmlWriter{w: w, enc: xml.NewEncoder(w)}
	case "csv":
		return &csvWriter{csv.NewWriter(w)}
	}
	return &jsonWriter{w: w}
}

// render writes a document of one listing.
func render(format string, w io.Writer, l listing) error {
	out := newWriter(format, w)
	if j, ok := out.(*jsonWriter); ok {
		return j.alone(l)
	}
	if err := out.begin(l.seller); err != nil {
		return err
	}
	if err := out.write(l); err != nil {
		return err
	}
	return out.end()
}

// ---- CSV ----------------------------------------------------------------------

type csvWriter struct{ *csv.Writer }

func (c *csvWriter) begin(string) error {
	row := []string{"id", "modified_at"}
	for _, f := range fields {
		row = append(row, f.name)
	}
	return c.Write(append(row, "photos"))
}

func (c *csvWriter) write(l listing) error {
	row := []string{l.ID, l.UpdatedAt.Format(wire.TimeFormat)}
	for _, f := range fields {
		row = append(row, cell.Escape(f.text(l)))
	}
	var urls []string
	for _, p := range l.photos {
		urls = append(urls, p.URLs.Full)
	}
	return c.Write(append(row, strings.Join(urls, " ")))
}

func (c *csvWriter) end() error {
	c.Flush()
	return c.Error()
}

// ---- XML ----------------------------------------------------------------------

type xmlWriter struct {
	w   io.Writer
	enc *xml.Encoder
}

func (x *xmlWriter) begin(seller string) error {
	if _, err := io.WriteString(x.w, xml.Header); err != nil {
		return err
	}
	return x.enc.EncodeToken(element("listings", "seller", seller))
}

func element(name string, attrs ...string) xml.StartElement {
	e := xml.StartElement{Name: xml.Name{Local: name}}
	for i := 0; i < len(attrs); i += 2 {
		e.Attr = append(e.Attr, xml.Attr{Name: xml.Name{Local: attrs[i]}, Value: attrs[i+1]})
	}
	return e
}

func (x *xmlWriter) write(l listing) error {
	boat := element("boat", "id", l.ID, "modified", l.UpdatedAt.Format(wire.TimeFormat))
	if err := x.enc.EncodeToken(boat); err != nil {
		return err
	}
	for _, f := range fields {
		if text := f.text(l); text != "" { // unknown values are omitted
			if err := x.enc.EncodeElement(text, element(f.name)); err != nil {
				return err
			}
		}
	}

	for i, p := range l.photos {
		start := element("photo", "position", strconv.Itoa(i+1), "sha256", p.SHA256, "modified", p.UpdatedAt.Format(wire.TimeFormat))
		if p.Caption != nil {
			start.Attr = append(start.Attr, xml.Attr{Name: xml.Name{Local: "caption"}, Value: *p.Caption})
		}
		if err := x.enc.EncodeElement(p.URLs.Full, start); err != nil {
			return err
		}
	}

	return x.enc.EncodeToken(boat.End())
}

func (x *xmlWriter) end() error {
	if err := x.enc.EncodeToken(element("listings").End()); err != nil {
		return err
	}
	return x.enc.Flush()
}

// ---- JSON-LD ------------------------------------------------------------------

type jsonWriter struct {
	w     io.Writer
	count int
}

func (j *jsonWriter) begin(seller string) error {
	name, err := wire.MarshalHTML(seller)
	if err == nil {
		_, err = io.WriteString(j.w, `{"@context":"https://schema.org","@type":"DataFeed","name":`+string(name)+`,"dataFeedElement":[`)
	}
	return err
}

func (j *jsonWriter) write(l listing) error {
	text, err := wire.MarshalHTML(productOf(l))
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

func (j *jsonWriter) alone(l listing) error {
	p := productOf(l)
	p.Context = "https://schema.org"
	text, err := wire.MarshalHTML(p)
	if err == nil {
		_, err = j.w.Write(append(text, '\n'))
	}
	return err
}

// product is a listing in the vocabulary of schema.org. Unknown values are omitted.
type product struct {
	Context     string     `json:"@context,omitempty"`
	Type        []string   `json:"@type"`
	ID          string     `json:"@id"`
	SKU         string     `json:"sku,omitempty"`
	Serial      string     `json:"serialNumber,omitempty"`
	Name        string     `json:"name"`
	Description string     `json:"description,omitempty"`
	Brand       ldThing    `json:"brand"`
	Model       string     `json:"model"`
	ModelDate   string     `json:"vehicleModelDate"`
	Category    string     `json:"category"`
	Condition   string     `json:"itemCondition"`
	Modified    string     `json:"dateModified"`
	Images      []string   `json:"image,omitempty"`
	Offers      offer      `json:"offers"`
	Properties  []property `json:"additionalProperty"`
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

type offer struct {
	Type         string   `json:"@type"`
	Price        string   `json:"price,omitempty"`
	Currency     string   `json:"priceCurrency"`
	Availability string   `json:"availability"`
	Seller       ldThing  `json:"seller"`
	At           *ldThing `json:"availableAtOrFrom,omitempty"`
}

type property struct {
	Type  string `json:"@type"`
	Name  string `json:"name"`
	Value any    `json:"value"`
	Unit  string `json:"unitCode,omitempty"`
}

const schemaOrg = "https://schema.org/"

func productOf(l listing) product {
	p := product{
		Type: []string{"Product", "Vehicle"}, ID: l.ID, SKU: deref(l.StockNumber), Serial: deref(l.HIN),
		Name: l.headline(), Description: deref(l.Description), Brand: ldThing{Type: "Brand", Name: l.Make}, Model: l.Model,
		ModelDate: strconv.FormatInt(l.Year, 10), Category: l.Category, Condition: schemaOrg + "UsedCondition",
		Modified: l.UpdatedAt.Format(wire.TimeFormat),
		Offers: offer{
			Type: "Offer", Price: l.price(), Currency: "USD",
			Availability: schemaOrg + map[string]string{"active": "InStock", "sale_pending": "LimitedAvailability",
				"withdrawn": "Discontinued"}[l.saleStatus()],
			Seller: ldThing{Type: "Organization", Name: l.seller},
		},
	}

	if l.Hull.Condition == "new" {
		p.Condition = schemaOrg + "NewCondition"
	}
	for _, photo := range l.photos {
		p.Images = append(p.Images, photo.URLs.Full)
	}
	if l.at != nil {
		p.Offers.At = &ldThing{Type: "Place", Name: l.at.Name, Phone: deref(l.at.Phone)}
		if a := l.at.Address; a != nil {
			p.Offers.At.Address = &ldPlace{Type: "PostalAddress", Street: a.Line1, City: a.City, Region: deref(a.Region),
				Postal: deref(a.PostalCode), Country: a.Country}
		}
	}

	for _, f := range fields {
		text := f.text(l)
		if f.unit == "-" || text == "" {
			continue
		}
		prop := property{Type: "PropertyValue", Name: f.name, Value: text, Unit: f.unit}
		if n, err := strconv.ParseFloat(text, 64); err == nil && f.unit != "" {
			prop.Value = n
		}
		p.Properties = append(p.Properties, prop)
	}

	return p
}
