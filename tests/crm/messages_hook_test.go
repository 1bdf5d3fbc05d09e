package crm

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"slipway/internal/consent"
	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/leads"
	"slipway/internal/messages"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/sms"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

// A text message continues the conversation of its two numbers, or creates a lead.
func TestTextFromTwilio(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		p := newProvider(t, s, s.Test, "(410) 555-0100", twilioToken)
		w := newWorker(t, s, nil, &textProvider{})
		contact := s.Test.Contact(map[string]any{"phone": "+14105550123"})
		older := "/v1/leads/" + s.Test.Lead(map[string]any{"contact_id": contact})
		s.Test.Post(older+"/consents", `{"channels":["sms"],"scope":"all","basis":"express_oral"}`, 201, nil)
		s.Test.Post(older+"/messages", `{"channel":"sms","purpose":"transactional","body":"She is ready."}`, 202, nil)
		if err := w.sendAll(t); err != nil {
			t.Fatal(err)
		}
		newer := "/v1/leads/" + s.Test.Lead(map[string]any{"contact_id": contact})

		form := text("SM1", "+14105550123", ownNumber, "Great, see you!")
		form.Set("MediaUrl0", "https://api.twilio.com/2010-04-01/Media/ME1")
		form.Set("NumMedia", "1")
		p.send(form, 200)
		m := messagesOf(s, older)[0]
		assert.Equal(t, m.Direction, "inbound")
		assert.Equal(t, m.Status, messages.Received)
		assert.Equal(t, m.Body, new("Great, see you!\nhttps://api.twilio.com/2010-04-01/Media/ME1"))
		assert.Equal(t, m.From, new("+14105550123"))
		assert.Equal(t, m.To, new(ownNumber))
		assert.Equal(t, m.ProviderMessageID, new("SM1"))
		assert.Equal(t, *m.Intent, "ordinary")
		assert.Equal(t, len(messagesOf(s, newer)), 0, "messages of the lead without a conversation")

		// The contact has a lead, but no messages yet.
		known := "/v1/leads/" + s.Test.Lead(map[string]any{"contact_id": s.Test.Contact(map[string]any{"phone": "+14105550124"})})
		p.send(text("SM2", "+14105550124", ownNumber, "Who is this?"), 200)
		assert.Equal(t, messagesOf(s, known)[0].NeedsReview, true)

		// A new number. The next message belongs to the same lead.
		before := count(s, "leads")
		p.send(text("SM3", "+12125550199", ownNumber, "Is the Freedom 235 available?"), 200)
		p.send(text("SM4", "+12125550199", ownNumber, "HELP"), 200)
		assert.Equal(t, count(s, "leads"), before+1)
		var list page.Page[leads.Lead]
		s.Test.Get("/v1/leads?source=sms", 200, &list)
		assert.Len(t, list.Data, 1)
		l := list.Data[0]
		assert.Equal(t, l.Message, new("Is the Freedom 235 available?"))
		assert.Equal(t, l.SubmittedContact.Phone, new("+12125550199"))
		all := messagesOf(s, "/v1/leads/"+l.ID)
		assert.Len(t, all, 3)
		assert.Equal(t, all[0].Automatic, true, "the reply to HELP")
		assert.Equal(t, all[0].To, new("+12125550199"))
		var c contacts.Contact
		s.Test.Get("/v1/contacts/"+l.ContactID, 200, &c)
		assert.Equal(t, c.Phone, new("+12125550199"))

		// A customer with only a lost lead gets a new one.
		lost := s.Test.Lead(map[string]any{"contact_id": s.Test.Contact(map[string]any{"phone": "+14105550125"})})
		s.Test.Post("/v1/leads/"+lost+"/close", `{"reason":"Bought elsewhere"}`, 200, nil)
		p.send(text("SM5", "+14105550125", ownNumber, "I am looking again."), 200)
		assert.Equal(t, count(s, "leads WHERE source = 'sms'"), 2)
	})
}

