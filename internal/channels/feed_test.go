package channels

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/photos"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/cell"
	"slipway/internal/vocab/null"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// emptyListing is a boat with what every boat has.
func emptyListing() listing {
	return listing{
		Hull: hulls.Hull{ID: "hull_01jcqz8t5n8m2x4v6b7c9d0e1f", Make: "Lund", Model: "Tyee", Year: 2024, LengthFt: 20, PriceUSD: 61_900,
			Status: hulls.Available, Condition: "used", Category: "power", UpdatedAt: time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)},
		pricing: hulls.HullPricing{PriceType: "call"},
		at:      &dealership.Location{ID: "loc_01jcqz8t5n8m2x4v6b7c9d0e1f", Name: "Harbor"},
		shop: shop{
			id: "dlr_01jcqz8t5n8m2x4v6b7c9d0e1f", name: "Acme Marine", url: "https://slipway.example.com",
			lots:    []dealership.Location{{ID: "loc_01jcqz8t5n8m2x4v6b7c9d0e1f", Name: "Harbor"}},
			changed: time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC),
		},
	}
}

// fullListing is a boat of which everything is known.
func fullListing() listing {
	l, class := emptyListing(), hulls.BoatClass("power-center")
	l.Make, l.Model, l.Condition, l.PriceUSD, l.LengthFt, l.BoatClass = "Grady-White", "Freedom 235", "new", 124_900, 23.58, &class
	l.HIN, l.StockNumber, l.Title = new("GRT40912B324"), new("GW 1/2"), new("Grady-White Freedom 235, one owner")
	l.Description, l.ReceivedOn = new("Fast & \"dry\" <b>\nKept inside."), new("2026-04-03")
	l.pricing = hulls.HullPricing{PriceType: "sale", MSRPUSD: new(int64(138_000))}
	l.page = "https://boats.example.com/GW%201%2F2"
	at := &dealership.Location{ID: l.at.ID, Name: "Harbor", Phone: new("+14105550123"), Address: &dealership.Address{
		Line1: "12 Dock Street", Line2: new("Pier 4"), City: "Annapolis", Region: new("MD"), PostalCode: new("21401"), Country: "US"}}
	l.at, l.shop.lots = at, []dealership.Location{*at}
	engine := hulls.SpecEngine{Make: new("Yamaha"), Model: new("F300"), Year: new(int64(2024)), Serial: new("SERIAL-1"), HP: new(300.0),
		Hours: new(120.5), Fuel: new(hulls.EngineFuel("gas")), Type: new(hulls.EngineType("outboard_4s")), Drive: new(hulls.EngineDrive("direct")), Propeller: new("3 blades, steel")}
	port, starboard := engine, engine
	port.Position, starboard.Position, starboard.Hours = new(hulls.EnginePosition("port")), new(hulls.EnginePosition("starboard")), new(118.0)
	l.specs = hulls.HullSpecs{EngineCount: new(int64(2)), TotalPowerHP: new(600.0), SpecSheet: hulls.SpecSheet{
		Lengths: &hulls.SpecLengths{LOAFt: new(23.58), LWLFt: new(20.5), DeckFt: new(22.0), NominalFt: new(23.0)},
		BeamFt:  new(8.5), DraftFt: &hulls.SpecDraft{Max: new(2.5), DriveUp: new(1.25)}, BridgeClearanceFt: new(7.0), FreeboardFt: new(2.2),
		CabinHeadroomFt: new(5.5), DeadriseDeg: new(20.0), DryWeightLb: new(4200.0), DisplacementLb: new(6100.0), BallastLb: new(100.0),
		HullMaterial: new(hulls.HullMaterial("fiberglass_reinforced")), HullShape: new(hulls.HullShape("modified_vee")), HullColor: new("Fighting Lady yellow"), Keel: new(hulls.KeelType("fin")),
		DesignCategory: new(hulls.DesignCategory("offshore")), Propulsion: new(hulls.Propulsion("propeller")), YearBuilt: new(int64(2023)), Engines: &[]hulls.SpecEngine{port, starboard},
		MaxPowerHP: new(700.0), Tanks: &hulls.SpecTanks{FuelGal: new(150.0), WaterGal: new(20.0), HoldingGal: new(8.5)},
		MaxPersons: new(int64(10)), MaxLoadLb: new(2900.0), Cabins: new(int64(1)),
		Berths: &hulls.SpecBerths{Single: new(int64(1)), Double: new(int64(1)), Twin: new(int64(0)), Total: new(int64(3))}, Heads: new(int64(1)),
		CruiseSpeedKn: new(26.0), MaxSpeedKn: new(44.5), RangeNm: new(310.0),
		Trailer: &hulls.SpecTrailer{Included: new(true), Make: new("Venture"), Model: new("VATB-7225"), Year: new(int64(2024)),
			VIN: new("TRAILER-VIN-1"), Axles: new(int64(2)), CapacityLb: new(7225.0)},
		Warranty:   &hulls.SpecWarranty{ExpiresAt: new(time.Date(2029, 4, 1, 0, 0, 0, 0, time.UTC))},
		Highlights: &[]string{"Garmin electronics", "Dive door"},
	}}
	l.photos = []photos.HullPhoto{
		{SHA256: "aa", Caption: new("Bow"), URLs: &photos.PhotoURLs{Full: "https://slipway.example.com/media/1.jpg"}, UpdatedAt: l.UpdatedAt},
		{SHA256: "bb", URLs: &photos.PhotoURLs{Full: "https://slipway.example.com/media/2.jpg"}, UpdatedAt: l.UpdatedAt},
	}
	return l
}

