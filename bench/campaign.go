package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/google/uuid"

	"slipway/internal/testkit/postgres"
)

// The size of the campaign, how often the server is killed meanwhile, and how long the mail
// server takes for an email.
const (
	campaignRecipients = 10_000
	campaignKills      = 5
	mailTakes          = 5 * time.Millisecond
)

// sentCampaign is a campaign that was sent while its server was killed again and again.
type sentCampaign struct {
	database   string
	recipients int
	kills      int
	took       time.Duration
	received   int   // addresses that got the email
	doubled    int   // that got it more than once
	unknown    int64 // messages that the server was sending when it was killed
}

// exact reports whether nobody got two emails, and everyone who got none is known.
func (s sentCampaign) exact() bool {
	return s.doubled == 0 && s.received <= s.recipients && s.received+int(s.unknown) >= s.recipients
}

// sendCampaigns sends an email to ten thousand people on both databases.
func sendCampaigns(ctx context.Context, o options, r *report) error {
	if o.includes("campaign/sqlite") {
		if err := sendCampaign(ctx, o, r, sqliteIn(filepath.Join(o.temp, "campaign"))); err != nil {
			return err
		}
	}
	if !o.includes("campaign/postgres") {
		return nil
	}
	cluster, err := postgres.Start(ctx, postgres.Durable())
	if err != nil {
		return err
	}
	defer cluster.Stop()
	d, err := postgresIn(ctx, cluster, "campaign", filepath.Join(o.temp, "campaign-postgres"))
	if err != nil {
		return err
	}
	return sendCampaign(ctx, o, r, d)
}

func sendCampaign(ctx context.Context, o options, r *report, d database) (err error) {
	m, err := startMailServer()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.server.Close()) }()
	set := []string{"SLIPWAY_SMTP_URL=smtp://" + m.address + "?starttls=off", "SLIPWAY_MAIL_FROM=sales@bench.example"}
	if d.settings.DatabaseURL != "" {
		set = append(set, "SLIPWAY_DATABASE_URL="+d.settings.DatabaseURL)
	}
	inv, err := bootstrap(ctx, d)
	if err != nil {
		return err
	}
	p, err := startSlipway(ctx, o, d.settings.Data, false, set...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.stop()) }()

	c := &campaigner{key: inv.key, base: p.base}
	progress("campaign on %s: %d leads with consent", d.name, campaignRecipients)
	if err := c.addLeads(ctx); err != nil {
		return err
	}
	path, err := c.start(ctx)
	if err != nil {
		return err
	}

	begin, seed := time.Now(), rand.Uint64()
	progress("campaign on %s: sending, seed %d", d.name, seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for kill := range campaignKills {
		if err := m.wait(ctx, campaignRecipients*(kill+1)/(campaignKills+1)+rng.IntN(300)); err != nil {
			return err
		}
		if err := errors.Join(p.command.Process.Kill(), drain(p.exited)); err != nil {
			return err
		}
		if p, err = startSlipway(ctx, o, d.settings.Data, false, set...); err != nil {
			return err
		}
		c.base = p.base
	}
	result := sentCampaign{database: d.name, recipients: campaignRecipients, kills: campaignKills}
	if result.unknown, err = c.end(ctx, path); err != nil {
		return err
	}
	result.took = time.Since(begin)
	result.received, result.doubled = m.count()
	r.campaigns = append(r.campaigns, result)
	return nil
}

// drain waits until a killed process has ended.
func drain(exited <-chan error) error {
	<-exited // it says that it was killed
	return nil
}

// campaigner makes leads and sends campaigns to them.
type campaigner struct{ key, base string }

// call sends a request and decodes the response.
func (c *campaigner) call(ctx context.Context, method, path string, body map[string]any, out any) error {
	req, err := newJSON(ctx, method, c.base+path, "Bearer "+c.key, body)
	if err != nil {
		return err
	}
	if method != http.MethodGet {
		req.Header.Set("Idempotency-Key", uuid.NewString())
	}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: status %d: %.300s", method, path, res.StatusCode, text)
	}
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal(text, out)
}

// create creates an object and returns its ID.
func (c *campaigner) create(ctx context.Context, path string, body map[string]any) (string, error) {
	var o struct{ ID string }
	err := c.call(ctx, http.MethodPost, path, body, &o)
	return o.ID, err
}

