package channels

import (
	"cmp"
	"encoding/xml"
	"io"
	"strconv"
	"strings"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/vocab/null"
)

// boatStreamWriter writes BoatStream, the format of Boats Group (Boat Trader, YachtWorld
// and boats.com, earlier IMT). It is the message ProcessVehicleRemarketing of STAR 5, and
// elements are in the order of its schema: docs.starstandard.org. The codes are those of
// BoatStream.
type boatStreamWriter struct{ *xmlStream }

func newBoatStream(w io.Writer) writer { return &boatStreamWriter{newStream(w)} }

func (b *boatStreamWriter) begin(s shop) error {
	err := b.start(element("ProcessVehicleRemarketing",
		"xmlns", "http://www.starstandard.org/STAR/5", "releaseID", "5.13.4", "languageCode", "en-US"))
	if err != nil {
		return err
	}
	changed := s.changed.UTC().Format(time.RFC3339)
	if err := b.item(bsArea{
		Sender: bsSender{"Slipway", "Inventory", "Slipway", s.name}, Created: changed, ID: s.id + ":" + changed, Destination: "MARKETPLACE",
	}); err != nil {
		return err
	}
	if err := b.start(element("ProcessVehicleRemarketingDataArea")); err != nil {
		return err
	}
	return b.item(bsProcess{Acknowledge: "Always"})
}

type bsArea struct {
	XMLName     xml.Name `xml:"ApplicationArea"`
	Sender      bsSender `xml:"Sender"`
	Created     string   `xml:"CreationDateTime"`
	ID          string   `xml:"BODID"`
	Destination string   `xml:"Destination>DestinationNameCode"`
}

type bsSender struct {
	LogicalID string `xml:"LogicalID"`
	TaskID    string `xml:"TaskID"`
	Creator   string `xml:"CreatorNameCode"`
	Sender    string `xml:"SenderNameCode"`
}

type bsProcess struct {
	XMLName     xml.Name `xml:"Process"`
	Acknowledge string   `xml:"acknowledgeCode,attr"`
}

type bsBoat struct {
	XMLName xml.Name   `xml:"VehicleRemarketing"`
	Created string     `xml:"VehicleRemarketingHeader>DocumentDateTime"`
	ID      string     `xml:"VehicleRemarketingHeader>DocumentIdentificationGroup>DocumentIdentification>DocumentID"`
	Item    bsItem     `xml:"VehicleRemarketingBoatLineItem"`
	Trailer *bsTrailer `xml:"VehicleRemarketingTrailerLineItem>VehicleRemarketingTrailer"`
}

type bsItem struct {
	Pricing      bsPricing  `xml:"PricingABIE"`
	Tax          string     `xml:"Tax>TaxStatusCode"`
	Dealer       bsDealer   `xml:"DealerParty"`
	WarrantyEnds *string    `xml:"RemarketingWarranty>WarrantyExpirationDate"` // omitempty would leave an empty parent
	Images       []bsImage  `xml:"ImageAttachmentExtended"`
	Page         *bsMedia   `xml:"AdditionalMedia"`
	ModifiedDate string     `xml:"LastModificationDate"`
	ReceivedOn   string     `xml:"ItemReceivedDate,omitempty"`
	Address      bsAddress  `xml:"Location>LocationAddress"`
	Boat         bsSpecs    `xml:"VehicleRemarketingBoat"`
	Engines      []bsEngine `xml:"VehicleRemarketingEngineLineItem"`
	Status       string     `xml:"SalesStatus"`
	Details      []bsDetail `xml:"AdditionalDetailDescription"`
	ModifiedTime string     `xml:"LastModificationTime"`
}

type bsPricing struct {
	Price  *bsAmount `xml:"Price>ChargeAmount"`
	Hidden bool      `xml:"PriceHideIndicator"`
}

type bsAmount struct {
	Currency string `xml:"currencyID,attr"`
	Amount   string `xml:",chardata"`
}

