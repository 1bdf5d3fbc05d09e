package crm

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"slipway/internal/consent"
	"slipway/internal/leads"
	"slipway/internal/messages"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
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
			assert.Equal(t, blockCode(t, s, path, channel, purpose), want, step)
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
		expect("implied", path, "sms", "marketing", "consent_insufficient")
		s.Advance(184 * 24 * time.Hour)
		expect("implied, half a year ago", path, "sms", "marketing", "consent_expired")
		expect("express consent still applies", path, "sms", "transactional", "")
		s.Test.Post(path+"/consents/"+c.ID+"/revoke", `{"reason":"asked on the phone","source":"phone"}`, 200, &r)
		assert.Equal(t, r.Direction, consent.Revoked)
		assert.Equal(t, r.RevokesID, new(c.ID))
		assert.Equal(t, r.Scope, c.Scope)
		assert.Equal(t, r.Address, new(*c.Address))
		assert.Equal(t, r.Reason, new("asked on the phone"))
		expect("revoked", path, "sms", "transactional", "consent_revoked")
		s.Test.Post(path+"/consents/"+c.ID+"/revoke", nil, 409, nil)
		s.Test.Post(path+"/consents/"+r.ID+"/revoke", nil, 409, nil)
		s.Test.Post(bare+"/consents/"+c.ID+"/revoke", nil, 404, nil)
		assert.Equal(t, messagesOf(s, path)[0].ConsentID, new(r.ID), "blocked by", r.ID)
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
			if !slices.Contains([]string{"lead.created", "lead.updated", "lead.consent_captured", "lead.consent_revoked", "lead.message_queued", "lead.message_blocked"}, event) {
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
		assert.Equal(t, blockCode(t, s, created, "sms", "transactional"), "consent_missing")

		due := leadWithConsent(s, map[string]any{"phone": "+14105550177"})
		assert.Equal(t, blockCode(t, s, due, "sms", "transactional"), "")
		s.Test.Post(due+"/consents", `{"channels":["sms"],"scope":"all","direction":"revoked"}`, 201, nil)
		if err := w.sendAll(t); err != nil {
			t.Fatal(err)
		}

		for _, path := range []string{created, due} {
			lead := strings.TrimPrefix(path, "/v1/leads/")
			m := messagesOf(s, path)[0]
			assert.Equal(t, m.Status, messages.Blocked, path)
			data := testkit.Rows[string](s, `SELECT data FROM {emitted} WHERE object_id = ? AND type = 'lead.message_blocked'`, lead)
			assert.Len(t, data, 1)
			assert.Contains(t, data[0], m.ID, path)
			assert.Contains(t, data[0], *m.BlockReason, path)
			assert.Equal(t, testkit.Rows[string](s, `SELECT outcome FROM audit_entries WHERE target_id = ? AND action = 'lead.message_blocked'`,
				lead),
				[]string{"failure"}, path)
		}
	})
}

// A marketing text message is sent on a consent record without a text, or with a
// basis that is not written consent.
func TestMarketingTextOnWeakConsent(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		s.Test.Patch("/v1/dealership", `{"postal_address":{"line1":"12 Dock Street","city":"Annapolis","country":"US"}}`, 200, nil)
		for _, weak := range []string{
			`"basis":"express_written"`, `"consent_text":"I agree."`, `"basis":"express_written","consent_text":" "`,
			`"basis":"express_oral","consent_text":"I agree."`, `"basis":"ebr","relationship":"purchase","consent_text":"I agree."`,
			`"basis":"implied_purchase","consent_text":"I agree."`,
		} {
			path := "/v1/leads/" + s.Test.Lead(nil)
			s.Test.Post(path+"/consents", `{"channels":["sms","email"],"scope":"all",`+weak+`}`, 201, nil)
			assert.Equal(t, blockCode(t, s, path, "sms", "marketing"), "consent_insufficient", weak)
			assert.Equal(t, blockCode(t, s, path, "sms", "transactional"), "", weak)
			assert.Equal(t, blockCode(t, s, path, "email", "marketing"), "", weak)

			s.Test.Post(path+"/consents", `{"channels":["sms"],"scope":"marketing","basis":"express_written","consent_text":"I agree."}`, 201, nil)
			assert.Equal(t, blockCode(t, s, path, "sms", "marketing"), "", weak)
		}
	})
}