// Requests with a missing or forged signature change nothing and are recorded.
func TestForgedTwilioSignature(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := newProvider(t, s, s.Test, ownNumber, twilioToken)
		form := text("SM1", "+14105550123", ownNumber, "STOP")
		valid := signTwilio(twilioToken, p.twilio, form)
		changed := text("SM1", "+14105550199", ownNumber, "STOP")
		for what, c := range map[string]struct {
			signature, address string
			form               url.Values
		}{
			"no signature":        {"", p.twilio, form},
			"not base64":          {"???", p.twilio, form},
			"another auth token":  {signTwilio("another token, as long as it", p.twilio, form), p.twilio, form},
			"an empty auth token": {signTwilio("", p.twilio, form), p.twilio, form},
			"another sender":      {valid, p.twilio, changed},
			"another URL":         {valid, p.twilio + "?a=b", form},
			"the host of the request": {signTwilio(twilioToken, strings.Replace(p.twilio, "http://localhost", s.URL, 1), form),
				p.twilio, form},
			"the URL for email": {signTwilio(twilioToken, p.email, form), p.twilio, form},
		} {
			res := p.post(s, c.address, formType, c.form.Encode(), map[string]string{"X-Twilio-Signature": c.signature})
			assert.Equal(t, res.StatusCode, 403, what)
			assert.Equal(t, res.Fault(t).Code, "forbidden", what)
		}
		assert.Equal(t, count(s, "messages")+count(s, "consents")+count(s, "leads")+count(s, "received_messages"), 0, "rows")
		reasons := strings.Join(refusals(t, s), "\n")
		assert.Contains(t, reasons, "X-Twilio-Signature is not valid")
		assert.Excludes(t, reasons, "+1410")
		assert.Contains(t, reasons, `"times":[null,8]`)

		p.send(form, 200)
		assert.Equal(t, count(s, "consents"), 1)

		// Without an auth token, nothing is accepted.
		s.Test.Patch("/v1/dealership", `{"settings":{"inbound":{"twilio_auth_token":null,"email_secret":null}}}`, 200, nil)
		p.send(text("SM2", "+14105550123", ownNumber, "Hello"), 403)
		p.mail("id_1", `{"from":"ann@example.com","text":"Hello"}`, 403)
		assert.Equal(t, count(s, "messages"), 0)
	})
}

// A request is sent again: by Twilio, at the same time to two servers, and later
// by an attacker, after a START and after the contact was erased.
func TestReplayedTwilioRequest(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := newProvider(t, s, s.Test, ownNumber, twilioToken)
		node := s.Node()
		var wg sync.WaitGroup
		for i := range 12 {
			server := []*testkit.Server{s, node}[i%2]
			wg.Go(func() {
				p.sendTo(server, text(fmt.Sprintf("SM%d", i/4), "+14105550123", ownNumber, "Is she still available?"), 200)
			})
		}
		wg.Wait()
		assert.Equal(t, count(s, "messages"), 3)
		assert.Equal(t, count(s, "leads"), 1)
		assert.Equal(t, count(s, "contacts"), 1)
		assert.Equal(t, len(s.EventTypes(testkit.Rows[string](s, `SELECT id FROM leads`)[0])), 5, "lead.created, lead.consent_captured, and three messages")

		path := "/v1/leads/" + testkit.Rows[string](s, `SELECT id FROM leads`)[0]
		s.Test.Post(path+"/consents", `{"channels":["sms"],"scope":"all","basis":"express_oral"}`, 201, nil)
		s.Advance(time.Minute)
		stop := text("SM8", "+14105550123", ownNumber, "STOP")
		p.send(stop, 200)
		assert.Equal(t, blockCode(t, s, path, "sms", "transactional"), "consent_revoked")
		s.Advance(time.Minute)
		p.send(text("SM9", "+14105550123", ownNumber, "START"), 200)
		assert.Equal(t, blockCode(t, s, path, "sms", "transactional"), "")
		s.Advance(time.Minute)
		p.send(stop, 200)
		assert.Equal(t, blockCode(t, s, path, "sms", "transactional"), "", "after a replay of the STOP")

		var l leads.Lead
		s.Test.Get(path, 200, &l)
		s.Test.Delete("/v1/contacts/"+l.ContactID, 204)
		before := count(s, "messages")
		p.send(text("SM0", "+14105550123", ownNumber, "Is she still available?"), 200)
		assert.Equal(t, count(s, "messages"), before, "after the contact was erased")
		assert.Equal(t, count(s, "contacts"), 1)

		// The person writes again. That is a new inquiry.
		p.send(text("SM10", "+14105550123", ownNumber, "Hello again"), 200)
		assert.Equal(t, count(s, "leads"), 2)
	})
}

