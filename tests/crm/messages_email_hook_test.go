package crm

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"slipway/internal/contacts"
	"slipway/internal/leads"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

func emailBody(from, text, id, inReplyTo string) string {
	body, _ := json.Marshal(map[string]any{"from": from, "to": "sales@acme.example", "subject": "Re: Your boat", "text": text,
		"message_id": id, "in_reply_to": inReplyTo, "headers": []string{"a field that is not known"}})
	return string(body)
}

// A reply belongs to the email that it replies to. An email from a new address
// creates a lead, which can be answered.
func TestEmailReply(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := newProvider(t, s, s.Test, ownNumber, twilioToken)
		server := &mailServer{}
		w := newWorker(t, s, server.start(t), nil)
		path := leadWithConsent(s, map[string]any{"email": "ann@example.com"})
		s.Test.Lead(map[string]any{"contact": map[string]any{"email": "ann@example.com"}})
		assert.Equal(t, blockCode(t, s, path, "email", "transactional"), "")
		if err := w.sendAll(t); err != nil {
			t.Fatal(err)
		}
		sent := messagesOf(s, path)[0]

		p.mail("id_1", emailBody("Ann Bell <Ann@Example.com>", "Saturday is fine.\n\nOn Monday, Acme wrote:\n> unsubscribe",
			"<1@mail.example>", "<"+sent.ID+"@slipway>"), 204)
		m := messagesOf(s, path)[0]
		assert.Equal(t, m.From, new("ann@example.com"))
		assert.Equal(t, m.Subject, new("Re: Your boat"))
		assert.Equal(t, *m.Intent, "ordinary")
		assert.Equal(t, m.ProviderMessageID, new("<1@mail.example>"))
		p.mail("id_2", emailBody("ann@work.example", "My other address.", "<2@mail.example>", "<"+sent.ID+"@slipway>"), 204)
		p.mail("id_3", emailBody("ann@example.com", "No reference.", "<3@mail.example>", ""), 204)
		assert.Equal(t, len(messagesOf(s, path)), 4, "messages")

		p.mail("id_4", emailBody(`"Lee Van Marsh" <lee@example.com>`, "Is she available?", "<4@mail.example>", "<other@mail.example>"), 204)
		var list page.Page[leads.Lead]
		s.Test.Get("/v1/leads?source=email", 200, &list)
		assert.Len(t, list.Data, 1)
		var c contacts.Contact
		s.Test.Get("/v1/contacts/"+list.Data[0].ContactID, 200, &c)
		assert.Equal(t, c.FirstName, new("Lee Van"))
		assert.Equal(t, c.LastName, new("Marsh"))
		assert.Equal(t, blockCode(t, s, "/v1/leads/"+list.Data[0].ID, "email", "transactional"), "")
		assert.Equal(t, blockCode(t, s, "/v1/leads/"+list.Data[0].ID, "email", "marketing"), "consent_missing")

		// Another dealership replies to this email with its own hook.
		other := newProvider(t, s, s.Other, "+12125550100", twilioToken)
		other.mail("id_5", emailBody("ann@example.com", "Hello", "<5@mail.example>", "<"+sent.ID+"@slipway>"), 204)
		assert.Equal(t, len(messagesOf(s, path)), 4, "messages after a reply to another dealership")
	})
}

// A mail server that couldn't deliver an email is not a customer. Its report is shown where the
// email was written, and creates no lead.
func TestUndeliveredEmail(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := newProvider(t, s, s.Test, ownNumber, twilioToken)
		server := &mailServer{}
		w := newWorker(t, s, server.start(t), nil)
		path := leadWithConsent(s, map[string]any{"email": "ann@example.com"})
		assert.Equal(t, blockCode(t, s, path, "email", "transactional"), "")
		if err := w.sendAll(t); err != nil {
			t.Fatal(err)
		}
		sent := messagesOf(s, path)[0]

		p.mail("id_1", emailBody("Mail Delivery System <MAILER-DAEMON@mail.example>", "User unknown", "<1@mail.example>", ""), 204)
		p.mail("id_2", emailBody("postmaster@mail.example", "Delivery has failed", "<2@mail.example>", "<other@mail.example>"), 204)
		var list page.Page[leads.Lead]
		s.Test.Get("/v1/leads?source=email", 200, &list)
		assert.Len(t, list.Data, 0)

		p.mail("id_3", emailBody("MAILER-DAEMON@mail.example", "User unknown", "<3@mail.example>", "<"+sent.ID+"@slipway>"), 204)
		assert.Equal(t, messagesOf(s, path)[0].Body, new("User unknown"))
		p.mail("id_4", emailBody("postmaster.bell@example.com", "Is she available?", "<4@mail.example>", ""), 204)
		s.Test.Get("/v1/leads?source=email", 200, &list)
		assert.Len(t, list.Data, 1)
	})
}

