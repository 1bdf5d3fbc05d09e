package leads_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"slipway/internal/consent"
	"slipway/internal/leads"
	"slipway/internal/testkit"
)

// STOP on one lead counts for every lead with that number, at once; the
// confirmation goes out all the same, once.
func TestStopEverywhere(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		net := &phoneNetwork{}
		w := newWorker(t, s, nil, net)
		a := agreed(s, map[string]any{"phone": "+14105550123"})
		b := agreed(s, map[string]any{"phone": "410-555-0123"})
		if code := refused(t, s, b, "sms", "marketing"); code != "" {
			t.Fatal(code)
		}
		var m leads.LeadMessage
		s.Test.Post(a+"/inbound_messages", `{"channel":"sms","from":"(410) 555-0123","body":"Please stop texting me"}`, 201, &m)
		if m.Status != leads.Received || *m.Intent != "stop" || m.NeedsReview || *m.From != "+14105550123" {
			t.Errorf("%+v", m)
		}
		for _, path := range []string{a, b} {
			if code := refused(t, s, path, "sms", "marketing"); code != "consent_revoked" {
				t.Errorf("%s: %s", path, code)
			}
			if code := refused(t, s, path, "sms", "transactional"); code != "consent_revoked" {
				t.Errorf("%s: %s", path, code)
			}
		}
		s.Test.Post(b+"/inbound_messages", `{"channel":"sms","from":"+14105550123","body":"STOP"}`, 201, nil)
		if err := w.sendAll(t); err != nil {
			t.Fatal(err)
		}
		took := net.taken()
		if len(took) != 1 || took[0].To != "+14105550123" || !strings.Contains(took[0].Text, "Acme Marine: You are unsubscribed") || took[0].From != "+14105550100" {
			t.Errorf("%+v", took)
		}
		// What was queued before the STOP is not sent after it.
		for _, m := range messagesOf(s, b) {
			if m.Direction == "outbound" && (m.Status != leads.Blocked || *m.BlockReason != "consent_revoked") {
				t.Errorf("%+v", m)
			}
		}
		revocation := consentsOf(s, a)[0]
		if revocation.Direction != consent.Revoked || revocation.Scope != consent.All || *revocation.RawText != "Please stop texting me" || revocation.Evidence["message_id"] != m.ID {
			t.Errorf("%+v", revocation)
		}
		if n := len(consentsOf(s, b)); n != 1 {
			t.Errorf("%d records: the second STOP changed nothing", n)
		}
		// START agrees again, and the next STOP is confirmed again.
		s.Test.Post(a+"/inbound_messages", `{"channel":"sms","from":"+14105550123","body":"START"}`, 201, nil)
		if code := refused(t, s, b, "sms", "transactional"); code != "" {
			t.Error(code)
		}
		s.Test.Post(a+"/inbound_messages", `{"channel":"sms","from":"+14105550123","body":"end"}`, 201, nil)
		if err := w.sendAll(t); err != nil {
			t.Fatal(err)
		}
		if took := net.taken(); len(took) != 2 {
			t.Errorf("%d texts", len(took))
		}
		if code := refused(t, s, a, "email", "transactional"); code != "" {
			t.Errorf("a STOP by text ends email: %s", code)
		}
	})
}

// Two STOPs at once, by two leads: one revocation, one confirmation.
func TestStopsAtOnce(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var paths []string
		for range 6 {
			paths = append(paths, agreed(s, map[string]any{"phone": "+14105550123"}))
		}
		var wg sync.WaitGroup
		for i, path := range append(paths, paths...) {
			wg.Go(func() {
				res, err := s.Test.Send("POST", path+"/inbound_messages", fmt.Sprintf(`{"channel":"sms","from":"+14105550123","body":"STOP","provider_message_id":"SM%d"}`, i%6))
				if err != nil || res.StatusCode != 201 {
					t.Error(err, res)
				}
			})
		}
		wg.Wait()
		count := func(query string) int64 { return testkit.Rows[int64](s, query)[0] }
		if n := count(`SELECT COUNT(*) FROM consents WHERE direction = 'revoked'`); n != 1 {
			t.Errorf("%d revocations", n)
		}
		if n := count(`SELECT COUNT(*) FROM messages WHERE direction = 'outbound'`); n != 1 {
			t.Errorf("%d confirmations", n)
		}
		if n := count(`SELECT COUNT(*) FROM messages WHERE direction = 'inbound'`); n != 6 {
			t.Errorf("%d messages of 6, each told twice", n)
		}
	})
}

