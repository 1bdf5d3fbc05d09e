package crm

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"slipway/internal/consent"
	"slipway/internal/leads"
	"slipway/internal/messages"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// STOP on one lead immediately applies to each lead with that number. One
// confirmation is sent.
func TestStopEverywhere(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		net := &textProvider{}
		w := newWorker(t, s, nil, net)
		a := leadWithConsent(s, map[string]any{"phone": "+14105550123"})
		b := leadWithConsent(s, map[string]any{"phone": "410-555-0123"})
		if code := blockCode(t, s, b, "sms", "marketing"); code != "" {
			t.Fatalf(`got %q, want ""`, code)
		}

		var m messages.LeadMessage
		s.Test.Post(a+"/inbound_messages", `{"channel":"sms","from":"(410) 555-0123","body":"Please stop texting me"}`, 201, &m)
		assert.Equal(t, m.Status, messages.Received)
		assert.Equal(t, *m.Intent, "stop")
		assert.Equal(t, m.NeedsReview, false)
		assert.Equal(t, m.From, new("+14105550123"))
		for _, path := range []string{a, b} {
			assert.Equal(t, blockCode(t, s, path, "sms", "marketing"), "consent_revoked", path)
			assert.Equal(t, blockCode(t, s, path, "sms", "transactional"), "consent_revoked", path)
		}
		s.Test.Post(b+"/inbound_messages", `{"channel":"sms","from":"+14105550123","body":"STOP"}`, 201, nil)
		if err := w.sendAll(t); err != nil {
			t.Fatal(err)
		}

		sent := net.messages()
		assert.Len(t, sent, 1)
		assert.Equal(t, sent[0].To, "+14105550123")
		assert.Contains(t, sent[0].Text, "Acme Marine: You are unsubscribed")
		assert.Equal(t, sent[0].From, "+14105550100")

		// A message queued before the STOP is not sent after it.
		for _, m := range messagesOf(s, b) {
			if m.Direction == "outbound" && (m.Status != messages.Blocked || *m.BlockReason != "consent_revoked") {
				t.Errorf("got %s, want it blocked for consent_revoked", assert.Show(m))
			}
		}

		revocation := consentsOf(s, a)[0]
		assert.Equal(t, revocation.Direction, consent.Revoked)
		assert.Equal(t, revocation.Scope, consent.All)
		assert.Equal(t, revocation.RawText, new("Please stop texting me"))
		assert.Equal[any](t, revocation.Evidence["message_id"], m.ID)
		assert.Equal(t, len(consentsOf(s, b)), 1, "records after a second STOP")

		// START grants consent again, and the next STOP is confirmed again.
		s.Test.Post(a+"/inbound_messages", `{"channel":"sms","from":"+14105550123","body":"START"}`, 201, nil)
		assert.Equal(t, blockCode(t, s, b, "sms", "transactional"), "")
		s.Test.Post(a+"/inbound_messages", `{"channel":"sms","from":"+14105550123","body":"end"}`, 201, nil)
		if err := w.sendAll(t); err != nil {
			t.Fatal(err)
		}

		assert.Len(t, net.messages(), 2)
		assert.Equal(t, blockCode(t, s, a, "email", "transactional"), "", "email after a STOP by text message")
	})
}

// Concurrent STOPs of several leads: one revocation, one confirmation.
func TestConcurrentStops(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var paths []string
		for range 6 {
			paths = append(paths, leadWithConsent(s, map[string]any{"phone": "+14105550123"}))
		}

		var wg sync.WaitGroup
		for i, path := range append(paths, paths...) {
			wg.Go(func() {
				res, err := s.Test.Send("POST", path+"/inbound_messages",
					fmt.Sprintf(`{"channel":"sms","from":"+14105550123","body":"STOP","provider_message_id":"SM%d"}`, i%6))
				if err != nil || res.StatusCode != 201 {
					t.Errorf("got %v %s; want status 201", err, assert.Show(res))
				}
			})
		}
		wg.Wait()

		count := func(query string) int64 { return testkit.Rows[int64](s, query)[0] }
		assert.Equal(t, count(`SELECT COUNT(*) FROM consents WHERE direction = 'revoked'`), 1)
		assert.Equal(t, count(`SELECT COUNT(*) FROM messages WHERE direction = 'outbound'`), 1)
		assert.Equal(t, count(`SELECT COUNT(*) FROM messages WHERE direction = 'inbound'`), 6, "messages, each received twice")
	})
}

