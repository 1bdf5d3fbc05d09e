package crm

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"slipway/internal/campaigns"
	"slipway/internal/leads"
	"slipway/internal/messages"
	"slipway/internal/platform/jobs"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/page"
)

// created creates an object and returns its ID.
func created(s *testkit.Server, path string, body any) string {
	var o struct{ ID string }
	s.Test.Post(path, body, 201, &o)
	return o.ID
}

// newCampaign creates a draft to all open leads and returns its path.
func newCampaign(s *testkit.Server, channel, text string) string {
	template := map[string]any{"name": "Sale", "channel": channel, "body": text}
	if channel == "email" {
		template["subject"] = "Sale at {dealership}"
	}
	return "/v2-preview/campaigns/" + created(s, "/v2-preview/campaigns", map[string]any{
		"name":        "Sale",
		"template_id": created(s, "/v2-preview/message_templates", template),
		"segment_id":  created(s, "/v2-preview/lead_segments", `{"name": "Open leads", "filter": {}}`),
	})
}

// campaigner runs the jobs of campaigns and of their messages.
type campaigner struct {
	*worker
	campaigns.API
}

func newCampaigner(t *testing.T, s *testkit.Server, p *textProvider) *campaigner {
	t.Helper()
	w := newWorker(t, s, nil, p)
	return &campaigner{w, campaigns.API{DB: s.DB, Jobs: s.Jobs, Messages: w.API}}
}

// turn runs the next turn of a campaign.
func (w *campaigner) turn(t *testing.T, path string) {
	t.Helper()
	id := path[strings.LastIndex(path, "/")+1:]
	n := testkit.Rows[int64](w.s, `SELECT turn FROM campaigns WHERE id = '`+id+`'`)[0]
	assert.NoError(t, jobs.Run(t.Context(), w.RunCampaign, campaigns.RunCampaign{Env: w.env, CampaignID: id, Turn: n}))
}

// finish runs turns and sends messages until the campaign has ended.
func (w *campaigner) finish(t *testing.T, path string) {
	t.Helper()
	for range 400 {
		w.turn(t, path)
		assert.NoError(t, w.worker.sendAll(t))
		if statusOf(w.s, path) == campaigns.Completed {
			return
		}
	}
	t.Fatal("the campaign doesn't end")
}

func statusOf(s *testkit.Server, path string) campaigns.Status {
	var c campaigns.Campaign
	s.Test.Get(path, 200, &c)
	return c.Status
}

func resultsOf(s *testkit.Server, path string) (r campaigns.CampaignResults) {
	s.Test.Get(path+"/results", 200, &r)
	return r
}

func counts(all []campaigns.CampaignCount) map[string]int64 {
	m := map[string]int64{}
	for _, c := range all {
		m[c.Name] = c.Count
	}
	return m
}

func previewOf(s *testkit.Server, path string) (p campaigns.CampaignAudience) {
	s.Test.Get(path+"/preview", 200, &p)
	return p
}

