package crm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"slipway/internal/platform/jobs"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"slipway/internal/consent"
	"slipway/internal/messages"
	"slipway/internal/platform/mail"
	"slipway/internal/platform/sms"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

// leadWithConsent creates a lead that consents to everything and returns its path.
func leadWithConsent(s *testkit.Server, changes map[string]any) (path string) {
	path = "/v1/leads/" + s.Test.Lead(map[string]any{"contact_id": s.Test.Contact(changes)})
	s.Test.Post(path+"/consents", `{"channels":["sms","email"],"scope":"all","basis":"express_written",
		"consent_text":"I agree to texts and email from Acme Marine."}`, 201, nil)
	return path
}

// messagesOf returns all messages of a lead, newest first.
func messagesOf(s *testkit.Server, path string) []messages.LeadMessage {
	var p page.Page[messages.LeadMessage]
	s.Test.Get(path+"/messages?limit=100", 200, &p)
	return p.Data
}

// noon returns a time that is outside quiet hours everywhere in America.
func noon(s *testkit.Server) time.Time {
	return s.DB.Now().UTC().Truncate(24 * time.Hour).Add(42 * time.Hour)
}

// setClock moves the service's clock forward to a moment.
func setClock(t *testing.T, s *testkit.Server, at time.Time) {
	t.Helper()
	by := at.Sub(s.DB.Now())
	if by < 0 {
		t.Fatalf("can't move the clock back by %s", -by)
	}
	s.Advance(by)
}

// worker runs the jobs of messages with the senders of the test.
type worker struct {
	*messages.API
	s   *testkit.Server
	env auth.Env
}

func newWorker(t *testing.T, s *testkit.Server, m mail.Sender, text sms.Sender) *worker {
	t.Helper()
	return &worker{&messages.API{
		DB: s.DB, Jobs: s.Jobs, Log: slog.New(slog.DiscardHandler), Mail: m, MailFrom: "Slipway <noreply@example.com>", SMS: text, SMSFrom: "+14105550100",
		Blobs: s.Photos().Blobs,
	}, s, s.TestEnv()}
}

// sendAll runs the job of each pending message and joins the errors.
func (w *worker) sendAll(t *testing.T) (err error) {
	t.Helper()
	for _, id := range testkit.Rows[string](w.s, `SELECT id FROM messages WHERE status IN ('queued', 'scheduled') ORDER BY id`) {
		err = errors.Join(err, jobs.Run(t.Context(), w.SendMessage, messages.SendMessage{Env: w.env, MessageID: id}))
	}
	return err
}

// textProvider is a provider of text messages. It returns the next errors first.
type textProvider struct {
	mu       sync.Mutex
	received []sms.Message
	next     []error
	status   error // of accepted messages; nil means delivered

	unreachable error  // the answer to Sent
	silent      int    // the number of messages to accept without an answer
	during      func() // runs while the provider accepts a message
}

func (p *textProvider) Status(context.Context, string) (sms.Status, error) {
	return sms.Delivered, p.status
}

func (p *textProvider) Name() string { return "network" }

func (p *textProvider) Send(_ context.Context, m sms.Message) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.next) > 0 {
		err := p.next[0]
		if p.next = p.next[1:]; err != nil {
			return "", err
		}
	}
	p.received = append(p.received, m)
	if p.during != nil {
		p.during()
	}
	if p.silent > 0 {
		p.silent--
		return "", &sms.Unanswered{Err: errors.New("timeout")}
	}
	return "net-" + m.Token, nil
}

func (p *textProvider) messages() []sms.Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.received)
}

// mailServer is an SMTP server that collects the emails it receives.
type mailServer struct {
	mu       sync.Mutex
	received [][]byte
	reject   error // returned for the next recipient
}

