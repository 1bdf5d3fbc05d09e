package channels

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/vocab/enum"
)

// checkFormat checks a document against the rules of its format.
func checkFormat(t testing.TB, name Format, text string) {
	t.Helper()
	if err := formatError(name, text); err != nil {
		t.Fatalf("%s: %v in\n%s", name, err, text)
	}
}

func formatError(name Format, text string) error {
	switch name {
	case "csv":
		_, err := csv.NewReader(strings.NewReader(text)).ReadAll() // all rows have the same length
		return err
	case "json":
		return checkSchemaOrg(text)
	}
	return checkXML(xmlRules[string(name)], text)
}

// enumValues returns the values of an enum of hulls, by the name of its field.
func enumValues(t testing.TB, name string) []string {
	t.Helper()
	for _, typ := range []reflect.Type{
		reflect.TypeFor[hulls.SpecSheet](), reflect.TypeFor[hulls.SpecEngine](), reflect.TypeFor[hulls.Hull](),
	} {
		if f, ok := typ.FieldByName(name); ok {
			if values := enum.ValuesOf(f.Type); values != nil {
				return values
			}
			return strings.Split(f.Tag.Get("enum"), ",")
		}
	}
	t.Fatalf("no field %s", name)
	return nil
}

// ---- XML ----------------------------------------------------------------------