// Which messages were reported is forgotten after 30 days. Messages that are still in their
// conversation are not stored again, and a replayed START restores nothing.
func TestReplayAfterRetention(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		p := newProvider(t, s, s.Test, ownNumber, twilioToken)
		w := newWorker(t, s, nil, nil)
		path := "/v1/leads/" + s.Test.Lead(map[string]any{"contact_id": s.Test.Contact(map[string]any{"phone": "+14105550123"})})
		s.Test.Post(path+"/consents", `{"channels":["sms"],"scope":"all","basis":"express_oral"}`, 201, nil)
		start := text("SM2", "+14105550123", ownNumber, "START")
		for _, form := range []url.Values{text("SM1", "+14105550123", ownNumber, "STOP"), start, text("SM3", "+14105550123", ownNumber, "STOP")} {
			s.Advance(time.Minute)
			p.send(form, 200)
		}
		assert.Equal(t, blockCode(t, s, path, "sms", "transactional"), "consent_revoked")

		s.Advance(30*24*time.Hour - time.Minute)
		p.send(text("SM4", "+14105550123", ownNumber, "Hello"), 200)
		assert.NoError(t, jobs.Run(t.Context(), w.EmptyQuarantine, messages.EmptyQuarantine{}))
		assert.Equal(t, count(s, "received_messages"), 2, "the newest ones")
		s.Advance(31 * 24 * time.Hour)
		assert.NoError(t, jobs.Run(t.Context(), w.EmptyQuarantine, messages.EmptyQuarantine{}))
		assert.Equal(t, count(s, "received_messages"), 0)

		stored := count(s, "messages")
		p.send(start, 200)
		assert.Equal(t, count(s, "messages"), stored)
		assert.Equal(t, blockCode(t, s, path, "sms", "transactional"), "consent_revoked", "after a replay of the START")
	})
}

// The auth token of one dealership is used with the URL of another, and URLs that
// don't exist.
func TestTwilioTokenOfAnotherDealership(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := newProvider(t, s, s.Test, ownNumber, twilioToken)
		other := newProvider(t, s, s.Other, "+12125550100", "fedcba9876543210fedcba9876543210")
		form := text("SM1", "+14105550123", "+12125550100", "Hello")
		for _, signature := range []string{signTwilio(p.token, p.twilio, form), signTwilio(p.token, other.twilio, form)} {
			res := p.post(s, other.twilio, formType, form.Encode(), map[string]string{"X-Twilio-Signature": signature})
			assert.Equal(t, res.StatusCode, 403)
		}
		for _, address := range []string{p.twilio + "A", p.twilio[:len(p.twilio)-1], "/hooks/twilio/AQ",
			"/hooks/twilio/" + strings.Repeat("A", 4000), "/hooks/twilio/%00", p.twilio + "/x"} {
			res := p.post(s, address, formType, form.Encode(), map[string]string{"X-Twilio-Signature": signTwilio(p.token, address, form)})
			assert.Equal(t, res.StatusCode, 404, address)
		}
		assert.Equal(t, count(s, "messages"), 0)
		assert.Equal(t, len(testkit.Rows[string](s, `SELECT id FROM auth_refusals WHERE kind = 'inbound_hook'`)), 0)
		refusals(t, s)
		assert.Equal(t, count(s, "auth_refusals WHERE kind = 'inbound_hook'") > 0, true, "unknown hooks are recorded")
		other.send(form, 200)
		ofFirst := testkit.Rows[int64](s, `SELECT COUNT(*) FROM messages WHERE env = ?`, s.TestEnv())
		assert.Equal(t, ofFirst[0], 0, "messages of the first dealership")
	})
}

