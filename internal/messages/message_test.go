package messages

import (
	"strings"
	"testing"
	"time"

	"slipway/internal/consent"
	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/testkit/assert"
	"slipway/internal/testkit/faulttest"
	"slipway/internal/vocab/fault"
)

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func TestMessageRules(t *testing.T) {
	for name, c := range map[string]struct {
		send  LeadMessageSend
		kind  fault.Kind // zero: accepted
		field string
	}{
		"a text message":             {LeadMessageSend{Channel: consent.SMS, Body: "a"}, fault.Kind{}, ""},
		"an email":                   {LeadMessageSend{Channel: consent.Email, Subject: new("s"), Body: "a"}, fault.Kind{}, ""},
		"an email without a subject": {LeadMessageSend{Channel: consent.Email, Body: "a"}, fault.KindBadRequest, "subject"},
		"an injected header": {LeadMessageSend{Channel: consent.Email, Subject: new("s\r\nBcc: eve@example.net"), Body: "a"},
			fault.KindUnprocessable, "subject"},
		"a text message with a subject": {LeadMessageSend{Channel: consent.SMS, Subject: new("s"), Body: "a"},
			fault.KindUnprocessable, "subject"},
		"a blank body": {LeadMessageSend{Channel: consent.SMS, Body: " \n"}, fault.KindUnprocessable, "body"},
		"a long text message": {LeadMessageSend{Channel: consent.SMS, Body: strings.Repeat("é", 1601)},
			fault.KindUnprocessable, "body"},
		"long with the opt-out text": {LeadMessageSend{Channel: consent.SMS, Purpose: consent.Marketing,
			Body: strings.Repeat("a", 1590)}, fault.KindUnprocessable, "body"},
		"a long email": {LeadMessageSend{Channel: consent.Email, Subject: new("s"), Body: strings.Repeat("é", 1601)},
			fault.Kind{}, ""},
		"scheduled for tomorrow": {LeadMessageSend{Channel: consent.SMS, Body: "a", SendAt: new(now.AddDate(0, 0, 1))},
			fault.Kind{}, ""},
		"scheduled for yesterday": {LeadMessageSend{Channel: consent.SMS, Body: "a", SendAt: new(now.AddDate(0, 0, -1))},
			fault.KindUnprocessable, "send_at"},
		"scheduled for more than a year later": {LeadMessageSend{Channel: consent.SMS, Body: "a", SendAt: new(now.AddDate(2, 0, 0))},
			fault.KindUnprocessable, "send_at"},
		"expires before it is sent": {LeadMessageSend{Channel: consent.SMS, Body: "a", SendAt: new(now.Add(time.Hour)),
			ExpiresAt: new(now.Add(time.Hour))}, fault.KindUnprocessable, "expires_at"},
	} {
		if err := c.send.Check(now); c.field != "" {
			faulttest.WantDetail(t, name, err, c.kind, c.field)
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOptOutText(t *testing.T) {
	for body, want := range map[string]string{
		"New price!":                      "New price! Reply STOP to opt out.",
		"New price! Reply STOP to end.\n": "New price! Reply STOP to end.\n",
		"New price! Txt stop":             "New price! Txt stop Reply STOP to opt out.",
	} {
		assert.Equal(t, withOptOut(body), want, body)
	}
}

func TestRecipientZones(t *testing.T) {
	d := dealership.Dealership{Timezone: "America/Chicago"}
	for name, c := range map[string]struct {
		contact contacts.Contact
		number  string
		want    string
	}{
		"time zone of the contact":         {contacts.Contact{Timezone: new("Europe/London")}, "+14105550123", "Europe/London"},
		"area code":                        {contacts.Contact{}, "+14105550123", "America/New_York"},
		"area code in several zones":       {contacts.Contact{}, "+19075550100", "America/Adak America/Anchorage America/Juneau Pacific/Honolulu"},
		"number without an area":           {contacts.Contact{}, "+18005550100", "America/New_York America/Chicago America/Denver America/Los_Angeles"},
		"no number":                        {contacts.Contact{}, "", "America/Chicago"},
		"area code of Florida's panhandle": {contacts.Contact{}, "+18505550100", "America/Chicago America/New_York"},
		"postal code before area code": {contacts.Contact{Address: &contacts.ContactAddress{PostalCode: new("92101-1234")}},
			"+13055550100", "America/Los_Angeles"},
		"state before area code": {contacts.Contact{Address: &contacts.ContactAddress{Region: new("California")}},
			"+13055550100", "America/Los_Angeles"},
		"postal code before state": {contacts.Contact{Address: &contacts.ContactAddress{Region: new("fl"), PostalCode: new("32502")}},
			"+13055550100", "America/Chicago"},
		"state in two zones": {contacts.Contact{Address: &contacts.ContactAddress{Region: new("FL")}},
			"+14155550100", "America/New_York America/Chicago"},
		"province": {contacts.Contact{Address: &contacts.ContactAddress{PostalCode: new("b3h 1a1"), Country: new("CA")}},
			"+13055550100", "America/Halifax"},
		"address in another country": {contacts.Contact{Address: &contacts.ContactAddress{PostalCode: new("20095"), Country: new("DE")}},
			"+13055550100", "America/New_York"},
		"postal code without a country, foreign number": {contacts.Contact{Address: &contacts.ContactAddress{PostalCode: new("92101")}},
			"+442079460958", "Europe/London"},
		"unknown postal code": {contacts.Contact{Address: &contacts.ContactAddress{PostalCode: new("00000")}}, "+13055550100", "America/New_York"},
	} {
		var names []string
		for _, z := range zonesOf(c.contact, c.number, d) {
			names = append(names, z.String())
		}
		assert.Equal(t, strings.Join(names, " "), c.want, name)
	}
}
