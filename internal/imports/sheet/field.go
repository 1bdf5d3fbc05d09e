package sheet

import (
	"errors"
	"fmt"
	"math"
	"slipway/internal/vocab/lazy"
	"strconv"
	"strings"
)

// field is a field that a column can set.
type field struct {
	name    string
	read    reader
	aliases []string // column names in plain form; the first ones are preferred
}

// reader returns the value of a cell, which is nil to ignore the cell.
type reader func(cell string, l layout) (value any, n *note, err error)

// fields are the fields of a file of hulls, with the column names that dealer software uses.
// A field that is listed twice has columns with different units.
var fields = []field{
	{"stock_number", cellText, []string{"stock", "stockno", "stocknum", "stocknr", "stockid", "unitnumber", "unitno", "unitid", "inventorynumber"}},
	{"hin", cellText, []string{"hullid", "hullidentificationnumber", "hinnumber", "hull", "hullnumber", "hullno", "hullserial", "hullserialnumber", "serialnumber", "serial", "serialno"}},
	{"hin", cellVIN, []string{"vin", "vinnumber", "vinno"}},
	{"hin_absent_reason", cellWord, nil},
	{"make", cellText, []string{"manufacturer", "brand", "builder", "mfg", "mfr", "makename", "boatmake"}},
	{"model", cellText, []string{"modelname", "modeldescription", "modeldesc", "boatmodel", "modelno", "modelnumber"}},
	{"year", cellWhole, []string{"modelyear", "yr", "boatyear", "my"}},
	{"length_ft", cellLength(1), []string{"loa", "loaft", "lengthoverall", "lengthfeet", "lengthft", "length", "boatlength", "hulllength"}},
	{"length_ft", cellLength(feetPerMeter), []string{"loam", "lengthm", "lengthmeters", "lengthinmeters"}},
	{"length_ft", cellLength(1.0 / 12), []string{"lengthinches", "lengthininches"}},
	{"price_usd", cellPrice, []string{
		"webprice", "internetprice", "onlineprice", "saleprice", "specialprice", "promoprice", "askingprice", "price", "sellingprice",
		"advertisedprice", "ourprice", "retailprice", "retail", "listprice",
	}},
	{"location_id", cellText, []string{"location", "locationcode", "locationname", "lot", "store", "storename", "branch", "dealerlocation", "loc"}},
	{"status", cellStatus, []string{"unitstatus", "stockstatus", "inventorystatus", "salestatus", "availability"}},
	{"condition", cellCondition, []string{"newused", "neworused", "newusedcode", "nu", "unitcondition", "itemcondition"}},
	{"category", cellKind, []string{"boatcategory", "boattype", "vesseltype", "type"}},
	{"boat_class", cellKind, []string{"class", "boatclasscode", "classification", "subtype", "boatstyle", "unitclass"}},
	{"title", cellText, []string{"headline", "listingtitle", "adtitle"}},
	{"description", cellText, []string{"longdescription", "webdescription", "fulldescription", "comments", "remarks", "details"}},
	{"ownership", cellOwnership, []string{"ownershiptype"}},
	{"received_on", cellDate, []string{"received", "datereceived", "receiveddate", "dateinstock", "instockdate", "stockdate", "dateacquired", "purchasedate", "arrivaldate"}},
	{"previous_hull_id", cellText, nil},

	{"msrp_usd", cellPrice, []string{"msrp", "manufacturersuggestedretailprice", "suggestedretail", "suggestedretailprice", "srp"}},
	{"invoice_usd", cellAmount, []string{"invoice", "invoiceamount", "invoiceamt", "invoicecost", "baseinvoice", "dealercost", "unitcost", "basecost", "cost"}},
	{"freight_usd", cellAmount, []string{"freight", "freightcost", "freightin", "shippingcost"}},
	{"rigging_usd", cellAmount, []string{"rigging", "riggingcost", "setupcost", "prepcost", "prep"}},
	{"pack_usd", cellAmount, []string{"pack", "dealerpack", "packamount"}},
	{"reconditioning_usd", cellAmount, []string{"reconditioning", "reconditioningcost", "recon", "reconcost", "recondition"}},

	{totalCost, cellAmount, []string{"totalcost", "costtotal", "totalunitcost", "totalinvoice", "landedcost", "loadedcost"}},

	{"hours", cellQuantity("hours", "hour", "hrs", "hr", "h"), []string{"enginehours", "enginehrs", "engine1hours", "motorhours", "totalhours", "hrs", "hoursused"}},
	{"engine_count", cellWhole, []string{"numberofengines", "noofengines", "numengines", "engineqty", "enginequantity"}},
	{"engine", cellEngine, []string{"engines", "motor", "motors", "enginedescription"}},
	{"engine_make", cellText, []string{"enginemanufacturer", "enginebrand", "enginemfg", "engmake", "motormake", "engine1make"}},
	{"engine_model", cellText, []string{"enginemodelname", "motormodel", "engine1model"}},
	{"engine_year", cellWhole, []string{"enginemodelyear", "engineyr", "motoryear", "engine1year"}},
	{"engine_serial", cellText, []string{"engineserialnumber", "engineserialno", "engineserialnum", "enginesn", "motorserial", "motorserialnumber", "engine1serial", "engine1serialnumber"}},
	{"engine_hp", cellQuantity("horsepower", "bhp", "hp"), []string{"enginehorsepower", "enginepower", "horsepower", "hp", "motorhp", "engine1hp"}},
	{"engine_fuel", cellFuel, []string{"fuel", "fueltype", "enginefueltype"}},
	{"trailer_vin", cellText, []string{"trailervinnumber", "trailerserial", "trailerserialnumber", "trailerid"}},
	{"trailer_make", cellText, []string{"trailermanufacturer", "trailerbrand", "trailermfg"}},
	{"trailer_model", cellText, nil},
	{"trailer_year", cellWhole, []string{"trailermodelyear", "traileryr"}},
	{"hull_color", cellText, []string{"color", "colour", "exteriorcolor", "primarycolor", "boatcolor", "hullcolour"}}, //nolint:misspell // British spelling
	{"beam_ft", cellLength(1), []string{"beam", "beamfeet", "width"}},
	{photoURLs, cellURLs, []string{"photourl", "photos", "photo", "imageurls", "imageurl", "images", "image", "pictureurls", "pictures", "picture", "photolinks"}},
}

