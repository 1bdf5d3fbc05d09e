package leads_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/http"
	netmail "net/mail"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"slipway/internal/consent"
	"slipway/internal/leads"
	"slipway/internal/sms"
	"slipway/internal/testkit"
)

// Every refusal of the ledger, by its code, and the attempt kept.
func TestConsentDecides(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		path := "/v1/leads/" + s.Test.Lead(nil)
		bare := "/v1/leads/" + s.Test.Lead(map[string]any{"contact_id": s.Test.Contact(map[string]any{"phone": nil})})
		expect := func(step, path, channel, purpose, want string) {
			t.Helper()
			if got := refused(t, s, path, channel, purpose); got != want {
				t.Errorf("%s: %q, want %q", step, got, want)
			}
		}
		expect("no phone", bare, "sms", "transactional", "recipient_invalid")
		expect("nothing said", path, "sms", "marketing", "consent_missing")
		expect("nothing said", path, "email", "transactional", "consent_missing")
		var c, r consent.Consent
		s.Test.Post(path+"/consents", `{"channels":["sms"],"scope":"transactional","basis":"express_oral"}`, 201, &c)
		expect("of another scope", path, "sms", "marketing", "consent_scope")
		expect("of this scope", path, "sms", "transactional", "")
		expect("of another channel", path, "email", "transactional", "consent_missing")
		s.Test.Post(path+"/consents", `{"channels":["sms"],"scope":"marketing","basis":"implied_inquiry"}`, 201, nil)
		expect("implied", path, "sms", "marketing", "")
		s.Advance(184 * 24 * time.Hour)
		expect("implied, half a year ago", path, "sms", "marketing", "consent_expired")
		expect("but what was express holds", path, "sms", "transactional", "")
		s.Test.Post(path+"/consents/"+c.ID+"/revoke", `{"reason":"said so","source":"phone"}`, 200, &r)
		if r.Direction != consent.Revoked || *r.RevokesID != c.ID || r.Scope != c.Scope || *r.Address != *c.Address || *r.Reason != "said so" {
			t.Errorf("%+v", r)
		}
		expect("revoked", path, "sms", "transactional", "consent_revoked")
		s.Test.Post(path+"/consents/"+c.ID+"/revoke", nil, 409, nil)
		s.Test.Post(path+"/consents/"+r.ID+"/revoke", nil, 409, nil)
		s.Test.Post(bare+"/consents/"+c.ID+"/revoke", nil, 404, nil)
		if m := messagesOf(s, path)[0]; *m.ConsentID != r.ID {
			t.Errorf("blocked by %s, not %s", *m.ConsentID, r.ID)
		}
		old := s.DB.Now().Add(-48 * time.Hour).UTC().Format(time.RFC3339)
		s.Test.Post(path+"/consents", `{"channels":["sms"],"scope":"all","captured_at":"`+old+`"}`, 201, nil)
		expect("an old consent that comes late", path, "sms", "transactional", "consent_revoked")
		s.Test.Post(path+"/consents", `{"channels":["sms"],"scope":"all"}`, 201, nil)
		expect("agreed again", path, "sms", "transactional", "")
		s.Test.Post(path+"/consents", `{"channels":["sms"],"scope":"all","direction":"revoked","source":"showroom"}`, 201, nil)
		expect("revoked by a record", path, "sms", "marketing", "consent_revoked")

		// No marketing email without the dealership's address under it.
		agreeing := agreed(s, nil)
		expect("no postal address", agreeing, "email", "marketing", "missing_postal_address")
		expect("which only marketing needs", agreeing, "email", "transactional", "")
		s.Test.Patch("/v1/dealership", `{"postal_address":{"line1":"12 Dock Street","city":"Annapolis","country":"US"}}`, 200, nil)
		expect("with one", agreeing, "email", "marketing", "")
		for _, event := range told(s, strings.TrimPrefix(path, "/v1/leads/")) {
			if !slices.Contains([]string{"lead.created", "lead.consent_captured", "lead.consent_revoked", "lead.message_queued"}, event) {
				t.Errorf("an event %s", event)
			}
		}
	})
}