type bsDealer struct {
	PartyID string     `xml:"PartyID"`
	Name    string     `xml:"SpecifiedOrganization>CompanyName"`
	Phone   *bsChannel `xml:"SpecifiedOrganization>PrimaryContact>TelephoneCommunication"`
	Address bsAddress  `xml:"SpecifiedOrganization>PostalAddress"`
}

type bsChannel struct {
	Code   string `xml:"ChannelCode"`
	Number string `xml:"CompleteNumber"`
}

type bsAddress struct {
	LineOne  string `xml:"LineOne,omitempty"`
	LineTwo  string `xml:"LineTwo,omitempty"`
	City     string `xml:"CityName,omitempty"`
	Country  string `xml:"CountryID,omitempty"`
	Postcode string `xml:"Postcode,omitempty"`
	Region   string `xml:"StateOrProvinceCountrySub-DivisionID,omitempty"`
}

type bsImage struct {
	URI      string `xml:"URI"`
	Modified string `xml:"ImageLastModifiedDateTime"`
	Rank     int    `xml:"UsagePreference>PriorityRankingNumeric"`
	Title    string `xml:"ImageAttachmentTitle,omitempty"`
}

type bsMedia struct {
	URI  string `xml:"MediaSourceURI"`
	Type string `xml:"MediaTypeString"`
}

type bsDetail struct {
	Title string `xml:"Title"`
	Text  string `xml:"Description"`
}

type bsMeasure struct {
	Unit  string `xml:"unitCode,attr"`
	Value string `xml:",chardata"`
}

// measure returns nil for an unknown value.
func measure(v *float64, unit string) *bsMeasure {
	if v == nil {
		return nil
	}
	return &bsMeasure{unit, decimal(v)}
}

type bsSpecs struct {
	Make           string       `xml:"MakeString"`
	ModelYear      int64        `xml:"ModelYear"`
	SaleClass      string       `xml:"SaleClassCode"`
	Model          string       `xml:"Model"`
	Stock          string       `xml:"VehicleStockString,omitempty"`
	Color          *bsColor     `xml:"ColorGroup"`
	Lengths        []bsLength   `xml:"BoatLengthGroup"`
	Clearance      *bsMeasure   `xml:"BridgeClearanceMeasure"`
	Beam           *bsMeasure   `xml:"BeamMeasure"`
	Drafts         []bsDraft    `xml:"DraftMeasureGroup"`
	Freeboard      *bsMeasure   `xml:"FreeBoardMeasure"`
	FuelTank       *bsMeasure   `xml:"FuelTankCapacityMeasure"`
	HoldingTank    *bsMeasure   `xml:"HoldingTankCapacityMeasure"`
	WaterTank      *bsMeasure   `xml:"WaterTankCapacityMeasure"`
	DryWeight      *bsMeasure   `xml:"DryWeightMeasure"`
	Displacement   *bsMeasure   `xml:"DisplacementMeasure"`
	Ballast        *bsMeasure   `xml:"BallastWeightMeasure"`
	Category       string       `xml:"BoatCategoryCode"`
	Class          *bsClass     `xml:"BoatClassGroup"`
	Keel           string       `xml:"BoatKeelCode,omitempty"`
	CruisingSpeed  *bsMeasure   `xml:"CruisingSpeedMeasure"`
	MaximumSpeed   *bsMeasure   `xml:"MaximumSpeedMeasure"`
	TotalPower     string       `xml:"TotalEnginePowerQuantity,omitempty"`
	Description    string       `xml:"GeneralBoatDescription"`
	Hull           bsHull       `xml:"Hull"`
	Headroom       *bsMeasure   `xml:"CabinHeadroomMeasure"`
	Deadrise       *bsMeasure   `xml:"DeadriseMeasure"`
	Passengers     string       `xml:"MaximumNumberOfPassengersNumeric,omitempty"`
	Berths         string       `xml:"NumberOfBerthsNumeric,omitempty"`
	Cabins         string       `xml:"NumberOfCabinsNumeric,omitempty"`
	Heads          string       `xml:"NumberOfHeadsNumeric,omitempty"`
	Tanks          []bsTank     `xml:"Tank"`
	Accommodations []bsQuarters `xml:"Accommodation"`
}

