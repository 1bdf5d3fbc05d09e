package hulls_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"slipway/internal/platform/jobs"
	"strings"
	"sync"
	"testing"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/platform/outbound"
	"slipway/internal/testkit"
	"slipway/internal/vocab/page"
)

// onChannel is how a hull stands on a channel.
func onChannel(s *testkit.Server, hull, channel string) (l hulls.HullSyndication) {
	var list page.Page[hulls.HullSyndication]
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
		state := func(want string, listed bool) {
			t.Helper()
			if l := onChannel(s, id, channel); l.State != want || slices.Contains(publishedOn(s, id), channel) != listed {
				t.Errorf("%+v, published on %v", l, publishedOn(s, id))
			}
		}
		state("not_listed", false)
		var l hulls.HullSyndication
		s.Test.Put(path+"/syndication/"+channel, nil, 200, &l)
		if l.State != "published" || l.PublishedAt == nil {
			t.Errorf("%+v", l)
		}
		state("published", true)
		s.Test.Put(path+"/syndication/"+channel, nil, 200, nil) // again changes nothing
		state("published", true)

		// The listing follows the hull.
		s.Test.Post(path+"/transition", `{"to":"not_for_sale"}`, 200, nil)
		state("removed", false)
		if l := onChannel(s, id, channel); *l.Code != "status" || *l.Message != "The hull's status is not_for_sale." {
			t.Errorf("why: %+v", l)
		}
		s.Test.Post(path+"/transition", `{"to":"available"}`, 200, nil)
		state("published", true)
		s.Test.Patch(path, `{"location_id":"`+other+`"}`, 200, nil)
		state("removed", false)
		if f := s.Test.Put(path+"/syndication/"+channel, nil, 409, nil).Fault(t); !f.Blames("location_id", "state") {
			t.Errorf("%+v", f)
		}
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

		// What the dealer withdraws stays withdrawn.
		s.Test.Do("DELETE", path+"/syndication/"+channel, nil, 200, &l)
		if l.State != "removed" || l.Code != nil {
			t.Errorf("%+v", l)
		}
		s.Test.Patch(path, `{"title":"One owner"}`, 200, nil)
		state("removed", false)
		s.Test.Put(path+"/syndication/"+channel, nil, 200, nil)
		state("published", true)

		events := testkit.Rows[string](s, `SELECT type FROM outbox WHERE object_id = ? AND type LIKE 'hull.synd%' ORDER BY sequence`, id)
		if len(events) != 11 || events[0] != "hull.syndicated" || events[1] != "hull.syndication_removed" {
			t.Errorf("events %v", events)
		}

		// A channel that goes is forgotten.
		s.Test.Delete("/v1/channels/"+channel, 204)
		s.Test.Get("/v1/channels/"+channel+"/feed", 404, nil)
		if err := jobs.Run(t.Context(), s.Inventory().ClearChannel, hulls.ClearChannel{Env: s.Env("hulls", id), ChannelID: channel}); err != nil {
			t.Fatal(err)
		}
		if got := publishedOn(s, id); len(got) != 0 {
			t.Errorf("still on %v", got)
		}
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
		if got := publishedOn(s, after); !slices.Equal(got, []string{channel}) {
			t.Errorf("a new hull is on %v", got)
		}
		for range 2 {
			if err := jobs.Run(t.Context(), s.Inventory().FillChannel, hulls.FillChannel{Env: s.Env("channels", channel), ChannelID: channel}); err != nil {
				t.Fatal(err)
			}
		}
		if onChannel(s, before, channel).State != "published" || onChannel(s, used, channel).State != "not_listed" {
			t.Errorf("%+v %+v", onChannel(s, before, channel), onChannel(s, used, channel))
		}
		s.Test.Patch("/v1/hulls/"+used, `{"condition":"new"}`, 200, nil)
		if onChannel(s, used, channel).State != "published" {
			t.Error("not published when it came to pass the filter")
		}
		s.Test.Do("DELETE", "/v1/hulls/"+before+"/syndication/"+channel, nil, 200, nil)
		s.Test.Put("/v1/hulls/"+before+"/pricing", `{"price_usd":1000}`, 200, nil)
		if onChannel(s, before, channel).State != "removed" {
			t.Error("published against the dealer's wish")
		}
		onOrder := s.Test.Hull(loc, map[string]any{"status": "on_order", "hin": nil})
		s.Test.Do("DELETE", "/v1/hulls/"+onOrder+"/syndication/"+channel, nil, 200, nil)
		s.Test.Patch("/v1/hulls/"+onOrder, `{"hin":"ABC12345L495"}`, 200, nil)
		s.Test.Post("/v1/hulls/"+onOrder+"/transition", `{"to":"available"}`, 200, nil)
		if onChannel(s, onOrder, channel).State != "removed" {
			t.Error("published though it was withdrawn before it came")
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
			if f := s.Test.Post("/v1/channels", body, 422, nil).Fault(t); !f.Blames(want[0], want[1]) {
				t.Errorf("%s: %+v", body, f)
			}
		}
		if f := s.Live.Post("/v1/channels", `{"name":"x","push_url":"http://x.example/"}`, 422, nil).Fault(t); !f.Blames("push_url", "https") {
			t.Errorf("plain http in live: %+v", f)
		}
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

type call struct{ action, hull, kind, body string }

func newPartner(t *testing.T) *partner {
	p := &partner{answer: func(call) (int, string) {
		return 200, `{"status":"ack","external_id":"BT-1","url":"https://bt.example/1"}`
	}}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		p.mu.Lock()
		defer p.mu.Unlock()
		c := call{r.Header.Get("Slipway-Action"), r.Header.Get("Slipway-Hull"), r.Header.Get("Content-Type"), string(body)}
		p.got = append(p.got, c)
		status, text := p.answer(c)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(p.Close)
	return p
}

// says makes the partner answer in one way from now on.
func (p *partner) says(status int, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = func(call) (int, string) { return status, text }
}

func (p *partner) calls() []call {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.got)
}

