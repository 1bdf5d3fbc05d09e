package crm

import (
	"fmt"
	"testing"
	"time"

	"slipway/internal/leads"
	"slipway/internal/messages"
	"slipway/internal/platform/events"
	"slipway/internal/platform/jobs"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

func quarantineOf(s *testkit.Server) []messages.QuarantinedMessage {
	var p page.Page[messages.QuarantinedMessage]
	s.Test.Get("/v2-preview/quarantined_messages?limit=100", 200, &p)
	return p.Data
}

// flood sends an email of each of several new senders.
func flood(p *provider, name string, n int) {
	for i := range n {
		p.mail(fmt.Sprint(name, i), emailBody(fmt.Sprintf("Bot <%s%d@flood.example>", name, i), "Hello", fmt.Sprintf("<%s%d@flood.example>", name, i), ""), 204)
	}
}

// More new senders than the limit go to the quarantine, with one event. Opt-outs and people who
// are known are not affected. A released message creates a lead as usual.
func TestQuarantine(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		p := newProvider(t, s, s.Test, ownNumber, twilioToken)
		s.Test.Patch("/v1/dealership", `{"settings":{"inbound":{"new_senders_per_hour":3}}}`, 200, nil)
		s.Test.Patch("/v1/dealership", `{"settings":{"inbound":{"new_senders_per_hour":0}}}`, 422, nil)
		defer s.RunRelay()()
		started := func() []events.Event {
			s.WaitForRelay()
			var p page.Page[events.Event]
			s.Test.Get("/v1/events?type=quarantine.started", 200, &p)
			return p.Data
		}
		known := leadWithConsent(s, map[string]any{"email": "ann@example.com"})
		flood(p, "a", 8)
		assert.Equal(t, count(s, "leads WHERE source = 'email'"), 3)
		waiting := quarantineOf(s)
		assert.Len(t, waiting, 5)
		assert.Equal(t, waiting[0].From, "a7@flood.example")
		assert.Equal(t, waiting[0].Name, "Bot")
		assert.Equal(t, waiting[0].SenderVerified, new(false))
		assert.Equal(t, len(started()), 1)

		// All messages of a sender wait together, in the next hour too.
		s.Advance(time.Hour)
		p.mail("again", emailBody("a7@flood.example", "Anyone there?", "<again@flood.example>", ""), 204)
		p.mail("again", emailBody("a7@flood.example", "Anyone there?", "<again@flood.example>", ""), 204)
		assert.Len(t, quarantineOf(s), 6)
		s.Advance(time.Hour)
		flood(p, "b", 4)
		assert.Len(t, quarantineOf(s), 7)
		assert.Equal(t, len(started()), 1)
		var r messages.InboundMessage
		s.Test.Post("/v2-preview/inbound_messages", `{"channel":"sms","from":"+14105550177","body":"Hi","provider_message_id":"x"}`, 200, &r)
		assert.Equal(t, r.Quarantined, true)
		assert.Equal(t, r.LeadID, nil)

		p.mail("ann", emailBody("ann@example.com", "Is she available?", "<ann@mail.example>", ""), 204)
		assert.Equal(t, *messagesOf(s, known)[0].Body, "Is she available?")
		p.mail("stop", emailBody("stop@flood.example", "STOP", "<stop@mail.example>", ""), 204)
		path := "/v1/leads/" + s.Test.Lead(map[string]any{"contact_id": s.Test.Contact(map[string]any{"email": "stop@flood.example"})})
		assert.Equal(t, blockCode(t, s, path, "email", "transactional"), "consent_revoked")

		// Both messages of the sender become one lead.
		at := "/v2-preview/quarantined_messages/"
		s.Test.Post(at+waiting[0].ID+"/release", nil, 200, &r)
		assert.Equal(t, r.CreatedLead, true)
		var l leads.Lead
		s.Test.Get("/v1/leads/"+*r.LeadID, 200, &l)
		assert.Equal(t, *l.Message, "Hello")
		assert.Equal(t, *messagesOf(s, "/v1/leads/"+l.ID)[0].ReceivedAt, waiting[0].ReceivedAt)
		s.Test.Post(at+waiting[0].ID+"/release", nil, 404, nil)
		for _, m := range quarantineOf(s) {
			if m.From == "a7@flood.example" {
				s.Test.Post(at+m.ID+"/release", nil, 200, &r)
				assert.Equal(t, *r.LeadID, l.ID)
				assert.Equal(t, r.CreatedLead, false)
			}
		}

		s.Other.Delete(at+waiting[1].ID, 404)
		s.Other.Post(at+waiting[1].ID+"/release", nil, 404, nil)
		s.Test.Delete(at+waiting[1].ID, 204)
		s.Test.Delete(at+waiting[1].ID, 404)
		assert.Equal(t, count(s, "audit_entries WHERE action = 'quarantined_message.deleted'"), 1)
	})
}

// Messages in quarantine are exported and erased with the contact who has the address, and
// deleted after 30 days.
func TestQuarantinedPersonalData(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		p := newProvider(t, s, s.Test, ownNumber, twilioToken)
		s.Test.Patch("/v1/dealership", `{"settings":{"inbound":{"new_senders_per_hour":1}}}`, 200, nil)
		flood(p, "a", 4)
		assert.Len(t, quarantineOf(s), 3)
		contact := s.Test.Contact(map[string]any{"email": "a1@flood.example"})
		var export struct {
			Waiting []messages.QuarantinedMessage `json:"quarantined_messages"`
		}
		s.Test.Get("/v1/contacts/"+contact+"/export", 200, &export)
		assert.Len(t, export.Waiting, 1)
		s.Test.Delete("/v1/contacts/"+contact, 204)
		assert.Len(t, quarantineOf(s), 2)
		assert.Equal(t, count(s, "quarantined_messages WHERE from_address = 'a1@flood.example'"), 0)

		w := newWorker(t, s, nil, nil)
		s.Advance(30*24*time.Hour - time.Minute)
		assert.NoError(t, jobs.Run(t.Context(), w.EmptyQuarantine, messages.EmptyQuarantine{}))
		assert.Len(t, quarantineOf(s), 2)
		s.Advance(2 * time.Minute)
		assert.NoError(t, jobs.Run(t.Context(), w.EmptyQuarantine, messages.EmptyQuarantine{}))
		assert.Equal(t, count(s, "quarantined_messages"), 0)
		assert.Equal(t, count(s, "new_senders"), 0)
	})
}
