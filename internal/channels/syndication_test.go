package channels

import (
	"strings"
	"testing"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/null"
)

// Tests each state of a listing with each earlier action: the next state if the
// hull can be listed, if it changed, and if it can't be listed.
func TestListingFollowsItsHull(t *testing.T) {
	now := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	push := "https://partner.example"
	type start struct {
		state  SyndicationState
		action SyndicationAction
	}
	starts := []start{{notListed, ""}, {queued, toPublish}, {queued, toWithdraw}, {published, ""}, {rejected, ""}, {removed, ""}}

	// By start: same, changed, not to be listed, not wanted.
	pull := map[start][4]start{
		{notListed, ""}:      {{published, ""}, {published, ""}, {notListed, ""}, {notListed, ""}},
		{queued, toPublish}:  {{queued, toPublish}, {published, ""}, {removed, ""}, {removed, ""}},
		{queued, toWithdraw}: {{published, ""}, {published, ""}, {queued, toWithdraw}, {queued, toWithdraw}},
		{published, ""}:      {{published, ""}, {published, ""}, {removed, ""}, {removed, ""}},
		{rejected, ""}:       {{rejected, ""}, {published, ""}, {removed, ""}, {removed, ""}},
		{removed, ""}:        {{published, ""}, {published, ""}, {removed, ""}, {removed, ""}},
	}

	pushed := map[start][4]start{
		{notListed, ""}:      {{queued, toPublish}, {queued, toPublish}, {notListed, ""}, {notListed, ""}},
		{queued, toPublish}:  {{queued, toPublish}, {queued, toPublish}, {queued, toWithdraw}, {queued, toWithdraw}},
		{queued, toWithdraw}: {{queued, toPublish}, {queued, toPublish}, {queued, toWithdraw}, {queued, toWithdraw}},
		{published, ""}:      {{published, ""}, {queued, toPublish}, {queued, toWithdraw}, {queued, toWithdraw}},
		{rejected, ""}:       {{rejected, ""}, {queued, toPublish}, {queued, toWithdraw}, {queued, toWithdraw}},
		{removed, ""}:        {{queued, toPublish}, {queued, toPublish}, {removed, ""}, {removed, ""}},
	}

	for kind, table := range map[string]map[start][4]start{"feed": pull, "push": pushed} {
		for _, from := range starts {
			for i, want := range table[from] {
				c := Channel{}
				if kind == "push" {
					c.PushURL = &push
				}

				h := hulls.Hull{Status: hulls.Available}
				l := HullSyndication{State: from.state, Action: null.From(from.action), Wanted: i != 3, Revision: 4, AttemptedAt: &now,
					Listed: from.state == published}
				if i == 2 {
					h.Status = hulls.Sold
				}

				before := l
				changed := l.follow(h, c, i == 1, now)
				if got := (start{l.State, null.Text(l.Action)}); got != want {
					t.Errorf("%s from %v, case %d: %v, want %v", kind, from, i, got, want)
				}
				if changed != (l.Revision > before.Revision) || (l.State == queued) != (l.DueAt != nil) && changed {
					t.Errorf("%s from %v, case %d: changed %t, got %+v; want a new revision if written, and due_at if queued", kind, from, i, changed, l)
				}
				if l.State == published && !l.Listed || l.State == removed && l.Listed {
					t.Errorf("%s from %v, case %d: got listed %t in state %s, want it listed if published and not if removed",
						kind, from, i, l.Listed, l.State)
				}
			}
		}
	}
}

// A partner that never received a hull is not asked to remove it.
func TestWithdrawBeforeTheFirstAttempt(t *testing.T) {
	now := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	c := Channel{PushURL: new("https://partner.example")}
	l := HullSyndication{State: notListed, Wanted: true}
	l.follow(hulls.Hull{Status: hulls.Available}, c, false, now)
	l.follow(hulls.Hull{Status: hulls.Sold}, c, true, now)
	assert.Equal(t, l.State, removed)
	assert.Equal(t, l.Action, nil)
	assert.Equal(t, *l.Code, "status")
	assert.Equal(t, *l.Message, "The hull's status is sold.")
}