type bsColor struct {
	Name string `xml:"ColorName"`
}

type bsLength struct {
	Code    string    `xml:"BoatLengthCode"`
	Measure bsMeasure `xml:"BoatLengthMeasure"`
}

type bsDraft struct {
	Measure bsMeasure `xml:"DraftMeasure"`
	Code    string    `xml:"BoatDraftCode"`
}

type bsClass struct {
	Code    string `xml:"BoatClassCode"`
	Primary bool   `xml:"PrimaryBoatClassIndicator"`
}

type bsHull struct {
	Material string `xml:"BoatHullMaterialCode,omitempty"`
	Design   string `xml:"BoatHullDesignCode,omitempty"`
	ID       string `xml:"BoatHullID,omitempty"`
}

type bsTank struct {
	Usage    string    `xml:"TankUsageCode"`
	Capacity bsMeasure `xml:"TankCapacityMeasure"`
}

type bsQuarters struct {
	Type  string `xml:"AccommodationTypeCode"`
	Count string `xml:"AccommodationCountNumeric"`
}

type bsEngine struct {
	Make      string     `xml:"VehicleRemarketingEngine>MakeString,omitempty"`
	ModelYear string     `xml:"VehicleRemarketingEngine>ModelYear,omitempty"`
	Model     string     `xml:"VehicleRemarketingEngine>Model,omitempty"`
	Type      string     `xml:"VehicleRemarketingEngine>BoatEngineTypeCode,omitempty"`
	Fuel      string     `xml:"VehicleRemarketingEngine>FuelTypeCode,omitempty"`
	Power     *bsMeasure `xml:"VehicleRemarketingEngine>PowerMeasure>MechanicalEnergyMeasure"`
	Hours     string     `xml:"VehicleRemarketingEngine>TotalEngineHoursNumeric,omitempty"`
	Location  string     `xml:"VehicleRemarketingEngine>BoatEngineLocationCode,omitempty"`
	Propeller string     `xml:"VehicleRemarketingEngine>PropellerType,omitempty"`
	Drive     string     `xml:"VehicleRemarketingEngine>DriveTransmissionDescription,omitempty"`
}

type bsTrailer struct {
	Make      string `xml:"MakeString,omitempty"`
	ModelYear string `xml:"ModelYear,omitempty"`
	Model     string `xml:"Model,omitempty"`
	Axles     string `xml:"AxleNumeric,omitempty"`
}

// The codes of BoatStream. What it has no code for is Other.
var (
	bsStatuses   = map[string]string{"active": "Active", "sale_pending": "Sale Pending", "withdrawn": "Delete"}
	bsCategories = map[hulls.Category]string{"power": "Power", "pwc": "Power", "sail": "Sail", "unpowered": "Unpowered"}
	bsFuels      = map[hulls.EngineFuel]string{"gas": "unleaded", "diesel": "diesel", "electric": "electric"}
	bsEngines    = map[hulls.EngineType]string{
		"outboard": "Outboard", "outboard_2s": "Outboard 2 Stroke", "outboard_4s": "Outboard 4 Stroke", "inboard": "Inboard",
		"sterndrive": "Inboard/Outboard", "v_drive": "V Drive", "electric": "Electric",
	}
	bsDrives = map[hulls.EngineDrive]string{
		"direct": "Direct", "stern": "Stern", "v": "V", "sail": "Sail", "jet": "Jet", "pod": "Pod", "surface": "Surface",
	}
	bsKeels = map[hulls.KeelType]string{
		"full": "Full Keel", "fin": "Fin Keel", "lifting": "Lifting Keel", "winged": "Winged Keel", "twin": "Twin Keel", "bulb": "Bulb Keel",
		"canting": "Canting Keel",
	}
	bsDesigns = map[hulls.HullShape]string{
		"catamaran": "Catamaran", "deep_vee": "Deep Vee", "displacement": "Displacement", "flat": "Flat", "modified_vee": "Modified Vee",
		"monohull": "Monohull", "planing": "Planing", "pontoon": "Pontoon", "rib": "RIB", "semi_displacement": "Semi Displacement",
		"trimaran": "Trimaran", "tunnel": "Tunnel",
	}
	bsPositions = map[hulls.EnginePosition]string{"port": "Port", "inner_port": "Port", "starboard": "Starboard", "inner_starboard": "Starboard"}
)

