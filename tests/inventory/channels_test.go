package inventory

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"slipway/internal/channels"
	"slipway/internal/hulls"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/outbound"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

// channelsAPI returns the API of the package, so that tests can run its jobs directly.
func channelsAPI(s *testkit.Server) *channels.API {
	return &channels.API{DB: s.DB, Jobs: s.Jobs, Box: s.Box, Partners: http.DefaultClient}
}

// onChannel returns the state of a hull on a channel.
func onChannel(s *testkit.Server, hull, channel string) (l channels.HullSyndication) {
	var list page.Page[channels.HullSyndication]
	s.Test.Get("/v1/hulls/"+hull+"/syndication?limit=100", 200, &list)
	for _, l := range list.Data {
		if l.ChannelID == channel {
			return l
		}
	}
	return l
}

func publishedOn(s *testkit.Server, hull string) []string {
	var h hulls.Hull
	s.Test.Get("/v1/hulls/"+hull, 200, &h)
	return h.PublishedChannels
}

func TestPublishToAFeed(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc, other := s.Test.Location(), s.Test.Location()
		channel := s.Test.Channel(map[string]any{"filter": map[string]any{"location_ids": []string{loc}, "price_min": 50000}})
		id := s.Test.Hull(loc, map[string]any{"price_usd": 60000})
		path := "/v1/hulls/" + id
		state := func(want channels.SyndicationState, listed bool) {
			t.Helper()
			l := onChannel(s, id, channel)
			assert.Equal(t, l.State, want)
			assert.Equal(t, slices.Contains(publishedOn(s, id), channel), listed)
		}
		state("not_listed", false)
		var l channels.HullSyndication
		s.Test.Put(path+"/syndication/"+channel, nil, 200, &l)
		if l.State != "published" || l.PublishedAt == nil {
			t.Errorf(`got %s; want l.State = "published", l.PublishedAt != nil`, assert.Show(l))
		}
		state("published", true)
		s.Test.Put(path+"/syndication/"+channel, nil, 200, nil) // a repeated request changes nothing
		state("published", true)

		// The listing follows the hull.
		s.Test.Post(path+"/transition", `{"to":"not_for_sale"}`, 200, nil)
		state("removed", false)
		if l := onChannel(s, id, channel); *l.Code != "status" || *l.Message != "The hull's status is not_for_sale." {
			t.Errorf(`reason: got %s; want l.Code = "status", l.Message = "The hull's status is not_for_sale."`, assert.Show(l))
		}
		s.Test.Post(path+"/transition", `{"to":"available"}`, 200, nil)
		state("published", true)
		s.Test.Patch(path, `{"location_id":"`+other+`"}`, 200, nil)
		state("removed", false)
		s.Test.Put(path+"/syndication/"+channel, nil, 409, nil).WantDetail(t, "location_id", "state")
		s.Test.Patch(path, `{"location_id":"`+loc+`"}`, 200, nil)
		state("published", true)
		s.Test.Put(path+"/pricing", `{"price_usd":40000}`, 200, nil)
		state("removed", false)
		s.Test.Put(path+"/pricing", `{"price_usd":55000}`, 200, nil)
		state("published", true)
		s.Test.Post(path+"/archive", nil, 200, nil)
		state("removed", false)
		s.Test.Post(path+"/transition", `{"to":"available"}`, 200, nil)
		state("published", true)

		// A hull that the dealer withdrew is not published again.
		s.Test.Do("DELETE", path+"/syndication/"+channel, nil, 200, &l)
		assert.Equal(t, l.State, "removed")
		assert.Equal(t, l.Code, nil)
		s.Test.Patch(path, `{"title":"One owner"}`, 200, nil)
		state("removed", false)
		s.Test.Put(path+"/syndication/"+channel, nil, 200, nil)
		state("published", true)

		events := testkit.Rows[string](s, `SELECT type FROM {emitted} WHERE object_id = ? AND type LIKE 'hull.synd%' ORDER BY sequence`, id)
		assert.Len(t, events, 11)
		assert.Equal(t, events[0], "hull.syndicated")
		assert.Equal(t, events[1], "hull.syndication_removed")

		// A deleted channel is removed from its hulls.
		s.Test.Delete("/v1/channels/"+channel, 204)
		s.Test.Get("/v1/channels/"+channel+"/feed", 404, nil)
		if err := jobs.Run(t.Context(), channelsAPI(s).ClearChannel, channels.ClearChannel{Env: s.Env("hulls", id), ChannelID: channel}); err != nil {
			t.Fatal(err)
		}
		assert.Len(t, publishedOn(s, id), 0, "after the channel was deleted")
		s.Test.Put(path+"/syndication/"+channel, nil, 404, nil)
	})
}