// A preview says who gets a campaign, and who doesn't and why. The results say the same.
func TestCampaign(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		s.Test.Patch("/v1/dealership", `{"settings":{"sender":{"sms":"+14105550100"}}}`, 200, nil)
		ann := leadWithConsent(s, map[string]any{"first_name": "Ann", "last_name": "Bell", "phone": "+14105550101", "email": "ann@example.com"})
		twin := leadWithConsent(s, map[string]any{"first_name": "Anne", "last_name": "Bell", "phone": "+14105550101", "email": "anne@example.com"})
		listed := leadWithConsent(s, map[string]any{"last_name": "Listed", "phone": "+14105550102", "email": "listed@example.com"})
		out := leadWithConsent(s, map[string]any{"last_name": "Out", "phone": "+14105550103", "email": "out@example.com"})
		s.Test.Post(out+"/inbound_messages", `{"channel":"sms","from":"+14105550103","body":"STOP"}`, 201, nil)
		oral := "/v1/leads/" + s.Test.Lead(map[string]any{"contact_id": s.Test.Contact(map[string]any{"last_name": "Oral", "phone": "+14105550104", "email": "oral@example.com"})})
		s.Test.Post(oral+"/consents", `{"channels":["sms"],"scope":"all","basis":"express_oral"}`, 201, nil)
		s.Test.Lead(map[string]any{"contact_id": s.Test.Contact(map[string]any{"last_name": "Nothing", "phone": nil, "email": "nothing@example.com"})})
		s.Test.Post("/v2-preview/do_not_call_lists?name=Registry", testkit.File{Type: "text/csv", Bytes: []byte("area,number\n410,5550102\n410,5550102\n")}, 201, nil)

		for lead, code := range map[string]string{ann: "", listed: "do_not_call"} {
			var r messages.LeadReach
			s.Test.Get(strings.Replace(lead, "/v1/", "/v2-preview/", 1)+"/reach", 200, &r)
			assert.Equal(t, r.Checks[4].Channel, "voice")
			assert.Equal(t, null.Text(r.Checks[4].Code), code)
			assert.Equal(t, null.Text(r.Checks[1].Code), code)
			assert.Equal(t, r.Checks[0].Allowed, true)
		}
		path := newCampaign(s, "sms", "Hi {first_name|there}, our sale starts on Saturday.")
		p := previewOf(s, path)
		assert.Equal(t, p.People, int64(6))
		assert.Equal(t, p.Allowed, int64(1))
		assert.Equal(t, p.Held, int64(0))
		want := map[string]int64{"same_address": 1, "do_not_call": 1, "consent_revoked": 1, "consent_insufficient": 1, "recipient_invalid": 1}
		assert.Equal(t, counts(p.Excluded), want)
		assert.Equal(t, p.ExampleOf.Body, "Hi Anne, our sale starts on Saturday. Reply STOP to opt out.")
		assert.Equal(t, len(messagesOf(s, ann)), 0)

		provider := &textProvider{}
		w := newCampaigner(t, s, provider)
		s.Test.Post(path+"/start", `{}`, 200, nil)
		s.Test.Post(path+"/start", `{}`, 409, nil)
		s.Test.Patch(path, `{"name":"Other"}`, 409, nil)
		s.Test.Delete(path, 409)
		w.finish(t, path)

		r := resultsOf(s, path)
		assert.Equal(t, counts(r.Excluded), want)
		assert.Equal(t, counts(r.States), map[string]int64{"sent": 1, "excluded": 5})
		assert.Equal(t, len(provider.received), 2) // and the confirmation of the opt-out
		m := messagesOf(s, twin)[0]
		assert.Equal(t, *m.Body, "Hi Anne, our sale starts on Saturday. Reply STOP to opt out.")
		assert.Equal(t, m.SentBy.Type, "api_key")
		assert.Equal(t, leadAt(s.Test, twin).Status, leads.StatusNew)
		assert.Equal(t, leadAt(s.Test, twin).Awaiting, leads.Us)

		s.Test.Post(twin+"/inbound_messages", `{"channel":"sms","from":"+14105550101","body":"STOP"}`, 201, nil)
		r = resultsOf(s, path)
		assert.Equal(t, r.Answered, int64(1))
		assert.Equal(t, r.OptedOut, int64(1))
		var all page.Page[campaigns.CampaignRecipient]
		s.Test.Get(path+"/recipients?excluded=true", 200, &all)
		assert.Equal(t, len(all.Data), 5)
		s.Test.Get(path+"/recipients", 200, &all)
		assert.Equal(t, len(all.Data), 6)
		for _, one := range all.Data {
			assert.Equal(t, one.OptedOut, one.LeadID == twin[len("/v1/leads/"):])
		}
	})
}