// On a shared Twilio account, the number of one dealership is connected to the URL
// of another.
func TestTextToTheNumberOfAnotherDealership(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := newProvider(t, s, s.Test, ownNumber, twilioToken)
		newProvider(t, s, s.Other, "+12125550100", twilioToken)
		p.send(text("SM1", "+14105550123", "+12125550100", "Hello"), 403)
		p.send(text("SM2", "+14105550123", "", "Hello"), 403)
		assert.Equal(t, count(s, "messages")+count(s, "leads"), 0)
		assert.Contains(t, strings.Join(refusals(t, s), "\n"), "not a number of this dealership")

		s.Test.Post("/v1/locations", `{"name":"Harbor West","phone":"(410) 555-0177"}`, 201, nil)
		p.send(text("SM3", "+14105550123", "+14105550177", "Hello"), 200)
		assert.Equal(t, count(s, "messages"), 1)
	})
}

// Requests that cost more than they should, or that are not what Twilio sends.
func TestOversizedTwilioRequests(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := newProvider(t, s, s.Test, ownNumber, twilioToken)
		many := text("SM1", "+14105550123", ownNumber, "Hello")
		for i := range 1000 {
			many.Set(fmt.Sprintf("Field%d", i), "x")
		}
		p.send(many, 400)
		p.send(text("SM1", "+14105550123", ownNumber, strings.Repeat("x", 70_000)), 413)
		p.send(text("", "+14105550123", ownNumber, "Hello"), 400)
		p.send(text("SM1", "NETFLIX", ownNumber, "Hello"), 422)
		p.send(text("SM1", "78836", ownNumber, "Hello"), 422)
		p.send(text("SM1", "whatsapp:+14105550123", ownNumber, "Hello"), 422)

		form := text("SM1", "+14105550123", ownNumber, "Hello")
		signature := map[string]string{"X-Twilio-Signature": signTwilio(p.token, p.twilio, form)}
		assert.Equal(t, p.post(s, p.twilio, formType, form.Encode()+"&Body=STOP", signature).StatusCode, 400, "a repeated field")
		assert.Equal(t, p.post(s, p.twilio, formType, "Body=%zz", signature).StatusCode, 400, "a malformed form")
		assert.Equal(t, p.post(s, p.twilio, "application/json", `{}`, signature).StatusCode, 415, "another type")
		res, err := s.As("").Send("GET", strings.TrimPrefix(p.twilio, "http://localhost"), nil)
		if err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, res.StatusCode, 405)
		assert.Equal(t, count(s, "messages"), 0)

		// The longest text message of 1,600 Chinese characters.
		p.send(text("SM1", "+14105550123", ownNumber, strings.Repeat("船", 1600)), 200)
		assert.Equal(t, count(s, "messages"), 1)
	})
}

// STOP is written with characters that could hide it from the keywords or that a
// database can't store.
func TestStopInOddEncodings(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := newProvider(t, s, s.Test, ownNumber, twilioToken)
		for i, body := range []string{
			"STOP", "ＳＴＯＰ", "S\u200bT\u200bO\u200bP", "\ufeffSTOP", "STOP\x00", "S\x00T\x00O\x00P\x00", "\u202eSTOP\u202c",
			"𝐒𝐓𝐎𝐏", "Ⓢⓣⓞⓟ",
			"STO\u00adP", "\u00a0STOP\u00a0", "STOP\r\n", "Sto\u0301p", "arr\xeatez", "STOP \xff\xfe", "🛑", "\tstop\v",
		} {
			from := fmt.Sprintf("+1410555%04d", 1000+i)
			p.send(text(fmt.Sprintf("SM%d", i), from, ownNumber, body), 200)
			path := "/v1/leads/" + s.Test.Lead(map[string]any{"contact_id": s.Test.Contact(map[string]any{"phone": from})})
			assert.Equal(t, blockCode(t, s, path, "sms", "transactional"), "consent_revoked", fmt.Sprintf("%q", body))
		}
	})
}