func TestAutoPublish(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		before := s.Test.Hull(loc, nil)
		used := s.Test.Hull(loc, map[string]any{"condition": "used"})
		channel := s.Test.Channel(map[string]any{"auto_publish": true, "filter": map[string]any{"conditions": []string{"new"}}})
		after := s.Test.Hull(loc, nil)
		assert.Equal(t, publishedOn(s, after), []string{channel}, "channels of a new hull")
		for range 2 {
			if err := jobs.Run(t.Context(), channelsAPI(s).FillChannel,
				channels.FillChannel{Env: s.Env("channels", channel), ChannelID: channel}); err != nil {
				t.Fatal(err)
			}
		}
		assert.Equal(t, onChannel(s, before, channel).State, "published")
		assert.Equal(t, onChannel(s, used, channel).State, "not_listed")
		s.Test.Patch("/v1/hulls/"+used, `{"condition":"new"}`, 200, nil)
		if onChannel(s, used, channel).State != "published" {
			t.Error("not published after it started to match the filter")
		}

		s.Test.Do("DELETE", "/v1/hulls/"+before+"/syndication/"+channel, nil, 200, nil)
		s.Test.Put("/v1/hulls/"+before+"/pricing", `{"price_usd":1000}`, 200, nil)
		if onChannel(s, before, channel).State != "removed" {
			t.Error("published after the dealer withdrew it")
		}

		onOrder := s.Test.Hull(loc, map[string]any{"status": "on_order", "hin": nil})
		s.Test.Do("DELETE", "/v1/hulls/"+onOrder+"/syndication/"+channel, nil, 200, nil)
		s.Test.Patch("/v1/hulls/"+onOrder, `{"hin":"ABC12345L495"}`, 200, nil)
		s.Test.Post("/v1/hulls/"+onOrder+"/transition", `{"to":"available"}`, 200, nil)
		if onChannel(s, onOrder, channel).State != "removed" {
			t.Error("published although it was withdrawn before it arrived")
		}
	})
}

func TestBadChannels(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for body, want := range map[string][2]string{
			`{"name":" "}`:                                           {"name", "too_short"},
			`{"name":"x","kind":"ebay"}`:                             {"kind", "enum"},
			`{"name":"x","format":"yaml"}`:                           {"format", "enum"},
			`{"name":"x","push_url":"ftp://x"}`:                      {"push_url", "format"},
			`{"name":"x","push_url":"https://u:p@x.example/"}`:       {"push_url", "format"},
			`{"name":"x","filter":{"statuses":["sold"]}}`:            {"filter.statuses[0]", "enum"},
			`{"name":"x","filter":{"price_min":-1}}`:                 {"filter.price_min", "minimum"},
			`{"name":"x","filter":{"location_ids":["loc_nowhere"]}}`: {"filter.location_ids", "not_found"},
			`{"name":"x","color":"red"}`:                             {"color", "unknown_field"},
		} {
			s.Test.Post("/v1/channels", body, 422, nil).WantDetail(t, want[0], want[1], body)
		}
		s.Live.Post("/v1/channels", `{"name":"x","push_url":"http://x.example/"}`, 422, nil).
			WantDetail(t, "push_url", "https", "plain http in live")
		s.Test.Post("/v1/channels", `{"name":"x","push_url":"http://x.example/"}`, 201, nil)
	})
}

// partner is a marketplace that listings are pushed to.
type partner struct {
	*httptest.Server
	mu     sync.Mutex
	got    []call
	answer func(call) (int, string)
}

type call struct {
	action, hull, kind, body string
	header                   http.Header
}

func newPartner(t *testing.T) *partner {
	p := &partner{answer: func(call) (int, string) {
		return 200, `{"status":"ack","external_id":"BT-1","url":"https://bt.example/1"}`
	}}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		p.mu.Lock()
		defer p.mu.Unlock()
		c := call{r.Header.Get("Slipway-Action"), r.Header.Get("Slipway-Hull"), r.Header.Get("Content-Type"), string(body), r.Header}
		p.got = append(p.got, c)
		status, text := p.answer(c)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(p.Close)
	return p
}

// respond sets the partner's response to all later calls.
func (p *partner) respond(status int, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = func(call) (int, string) { return status, text }
}

func (p *partner) calls() []call {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.got)
}

// push runs the jobs that push listings and reports whether the channel was due.
func push(t *testing.T, s *testkit.Server, channel string) bool {
	t.Helper()
	enqueued := func() int64 {
		return testkit.Rows[int64](s, `SELECT COUNT(*) FROM river_job WHERE kind = 'push_channel'`)[0]
	}
	before := enqueued()
	if err := channelsAPI(s).PushDue(t.Context(), channels.PushDue{}); err != nil {
		t.Fatal(err)
	}
	if enqueued() == before {
		return false
	}
	if err := jobs.Run(t.Context(), channelsAPI(s).PushChannel,
		channels.PushChannel{Env: s.Env("channels", channel), ChannelID: channel}); err != nil {
		t.Fatal(err)
	}
	return true
}

