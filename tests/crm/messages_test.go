package crm

import (
	"context"
	"errors"
	"slipway/internal/platform/jobs"
	"strings"
	"sync"
	"testing"
	"time"

	"slipway/internal/messages"
	"slipway/internal/platform/sms"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// A marketing text message at night waits for the recipient's morning, also when
// the clocks change. If it expires before that, it is not sent.
func TestQuietHoursHold(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		net := &textProvider{}
		w := newWorker(t, s, nil, net)
		york := leadWithConsent(s, map[string]any{"phone": "+14105550123"})                                // by its area code
		london := leadWithConsent(s, map[string]any{"phone": "+14105550124", "timezone": "Europe/London"}) // by the contact's time zone
		text := `{"channel":"sms","purpose":"marketing","body":"New price!"}`

		for _, c := range []struct{ path, now, want string }{
			{york, "2027-03-14T02:30:00Z", "2027-03-14T12:00:00Z"},   // 21:30 EST, 8:00 EDT
			{london, "2027-03-27T21:30:00Z", "2027-03-28T07:00:00Z"}, // 21:30 GMT, 8:00 BST
			{london, "2027-10-30T20:30:00Z", "2027-10-31T08:00:00Z"},
			{york, "2027-11-07T01:30:00Z", "2027-11-07T13:00:00Z"},
		} {
			at, err := time.Parse(time.RFC3339, c.now)
			if err != nil {
				t.Fatal(err)
			}

			setClock(t, s, at)
			var m messages.LeadMessage
			s.Test.Post(c.path+"/messages", text, 202, &m)
			assert.Equal(t, m.Status, messages.Scheduled, "at", c.now)
			assert.Equal(t, m.ScheduledFor.Format(time.RFC3339), c.want, "at", c.now)
			assert.Equal(t, strings.HasSuffix(*m.Body, "Reply STOP to opt out."), true, "at", c.now)
			assert.Equal(t, *m.Segments, 1, "at", c.now)

			sent := len(net.messages())
			assert.NoError(t, w.sendAll(t), "sent at night")
			assert.Len(t, net.messages(), sent, "sent at night")
			setClock(t, s, m.ScheduledFor.Add(time.Second))
			assert.NoError(t, w.sendAll(t), "not sent in the morning")
			assert.Len(t, net.messages(), sent+1, "not sent in the morning")
			if m := messagesOf(s, c.path)[0]; m.Status != messages.Sent || m.SentAt == nil || *m.Provider != "network" ||
				*m.ProviderMessageID != "net-"+m.ID {
				t.Errorf(`got %s; want m.Status = messages.Sent, m.SentAt != nil, m.Provider = "network", m.ProviderMessageID = %q`,
					assert.Show(m), "net-"+m.ID)
			}
		}

		// At night again.
		at, err := time.Parse(time.RFC3339, "2027-12-01T02:30:00Z")
		if err != nil {
			t.Fatal(err)
		}

		setClock(t, s, at)
		s.Test.Post(york+"/messages", `{"channel":"sms","purpose":"marketing","body":"a","send_at":"2027-12-02T03:00:00Z"}`, 422, nil).
			WantDetail(t, "send_at", "quiet_hours")
		var m messages.LeadMessage
		s.Test.Post(york+"/messages", `{"channel":"sms","purpose":"marketing","body":"a","send_at":"2027-12-02T17:00:00Z"}`, 202, &m)
		assert.Equal(t, m.Status, messages.Scheduled)
		assert.Equal(t, m.ScheduledFor.Format(time.RFC3339), "2027-12-02T17:00:00Z")
		s.Test.Post(york+"/messages", `{"channel":"sms","purpose":"transactional","body":"She is ready."}`, 202, &m)
		assert.Equal(t, m.Status, messages.Queued, "transactional")
		if err := w.sendAll(t); err != nil {
			t.Fatal(err)
		}

		// Held until the morning, but it expires before that.
		s.Test.Post(york+"/messages", `{"channel":"sms","purpose":"marketing","body":"Tonight only","expires_at":"2027-12-01T04:00:00Z"}`,
			202, nil)
		// Due in the morning; the service was down for two days.
		s.Test.Post(york+"/messages", text, 202, nil)
		sent := len(net.messages())
		s.Advance(72 * time.Hour)
		assert.NoError(t, w.sendAll(t), "expired text messages were sent")
		assert.Len(t, net.messages(), sent, "expired text messages were sent")
		for _, m := range messagesOf(s, york)[:2] {
			if m.Status != messages.Failed || *m.ErrorCode != "expired" || m.FailedAt == nil {
				t.Errorf(`got %s; want m.Status = messages.Failed, m.ErrorCode = "expired", m.FailedAt != nil`, assert.Show(m))
			}
		}
	})
}

