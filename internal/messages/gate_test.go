package messages

import (
	"testing"
	"time"

	"slipway/internal/consent"
)

func TestGate(t *testing.T) {
	id := "cns_1"
	good := attempt{
		channel: consent.SMS, purpose: consent.Marketing, recipient: "+14105550123", standing: consent.Standing{ConsentID: &id}, at: now,
		quiet: quietHours{21 * 60, 8 * 60}, zones: []*time.Location{zone(t, "America/New_York")}, sender: "+14105550100", postal: "12 Dock Street",
	}
	night := time.Date(2026, 5, 2, 3, 0, 0, 0, time.UTC)
	morning := time.Date(2026, 5, 2, 12, 0, 0, 0, time.UTC)
	says := func(code string) func(*attempt) {
		return func(a *attempt) { a.standing = consent.Standing{Code: code, ConsentID: &id} }
	}
	all := func(changes ...func(*attempt)) func(*attempt) {
		return func(a *attempt) {
			for _, change := range changes {
				change(a)
			}
		}
	}
	nobody := func(a *attempt) { a.recipient = "" }
	doubt := func(a *attempt) { a.unreviewed = true }
	late := func(a *attempt) { a.at = night }
	asked := func(a *attempt) { a.chosen = true }
	email := func(a *attempt) { a.channel = consent.Email }
	transactional := func(a *attempt) { a.purpose = consent.Transactional }
	answer := all(transactional, func(a *attempt) { a.automatic = true })
	mute := func(a *attempt) { a.sender = "" }
	homeless := func(a *attempt) { a.postal = "" }
	everywhere := func(a *attempt) {
		a.zones = []*time.Location{zone(t, "America/New_York"), zone(t, "Asia/Tokyo"), zone(t, "Europe/London"), zone(t, "America/Los_Angeles")}
	}

	for name, c := range map[string]struct {
		change func(*attempt)
		code   string
		hold   time.Time
	}{
		"as it is":                     {all(), "", time.Time{}},
		"1 no address":                 {nobody, consent.CodeRecipientInvalid, time.Time{}},
		"2 revoked":                    {says(consent.CodeRevoked), consent.CodeRevoked, time.Time{}},
		"3 missing":                    {says(consent.CodeMissing), consent.CodeMissing, time.Time{}},
		"4 of another scope":           {says(consent.CodeScope), consent.CodeScope, time.Time{}},
		"5 expired":                    {says(consent.CodeExpired), consent.CodeExpired, time.Time{}},
		"6 waits to be read":           {doubt, needsReview, time.Time{}},
		"7 at night":                   {late, "", morning},
		"7 at night, as asked":         {all(late, asked), quietHoursCode, time.Time{}},
		"7 night somewhere, always":    {everywhere, quietHoursCode, time.Time{}},
		"9 no sender":                  {mute, senderUnregistered, time.Time{}},
		"11 email from nowhere":        {all(email, homeless), missingPostalAddress, time.Time{}},
		"a text from nowhere":          {homeless, "", time.Time{}},
		"transactional from nowhere":   {all(email, transactional, homeless), "", time.Time{}},
		"email at night":               {all(email, late), "", time.Time{}},
		"transactional at night":       {all(transactional, late), "", time.Time{}},
		"transactional while in doubt": {all(transactional, doubt), "", time.Time{}},
		"transactional, revoked":       {all(transactional, says(consent.CodeRevoked)), consent.CodeRevoked, time.Time{}},
		"the answer to STOP":           {all(answer, says(consent.CodeRevoked)), "", time.Time{}},
		"the answer to HELP":           {all(answer, says(consent.CodeMissing), late), "", time.Time{}},
		"an answer to nobody":          {all(answer, nobody), consent.CodeRecipientInvalid, time.Time{}},
		// The order.
		"no address before revoked":    {all(nobody, says(consent.CodeRevoked)), consent.CodeRecipientInvalid, time.Time{}},
		"revoked before doubt":         {all(doubt, says(consent.CodeRevoked)), consent.CodeRevoked, time.Time{}},
		"missing before night":         {all(late, asked, says(consent.CodeMissing)), consent.CodeMissing, time.Time{}},
		"doubt before night":           {all(late, asked, doubt), needsReview, time.Time{}},
		"not held if it is refused":    {all(late, mute), senderUnregistered, time.Time{}},
		"expired before no sender":     {all(mute, says(consent.CodeExpired)), consent.CodeExpired, time.Time{}},
		"no sender before no postcard": {all(email, homeless, mute), senderUnregistered, time.Time{}},
	} {
		a := good
		c.change(&a)
		if v := check(a); v.code != c.code || !v.hold.Equal(c.hold) || (v.code != "") != (v.reason != "" && v.field != "") {
			t.Errorf("%s: %+v, want %q until %s", name, v, c.code, c.hold)
		}
	}
}