func TestConsentRecords(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		contact := s.Test.Contact(map[string]any{"email": "ann@example.com", "phone": "+14105550123"})
		path := "/v1/leads/" + s.Test.Lead(map[string]any{"contact_id": contact})
		var c consent.Consent
		res := s.Test.Post(path+"/consents", `{"channels":["sms","voice","email"],"scope":"all","basis":"express_written","consent_text":"I agree.","consent_text_version":"3",
			"source":"web_form","source_url":"https://boats.example.com/contact","method":"checkbox","ip":"203.0.113.7","user_agent":"Firefox","evidence":{"sha256":"ab","n":[1]}}`, 201, &c)
		if *c.Address != "+14105550123" || len(c.Bindings) != 3 || c.Bindings[2].Address != "ann@example.com" || *c.PersonName != "Ann Bell" || c.Evidence["sha256"] != "ab" || c.CapturedBy == nil || c.ExpiresAt != nil {
			t.Errorf("%s", res.Bytes)
		}
		if all := consentsOf(s, path); len(all) != 1 || all[0].ID != c.ID {
			t.Errorf("%+v", all)
		}
		var list struct{ Data []consent.Consent }
		if s.Test.Get("/v1/contacts/"+contact+"/consents", 200, &list); len(list.Data) != 1 {
			t.Errorf("%+v", list)
		}
		// Somebody may agree for another number than the one we know.
		s.Test.Post(path+"/consents", `{"channels":["sms","email"],"scope":"all","address":"(212) 555-0199"}`, 201, &c)
		if c.Bindings[0].Address != "+12125550199" || c.Bindings[1].Address != "ann@example.com" {
			t.Errorf("%+v", c.Bindings)
		}
		for body, field := range map[string]string{
			`{"channels":["sms"],"scope":"all","captured_at":"2199-01-01T00:00:00Z"}`:                                "captured_at",
			`{"channels":["sms"],"scope":"all","address":"12"}`:                                                      "address",
			`{"channels":["fax"],"scope":"all"}`:                                                                     "channels[0]",
			`{"channels":["sms","sms"],"scope":"all"}`:                                                               "channels",
			`{"channels":["sms"],"scope":"everything"}`:                                                              "scope",
			`{"channels":["sms"],"scope":"all","direction":"revoked","revokes_id":"cns_00000000000000000000000000"}`: "revokes_id",
		} {
			f := s.Test.Post(path+"/consents", body, 422, nil).Fault(t)
			if f.Details[0].Field != field {
				t.Errorf("%s: %+v", body, f.Details)
			}
		}
		s.Test.Post(path+"/consents", `{"scope":"all"}`, 400, nil)
		entries := strings.Join(testkit.Rows[string](s, `SELECT changes FROM audit_entries WHERE action LIKE 'lead.consent%'`), "\n")
		for _, secret := range []string{"+1410", "ann@example", "203.0.113.7", "Firefox", "Ann Bell"} {
			if strings.Contains(entries, secret) {
				t.Errorf("the audit log knows %s: %s", secret, entries)
			}
		}
	})
}

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
		if err := w.sendAll(t.Context()); err != nil {
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
		if err := w.sendAll(t.Context()); err != nil {
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
		if err := w.sendAll(t.Context()); err != nil {
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

// A text that sells waits for the morning where it is read, however the clocks
// change in between; one that has become stale is not sent at all.
func TestQuietHoursHold(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		net := &phoneNetwork{}
		w := newWorker(t, s, nil, net)
		york := agreed(s, map[string]any{"phone": "+14105550123"})                                // by its area code
		london := agreed(s, map[string]any{"phone": "+14105550124", "timezone": "Europe/London"}) // by what the contact says
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
			var m leads.LeadMessage
			s.Test.Post(c.path+"/messages", text, 202, &m)
			if m.Status != leads.Scheduled || m.ScheduledFor.Format(time.RFC3339) != c.want || !strings.HasSuffix(*m.Body, "Reply STOP to opt out.") || *m.Segments != 1 {
				t.Errorf("at %s: %+v", c.now, m)
			}
			sent := len(net.taken())
			if err := w.sendAll(t.Context()); err != nil || len(net.taken()) != sent {
				t.Errorf("sent at night: %v", err)
			}
			setClock(t, s, m.ScheduledFor.Add(time.Second))
			if err := w.sendAll(t.Context()); err != nil || len(net.taken()) != sent+1 {
				t.Errorf("not sent in the morning: %v", err)
			}
			if m := messagesOf(s, c.path)[0]; m.Status != leads.Sent || m.SentAt == nil || *m.Provider != "network" || *m.ProviderMessageID != "net-"+m.ID {
				t.Errorf("%+v", m)
			}
		}
		// At night again.
		at, err := time.Parse(time.RFC3339, "2027-12-01T02:30:00Z")
		if err != nil {
			t.Fatal(err)
		}
		setClock(t, s, at)
		if f := s.Test.Post(york+"/messages", `{"channel":"sms","purpose":"marketing","body":"a","send_at":"2027-12-02T03:00:00Z"}`, 422, nil).Fault(t); !f.Blames("send_at", "quiet_hours") {
			t.Errorf("%+v", f)
		}
		var m leads.LeadMessage
		s.Test.Post(york+"/messages", `{"channel":"sms","purpose":"marketing","body":"a","send_at":"2027-12-02T17:00:00Z"}`, 202, &m)
		if m.Status != leads.Scheduled || m.ScheduledFor.Format(time.RFC3339) != "2027-12-02T17:00:00Z" {
			t.Errorf("%+v", m)
		}
		s.Test.Post(york+"/messages", `{"channel":"sms","purpose":"transactional","body":"She is ready."}`, 202, &m)
		if m.Status != leads.Queued {
			t.Errorf("transactional waits: %+v", m)
		}
		if err := w.sendAll(t.Context()); err != nil {
			t.Fatal(err)
		}
		// Held until the morning, but by then it is too late.
		s.Test.Post(york+"/messages", `{"channel":"sms","purpose":"marketing","body":"Tonight only","expires_at":"2027-12-01T04:00:00Z"}`, 202, nil)
		// Due in the morning; the service was down for two days.
		s.Test.Post(york+"/messages", text, 202, nil)
		sent := len(net.taken())
		s.Advance(72 * time.Hour)
		if err := w.sendAll(t.Context()); err != nil || len(net.taken()) != sent {
			t.Errorf("stale texts went out: %v", err)
		}
		for _, m := range messagesOf(s, york)[:2] {
			if m.Status != leads.Failed || *m.ErrorCode != "expired" || m.FailedAt == nil {
				t.Errorf("%+v", m)
			}
		}
	})
}