// feedText writes a feed of listings.
func feedText(t testing.TB, name Format, all ...listing) string {
	t.Helper()
	var b bytes.Buffer
	out := formats[name].open(&b)
	err := out.begin(all[0].shop)
	for _, l := range all {
		if err == nil {
			err = out.write(l)
		}
	}
	if err == nil {
		err = out.end()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func renderText(t testing.TB, name Format, l listing) string {
	t.Helper()
	var b bytes.Buffer
	if err := formats[name].render(&b, l); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The golden files show each format with the least and the most that can be known about
// a boat. All follow the rules of their format.
func TestFormats(t *testing.T) {
	for _, name := range allFormats.Values {
		for size, l := range map[string]listing{"empty": emptyListing(), "full": fullListing()} {
			got := feedText(t, name, l)
			checkFormat(t, name, got)
			file := filepath.Join("testdata", string(name)+"_"+size+"."+formats[name].extension)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s differs. Run go test ./internal/channels -run TestFormats -update and review the change. Got:\n%s", file, got)
			}
			for _, secret := range []string{"SERIAL-1", "TRAILER-VIN-1"} {
				if strings.Contains(got, secret) {
					t.Errorf("%s shows %s to the public", file, secret)
				}
			}
		}
	}
}

// Each status and each value of an enum is valid in each format.
func TestFormatsOfEachValue(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(*listing, *string)
	}{
		{"HullMaterial", func(l *listing, v *string) { l.specs.HullMaterial = (*hulls.HullMaterial)(v) }},
		{"HullShape", func(l *listing, v *string) { l.specs.HullShape = (*hulls.HullShape)(v) }},
		{"Keel", func(l *listing, v *string) { l.specs.Keel = (*hulls.KeelType)(v) }},
		{"Position", func(l *listing, v *string) { (*l.specs.Engines)[0].Position = (*hulls.EnginePosition)(v) }},
		{"Fuel", func(l *listing, v *string) { (*l.specs.Engines)[0].Fuel = (*hulls.EngineFuel)(v) }},
		{"Type", func(l *listing, v *string) { (*l.specs.Engines)[0].Type = (*hulls.EngineType)(v) }},
		{"Drive", func(l *listing, v *string) { (*l.specs.Engines)[0].Drive = (*hulls.EngineDrive)(v) }},
		{"Category", func(l *listing, v *string) { l.Category = hulls.Category(*v) }},
		{"Condition", func(l *listing, v *string) { l.Condition = hulls.Condition(*v) }},
		{"PriceType", func(l *listing, v *string) { l.pricing.PriceType = hulls.PriceType(*v) }},
	} {
		for _, value := range enumValues(t, c.name) {
			for _, name := range allFormats.Values {
				l := fullListing()
				c.set(&l, &value)
				checkFormat(t, name, feedText(t, name, l))
			}
		}
	}
	for _, status := range []hulls.Status{hulls.Available, hulls.OnHold, hulls.SalePending, hulls.OnOrder, hulls.InTransit} {
		for _, name := range allFormats.Values {
			l := fullListing()
			l.Status = status
			if status.IsComing() && !formats[name].preOrders {
				continue
			}
			checkFormat(t, name, feedText(t, name, l))
			l.withdrawn = true
			checkFormat(t, name, feedText(t, name, l))
		}
	}
}

// What the dealer writes can't break a document, and arrives unchanged, except for
// characters that XML doesn't have.
func TestHostileText(t *testing.T) {
	parts := []string{
		"]]>", "<![CDATA[", "&amp;", "</script>", "\x00", "\x1b", "\x7f", "\uffff", "\ufeff", "\u2028", "\r\n", "\n", "\t", "🚤", "é", "=1+1",
		`"`, "'", ",", ";", "<!--", "?>", "{{", "\\", " ", "a",
	}
	rapid.Check(t, func(rt *rapid.T) {
		text := func(label string) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 6).Draw(rt, label), "")
		}
		l := fullListing()
		l.Make, l.Model, l.Title, l.StockNumber = text("make"), text("model"), new(text("title")), new(text("stock"))
		l.Description = new(text("description"))
		l.specs.HullColor, l.specs.Highlights = new(text("color")), &[]string{text("highlight")}
		(*l.specs.Engines)[0].Make, (*l.specs.Engines)[0].Propeller = new(text("engine")), new(text("propeller"))
		l.specs.Trailer.Make, l.photos[0].Caption, l.shop.name = new(text("trailer")), new(text("caption")), text("seller")
		l.at.Name, l.at.Address.Line1, l.at.Address.City = text("location"), text("street"), text("city")
		l.shop.lots = []dealership.Location{*l.at}
		l.page = Channel{ListingURL: new("https://boats.example.com/{stock_number}")}.page(l.Hull)

		for _, name := range allFormats.Values {
			got := feedText(t, name, l, l)
			for _, text := range []string{got, renderText(t, name, l)} {
				if err := formatError(name, text); err != nil {
					rt.Fatalf("%s: %v in\n%s", name, err, text)
				}
			}
			if found := descriptionOf(t, name, got); found != readable(name, *l.Description) {
				rt.Fatalf("%s: got the description %q, want %q", name, found, readable(name, *l.Description))
			}
		}
	})
}