func TestInbound(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		net := &textProvider{}
		w := newWorker(t, s, nil, net)
		path := leadWithConsent(s, map[string]any{"phone": "+14105550123"})
		say := func(text string) (m messages.LeadMessage) {
			t.Helper()
			s.Test.Post(path+"/inbound_messages", map[string]any{"channel": "sms", "from": "+14105550123", "body": text}, 201, &m)
			return m
		}
		var l leads.Lead
		m := say("Is she still there?")
		assert.Equal(t, *m.Intent, "ordinary")
		assert.Equal(t, m.NeedsReview, false)

		// A message that might be an opt-out blocks marketing until a user has read it.
		assert.Equal(t, say("Who is this?").NeedsReview, true)
		s.Test.Get(path, 200, &l)
		assert.Equal(t, l.NeedsReview, true)
		assert.Equal(t, blockCode(t, s, path, "sms", "marketing"), "needs_review")
		assert.Equal(t, blockCode(t, s, path, "sms", "transactional"), "")
		s.Test.Patch(path, `{"needs_review":true}`, 200, nil)
		s.Test.Patch(path, `{"needs_review":false}`, 200, nil)
		assert.Equal(t, blockCode(t, s, path, "sms", "marketing"), "")
		s.Test.Patch(path, `{"needs_review":true}`, 422, nil).WantDetail(t, "needs_review", "enum")

		// HELP gets a reply, even without consent.
		other := "/v1/leads/" + s.Test.Lead(map[string]any{"contact_id": s.Test.Contact(map[string]any{"phone": "+12125550199"})})
		s.Test.Post(other+"/inbound_messages", `{"channel":"sms","from":"+12125550199","body":"help"}`, 201, nil)
		// YES only grants consent if the last message asked for it.
		s.Test.Post(other+"/inbound_messages", `{"channel":"sms","from":"+12125550199","body":"Yes"}`, 201, nil)
		assert.Equal(t, consentsOf(s, other)[0].Basis, new(consent.ImpliedInquiry), "the record after an unsolicited YES")
		s.Test.Post(path+"/messages", `{"channel":"sms","purpose":"transactional","body":"Want news of boats? Reply YES."}`, 202, nil)
		if err := w.sendAll(t); err != nil {
			t.Fatal(err)
		}

		before := len(consentsOf(s, path))
		m = say("yes!")
		assert.Equal(t, *m.Intent, "start")
		records := consentsOf(s, path)
		assert.Len(t, records, before+1)
		assert.Equal(t, records[0].ConsentText, new("Want news of boats? Reply YES."))

		var answered bool
		for _, m := range net.messages() {
			answered = answered || m.To == "+12125550199" && strings.Contains(m.Text, "Acme Marine") && strings.Contains(m.Text, "Reply STOP")
		}
		assert.Equal(t, answered, true, "reply to HELP in")

		// A repeated request of the provider is the same message.
		var first, second messages.LeadMessage
		body := `{"channel":"sms","from":"+14105550123","body":"Hello","provider_message_id":"SM1","received_at":"2026-11-01T10:00:00Z"}`
		s.Test.Post(path+"/inbound_messages", body, 201, &first)
		s.Test.Post(path+"/inbound_messages", body, 201, &second)
		assert.Equal(t, first.ID, second.ID)

		for body, field := range map[string]string{
			`{"channel":"sms","from":"ann@example.com","body":"a"}`:                                   "from",
			`{"channel":"email","from":"+14105550123","body":"a"}`:                                    "from",
			`{"channel":"sms","from":"+14105550123","body":"a","received_at":"2199-01-01T00:00:00Z"}`: "received_at",
			`{"channel":"voice","from":"+14105550123","body":"a"}`:                                    "channel",
		} {
			assert.Equal(t, s.Test.Post(path+"/inbound_messages", body, 422, nil).Fault(t).Details[0].Field, field, body)
		}
	})
}