// Email requests that are forged, too old, or repeated.
func TestForgedAndReplayedEmail(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := newProvider(t, s, s.Test, ownNumber, twilioToken)
		other := newProvider(t, s, s.Other, "+12125550100", twilioToken)
		s.Other.Patch("/v1/dealership",
			`{"settings":{"inbound":{"email_secret":"whsec_ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA="}}}`, 200, nil)
		body := emailBody("ann@example.com", "Hello", "<1@mail.example>", "")

		forged := *p
		forged.secret = "whsec_YW5vdGhlciBzZWNyZXQsIGFsc28gbG9uZyBlbm91Z2g="
		forged.mail("id_1", body, 403)
		other.mail("id_1", body, 403) // signed with the secret of the first dealership
		p.mailAt("id_1", body, s.DB.Now().Add(-6*time.Minute), 403)
		p.mailAt("id_1", body, s.DB.Now().Add(6*time.Minute), 403)
		assert.Equal(t, p.post(s, p.email, "application/json", body, nil).StatusCode, 403)
		assert.Equal(t, p.post(s, p.email, "text/plain", body, nil).StatusCode, 415)
		assert.Equal(t, count(s, "messages"), 0)
		assert.Contains(t, strings.Join(refusals(t, s), "\n"), "webhook-timestamp is more than five minutes")

		for i := range 3 {
			p.mail(fmt.Sprintf("id_%d", i), body, 204) // the provider tries again
		}
		assert.Equal(t, count(s, "messages"), 1)
		p.mail("id_9", `{"from":"ann@example.com","text":"No message ID"}`, 204)
		p.mail("id_9", `{"from":"ann@example.com","text":"No message ID"}`, 204)
		assert.Equal(t, count(s, "messages"), 2)

		for body, status := range map[string]int{
			`{"from":"ann","text":"x"}`: 422, `{"text":"x"}`: 422, `{"from":7}`: 400, `[]`: 400, `{`: 400, ``: 400,
			`{"from":"ann@example.com","text":"` + strings.Repeat("x", 600_000) + `"}`: 413,
		} {
			p.mail("id_7", body, status)
		}
		assert.Equal(t, count(s, "messages"), 2)
	})
}

// An opt-out by email takes effect although its Message-ID was used before, and
// although it contains characters that a database can't store.
func TestStopByEmail(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := newProvider(t, s, s.Test, ownNumber, twilioToken)
		path := leadWithConsent(s, map[string]any{"email": "ann@example.com"})
		p.mail("id_1", emailBody("ann@example.com", "Hello", "<1@mail.example>", ""), 204)
		s.Advance(time.Minute)
		p.mail("id_2", emailBody("ann@example.com", "Please unsubscribe me", "<1@mail.example>", ""), 204)
		assert.Equal(t, blockCode(t, s, path, "email", "transactional"), "consent_revoked")
		assert.Equal(t, blockCode(t, s, path, "sms", "transactional"), "")

		for i, body := range []string{`"text":"ST\u0000OP"`, `"text":"\ud800 STOP"`, `"text":"ＵＮＳＵＢＳＣＲＩＢＥ"`,
			"\"text\":\"STOP \xff\""} {
			from := fmt.Sprintf("ann%d@mail.example", i)
			p.mail("id_3", `{"from":"`+from+`",`+body+`}`, 204)
			path := "/v1/leads/" + s.Test.Lead(map[string]any{"contact_id": s.Test.Contact(map[string]any{"email": from})})
			assert.Equal(t, blockCode(t, s, path, "email", "transactional"), "consent_revoked", body)
		}

		// A long email is stored in part, and read completely.
		p.mail("id_5", emailBody("lee@example.com", strings.Repeat("x ", 60_000)+"please remove me from your list", "<5@mail.example>", ""), 204)
		assert.Equal(t, count(s, "messages WHERE channel = 'email' AND direction = 'inbound'"), 2)
		later := "/v1/leads/" + s.Test.Lead(map[string]any{"contact_id": s.Test.Contact(map[string]any{"email": "lee@example.com"})})
		assert.Equal(t, blockCode(t, s, later, "email", "transactional"), "consent_revoked")
	})
}