// A message that becomes due during the recipient's night is held again.
func TestHeldWhenDue(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		net := &textProvider{}
		w := newWorker(t, s, nil, net)
		path := leadWithConsent(s, map[string]any{"phone": "+14105550123"})
		setClock(t, s, time.Date(2027, 6, 1, 23, 0, 0, 0, time.UTC)) // 19:00
		s.Test.Post(path+"/messages", `{"channel":"sms","purpose":"marketing","body":"a"}`, 202, nil)
		s.Advance(3 * time.Hour) // the worker runs at 22:00
		assert.NoError(t, w.sendAll(t))
		assert.Len(t, net.messages(), 0)
		m := messagesOf(s, path)[0]
		assert.Equal(t, m.Status, messages.Scheduled)
		assert.Equal(t, m.ScheduledFor.Format(time.RFC3339), "2027-06-02T12:00:00Z")
		s.Advance(10 * time.Hour)
		assert.NoError(t, w.sendAll(t))
		assert.Len(t, net.messages(), 1)
	})
}

// A temporary failure is retried with the same token. A sent message is not sent
// again. A message that the provider rejects has failed.
func TestSendingFails(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		net := &textProvider{next: []error{errors.New("line busy for +14105550123")}}
		w := newWorker(t, s, nil, net)
		path := leadWithConsent(s, map[string]any{"phone": "+14105550123"})
		text := `{"channel":"sms","purpose":"transactional","body":"She is ready."}`
		var m messages.LeadMessage
		s.Test.Post(path+"/messages", text, 202, &m)
		if err := w.sendAll(t); err == nil || strings.Contains(err.Error(), "410555") {
			t.Errorf(`the queue got %v; want an error, err.Error() not to contain "410555"`, err)
		}
		if m := messagesOf(s, path)[0]; m.Status != messages.Queued || *m.ErrorCode != "temporary" || m.Attempts != 1 {
			t.Errorf(`got %s; want m.Status = messages.Queued, m.ErrorCode = "temporary", m.Attempts = 1`, assert.Show(m))
		}

		job := messages.SendMessage{Env: w.env, MessageID: m.ID}
		for range 3 {
			if err := jobs.Run(t.Context(), w.SendMessage, job); err != nil {
				t.Error(err)
			}
		}

		sent := net.messages()
		assert.Len(t, sent, 1)
		assert.Equal(t, sent[0].Token, m.ID)
		if m := messagesOf(s, path)[0]; m.Status != messages.Sent || m.Attempts != 2 || m.ErrorCode != nil {
			t.Errorf("got %s; want m.Status = messages.Sent, m.Attempts = 2, m.ErrorCode = nil", assert.Show(m))
		}

		net.next = []error{&sms.Rejected{Code: "21211", Text: "invalid number"}}
		s.Test.Post(path+"/messages", text, 202, nil)
		if err := w.sendAll(t); err != nil {
			t.Error(err)
		}
		if m := messagesOf(s, path)[0]; m.Status != messages.Failed || *m.ErrorCode != "21211" {
			t.Errorf(`got %s; want m.Status = messages.Failed, m.ErrorCode = "21211"`, assert.Show(m))
		}

		// The carrier knows about a STOP that was not received here.
		net.next = []error{&sms.Rejected{Code: "21610", Text: "unsubscribed"}}
		s.Test.Post(path+"/messages", text, 202, nil)
		if err := w.sendAll(t); err != nil {
			t.Error(err)
		}
		if m := messagesOf(s, path)[0]; m.Status != messages.Blocked || *m.BlockReason != "provider_blocked" {
			t.Errorf(`got %s; want m.Status = messages.Blocked, m.BlockReason = "provider_blocked"`, assert.Show(m))
		}

		assert.Equal(t, blockCode(t, s, path, "sms", "transactional"), "consent_revoked", "the carrier's report")
		want := []string{
			"lead.created", "lead.consent_captured", "lead.updated", "lead.message_queued", "lead.message_sent", "lead.message_queued", "lead.message_failed",
			"lead.message_queued", "lead.message_failed", "lead.consent_revoked", "lead.message_blocked",
		}
		assert.Equal(t, s.EventTypes(m.LeadID), want)
	})
}

