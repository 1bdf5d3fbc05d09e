package messages

import (
	"strings"

	"slipway/internal/contacts"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/search"
)

// Time zones of North America, for the table of places.
const (
	eastern  = "America/New_York"
	central  = "America/Chicago"
	mountain = "America/Denver"
	pacific  = "America/Los_Angeles"
)

// place is a state or province with its time zones and the starts of its postal
// codes. A part of a state has no name.
type place struct {
	country, code, name string
	postal              string // starts of postal codes, or ranges of them
	zones               []string
}

// places are all states and provinces. A more exact part comes first. Starts of
// postal codes in two time zones have both. The table was compared with a
// list of all postal codes of the United States.
var places = []place{
	{"US", "", "", "320-323 326-339 341-349", []string{eastern}}, // Florida without the panhandle
	{"US", "", "", "325", []string{central}},                     // Pensacola; Port St. Joe in 324 has Eastern Time
	{"US", "", "", "368", []string{central, eastern}},            // Phenix City, Alabama, has the time of Columbus, Georgia
	{"US", "", "", "370-372 375 380-385", []string{central}},     // western and middle Tennessee
	{"US", "", "", "374 376 378-379", []string{eastern}},         // eastern Tennessee
	{"US", "", "", "400 402-418 425", []string{eastern}},         // eastern Kentucky
	{"US", "", "", "420-424", []string{central}},                 // western Kentucky
	{"US", "", "", "463-464 477", []string{central}},             // Gary and Evansville
	{"US", "", "", "460-462 466-468 470-474 478", []string{eastern}},
	{"US", "", "", "480-497", []string{"America/Detroit"}}, // lower Michigan
	{"US", "", "", "570-574", []string{central}},           // eastern South Dakota
	{"US", "", "", "577", []string{mountain}},              // Rapid City
	{"US", "", "", "580-584", []string{central}},           // eastern North Dakota
	{"US", "", "", "660-676 679", []string{central}},       // Kansas without four counties in the west
	{"US", "", "", "680-689", []string{central}},           // eastern Nebraska
	{"US", "", "", "693", []string{mountain}},              // western Nebraska
	{"US", "", "", "733 750-797", []string{central}},       // Texas without the far west
	{"US", "", "", "799 885", []string{mountain}},          // El Paso
	{"US", "", "", "832-834 836-837", []string{"America/Boise"}},
	{"US", "", "", "838", []string{pacific}}, // Coeur d'Alene
	{"US", "", "", "850-859 863-864", []string{"America/Phoenix"}},
	{"US", "", "", "891-897", []string{pacific}}, // Nevada without its eastern border
	{"US", "", "", "970-978", []string{pacific}}, // western Oregon
	{"US", "AS", "American Samoa", "96799", []string{"Pacific/Pago_Pago"}},
	{"US", "", "", "96898", []string{"Pacific/Wake"}},
	{"US", "GU", "Guam", "", []string{"Pacific/Guam"}},
	{"US", "MP", "Northern Mariana Islands", "", []string{"Pacific/Guam"}},
	{"US", "", "", "969", []string{"Pacific/Guam", "Pacific/Palau", "Pacific/Pohnpei", "Pacific/Majuro"}},
	// Military addresses don't say where the person is, so all zones of the region count.
	{"US", "AA", "Armed Forces Americas", "340", []string{eastern, central, "America/Puerto_Rico", "America/Argentina/Buenos_Aires", pacific}},
	{"US", "AE", "Armed Forces Europe", "090-098", []string{"Europe/London", "Europe/Berlin", "Europe/Istanbul", "Asia/Bahrain", "Africa/Djibouti"}},
	{"US", "AP", "Armed Forces Pacific", "962-966", []string{"Asia/Tokyo", "Asia/Singapore", "Pacific/Guam", "Australia/Sydney", "Pacific/Honolulu", pacific}},
	{"CA", "", "", "K L M N", []string{"America/Toronto"}}, // southern Ontario
	{"US", "AL", "Alabama", "350-369", []string{central}},
	{"US", "AK", "Alaska", "995-999", []string{"America/Anchorage", "America/Adak"}},
	{"US", "AZ", "Arizona", "850-865", []string{"America/Phoenix", mountain}},
	{"US", "AR", "Arkansas", "716-729", []string{central}},
	{"US", "CA", "California", "900-961", []string{pacific}},
	{"US", "CO", "Colorado", "800-816", []string{mountain}},
	{"US", "CT", "Connecticut", "060-069", []string{eastern}},
	{"US", "DE", "Delaware", "197-199", []string{eastern}},
	{"US", "DC", "District of Columbia", "200-205", []string{eastern}},
	{"US", "FL", "Florida", "320-339 341-349", []string{eastern, central}},
	{"US", "GA", "Georgia", "300-319 398-399", []string{eastern}},
	{"US", "HI", "Hawaii", "967-968", []string{"Pacific/Honolulu"}},
	{"US", "ID", "Idaho", "832-838", []string{"America/Boise", pacific}},
	{"US", "IL", "Illinois", "600-629", []string{central}},
	{"US", "IN", "Indiana", "460-479", []string{eastern, central}},
	{"US", "IA", "Iowa", "500-528", []string{central}},
	{"US", "KS", "Kansas", "660-679", []string{central, mountain}},
	{"US", "KY", "Kentucky", "400-427", []string{eastern, central}},
	{"US", "LA", "Louisiana", "700-714", []string{central}},
	{"US", "ME", "Maine", "039-049", []string{eastern}},
	{"US", "MD", "Maryland", "206-219", []string{eastern}},
	{"US", "MA", "Massachusetts", "010-027 055", []string{eastern}},
	{"US", "MI", "Michigan", "480-499", []string{"America/Detroit", central}},
	{"US", "MN", "Minnesota", "550-567", []string{central}},
	{"US", "MS", "Mississippi", "386-397", []string{central}},
	{"US", "MO", "Missouri", "630-658", []string{central}},
	{"US", "MT", "Montana", "590-599", []string{mountain}},
	{"US", "NE", "Nebraska", "680-693", []string{central, mountain}},
	{"US", "NV", "Nevada", "889-898", []string{pacific, mountain}},
	{"US", "NH", "New Hampshire", "030-038", []string{eastern}},
	{"US", "NJ", "New Jersey", "070-089", []string{eastern}},
	{"US", "NM", "New Mexico", "870-884", []string{mountain}},
	{"US", "NY", "New York", "005 100-149", []string{eastern}},
	{"US", "NC", "North Carolina", "270-289", []string{eastern}},
	{"US", "ND", "North Dakota", "580-588", []string{central, mountain}},
	{"US", "OH", "Ohio", "430-459", []string{eastern}},
	{"US", "OK", "Oklahoma", "730-749", []string{central}},
	{"US", "OR", "Oregon", "970-979", []string{pacific, mountain}},
	{"US", "PA", "Pennsylvania", "150-196", []string{eastern}},
	{"US", "PR", "Puerto Rico", "006-007 009", []string{"America/Puerto_Rico"}},
	{"US", "RI", "Rhode Island", "028-029", []string{eastern}},
	{"US", "SC", "South Carolina", "290-299", []string{eastern}},
	{"US", "SD", "South Dakota", "570-577", []string{central, mountain}},
	{"US", "TN", "Tennessee", "370-385", []string{eastern, central}},
	{"US", "TX", "Texas", "750-799 885", []string{central, mountain}},
	{"US", "UT", "Utah", "840-847", []string{mountain}},
	{"US", "VT", "Vermont", "050-059", []string{eastern}},
	{"US", "VI", "Virgin Islands", "008", []string{"America/St_Thomas"}},
	{"US", "VA", "Virginia", "201 220-246", []string{eastern}},
	{"US", "WA", "Washington", "980-994", []string{pacific}},
	{"US", "WV", "West Virginia", "247-268", []string{eastern}},
	{"US", "WI", "Wisconsin", "530-549", []string{central}},
	{"US", "WY", "Wyoming", "820-831", []string{mountain}},
	{"CA", "AB", "Alberta", "T", []string{"America/Edmonton"}},
	{"CA", "BC", "British Columbia", "V", []string{"America/Vancouver", "America/Edmonton"}},
	{"CA", "MB", "Manitoba", "R", []string{"America/Winnipeg"}},
	{"CA", "NB", "New Brunswick", "E", []string{"America/Moncton"}},
	{"CA", "NL", "Newfoundland and Labrador", "A", []string{"America/St_Johns", "America/Goose_Bay"}},
	{"CA", "NS", "Nova Scotia", "B", []string{"America/Halifax"}},
	{"CA", "NT", "Northwest Territories", "X", []string{"America/Edmonton", "America/Toronto", "America/Winnipeg"}},
	{"CA", "NU", "Nunavut", "X", []string{"America/Edmonton", "America/Toronto", "America/Winnipeg"}},
	{"CA", "ON", "Ontario", "K L M N P", []string{"America/Toronto", "America/Winnipeg"}},
	{"CA", "PE", "Prince Edward Island", "C", []string{"America/Halifax"}},
	{"CA", "QC", "Quebec", "G H J", []string{"America/Toronto", "America/Halifax"}},
	{"CA", "SK", "Saskatchewan", "S", []string{"America/Regina", "America/Edmonton"}},
	{"CA", "YT", "Yukon", "Y", []string{"America/Whitehorse"}},
}

