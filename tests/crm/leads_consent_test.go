package crm

import (
	"strings"
	"testing"

	"slipway/internal/consent"
	"slipway/internal/leads"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

func TestConsentRecords(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		contact := s.Test.Contact(map[string]any{"email": "ann@example.com", "phone": "+14105550123"})
		path := "/v1/leads/" + s.Test.Lead(map[string]any{"contact_id": contact})
		var c consent.Consent
		res := s.Test.Post(path+"/consents", `{"channels":["sms","voice","email"],"scope":"all","basis":"express_written","consent_text":"I agree.","consent_text_version":"3",
			"source":"web_form","source_url":"https://boats.example.com/contact","method":"checkbox","ip":"203.0.113.7","user_agent":"Firefox","evidence":{"sha256":"ab","n":[1]}}`, 201, &c)
		if *c.Address != "+14105550123" || len(c.Bindings) != 3 || c.Bindings[2].Address != "ann@example.com" || *c.PersonName != "Ann Bell" ||
			c.Evidence["sha256"] != "ab" || c.CapturedBy == nil || c.ExpiresAt != nil {
			t.Errorf(`got %s; want c.Address = "+14105550123", len(c.Bindings) = 3, c.Bindings[2].Address = "ann@example.com", `+
				`c.PersonName = "Ann Bell", c.Evidence["sha256"] = "ab", c.CapturedBy != nil, c.ExpiresAt = nil`, res.Bytes)
		}

		var list struct{ Data []consent.Consent }
		s.Test.Get(path+"/consents", 200, &list)
		assert.Len(t, list.Data, 1)
		assert.Equal(t, list.Data[0].ID, c.ID)
		s.Test.Get("/v1/contacts/"+contact+"/consents", 200, &list)
		assert.Len(t, list.Data, 1)

		// The consent can be for another number than the contact's.
		s.Test.Post(path+"/consents", `{"channels":["sms","email"],"scope":"all","address":"(212) 555-0199"}`, 201, &c)
		assert.Equal(t, c.Bindings[0].Address, "+12125550199")
		assert.Equal(t, c.Bindings[1].Address, "ann@example.com")
		for body, field := range map[string]string{
			`{"channels":["sms"],"scope":"all","captured_at":"2199-01-01T00:00:00Z"}`:                                "captured_at",
			`{"channels":["sms"],"scope":"all","address":"12"}`:                                                      "address",
			`{"channels":["fax"],"scope":"all"}`:                                                                     "channels[0]",
			`{"channels":["sms","sms"],"scope":"all"}`:                                                               "channels",
			`{"channels":["sms"],"scope":"everything"}`:                                                              "scope",
			`{"channels":["sms"],"scope":"all","direction":"revoked","revokes_id":"cns_00000000000000000000000000"}`: "revokes_id",
		} {
			f := s.Test.Post(path+"/consents", body, 422, nil).Fault(t)
			assert.Equal(t, f.Details[0].Field, field, body)
		}

		s.Test.Post(path+"/consents", `{"scope":"all"}`, 400, nil)
		entries := strings.Join(testkit.Rows[string](s, `SELECT changes FROM audit_entries WHERE action LIKE 'lead.consent%'`), "\n")
		for _, secret := range []string{"+1410", "ann@example", "203.0.113.7", "Firefox", "Ann Bell"} {
			assert.Excludes(t, entries, secret, "audit log")
		}
	})
}

// A form sends the lead and its consents in one request.
func TestConsentsInTheRequestOfALead(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var l leads.Lead
		s.Test.Post("/v1/leads", `{"contact":{"last_name":"Bell","phone":"410-555-0123"},"consents":[
			{"channels":["sms"],"scope":"marketing","basis":"express_written","consent_text":"I agree."},
			{"channels":["sms"],"scope":"transactional","basis":"ebr","captured_at":"2026-01-31T12:00:00Z"},
			{"channels":["sms"],"scope":"transactional","basis":"ebr","relationship":"purchase","captured_at":"2026-01-31T12:00:00Z"}]}`, 201, &l)
		var p page.Page[consent.Consent]
		s.Test.Get("/v1/leads/"+l.ID+"/consents", 200, &p)
		assert.Len(t, p.Data, 3)
		assert.Equal(t, p.Data[0].ExpiresAt.Format("2006-01-02"), "2027-07-31", "purchase")
		assert.Equal(t, p.Data[1].ExpiresAt.Format("2006-01-02"), "2026-04-30", "inquiry")
		assert.Equal(t, p.Data[2].ExpiresAt, nil)
		assert.Equal(t, p.Data[2].Address, new("+14105550123"))

		// A consent for a channel without an address doesn't lose the lead.
		s.Test.Post("/v1/leads", `{"contact":{"last_name":"Smith","phone":"410-555-0124"},"consents":[
			{"channels":["email","sms"],"scope":"transactional"},{"channels":["email"],"scope":"all"}]}`, 201, &l)
		assert.Equal(t, l.Unrecorded, []consent.Channel{consent.Email})
		s.Test.Get("/v1/leads/"+l.ID+"/consents", 200, &p)
		assert.Len(t, p.Data, 1)
		assert.Equal(t, p.Data[0].Channels, []consent.Channel{consent.SMS})

		// An invalid consent creates nothing.
		s.Test.Post("/v1/leads", `{"contact":{"last_name":"Smith","phone":"410-555-0125"},"consents":[{"channels":["email"],"address":"x@","scope":"all"}]}`, 422, nil).
			WantDetail(t, "consents[0].address", "format")
		assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM leads`)[0], 2)
	})
}