// readable returns a text as the readers of a format see it.
func readable(name Format, text string) string {
	switch name {
	case "json":
		return text
	case "csv":
		return strings.ReplaceAll(cell.Escape(text), "\r\n", "\n")
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r > 0xfffd && r < 0x10000 {
			return '\ufffd'
		}
		return r
	}, text)
}

// descriptionOf returns the description of the first boat in a feed.
func descriptionOf(t testing.TB, name Format, text string) string {
	t.Helper()
	switch name {
	case "json":
		var doc struct {
			Items []struct {
				Item struct{ Description string } `json:"item"`
			} `json:"dataFeedElement"`
		}
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		return doc.Items[0].Item.Description
	case "csv":
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return rows[1][slices.Index(rows[0], "description")]
	}
	element := map[string]string{"xml": "description", "openmarine": "marketing_desc", "boatstream": "GeneralBoatDescription"}[string(name)]
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == element {
			var found string
			if err := d.DecodeElement(&found, &start); err != nil {
				t.Fatal(err)
			}
			return found
		}
	}
}

func TestChannelFormat(t *testing.T) {
	for _, c := range []struct {
		kind   Kind
		format Format
		want   string
	}{
		{"website", "json", "DataFeed"}, {"custom", "csv", "modified_at"}, {"website", "xml", "<listings"}, {"custom", "xml", "<listings"},
		{"boat_trader", "xml", "<ProcessVehicleRemarketing"}, {"yachtworld", "xml", "<ProcessVehicleRemarketing"},
		{"boats_com", "xml", "<ProcessVehicleRemarketing"}, {"boats_com", "json", "DataFeed"}, {"boats_com", "openmarine", "<open_marine"},
		{"custom", "boatstream", "<ProcessVehicleRemarketing"},
	} {
		var b bytes.Buffer
		out := Channel{Kind: c.kind, Format: c.format}.format().open(&b)
		if err := errors.Join(out.begin(shop{}), out.end()); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), c.want) {
			t.Errorf("%s %s: got %s, want %s", c.kind, c.format, b.String(), c.want)
		}
	}
}