// An inquiry by email or by a form is answered by email without a consent record.
// Marketing, text messages, other addresses and opt-outs are not covered.
func TestAnswerToAnInquiry(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		inquiry := func(changes map[string]any) string {
			body := map[string]any{"source": "web", "message": "Is she still available?",
				"contact": map[string]any{"first_name": "Ann", "email": "Ann@Example.com", "phone": "+14105550123"}}
			maps.Copy(body, changes)
			return "/v1/leads/" + s.Test.Lead(body)
		}
		form := inquiry(nil)
		assert.Equal(t, blockCode(t, s, form, "email", "transactional"), "")
		assert.Equal(t, messagesOf(s, form)[0].ConsentID, nil)
		assert.Equal(t, blockCode(t, s, form, "email", "marketing"), "consent_missing")
		assert.Equal(t, blockCode(t, s, form, "sms", "transactional"), "")
		assert.Equal(t, blockCode(t, s, form, "sms", "marketing"), "consent_scope")

		for what, changes := range map[string]map[string]any{
			"no message":      {"message": " "},
			"walk-in":         {"source": "walk_in"},
			"another address": {"contact": map[string]any{"email": "ann@work.example", "phone": "+14105550123"}},
		} {
			// The contact is found by its phone number and keeps its address.
			assert.Equal(t, blockCode(t, s, inquiry(changes), "email", "transactional"), "consent_missing", what)
		}

		// An email is an inquiry too, whatever the lead came from.
		called := inquiry(map[string]any{"source": "phone", "contact": map[string]any{"last_name": "Lee", "email": "lee@example.com"}})
		assert.Equal(t, blockCode(t, s, called, "email", "transactional"), "consent_missing")
		s.Test.Post(called+"/inbound_messages", `{"channel":"email","from":"someone@example.com","body":"What is the price?"}`, 201, nil)
		assert.Equal(t, blockCode(t, s, called, "email", "transactional"), "consent_missing", "an email from another address")
		s.Test.Post(called+"/inbound_messages", `{"channel":"email","from":"lee@example.com","body":"What is the price?"}`, 201, nil)
		assert.Equal(t, blockCode(t, s, called, "email", "transactional"), "")

		s.Test.Post(called+"/inbound_messages", `{"channel":"email","from":"lee@example.com","body":"STOP"}`, 201, nil)
		assert.Equal(t, blockCode(t, s, called, "email", "transactional"), "consent_revoked")
		s.Test.Post(called+"/inbound_messages", `{"channel":"email","from":"lee@example.com","body":"What is the price?"}`, 201, nil)
		assert.Equal(t, blockCode(t, s, called, "email", "transactional"), "consent_revoked", "an opt-out is binding")

		s.Advance(93 * 24 * time.Hour)
		assert.Equal(t, blockCode(t, s, form, "email", "transactional"), "consent_missing", "three months later")
		assert.Equal(t, blockCode(t, s, form, "sms", "transactional"), "consent_expired", "three months later")
	})
}

