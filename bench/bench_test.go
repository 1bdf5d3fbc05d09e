package main

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestStepMeets(t *testing.T) {
	good := step{"sqlite", 4, outcome{
		length: time.Second, inTime: 95, accepted: []time.Duration{100 * time.Millisecond}, rejected: []time.Duration{time.Millisecond},
		retryAfter: 1, peak: memory{rss: 200 << 20},
	}, []time.Duration{time.Millisecond}}
	if !good.meets(100) {
		t.Error("a good step doesn't reach the goals")
	}
	for name, change := range map[string]func(*step){
		"little goodput":  func(s *step) { s.inTime = 80 },
		"slow":            func(s *step) { s.accepted = []time.Duration{2 * time.Second} },
		"slow rejections": func(s *step) { s.rejected = []time.Duration{time.Second} },
		"slow probes":     func(s *step) { s.probes = []time.Duration{time.Second} },
		"no Retry-After":  func(s *step) { s.retryAfter = 0 },
		"memory":          func(s *step) { s.peak.rss = 400 << 20 },
		"failures":        func(s *step) { s.failures = 1 },
	} {
		bad := good
		if change(&bad); bad.meets(100) {
			t.Errorf("%s: reaches the goals", name)
		}
	}
}

func TestIdleAndUploadsMeet(t *testing.T) {
	calm := idled{cpu: 0.001, before: memory{private: 50 << 20}, after: memory{private: 100 << 20}}
	busy, large, kept := calm, calm, calm
	busy.cpu, large.before.private, kept.after.private = 0.02, 70<<20, 190<<20
	if !calm.meets() || busy.meets() || large.meets() || kept.meets() {
		t.Error("want only the calm server to reach the goals")
	}

	all := uploaded{photos: 50, ready: 50, peak: memory{rss: 300 << 20}}
	lost, large2, failed := all, all, all
	lost.ready, large2.peak.rss, failed.during.failures = 49, 500<<20, 1
	if !all.meets() || lost.meets() || large2.meets() || failed.meets() {
		t.Error("want only complete uploads with little memory to reach the goals")
	}
}

// The generator doesn't wait for slow responses, and counts each outcome.
func TestOffer(t *testing.T) {
	var n atomic.Int64
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		switch i := n.Add(1); {
		case i <= 10: // these hang until the end
			<-release
		case i <= 20:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
		case i <= 25:
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	defer server.Close()
	time.AfterFunc(400*time.Millisecond, func() { close(release) })

	got := offer(t.Context(), 200, 300*time.Millisecond, func(ctx context.Context) (*http.Request, error) {
		return http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
	})
	if got.sent < 50 || got.sent > 61 {
		t.Errorf("sent %d requests, want about 60 although some hang", got.sent)
	}
	if len(got.rejected) != 10 || got.retryAfter != 10 || got.failures != 5 {
		t.Errorf("got %d rejected, %d with Retry-After, %d failures; want 10, 10, 5", len(got.rejected), got.retryAfter, got.failures)
	}
	if len(got.accepted) != got.sent-15 || got.inTime > len(got.accepted)-10 {
		t.Errorf("got %d accepted and %d in time of %d; want the ten that hung to be late", len(got.accepted), got.inTime, got.sent)
	}
}

func TestTurns(t *testing.T) {
	var order []string
	var used time.Duration
	record := func(name string) side {
		return side{cpu: func() time.Duration { return used }, once: func(context.Context) error {
			if len(order) == 0 || order[len(order)-1] != name {
				order = append(order, name)
			}
			used += time.Millisecond
			time.Sleep(time.Millisecond)
			return nil
		}}
	}
	got, err := turns(t.Context(), 1, rounds*2*time.Millisecond, record("a"), record("b"), record("c"))
	if err != nil {
		t.Fatal(err)
	}
	if len(order) != 3*rounds || strings.Join(order[:7], "") != "abcbcac" {
		t.Errorf("got the order %v", order)
	}
	for i, tally := range got {
		if len(tally.rates) != rounds || tally.perRequest() != time.Millisecond {
			t.Errorf("side %d: got %d rounds and %s per request", i, len(tally.rates), tally.perRequest())
		}
	}
	failed := errors.New("failed")
	fail := func(context.Context) error { return failed }
	if _, err := turns(t.Context(), 1, time.Millisecond, side{fail, cpuTime}); !errors.Is(err, failed) {
		t.Errorf("got the error %v, want that of the request", err)
	}
}

// A process has CPU time and memory.
func TestProcess(t *testing.T) {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	p := &process{command: &exec.Cmd{Process: self}}
	before := p.cpu()
	for start := cpuTime(); cpuTime()-start < 50*time.Millisecond; {
		_ = math.Sqrt(float64(time.Now().UnixNano()))
	}
	if used := p.cpu() - before; used < 30*time.Millisecond || used > time.Second {
		t.Errorf("got %s of CPU time, want about 50ms", used)
	}
	if m := p.memory(); m.private < 1<<20 || m.rss < m.private || m.rss > 4<<30 {
		t.Errorf("got the memory %+v", m)
	}
}

func TestDisk(t *testing.T) {
	r := &report{}
	if err := r.addDisk(t.TempDir()); err != nil || r.disk <= 0 || !strings.Contains(r.machine(), "fsync in ") {
		t.Errorf("got %v, %s, %q", err, r.disk, r.machine())
	}
	if err := (&report{}).addDisk("/nonexistent"); err == nil {
		t.Error("no error for a folder that doesn't exist")
	}
}

func TestHINsDiffer(t *testing.T) {
	seen := map[string]bool{}
	for n := range 200_000 {
		seen[newHIN(n)] = true
	}
	if len(seen) != 200_000 {
		t.Errorf("got %d different HINs of 200000", len(seen))
	}
}

func TestTicks(t *testing.T) {
	for highest, want := range map[float64][]float64{
		1:      {0, 0.2, 0.4, 0.6, 0.8, 1},
		7.3:    {0, 2, 4, 6, 8},
		1292:   {0, 250, 500, 750, 1000, 1250, 1500},
		99_800: {0, 20_000, 40_000, 60_000, 80_000, 100_000},
		0:      {0, 1},
	} {
		got := ticks(highest)
		if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
			t.Errorf("%v: got %v, want %v", highest, got, want)
		}
	}
	for n, want := range map[float64]string{
		0: "0", 0.25: "0.25", 1.5: "1.5", 999: "999", 1000: "1,000", 1234567: "1,234,567", 4213.4: "4,213",
	} {
		if got := thousands(n); got != want {
			t.Errorf("%v: got %s, want %s", n, got, want)
		}
	}
}

