package crm

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"slipway/internal/messages"
	"slipway/internal/platform/events"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/sms"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

const aText = `{"channel":"sms","purpose":"transactional","body":"She is ready."}`

// A provider that accepts messages and answers too late gets one copy.
func TestSlowProviderGetsOneCopy(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var copies atomic.Int64
		stop := make(chan struct{})
		provider := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_ = r.ParseForm()
			copies.Add(1)
			<-stop
		}))
		defer provider.Close()
		defer close(stop)
		twilio, err := sms.NewTwilio(provider.URL, "AC1", "secret")
		if err != nil {
			t.Fatal(err)
		}
		twilio.Client.Timeout = 200 * time.Millisecond
		w := newWorker(t, s, nil, twilio)
		path := leadWithConsent(s, nil)
		var m messages.LeadMessage
		s.Test.Post(path+"/messages", aText, 202, &m)
		for range 3 { // the queue tries again
			_ = jobs.Run(t.Context(), w.SendMessage, messages.SendMessage{Env: w.env, MessageID: m.ID})
			s.Advance(5 * time.Minute)
		}
		assert.Equal(t, copies.Load(), 1)
		m = messagesOf(s, path)[0]
		assert.Equal(t, m.Status, messages.Unknown)
		assert.Equal(t, m.ErrorCode, new("unanswered"))

		// A provider that can't be reached didn't get the message.
		provider.CloseClientConnections()
		twilio.URL = "http://127.0.0.1:1"
		s.Test.Post(path+"/messages", aText, 202, &m)
		if err := w.sendAll(t); err == nil {
			t.Error("got no error, want one, so that the queue tries again")
		}
		assert.Equal(t, messagesOf(s, path)[0].Status, messages.Queued)
	})
}

// A person decides about a message that might have been sent.
func TestResolveUnknownMessage(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		net := &textProvider{}
		w := newWorker(t, s, nil, net)
		path := leadWithConsent(s, nil)
		lose := func() (m messages.LeadMessage) {
			t.Helper()
			net.next = []error{&sms.Unanswered{Err: errors.New("timeout")}}
			s.Test.Post(path+"/messages", aText, 202, &m)
			if err := w.sendAll(t); err != nil {
				t.Fatal(err)
			}
			return messagesOf(s, path)[0]
		}
		resolve := func(m messages.LeadMessage, outcome string, want int) *testkit.Response {
			t.Helper()
			return s.Test.Post("/v2-preview/unknown_messages/"+m.ID+"/resolve", map[string]string{"outcome": outcome}, want, nil)
		}
		waiting := func() int {
			t.Helper()
			var p page.Page[messages.LeadMessage]
			s.Test.Get("/v2-preview/unknown_messages", 200, &p)
			return len(p.Data)
		}
		first := lose()
		assert.Equal(t, first.Status, messages.Unknown)
		assert.Equal(t, waiting(), 1)

		// Clients of the first version see a message that is not sent yet: failed could make them send another one.
		var old page.Page[messages.LeadMessage]
		s.Test.With("Service-Version", "2026-11-15").Get(path+"/messages", 200, &old)
		assert.Equal(t, old.Data[0].Status, messages.Queued)

		resolve(first, "sent", 200)
		m := messagesOf(s, path)[0]
		assert.Equal(t, m.Status, messages.Sent)
		assert.Equal(t, m.SentAt.UTC(), first.UpdatedAt.UTC())
		assert.Equal(t, m.ErrorCode, nil)
		resolve(first, "send_again", 409).WantDetail(t, "status", "state")

		resolve(lose(), "not_sent", 200)
		assert.Equal(t, messagesOf(s, path)[0].Status, messages.Failed)
		assert.Equal(t, len(net.messages()), 0)

		again := lose()
		resolve(again, "send_again", 200)
		assert.Equal(t, messagesOf(s, path)[0].Status, messages.Queued)
		if err := w.sendAll(t); err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, messagesOf(s, path)[0].Status, messages.Sent)
		assert.Equal(t, len(net.messages()), 1)
		assert.Equal(t, net.messages()[0].Token, again.ID)

		late := lose()
		s.Advance(25 * time.Hour)
		resolve(late, "send_again", 409).WantDetail(t, "expires_at", "state")
		assert.Equal(t, waiting(), 1)
		resolve(late, "later", 422)

		s.RunRelay()
		s.WaitForRelay()
		var list page.Page[events.Event]
		s.Test.Get("/v1/events?type=lead.message_unknown", 200, &list)
		assert.Len(t, list.Data, 4)

		// After the contact is erased, no one can find out.
		s.Test.Delete("/v1/contacts/"+late.ContactID, 204)
		assert.Equal(t, waiting(), 0)
	})
}

// A message that is sent again goes to the address that it might have reached, or nowhere.
func TestResendAfterAddressChange(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		net := &textProvider{next: []error{&sms.Unanswered{Err: errors.New("timeout")}}}
		w := newWorker(t, s, nil, net)
		path := leadWithConsent(s, nil)
		var m messages.LeadMessage
		s.Test.Post(path+"/messages", aText, 202, &m)
		if err := w.sendAll(t); err != nil {
			t.Fatal(err)
		}

		s.Test.Patch("/v1/contacts/"+m.ContactID, `{"phone": "+14105550177"}`, 200, nil)
		s.Test.Post(path+"/consents", `{"channels": ["sms"], "scope": "all"}`, 201, nil)
		s.Test.Post("/v2-preview/unknown_messages/"+m.ID+"/resolve", `{"outcome": "send_again"}`, 200, nil)
		if err := jobs.Run(t.Context(), w.SendMessage, testkit.LastJob[messages.SendMessage](s)); err != nil {
			t.Fatal(err)
		}
		m = messagesOf(s, path)[0]
		assert.Equal(t, m.Status, messages.Blocked)
		assert.Equal(t, m.BlockReason, new("recipient_changed"))
		assert.Len(t, net.messages(), 0)
	})
}

// A message that a killed server was sending isn't sent again: it might have been sent.
func TestMessageAfterKill(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		path := leadWithConsent(s, nil)
		var m messages.LeadMessage
		s.Test.Post(path+"/messages", aText, 202, &m)
		s.Exec(`UPDATE messages SET attempts = 1, lease_until = ?, lease_by = ? WHERE id = ?`, s.DB.Now().Add(time.Minute), testkit.KilledNode, m.ID)
		s.KillJobs("send_message")

		s.RunJobs()
		assert.Eventually(t, "unknown", func() bool { return messagesOf(s, path)[0].Status == messages.Unknown })
		assert.Equal(t, messagesOf(s, path)[0].ErrorCode, new("interrupted"))
		assert.Len(t, outbox(t, s), 0)
	})
}