// Someone who texts can be answered by text message, for three months after the last message. Marketing
// and opt-outs are not covered.
func TestAnswerToAText(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		path := "/v1/leads/" + s.Test.Lead(map[string]any{"contact_id": s.Test.Contact(map[string]any{"phone": "+14105550123"})})
		say := func(text string) {
			t.Helper()
			s.Advance(time.Minute)
			s.Test.Post(path+"/inbound_messages", map[string]any{"channel": "sms", "from": "+14105550123", "body": text}, 201, nil)
		}
		assert.Equal(t, blockCode(t, s, path, "sms", "transactional"), "consent_missing")
		say("Is the trailer included?")
		assert.Equal(t, blockCode(t, s, path, "sms", "transactional"), "")
		assert.Equal(t, blockCode(t, s, path, "sms", "marketing"), "consent_scope")
		c := consentsOf(s, path)[0]
		assert.Equal(t, *c.Basis, consent.ImpliedInquiry)
		assert.Equal(t, c.CapturedBy, new("system"))
		assert.Equal(t, c.Evidence["message_id"] != nil, true)

		// One record is enough for a conversation, and a later message renews it.
		say("And the cover?")
		assert.Len(t, consentsOf(s, path), 1)
		s.Advance(70 * 24 * time.Hour)
		say("Is she still there?")
		assert.Len(t, consentsOf(s, path), 2)
		s.Advance(40 * 24 * time.Hour)
		assert.Equal(t, blockCode(t, s, path, "sms", "transactional"), "")
		s.Advance(60 * 24 * time.Hour)
		assert.Equal(t, blockCode(t, s, path, "sms", "transactional"), "consent_expired")

		say("STOP")
		say("Is she still there?")
		assert.Equal(t, blockCode(t, s, path, "sms", "transactional"), "consent_revoked")

		// A number that opted out stays so with another lead.
		form := s.Test.Lead(map[string]any{"source": "web", "message": "Text me", "contact": map[string]any{"last_name": "Bell", "phone": "+14105550123"}})
		assert.Equal(t, blockCode(t, s, "/v1/leads/"+form, "sms", "transactional"), "consent_revoked")
	})
}

// START from someone who never consented, and from someone who consented to less,
// is used to get consent for everything.
func TestStartWithoutEarlierConsent(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		say := func(path, text string) {
			t.Helper()
			s.Advance(time.Second)
			s.Test.Post(path+"/inbound_messages", map[string]any{"channel": "sms", "from": "+14105550123", "body": text}, 201, nil)
		}
		path := "/v1/leads/" + s.Test.Lead(map[string]any{"contact_id": s.Test.Contact(map[string]any{"phone": "+14105550123"})})
		say(path, "START")
		assert.Equal(t, len(consentsOf(s, path)), 0, "consents")
		assert.Equal(t, blockCode(t, s, path, "sms", "transactional"), "consent_missing")
		say(path, "STOP")
		say(path, "UNSTOP")
		assert.Equal(t, len(consentsOf(s, path)), 1, "records")
		assert.Equal(t, blockCode(t, s, path, "sms", "transactional"), "consent_revoked")

		s.Test.Post(path+"/consents", `{"channels":["sms"],"scope":"transactional","basis":"ebr","relationship":"purchase"}`, 201, nil)
		assert.Equal(t, blockCode(t, s, path, "sms", "transactional"), "")
		say(path, "STOP")
		assert.Equal(t, blockCode(t, s, path, "sms", "transactional"), "consent_revoked")
		say(path, "START")
		assert.Equal(t, blockCode(t, s, path, "sms", "transactional"), "")
		assert.Equal(t, blockCode(t, s, path, "sms", "marketing"), "consent_revoked")
		all := consentsOf(s, path)
		assert.Equal(t, all[0].Scope, consent.Transactional)
		assert.Equal(t, all[0].Basis, new(consent.Basis("ebr")))
		assert.Equal(t, all[0].ExpiresAt, all[2].ExpiresAt)
		assert.Equal[any](t, all[0].Evidence["restores_id"], all[2].ID)
		say(path, "START")
		assert.Len(t, consentsOf(s, path), len(all))
	})
}