// zonesOfAddress returns the time zones of a postal address: those of its postal
// code, otherwise those of its state or province. An address without a country
// is in North America if the phone number is.
func zonesOfAddress(a *contacts.ContactAddress, number string) []string {
	if a == nil || a.Country == nil && !strings.HasPrefix(number, "+1") {
		return nil
	}
	country := null.Text(a.Country)

	postal := strings.ToUpper(strings.TrimSpace(null.Text(a.PostalCode)))
	for _, p := range places {
		if (country == "" || country == p.country) && p.hasPostal(postal) {
			return p.zones
		}
	}

	region := search.Fold(null.Text(a.Region))
	for _, p := range places {
		named := p.code != "" && (region == strings.ToLower(p.code) || region == strings.ToLower(p.name))
		if named && (country == "" || country == p.country) {
			return p.zones
		}
	}
	return nil
}

// hasPostal reports whether a postal code starts like those of the place.
func (p place) hasPostal(code string) bool {
	if p.country == "US" && (len(code) < 5 || strings.Trim(code[:5], "0123456789") != "") {
		return false
	}
	for _, starts := range strings.Fields(p.postal) {
		first, last, found := strings.Cut(starts, "-")
		if !found {
			last = first
		}
		if len(code) >= len(first) && code[:len(first)] >= first && code[:len(last)] <= last {
			return true
		}
	}
	return false
}