// A plot is valid XML, has both axes with units, the names of all lines, and colors
// for dark pages. No name overlaps another.
func TestSVG(t *testing.T) {
	c := chart{title: "Throughput <1>", x: "Connections", y: "Requests per second", doubling: true, lines: []line{
		{"Slipway", "slipway", []point{{1, 100}, {2, 200}, {4, 300}}},
		{"PocketBase", "pocketbase", []point{{1, 90}, {2, 150}, {4, 299}}},
		{"bare & plain", "bare", []point{{1, 120}, {2, 250}, {4, 301}}},
	}}
	text := c.svg()
	for decoder := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"Throughput &lt;1&gt;", ">Connections<", ">Requests per second<", ">Slipway<", ">bare &amp; plain<",
		"prefers-color-scheme: dark", "Slipway: 1: 100, 2: 200, 4: 300", `viewBox="0 0 `} {
		if !strings.Contains(text, want) {
			t.Errorf("the plot doesn't contain %s", want)
		}
	}
	heights := c.labels(ticks(c.highest()))
	slices.Sort(heights)
	for i := 1; i < len(heights); i++ {
		if heights[i]-heights[i-1] < 17 {
			t.Errorf("the names are at %v, which overlap", heights)
		}
	}
	xs := c.xTicks()
	if a, b := c.xAt(2, xs)-c.xAt(1, xs), c.xAt(4, xs)-c.xAt(2, xs); math.Abs(a-b) > 0.01 {
		t.Errorf("doubling steps are %v and %v wide", a, b)
	}
}

// Only tables with numbers are replaced.
func TestFill(t *testing.T) {
	r := &report{relayed: []relayed{{"sqlite", 1, 123, time.Second}}}
	page := "Text.\n\n<!-- results: Webhooks: deliveries -->\nold\n<!-- end -->\n\n<!-- results: Overload -->\nolder\n<!-- end -->\nMore.\n"
	got := r.fill(page, time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC))
	if strings.Contains(got, "old\n") || !strings.Contains(got, "| 1 | 123 | 123 |") || !strings.Contains(got, "Measured on November 16, 2026") {
		t.Errorf("the table was not replaced:\n%s", got)
	}
	if !strings.Contains(got, "<!-- results: Overload -->\nolder\n<!-- end -->\nMore.") {
		t.Errorf("the other table was changed:\n%s", got)
	}
	if again := r.fill(got, time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)); again != got {
		t.Errorf("the second run changed the page:\n%s", again)
	}
}

// performance.md has a place for each table that it publishes, and shows each plot.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../docs/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	titles := map[string]bool{}
	for _, t := range (&report{}).tables() {
		titles[t.title] = true
	}
	found := block.FindAllStringSubmatch(string(page), -1)
	if len(found) < 8 {
		t.Errorf("found %d tables", len(found))
	}
	for _, f := range found {
		if !titles[f[1]] {
			t.Errorf("the benchmark has no table %q", f[1])
		}
	}
	for _, name := range []string{"throughput-get", "throughput-create", "page-depth", "goodput"} {
		if !strings.Contains(string(page), "(plots/"+name+".svg)") {
			t.Errorf("the page doesn't show %s", name)
		}
	}
}

func TestShorten(t *testing.T) {
	o := options{seconds: 3, idle: time.Minute, uploads: 50}
	if o.shorten(map[string]bool{"idle": true}); o.idle != time.Minute || o.uploads != 4 || o.seconds != 0.4 {
		t.Errorf("got %+v", o)
	}
}

// Each part and each number can be selected on its own.
func TestIncludes(t *testing.T) {
	parts := []string{"sqlite/", "pocketbase/", "idle", "streams", "overload", "uploads"}
	for only, want := range map[string][]string{
		"":                     parts,
		"pocketbase":           {"pocketbase/"},
		"pocketbase/create/16": {"pocketbase/"},
		"pocketbase/depth":     {"pocketbase/"},
		"pocketbase/create/3$": nil,
		"^idle$":               {"idle"},
		"streams":              {"streams"},
		"overload|uploads":     {"overload", "uploads"},
		"sqlite/get/8":         {"sqlite/"},
		"get":                  {"sqlite/", "pocketbase/"},
	} {
		o := options{only: regexp.MustCompile(only)}
		var got []string
		for _, part := range parts {
			if o.includes(part) {
				got = append(got, part)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("-only %q: got %q, want %q", only, got, want)
		}
	}
}