// An email with START or YES, which anyone can write in the name of a customer, gives no
// consent. A user reviews it. STOP by email is binding.
func TestStartByEmailGivesNoConsent(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		w := newWorker(t, s, (&mailServer{}).start(t), nil)
		p := newProvider(t, s, s.Test, ownNumber, twilioToken)
		path := leadWithConsent(s, map[string]any{"email": "ann@example.com"})
		s.Test.Post(path+"/messages", `{"channel":"email","purpose":"transactional","subject":"News","body":"Want news of boats? Reply YES."}`, 202, nil)
		if err := w.sendAll(t); err != nil {
			t.Fatal(err)
		}
		s.Advance(time.Second)
		s.Test.Post(path+"/inbound_messages", `{"channel":"email","from":"ann@example.com","body":"STOP"}`, 201, nil)
		records := len(consentsOf(s, path))
		assert.Equal(t, blockCode(t, s, path, "email", "transactional"), "consent_revoked")

		for i, text := range []string{"START", "Unstop", "yes!"} {
			s.Advance(time.Second)
			var m messages.LeadMessage
			if text != "START" {
				s.Test.Post(path+"/inbound_messages", map[string]any{"channel": "email", "from": "ann@example.com", "body": text}, 201, &m)
			} else {
				p.mail("id_1", emailBody("Ann <ann@example.com>", text, "<1@mail.example>", ""), 204)
				m = messagesOf(s, path)[1] // before the link
			}
			assert.Equal(t, *m.Intent, "start", text)
			assert.Equal(t, m.NeedsReview, true, text)
			var l leads.Lead
			s.Test.Get(path, 200, &l)
			assert.Equal(t, l.NeedsReview, true, text)
			assert.Equal(t, len(consentsOf(s, path)), records, text, i)
			assert.Equal(t, blockCode(t, s, path, "email", "transactional"), "consent_revoked", text)
			s.Test.Patch(path, `{"needs_review":false}`, 200, nil)
		}
	})
}

// A customer asked the dealership by phone for no more messages. A text message with START,
// UNSTOP or YES doesn't undo it: a user reviews it. What the person's own STOP revoked is
// restored.
func TestStartByTextKeepsWhatStaffRevoked(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		w := newWorker(t, s, nil, &textProvider{})
		path := leadWithConsent(s, map[string]any{"phone": "+14105550123"})
		s.Test.Post(path+"/messages", `{"channel":"sms","purpose":"transactional","body":"Want news of boats? Reply YES."}`, 202, nil)
		if err := w.sendAll(t); err != nil {
			t.Fatal(err)
		}
		say := func(text string) (m messages.LeadMessage) {
			t.Helper()
			s.Advance(time.Second)
			s.Test.Post(path+"/inbound_messages", map[string]any{"channel": "sms", "from": "+14105550123", "body": text}, 201, &m)
			return m
		}
		s.Advance(time.Second)
		s.Test.Post(path+"/consents", `{"channels":["sms"],"scope":"all","direction":"revoked","source":"phone"}`, 201, nil)
		records := len(consentsOf(s, path))
		for _, text := range []string{"START", "Unstop", "YES", "STOP", "start"} {
			m := say(text)
			assert.Equal(t, m.NeedsReview, text != "STOP", text)
			assert.Equal(t, len(consentsOf(s, path)), records, text)
			assert.Equal(t, blockCode(t, s, path, "sms", "transactional"), "consent_revoked", text)
		}
		var l leads.Lead
		s.Test.Get(path, 200, &l)
		assert.Equal(t, l.NeedsReview, true)

		s.Test.Patch(path, `{"needs_review":false}`, 200, nil)
		s.Test.Post(path+"/consents", `{"channels":["sms"],"scope":"all","basis":"express_written","consent_text":"I agree."}`, 201, nil)
		say("STOP")
		assert.Equal(t, blockCode(t, s, path, "sms", "transactional"), "consent_revoked")
		assert.Equal(t, say("START").NeedsReview, false)
		assert.Equal(t, blockCode(t, s, path, "sms", "transactional"), "", "after the person's own STOP")
	})
}