func TestPushToAPartner(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := newPartner(t)
		channel := s.Test.Channel(map[string]any{"push_url": p.URL, "kind": "boat_trader"})
		id := s.Test.Hull(s.Test.Location(), nil)
		path := "/v1/hulls/" + id + "/syndication/" + channel
		var l channels.HullSyndication
		s.Test.Put(path, nil, 200, &l)
		assert.Equal(t, l.State, "queued")
		assert.Equal(t, l.Action, new(channels.SyndicationAction("publish")))
		assert.Len(t, publishedOn(s, id), 0)
		if !push(t, s, channel) {
			t.Fatal("not due")
		}
		if l = onChannel(s, id, channel); l.State != "published" || *l.ExternalID != "BT-1" || *l.URL != "https://bt.example/1" ||
			l.AttemptedAt == nil || l.Action != nil {
			t.Errorf(`acknowledged: got %s; want l.State = "published", l.ExternalID = "BT-1", l.URL = "https://bt.example/1", `+
				`l.AttemptedAt != nil, l.Action = nil`, assert.Show(l))
		}
		assert.Equal(t, publishedOn(s, id), []string{channel})
		if push(t, s, channel) {
			t.Error("due again without a change")
		}

		// A new price is pushed. Until then, the old listing stays published.
		s.Test.Put("/v1/hulls/"+id+"/pricing", `{"price_usd":77000}`, 200, nil)
		l = onChannel(s, id, channel)
		assert.Equal(t, l.State, "queued", "after a new price")
		assert.Equal(t, l.Action, new(channels.SyndicationAction("publish")), "after a new price")
		assert.Len(t, publishedOn(s, id), 1, "after a new price")
		push(t, s, channel)
		calls := p.calls()
		var body map[string]any
		assert.NoError(t, json.Unmarshal([]byte(calls[1].body), &body))
		assert.Equal(t, calls[1].action, "publish")
		assert.Equal(t, calls[1].hull, id)
		assert.Equal(t, calls[1].kind, "application/ld+json")
		assert.Equal(t, body["offers"].(map[string]any)["price"], "77000")
		s.Test.Put("/v1/hulls/"+id+"/specs", `{"beam_ft":8.5}`, 200, nil)
		l = onChannel(s, id, channel)
		assert.Equal(t, l.State, "queued", "after new specifications")
		s.Test.Patch("/v1/hulls/"+id, `{"metadata":{"slip":"B14"}}`, 200, nil)
		push(t, s, channel)

		// A rejection has the partner's message. The next change is pushed again.
		p.respond(422, `{"code":"NO_PHOTO","message":"A photo is required."}`)
		s.Test.Put("/v1/hulls/"+id+"/pricing", `{"price_usd":78000}`, 200, nil)
		push(t, s, channel)
		l = onChannel(s, id, channel)
		assert.Equal(t, l.State, "rejected")
		assert.Equal(t, l.Code, new("NO_PHOTO"))
		assert.Equal(t, l.Message, new("A photo is required."))
		assert.Len(t, publishedOn(s, id), 0)
		p.respond(200, "")
		s.Test.Photo(id)
		push(t, s, channel)
		l = onChannel(s, id, channel)
		assert.Equal(t, l.State, "published", "with a photo")
		assert.Equal(t, l.Code, nil, "with a photo")
		assert.Equal(t, l.ExternalID, new("BT-1"), "with a photo")

		// An archived hull is withdrawn from the partner.
		s.Test.Post("/v1/hulls/"+id+"/archive", nil, 200, nil)
		l = onChannel(s, id, channel)
		assert.Equal(t, l.State, "queued")
		assert.Equal(t, l.Action, new(channels.SyndicationAction("withdraw")))
		push(t, s, channel)
		last := p.calls()[len(p.calls())-1]
		l = onChannel(s, id, channel)
		assert.Equal(t, l.State, "removed", "withdrawn")
		assert.Len(t, publishedOn(s, id), 0, "withdrawn")
		assert.Equal(t, last.action, "withdraw", "withdrawn")
		assert.Contains(t, last.body, "Discontinued", "withdrawn")
		types := testkit.Rows[string](s, `SELECT DISTINCT type FROM {emitted} WHERE object_id = ? AND type LIKE 'hull.synd%' ORDER BY type`, id)
		assert.Equal(t, types, []string{"hull.syndicated", "hull.syndication_queued", "hull.syndication_rejected", "hull.syndication_removed"})
	})
}