// xmlRules describe the XML formats, as an XML schema does. Each line has an element, or
// an element in a parent, with its attributes, its children in order, and a pattern for
// its text. An element without a line has only text. ? is optional, * is any number and +
// is one or more.
var xmlRules = map[string]string{
	"xml": `
listings @seller : boat*
boat @id=hull_.+ @modified : stock_number? hin? status title make model year condition category boat_class? price_usd? msrp_usd? length_ft beam_ft? draft_max_ft? dry_weight_lb? hull_material? hull_shape? hull_color? engine_count? engines? total_power_hp? fuel_gal? max_persons? cabins? heads? max_speed_kn? description? seller location city? region? country? phone? street? postal_code? url? price_type year_built? draft_drive_up_ft? bridge_clearance_ft? displacement_lb? deadrise_deg? keel? max_power_hp? water_gal? holding_gal? berths? cruise_speed_kn? range_nm? trailer_included? trailer? engine* highlight* photo*
status = active|sale_pending|pre_order|withdrawn
price_usd = \d+
engine @position? : make? model? year? power_hp? hours? fuel? type? drive? propeller?
photo @position=\d+ @sha256 @modified @caption? = https?://\S+
`,
	"openmarine": `
open_marine @version=1\.7 @language=en @origin @date : broker
broker @code : broker_details offices adverts
broker_details : company_name
offices : office+
office @id : office_name email? address? town? county? country? postcode? daytime_phone?
adverts : advert*
advert @ref @office_id @status=Sold|Available|UnderOffer @last_modified : advert_media advert_features boat_features
advert_media : media*
media @type=image/jpeg @caption @primary=true|false @file_mtime = https?://\S+
advert_features : boat_type boat_category? new_or_used vessel_lying asking_price marketing_descs manufacturer model other?
boat_type = motor|sail|other
new_or_used = new|used
vessel_lying @country=([A-Z]{2})?
asking_price @poa=true|false @currency=[A-Z]{3} @vat_included=true|false = \d*
marketing_descs : marketing_desc+
marketing_desc @language=en
other : item+
other/item @name=external_url @label = https?://\S+
boat_features : item* dimensions build engine accommodation additional
boat_features/item @name=range|passenger_capacity = [\d.]+
dimensions : item*
dimensions/item @name=beam|draft|loa|lwl|air_draft @unit=metres|feet = [\d.]+
build : item*
build/item @name=builder|year|hull_colour|hull_construction|hull_number|hull_type|keel_type|ballast|displacement @unit?=kg
engine : item*
engine/item @name=engine_quantity|engine_manufacturer|engine_model|horse_power|hours|fuel|engine_location|drive_type|propeller_type|cruising_speed|max_speed|tankage @unit?=knots|litres
accommodation : item*
accommodation/item @name=cabins|berths|toilet = \d+
additional : item*
additional/item @name @label? @unit?=kg|litres
`,
	"boatstream": `
ProcessVehicleRemarketing @xmlns=http://www.starstandard.org/STAR/5 @releaseID @languageCode : ApplicationArea ProcessVehicleRemarketingDataArea
ApplicationArea : Sender CreationDateTime BODID Destination
Sender : LogicalID TaskID CreatorNameCode SenderNameCode
Destination : DestinationNameCode
ProcessVehicleRemarketingDataArea : Process VehicleRemarketing*
Process @acknowledgeCode=Always
VehicleRemarketing : VehicleRemarketingHeader VehicleRemarketingBoatLineItem VehicleRemarketingTrailerLineItem?
VehicleRemarketingHeader : DocumentDateTime DocumentIdentificationGroup
DocumentIdentificationGroup : DocumentIdentification
DocumentIdentification : DocumentID
DocumentID = hull_.+
VehicleRemarketingBoatLineItem : PricingABIE Tax DealerParty RemarketingWarranty? ImageAttachmentExtended* AdditionalMedia? LastModificationDate ItemReceivedDate? Location VehicleRemarketingBoat VehicleRemarketingEngineLineItem* SalesStatus AdditionalDetailDescription* LastModificationTime
PricingABIE : Price? PriceHideIndicator
Price : ChargeAmount
ChargeAmount @currencyID=USD = \d+
PriceHideIndicator = true|false
Tax : TaxStatusCode
TaxStatusCode = Paid|Not Paid|Not Applicable|Other
DealerParty : PartyID SpecifiedOrganization
SpecifiedOrganization : CompanyName PrimaryContact? PostalAddress
PrimaryContact : TelephoneCommunication
TelephoneCommunication : ChannelCode CompleteNumber
PostalAddress : LineOne? LineTwo? CityName? CountryID? Postcode? StateOrProvinceCountrySub-DivisionID?
RemarketingWarranty : WarrantyExpirationDate
WarrantyExpirationDate = \d{4}-\d\d-\d\d
ImageAttachmentExtended : URI ImageLastModifiedDateTime UsagePreference ImageAttachmentTitle?
URI = https?://\S+
UsagePreference : PriorityRankingNumeric
AdditionalMedia : MediaSourceURI MediaTypeString
MediaSourceURI = https?://\S+
MediaTypeString = External Link|Embedded Video|Video Brochure
LastModificationDate = \d{4}-\d\d-\d\d
LastModificationTime = \d\d:\d\d:\d\d
ItemReceivedDate = \d{4}-\d\d-\d\d
Location : LocationAddress
LocationAddress : LineOne? LineTwo? CityName? CountryID? Postcode? StateOrProvinceCountrySub-DivisionID?
SalesStatus = Active|Sale Pending|Sold|Delete
AdditionalDetailDescription : Title Description
VehicleRemarketingBoat : MakeString ModelYear SaleClassCode Model VehicleStockString? ColorGroup? BoatLengthGroup+ BridgeClearanceMeasure? BeamMeasure? DraftMeasureGroup* FreeBoardMeasure? FuelTankCapacityMeasure? HoldingTankCapacityMeasure? WaterTankCapacityMeasure? DryWeightMeasure? DisplacementMeasure? BallastWeightMeasure? BoatCategoryCode BoatClassGroup? BoatKeelCode? CruisingSpeedMeasure? MaximumSpeedMeasure? TotalEnginePowerQuantity? GeneralBoatDescription Hull CabinHeadroomMeasure? DeadriseMeasure? MaximumNumberOfPassengersNumeric? NumberOfBerthsNumeric? NumberOfCabinsNumeric? NumberOfHeadsNumeric? Tank* Accommodation*
ModelYear = \d{4}
SaleClassCode = New|Used
ColorGroup : ColorName
BoatLengthGroup : BoatLengthCode BoatLengthMeasure
BoatLengthCode = Nominal Length|Length Overall|Length At Water Line|Length Of Deck
BoatLengthMeasure @unitCode=feet|meter = [\d.]+
BridgeClearanceMeasure @unitCode=feet|meter = [\d.]+
BeamMeasure @unitCode=feet|meter = [\d.]+
DraftMeasureGroup : DraftMeasure BoatDraftCode
DraftMeasure @unitCode=feet|meter = [\d.]+
BoatDraftCode = Max Draft|Drive Up
FreeBoardMeasure @unitCode=feet|meter = [\d.]+
FuelTankCapacityMeasure @unitCode=gallon|liter = [\d.]+
HoldingTankCapacityMeasure @unitCode=gallon|liter = [\d.]+
WaterTankCapacityMeasure @unitCode=gallon|liter = [\d.]+
DryWeightMeasure @unitCode=pound|kilogram = [\d.]+
DisplacementMeasure @unitCode=pound|kilogram = [\d.]+
BallastWeightMeasure @unitCode=pound|kilogram = [\d.]+
BoatCategoryCode = Power|Sail|Unpowered
BoatClassGroup : BoatClassCode PrimaryBoatClassIndicator
PrimaryBoatClassIndicator = true|false
BoatKeelCode = (Full|Fin|Lifting|Winged|Twin|Bulb|Canting) Keel|Other
CruisingSpeedMeasure @unitCode=knots = [\d.]+
MaximumSpeedMeasure @unitCode=knots = [\d.]+
Hull : BoatHullMaterialCode? BoatHullDesignCode? BoatHullID?
BoatHullDesignCode = Monohull|Deep Vee|RIB|Displacement|Catamaran|Planing|Modified Vee|Semi Displacement|Flat|Pontoon|Trimaran|Tunnel|Other
CabinHeadroomMeasure @unitCode=feet|meter = [\d.]+
DeadriseMeasure @unitCode=degree = [\d.]+
Tank : TankUsageCode TankCapacityMeasure
TankUsageCode = Fuel|Water|Black Water
TankCapacityMeasure @unitCode=gallon|liter = [\d.]+
Accommodation : AccommodationTypeCode AccommodationCountNumeric
AccommodationTypeCode = Head|Bathroom|SingleBerth|DoubleBerth|TwinBerth|Cabin|Other
AccommodationCountNumeric = \d+
VehicleRemarketingEngineLineItem : VehicleRemarketingEngine
VehicleRemarketingEngine : MakeString? ModelYear? Model? BoatEngineTypeCode? FuelTypeCode? PowerMeasure? TotalEngineHoursNumeric? BoatEngineLocationCode? PropellerType? DriveTransmissionDescription?
BoatEngineTypeCode = Inboard|Outboard|Outboard 4 Stroke|Inboard/Outboard|Outboard 2 Stroke|Electric|V Drive|Other
FuelTypeCode = diesel|unleaded|electric|Other
PowerMeasure : MechanicalEnergyMeasure
MechanicalEnergyMeasure @unitCode=horsepower = [\d.]+
TotalEngineHoursNumeric = [\d.]+
BoatEngineLocationCode = Port|Starboard
DriveTransmissionDescription = Direct|Sail|Stern|Other|Surface|Pod|V|Jet
VehicleRemarketingTrailerLineItem : VehicleRemarketingTrailer
VehicleRemarketingTrailer : MakeString? ModelYear? Model? AxleNumeric?
`,
}