// addLeads creates people with a lead, who agreed to marketing email.
func (c *campaigner) addLeads(ctx context.Context) error {
	numbers, failed := make(chan int), make(chan error, 16)
	var wg sync.WaitGroup
	for range cap(failed) {
		wg.Go(func() {
			for n := range numbers {
				if err := c.addLead(ctx, n); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	defer wg.Wait()
	defer close(numbers)
	for n := range campaignRecipients {
		select {
		case numbers <- n:
		case err := <-failed:
			return err
		}
	}
	return nil
}

func (c *campaigner) addLead(ctx context.Context, n int) error {
	contact, err := c.create(ctx, "/v1/contacts", map[string]any{"first_name": "Buyer", "last_name": fmt.Sprint("No ", n), "email": fmt.Sprintf("buyer%d@example.com", n)})
	if err != nil {
		return err
	}
	lead, err := c.create(ctx, "/v1/leads", map[string]any{"contact_id": contact, "source": "web"})
	if err != nil {
		return err
	}
	return c.call(ctx, http.MethodPost, "/v1/leads/"+lead+"/consents", map[string]any{
		"channels": []string{"email"}, "scope": "all", "basis": "express_written", "consent_text": "I agree to email from Bench Marine.",
	}, nil)
}

// start starts a campaign to all leads and returns its path.
func (c *campaigner) start(ctx context.Context) (string, error) {
	if err := c.call(ctx, http.MethodPatch, "/v1/dealership", map[string]any{
		"postal_address": map[string]any{"line1": "1 Harbor Road", "city": "Annapolis", "region": "MD", "postal_code": "21401", "country": "US"},
	}, nil); err != nil {
		return "", err
	}
	template, err := c.create(ctx, "/v2-preview/message_templates", map[string]any{
		"name": "Sale", "channel": "email", "subject": "Sale at {dealership}", "body": "Hi {first_name|there}, our spring sale starts on Saturday."})
	if err != nil {
		return "", err
	}
	segment, err := c.create(ctx, "/v2-preview/lead_segments", map[string]any{"name": "All", "filter": map[string]any{}})
	if err != nil {
		return "", err
	}
	id, err := c.create(ctx, "/v2-preview/campaigns", map[string]any{"name": "Sale", "template_id": template, "segment_id": segment})
	if err != nil {
		return "", err
	}
	path := "/v2-preview/campaigns/" + id
	return path, c.call(ctx, http.MethodPost, path+"/start", map[string]any{}, nil)
}

// end waits until a campaign has ended. It returns how many messages it doesn't know about.
func (c *campaigner) end(ctx context.Context, path string) (unknown int64, err error) {
	for tick := time.Tick(500 * time.Millisecond); ; {
		var results struct {
			Status     string
			Recipients int
			States     []struct {
				Name  string
				Count int64
			}
		}
		if err := c.call(ctx, http.MethodGet, path+"/results", nil, &results); err != nil {
			return 0, err
		}
		counts := map[string]int64{}
		for _, s := range results.States {
			counts[s.Name] = s.Count
		}
		if results.Status == "completed" {
			if counts["excluded"] > 0 || results.Recipients != campaignRecipients {
				return 0, fmt.Errorf("the campaign left out people: %v", counts)
			}
			return counts["unknown"], nil
		}
		select {
		case <-tick:
		case <-ctx.Done():
			return 0, fmt.Errorf("the campaign doesn't end: %v: %w", counts, ctx.Err())
		}
	}
}

// mailServer counts the emails for each address.
type mailServer struct {
	server  *smtp.Server
	address string

	mu    sync.Mutex
	byTo  map[string]int
	total int
}

func startMailServer() (*mailServer, error) {
	m := &mailServer{byTo: map[string]int{}}
	m.server = smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &mailSession{server: m}, nil }))
	m.server.Domain, m.server.ErrorLog = "localhost", log.New(io.Discard, "", 0)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m.address = l.Addr().String()
	go func() { _ = m.server.Serve(l) }() // until it is closed
	return m, nil
}

// wait waits for a number of emails.
func (m *mailServer) wait(ctx context.Context, n int) error {
	for tick := time.Tick(5 * time.Millisecond); ; {
		m.mu.Lock()
		total := m.total
		m.mu.Unlock()
		if total >= n {
			return nil
		}
		select {
		case <-tick:
		case <-ctx.Done():
			return fmt.Errorf("%d of %d emails arrived: %w", total, n, ctx.Err())
		}
	}
}

// count returns how many addresses got an email, and how many got more than one.
func (m *mailServer) count() (received, doubled int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, n := range m.byTo {
		if n > 1 {
			doubled++
		}
	}
	return len(m.byTo), doubled
}

type mailSession struct {
	server *mailServer
	to     string
}

func (*mailSession) Mail(string, *smtp.MailOptions) error { return nil }
func (*mailSession) Reset()                               {}
func (*mailSession) Logout() error                        { return nil }

func (s *mailSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = to
	return nil
}

func (s *mailSession) Data(r io.Reader) error {
	if _, err := io.Copy(io.Discard, r); err != nil {
		return err
	}
	s.server.mu.Lock()
	s.server.byTo[s.to]++
	s.server.total++
	s.server.mu.Unlock()
	time.Sleep(mailTakes) // a kill now leaves an email that was accepted without an answer
	return nil
}

func (r *report) campaignTable() table {
	t := table{
		title: "Campaign",
		note: fmt.Sprintf("An email to %d leads while the server is killed (SIGKILL) %d times. A message that was being sent when the server was killed "+
			"becomes `unknown`, and a person decides. Goal: no one gets two, and everyone else gets one.", campaignRecipients, campaignKills),
		columns: []string{"database", "recipients", "kills", "seconds", "received", "doubled", "unknown", "goal"},
	}
	for _, c := range r.campaigns {
		t.rows = append(t.rows, []string{c.database, fmt.Sprint(c.recipients), fmt.Sprint(c.kills), fmt.Sprintf("%.0f", c.took.Seconds()),
			fmt.Sprint(c.received), fmt.Sprint(c.doubled), fmt.Sprint(c.unknown), mark(c.exact())})
	}
	return t
}
