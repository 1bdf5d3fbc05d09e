package imports

import (
	"regexp"
	"slices"
	"strings"

	"slipway/internal/vocab/search"
)

var yearInside = regexp.MustCompile(`(?:19|20)\d{2}`)

// suggest returns the text that would repair a cell, if it is certain, or "".
func suggest(field, text string, places []string) string {
	switch field {
	case "year":
		if found := yearInside.FindAllString(text, 2); len(found) == 1 && found[0] != text {
			return found[0]
		}
		if len(text) == 2 && text >= "00" && text <= "30" {
			return "20" + text
		}
	case "location_id":
		if text == "" && len(places) == 1 {
			return places[0]
		}
		return similarPlace(text, places)
	case "length_ft", "hours", "engine_hp", "beam_ft":
		return onlyNumber(text)
	case "price_usd", "msrp_usd", "invoice_usd", "freight_usd", "rigging_usd", "pack_usd", "reconditioning_usd":
		return onlyNumber(text)
	}
	return ""
}

var amount = regexp.MustCompile(`\$?\d[\d,]*(?:\.\d+)?`)

// onlyNumber returns the only number in a text, such as 74500 in "74500 see Bob".
func onlyNumber(text string) string {
	if found := amount.FindAllString(text, 2); len(found) == 1 && found[0] != strings.TrimSpace(text) {
		return found[0]
	}
	return ""
}

// similarPlace returns the only location whose name starts like a text, or the other way around.
func similarPlace(text string, places []string) string {
	short := strings.TrimRight(search.Fold(text), ". ")
	if len(short) < 3 {
		return ""
	}
	var found []string
	for _, place := range places {
		if name := search.Fold(place); strings.HasPrefix(name, short) || strings.HasPrefix(short, name) {
			found = append(found, place)
		}
	}
	if len(slices.Compact(found)) == 1 {
		return found[0]
	}
	return ""
}