// code returns the code of an enum, Other if there is none, or "" if the value is unknown.
func code[T ~string](codes map[T]string, value *T) string {
	if value == nil {
		return ""
	}
	return cmp.Or(codes[*value], "Other")
}

// title returns the words of an enum with capital letters.
func title(value string) string {
	var all []string
	for _, word := range strings.Fields(words(value)) {
		all = append(all, strings.ToUpper(word[:1])+word[1:])
	}
	return strings.Join(all, " ")
}

func (b *boatStreamWriter) write(l listing) error {
	modified, address := l.UpdatedAt.UTC(), bsAddressOf(l)
	boat := bsBoat{
		Created: modified.Format(time.RFC3339), ID: l.ID,
		Item: bsItem{
			Pricing: bsPricing{Hidden: l.price() == ""}, Tax: "Not Applicable",
			Dealer:       bsDealer{PartyID: l.shop.partyID(), Name: l.shop.name, Address: address},
			ModifiedDate: modified.Format(time.DateOnly), ModifiedTime: modified.Format(time.TimeOnly), ReceivedOn: null.Text(l.ReceivedOn),
			Address: address, Boat: bsSpecsOf(l), Status: bsStatuses[l.saleStatus()],
		},
	}
	item := &boat.Item
	if price := l.price(); price != "" {
		item.Pricing.Price = &bsAmount{"USD", price}
	}
	if phone := l.lot().Phone; phone != nil {
		item.Dealer.Phone = &bsChannel{"phone", *phone}
	}
	if w := l.specs.Warranty; w != nil && w.ExpiresAt != nil {
		item.WarrantyEnds = new(w.ExpiresAt.UTC().Format(time.DateOnly))
	}
	for i, p := range l.photos {
		item.Images = append(item.Images, bsImage{p.URLs.Full, p.UpdatedAt.UTC().Format(time.RFC3339), i, null.Text(p.Caption)})
	}
	if l.page != "" {
		item.Page = &bsMedia{l.page, "External Link"}
	}
	for _, e := range l.engines() {
		item.Engines = append(item.Engines, bsEngineOf(e))
	}
	if all := l.highlights(); len(all) > 0 {
		item.Details = append(item.Details, bsDetail{"Highlights", strings.Join(all, "\n")})
	}
	if l.pricing.PriceType == "sale" {
		item.Details = append(item.Details, bsDetail{"Price", "Sale price"})
	}
	if t := l.specs.Trailer; t != nil && (t.Included == nil || *t.Included) {
		boat.Trailer = &bsTrailer{null.Text(t.Make), whole(t.Year), null.Text(t.Model), whole(t.Axles)}
	}
	return b.item(boat)
}

func bsAddressOf(l listing) bsAddress {
	a := l.address()
	return bsAddress{a.Line1, null.Text(a.Line2), a.City, a.Country, null.Text(a.PostalCode), null.Text(a.Region)}
}

