package crm

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"slipway/internal/dealership"
	"slipway/internal/testkit"
)

const (
	twilioToken = "0123456789abcdef0123456789abcdef"
	emailSecret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
	ownNumber   = "+14105550100"
)

// provider sends requests to the hooks of a dealership.
type provider struct {
	t      *testing.T
	s      *testkit.Server
	twilio string // URLs
	email  string
	token  string
	secret string
}

// newProvider sets up the hooks of the dealership of a client.
func newProvider(t *testing.T, s *testkit.Server, c *testkit.Client, number, token string) *provider {
	t.Helper()
	var d dealership.Dealership
	c.Patch("/v1/dealership", map[string]any{"settings": map[string]any{
		"sender": map[string]any{"sms": number}, "inbound": map[string]any{"twilio_auth_token": token, "email_secret": emailSecret},
	}}, 200, &d)
	return &provider{t, s, d.Settings.Inbound.TwilioURL, d.Settings.Inbound.EmailURL, token, emailSecret}
}

// signTwilio returns the signature that Twilio sends.
func signTwilio(token, address string, form url.Values) string {
	mac := hmac.New(sha1.New, []byte(token))
	mac.Write([]byte(address))
	for _, name := range slices.Sorted(maps.Keys(form)) {
		mac.Write([]byte(name + form.Get(name)))
	}
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// post sends a request to a server and returns the status.
func (p *provider) post(s *testkit.Server, address, kind, body string, headers map[string]string) *testkit.Response {
	p.t.Helper()
	c := s.As("")
	for name, value := range headers {
		c = c.With(name, value)
	}
	res, err := c.Send("POST", strings.TrimPrefix(address, "http://localhost"), testkit.File{Type: kind, Bytes: []byte(body)})
	if err != nil {
		p.t.Fatal(err)
	}
	return res
}

const formType = "application/x-www-form-urlencoded"

// send sends a signed form and checks the status.
func (p *provider) send(form url.Values, want int) {
	p.t.Helper()
	p.sendTo(p.s, form, want)
}

func (p *provider) sendTo(s *testkit.Server, form url.Values, want int) {
	p.t.Helper()
	res := p.post(s, p.twilio, formType, form.Encode(), map[string]string{"X-Twilio-Signature": signTwilio(p.token, p.twilio, form)})
	if res.StatusCode != want {
		p.t.Errorf("%s: got %d %s, want %d", form.Encode(), res.StatusCode, res.Bytes, want)
	}
}

// text returns the form of a text message.
func text(sid, from, to, body string) url.Values {
	return url.Values{"MessageSid": {sid}, "SmsSid": {sid}, "AccountSid": {"AC1"}, "From": {from}, "To": {to}, "Body": {body},
		"NumMedia": {"0"}, "SmsStatus": {"received"}, "FromCity": {"ANNAPOLIS"}}
}

// receipt returns the form of a delivery receipt.
func receipt(sid, status, code string) url.Values {
	form := url.Values{"MessageSid": {sid}, "MessageStatus": {status}, "SmsStatus": {status}, "From": {ownNumber}, "To": {"+14105550123"}}
	if code != "" {
		form.Set("ErrorCode", code)
	}
	return form
}

// mail sends a signed email and checks the status.
func (p *provider) mail(id, body string, want int) {
	p.t.Helper()
	p.mailAt(id, body, p.s.DB.Now(), want)
}

// adf sends a signed ADF document and checks the status.
func (p *provider) adf(id, body string, want int) {
	p.t.Helper()
	p.signed("application/x-adf+xml", id, body, p.s.DB.Now(), want)
}

func (p *provider) mailAt(id, body string, at time.Time, want int) {
	p.t.Helper()
	p.signed("application/json", id, body, at, want)
}

func (p *provider) signed(kind, id, body string, at time.Time, want int) {
	p.t.Helper()
	wh, err := standard.NewWebhook(p.secret)
	if err != nil {
		p.t.Fatal(err)
	}
	signed, err := wh.Sign(id, at, []byte(body))
	if err != nil {
		p.t.Fatal(err)
	}
	res := p.post(p.s, p.email, kind, body, map[string]string{
		"Webhook-Id": id, "Webhook-Timestamp": strconv.FormatInt(at.Unix(), 10), "Webhook-Signature": signed})
	if res.StatusCode != want {
		p.t.Errorf("%s: got %d %s, want %d", body, res.StatusCode, res.Bytes, want)
	}
}

// count returns the number of rows of a table.
func count(s *testkit.Server, from string) int64 {
	return testkit.Rows[int64](s, `SELECT COUNT(*) FROM `+from)[0]
}

// refusals returns the reasons of the rejected requests to hooks.
func refusals(t *testing.T, s *testkit.Server) []string {
	t.Helper()
	if err := s.AuthLog.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	return testkit.Rows[string](s, `SELECT changes FROM audit_entries WHERE action = 'auth.failed' AND target_type = 'inbound_hook'
		ORDER BY id`)
}