// STOP from a number that no lead has is binding for leads that are created later,
// and needs no lead itself.
func TestStopWithoutALead(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		p := newProvider(t, s, s.Test, ownNumber, twilioToken)
		for i := range 3 {
			p.send(text(fmt.Sprintf("SM%d", i), "+14105550123", ownNumber, "Please stop texting me"), 200)
		}
		assert.Equal(t, count(s, "leads"), 0)
		assert.Equal(t, count(s, "contacts"), 1)
		var records page.Page[consent.Consent]
		s.Test.Get("/v1/contacts/"+testkit.Rows[string](s, `SELECT id FROM contacts`)[0]+"/consents", 200, &records)
		assert.Len(t, records.Data, 1)
		assert.Equal(t, records.Data[0].Direction, consent.Revoked)
		assert.Equal(t, records.Data[0].Scope, consent.All)
		assert.Equal(t, records.Data[0].RawText, new("Please stop texting me"))
		assert.Equal(t, records.Data[0].Address, new("+14105550123"))

		var l leads.Lead
		old := s.DB.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
		s.Test.Post("/v1/leads", `{"contact":{"last_name":"Bell","phone":"410-555-0123"},"consents":[
			{"channels":["sms"],"scope":"all","basis":"express_written","consent_text":"I agree.","captured_at":"`+old+`"}]}`, 201, &l)
		assert.Equal(t, blockCode(t, s, "/v1/leads/"+l.ID, "sms", "transactional"), "consent_revoked")
		assert.Equal(t, blockCode(t, s, "/v1/leads/"+l.ID, "sms", "marketing"), "consent_revoked")

		// The same number writes to the other environment and to the other dealership. They are separate.
		other := newProvider(t, s, s.Other, "+12125550100", twilioToken)
		other.send(text("SM1", "+14105550123", "+12125550100", "Hello"), 200)
		assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM consents WHERE env <> ? AND direction = 'revoked'`, s.TestEnv())[0], 0)
	})
}

// A STOP of an erased contact is binding and stores nothing about the person.
func TestStopAfterErasure(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		p := newProvider(t, s, s.Test, ownNumber, twilioToken)
		p.send(text("SM1", "+14105550123", ownNumber, "Hello"), 200)
		s.Test.Delete("/v1/contacts/"+testkit.Rows[string](s, `SELECT id FROM contacts`)[0], 204)
		p.send(text("SM2", "+14105550123", ownNumber, "STOP"), 200)
		assert.Equal(t, count(s, "contacts"), 1)
		assert.Equal(t, count(s, "leads"), 1)
		assert.Equal(t, count(s, "messages WHERE body IS NOT NULL OR from_address IS NOT NULL"), 0)
		path := "/v1/leads/" + s.Test.Lead(map[string]any{"contact_id": s.Test.Contact(map[string]any{"phone": "+14105550123"})})
		assert.Equal(t, blockCode(t, s, path, "sms", "transactional"), "consent_revoked")
	})
}

// Receipts change the status of a sent message, and only forward. A receipt for the
// message of another dealership changes nothing.
func TestReceipts(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		p := newProvider(t, s, s.Test, ownNumber, twilioToken)
		other := newProvider(t, s, s.Other, "+12125550100", twilioToken)
		w := newWorker(t, s, nil, &textProvider{})
		sent := func(number string) (path, sid string) {
			t.Helper()
			path = leadWithConsent(s, map[string]any{"phone": number})
			assert.Equal(t, blockCode(t, s, path, "sms", "transactional"), "")
			if err := w.sendAll(t); err != nil {
				t.Fatal(err)
			}
			return path, *messagesOf(s, path)[0].ProviderMessageID
		}
		status := func(path string) messages.MessageStatus { return messagesOf(s, path)[0].Status }

		path, sid := sent("+14105550123")
		other.send(receipt(sid, "delivered", ""), 204)
		other.send(receipt(sid, "failed", "30003"), 204)
		assert.Equal(t, status(path), messages.Sent, "after receipts of another dealership")
		for _, word := range []string{"queued", "accepted", "sending", "sent", "unheard-of"} {
			p.send(receipt(sid, word, ""), 204)
			assert.Equal(t, status(path), messages.Sent, word)
		}
		p.send(receipt(sid, "delivered", ""), 204)
		for _, late := range []string{"sent", "failed", "undelivered", "queued"} {
			p.send(receipt(sid, late, "30003"), 204)
		}
		m := messagesOf(s, path)[0]
		assert.Equal(t, m.Status, messages.Delivered)
		assert.Equal(t, m.DeliveredAt != nil, true)
		assert.Equal(t, m.ErrorCode, nil)

		path, sid = sent("+14105550124")
		p.send(receipt(sid, "undelivered", "30003"), 204)
		p.send(receipt(sid, "delivered", ""), 204)
		m = messagesOf(s, path)[0]
		assert.Equal(t, m.Status, messages.Failed)
		assert.Equal(t, m.ErrorCode, new("30003"))

		path, sid = sent("+14105550125")
		p.send(receipt(sid, "failed", "21610"), 204)
		assert.Equal(t, messagesOf(s, path)[0].BlockReason, new("provider_blocked"))
		assert.Equal(t, blockCode(t, s, path, "sms", "transactional"), "consent_revoked")

		p.send(receipt("SM404", "delivered", ""), 204)
		res := p.post(s, p.twilio, formType, receipt(sid, "delivered", "").Encode(), map[string]string{"X-Twilio-Signature": "AAAA"})
		assert.Equal(t, res.StatusCode, 403, "a forged receipt")
	})
}

// Twilio signs with the auth token of the installation, which sends the messages
// and asks for receipts.
func TestTwilioAccountOfTheInstallation(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		var callback string
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			callback = r.PostFormValue("StatusCallback")
			w.WriteHeader(201)
			_, _ = w.Write([]byte(`{"sid": "SM77", "status": "queued"}`))
		}))
		defer web.Close()
		twilio, err := sms.NewTwilio(web.URL, "AC1", "token of the installation")
		if err != nil {
			t.Fatal(err)
		}
		w := newWorker(t, s, nil, twilio)
		w.Box = s.Box
		path := leadWithConsent(s, map[string]any{"phone": "+14105550123"})
		assert.Equal(t, blockCode(t, s, path, "sms", "transactional"), "")
		if err := w.sendAll(t); err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, callback, "", "callback to a URL that Twilio can't reach")

		var d dealership.Dealership
		s.Test.Get("/v1/dealership", 200, &d)
		address := d.Settings.Inbound.TwilioURL
		handle := func(form url.Values, token string) error {
			req := httptest.NewRequest("POST", address, nil)
			req.SetPathValue("token", address[strings.LastIndex(address, "/")+1:])
			req.Header.Set("Content-Type", formType)
			req.Header.Set("X-Twilio-Signature", signTwilio(token, address, form))
			return w.ReceiveTwilio(httptest.NewRecorder(), req, []byte(form.Encode()))
		}
		if err := handle(receipt("SM77", "delivered", ""), "another token"); err == nil {
			t.Error("got no error for another token")
		}
		if err := handle(receipt("SM77", "delivered", ""), twilio.AuthToken); err != nil {
			t.Error(err)
		}
		assert.Equal(t, messagesOf(s, path)[0].Status, messages.Delivered)

		// The dealership has no number, so the number of the installation is its own.
		if err := handle(text("SM1", "+14105550123", ownNumber, "Thanks!"), twilio.AuthToken); err != nil {
			t.Error(err)
		}
		assert.Equal(t, messagesOf(s, path)[0].Body, new("Thanks!"))
	})
}
