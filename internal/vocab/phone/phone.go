// Package phone parses phone numbers.
package phone

import (
	"strings"

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
// unknown. For a mobile number, they are the zones where it was issued.
func Zones(e164 string) []string {
	n, err := phonenumbers.Parse(e164, "")
	if err != nil {
		return nil
	}
	zones, err := phonenumbers.GetTimezonesForNumber(n)
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
