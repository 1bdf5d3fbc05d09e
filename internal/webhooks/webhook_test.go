package webhooks

import (
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"slipway/internal/platform/events"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func TestMatches(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"*", "hull.created", true},
		{"hull.*", "hull.created", true},
		{"hull.created", "hull.created", true},
		{"hull.*", "hullabaloo.created", false},
		{"hull.*", "hull", false},
		{"hull", "hull.created", false},
		{"hull.crea", "hull.created", false},
		{"*.created", "hull.created", false},
		{"", "hull.created", false},
	} {
		if got := Matches(tt.pattern, tt.name); got != tt.want {
			t.Errorf("Matches(%q, %q) = %t, want %t", tt.pattern, tt.name, got, tt.want)
		}
	}
}

func TestValidate(t *testing.T) {
	kinds := []events.Kind{{Type: "hull.created"}, {Type: "deal.accepted"}}
	for name, tt := range map[string]struct {
		hook  Webhook
		field string
	}{
		"good":         {Webhook{URL: "https://example.com", Events: []string{"hull.*", "deal.accepted"}, Mode: auth.Live}, ""},
		"http in test": {Webhook{URL: "http://example.com", Events: []string{"*"}, Mode: auth.Test}, ""},
		"http in live": {Webhook{URL: "http://example.com", Events: []string{"*"}, Mode: auth.Live}, "url"},
		"unknown type": {Webhook{URL: "https://example.com", Events: []string{"*", "hull.sunk"}}, "events[1]"},
		"unknown noun": {Webhook{URL: "https://example.com", Events: []string{"plane.*"}}, "events[0]"},
		"twice":        {Webhook{URL: "https://example.com", Events: []string{"*", "*"}}, "events[1]"},
	} {
		err := tt.hook.validate(kinds)
		if (err == nil) != (tt.field == "") || (err != nil && !strings.Contains(err.Error(), tt.field)) {
			t.Errorf("%s: got %v, want an error for %q", name, err, tt.field)
		}
	}
}

// The schedule is documented. Jitter and Retry-After change it.
func TestSchedule(t *testing.T) {
	d := Delivery{Status: Pending}
	now := noon
	want := []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 8 * time.Hour, 24 * time.Hour, 72 * time.Hour}
	for i, after := range want {
		d.fail(now, 0, 0)
		if d.Status != Pending || !d.NextAttemptAt.Equal(noon.Add(after)) {
			t.Fatalf("after failure %d: %s, due at %v, want %v", i+1, d.Status, d.NextAttemptAt, noon.Add(after))
		}
		now = *d.NextAttemptAt
	}

	d.fail(now, 0, 0)
	assert.Equal(t, d.Status, Dead, "after the last")
	assert.Equal(t, d.NextAttemptAt, nil, "after the last")
	d.restart(now)
	assert.Equal(t, d.Status, Pending, "after a retry")
	assert.Equal(t, d.Tries, 0, "after a retry")
	assert.Equal(t, *d.NextAttemptAt, now, "after a retry")

	for name, tt := range map[string]struct {
		retryAfter time.Duration
		chance     float64
		want       time.Duration
	}{
		"early by jitter":        {0, -1, 54 * time.Second},
		"late by jitter":         {0, 1, 66 * time.Second},
		"Retry-After":            {10 * time.Minute, 0, 10 * time.Minute},
		"Retry-After, too long":  {5 * time.Hour, 0, time.Hour},
		"Retry-After, too short": {time.Second, 0, time.Minute},
	} {
		d := Delivery{Status: Pending}
		if d.fail(noon, tt.retryAfter, tt.chance); d.NextAttemptAt.Sub(noon) != tt.want {
			t.Errorf("%s: after %v, want %v", name, d.NextAttemptAt.Sub(noon), tt.want)
		}
	}
}

// For any clock changes and Retry-After values, the number of attempts is limited
// and there are at least 30 seconds between them.
func TestScheduleProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, now := Delivery{Status: Pending}, noon
		for d.Status == Pending {
			now = now.Add(time.Duration(rapid.Int64Range(-int64(time.Hour), int64(48*time.Hour)).Draw(t, "jump")))
			d.fail(now, time.Duration(rapid.Int64Range(0, int64(100*time.Hour)).Draw(t, "retry after")), rapid.Float64Range(-1, 1).Draw(t, "chance"))
			if d.Tries > int64(len(schedule)) {
				t.Fatalf("attempt %d, want d.Tries <= %v", d.Tries, int64(len(schedule)))
			}
			if d.Status == Pending && d.NextAttemptAt.Sub(now) < 30*time.Second {
				t.Fatalf("got attempt %d only %v later, want at least 30s", d.Tries+1, d.NextAttemptAt.Sub(now))
			}
		}
	})
}

func TestRetryAfter(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"": 0, "30": 30 * time.Second, "-5": 0, "soon": 0, "99999999999": time.Hour,
		noon.Add(2 * time.Minute).Format(http.TimeFormat): 2 * time.Minute,
		noon.Add(-time.Minute).Format(http.TimeFormat):    0,
	} {
		if got := retryAfter(http.Header{"Retry-After": {value}}, noon); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}

func FuzzPrintable(f *testing.F) {
	f.Add([]byte("ok"))
	f.Add([]byte("a\x00b\xff"))
	f.Add([]byte(strings.Repeat("x", maxResponse-1) + "é"))
	f.Fuzz(func(t *testing.T, body []byte) {
		p := printable(body)
		if p == nil {
			return
		}
		if !utf8.ValidString(*p) || strings.ContainsRune(*p, 0) || len(*p) > 3*maxResponse {
			t.Errorf("got %q, want at most %d bytes of UTF-8 without NUL", *p, 3*maxResponse)
		}
	})
}