// start serves until the test ends and returns a sender for it.
func (p *mailServer) start(t *testing.T) mail.Sender {
	t.Helper()
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return session{p}, nil }))
	server.Domain, server.ErrorLog = "localhost", log.New(io.Discard, "", 0)
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}

	stopped := make(chan error, 1)
	go func() { stopped <- server.Serve(l) }()
	t.Cleanup(func() {
		_ = server.Close() // returns the same error as Serve
		<-stopped
	})

	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}

	sender, err := mail.NewSMTP("smtp://localhost:" + port + "?starttls=off")
	if err != nil {
		t.Fatal(err)
	}
	return sender
}

func (p *mailServer) messages() [][]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.received)
}

type session struct{ server *mailServer }

func (session) Mail(string, *smtp.MailOptions) error { return nil }
func (session) Reset()                               {}
func (session) Logout() error                        { return nil }

func (v session) Rcpt(string, *smtp.RcptOptions) error {
	v.server.mu.Lock()
	defer v.server.mu.Unlock()
	err := v.server.reject
	v.server.reject = nil
	return err
}

func (v session) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	v.server.mu.Lock()
	defer v.server.mu.Unlock()
	v.server.received = append(v.server.received, text)
	return err
}

// outbox returns the text messages in the outbox folder of the service.
func outbox(t *testing.T, s *testkit.Server) (texts []map[string]string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.Data, "outbox", "*.sms.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var m map[string]string
		if json.Unmarshal(text, &m) == nil { // else it is still being written
			texts = append(texts, m)
		}
	}
	return texts
}

// consentsOf returns all consent records of a lead, newest first.
func consentsOf(s *testkit.Server, path string) []consent.Consent {
	var p page.Page[consent.Consent]
	s.Test.Get(path+"/consents?limit=100", 200, &p)
	return p.Data
}

// reachOf returns what the send check would decide about a message.
func reachOf(t *testing.T, s *testkit.Server, path, channel, purpose string) messages.ReachCheck {
	t.Helper()
	var r messages.LeadReach
	s.Test.Get(strings.Replace(path, "/v1/", "/v2-preview/", 1)+"/reach", 200, &r)
	for _, c := range r.Checks {
		if string(c.Channel) == channel && string(c.Purpose) == purpose {
			assert.Equal(t, c.Allowed, c.Code == nil, channel, purpose)
			if !strings.HasSuffix(c.Reason, ".") {
				t.Errorf("got reason %q, want a sentence", c.Reason)
			}
			return c
		}
	}
	t.Fatalf("got %+v, want %s and %s", r.Checks, channel, purpose)
	return messages.ReachCheck{}
}

// blockCode sends a message and returns the code that blocked it, or "" if it
// was accepted. The reach of the lead must be the same.
func blockCode(t *testing.T, s *testkit.Server, path, channel, purpose string) string {
	t.Helper()
	body := map[string]any{"channel": channel, "purpose": purpose, "body": "She is ready."}
	if channel == "email" {
		body["subject"] = "Your boat"
	}
	reach := reachOf(t, s, path, channel, purpose)

	res, err := s.Test.Send("POST", path+"/messages", body)
	if err != nil {
		t.Fatal(err)
	}

	switch res.StatusCode {
	case 202:
		assert.Equal(t, reach.Code, nil, "reach of an accepted message")
		return ""
	case 422:
		f := res.Fault(t)
		assert.Equal(t, reach.Code, new(f.Details[0].Code), "reach of a blocked message")
		m := messagesOf(s, path)[0]
		assert.Equal(t, m.Status, messages.Blocked, "stored message")
		assert.Equal(t, m.BlockReason, new(f.Details[0].Code), "stored message")
		assert.Contains(t, f.Message, m.ID, "stored message")
		return f.Details[0].Code
	}

	t.Fatalf("%d %s", res.StatusCode, res.Bytes)
	return ""
}

// Sent returns the IDs of the messages with the same text that were accepted.
func (p *textProvider) Sent(_ context.Context, m sms.Message, _ time.Time) (ids []string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.received {
		if r.To == m.To && r.Text == m.Text {
			ids = append(ids, "net-"+r.Token)
		}
	}
	return ids, p.unreachable
}
