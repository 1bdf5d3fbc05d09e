package crm

import (
	"io"
	"net/http"
	netmail "net/mail"
	"regexp"
	"strings"
	"testing"
	"time"

	"slipway/internal/consent"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// restoreLink returns the link to restore consent in the last email of a server, or "".
func restoreLink(t *testing.T, server *mailServer) string {
	t.Helper()
	all := server.messages()
	if len(all) == 0 {
		return ""
	}
	email, err := netmail.ReadMessage(strings.NewReader(string(all[len(all)-1])))
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`http://localhost/resubscribe/\S+`).FindString(parts(t, email)["text/plain"])
}

// openLink opens a link of an email without a session.
func openLink(t *testing.T, s *testkit.Server, method, link string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+strings.TrimPrefix(link, "http://localhost"), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", formType)
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

// START by email sends a link to the address, once a day. Only a click on its page restores
// the consent, once, with evidence. The conversation doesn't show the link.
func TestStartByEmailSendsALink(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		server := &mailServer{}
		w := newWorker(t, s, server.start(t), nil)
		p := newProvider(t, s, s.Test, ownNumber, twilioToken)
		path := leadWithConsent(s, map[string]any{"email": "ann@example.com"})
		say := func(id, text string) {
			s.Advance(time.Second)
			p.mail(id, emailBody("Ann <ann@example.com>", text, "<"+id+"@mail.example>", ""), 204)
			assert.NoError(t, w.sendAll(t))
		}
		say("id_0", "START") // there is nothing to restore
		assert.Equal(t, len(server.messages()), 0)
		say("id_1", "STOP")
		say("id_2", "START")
		link := restoreLink(t, server)
		if link == "" {
			t.Fatalf("got %q, want a link", server.messages())
		}
		sent := messagesOf(s, path)[0]
		assert.Equal(t, sent.Automatic, true)
		assert.Equal(t, *sent.To, "ann@example.com")
		assert.Excludes(t, *sent.Body, "/resubscribe/")

		// A forger can't flood the address.
		emails := len(server.messages())
		for _, id := range []string{"id_3", "id_4"} {
			say(id, "START")
		}
		assert.Equal(t, len(server.messages()), emails)

		// Scanners open links.
		status, text := openLink(t, s, "GET", link)
		assert.Equal(t, status, 200)
		for _, want := range []string{"Acme Marine", "ann@example.com", "Offers and news", "I agree to texts and email from Acme Marine."} {
			assert.Contains(t, text, want)
		}
		assert.Equal(t, blockCode(t, s, path, "email", "transactional"), "consent_revoked")
		token := link[strings.LastIndex(link, "/")+1:]
		for _, bad := range []string{link[:len(link)-1], "/resubscribe/x", "/unsubscribe/" + token} {
			status, _ := openLink(t, s, "POST", bad)
			assert.Equal(t, status, 404, bad)
		}

		records := len(consentsOf(s, path))
		status, text = openLink(t, s, "POST", link)
		assert.Equal(t, status, 200, text)
		all := consentsOf(s, path)
		assert.Equal(t, len(all), records+1)
		got := all[0]
		assert.Equal(t, got.Direction, consent.Granted)
		assert.Equal(t, got.Scope, consent.All)
		assert.Equal(t, got.Channels, []consent.Channel{consent.Email})
		assert.Equal(t, *got.Address, "ann@example.com")
		assert.Equal(t, got.Method, new("link"))
		assert.Equal(t, got.SourceURL, &link)
		assert.Equal(t, got.IP != nil, true)
		assert.Equal[any](t, got.Evidence["message_id"], sent.ID)
		assert.Equal[any](t, got.Evidence["request_id"], *sent.ReplyToID)
		assert.Equal(t, blockCode(t, s, path, "email", "transactional"), "")

		// The link works once.
		say("id_5", "STOP")
		for _, method := range []string{"GET", "POST"} {
			status, _ := openLink(t, s, method, link)
			assert.Equal(t, status, 404, method)
		}
		assert.Equal(t, blockCode(t, s, path, "email", "transactional"), "consent_revoked")
	})
}

// A link doesn't work after a day, after a later opt-out, after a user recorded an opt-out, and
// after an erasure. A START after an opt-out that a user recorded gets no link.
func TestRestoreLinkEnds(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		server := &mailServer{}
		w := newWorker(t, s, server.start(t), nil)
		p := newProvider(t, s, s.Test, ownNumber, twilioToken)
		for name, end := range map[string]func(path string){
			"expired": func(string) { s.Advance(24*time.Hour + time.Second) },
			"stop":    func(string) { p.mail("stop2", emailBody("stop@example.com", "STOP", "<stop2@mail.example>", ""), 204) },
			"staff": func(path string) {
				s.Test.Post(path+"/consents", `{"channels":["email"],"scope":"all","direction":"revoked","method":"reply"}`, 201, nil)
			},
			"erased": func(path string) {
				var l struct {
					ContactID string `json:"contact_id"`
				}
				s.Test.Get(path, 200, &l)
				s.Test.Delete("/v1/contacts/"+l.ContactID, 204)
			},
		} {
			address := name + "@example.com"
			path := leadWithConsent(s, map[string]any{"email": address})
			for _, text := range []string{"STOP", "START"} {
				s.Advance(time.Second)
				p.mail(name+text, emailBody(address, text, "<"+name+text+"@mail.example>", ""), 204)
			}
			assert.NoError(t, w.sendAll(t))
			link := restoreLink(t, server)
			status, _ := openLink(t, s, "GET", link)
			assert.Equal(t, status, 200, name)

			s.Advance(time.Second)
			end(path)
			records := count(s, "consents")
			for _, method := range []string{"GET", "POST"} {
				status, text := openLink(t, s, method, link)
				assert.Equal(t, status, 404, name, method)
				assert.Excludes(t, text, address, name)
			}
			assert.Equal(t, count(s, "consents"), records, name)
		}

		path := leadWithConsent(s, map[string]any{"email": "lee@example.com"})
		s.Advance(time.Second)
		s.Test.Post(path+"/consents", `{"channels":["email"],"scope":"all","direction":"revoked","method":"reply",
			"evidence":{"message_id":"msg_01jcqz8t5n8m2x4v6b7c9d0e1f"}}`, 201, nil)
		emails := len(server.messages())
		for _, text := range []string{"START", "STOP", "START"} {
			s.Advance(time.Second)
			p.mail("lee"+text, emailBody("lee@example.com", text, "<lee@mail.example>", ""), 204)
			assert.NoError(t, w.sendAll(t))
		}
		assert.Equal(t, len(server.messages()), emails)
	})
}