// node is an element of a document.
type node struct {
	name     string
	attrs    map[string]string
	children []*node
	text     string
}

// checkXML checks that a document is well-formed and follows the rules of its format.
func checkXML(rules, text string) error {
	var stack []*node
	root := &node{}
	stack = append(stack, root)
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		top := stack[len(stack)-1]
		switch token := token.(type) {
		case xml.StartElement:
			n := &node{name: token.Name.Local, attrs: map[string]string{}}
			for _, a := range token.Attr {
				n.attrs[a.Name.Local] = a.Value
			}
			top.children, stack = append(top.children, n), append(stack, n)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			top.text += string(token)
		}
	}
	if !strings.HasPrefix(text, `<?xml version="1.0" encoding="UTF-8"?>`) || len(root.children) != 1 {
		return errors.New("not an XML document")
	}

	table := map[string]string{}
	for line := range strings.Lines(rules) {
		if name, rule, _ := strings.Cut(strings.TrimSpace(line), " "); name != "" {
			table[name] = rule
		}
	}
	return root.children[0].check(table, "")
}

func (n *node) check(table map[string]string, parent string) error {
	rule, ok := table[parent+"/"+n.name]
	if !ok {
		rule = table[n.name]
	}
	rule, pattern, hasText := strings.Cut(" "+rule, " = ")
	attrs, children, hasChildren := strings.Cut(rule, " : ")

	if err := n.checkAttrs(strings.Fields(attrs)); err != nil {
		return err
	}
	switch {
	case hasText && !regexp.MustCompile(`^(`+pattern+`)$`).MatchString(n.text):
		return fmt.Errorf("%s has the text %q, want %s", n.name, n.text, pattern)
	case hasChildren && strings.TrimSpace(n.text) != "":
		return fmt.Errorf("%s has the text %q, want only elements", n.name, n.text)
	}

	remaining := n.children
	for _, child := range strings.Fields(children) {
		name, least, most := strings.TrimRight(child, "?*+"), 1, 1
		switch child[len(child)-1] {
		case '?':
			least = 0
		case '*':
			least, most = 0, len(n.children)
		case '+':
			most = len(n.children)
		}
		count := 0
		for len(remaining) > 0 && remaining[0].name == name && count < most {
			if err := remaining[0].check(table, n.name); err != nil {
				return err
			}
			remaining, count = remaining[1:], count+1
		}
		if count < least {
			return fmt.Errorf("%s has no %s where it belongs", n.name, name)
		}
	}
	if len(remaining) > 0 {
		return fmt.Errorf("%s has an unexpected %s", n.name, remaining[0].name)
	}
	return nil
}

