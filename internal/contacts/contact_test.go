package contacts

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slipway/internal/testkit/faulttest"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/patch"
)

func TestContactRules(t *testing.T) {
	for name, c := range map[string]struct {
		create ContactCreate
		kind   fault.Kind // zero: accepted
		field  string
	}{
		"a last name":              {ContactCreate{LastName: new("Bell")}, fault.Kind{}, ""},
		"an email":                 {ContactCreate{Email: new("Ann@Example.com")}, fault.Kind{}, ""},
		"a company":                {ContactCreate{Kind: "company", CompanyName: new("Bell Charters")}, fault.Kind{}, ""},
		"a company without a name": {ContactCreate{Kind: "company", LastName: new("Bell")}, fault.KindBadRequest, "company_name"},
		"no name":                  {ContactCreate{}, fault.KindBadRequest, "last_name"},
		"a blank name":             {ContactCreate{LastName: new("  ")}, fault.KindBadRequest, "last_name"},
		"invalid email":            {ContactCreate{Email: new("ann")}, fault.KindUnprocessable, "email"},
		"an email with a name":     {ContactCreate{Email: new("Ann <ann@example.com>")}, fault.KindUnprocessable, "email"},
		"invalid phone":            {ContactCreate{Phone: new("call me")}, fault.KindUnprocessable, "phone"},
		"a short phone":            {ContactCreate{Phone: new("555-0123")}, fault.KindUnprocessable, "phone"},
		"unknown time zone":        {ContactCreate{LastName: new("Bell"), Timezone: new("Annapolis")}, fault.KindUnprocessable, "timezone"},
		"a long tag": {ContactCreate{LastName: new("Bell"), Tags: []string{strings.Repeat("t", 41)}},
			fault.KindUnprocessable, "tags"},
		"a long metadata value": {ContactCreate{LastName: new("Bell"), Metadata: map[string]string{"k": strings.Repeat("v", 501)}},
			fault.KindUnprocessable, "metadata.k"},
	} {
		_, err := c.create.contact()
		if c.field != "" {
			faulttest.WantDetail(t, name, err, c.kind, c.field)
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPhones(t *testing.T) {
	for _, c := range []struct{ written, country, want string }{
		{"(410) 555-0123", "", "+14105550123"},
		{"1-410-555-0123", "", "+14105550123"},
		{"+1 410.555.0123", "GB", "+14105550123"},
		{"020 7946 0958", "GB", "+442079460958"},
		{"06 12 34 56 78", "FR", "+33612345678"},
		{"+15555550100", "", "+15555550100"},
	} {
		n := ContactCreate{Phone: &c.written}
		if c.country != "" {
			n.Address = patch.Null[ContactAddress]{Set: true, V: &ContactAddress{Country: &c.country}}
		}
		if got, err := n.contact(); err != nil || *got.Phone != c.want {
			t.Errorf("%s in %q: got %+v, %v; want the phone %q", c.written, c.country, got, err, c.want)
		}
	}
}

func TestTerms(t *testing.T) {
	c := Contact{FirstName: new("Zoë"), LastName: new("O'Neill"), Email: new("zoe.o@example.com"),
		Phone: new("+14105550123"), Tags: []string{"Boat Show"}}
	want := []string{"#boat show", "14105550123", "4105550123", "5550123", "com", "example", "neill", "o", "oneill", "zoe", "zoeoexamplecom"}
	if diff := cmp.Diff(want, c.terms()); diff != "" {
		t.Error(diff)
	}
	for q, want := range map[string][]string{
		"zoë neill": {"zoe", "neill"}, "(410) 555-0123": {"4105550123"}, "555 0123": {"5550123"}, "12": {"12"}, "!": {},
	} {
		if diff := cmp.Diff(want, searchWords(q)); diff != "" {
			t.Errorf("%s: %s", q, diff)
		}
	}
}

func TestAbsorb(t *testing.T) {
	c := Contact{FirstName: new("Ann"), Email: new("ann@example.com"), Tags: []string{"a"}, Metadata: map[string]string{"k": "1"}}
	c.absorb(Contact{FirstName: new("Anna"), Phone: new("+14105550123"), Tags: []string{"a", "b"},
		Metadata: map[string]string{"k": "2", "l": "3"}})
	want := Contact{
		FirstName: new("Ann"), Email: new("ann@example.com"), Phone: new("+14105550123"),
		Tags: []string{"a", "b"}, Metadata: map[string]string{"k": "1", "l": "3"},
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
}
