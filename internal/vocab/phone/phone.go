// Package phone reads telephone numbers.
package phone

import (
	"strings"

	"github.com/nyaruka/phonenumbers"
)

// Parse returns a number in international form, E.164. One that is written
// without its country is taken as of the region. A number that cannot exist is
// not a number; whether it is in service, only a call can tell.
func Parse(text, region string) (e164 string, ok bool) {
	n, err := phonenumbers.Parse(text, region)
	if err != nil || phonenumbers.IsPossibleNumberWithReason(n) != phonenumbers.IS_POSSIBLE {
		return "", false
	}
	e164 = phonenumbers.Format(n, phonenumbers.E164)
	// Read again, some that cannot be in service lose another zero: no address.
	if again, err := phonenumbers.Parse(e164, ""); err != nil || phonenumbers.Format(again, phonenumbers.E164) != e164 {
		return "", false
	}
	return e164, true
}

// vague is more time zones than a number can be in that says where it is: a
// toll-free one is in all of North America's.
const vague = 8

// mainland are the zones of a North American number that does not say more.
var mainland = []string{"America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles"}

// Zones are the time zones in which a number may be, none if it does not say.
// Mobile numbers move about: they tell where the number was given out.
func Zones(e164 string) []string {
	n, err := phonenumbers.Parse(e164, "")
	if err != nil {
		return nil
	}
	zones, err := phonenumbers.GetTimezonesForNumber(n)
	if err != nil || len(zones) > vague || len(zones) == 1 && zones[0] == phonenumbers.UNKNOWN_TIMEZONE {
		if strings.HasPrefix(e164, "+1") {
			return mainland
		}
		return nil
	}
	return zones
}

// National is a number as it is dialled at home, for those who search by it.
func National(e164 string) string {
	n, err := phonenumbers.Parse(e164, "")
	if err != nil {
		return ""
	}
	return phonenumbers.GetNationalSignificantNumber(n)
}