// Sent late at the recipient's, it waits again.
func TestHeldWhenDue(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		net := &phoneNetwork{}
		w := newWorker(t, s, nil, net)
		path := agreed(s, map[string]any{"phone": "+14105550123"})
		setClock(t, s, time.Date(2027, 6, 1, 23, 0, 0, 0, time.UTC)) // 19:00
		s.Test.Post(path+"/messages", `{"channel":"sms","purpose":"marketing","body":"a"}`, 202, nil)
		s.Advance(3 * time.Hour) // a worker comes at 22:00
		if err := w.sendAll(t.Context()); err != nil || len(net.taken()) != 0 {
			t.Fatal(err, net.taken())
		}
		if m := messagesOf(s, path)[0]; m.Status != leads.Scheduled || m.ScheduledFor.Format(time.RFC3339) != "2027-06-02T12:00:00Z" {
			t.Errorf("%+v", m)
		}
		s.Advance(10 * time.Hour)
		if err := w.sendAll(t.Context()); err != nil || len(net.taken()) != 1 {
			t.Error(err, net.taken())
		}
	})
}

// What fails for a moment is tried again with the same token; what was sent is
// not sent again; what the provider refuses is over.
func TestSendingFails(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		net := &phoneNetwork{next: []error{errors.New("line busy for +14105550123")}}
		w := newWorker(t, s, nil, net)
		path := agreed(s, map[string]any{"phone": "+14105550123"})
		text := `{"channel":"sms","purpose":"transactional","body":"She is ready."}`
		var m leads.LeadMessage
		s.Test.Post(path+"/messages", text, 202, &m)
		if err := w.sendAll(t.Context()); err == nil || strings.Contains(err.Error(), "410555") {
			t.Errorf("the queue is told %v", err)
		}
		if m := messagesOf(s, path)[0]; m.Status != leads.Queued || *m.ErrorCode != "temporary" || m.Attempts != 1 {
			t.Errorf("%+v", m)
		}
		job := leads.SendMessage{Env: w.env, MessageID: m.ID}
		for range 3 {
			if err := w.SendMessage(t.Context(), job); err != nil {
				t.Error(err)
			}
		}
		if took := net.taken(); len(took) != 1 || took[0].Token != m.ID {
			t.Errorf("%+v", took)
		}
		if m := messagesOf(s, path)[0]; m.Status != leads.Sent || m.Attempts != 2 || m.ErrorCode != nil {
			t.Errorf("%+v", m)
		}
		net.next = []error{&sms.Refused{Code: "21211", Text: "invalid number"}}
		s.Test.Post(path+"/messages", text, 202, nil)
		if err := w.sendAll(t.Context()); err != nil {
			t.Error(err)
		}
		if m := messagesOf(s, path)[0]; m.Status != leads.Failed || *m.ErrorCode != "21211" {
			t.Errorf("%+v", m)
		}
		// The carrier knows of a STOP that we have not heard of.
		net.next = []error{&sms.Refused{Code: "21610", Text: "unsubscribed"}}
		s.Test.Post(path+"/messages", text, 202, nil)
		if err := w.sendAll(t.Context()); err != nil {
			t.Error(err)
		}
		if m := messagesOf(s, path)[0]; m.Status != leads.Blocked || *m.BlockReason != "provider_blocked" {
			t.Errorf("%+v", m)
		}
		if code := refused(t, s, path, "sms", "transactional"); code != "consent_revoked" {
			t.Errorf("the carrier is not believed: %q", code)
		}
		want := []string{
			"lead.created", "lead.consent_captured", "lead.message_queued", "lead.message_sent", "lead.message_queued", "lead.message_failed",
			"lead.message_queued", "lead.message_failed", "lead.consent_revoked",
		}
		if got := told(s, m.LeadID); !slices.Equal(got, want) {
			t.Errorf("%v", got)
		}
	})
}