// The delivery status of a text message is requested from the provider later.
func TestTracking(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		net := &textProvider{}
		w := newWorker(t, s, nil, net)
		path := leadWithConsent(s, nil)
		send := func() messages.LeadMessage {
			t.Helper()
			var m messages.LeadMessage
			s.Test.Post(path+"/messages", `{"channel":"sms","purpose":"transactional","body":"She is ready."}`, 202, &m)
			job := messages.TrackMessage{Env: w.env, MessageID: m.ID}
			if err := jobs.Run(t.Context(), w.TrackMessage, job); err != nil { // not sent yet
				t.Fatal(err)
			}
			if err := w.sendAll(t); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := jobs.Run(t.Context(), w.TrackMessage, job); (err != nil) != (net.status != nil && net.status.Error() == "away") {
					t.Fatal(err)
				}
			}
			return messagesOf(s, path)[0]
		}

		if m := send(); m.Status != messages.Delivered || m.DeliveredAt == nil {
			t.Errorf("got %s; want m.Status = messages.Delivered, m.DeliveredAt != nil", assert.Show(m))
		}

		net.status = errors.New("away")
		assert.Equal(t, send().Status, messages.Sent)
		net.status = &sms.Rejected{Code: "30003", Text: "unreachable"}
		if m := send(); m.Status != messages.Failed || *m.ErrorCode != "30003" || m.SentAt == nil {
			t.Errorf(`got %s; want m.Status = messages.Failed, m.ErrorCode = "30003", m.SentAt != nil`, assert.Show(m))
		}

		net.status = &sms.Rejected{Code: "21610", Text: "unsubscribed"}
		m := send()
		assert.Equal(t, m.Status, messages.Blocked)
		assert.Equal(t, m.BlockReason, new("provider_blocked"))
		assert.Equal(t, blockCode(t, s, path, "sms", "transactional"), "consent_revoked")
	})
}

// Concurrent workers send a message once.
func TestSendOnce(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		net := &textProvider{}
		w := newWorker(t, s, nil, net)
		path := leadWithConsent(s, nil)
		var m messages.LeadMessage
		s.Test.Post(path+"/messages", `{"channel":"sms","purpose":"transactional","body":"She is ready."}`, 202, &m)
		var wg sync.WaitGroup
		for range 8 {
			// The others fail because it is being sent.
			wg.Go(func() { _ = jobs.Run(t.Context(), w.SendMessage, messages.SendMessage{Env: w.env, MessageID: m.ID}) })
		}
		wg.Wait()
		assert.NoError(t, jobs.Run(t.Context(), w.SendMessage, messages.SendMessage{Env: w.env, MessageID: m.ID}), "again")
		assert.Equal(t, len(net.messages()), 1, "sent", "times")
	})
}

// The job queue sends messages, to the outbox folder by default.
func TestQueueSends(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		if err := s.Jobs.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Jobs.Stop(context.WithoutCancel(t.Context())); err != nil {
				t.Error(err)
			}
		})

		path := leadWithConsent(s, map[string]any{"phone": "+14105550123"})
		s.Test.Post(path+"/messages", `{"channel":"sms","purpose":"transactional","body":"She is ready."}`, 202, nil)
		s.Test.Post(path+"/messages", `{"channel":"email","purpose":"transactional","subject":"Your boat","body":"She is ready."}`, 202, nil)
		isSent := func(m messages.LeadMessage) bool { return m.Status == messages.Sent && *m.Provider == "outbox" }
		assert.Eventually(t, "both messages to be sent", func() bool {
			all := messagesOf(s, path)
			return isSent(all[0]) && isSent(all[1])
		})

		texts := outbox(t, s)
		assert.Len(t, texts, 1)
		assert.Equal(t, texts[0]["to"], "+14105550123")
		assert.Equal(t, texts[0]["text"], "She is ready.")
	})
}

// A contact in California with a number of Florida is not texted at 5:30.
func TestQuietHoursOfACustomerWhoMoved(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		moved := leadWithConsent(s, map[string]any{"phone": "+13055550123", "address": map[string]any{"region": "CA", "postal_code": "92101"}})
		both := leadWithConsent(s, map[string]any{"phone": "+18505550123"}) // Florida's panhandle has two time zones
		early := time.Date(s.DB.Now().Year()+1, 5, 3, 12, 30, 0, 0, time.UTC)
		setClock(t, s, early)

		for path, want := range map[string]time.Time{moved: early.Add(150 * time.Minute), both: early.Add(30 * time.Minute)} {
			var m messages.LeadMessage
			s.Test.Post(path+"/messages", `{"channel":"sms","purpose":"marketing","body":"New price!"}`, 202, &m)
			assert.Equal(t, m.Status, messages.Scheduled)
			assert.Equal(t, m.ScheduledFor.UTC(), want)
		}
	})
}
