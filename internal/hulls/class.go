package hulls

import (
	"slices"
	"strings"

	"slipway/internal/vocab/enum"
)

// BoatClass is the type of a boat, as marketplaces name it.
type BoatClass string

// classes lists the classes of each category.
var classes = map[Category][]string{
	Power: {
		"aft", "airboat", "aluminum", "antique", "barge", "bass", "bay", "bowrider", "cargo", "center", "commercial", "convertible",
		"cruiser", "cruiseship", "cuddy", "deck", "dinghy", "dive", "downeast", "dragger", "dualconsole", "expresscruiser", "flats",
		"flybridge", "fresh", "highperf", "house", "inflatable", "jet", "jon", "lobster", "mega", "motor", "motorsailer", "narrow",
		"other", "passenger", "pcatamaran", "pilot", "pontoon", "pwc", "rib", "rivercruiser", "runabout", "saltfish", "skiff",
		"skifish", "skiwake", "sloop", "sportcruiser", "sportfish", "tender", "trawler", "troller", "tug", "unspec", "util", "walk",
	},
	Sail: {
		"antique", "barge", "beachcat", "catamaran", "centercockpit", "commercial", "cruiser", "cutter", "day", "deck", "dinghy",
		"ketch", "motor", "multihull", "other", "performance", "pilot", "racer", "racercruiser", "schooner", "sloop", "trimaran",
		"unspec", "yawl",
	},
	Unpowered: {"dinghy", "kayak", "tender"},
}

var allClasses = enum.Of("BoatClass", "Type of boat, as marketplaces name it. Starts with the category.", sortedClasses()...)

func (BoatClass) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	s.Examples = []any{"power-center"}
	return allClasses.Describe(s)
}

// sortedClasses returns the classes with their category: power-bowrider.
func sortedClasses() []BoatClass {
	var all []BoatClass
	for category, names := range classes {
		for _, n := range names {
			all = append(all, BoatClass(string(category)+"-"+n))
		}
	}
	slices.Sort(all)
	return all
}

// category returns the category of a class.
func (c BoatClass) category() Category {
	if c == "power-pwc" {
		return PWC
	}
	category, _, _ := strings.Cut(string(c), "-")
	return Category(category)
}

// fits reports whether a boat of the category can have this class. Personal
// watercraft are both a category and a class of power boats.
func (c BoatClass) fits(category Category) bool {
	return c.category() == category || (c == "power-pwc" && category == Power)
}