func TestChannelRejects(t *testing.T) {
	h := hulls.Hull{Status: hulls.Available, LocationID: "loc_a", Condition: "used", PriceUSD: 50_000}
	for _, c := range []struct {
		filter ChannelFilter
		status hulls.Status
		field  string
	}{
		{ChannelFilter{PreOrders: true}, hulls.OnOrder, ""}, {ChannelFilter{PreOrders: true}, hulls.InTransit, ""},
		{ChannelFilter{PreOrders: true}, hulls.Available, ""}, {ChannelFilter{PreOrders: true}, hulls.Sold, "status"},
		{ChannelFilter{PreOrders: true, Statuses: []hulls.Status{hulls.Available}}, hulls.OnOrder, ""},
		{ChannelFilter{PreOrders: true, Conditions: []hulls.Condition{"new"}}, hulls.OnOrder, "condition"},
		{ChannelFilter{}, hulls.Available, ""}, {ChannelFilter{}, hulls.OnHold, ""}, {ChannelFilter{}, hulls.SalePending, ""},
		{ChannelFilter{}, hulls.OnOrder, "status"}, {ChannelFilter{}, hulls.InTransit, "status"}, {ChannelFilter{}, hulls.Sold, "status"},
		{ChannelFilter{}, hulls.Delivered, "status"}, {ChannelFilter{}, hulls.NotForSale, "status"}, {ChannelFilter{}, hulls.Archived, "status"},
		{ChannelFilter{Statuses: []hulls.Status{hulls.Available}}, hulls.OnHold, "status"},
		{ChannelFilter{Statuses: []hulls.Status{hulls.Available}}, hulls.Available, ""},
		{ChannelFilter{LocationIDs: []string{"loc_b"}}, hulls.Available, "location_id"},
		{ChannelFilter{LocationIDs: []string{"loc_a", "loc_b"}}, hulls.Available, ""},
		{ChannelFilter{Conditions: []hulls.Condition{"new"}}, hulls.Available, "condition"},
		{ChannelFilter{Conditions: []hulls.Condition{"used"}}, hulls.Available, ""},
		{ChannelFilter{PriceMin: new(int64(50_001))}, hulls.Available, "price_usd"},
		{ChannelFilter{PriceMin: new(int64(50_000))}, hulls.Available, ""},
	} {
		h.Status = c.status
		if field, _ := (Channel{Format: "json", Filter: c.filter}).rejects(h); field != c.field {
			t.Errorf("%+v of a hull that is %s: %q, want %q", c.filter, c.status, field, c.field)
		}
	}

	h.Status = hulls.OnOrder
	for _, c := range []struct {
		kind   Kind
		format Format
		listed bool
	}{
		{"website", "json", true}, {"website", "csv", true}, {"website", "xml", true}, {"yachtworld", "json", true},
		{"yachtworld", "xml", false}, {"website", "openmarine", false}, {"custom", "boatstream", false},
	} {
		field, _ := Channel{Kind: c.kind, Format: c.format, Filter: ChannelFilter{PreOrders: true}}.rejects(h)
		if listed := field == ""; listed != c.listed {
			t.Errorf("a boat on order on a channel %s with the format %s: got listed %t, want %t", c.kind, c.format, listed, c.listed)
		}
	}
}

func TestParseAnswer(t *testing.T) {
	for _, c := range []struct {
		status                              int
		body, verdict, code, message, extID string
		down                                bool
	}{
		{200, ``, ack, "", "", "", false},
		{204, ``, ack, "", "", "", false},
		{201, `{"status":"ack","external_id":"BT-77","url":"https://bt.example/77"}`, ack, "", "", "BT-77", false},
		{200, `{"ack":true,"id":4711}`, ack, "", "", "4711", false},
		{200, `<html>thank you</html>`, ack, "", "", "", false},
		{200, `{"status":"nack","code":"NO_PHOTO","message":"A photo is required."}`, nack, "NO_PHOTO", "A photo is required.", "", false},
		{200, `{"result":"rejected","code":17}`, nack, "17", "The partner responded with status 200.", "", false},
		{200, `{"ack":false}`, nack, "http_200", "The partner responded with status 200.", "", false},
		{422, `{"code":"price","message":"Too low."}`, nack, "price", "Too low.", "", false},
		{400, `bad listing`, nack, "http_400", "bad listing", "", false},
		{302, ``, nack, "http_302", "The partner responded with status 302.", "", false},
		{429, ``, later, "http_429", "The partner responded with status 429.", "", true},
		{500, `{"error":"boom"}`, later, "http_500", "boom", "", false},
		{503, ``, later, "http_503", "The partner responded with status 503.", "", true},
	} {
		a := parseAnswer(c.status, []byte(c.body))
		assert.Equal(t, a.verdict, c.verdict, c.status, c.body)
		assert.Equal(t, a.code, c.code, c.status, c.body)
		assert.Equal(t, a.message, c.message, c.status, c.body)
		assert.Equal(t, null.Text(a.externalID), c.extID, c.status, c.body)
		assert.Equal(t, a.down, c.down, c.status, c.body)
	}

	if a := parseAnswer(400, []byte("\xff\x00"+strings.Repeat("ü", 5000))); len(a.message) > 500 || strings.ContainsRune(a.message, 0) {
		t.Errorf("long response: got %q, want at most 500 bytes without NUL", a.message)
	}
}

func TestBackoff(t *testing.T) {
	last := time.Duration(0)
	for n := range int64(100) {
		d := backoff(n + 1)
		if d < last || d < time.Minute || d > 6*time.Hour {
			t.Fatalf("after %d failures %s, before %s; want d >= %v, d >= time.Minute, d <= 6*time.Hour", n+1, d, last, last)
		}
		last = d
	}
}