// Workers that come at once send a message once.
func TestSendOnce(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		net := &phoneNetwork{}
		w := newWorker(t, s, nil, net)
		path := agreed(s, nil)
		var m leads.LeadMessage
		s.Test.Post(path+"/messages", `{"channel":"sms","purpose":"transactional","body":"She is ready."}`, 202, &m)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() { _ = w.SendMessage(t.Context(), leads.SendMessage{Env: w.env, MessageID: m.ID}) }) // late ones hear that it is being sent
		}
		wg.Wait()
		if n := len(net.taken()); n != 1 {
			t.Errorf("sent %d times", n)
		}
	})
}

// The queue itself sends, into the outbox that is there without settings.
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
		path := agreed(s, map[string]any{"phone": "+14105550123"})
		s.Test.Post(path+"/messages", `{"channel":"sms","purpose":"transactional","body":"She is ready."}`, 202, nil)
		s.Test.Post(path+"/messages", `{"channel":"email","purpose":"transactional","subject":"Your boat","body":"She is ready."}`, 202, nil)
		isSent := func(m leads.LeadMessage) bool { return m.Status == leads.Sent && *m.Provider == "outbox" }
		for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			all := messagesOf(s, path)
			if isSent(all[0]) && isSent(all[1]) {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("%+v", all)
			}
		}
		if texts := outbox(t, s); len(texts) != 1 || texts[0]["to"] != "+14105550123" || texts[0]["text"] != "She is ready." {
			t.Errorf("%v", texts)
		}
	})
}

// parts are the forms of an email, by their types.
func parts(t *testing.T, m *netmail.Message) map[string]string {
	t.Helper()
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		t.Fatal(kind, err)
	}
	forms := map[string]string{}
	for r := multipart.NewReader(m.Body, params["boundary"]); ; {
		p, err := r.NextRawPart()
		if errors.Is(err, io.EOF) {
			return forms
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(quotedprintable.NewReader(p))
		if err != nil {
			t.Fatal(err)
		}
		kind, _, _ := strings.Cut(p.Header.Get("Content-Type"), ";")
		forms[kind] = strings.ReplaceAll(string(text), "\r\n", "\n")
	}
}

