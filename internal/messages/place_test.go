package messages

import (
	"slices"
	"testing"

	"slipway/internal/contacts"
)

// Postal codes on both sides of the time zone lines, and those whose first three
// digits are in two zones.
func TestZonesOfSplitStates(t *testing.T) {
	const (
		detroit = "America/Detroit"
		boise   = "America/Boise"
		phoenix = "America/Phoenix"
		none    = ""
	)
	for code, want := range map[string][]string{
		"FL 32301": {eastern}, "FL 33101": {eastern}, "FL 32501": {central}, "FL 32401": {eastern, central},
		"FL 32456": {eastern, central}, // Port St. Joe has Eastern Time, Panama City has Central Time
		// Soldiers abroad: FPO 96350 is in Japan, and others with AP are in Hawaii's half of the world.
		"AA 34001": {eastern, central, "America/Puerto_Rico", "America/Argentina/Buenos_Aires", pacific},
		"AE 09012": {"Europe/London", "Europe/Berlin", "Europe/Istanbul", "Asia/Bahrain", "Africa/Djibouti"},
		"AP 96350": {"Asia/Tokyo", "Asia/Singapore", "Pacific/Guam", "Australia/Sydney", "Pacific/Honolulu", pacific},
		"AL 35203": {central}, "AL 36867": {central, eastern},
		"TN 37201": {central}, "TN 38103": {central}, "TN 38501": {central}, "TN 37402": {eastern}, "TN 37902": {eastern},
		"TN 37355": {eastern, central}, "TN 37723": {eastern, central},
		"KY 40202": {eastern}, "KY 41011": {eastern}, "KY 42501": {eastern}, "KY 42101": {central}, "KY 42001": {central},
		"KY 40143": {eastern, central}, "KY 42602": {eastern, central}, "KY 42754": {eastern, central},
		"IN 46204": {eastern}, "IN 46601": {eastern}, "IN 47130": {eastern}, "IN 46402": {central}, "IN 46360": {central}, "IN 47708": {central},
		"IN 46534": {eastern, central}, "IN 46968": {eastern, central}, "IN 47586": {eastern, central}, "IN 47660": {eastern, central},
		"IN 47978": {eastern, central},
		"MI 48226": {detroit}, "MI 49783": {detroit}, "MI 49801": {detroit, central}, "MI 49938": {detroit, central},
		"ND 58102": {central}, "ND 58401": {central}, "ND 58501": {central, mountain}, "ND 58601": {central, mountain},
		"ND 58631": {central, mountain}, "ND 58838": {central, mountain},
		"SD 57104": {central}, "SD 57401": {central}, "SD 57701": {mountain}, "SD 57501": {central, mountain}, "SD 57601": {central, mountain},
		"NE 68102": {central}, "NE 68801": {central}, "NE 69361": {mountain}, "NE 69001": {central, mountain}, "NE 69153": {central, mountain},
		"NE 69201": {central, mountain},
		"KS 66101": {central}, "KS 67202": {central}, "KS 67901": {central}, "KS 67735": {central, mountain}, "KS 67879": {central, mountain},
		"TX 75201": {central}, "TX 79701": {central}, "TX 73301": {central}, "TX 79901": {mountain}, "TX 88510": {mountain},
		"TX 79830": {central, mountain}, // Alpine has Central Time, Fort Hancock in 798 has Mountain Time
		"ID 83702": {boise}, "ID 83402": {boise}, "ID 83814": {pacific}, "ID 83501": {boise, pacific}, "ID 83549": {boise, pacific},
		"OR 97201": {pacific}, "OR 97814": {pacific}, "OR 97914": {pacific, mountain}, "OR 97907": {pacific, mountain},
		"AZ 85001": {phoenix}, "AZ 85901": {phoenix}, "AZ 86401": {phoenix}, "AZ 86001": {phoenix, mountain}, "AZ 86515": {phoenix, mountain},
		"NV 89101": {pacific}, "NV 89501": {pacific}, "NV 89883": {pacific, mountain},
		"HI 96813": {"Pacific/Honolulu"}, "AS 96799": {"Pacific/Pago_Pago"},
		"ON M5V 2T6": {"America/Toronto"}, "ON P9N 1A1": {"America/Toronto", "America/Winnipeg"},
		// Without a postal code, the whole state.
		"FL": {eastern, central}, "Tennessee": {eastern, central}, "Kentucky": {eastern, central}, "IN": {eastern, central},
		"MI": {detroit, central}, "ND": {central, mountain}, "South Dakota": {central, mountain}, "NE": {central, mountain},
		"KS": {central, mountain}, "TX": {central, mountain}, "ID": {boise, pacific}, "OR": {pacific, mountain}, "AZ": {phoenix, mountain},
		"GU": {"Pacific/Guam"}, none: {},
	} {
		region, postal := code, none
		if i := slices.IndexFunc([]rune(code), func(r rune) bool { return r == ' ' }); i == 2 {
			region, postal = code[:2], code[3:]
		}
		got := slices.Clone(zonesOfAddress(&contacts.ContactAddress{Region: &region, PostalCode: &postal}, "+14105550123"))
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", code, got, want)
		}
	}
}

// Each zone exists, and each state has an entry.
func TestPlacesAreComplete(t *testing.T) {
	states := 0
	for _, p := range places {
		for _, name := range p.zones {
			zone(t, name)
		}
		if p.country == "US" && p.code != "" {
			states++
		}
	}
	if states != 50+1+5+3 { // states, Washington, D.C., territories, and the armed forces
		t.Errorf("got %d states and territories, want 59", states)
	}
}
