package crm

import (
	"fmt"
	"testing"

	"slipway/internal/messages"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// The results of SPF, DKIM and DMARC are stored with an email. Only DMARC verifies the sender,
// and results that make no sense don't lose an email.
func TestEmailAuthentication(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := newProvider(t, s, s.Test, ownNumber, twilioToken)
		path := leadWithConsent(s, map[string]any{"email": "ann@example.com"})
		for i, c := range []struct {
			sent     string
			want     string // the three results, or "" for none
			verified bool
		}{
			{`{"spf":"pass","dkim":"pass","dmarc":"pass"}`, "pass pass pass", true},
			{`{"dmarc":"PASS"}`, "none none pass", true},
			{`{"spf":"pass","dkim":"pass","dmarc":"fail"}`, "pass pass fail", false},
			{`{"spf":"softfail","dkim":"temperror","dmarc":"none"}`, "fail none none", false},
			{`{"spf":7,"dmarc":"pass ed"}`, "none none none", false},
			{`"pass"`, "none none none", false},
			{`null`, "", false},
		} {
			p.mail(fmt.Sprint("id_", i), fmt.Sprintf(`{"authentication":%s,"from":"ann@example.com","text":"Hello %d"}`, c.sent, i), 204)
			m := messagesOf(s, path)[0]
			assert.Equal(t, *m.Body, fmt.Sprint("Hello ", i))
			got := ""
			if a := m.Authentication; a != nil {
				got = fmt.Sprintf("%s %s %s", a.SPF, a.DKIM, a.DMARC)
			}
			assert.Equal(t, got, c.want, c.sent)
			assert.Equal(t, m.SenderVerified, &c.verified, c.sent)
		}

		var m messages.LeadMessage
		s.Test.Post(path+"/inbound_messages", `{"channel":"email","from":"ann@example.com","body":"Hi","authentication":{"dmarc":"pass"}}`, 201, &m)
		assert.Equal(t, m.SenderVerified, new(true))
		s.Test.Post(path+"/inbound_messages", `{"channel":"sms","from":"+14105550123","body":"Hi"}`, 201, &m)
		assert.Equal(t, m.SenderVerified, nil)
		s.Test.Post(path+"/inbound_messages", `{"channel":"sms","from":"+14105550123","body":"Hi","authentication":{"dmarc":"pass"}}`, 422, nil)
		s.Test.Post(path+"/inbound_messages", `{"channel":"email","from":"ann@example.com","body":"Hi","authentication":{"dmarc":"maybe"}}`, 422, nil)
	})
}