// Marketing by email arrives at a real server with a link that ends it at one
// click, without a sign-in.
func TestMarketingEmail(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		office := &postOffice{}
		w := newWorker(t, s, office.open(t), nil)
		s.Test.Patch("/v1/dealership", `{"postal_address":{"line1":"12 Dock Street","city":"Annapolis","region":"MD","postal_code":"21401","country":"US"},
			"settings":{"sender":{"email":"sales@acme.example"}}}`, 200, nil)
		path := agreed(s, map[string]any{"email": "ann@example.com"})
		other := agreed(s, map[string]any{"email": "ann@example.com"})
		var m leads.LeadMessage
		s.Test.Post(path+"/messages", `{"channel":"email","purpose":"marketing","subject":"Möwe & more","body":"Hello <Ann>,\n\nshe is back — at last."}`, 202, &m)
		if err := w.sendAll(t.Context()); err != nil || len(office.taken()) != 1 {
			t.Fatal(err, len(office.taken()))
		}
		letter, err := netmail.ReadMessage(strings.NewReader(string(office.taken()[0])))
		if err != nil {
			t.Fatal(err)
		}
		from, err := letter.Header.AddressList("From")
		if err != nil || from[0].Address != "sales@acme.example" || from[0].Name != "Acme Marine" || letter.Header.Get("To") != "<ann@example.com>" || letter.Header.Get("Message-ID") != "<"+m.ID+"@slipway>" {
			t.Errorf("%v, %v", letter.Header, err)
		}
		link := strings.Trim(letter.Header.Get("List-Unsubscribe"), "<>")
		if letter.Header.Get("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" || !strings.HasPrefix(link, s.URL+"/unsubscribe/") {
			t.Errorf("%v", letter.Header)
		}
		forms := parts(t, letter)
		for kind, wants := range map[string][]string{
			"text/plain": {"Hello <Ann>,\n\nshe is back — at last.\n", "12 Dock Street, Annapolis, MD 21401, US", link},
			"text/html":  {"Hello &lt;Ann&gt;,", "12 Dock Street", `<a href="` + link + `">`},
		} {
			for _, want := range wants {
				if !strings.Contains(forms[kind], want) {
					t.Errorf("no %q in %s", want, forms[kind])
				}
			}
		}
		visit := func(method, link string, body url.Values) (int, string) {
			req, err := http.NewRequestWithContext(t.Context(), method, link, strings.NewReader(body.Encode()))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			text, err := io.ReadAll(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			return res.StatusCode, string(text)
		}
		// Whoever only looks changes nothing; a link that was tampered with is none.
		if status, text := visit("GET", link, nil); status != 200 || !strings.Contains(text, "Acme Marine") {
			t.Errorf("%d %s", status, text)
		}
		flipped := []byte(link)
		if flipped[len(flipped)-8] ^= 1; true {
			for _, bad := range []string{string(flipped), link[:len(link)-1], s.URL + "/unsubscribe/x", s.URL + "/unsubscribe/" + strings.Repeat("A", 60)} {
				if status, text := visit("POST", bad, nil); status != 404 || strings.Contains(text, "Acme") {
					t.Errorf("%s: %d %s", bad, status, text)
				}
			}
		}
		if code := refused(t, s, other, "email", "marketing"); code != "" {
			t.Error(code)
		}
		for range 2 {
			if status, text := visit("POST", link, url.Values{"List-Unsubscribe": {"One-Click"}}); status != 200 || !strings.Contains(text, "unsubscribed") {
				t.Errorf("%d %s", status, text)
			}
		}
		for _, path := range []string{path, other} {
			if code := refused(t, s, path, "email", "marketing"); code != "consent_revoked" {
				t.Errorf("%s: %q", path, code)
			}
			if code := refused(t, s, path, "email", "transactional"); code != "" {
				t.Errorf("%s: %q", path, code)
			}
		}
		records := consentsOf(s, path)
		if len(records) != 2 || records[0].Direction != consent.Revoked || records[0].Scope != consent.Marketing || *records[0].Method != "list_unsubscribe" || records[0].Evidence["message_id"] != m.ID {
			t.Errorf("%+v", records)
		}
		if entries := testkit.Rows[int64](s, `SELECT COUNT(*) FROM audit_entries WHERE action = 'lead.consent_revoked'`)[0]; entries != 1 {
			t.Errorf("%d entries", entries)
		}
	})
}

func TestTransactionalEmail(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		office := &postOffice{refuse: &smtp.SMTPError{Code: 451, Message: "try later"}}
		w := newWorker(t, s, office.open(t), nil)
		path := agreed(s, nil)
		body := `{"channel":"email","purpose":"transactional","subject":"Your boat","body":"She is ready."}`
		s.Test.Post(path+"/messages", body, 202, nil)
		if err := w.sendAll(t.Context()); err == nil {
			t.Error("the queue is not told to try again")
		}
		if err := w.sendAll(t.Context()); err != nil || len(office.taken()) != 1 {
			t.Fatal(err)
		}
		letter, err := netmail.ReadMessage(strings.NewReader(string(office.taken()[0])))
		if err != nil || letter.Header.Get("List-Unsubscribe") != "" || !strings.Contains(letter.Header.Get("From"), "noreply@example.com") {
			t.Errorf("%v, %v", letter.Header, err)
		}
		office.mu.Lock()
		office.refuse = &smtp.SMTPError{Code: 550, Message: "no such mailbox"}
		office.mu.Unlock()
		s.Test.Post(path+"/messages", body, 202, nil)
		if err := w.sendAll(t.Context()); err != nil {
			t.Error(err)
		}
		if m := messagesOf(s, path)[0]; m.Status != leads.Failed || *m.ErrorCode != "refused" {
			t.Errorf("%+v", m)
		}
	})
}