// Each recipient gets a campaign after quiet hours in their own time zone, and not more of them in a
// week than the dealership allows.
func TestCampaignHoursAndCap(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s).Add(19*time.Hour)) // 13:00 UTC: 8:00 in New York, 5:00 in Los Angeles
		for zone, number := range map[string]string{"America/New_York": "+14105550101", "America/Los_Angeles": "+13105550102"} {
			leadWithConsent(s, map[string]any{"phone": number, "timezone": zone})
		}
		path := newCampaign(s, "sms", "Sale")
		p := previewOf(s, path)
		assert.Equal(t, p.Allowed, int64(2))
		assert.Equal(t, p.Held, int64(1))

		provider := &textProvider{}
		w := newCampaigner(t, s, provider)
		s.Test.Post(path+"/start", `{}`, 200, nil)
		w.turn(t, path)
		assert.NoError(t, w.sendAll(t))
		w.turn(t, path)
		assert.Equal(t, len(provider.received), 1)
		assert.Equal(t, counts(resultsOf(s, path).States), map[string]int64{"sent": 1, "waiting": 1})
		s.Advance(3 * time.Hour)
		w.finish(t, path)
		assert.Equal(t, len(provider.received), 2)

		s.Advance(24 * time.Hour)
		second := newCampaign(s, "sms", "Sale, day two")
		s.Test.Post(second+"/start", `{}`, 200, nil)
		w.finish(t, second)
		third := newCampaign(s, "sms", "Sale, last day")
		assert.Equal(t, counts(previewOf(s, third).Excluded), map[string]int64{"frequency_cap": 2})
		s.Test.Post(third+"/start", `{}`, 200, nil)
		w.finish(t, third)
		assert.Equal(t, len(provider.received), 4)
		s.Test.Patch("/v1/dealership", `{"settings":{"campaign_messages_per_week":3}}`, 200, nil)
		assert.Equal(t, previewOf(s, newCampaign(s, "sms", "Again")).Allowed, int64(2))
	})
}

// A campaign can be stopped at any time. What waits isn't sent anymore.
func TestStopCampaign(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		for i := range 130 {
			leadWithConsent(s, map[string]any{"phone": fmt.Sprintf("+1410555%04d", 1000+i)})
		}
		provider := &textProvider{}
		w := newCampaigner(t, s, provider)
		path := newCampaign(s, "sms", "Sale")
		s.Test.Post(path+"/stop", nil, 409, nil)
		s.Test.Post(path+"/start", `{}`, 200, nil)
		w.turn(t, path)
		assert.Equal(t, counts(resultsOf(s, path).States), map[string]int64{"queued": 100, "waiting": 30})
		w.turn(t, path)
		assert.Equal(t, counts(resultsOf(s, path).States), map[string]int64{"queued": 100, "waiting": 30})

		s.Test.Post(path+"/stop", nil, 200, nil)
		s.Test.Post(path+"/stop", nil, 409, nil)
		assert.NoError(t, w.sendAll(t))
		w.turn(t, path)
		assert.Equal(t, len(provider.received), 0)
		assert.Equal(t, counts(resultsOf(s, path).States), map[string]int64{"blocked": 100, "stopped": 30})

		later := newCampaign(s, "sms", "Sale")
		s.Test.Post(later+"/start", map[string]any{"send_at": s.DB.Now().Add(time.Hour)}, 200, nil)
		w.turn(t, later)
		assert.Equal(t, statusOf(s, later), campaigns.Scheduled)
		s.Test.Post(later+"/stop", nil, 200, nil)
		s.Advance(2 * time.Hour)
		w.turn(t, later)
		assert.Equal(t, resultsOf(s, later).Recipients, int64(0))
	})
}

// Turns that run again after a crash, or on several servers at the same time, send nothing twice.
func TestCampaignOnce(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		for i := range 60 {
			leadWithConsent(s, map[string]any{"phone": fmt.Sprintf("+1410555%04d", 1000+i)})
		}
		provider := &textProvider{}
		w := newCampaigner(t, s, provider)
		path := newCampaign(s, "sms", "Sale")
		s.Test.Post(path+"/start", `{}`, 200, nil)
		var running sync.WaitGroup
		for range 4 {
			running.Go(func() {
				job := campaigns.RunCampaign{Env: w.env, CampaignID: path[strings.LastIndex(path, "/")+1:]}
				assert.NoError(t, jobs.Run(t.Context(), w.RunCampaign, job))
			})
		}
		running.Wait()
		w.finish(t, path)
		assert.Equal(t, len(provider.received), 60)
		assert.Equal(t, len(testkit.Rows[string](s, `SELECT DISTINCT to_address FROM messages`)), 60)
		assert.Equal(t, counts(resultsOf(s, path).States), map[string]int64{string(messages.Sent): 60})
	})
}