func (n *node) checkAttrs(rules []string) error {
	known := map[string]bool{}
	for _, rule := range rules {
		name, pattern, _ := strings.Cut(strings.TrimPrefix(rule, "@"), "=")
		name, optional := strings.CutSuffix(name, "?")
		known[name] = true
		value, ok := n.attrs[name]
		if !ok && !optional || ok && pattern != "" && !regexp.MustCompile(`^(`+pattern+`)$`).MatchString(value) {
			return fmt.Errorf("%s has the attribute %s=%q (%t), want %s", n.name, name, value, ok, rule)
		}
	}
	for name := range n.attrs {
		if !known[name] {
			return fmt.Errorf("%s has an unexpected attribute %s", n.name, name)
		}
	}
	return nil
}

// The validator finds what is wrong.
func TestCheckXML(t *testing.T) {
	const rules = "a @x=\\d @y? : b+ c?\nb = \\d\n"
	const head = `<?xml version="1.0" encoding="UTF-8"?>`
	for text, valid := range map[string]bool{
		head + `<a x="1"><b>1</b></a>`: true, head + `<a x="1" y=""><b>1</b><b>2</b><c>z</c></a>`: true,
		head + `<a x="1"></a>`: false, head + `<a x="1"><c/><b>1</b></a>`: false, head + `<a><b>1</b></a>`: false,
		head + `<a x="z"><b>1</b></a>`:      false,
		head + `<a x="1" z=""><b>1</b></a>`: false, head + `<a x="1"><b>z</b></a>`: false, head + `<a x="1"><b>1</b><d/></a>`: false,
		head + `<a x="1">t<b>1</b></a>`: false, head + `<a x="1"><b>1</b>`: false, `<a x="1"><b>1</b></a>`: false,
	} {
		if err := checkXML(rules, text); (err == nil) != valid {
			t.Errorf("%s: got %v, want valid: %t", text, err, valid)
		}
	}
}

// ---- schema.org ---------------------------------------------------------------

// ldTypes are the properties of the types that feeds use, with what their values are: a
// kind or a type. ! is required. Other properties are errors.
var ldTypes = map[string]map[string]string{
	"DataFeed":     {"name!": "text", "dataFeedElement": "DataFeedItem"},
	"DataFeedItem": {"dateModified!": "time", "item!": "Product+Vehicle"},
	"Product+Vehicle": {
		"@id!": "iri", "productID!": "text", "url": "iri", "sku": "text", "serialNumber": "text", "name!": "text", "description": "text",
		"brand!": "Brand", "model!": "text", "vehicleModelDate!": "year", "productionDate": "year", "category!": "text",
		"itemCondition!": "schema", "image": "iri",
		"vehicleEngine": "EngineSpecification", "offers!": "Offer", "additionalProperty": "PropertyValue",
	},
	"Brand":        {"name!": "text"},
	"Organization": {"name!": "text"},
	"Place":        {"name!": "text", "telephone": "text", "address": "PostalAddress"},
	"PostalAddress": {
		"streetAddress": "text", "addressLocality": "text", "addressRegion": "text", "postalCode": "text", "addressCountry": "text",
	},
	"EngineSpecification": {"name": "text", "engineType": "text", "fuelType": "text", "enginePower": "QuantitativeValue"},
	"QuantitativeValue":   {"value!": "number", "unitCode!": "code"},
	"Offer": {
		"url": "iri", "price": "amount", "priceCurrency!": "currency", "priceSpecification": "UnitPriceSpecification", "availability!": "schema",
		"seller!": "Organization", "availableAtOrFrom": "Place",
	},
	"UnitPriceSpecification": {"priceType!": "schema", "price!": "amount", "priceCurrency!": "currency"},
	"PropertyValue":          {"name!": "text", "value!": "value", "unitCode": "code"},
}

