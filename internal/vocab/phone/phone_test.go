package phone

import (
	"strings"
	"testing"

	"slipway/internal/testkit/assert"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ text, region, want string }{
		{"(410) 555-0123", "US", "+14105550123"},
		{"+1 410 555 0123", "GB", "+14105550123"},
		{"+1 212 555 0100 ext. 5", "US", "+12125550100"},
		{"020 7946 0958", "GB", "+442079460958"},
		{"+15555550100", "US", "+15555550100"}, // in no area that there is, but well formed
		{"555-0123", "US", ""},                 // the area is unknown
		{"12", "US", ""},
		{"+1", "US", ""},
		{"call me", "US", ""},
		{"", "US", ""},
		{"020 7946 0958", "nowhere", ""},
		{strings.Repeat("1", 300), "US", ""},
	} {
		if got, ok := Parse(c.text, c.region); got != c.want || ok != (c.want != "") {
			t.Errorf("%q in %s: got %q, %t; want %q, %t", c.text, c.region, got, ok, c.want, c.want != "")
		}
	}
}

func TestZones(t *testing.T) {
	for number, want := range map[string]string{
		"+14105550123":  "America/New_York",
		"+16025550100":  "America/Phoenix",
		"+19075550100":  "America/Adak America/Anchorage America/Juneau Pacific/Honolulu",
		"+18505550100":  "America/Chicago America/New_York", // Florida's panhandle
		"+18005550100":  "America/New_York America/Chicago America/Denver America/Los_Angeles",
		"+442079460958": "Europe/London",
		"nonsense":      "",
	} {
		assert.Equal(t, strings.Join(Zones(number), " "), want, number)
	}
}

func TestPlaceholders(t *testing.T) {
	for number, want := range map[string]bool{
		"+11111111111": true, "+19999999999": true, "+10000000000": true, "+11234567890": true, "+11235550100": true, "+14101550100": true,
		"+14100550100": true, "+14105550100": false, "+14105550123": false, "+15555550100": false, "+442079460958": false,
	} {
		assert.Equal(t, IsPlaceholder(number), want, number)
	}
}

func TestNational(t *testing.T) {
	for number, want := range map[string]string{"+14105550123": "4105550123", "+442079460958": "2079460958", "nonsense": ""} {
		assert.Equal(t, National(number), want, number)
	}
}

// Whatever people write, a number that is read once is read the same again.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"(410) 555-0123", "+44 20 7946 0958", "1-800-FLOWERS", "٠١٢٣", "+"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e164, ok := Parse(s, "US")
		if !ok {
			return
		}
		if again, ok := Parse(e164, "GB"); !ok || again != e164 || !strings.HasPrefix(e164, "+") {
			t.Errorf(`%q: got %q, then %q; want ok = true, again = %q, e164 to start with "+"`, s, e164, again, e164)
		}
		Zones(e164)
	})
}

func TestFormat(t *testing.T) {
	for number, want := range map[string]string{
		"+12395550100": "(239) 555-0100", "+442079460958": "+44 20 7946 0958", "nonsense": "nonsense",
	} {
		assert.Equal(t, Format(number), want, number)
	}
}
