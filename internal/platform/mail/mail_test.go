package mail

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"slipway/internal/testkit/assert"
)

var letter = Message{
	From: "Slipway <noreply@example.com>", To: "uma@example.org", Token: "invitation-abc",
	Subject: "Willkommen an Bord: Möwe & Söhne", Text: "Hello Uma,\n\nyour boat is ready — at last.\n" + strings.Repeat("a long line ",
		20) + "\n",
}

// parsed reads a message as a mail reader does.
func parsed(t *testing.T, text []byte) (header mail.Header, parts map[string]string) {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(string(text)))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	parts = map[string]string{}
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(kind, "multipart/") {
		parts[kind] = decode(t, m.Header.Get("Content-Transfer-Encoding"), m.Body)
		return m.Header, parts
	}
	for r := multipart.NewReader(m.Body, params["boundary"]); ; {
		p, err := r.NextRawPart()
		if err == io.EOF { //nolint:errorlint // never wrapped
			return m.Header, parts
		}
		if err != nil {
			t.Fatal(err)
		}
		kind, _, err := mime.ParseMediaType(p.Header.Get("Content-Type"))
		if err != nil {
			t.Fatal(err)
		}
		parts[kind] = decode(t, p.Header.Get("Content-Transfer-Encoding"), p)
	}
}