// push does what the jobs do, and reports whether the channel was due.
func push(t *testing.T, s *testkit.Server, channel string) bool {
	t.Helper()
	enqueued := func() int64 {
		return testkit.Rows[int64](s, `SELECT COUNT(*) FROM river_job WHERE kind = 'push_channel'`)[0]
	}
	before := enqueued()
	if err := s.Inventory().PushDue(t.Context(), hulls.PushDue{}); err != nil {
		t.Fatal(err)
	}
	if enqueued() == before {
		return false
	}
	if err := jobs.Run(t.Context(), s.Inventory().PushChannel, hulls.PushChannel{Env: s.Env("channels", channel), ChannelID: channel}); err != nil {
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
		var l hulls.HullSyndication
		s.Test.Put(path, nil, 200, &l)
		if l.State != "queued" || *l.Action != "publish" || len(publishedOn(s, id)) != 0 {
			t.Errorf("asked for: %+v", l)
		}
		if !push(t, s, channel) {
			t.Fatal("not due")
		}
		if l = onChannel(s, id, channel); l.State != "published" || *l.ExternalID != "BT-1" || *l.URL != "https://bt.example/1" || l.AttemptedAt == nil || l.Action != nil {
			t.Errorf("acknowledged: %+v", l)
		}
		if got := publishedOn(s, id); !slices.Equal(got, []string{channel}) {
			t.Errorf("published on %v", got)
		}
		if push(t, s, channel) {
			t.Error("due again for nothing")
		}

		// A new price is told; until then the old listing stands.
		s.Test.Put("/v1/hulls/"+id+"/pricing", `{"price_usd":77000}`, 200, nil)
		if l = onChannel(s, id, channel); l.State != "queued" || *l.Action != "publish" || len(publishedOn(s, id)) != 1 {
			t.Errorf("after a new price: %+v", l)
		}
		push(t, s, channel)
		calls := p.calls()
		var body map[string]any
		if err := json.Unmarshal([]byte(calls[1].body), &body); err != nil || calls[1].action != "publish" || calls[1].hull != id || calls[1].kind != "application/ld+json" ||
			body["offers"].(map[string]any)["price"] != "77000" {
			t.Errorf("told %+v %v", calls[1], err)
		}
		s.Test.Put("/v1/hulls/"+id+"/specs", `{"beam_ft":8.5}`, 200, nil)
		if l = onChannel(s, id, channel); l.State != "queued" {
			t.Errorf("after new specifications: %+v", l)
		}
		s.Test.Patch("/v1/hulls/"+id, `{"metadata":{"slip":"B14"}}`, 200, nil)
		push(t, s, channel)

		// A refusal comes with the partner's own words, and a change is a new chance.
		p.says(422, `{"code":"NO_PHOTO","message":"A photo is required."}`)
		s.Test.Put("/v1/hulls/"+id+"/pricing", `{"price_usd":78000}`, 200, nil)
		push(t, s, channel)
		if l = onChannel(s, id, channel); l.State != "rejected" || *l.Code != "NO_PHOTO" || *l.Message != "A photo is required." || len(publishedOn(s, id)) != 0 {
			t.Errorf("refused: %+v", l)
		}
		p.says(200, "")
		s.Test.Photo(id)
		push(t, s, channel)
		if l = onChannel(s, id, channel); l.State != "published" || l.Code != nil || *l.ExternalID != "BT-1" {
			t.Errorf("with a photo: %+v", l)
		}

		// A hull that is gone is taken off, and the partner is told.
		s.Test.Post("/v1/hulls/"+id+"/archive", nil, 200, nil)
		if l = onChannel(s, id, channel); l.State != "queued" || *l.Action != "withdraw" {
			t.Errorf("archived: %+v", l)
		}
		push(t, s, channel)
		last := p.calls()[len(p.calls())-1]
		if l = onChannel(s, id, channel); l.State != "removed" || len(publishedOn(s, id)) != 0 || last.action != "withdraw" || !strings.Contains(last.body, "Discontinued") {
			t.Errorf("withdrawn: %+v, told %+v", l, last)
		}
		types := testkit.Rows[string](s, `SELECT DISTINCT type FROM outbox WHERE object_id = ? AND type LIKE 'hull.synd%' ORDER BY type`, id)
		if !slices.Equal(types, []string{"hull.syndicated", "hull.syndication_queued", "hull.syndication_rejected", "hull.syndication_removed"}) {
			t.Errorf("events %v", types)
		}
	})
}

