package leads_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"slipway/internal/consent"
	"slipway/internal/testkit"
)

// Every refusal of the ledger, by its code, and the attempt kept.
func TestConsentDecides(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		path := "/v1/leads/" + s.Test.Lead(nil)
		bare := "/v1/leads/" + s.Test.Lead(map[string]any{"contact_id": s.Test.Contact(map[string]any{"phone": nil})})
		expect := func(step, path, channel, purpose, want string) {
			t.Helper()
			if got := refused(t, s, path, channel, purpose); got != want {
				t.Errorf("%s: %q, want %q", step, got, want)
			}
		}
		expect("no phone", bare, "sms", "transactional", "recipient_invalid")
		expect("nothing said", path, "sms", "marketing", "consent_missing")
		expect("nothing said", path, "email", "transactional", "consent_missing")
		var c, r consent.Consent
		s.Test.Post(path+"/consents", `{"channels":["sms"],"scope":"transactional","basis":"express_oral"}`, 201, &c)
		expect("of another scope", path, "sms", "marketing", "consent_scope")
		expect("of this scope", path, "sms", "transactional", "")
		expect("of another channel", path, "email", "transactional", "consent_missing")
		s.Test.Post(path+"/consents", `{"channels":["sms"],"scope":"marketing","basis":"implied_inquiry"}`, 201, nil)
		expect("implied", path, "sms", "marketing", "")
		s.Advance(184 * 24 * time.Hour)
		expect("implied, half a year ago", path, "sms", "marketing", "consent_expired")
		expect("but what was express holds", path, "sms", "transactional", "")
		s.Test.Post(path+"/consents/"+c.ID+"/revoke", `{"reason":"said so","source":"phone"}`, 200, &r)
		testkit.Equal(t, r.Direction, consent.Revoked)
		testkit.Equal(t, r.RevokesID, new(c.ID))
		testkit.Equal(t, r.Scope, c.Scope)
		testkit.Equal(t, r.Address, new(*c.Address))
		testkit.Equal(t, r.Reason, new("said so"))
		expect("revoked", path, "sms", "transactional", "consent_revoked")
		s.Test.Post(path+"/consents/"+c.ID+"/revoke", nil, 409, nil)
		s.Test.Post(path+"/consents/"+r.ID+"/revoke", nil, 409, nil)
		s.Test.Post(bare+"/consents/"+c.ID+"/revoke", nil, 404, nil)
		testkit.Equal(t, messagesOf(s, path)[0].ConsentID, new(r.ID), "blocked by", r.ID)
		old := s.DB.Now().Add(-48 * time.Hour).UTC().Format(time.RFC3339)
		s.Test.Post(path+"/consents", `{"channels":["sms"],"scope":"all","captured_at":"`+old+`"}`, 201, nil)
		expect("an old consent that comes late", path, "sms", "transactional", "consent_revoked")
		s.Test.Post(path+"/consents", `{"channels":["sms"],"scope":"all"}`, 201, nil)
		expect("agreed again", path, "sms", "transactional", "")
		s.Test.Post(path+"/consents", `{"channels":["sms"],"scope":"all","direction":"revoked","source":"showroom"}`, 201, nil)
		expect("revoked by a record", path, "sms", "marketing", "consent_revoked")

		// No marketing email without the dealership's address under it.
		agreeing := agreed(s, nil)
		expect("no postal address", agreeing, "email", "marketing", "missing_postal_address")
		expect("which only marketing needs", agreeing, "email", "transactional", "")
		s.Test.Patch("/v1/dealership", `{"postal_address":{"line1":"12 Dock Street","city":"Annapolis","country":"US"}}`, 200, nil)
		expect("with one", agreeing, "email", "marketing", "")
		for _, event := range told(s, strings.TrimPrefix(path, "/v1/leads/")) {
			if !slices.Contains([]string{"lead.created", "lead.consent_captured", "lead.consent_revoked", "lead.message_queued"}, event) {
				t.Errorf(`an event %s, want []string{"lead.created", "lead.consent_captured", "lead.consent_revoked", "lead.message_queued"} to contain %q`, event, event)
			}
		}
	})
}

func TestConsentRecords(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		contact := s.Test.Contact(map[string]any{"email": "ann@example.com", "phone": "+14105550123"})
		path := "/v1/leads/" + s.Test.Lead(map[string]any{"contact_id": contact})
		var c consent.Consent
		res := s.Test.Post(path+"/consents", `{"channels":["sms","voice","email"],"scope":"all","basis":"express_written","consent_text":"I agree.","consent_text_version":"3",
			"source":"web_form","source_url":"https://boats.example.com/contact","method":"checkbox","ip":"203.0.113.7","user_agent":"Firefox","evidence":{"sha256":"ab","n":[1]}}`, 201, &c)
		if *c.Address != "+14105550123" || len(c.Bindings) != 3 || c.Bindings[2].Address != "ann@example.com" || *c.PersonName != "Ann Bell" || c.Evidence["sha256"] != "ab" || c.CapturedBy == nil || c.ExpiresAt != nil {
			t.Errorf(`got %s; want c.Address = "+14105550123", len(c.Bindings) = 3, c.Bindings[2].Address = "ann@example.com", c.PersonName = "Ann Bell", c.Evidence["sha256"] = "ab", c.CapturedBy != nil, c.ExpiresAt = nil`, res.Bytes)
		}
		all := consentsOf(s, path)
		testkit.Len(t, all, 1)
		testkit.Equal(t, all[0].ID, c.ID)
		var list struct{ Data []consent.Consent }
		s.Test.Get("/v1/contacts/"+contact+"/consents", 200, &list)
		testkit.Len(t, list.Data, 1)
		// Somebody may agree for another number than the one we know.
		s.Test.Post(path+"/consents", `{"channels":["sms","email"],"scope":"all","address":"(212) 555-0199"}`, 201, &c)
		testkit.Equal(t, c.Bindings[0].Address, "+12125550199")
		testkit.Equal(t, c.Bindings[1].Address, "ann@example.com")
		for body, field := range map[string]string{
			`{"channels":["sms"],"scope":"all","captured_at":"2199-01-01T00:00:00Z"}`:                                "captured_at",
			`{"channels":["sms"],"scope":"all","address":"12"}`:                                                      "address",
			`{"channels":["fax"],"scope":"all"}`:                                                                     "channels[0]",
			`{"channels":["sms","sms"],"scope":"all"}`:                                                               "channels",
			`{"channels":["sms"],"scope":"everything"}`:                                                              "scope",
			`{"channels":["sms"],"scope":"all","direction":"revoked","revokes_id":"cns_00000000000000000000000000"}`: "revokes_id",
		} {
			f := s.Test.Post(path+"/consents", body, 422, nil).Fault(t)
			testkit.Equal(t, f.Details[0].Field, field, body)
		}
		s.Test.Post(path+"/consents", `{"scope":"all"}`, 400, nil)
		entries := strings.Join(testkit.Rows[string](s, `SELECT changes FROM audit_entries WHERE action LIKE 'lead.consent%'`), "\n")
		for _, secret := range []string{"+1410", "ann@example", "203.0.113.7", "Firefox", "Ann Bell"} {
			testkit.Excludes(t, entries, secret, "audit log")
		}
	})
}