// totalCost is the field that splitTotal turns into the invoice.
const totalCost = "total_cost_usd"

// photoURLs is the field whose columns are all read. Their names can end with a
// number: Photo 1, Photo 2.
const photoURLs = "photo_urls"

// empty are the words that programs write into a cell without a value.
var empty = map[string]bool{"n/a": true, "na": true, "#n/a": true, "null": true, "none": true, "-": true, "--": true, "unknown": true, "#value!": true}

func isEmpty(cell string) bool { return cell == "" || empty[strings.ToLower(cell)] }

func cellText(cell string, _ layout) (any, *note, error) {
	if strings.EqualFold(cell, "null") || strings.EqualFold(cell, "#n/a") {
		return nil, nil, nil
	}
	return cell, nil, nil
}

// cellWord reads an enum value in other spellings: On Order is on_order.
func cellWord(cell string, _ layout) (any, *note, error) {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(cell)), nil, nil
}

// oneOf reads an enum value by its words. The schema rejects other values.
func oneOf(w words) reader {
	return func(cell string, l layout) (any, *note, error) {
		if isEmpty(cell) {
			return nil, nil, nil
		}
		if value := w.find(cell); value != "" {
			return value, nil, nil
		}
		return cellWord(cell, l)
	}
}

// cellStatus reads a status. Programs have their own words for it, so an unknown one is only
// noted. Map it with the words of the import.
func cellStatus(cell string, _ layout) (any, *note, error) {
	if isEmpty(cell) {
		return nil, nil, nil
	}
	if value := statuses.find(cell); value != "" {
		return value, nil, nil
	}
	return nil, &note{"unknown", fmt.Sprintf("%q is not a known status and was ignored", Clip(cell, 60))}, nil
}

var (
	cellCondition = oneOf(conditions)
	cellOwnership = oneOf(ownerships)
	cellFuel      = oneOf(fuels)
)

// trailerVIN is the value of a column that should have HINs. A VIN has 17 characters and a HIN
// 12 to 14.
type trailerVIN string

// cellVIN reads a column named VIN. In files of boats, it has HINs, and sometimes the VIN of
// the trailer.
func cellVIN(cell string, l layout) (any, *note, error) {
	if len(plain(cell)) == 17 {
		return trailerVIN(strings.ToUpper(plain(cell))), nil, nil
	}
	return cellText(cell, l)
}

