package crm

import (
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/http"
	netmail "net/mail"
	"net/url"
	"strings"
	"testing"

	"github.com/emersion/go-smtp"

	"slipway/internal/consent"
	"slipway/internal/messages"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// parts returns the parts of an email by content type.
func parts(t *testing.T, m *netmail.Message) map[string]string {
	t.Helper()
	forms := map[string]string{}
	addParts(t, forms, m.Header.Get("Content-Type"), m.Header.Get("Content-Transfer-Encoding"), m.Body)
	return forms
}

func addParts(t *testing.T, forms map[string]string, contentType, encoding string, body io.Reader) {
	t.Helper()
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(kind, "multipart/") {
		for r := multipart.NewReader(body, params["boundary"]); ; {
			p, err := r.NextRawPart()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			addParts(t, forms, p.Header.Get("Content-Type"), p.Header.Get("Content-Transfer-Encoding"), p)
		}
	}

	switch encoding {
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	}
	text, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	forms[kind] = strings.ReplaceAll(string(text), "\r\n", "\n")
}

// A marketing email reaches a real server. It has a link to unsubscribe with one
// click, without signing in.
func TestMarketingEmail(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		server := &mailServer{}
		w := newWorker(t, s, server.start(t), nil)
		s.Test.Patch("/v1/dealership", `{"postal_address":{"line1":"12 Dock Street","city":"Annapolis","region":"MD","postal_code":"21401","country":"US"},
			"settings":{"sender":{"email":"sales@acme.example"}}}`, 200, nil)
		s.Exec(`UPDATE dealerships SET settings = REPLACE(settings, '"email_verified":false', '"email_verified":true')`)

		path := leadWithConsent(s, map[string]any{"email": "ann@example.com"})
		other := leadWithConsent(s, map[string]any{"email": "ann@example.com"})
		var m messages.LeadMessage
		s.Test.Post(path+"/messages", `{"channel":"email","purpose":"marketing","subject":"Möwe & more","body":"Hello <Ann>,\n\nshe is back `+
			`— at last."}`, 202, &m)
		assert.NoError(t, w.sendAll(t))
		assert.Len(t, server.messages(), 1)

		email, err := netmail.ReadMessage(strings.NewReader(string(server.messages()[0])))
		if err != nil {
			t.Fatal(err)
		}

		from, err := email.Header.AddressList("From")
		assert.NoError(t, err)
		assert.Equal(t, from[0].Address, "sales@acme.example")
		assert.Equal(t, from[0].Name, "Acme Marine")
		assert.Equal(t, email.Header.Get("To"), "<ann@example.com>")
		assert.Equal(t, email.Header.Get("Message-ID"), "<"+m.ID+"@acme.example>")

		link := strings.Trim(email.Header.Get("List-Unsubscribe"), "<>")
		assert.Equal(t, email.Header.Get("List-Unsubscribe-Post"), "List-Unsubscribe=One-Click")
		assert.Equal(t, strings.HasPrefix(link, "http://localhost/unsubscribe/"), true)

		forms := parts(t, email)
		for kind, wants := range map[string][]string{
			"text/plain": {"Hello <Ann>,\n\nshe is back — at last.\n", "12 Dock Street, Annapolis, MD 21401, US", link},
			"text/html":  {"Hello &lt;Ann&gt;,", "12 Dock Street", `href="` + link + `"`},
		} {
			for _, want := range wants {
				assert.Contains(t, forms[kind], want)
			}
		}

		visit := func(method, link string, body url.Values) (int, string) {
			path := strings.TrimPrefix(link, "http://localhost")
			req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body.Encode()))
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

		// Opening the link changes nothing. A modified link is rejected.
		status, text := visit("GET", link, nil)
		assert.Equal(t, status, 200)
		assert.Contains(t, text, "Acme Marine")
		flipped := []byte(link)
		if flipped[len(flipped)-8] ^= 1; true {
			for _, bad := range []string{string(flipped), link[:len(link)-1], "/unsubscribe/x",
				"/unsubscribe/" + strings.Repeat("A", 60)} {
				status, text := visit("POST", bad, nil)
				assert.Equal(t, status, 404, bad)
				assert.Excludes(t, text, "Acme", bad)
			}
		}

		assert.Equal(t, blockCode(t, s, other, "email", "marketing"), "")
		for range 2 {
			status, text := visit("POST", link, url.Values{"List-Unsubscribe": {"One-Click"}})
			assert.Equal(t, status, 200)
			assert.Contains(t, text, "unsubscribed")
		}

		for _, path := range []string{path, other} {
			assert.Equal(t, blockCode(t, s, path, "email", "marketing"), "consent_revoked", path)
			assert.Equal(t, blockCode(t, s, path, "email", "transactional"), "", path)
		}

		records := consentsOf(s, path)
		assert.Len(t, records, 2)
		assert.Equal(t, records[0].Direction, consent.Revoked)
		assert.Equal(t, records[0].Scope, consent.Marketing)
		assert.Equal(t, records[0].Method, new("list_unsubscribe"))
		assert.Equal[any](t, records[0].Evidence["message_id"], m.ID)
		assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM audit_entries WHERE action = 'lead.consent_revoked'`)[0], 1)
	})
}

func TestTransactionalEmail(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		server := &mailServer{reject: &smtp.SMTPError{Code: 451, Message: "try later"}}
		w := newWorker(t, s, server.start(t), nil)
		path := leadWithConsent(s, nil)
		body := `{"channel":"email","purpose":"transactional","subject":"Your boat","body":"She is ready."}`
		s.Test.Post(path+"/messages", body, 202, nil)
		if err := w.sendAll(t); err == nil {
			t.Error("got no error, want one so that the queue retries")
		}
		assert.NoError(t, w.sendAll(t))
		assert.Len(t, server.messages(), 1)

		email, err := netmail.ReadMessage(strings.NewReader(string(server.messages()[0])))
		assert.NoError(t, err)
		assert.Equal(t, email.Header.Get("List-Unsubscribe"), "")
		assert.Contains(t, email.Header.Get("From"), "noreply@example.com")

		server.mu.Lock()
		server.reject = &smtp.SMTPError{Code: 550, Message: "no such mailbox"}
		server.mu.Unlock()
		s.Test.Post(path+"/messages", body, 202, nil)
		if err := w.sendAll(t); err != nil {
			t.Error(err)
		}

		m := messagesOf(s, path)[0]
		assert.Equal(t, m.Status, messages.Failed)
		assert.Equal(t, m.ErrorCode, new("refused"))
	})
}

// An email about a boat shows it with its price and photo, is signed by the user who
// works the lead, and answers go to that user.
func TestEmailAboutBoat(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		server := &mailServer{}
		w := newWorker(t, s, server.start(t), nil)
		hull := s.Test.Hull(s.Test.Location(), map[string]any{"make": "Lund", "model": "Rebel 1650", "price_usd": 24900})
		s.Test.Photo(hull)
		path := leadWithConsent(s, map[string]any{"email": "ann@example.com"})
		s.Test.Patch(path, map[string]any{"hull_id": hull}, 200, nil)
		owner := s.Test.User(map[string]any{"name": "Uma Sy", "email": "uma@example.com"})
		s.Exec(`UPDATE users SET status = 'active' WHERE id = ?`, owner)
		s.Test.Post(path+"/assign", map[string]any{"user_id": owner}, 200, nil)

		send := func() (*netmail.Message, map[string]string) {
			t.Helper()
			before := len(server.messages())
			s.Test.Post(path+"/messages", `{"channel":"email","purpose":"transactional","subject":"Your boat","body":"She is ready."}`, 202, nil)
			if err := w.sendAll(t); err != nil || len(server.messages()) != before+1 {
				t.Fatalf("got %v and %d messages; want no error and %d", err, len(server.messages()), before+1)
			}
			email, err := netmail.ReadMessage(strings.NewReader(string(server.messages()[before])))
			if err != nil {
				t.Fatal(err)
			}
			return email, parts(t, email)
		}

		email, forms := send()
		assert.Contains(t, email.Header.Get("Reply-To"), "<uma@example.com>")
		for _, want := range []string{"Lund Rebel 1650", "$24,900", "Uma Sy"} {
			assert.Contains(t, forms["text/plain"], want)
			assert.Contains(t, forms["text/html"], want)
		}
		assert.Contains(t, email.Header.Get("From"), `"Acme Marine" <`)
		assert.Excludes(t, forms["text/plain"], "boats.example.com")
		assert.Contains(t, forms["text/html"], "cid:boat")
		assert.Contains(t, forms["image/jpeg"], "\xff\xd8")

		// A boat on the dealer's website has a link to its page.
		var site struct{ ID string }
		s.Test.Post("/v1/channels", `{"name": "Website", "kind": "website", "listing_url": "https://boats.example.com/{hull_id}"}`, 201, &site)
		s.Test.Put("/v1/hulls/"+hull+"/syndication/"+site.ID, nil, 200, nil)
		_, forms = send()
		assert.Contains(t, forms["text/plain"], "https://boats.example.com/"+hull)
		assert.Contains(t, forms["text/html"], `href="https://boats.example.com/`+hull)

		// The location of the lead was deleted.
		s.Exec(`UPDATE leads SET location_id = 'loc_01jcqz8t5n8m2x4v6b7c9d0e1f'`)
		_, forms = send()
		assert.Contains(t, forms["text/plain"], "Uma Sy")

		// A boat that is sold or has a hidden price is not advertised.
		s.Exec(`UPDATE hulls SET price_hidden = true`)
		_, forms = send()
		assert.Contains(t, forms["text/plain"], "Call for the price")
		s.Exec(`UPDATE hulls SET status = 'sold'`)
		_, forms = send()
		assert.Excludes(t, forms["text/plain"], "Rebel")

		// If the dealership receives email in Slipway, answers go to its address.
		s.Test.Patch("/v1/dealership", `{"settings":{"inbound":{"email_secret":"whsec_`+strings.Repeat("QUJD", 8)+`"}}}`, 200, nil)
		email, _ = send()
		assert.Contains(t, email.Header.Get("Reply-To"), "<noreply@example.com>")
	})
}