// ldTerms are the values of enumerations.
var ldTerms = []string{
	"NewCondition", "UsedCondition", "InStock", "LimitedAvailability", "PreOrder", "Discontinued", "MSRP", "SalePrice",
}

var ldPatterns = map[string]*regexp.Regexp{
	"year": regexp.MustCompile(`^\d{4}$`), "amount": regexp.MustCompile(`^\d+$`), "currency": regexp.MustCompile(`^[A-Z]{3}$`),
	"code": regexp.MustCompile(`^[A-Z0-9]{2,3}$`), "text": regexp.MustCompile(`(?s)^.+$`),
}

func checkSchemaOrg(text string) error {
	var doc map[string]any
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		return err
	}
	if doc["@context"] != "https://schema.org" {
		return fmt.Errorf("@context is %v", doc["@context"])
	}
	delete(doc, "@context")
	return checkThing("", doc)
}

// checkThing checks an object and everything in it. An empty type accepts any.
func checkThing(want string, v any) error {
	thing, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("got %v, want the type %s", v, want)
	}
	var names []string
	switch t := thing["@type"].(type) {
	case string:
		names = []string{t}
	case []any:
		for _, n := range t {
			names = append(names, fmt.Sprint(n))
		}
	}
	name := strings.Join(names, "+")
	shape := ldTypes[name]
	if shape == nil || want != "" && name != want {
		return fmt.Errorf("got the type %q, want %q", name, want)
	}

	for property := range maps.Keys(shape) {
		if required, ok := strings.CutSuffix(property, "!"); ok && thing[required] == nil {
			return fmt.Errorf("%s has no %s", name, required)
		}
	}
	for property, v := range thing {
		if property == "@type" {
			continue
		}
		kind := shape[property] + shape[property+"!"]
		if kind == "" {
			return fmt.Errorf("%s has no property %s", name, property)
		}
		values, isList := v.([]any)
		if !isList {
			values = []any{v}
		}
		for _, v := range values {
			if err := checkValue(kind, v); err != nil {
				return fmt.Errorf("%s.%s: %w", name, property, err)
			}
		}
	}
	return nil
}

func checkValue(kind string, v any) error {
	text, isText := v.(string)
	_, isNumber := v.(float64)
	var ok bool
	switch kind {
	case "value":
		ok = isNumber || text != ""
	case "number":
		ok = isNumber
	case "iri":
		u, err := url.Parse(text)
		ok = err == nil && u.IsAbs() && u.Host != "" && !strings.ContainsAny(text, " <>\"{}|\\^`\n")
	case "time":
		_, err := time.Parse(time.RFC3339, text)
		ok = err == nil
	case "schema":
		ok = slices.Contains(ldTerms, strings.TrimPrefix(text, schemaOrg)) && strings.HasPrefix(text, schemaOrg)
	default:
		if ldTypes[kind] != nil {
			return checkThing(kind, v)
		}
		ok = isText && ldPatterns[kind].MatchString(text)
	}
	if !ok {
		return fmt.Errorf("got %v, want a value of the kind %s", v, kind)
	}
	return nil
}

func TestCheckSchemaOrg(t *testing.T) {
	valid := feedText(t, "json", fullListing())
	for _, c := range [][2]string{
		{`"dateModified":`, `"modified":`}, {`"@id":"https://slipway.example.com/v1/hulls/`, `"@id":"hulls/`},
		{`"price":"124900"`, `"price":"$124,900"`}, {"UnitPriceSpecification", "PriceSpecification"}, {"schema.org/MSRP", "schema.org/Retail"},
		{`"@context":"https://schema.org"`, `"@context":"x"`},
		{`"vehicleEngine":[{"@type":"EngineSpecification"`, `"vehicleEngine":[{"@type":"Engine"`}, {`"value":300`, `"value":"300"`},
	} {
		if !strings.Contains(valid, c[0]) {
			t.Fatalf("the feed has no %s:\n%s", c[0], valid)
		}
		if err := checkSchemaOrg(strings.ReplaceAll(valid, c[0], c[1])); err == nil {
			t.Errorf("with %s: got no error", c[1])
		}
	}
}