func TestPushTriesAgain(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := newPartner(t)
		loc := s.Test.Location()
		channel := s.Test.Channel(map[string]any{"push_url": p.URL})
		bad, good := s.Test.Hull(loc, nil), s.Test.Hull(loc, nil)
		for _, id := range []string{bad, good} {
			s.Test.Put("/v1/hulls/"+id+"/syndication/"+channel, nil, 200, nil)
		}
		// One listing that the partner stumbles over does not hold up the other.
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
		if l.State != "queued" || *l.Code != "http_500" || *l.Message != "boom" || onChannel(s, good, channel).State != "published" {
			t.Errorf("%+v", l)
		}
		for i, wait := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute} {
			n := len(p.calls())
			s.Advance(wait - 10*time.Second)
			if push(t, s, channel) {
				t.Errorf("try %d came too early", i+2)
			}
			s.Advance(20 * time.Second)
			if !push(t, s, channel) || len(p.calls()) != n+1 {
				t.Errorf("try %d did not come", i+2)
			}
		}

		// A partner that is away is left alone, whatever else there is to tell it.
		p.says(503, "")
		s.Test.Put("/v1/hulls/"+good+"/pricing", `{"price_usd":1000}`, 200, nil)
		push(t, s, channel)
		n := len(p.calls())
		third := s.Test.Hull(loc, nil)
		s.Test.Put("/v1/hulls/"+third+"/syndication/"+channel, nil, 200, nil)
		if push(t, s, channel) || len(p.calls()) != n {
			t.Error("a partner that is away was asked again at once")
		}
		p.says(200, "")
		s.Advance(time.Hour)
		push(t, s, channel)
		for _, id := range []string{bad, good, third} {
			if l := onChannel(s, id, channel); l.State != "published" || l.Code != nil {
				t.Errorf("%+v", l)
			}
		}
		p.Close()
		s.Test.Put("/v1/hulls/"+good+"/pricing", `{"price_usd":2000}`, 200, nil)
		push(t, s, channel)
		if l := onChannel(s, good, channel); l.State != "queued" || *l.Code != "no_answer" || strings.Contains(*l.Message, "127.0.0.1") {
			t.Errorf("a partner that is gone: %+v", l)
		}
	})
}

// What changes while the partner is thinking is told after that.
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
		if len(calls) != 2 || strings.Contains(calls[0].body, `"5000"`) || !strings.Contains(calls[1].body, `"5000"`) {
			t.Errorf("told %+v", calls)
		}
		if l := onChannel(s, id, channel); l.State != "published" || *l.ExternalID != "X" {
			t.Errorf("%+v", l)
		}
	})
}

// The queue itself pushes.
func TestPushJobsRun(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := newPartner(t)
		channel := s.Test.Channel(map[string]any{"push_url": p.URL})
		run(t, s)
		id := s.Test.Hull(s.Test.Location(), nil)
		s.Test.Put("/v1/hulls/"+id+"/syndication/"+channel, nil, 200, nil)
		eventually(t, "an answer", func() bool { return onChannel(s, id, channel).State == "published" })
		if n := len(p.calls()); n != 1 {
			t.Errorf("%d calls", n)
		}
	})
}

// A partner on a private address is not called.
func TestPushStaysOutside(t *testing.T) {
	s := testkit.OnSQLite(t)
	p := newPartner(t)
	channel := s.Test.Channel(map[string]any{"push_url": p.URL})
	id := s.Test.Hull(s.Test.Location(), nil)
	s.Test.Put("/v1/hulls/"+id+"/syndication/"+channel, nil, 200, nil)
	inventory := s.Inventory()
	inventory.Partners = outbound.New(time.Second, false)
	if err := jobs.Run(t.Context(), inventory.PushChannel, hulls.PushChannel{Env: s.Env("channels", channel), ChannelID: channel}); err != nil {
		t.Fatal(err)
	}
	if l := onChannel(s, id, channel); l.State != "rejected" || *l.Code != "address_refused" || len(p.calls()) != 0 {
		t.Errorf("%+v, %d calls", l, len(p.calls()))
	}
}
