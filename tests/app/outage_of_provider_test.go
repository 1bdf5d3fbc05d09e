package app

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"slipway/internal/app"
	"slipway/internal/doctor"
	"slipway/internal/messages"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

// A provider of text messages that doesn't answer is left alone for a while. Users, doctor and
// the metrics see it, what can't be sent waits, and email doesn't wait with it.
func TestOutageOfAProvider(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var calls atomic.Int64
		down := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			calls.Add(1)
			w.WriteHeader(http.StatusServiceUnavailable)
		}))
		defer down.Close()
		node := s.NodeWith(func(set *app.Settings) {
			set.TwilioURL, set.TwilioAccountSID, set.TwilioAuthToken, set.TwilioFrom = down.URL, "AC1", "right", "+14105550100"
		})
		lead := "/v1/leads/" + s.Test.Lead(map[string]any{"contact_id": s.Test.Contact(nil)})
		s.Test.Post(lead+"/consents", `{"channels":["sms","email"],"scope":"all","basis":"express_written","consent_text":"I agree."}`, 201, nil)
		send := func(channel string) {
			s.Test.Post(lead+"/messages", map[string]any{"channel": channel, "purpose": "transactional", "subject": map[string]any{"email": "Ready"}[channel], "body": "She is ready."}, 202, nil)
		}
		const texts = 8
		for range texts {
			send("sms")
		}
		node.RunJobs()
		var m messages.Messaging
		assert.Eventually(t, "the outage is known", func() bool {
			s.Test.Get("/v2-preview/messaging", 200, &m)
			return m.SMS.FailingSince != nil
		})
		assert.Equal(t, m.Email, messages.MessagingChannel{})

		send("email")
		assert.Eventually(t, "the email was sent", func() bool {
			var p page.Page[messages.LeadMessage]
			s.Test.Get(lead+"/messages?limit=1", 200, &p)
			return p.Data[0].Status == messages.Sent
		})
		s.Test.Get("/v2-preview/messaging", 200, &m)
		assert.Equal(t, m.SMS.Waiting, texts)
		assert.Equal(t, calls.Load() <= 6, true, "three failures, and those that were underway")

		assert.Contains(t, scrape(t, node), `slipway_provider_outage_seconds{provider="twilio"} `)
		found := examine(t, healthy(t, node.Settings()), "providers")
		assert.Len(t, found, 1)
		assert.Equal(t, found[0].Status, doctor.Fail)
		assert.Contains(t, found[0].Detail, "twilio hasn't answered since")
	})
}
