package sheet

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/search"
)

// plain returns text as names and words are compared: lower case without accents,
// letters and digits only.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, search.Fold(text))
}

// words are the values of a field, by the words that dealer software uses for them,
// in plain form.
type words map[string]string

// wordsOf returns the words of values. A value is always one of its own words.
func wordsOf(values map[string][]string) words {
	w := words{}
	for value, others := range values {
		w[plain(value)] = value
		for _, word := range others {
			w[word] = value
		}
	}
	return w
}

// find returns the value of a word, or "".
func (w words) find(text string) string { return w[plain(text)] }

// Words are what words of a field mean in the files of a dealership, such as Dock for the
// status available. An empty value ignores the word.
type Words map[string]map[string]string

// wordFields are the fields whose words can be given a meaning.
var wordFields = []string{"status", "condition", "ownership", "engine_fuel", "location_id"}

// CheckWords adds an error for each field whose words can't be given a meaning.
func CheckWords(bad *fault.Fields, w Words) {
	for _, field := range slices.Sorted(maps.Keys(w)) {
		if !slices.Contains(wordFields, field) {
			bad.Add("words", "enum", "has words for %q, but must be for %s", Clip(field, 60), strings.Join(wordFields, ", "))
		}
	}
}

// find returns the meaning of a word of a field.
func (w Words) find(field, text string) (value string, ok bool) {
	for word, value := range w[field] {
		if plain(word) == plain(text) {
			return value, true
		}
	}
	return "", false
}

var statuses = wordsOf(map[string][]string{
	"available":    {"instock", "stock", "forsale", "active", "avail", "instockavailable", "readyforsale", "onlot", "inventory", "a"},
	"on_order":     {"ordered", "order", "factoryorder", "incoming", "preorder", "specialorder", "presold"},
	"in_transit":   {"transit", "shipped", "enroute", "intransittodealer"},
	"on_hold":      {"hold", "held", "reserved"},
	"sale_pending": {"pending", "salespending", "pendingsale", "deposit", "deposittaken", "undercontract", "dealpending"},
	"sold":         {"retailed", "closed", "s"},
	"delivered":    {"solddelivered"},
	"not_for_sale": {"notavailable", "unavailable", "inactive", "service", "inservice", "rental", "loaner", "nfs"},
})

var conditions = wordsOf(map[string][]string{
	"new":  {"n", "brandnew", "newboat", "newleftover"},
	"used": {"u", "preowned", "usedboat", "secondhand", "tradein", "brokerage"},
	"demo": {"d", "demonstrator", "demoboat", "demounit"},
})

var ownerships = wordsOf(map[string][]string{
	"owned":       {"dealerowned", "own", "stock", "paid"},
	"floorplan":   {"floorplanned", "floored", "floor", "flooring"},
	"consignment": {"consigned", "consign"},
	"brokerage":   {"brokered", "broker", "listing"},
})

var fuels = wordsOf(map[string][]string{
	"gas":      {"gasoline", "petrol", "unleaded", "g"},
	"diesel":   {"d"},
	"electric": {"battery"},
	"hybrid":   nil,
	"other":    nil,
})

var categories = wordsOf(map[string][]string{
	"power":     {"powerboat", "powerboats", "motorboat", "p"},
	"sail":      {"sailboat", "sailboats", "sailing"},
	"pwc":       {"personalwatercraft", "jetski", "waverunner", "watercraft"},
	"unpowered": {"nonpowered", "smallboat", "paddle", "paddlecraft"},
})

