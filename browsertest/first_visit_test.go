package browsertest

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// What a first visit may cost until the list is shown. A request more is 600 ms more on a slow
// line, if it waits for others.
const (
	mostRequests = 30
	mostBytes    = 150 << 10
)

// A first visit loads few files, all that can be known at once, and nothing twice. The log has the
// time on a slow line: 600 ms until each answer, and 50 KB a second.
func TestFirstVisit(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		stock(s)
		if err := s.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, screen := range []struct{ path, shows string }{{"boats", "GW-1"}, {"today", "This month"}} {
			link, err := s.app.SignInLink(t.Context(), s.Owner.Email, "/console/test/"+screen.path)
			if err != nil {
				t.Fatal(err)
			}
			b := open(t, s, desk)
			b.visit(link)
			b.read(screen.shows) // the browser has a session and the files, which it must not keep
			b.run(network.ClearBrowserCache(), chromedp.Navigate("about:blank"))
			b.run(network.EmulateNetworkConditions(false, 600, 50<<10, 50<<10)) //nolint:staticcheck // the only one that this version has
			visit := b.watch()
			begun := time.Now()
			b.visit("/console/test/" + screen.path)
			b.read(screen.shows)
			t.Logf("%s: the first list after %s", screen.path, time.Since(begun).Round(time.Millisecond))
			b.until(`!document.querySelector(".skeleton")`, "all data")
			visit.end(screen.path, time.Since(begun))
		}
	})
}

// visit counts what a tab requests.
type visit struct {
	tab *tab

	mu       sync.Mutex
	urls     map[network.RequestID]string
	bytes    map[network.RequestID]float64
	requests []string
}

func (b *tab) watch() *visit {
	v := &visit{tab: b, urls: map[network.RequestID]string{}, bytes: map[network.RequestID]float64{}}
	chromedp.ListenTarget(b, func(event any) {
		v.mu.Lock()
		defer v.mu.Unlock()
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			v.urls[e.RequestID] = e.Request.URL
			v.requests = append(v.requests, e.Request.Method+" "+e.Request.URL)
		case *network.EventLoadingFinished:
			v.bytes[e.RequestID] = e.EncodedDataLength
		}
	})
	return v
}

func (v *visit) end(name string, took time.Duration) {
	v.tab.t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	total, seen := 0.0, map[string]bool{}
	for id, n := range v.bytes {
		total += n
		v.tab.t.Logf("%8.0f %s", n, v.urls[id])
	}
	v.tab.t.Logf("%s: %d requests, %.0f KB, %s", name, len(v.requests), total/1000, took.Round(time.Millisecond))
	for _, r := range v.requests {
		if seen[r] && strings.Contains(r, "/console/") {
			v.tab.t.Errorf("%s: requested twice: %s", name, r)
		}
		seen[r] = true
	}
	if len(v.requests) > mostRequests || total > mostBytes {
		v.tab.t.Errorf("%s: %d requests and %.0f bytes, want at most %d and %d", name, len(v.requests), total, mostRequests, mostBytes)
	}
}