func decode(t *testing.T, encoding string, r io.Reader) string {
	t.Helper()
	if encoding == "quoted-printable" {
		r = quotedprintable.NewReader(r)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

func subject(t *testing.T, h mail.Header) string {
	t.Helper()
	s, err := new(mime.WordDecoder).DecodeHeader(h.Get("Subject"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// isLetter fails unless a message reads as the letter was written.
func isLetter(t *testing.T, text []byte) {
	t.Helper()
	h, parts := parsed(t, text)
	from, err := h.AddressList("From")
	assert.NoError(t, err)
	assert.Len(t, from, 1)
	assert.Equal(t, from[0].Address, "noreply@example.com")
	assert.Equal(t, from[0].Name, "Slipway")
	to, err := h.AddressList("To")
	assert.NoError(t, err)
	assert.Len(t, to, 1)
	assert.Equal(t, to[0].Address, letter.To)
	if at, err := h.Date(); err != nil || time.Since(at).Abs() > time.Hour {
		t.Errorf("dated %s, %v; want no error, time.Since(at).Abs() <= time.Hour", at, err)
	}
	assert.Equal(t, subject(t, h), letter.Subject)
	assert.Equal(t, h.Get("Message-ID"), "<invitation-abc@example.com>")
	assert.Equal(t, parts["text/plain"], letter.Text)
}

func TestOutbox(t *testing.T) {
	o := Outbox{filepath.Join(t.TempDir(), "data", "outbox")}
	for range 2 { // a repeat is the same message
		if err := o.Send(t.Context(), letter); err != nil {
			t.Fatal(err)
		}
	}
	files, err := os.ReadDir(o.Folder)
	assert.NoError(t, err)
	assert.Len(t, files, 1)
	assert.Equal(t, files[0].Name(), "invitation-abc.eml")
	if info, err := os.Stat(o.Folder); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("other users can read links that set passwords: got %v, %v; want no error, info.Mode().Perm() = 0o700", info.Mode(), err)
	}
	text, err := os.ReadFile(filepath.Join(o.Folder, files[0].Name()))
	if err != nil {
		t.Fatal(err)
	}
	isLetter(t, text)
	if h, _ := parsed(t, text); h.Get("X-Mailer") != "" || h.Get("User-Agent") != "" {
		t.Errorf("headers %v; want no X-Mailer and no User-Agent", h)
	}
	if !strings.Contains(string(text), letter.Text[:20]) {
		t.Errorf("got %s; want text without an encoding, so that you can copy a link", text)
	}
}

func TestBothForms(t *testing.T) {
	o, m := Outbox{t.TempDir()}, letter
	m.HTML = `<p>Hello <b>Uma</b> — welcome</p>`
	if err := o.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(o.Folder, "invitation-abc.eml"))
	if err != nil {
		t.Fatal(err)
	}
	h, parts := parsed(t, text)
	assert.Equal(t, strings.HasPrefix(h.Get("Content-Type"), "multipart/alternative"), true)
	assert.Equal(t, parts["text/plain"], m.Text)
	assert.Equal(t, parts["text/html"], m.HTML)
}

// A reader's button ends such messages without asking more.
func TestOneClick(t *testing.T) {
	o, m := Outbox{t.TempDir()}, letter
	m.Unsubscribe = "https://boats.example.com/unsubscribe/" + strings.Repeat("abcdefghij", 12)
	if err := o.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(o.Folder, "invitation-abc.eml"))
	if err != nil {
		t.Fatal(err)
	}
	h, _ := parsed(t, text)
	assert.Equal(t, h.Get("List-Unsubscribe"), "<"+m.Unsubscribe+">")
	assert.Equal(t, h.Get("List-Unsubscribe-Post"), "List-Unsubscribe=One-Click")
}

// What people write into names and subjects stays there.
func TestNoHeaderIsSmuggledIn(t *testing.T) {
	o := Outbox{t.TempDir()}
	for name, change := range map[string]func(*Message){
		"in the subject":         func(m *Message) { m.Subject = "Hi\r\nBcc: eve@example.net\r\n\r\nBuy now" },
		"in the sender's name":   func(m *Message) { m.From = "\"Acme\r\nBcc: eve@example.net\" <noreply@example.com>" },
		"in the recipient":       func(m *Message) { m.To = "uma@example.org\r\nBcc: eve@example.net" },
		"a second recipient":     func(m *Message) { m.To = "uma@example.org, eve@example.net" },
		"no recipient":           func(m *Message) { m.To = "" },
		"a sender of no address": func(m *Message) { m.From = "Slipway" },
	} {
		m := letter
		change(&m)
		if err := o.Send(t.Context(), m); err != nil {
			continue // rejecting it is fine
		}
		text, err := os.ReadFile(filepath.Join(o.Folder, "invitation-abc.eml"))
		if err != nil {
			t.Fatal(err)
		}
		h, parts := parsed(t, text)
		to, err := h.AddressList("To")
		assert.Equal(t, h.Get("Bcc"), "", name)
		assert.NoError(t, err, name)
		assert.Len(t, to, 1, name)
		assert.Equal(t, to[0].Address, letter.To, name)
		assert.Equal(t, parts["text/plain"], letter.Text, name)
	}
}

func TestAddressOfSMTP(t *testing.T) {
	for address, want := range map[string]string{
		"smtp://mail.example.com":                    "mail.example.com:587",
		"smtp://user:password@mail.example.com:2525": "mail.example.com:2525",
		"smtps://mail.example.com":                   "mail.example.com:465",
		"smtps://mail.example.com:4650":              "mail.example.com:4650",
		"smtp://localhost:1025?starttls=off":         "localhost:1025",
		"":                                           "",
		"mail.example.com:587":                       "",
		"http://user:hunter2@mail.example.com":       "",
		"smtp://user:hunter2@":                       "",
		"smtp://user:hunter2@mail.example.com:port":  "",
		"smtp://user:hunter2@mail.example.com:99999": "",
	} {
		s, err := NewSMTP(address)
		switch {
		case want == "" && err == nil:
			t.Errorf("%s is taken", address)
		case want == "" && strings.Contains(err.Error(), "hunter2"):
			t.Errorf("%s: the password is in the complaint: %v", address, err)
		case want != "" && (err != nil || s.client.ServerAddr() != want):
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestSMTP(t *testing.T) {
	for name, c := range map[string]struct {
		server *postOffice
		url    string // with the server's port for PORT
		to     string // another recipient
		fails  bool
		tls    bool
		user   string
	}{
		"STARTTLS": {server: &postOffice{startTLS: true}, url: "smtp://localhost:PORT", tls: true},
		"STARTTLS and a password": {server: &postOffice{startTLS: true, auth: true}, url: "smtp://slipway:p%40ss@localhost:PORT",
			tls: true, user: "slipway"},
		"TLS from the start": {server: &postOffice{tls: true, auth: true}, url: "smtps://slipway:p%40ss@localhost:PORT",
			tls: true, user: "slipway"},
		"in the clear, as asked": {server: &postOffice{}, url: "smtp://localhost:PORT?starttls=off"},
		"a wrong password": {server: &postOffice{startTLS: true, auth: true}, url: "smtp://slipway:guess@localhost:PORT",
			fails: true},
		"no password where one is needed":     {server: &postOffice{startTLS: true, auth: true}, url: "smtp://localhost:PORT", fails: true},
		"no STARTTLS":                         {server: &postOffice{}, url: "smtp://localhost:PORT", fails: true},
		"no STARTTLS, and a password to lose": {server: &postOffice{auth: true}, url: "smtp://slipway:p%40ss@localhost:PORT", fails: true},
		"no TLS from the start":               {server: &postOffice{}, url: "smtps://localhost:PORT", fails: true},
		"a certificate of another host":       {server: &postOffice{startTLS: true, wrongHost: true}, url: "smtp://localhost:PORT", fails: true},
		"a rejected recipient": {server: &postOffice{startTLS: true}, url: "smtp://localhost:PORT", to: "unknown@example.org",
			fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			port := c.server.open(t)
			s, err := NewSMTP(strings.Replace(c.url, "PORT", port, 1))
			if err != nil {
				t.Fatal(err)
			}
			m := letter
			if c.to != "" {
				m.To = c.to
			}
			err = s.Send(t.Context(), m)
			got := c.server.delivered()
			if c.fails {
				if err == nil || len(got) != 0 || c.server.passwords() > 0 && !c.server.startTLS {
					t.Errorf("got %v, %d delivered, %d passwords sent; want an error, none delivered, no password without TLS", err, len(got),
						c.server.passwords())
				}
				if IsRejected(err) != (c.to != "") { // a problem of the configuration is not a problem of the message
					t.Errorf("permanently rejected: got %t, %v, want %v", IsRejected(err), err, (c.to != ""))
				}
				return
			}
			assert.NoError(t, err)
			assert.Len(t, got, 1)
			if d := got[0]; d.from != "noreply@example.com" || len(d.to) != 1 || d.to[0] != letter.To || d.tls != c.tls || d.user != c.user {
				t.Errorf(`delivered %+v; want d.from = "noreply@example.com", len(d.to) = 1, d.to[0] = %q, d.tls = %v, d.user = %q`, d, letter.To,
					c.tls, c.user)
			}
			isLetter(t, got[0].text)
		})
	}
}

// Check signs in and sends nothing.
func TestSMTPCheck(t *testing.T) {
	for name, c := range map[string]struct {
		server *postOffice
		url    string
		fails  bool
	}{
		"a password":       {&postOffice{startTLS: true, auth: true}, "smtp://slipway:p%40ss@localhost:PORT", false},
		"a wrong password": {&postOffice{startTLS: true, auth: true}, "smtp://slipway:guess@localhost:PORT", true},
		"no STARTTLS":      {&postOffice{}, "smtp://localhost:PORT", true},
	} {
		s, err := NewSMTP(strings.Replace(c.url, "PORT", c.server.open(t), 1))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Check(t.Context()); (err != nil) != c.fails || len(c.server.delivered()) != 0 {
			t.Errorf("%s: got error %v and %d messages, want an error: %t, and no message", name, err, len(c.server.delivered()), c.fails)
		}
	}
}

// Jobs send concurrently with one sender. A canceled one ends.
func TestSMTPAtOnce(t *testing.T) {
	p := postOffice{startTLS: true}
	s, err := NewSMTP("smtp://localhost:" + p.open(t))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := s.Send(t.Context(), letter); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(p.delivered()); n != 8 {
		t.Errorf("got %d of 8 arrived, want 8", n)
	}
	off, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Send(off, letter); err == nil {
		t.Error("sent, though it was called off")
	}
}

// A server that received the whole message and doesn't answer might deliver it. A server
// that answers, or that ends the connection before, does not.
func TestSMTPDoesNotAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		at         string // command, or . for the end of the message, after which the server ends the connection
		answer     string // to the message
		unanswered bool
	}{
		"after the message":  {".", "", true},
		"in the message":     {"DATA", "", false},
		"before the message": {"RCPT", "", false},
		"at the start":       {"EHLO", "", false},
		"accepted":           {"", "250 ok", false},
		"busy":               {"", "451 later", false},
		"rejected":           {"", "550 no", false},
	} {
		l, err := net.Listen("tcp", "localhost:0")
		if err != nil {
			t.Fatal(err)
		}
		go scripted(l, c.at, c.answer)
		_, port, err := net.SplitHostPort(l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewSMTP("smtp://localhost:" + port + "?starttls=off")
		if err != nil {
			t.Fatal(err)
		}
		err = s.Send(t.Context(), letter)
		if got := IsUnanswered(err); got != c.unanswered || (err == nil) != (name == "accepted") {
			t.Errorf("%s: got %v, unanswered %t; want unanswered %t", name, err, got, c.unanswered)
		}
		_ = l.Close()
	}
}

// scripted is a mail server that ends the connection at a command.
func scripted(l net.Listener, at, answer string) {
	conn, err := l.Accept()
	if err != nil {
		return
	}
	defer conn.Close()
	_, _ = fmt.Fprint(conn, "220 localhost\r\n")
	inMessage := false
	for in := bufio.NewScanner(conn); in.Scan(); {
		verb, _, _ := strings.Cut(in.Text(), " ")
		verb, _, _ = strings.Cut(verb, ":")
		response := "250 ok"
		switch {
		case inMessage && verb != ".":
			continue
		case inMessage:
			inMessage, response = false, answer
		case verb == "DATA":
			inMessage, response = true, "354 go on"
		}
		if verb == at {
			return
		}
		_, _ = fmt.Fprint(conn, response+"\r\n")
	}
}
