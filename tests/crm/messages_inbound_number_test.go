package crm

import (
	"testing"

	"slipway/internal/messages"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// A message finds its lead by the number of its sender, and is recorded once.
func TestMessageFindsItsLead(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		contact := s.Test.Contact(map[string]any{"phone": "+14105550177"})
		lead := s.Test.Lead(map[string]any{"contact_id": contact, "contact": nil})
		send := func(from, body, id string) (m messages.InboundMessage) {
			s.Test.Post("/v2-preview/inbound_messages", map[string]any{
				"channel": "sms", "from": from, "to": "(410) 555-0142", "body": body, "provider_message_id": id,
			}, 200, &m)
			return m
		}

		m := send("410-555-0177", "Is it still available?", "SM1")
		assert.Equal(t, *m.LeadID, lead)
		assert.Equal(t, m.CreatedLead, false)
		again := send("410-555-0177", "Is it still available?", "SM1")
		assert.Equal(t, again.Repeated, true)
		assert.Equal(t, again.MessageID, nil)

		unknown := send("+14105550188", "Do you have pontoons?", "SM2")
		assert.Equal(t, unknown.CreatedLead, true)
		stop := send("+14105550199", "STOP", "SM3")
		assert.Equal(t, string(stop.Intent), "stop")
		assert.Equal(t, stop.LeadID, nil, "an opt-out needs no lead")

		s.Test.Post("/v2-preview/inbound_messages", `{"channel": "sms", "from": "nobody", "body": "Hi", "provider_message_id": "SM4"}`, 422, nil).
			WantDetail(t, "from", "format")
	})
}