func TestListingPage(t *testing.T) {
	for _, c := range []struct {
		template *string
		stock    *string
		want     string
	}{
		{nil, new("A1"), ""},
		{new("https://x.example/{stock_number}"), new("A 1/2?"), "https://x.example/A%201%2F2%3F"},
		{new("https://x.example/{stock_number}"), nil, ""},
		{new("https://x.example/?boat={hull_id}"), nil, "https://x.example/?boat=hull_1"},
	} {
		got := Channel{ListingURL: c.template}.page(hulls.Hull{ID: "hull_1", StockNumber: c.stock})
		if got != c.want {
			t.Errorf("%s with %s: got %q, want %q", null.Text(c.template), null.Text(c.stock), got, c.want)
		}
	}
}

// A hidden price is in no format, and what a partner must know about a sale is in all.
func TestPricesAndStatuses(t *testing.T) {
	for name, words := range map[Format][3]string{ // sale pending, withdrawn, price on request
		"json": {"LimitedAvailability", "Discontinued", `"offers"`}, "xml": {"sale_pending", "withdrawn", "<boat"},
		"csv": {"sale_pending", "withdrawn", "price_usd"}, "openmarine": {`status="UnderOffer"`, `status="Sold"`, `poa="true"`},
		"boatstream": {"<SalesStatus>Sale Pending<", "<SalesStatus>Delete<", "<PriceHideIndicator>true<"},
	} {
		l := fullListing()
		l.Status, l.pricing.PriceHidden = hulls.SalePending, true
		pending := renderText(t, name, l)
		l.withdrawn = true
		withdrawn := renderText(t, name, l)
		if !strings.Contains(pending, words[0]) || !strings.Contains(withdrawn, words[1]) || !strings.Contains(pending, words[2]) {
			t.Errorf("%s: got %s and %s, want %q", name, pending, withdrawn, words)
		}
		if strings.Contains(pending, "124900") {
			t.Errorf("%s: got the hidden price in %s", name, pending)
		}
	}
}

func TestListingAsCSV(t *testing.T) {
	l := fullListing()
	l.Title, l.Description = new(`=HYPERLINK("http://evil","boat")`), new("+1 owner")
	rows, err := csv.NewReader(strings.NewReader(renderText(t, "csv", l))).ReadAll()
	if err != nil || len(rows) != 2 || len(rows[0]) != len(rows[1]) {
		t.Fatalf("got rows %q, %v; want 2 of the same length", rows, err)
	}
	for name, want := range map[string]string{
		"title": `'=HYPERLINK("http://evil","boat")`, "description": "'+1 owner", "price_usd": "124900", "phone": "+14105550123",
		"photos":  "https://slipway.example.com/media/1.jpg https://slipway.example.com/media/2.jpg",
		"engines": "Yamaha F300 300 hp; Yamaha F300 300 hp", "engine_hours": "120.5; 118", "highlights": "Garmin electronics; Dive door",
	} {
		assert.Equal(t, rows[1][slices.Index(rows[0], name)], want, name)
	}
}