func bsSpecsOf(l listing) bsSpecs {
	s, tanks, berths := l.specs, l.tanks(), l.berths()
	b := bsSpecs{
		Make: l.Make, ModelYear: l.Year, SaleClass: "Used", Model: l.Model, Stock: null.Text(l.StockNumber),
		Clearance: measure(s.BridgeClearanceFt, "feet"), Beam: measure(s.BeamFt, "feet"), Freeboard: measure(s.FreeboardFt, "feet"),
		FuelTank: measure(tanks.FuelGal, "gallon"), HoldingTank: measure(tanks.HoldingGal, "gallon"),
		WaterTank: measure(tanks.WaterGal, "gallon"),
		DryWeight: measure(s.DryWeightLb, "pound"), Displacement: measure(s.DisplacementLb, "pound"), Ballast: measure(s.BallastLb, "pound"),
		Category: bsCategories[l.Category], Keel: code(bsKeels, s.Keel),
		CruisingSpeed: measure(s.CruiseSpeedKn, "knots"), MaximumSpeed: measure(s.MaxSpeedKn, "knots"), TotalPower: decimal(s.TotalPowerHP),
		Description: cmp.Or(null.Text(l.Description), l.headline()),
		Hull:        bsHull{title(null.String(s.HullMaterial)), code(bsDesigns, s.HullShape), null.Text(l.HIN)},
		Headroom:    measure(s.CabinHeadroomFt, "feet"), Deadrise: measure(s.DeadriseDeg, "degree"),
		Passengers: whole(s.MaxPersons), Berths: whole(berths.Total), Cabins: whole(s.Cabins), Heads: whole(s.Heads),
	}
	if l.Condition == "new" {
		b.SaleClass = "New"
	}
	if s.HullColor != nil {
		b.Color = &bsColor{*s.HullColor}
	}
	if l.BoatClass != nil {
		b.Class = &bsClass{cmp.Or(bsClasses[*l.BoatClass], title(l.class())), true}
	}
	lengths := hulls.SpecLengths{}
	if s.Lengths != nil {
		lengths = *s.Lengths
	}
	for _, n := range []struct {
		code string
		v    *float64
	}{
		{"Nominal Length", lengths.NominalFt}, {"Length Overall", &l.LengthFt}, {"Length At Water Line", lengths.LWLFt},
		{"Length Of Deck", lengths.DeckFt},
	} {
		if n.v != nil {
			b.Lengths = append(b.Lengths, bsLength{n.code, *measure(n.v, "feet")})
		}
	}
	if d := l.draft(); d.Max != nil {
		b.Drafts = append(b.Drafts, bsDraft{*measure(d.Max, "feet"), "Max Draft"})
	}
	if d := l.draft(); d.DriveUp != nil {
		b.Drafts = append(b.Drafts, bsDraft{*measure(d.DriveUp, "feet"), "Drive Up"})
	}
	for _, t := range []struct {
		usage string
		v     *float64
	}{{"Fuel", tanks.FuelGal}, {"Water", tanks.WaterGal}, {"Black Water", tanks.HoldingGal}} {
		if t.v != nil {
			b.Tanks = append(b.Tanks, bsTank{t.usage, *measure(t.v, "gallon")})
		}
	}
	for _, q := range []struct {
		kind string
		n    *int64
	}{{"SingleBerth", berths.Single}, {"DoubleBerth", berths.Double}, {"TwinBerth", berths.Twin}, {"Cabin", s.Cabins}, {"Head", s.Heads}} {
		if q.n != nil {
			b.Accommodations = append(b.Accommodations, bsQuarters{q.kind, strconv.FormatInt(*q.n, 10)})
		}
	}
	return b
}

func bsEngineOf(e hulls.SpecEngine) bsEngine {
	return bsEngine{
		Make: null.Text(e.Make), ModelYear: whole(e.Year), Model: null.Text(e.Model), Type: code(bsEngines, e.Type), Fuel: code(bsFuels, e.Fuel),
		Power: measure(e.HP, "horsepower"), Hours: decimal(e.Hours), Location: bsPositions[null.Text(e.Position)],
		Propeller: null.Text(e.Propeller),
		Drive:     code(bsDrives, e.Drive),
	}
}
