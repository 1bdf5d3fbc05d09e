package hulls

import (
	"slices"
	"strings"
)

// BoatClass is the type of a boat, as marketplaces name it.
type BoatClass string

// classes lists the classes of each category.
var classes = map[string][]string{
	"power": {
		"aft", "airboat", "aluminum", "antique", "barge", "bass", "bay", "bowrider", "cargo", "center", "commercial", "convertible",
		"cruiser", "cruiseship", "cuddy", "deck", "dinghy", "dive", "downeast", "dragger", "dualconsole", "expresscruiser", "flats",
		"flybridge", "fresh", "highperf", "house", "inflatable", "jet", "jon", "lobster", "mega", "motor", "motorsailer", "narrow",
		"other", "passenger", "pcatamaran", "pilot", "pontoon", "pwc", "rib", "rivercruiser", "runabout", "saltfish", "skiff",
		"skifish", "skiwake", "sloop", "sportcruiser", "sportfish", "tender", "trawler", "troller", "tug", "unspec", "util", "walk",
	},
	"sail": {
		"antique", "barge", "beachcat", "catamaran", "centercockpit", "commercial", "cruiser", "cutter", "day", "deck", "dinghy",
		"ketch", "motor", "multihull", "other", "performance", "pilot", "racer", "racercruiser", "schooner", "sloop", "trimaran",
		"unspec", "yawl",
	},
	"unpowered": {"dinghy", "kayak", "tender"},
}

// allClasses returns the classes with their category: power-bowrider.
func allClasses() []string {
	var all []string
	for category, names := range classes {
		for _, n := range names {
			all = append(all, category+"-"+n)
		}
	}
	slices.Sort(all)
	return all
}

// category returns the category of a class.
func (c BoatClass) category() string {
	if c == "power-pwc" {
		return "pwc"
	}
	category, _, _ := strings.Cut(string(c), "-")
	return category
}

// fits reports whether a boat of the category can have this class. Personal
// watercraft are both a category and a class of power boats.
func (c BoatClass) fits(category string) bool {
	return c.category() == category || (c == "power-pwc" && category == "power")
}