func TestPushRetries(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := newPartner(t)
		loc := s.Test.Location()
		channel := s.Test.Channel(map[string]any{"push_url": p.URL})
		bad, good := s.Test.Hull(loc, nil), s.Test.Hull(loc, nil)
		for _, id := range []string{bad, good} {
			s.Test.Put("/v1/hulls/"+id+"/syndication/"+channel, nil, 200, nil)
		}
		// A listing that fails doesn't delay the other one.
		p.mu.Lock()
		p.answer = func(c call) (int, string) {
			if c.hull == bad {
				return 500, "boom"
			}
			return 200, ""
		}
		p.mu.Unlock()
		push(t, s, channel)
		l := onChannel(s, bad, channel)
		assert.Equal(t, l.State, "queued")
		assert.Equal(t, l.Code, new("http_500"))
		assert.Equal(t, l.Message, new("boom"))
		assert.Equal(t, onChannel(s, good, channel).State, "published")
		for i, wait := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute} {
			n := len(p.calls())
			s.Advance(wait - 10*time.Second)
			if push(t, s, channel) {
				t.Errorf("attempt %d was too early", i+2)
			}
			s.Advance(20 * time.Second)
			if !push(t, s, channel) || len(p.calls()) != n+1 {
				t.Errorf("attempt %d was not made", i+2)
			}
		}

		// A partner that is unavailable is not called for other listings either.
		p.respond(503, "")
		s.Test.Put("/v1/hulls/"+good+"/pricing", `{"price_usd":1000}`, 200, nil)
		push(t, s, channel)
		n := len(p.calls())
		third := s.Test.Hull(loc, nil)
		s.Test.Put("/v1/hulls/"+third+"/syndication/"+channel, nil, 200, nil)
		if push(t, s, channel) || len(p.calls()) != n {
			t.Error("an unavailable partner was called again immediately")
		}
		p.respond(200, "")
		s.Advance(time.Hour)
		push(t, s, channel)
		for _, id := range []string{bad, good, third} {
			l := onChannel(s, id, channel)
			assert.Equal(t, l.State, "published")
			assert.Equal(t, l.Code, nil)
		}
		p.Close()
		s.Test.Put("/v1/hulls/"+good+"/pricing", `{"price_usd":2000}`, 200, nil)
		push(t, s, channel)
		if l := onChannel(s, good, channel); l.State != "queued" || *l.Code != "no_answer" || strings.Contains(*l.Message, "127.0.0.1") {
			t.Errorf(`partner unreachable: got %s; want l.State = "queued", l.Code = "no_answer", l.Message not to contain "127.0.0.1"`,
				assert.Show(l))
		}
	})
}

// A change during a push is pushed afterward.
func TestChangeDuringAPush(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := newPartner(t)
		channel := s.Test.Channel(map[string]any{"push_url": p.URL})
		id := s.Test.Hull(s.Test.Location(), nil)
		s.Test.Put("/v1/hulls/"+id+"/syndication/"+channel, nil, 200, nil)

		first := true
		p.mu.Lock()
		p.answer = func(call) (int, string) {
			if first {
				first = false
				s.Test.Put("/v1/hulls/"+id+"/pricing", `{"price_usd":5000}`, 200, nil)
			}
			return 200, `{"external_id":"X"}`
		}
		p.mu.Unlock()
		push(t, s, channel)

		calls := p.calls()
		assert.Len(t, calls, 2)
		assert.Excludes(t, calls[0].body, `"5000"`)
		assert.Contains(t, calls[1].body, `"5000"`)

		l := onChannel(s, id, channel)
		assert.Equal(t, l.State, "published")
		assert.Equal(t, l.ExternalID, new("X"))
	})
}

// The job queue runs the push jobs.
func TestPushJobsRun(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := newPartner(t)
		channel := s.Test.Channel(map[string]any{"push_url": p.URL})
		s.RunJobs()
		id := s.Test.Hull(s.Test.Location(), nil)
		s.Test.Put("/v1/hulls/"+id+"/syndication/"+channel, nil, 200, nil)
		assert.Eventually(t, "a response", func() bool { return onChannel(s, id, channel).State == "published" })
		assert.Equal(t, len(p.calls()), 1)
	})
}

// A partner with a private address is not called.
func TestPushRejectsPrivateAddress(t *testing.T) {
	s := testkit.OnSQLite(t)
	p := newPartner(t)
	channel := s.Test.Channel(map[string]any{"push_url": p.URL})
	id := s.Test.Hull(s.Test.Location(), nil)
	s.Test.Put("/v1/hulls/"+id+"/syndication/"+channel, nil, 200, nil)
	api := channelsAPI(s)
	api.Partners = outbound.New(time.Second, false)
	if err := jobs.Run(t.Context(), api.PushChannel, channels.PushChannel{Env: s.Env("channels", channel), ChannelID: channel}); err != nil {
		t.Fatal(err)
	}
	l := onChannel(s, id, channel)
	assert.Equal(t, l.State, "rejected")
	assert.Equal(t, l.Code, new("address_refused"))
	assert.Len(t, p.calls(), 0)
}