// A STOP is sent with the provider_message_id of an earlier message, so that it
// looks like a repeat: of another sender, of another lead, and of the same
// sender and lead.
func TestStopHiddenByAReusedProviderMessageID(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		receive := func(path, from, text string) (m messages.LeadMessage) {
			t.Helper()
			s.Test.Post(path+"/inbound_messages",
				map[string]any{"channel": "sms", "from": from, "body": text, "provider_message_id": "SM1"}, 201, &m)
			return m
		}
		a := leadWithConsent(s, map[string]any{"phone": "+14105550123"})
		b := leadWithConsent(s, map[string]any{"phone": "+14105550124"})
		first := receive(a, "+14105550123", "Hello")
		assert.Equal(t, receive(a, "+14105550123", "Hello").ID, first.ID, "a repeat")

		other := receive(a, "+14105550199", "Hello")
		assert.Equal(t, other.ID == first.ID, false, "another sender is the same message")
		assert.Equal(t, receive(b, "+14105550124", "STOP").LeadID == first.LeadID, false, "another lead is the same message")
		assert.Equal(t, blockCode(t, s, b, "sms", "transactional"), "consent_revoked", "another lead")

		stop := receive(a, "+14105550123", "STOP")
		assert.Equal(t, *stop.Intent, "stop")
		assert.Equal(t, blockCode(t, s, a, "sms", "transactional"), "consent_revoked", "the same sender and lead")
		receive(a, "+14105550123", "stop")
		assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM consents WHERE direction = 'revoked'`)[0], 2, "revocations")

		// After START, the next STOP counts again.
		s.Test.Post(a+"/inbound_messages", `{"channel":"sms","from":"+14105550123","body":"START"}`, 201, nil)
		assert.Equal(t, blockCode(t, s, a, "sms", "transactional"), "")
		receive(a, "+14105550123", "STOP")
		assert.Equal(t, blockCode(t, s, a, "sms", "transactional"), "consent_revoked", "after START")
	})
}

// HELP with forged senders tries to make the dealership send text messages to
// numbers that it never had contact with, and many to the same number.
func TestHelpFromForgedSenders(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		net := &textProvider{}
		w := newWorker(t, s, nil, net)
		path := leadWithConsent(s, map[string]any{"phone": "+14105550123"})
		sent := func() int {
			t.Helper()
			if err := w.sendAll(t); err != nil {
				t.Fatal(err)
			}
			return len(net.messages())
		}
		ask := func(from, text string) {
			t.Helper()
			s.Test.Post(path+"/inbound_messages", map[string]any{"channel": "sms", "from": from, "body": text}, 201, nil)
		}

		for _, stranger := range []string{"+12125550101", "+12125550102", "+12125550103"} {
			ask(stranger, "HELP")
		}
		assert.Equal(t, sent(), 0, "replies to numbers without contact")

		for range 5 {
			ask("+14105550123", "HELP")
			ask("+14105550123", "INFO")
		}
		assert.Equal(t, sent(), 1, "replies to the contact")
		ask("+14105550123", "STOP")
		assert.Equal(t, sent(), 2, "with the confirmation")
		s.Advance(24 * time.Hour)
		ask("+14105550123", "HELP")
		assert.Equal(t, sent(), 3, "a day later")

		// The dealership sent a message to a number that the contact had before.
		s.Test.Post(path+"/inbound_messages", `{"channel":"sms","from":"+14105550123","body":"START"}`, 201, nil)
		var l leads.Lead
		s.Test.Get(path, 200, &l)
		s.Test.Post(path+"/messages", `{"channel":"sms","purpose":"transactional","body":"She is ready."}`, 202, nil)
		assert.Equal(t, sent(), 4)
		s.Test.Patch("/v1/contacts/"+l.ContactID, `{"phone": "+14105550199"}`, 200, nil)
		s.Advance(25 * time.Hour)
		ask("+14105550123", "HELP")
		assert.Equal(t, sent(), 5, "an earlier number of the contact")
	})
}
