package messages

import (
	"testing"
	"time"

	"slipway/internal/consent"
)

func TestSendCheck(t *testing.T) {
	id := "cns_1"
	good := attempt{
		channel: consent.SMS, purpose: consent.Marketing, recipient: "+14105550123", standing: consent.Standing{ConsentID: &id}, at: now,
		quiet: quietHours{21 * 60, 8 * 60}, zones: []*time.Location{zone(t, "America/New_York")},
		sender: "+14105550100", postal: "12 Dock Street",
	}
	night := time.Date(2026, 5, 2, 3, 0, 0, 0, time.UTC)
	morning := time.Date(2026, 5, 2, 12, 0, 0, 0, time.UTC)
	withConsent := func(code string) func(*attempt) {
		return func(a *attempt) { a.standing = consent.Standing{Code: code, ConsentID: &id} }
	}
	all := func(changes ...func(*attempt)) func(*attempt) {
		return func(a *attempt) {
			for _, change := range changes {
				change(a)
			}
		}
	}
	noRecipient := func(a *attempt) { a.recipient = "" }
	unreviewed := func(a *attempt) { a.unreviewed = true }
	atNight := func(a *attempt) { a.at = night }
	scheduled := func(a *attempt) { a.chosen = true }
	email := func(a *attempt) { a.channel = consent.Email }
	transactional := func(a *attempt) { a.purpose = consent.Transactional }
	automatic := all(transactional, func(a *attempt) { a.automatic = true })
	inquired := func(a *attempt) { a.inquired = true }
	notice := func(a *attempt) { a.notice = true }
	noSender := func(a *attempt) { a.sender = "" }
	noPostalAddress := func(a *attempt) { a.postal = "" }
	everywhere := func(a *attempt) {
		a.zones = []*time.Location{zone(t, "America/New_York"), zone(t, "Asia/Tokyo"), zone(t, "Europe/London"), zone(t, "America/Los_Angeles")}
	}

	for name, c := range map[string]struct {
		change func(*attempt)
		code   string
		hold   time.Time
	}{
		"valid":                                  {all(), "", time.Time{}},
		"1 no address":                           {noRecipient, consent.CodeRecipientInvalid, time.Time{}},
		"2 revoked":                              {withConsent(consent.CodeRevoked), consent.CodeRevoked, time.Time{}},
		"3 missing":                              {withConsent(consent.CodeMissing), consent.CodeMissing, time.Time{}},
		"4 another scope":                        {withConsent(consent.CodeScope), consent.CodeScope, time.Time{}},
		"5 expired":                              {withConsent(consent.CodeExpired), consent.CodeExpired, time.Time{}},
		"6 unreviewed reply":                     {unreviewed, needsReview, time.Time{}},
		"7 at night":                             {atNight, "", morning},
		"7 at night, scheduled by the user":      {all(atNight, scheduled), quietHoursCode, time.Time{}},
		"7 at night, a reminder":                 {all(atNight, transactional, notice), "", morning},
		"7 at night, a reminder by email":        {all(atNight, transactional, notice, email), "", time.Time{}},
		"7 at night, transactional":              {all(atNight, transactional), "", time.Time{}},
		"7 always night in some zone":            {everywhere, quietHoursCode, time.Time{}},
		"9 no sender":                            {noSender, senderUnregistered, time.Time{}},
		"11 email without a postal address":      {all(email, noPostalAddress), missingPostalAddress, time.Time{}},
		"text message without a postal address":  {noPostalAddress, "", time.Time{}},
		"transactional without a postal address": {all(email, transactional, noPostalAddress), "", time.Time{}},
		"email at night":                         {all(email, atNight), "", time.Time{}},
		"transactional at night":                 {all(transactional, atNight), "", time.Time{}},
		"transactional, unreviewed reply":        {all(transactional, unreviewed), "", time.Time{}},
		"transactional, revoked":                 {all(transactional, withConsent(consent.CodeRevoked)), consent.CodeRevoked, time.Time{}},
		"reply to STOP":                          {all(automatic, withConsent(consent.CodeRevoked)), "", time.Time{}},
		"reply to HELP":                          {all(automatic, withConsent(consent.CodeMissing), atNight), "", time.Time{}},
		"reply without a recipient":              {all(automatic, noRecipient), consent.CodeRecipientInvalid, time.Time{}},
		"answer to an email":                     {all(email, transactional, inquired, withConsent(consent.CodeMissing)), "", time.Time{}},
		"answer to an email, revoked":            {all(email, transactional, inquired, withConsent(consent.CodeRevoked)), consent.CodeRevoked, time.Time{}},
		"offer after an email":                   {all(email, inquired, withConsent(consent.CodeMissing)), consent.CodeMissing, time.Time{}},
		"text message after an email":            {all(transactional, inquired, withConsent(consent.CodeMissing)), consent.CodeMissing, time.Time{}},
		// The order of the checks.
		"no address before revoked":          {all(noRecipient, withConsent(consent.CodeRevoked)), consent.CodeRecipientInvalid, time.Time{}},
		"revoked before review":              {all(unreviewed, withConsent(consent.CodeRevoked)), consent.CodeRevoked, time.Time{}},
		"missing before night":               {all(atNight, scheduled, withConsent(consent.CodeMissing)), consent.CodeMissing, time.Time{}},
		"review before night":                {all(atNight, scheduled, unreviewed), needsReview, time.Time{}},
		"blocked before night":               {all(atNight, noSender), senderUnregistered, time.Time{}},
		"expired before no sender":           {all(noSender, withConsent(consent.CodeExpired)), consent.CodeExpired, time.Time{}},
		"no sender before no postal address": {all(email, noPostalAddress, noSender), senderUnregistered, time.Time{}},
	} {
		a := good
		c.change(&a)
		if v := check(a); v.code != c.code || !v.hold.Equal(c.hold) || (v.code != "") != (v.reason != "" && v.field != "") {
			t.Errorf("%s: %+v, want %q until %s", name, v, c.code, c.hold)
		}
	}
}