// category and class are values of a column that can contain both.
type (
	category string
	class    string
)

// cellKind reads a category or a class. Programs have many names for types of
// boats, so an unknown one is only noted.
func cellKind(cell string, _ layout) (any, *note, error) {
	if isEmpty(cell) {
		return nil, nil, nil
	}
	lower := strings.ToLower(cell)
	for _, prefix := range []string{"power-", "sail-", "unpowered-"} {
		if strings.HasPrefix(lower, prefix) && !strings.Contains(lower, " ") {
			return class(lower), nil, nil
		}
	}
	if value := categories.find(cell); value != "" {
		return category(value), nil, nil
	}
	if value := findClass(cell); value != "" {
		return class(value), nil, nil
	}
	return nil, &note{"unknown", fmt.Sprintf("%q is not a known type of boat and was ignored", Clip(cell, 60))}, nil
}

func cellLength(unit float64) reader {
	return func(cell string, _ layout) (any, *note, error) {
		if isEmpty(cell) {
			return nil, nil, nil
		}
		n, err := parseLength(cell, unit)
		return n, nil, err
	}
}

// cellQuantity reads a number that can have one of these units.
func cellQuantity(units ...string) reader {
	return func(cell string, _ layout) (any, *note, error) {
		if isEmpty(cell) {
			return nil, nil, nil
		}
		text := strings.TrimRight(strings.ToLower(cell), ". ")
		for _, unit := range units {
			if rest, ok := strings.CutSuffix(text, unit); ok {
				text = rest
				break
			}
		}
		n, err := parseNumber(text)
		return n, nil, err
	}
}

func cellWhole(cell string, _ layout) (any, *note, error) {
	if isEmpty(cell) {
		return nil, nil, nil
	}
	n, err := strconv.ParseFloat(cell, 64)
	if err != nil || n != math.Trunc(n) || math.Abs(n) > 1e9 {
		return nil, nil, errors.New("must be a whole number")
	}
	return n, nil, nil
}

// cellPrice reads an amount in whole dollars. Prices have no cents, so they are
// rounded.
func cellPrice(cell string, l layout) (any, *note, error) {
	if isEmpty(cell) {
		return nil, nil, nil
	}
	cents, err := parseMoney(cell, l.delimiter == ';')
	if err != nil || cents == nil {
		return nil, nil, err
	}
	dollars := math.Round(float64(*cents) / 100)
	if *cents%100 != 0 {
		return dollars, &note{"rounded", fmt.Sprintf("%q was rounded to %.0f", Clip(cell, 40), dollars)}, nil
	}
	return dollars, nil, nil
}

// cellAmount reads an amount in dollars and cents.
func cellAmount(cell string, l layout) (any, *note, error) {
	if isEmpty(cell) {
		return nil, nil, nil
	}
	cents, err := parseMoney(cell, l.delimiter == ';')
	if err != nil || cents == nil {
		return nil, nil, err
	}
	return float64(*cents) / 100, nil, nil
}

func cellDate(cell string, l layout) (any, *note, error) {
	if isEmpty(cell) {
		return nil, nil, nil
	}
	date, ambiguous, err := parseDate(cell, l.DayFirst)
	if err != nil || date == "" {
		return nil, nil, err
	}
	if ambiguous {
		return date, noteOnDate(cell, date, l.DayFirst), nil
	}
	return date, nil, nil
}

// nextURL is the end of a URL and the start of the next one.
var nextURL = lazy.Regexp(`[,;|]+[a-zA-Z][a-zA-Z0-9+.-]*://`)

// cellURLs reads one or more URLs that are separated by white space, commas,
// semicolons or bars. These can also be part of a URL, unless another URL follows.
func cellURLs(cell string, _ layout) (any, *note, error) {
	var urls []any
	for _, text := range strings.Fields(cell) {
		for text != "" {
			end := len(text)
			if at := nextURL().FindStringIndex(text[1:]); at != nil {
				end = at[0] + 1
			}
			if url := strings.Trim(text[:end], ",;|"); url != "" {
				urls = append(urls, url)
			}
			text = strings.TrimLeft(text[end:], ",;|")
		}
	}
	if urls == nil {
		return nil, nil, nil
	}
	return urls, nil, nil
}