func TestInbound(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		net := &phoneNetwork{}
		w := newWorker(t, s, nil, net)
		path := agreed(s, map[string]any{"phone": "+14105550123"})
		say := func(text string) (m leads.LeadMessage) {
			t.Helper()
			s.Test.Post(path+"/inbound_messages", map[string]any{"channel": "sms", "from": "+14105550123", "body": text}, 201, &m)
			return m
		}
		var l leads.Lead
		if m := say("Is she still there?"); *m.Intent != "ordinary" || m.NeedsReview {
			t.Errorf("%+v", m)
		}
		// What may be an opt-out stops marketing until somebody has read it.
		if m := say("Who is this?"); !m.NeedsReview {
			t.Errorf("%+v", m)
		}
		if s.Test.Get(path, 200, &l); !l.NeedsReview {
			t.Errorf("%+v", l)
		}
		if code := refused(t, s, path, "sms", "marketing"); code != "needs_review" {
			t.Error(code)
		}
		if code := refused(t, s, path, "sms", "transactional"); code != "" {
			t.Error(code)
		}
		s.Test.Patch(path, `{"needs_review":true}`, 200, nil)
		s.Test.Patch(path, `{"needs_review":false}`, 200, nil)
		if code := refused(t, s, path, "sms", "marketing"); code != "" {
			t.Error(code)
		}
		if f := s.Test.Patch(path, `{"needs_review":true}`, 422, nil).Fault(t); !f.Blames("needs_review", "enum") {
			t.Errorf("%+v", f)
		}
		// HELP is answered, also to who agreed to nothing.
		stranger := "/v1/leads/" + s.Test.Lead(nil)
		s.Test.Post(stranger+"/inbound_messages", `{"channel":"sms","from":"+12125550199","body":"help"}`, 201, nil)
		// YES agrees only where it was asked for.
		s.Test.Post(stranger+"/inbound_messages", `{"channel":"sms","from":"+12125550199","body":"Yes"}`, 201, nil)
		if n := len(consentsOf(s, stranger)); n != 0 {
			t.Errorf("%d consents by a yes to nothing", n)
		}
		s.Test.Post(path+"/messages", `{"channel":"sms","purpose":"transactional","body":"Want news of boats? Reply YES."}`, 202, nil)
		if err := w.sendAll(t); err != nil {
			t.Fatal(err)
		}
		before := len(consentsOf(s, path))
		if m := say("yes!"); *m.Intent != "start" || len(consentsOf(s, path)) != before+1 {
			t.Errorf("%+v", m)
		}
		var answered bool
		for _, m := range net.taken() {
			answered = answered || m.To == "+12125550199" && strings.Contains(m.Text, "Acme Marine") && strings.Contains(m.Text, "Reply STOP")
		}
		if !answered {
			t.Errorf("no answer to HELP in %+v", net.taken())
		}
		// A repeat of the provider is the same message.
		var first, second leads.LeadMessage
		body := `{"channel":"sms","from":"+14105550123","body":"Hello","provider_message_id":"SM1","received_at":"2026-11-01T10:00:00Z"}`
		s.Test.Post(path+"/inbound_messages", body, 201, &first)
		if s.Test.Post(path+"/inbound_messages", body, 201, &second); first.ID != second.ID {
			t.Errorf("%s and %s", first.ID, second.ID)
		}
		for body, field := range map[string]string{
			`{"channel":"sms","from":"ann@example.com","body":"a"}`:                                   "from",
			`{"channel":"email","from":"+14105550123","body":"a"}`:                                    "from",
			`{"channel":"sms","from":"+14105550123","body":"a","received_at":"2199-01-01T00:00:00Z"}`: "received_at",
			`{"channel":"voice","from":"+14105550123","body":"a"}`:                                    "channel",
		} {
			if f := s.Test.Post(path+"/inbound_messages", body, 422, nil).Fault(t); f.Details[0].Field != field {
				t.Errorf("%s: %+v", body, f.Details)
			}
		}
	})
}
