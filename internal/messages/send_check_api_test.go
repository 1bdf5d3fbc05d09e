package messages_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"slipway/internal/consent"
	"slipway/internal/messages"
	"slipway/internal/testkit"
)

// Each reason of the consent check blocks with its code, and the blocked message
// is stored.
func TestConsentCheck(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		path := "/v1/leads/" + s.Test.Lead(nil)
		bare := "/v1/leads/" + s.Test.Lead(map[string]any{"contact_id": s.Test.Contact(map[string]any{"phone": nil})})
		expect := func(step, path, channel, purpose, want string) {
			t.Helper()
			if got := blockCode(t, s, path, channel, purpose); got != want {
				t.Errorf("%s: %q, want %q", step, got, want)
			}
		}
		expect("no phone", bare, "sms", "transactional", "recipient_invalid")
		expect("no consent", path, "sms", "marketing", "consent_missing")
		expect("no consent", path, "email", "transactional", "consent_missing")
		var c, r consent.Consent
		s.Test.Post(path+"/consents", `{"channels":["sms"],"scope":"transactional","basis":"express_oral"}`, 201, &c)
		expect("another scope", path, "sms", "marketing", "consent_scope")
		expect("the same scope", path, "sms", "transactional", "")
		expect("another channel", path, "email", "transactional", "consent_missing")
		s.Test.Post(path+"/consents", `{"channels":["sms"],"scope":"marketing","basis":"implied_inquiry"}`, 201, nil)
		expect("implied", path, "sms", "marketing", "")
		s.Advance(184 * 24 * time.Hour)
		expect("implied, half a year ago", path, "sms", "marketing", "consent_expired")
		expect("express consent still applies", path, "sms", "transactional", "")
		s.Test.Post(path+"/consents/"+c.ID+"/revoke", `{"reason":"asked on the phone","source":"phone"}`, 200, &r)
		testkit.Equal(t, r.Direction, consent.Revoked)
		testkit.Equal(t, r.RevokesID, new(c.ID))
		testkit.Equal(t, r.Scope, c.Scope)
		testkit.Equal(t, r.Address, new(*c.Address))
		testkit.Equal(t, r.Reason, new("asked on the phone"))
		expect("revoked", path, "sms", "transactional", "consent_revoked")
		s.Test.Post(path+"/consents/"+c.ID+"/revoke", nil, 409, nil)
		s.Test.Post(path+"/consents/"+r.ID+"/revoke", nil, 409, nil)
		s.Test.Post(bare+"/consents/"+c.ID+"/revoke", nil, 404, nil)
		testkit.Equal(t, messagesOf(s, path)[0].ConsentID, new(r.ID), "blocked by", r.ID)
		old := s.DB.Now().Add(-48 * time.Hour).UTC().Format(time.RFC3339)
		s.Test.Post(path+"/consents", `{"channels":["sms"],"scope":"all","captured_at":"`+old+`"}`, 201, nil)
		expect("an old grant recorded late", path, "sms", "transactional", "consent_revoked")
		s.Test.Post(path+"/consents", `{"channels":["sms"],"scope":"all"}`, 201, nil)
		expect("granted again", path, "sms", "transactional", "")
		s.Test.Post(path+"/consents", `{"channels":["sms"],"scope":"all","direction":"revoked","source":"showroom"}`, 201, nil)
		expect("revoked by a record", path, "sms", "marketing", "consent_revoked")

		// A marketing email requires the dealership's postal address.
		consenting := leadWithConsent(s, nil)
		expect("no postal address", consenting, "email", "marketing", "missing_postal_address")
		expect("transactional without a postal address", consenting, "email", "transactional", "")
		s.Test.Patch("/v1/dealership", `{"postal_address":{"line1":"12 Dock Street","city":"Annapolis","country":"US"}}`, 200, nil)
		expect("with one", consenting, "email", "marketing", "")
		for _, event := range s.EventTypes(strings.TrimPrefix(path, "/v1/leads/")) {
			if !slices.Contains([]string{"lead.created", "lead.consent_captured", "lead.consent_revoked", "lead.message_queued", "lead.message_blocked"}, event) {
				t.Errorf("unexpected event %s", event)
			}
		}
	})
}

// A blocked message emits an event and one audit entry with the outcome failure,
// both when it is created and when it is due.
func TestBlockedMessageEmitsEvent(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		w := newWorker(t, s, nil, &textProvider{})

		created := "/v1/leads/" + s.Test.Lead(nil)
		testkit.Equal(t, blockCode(t, s, created, "sms", "transactional"), "consent_missing")

		due := leadWithConsent(s, map[string]any{"phone": "+14105550177"})
		testkit.Equal(t, blockCode(t, s, due, "sms", "transactional"), "")
		s.Test.Post(due+"/consents", `{"channels":["sms"],"scope":"all","direction":"revoked"}`, 201, nil)
		if err := w.sendAll(t); err != nil {
			t.Fatal(err)
		}

		for _, path := range []string{created, due} {
			lead := strings.TrimPrefix(path, "/v1/leads/")
			m := messagesOf(s, path)[0]
			testkit.Equal(t, m.Status, messages.Blocked, path)
			data := testkit.Rows[string](s, `SELECT data FROM outbox WHERE object_id = ? AND type = 'lead.message_blocked'`, lead)
			testkit.Len(t, data, 1)
			testkit.Contains(t, data[0], m.ID, path)
			testkit.Contains(t, data[0], *m.BlockReason, path)
			testkit.Equal(t, testkit.Rows[string](s, `SELECT outcome FROM audit_entries WHERE target_id = ? AND action = 'lead.message_blocked'`,
				lead),
				[]string{"failure"}, path)
		}
	})
}