// classes are the classes whose common words are not their names.
var classes = wordsOf(map[string][]string{
	"power-aft": {"aftcabin"}, "power-airboat": {"airboat"}, "power-aluminum": {"aluminum", "aluminumfishing", "aluminumfish", "aluminium"}, //nolint:misspell // British spelling
	"power-antique": {"antique", "classic", "antiqueandclassic", "antiqueclassic"}, "power-barge": {"barge"},
	"power-bass": {"bass"}, "power-bay": {"bay"}, "power-bowrider": {"bowrider", "openbow"}, "power-cargo": {"cargo", "cargoship"},
	"power-center": {"centerconsole", "centreconsole", "cc", "center"}, "power-commercial": {"commercial", "commercialfishing"},
	"power-convertible": {"convertible"}, "power-cruiser": {"cruiser", "cruisers", "cruising", "powercruiser"}, "power-cruiseship": {"cruiseship"},
	"power-cuddy": {"cuddy", "cuddycabin"}, "power-deck": {"deck"}, "power-dinghy": {"dinghy"}, "power-dive": {"dive"},
	"power-downeast": {"downeast"}, "power-dragger": {"dragger"}, "power-dualconsole": {"dualconsole", "dc", "dual"},
	"power-expresscruiser": {"express", "expresscruiser", "sportexpress"}, "power-flats": {"flats", "flat", "flatsfishing"},
	"power-flybridge": {"flybridge"}, "power-fresh": {"freshwaterfishing", "freshwaterfish", "fishing"},
	"power-highperf": {"highperformance", "performance", "gofast"}, "power-house": {"house"}, "power-inflatable": {"inflatable"},
	"power-jet": {"jet"}, "power-jon": {"jon"}, "power-lobster": {"lobster"}, "power-mega": {"megayacht", "mega", "superyacht"},
	"power-motor": {"motoryacht", "motoryachts"}, "power-motorsailer": {"motorsailer"}, "power-narrow": {"narrow"},
	"power-passenger": {"passenger"}, "power-pcatamaran": {"powercatamaran", "powercat"}, "power-pilot": {"pilothouse", "pilot"},
	"power-pontoon": {"pontoon", "pontoons", "tritoon"}, "power-pwc": nil, "power-rib": {"rib", "rigidinflatable", "rigidsportsinflatable"},
	"power-rivercruiser": {"rivercruiser"}, "power-runabout": {"runabout", "sport"},
	"power-saltfish": {"saltwaterfishing", "saltwaterfish", "saltwater", "offshore"}, "power-skiff": {"skiff"},
	"power-skifish":      {"skiandfish", "skifish", "fishandski", "fishski", "fishnski"},
	"power-skiwake":      {"skiandwakeboard", "skiwakeboard", "skiwake", "ski", "wake", "wakeboard", "wakesurf", "surf", "tow", "towsports"},
	"power-sportcruiser": {"sportcruiser", "sportscruiser"}, "power-sportfish": {"sportfish", "sportfishing", "sportfisherman"},
	"power-tender": {"tender"}, "power-trawler": {"trawler"}, "power-troller": {"troller"}, "power-tug": {"tug"},
	"power-util": {"utility", "util"}, "power-walk": {"walkaround", "walkaroundcuddy", "wa"}, "power-other": {"otherpower"},
	"sail-beachcat": {"beachcatamaran", "beachcat"}, "sail-catamaran": {"catamaran", "sailcatamaran", "sailingcatamaran"},
	"sail-centercockpit": {"centercockpit"}, "sail-cruiser": {"sailcruiser", "cruisingsail", "cruisingsailboat"}, "sail-cutter": {"cutter"},
	"sail-day": {"daysailer", "daysailor"}, "sail-ketch": {"ketch"}, "sail-multihull": {"multihull"}, "sail-performance": {"performancesail"},
	"sail-racer": {"racer", "racing"}, "sail-racercruiser": {"racercruiser"}, "sail-schooner": {"schooner"}, "sail-sloop": {"sloop"},
	"sail-trimaran": {"trimaran"}, "sail-yawl": {"yawl"}, "sail-other": {"othersail"},
	"unpowered-kayak": {"kayak", "kayaks", "canoe"}, "unpowered-dinghy": {"rowingdinghy"}, "unpowered-tender": {"rowingtender"},
})

// findClass returns the class of a word, or "": Center Console, center consoles and
// Center Console Boats are power-center.
func findClass(text string) string {
	word := plain(text)
	for _, suffix := range []string{"", "s", "boat", "boats"} {
		if short, ok := strings.CutSuffix(word, suffix); ok && short != "" {
			if class := classes.find(short); class != "" {
				return class
			}
		}
	}
	return ""
}
