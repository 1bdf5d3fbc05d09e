// Package phone parses phone numbers.
package phone

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/nyaruka/phonenumbers"
)

// Parse returns a number in E.164 format. The region applies to a number without
// a country code. Parse checks that a number is possible, not that it is in
// service.
func Parse(text, region string) (e164 string, ok bool) {
	n, err := phonenumbers.Parse(text, region)
	if err != nil || phonenumbers.IsPossibleNumberWithReason(n) != phonenumbers.IS_POSSIBLE {
		return "", false
	}
	e164 = phonenumbers.Format(n, phonenumbers.E164)
	// Some invalid numbers lose a zero each time they are parsed. Reject them.
	if again, err := phonenumbers.Parse(e164, ""); err != nil || phonenumbers.Format(again, phonenumbers.E164) != e164 {
		return "", false
	}
	return e164, true
}

// maxZones is the largest number of time zones of a number with a location. A
// toll-free number has all zones of North America.
const maxZones = 8

// mainland is the time zones of a North American number without a location.
var mainland = []string{"America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles"}

// Zones returns the time zones that a number might be in, or none if they are
// unknown. For a mobile number, they are the zones where it was issued. A number
// in North America can move within its area code, so it has all zones of the area.
func Zones(e164 string) []string {
	if area, ok := areaCode(e164); ok {
		return zonesOfArea(area)
	}
	return zonesOfNumber(e164)
}

// areas are the time zones by area code.
var areas sync.Map

// zonesOfArea returns the time zones of all exchanges in an area.
func zonesOfArea(area string) []string {
	if zones, ok := areas.Load(area); ok {
		return zones.([]string) //nolint:forcetypeassert // only this function stores them
	}

	var zones []string
	for exchange := 200; exchange < 1000; exchange++ {
		for _, zone := range zonesOfNumber(fmt.Sprintf("+1%s%d0100", area, exchange)) {
			if !slices.Contains(zones, zone) {
				zones = append(zones, zone)
			}
		}
	}
	if len(zones) > maxZones {
		zones = mainland
	}
	areas.Store(area, zones)
	return zones
}

// areaCode returns the area code of a number in North America.
func areaCode(e164 string) (string, bool) {
	if len(e164) != len("+14105550123") || !strings.HasPrefix(e164, "+1") || strings.Trim(e164[1:], "0123456789") != "" {
		return "", false
	}
	return e164[2:5], true
}

// IsPlaceholder reports whether a number was made up to fill in a form: it is not
// possible in North America, it repeats one digit, or it counts up. A placeholder
// does not identify a person. The numbers for tests, such as 555-0100, do.
func IsPlaceholder(e164 string) bool {
	digits := strings.TrimPrefix(e164, "+1")
	if strings.Trim(digits, digits[:min(1, len(digits))]) == "" || digits == "1234567890" || digits == "2345678901" {
		return true
	}
	_, american := areaCode(e164)
	return american && (digits[0] < '2' || digits[3] < '2')
}

func zonesOfNumber(e164 string) []string {
	if !strings.HasPrefix(e164, "+") {
		return nil
	}
	zones, err := phonenumbers.GetTimezonesForPrefix(e164)
	if err != nil || len(zones) > maxZones || len(zones) == 1 && zones[0] == phonenumbers.UNKNOWN_TIMEZONE {
		if strings.HasPrefix(e164, "+1") {
			return mainland
		}
		return nil
	}
	return zones
}

// National returns the number without its country code, for searches.
func National(e164 string) string {
	n, err := phonenumbers.Parse(e164, "")
	if err != nil {
		return ""
	}
	return phonenumbers.GetNationalSignificantNumber(n)
}

// Format returns a number as people write it: (410) 555-0123 in North America, and
// +44 20 7946 0958 elsewhere.
func Format(e164 string) string {
	n, err := phonenumbers.Parse(e164, "")
	if err != nil {
		return e164
	}
	if _, american := areaCode(e164); american {
		return phonenumbers.Format(n, phonenumbers.NATIONAL)
	}
	return phonenumbers.Format(n, phonenumbers.INTERNATIONAL)
}
