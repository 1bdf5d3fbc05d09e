package crm

import (
	"testing"
	"time"

	"slipway/internal/consent"
	"slipway/internal/messages"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

// The reach explains the send check. blockCode compares their codes in each test that
// sends messages.
func TestReach(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		contact := s.Test.Contact(map[string]any{"timezone": "America/New_York"})
		lead := s.Test.Lead(map[string]any{"contact_id": contact})
		path := "/v1/leads/" + lead
		assert.Equal(t, *reachOf(t, s, path, "sms", "marketing").Code, "consent_missing")

		var c, r consent.Consent
		s.Test.Post(path+"/consents", `{"channels":["sms","email"],"scope":"all","basis":"express_written","consent_text":"I agree."}`, 201, &c)
		got := reachOf(t, s, path, "sms", "marketing")
		assert.Equal(t, got, messages.ReachCheck{
			Channel: "sms", Purpose: "marketing", Allowed: true, Reason: "The recipient gave consent.", Address: c.Address,
			ConsentID: &c.ID, Basis: new(consent.ExpressWritten), Since: new(c.CapturedAt),
		})

		s.Advance(12 * time.Hour) // 1:00 AM
		quiet := reachOf(t, s, path, "sms", "marketing")
		var m messages.LeadMessage
		s.Test.Post(path+"/messages", `{"channel":"sms","purpose":"marketing","body":"New boats"}`, 202, &m)
		assert.Equal(t, quiet.QuietUntil, m.ScheduledFor, "until it is sent")
		assert.Equal(t, quiet.Allowed, true)
		assert.Equal(t, reachOf(t, s, path, "sms", "transactional").QuietUntil, nil)

		s.Test.Post(path+"/inbound_messages", map[string]any{"channel": "sms", "from": *c.Address, "body": "STOP"}, 201, nil)
		stopped := reachOf(t, s, path, "sms", "transactional")
		assert.Equal(t, *stopped.Code, "consent_revoked")
		var records page.Page[consent.Consent]
		s.Test.Get(path+"/consents", 200, &records)
		assert.Equal(t, *stopped.ConsentID, records.Data[0].ID)
		assert.Equal(t, *stopped.Since, records.Data[0].CapturedAt, "when STOP was received")
		assert.Equal(t, reachOf(t, s, path, "email", "transactional").Allowed, true)
		s.Test.Post(path+"/consents/"+c.ID+"/revoke", nil, 200, &r)
		assert.Equal(t, reachOf(t, s, path, "email", "transactional").ConsentID, &r.ID)

		n := testkit.Rows[int64](s, `SELECT COUNT(*) FROM messages WHERE status = 'blocked'`)[0]
		assert.Equal(t, n, 0, "reads only")
		s.Test.Delete("/v1/contacts/"+contact, 204)
		assert.Equal(t, *reachOf(t, s, path, "sms", "transactional").Code, "recipient_invalid")
	})
}
