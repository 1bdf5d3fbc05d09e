package browsertest

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"slipway/internal/app"
	"slipway/internal/platform/site"
	"slipway/internal/testkit"
)

// look is how the browser shows pages.
type look struct {
	name   string
	scheme string
	width  int64
	height int64
}

// looks are both themes, on a desk and on a phone, and the narrowest screen.
var looks = []look{
	{"light", "light", 1440, 900}, {"dark", "dark", 1440, 900},
	{"light-phone", "light", 390, 844}, {"dark-phone", "dark", 390, 844}, {"narrow", "light", 320, 640},
}

// desk and phone are how most tests look at a page. Reviews change the look.
var desk, phone = looks[0], looks[2]

// server is a server at an address that the browser can use for passkeys, which need
// the host localhost or https.
type server struct {
	*testkit.Server
	app   *app.App // that the browser uses
	url   string
	other string   // the same server as another site, which redirects can lead to
	sites []string // of identity providers and attackers

	// intercept answers a request instead of the server, and reports whether it did.
	intercept atomic.Pointer[func(w http.ResponseWriter, r *http.Request) bool]
}

func start(t *testing.T) *server {
	t.Helper()
	return serve(t, testkit.OnSQLite(t))
}

func serve(t *testing.T, s *testkit.Server) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	url := fmt.Sprintf("http://localhost:%d", port)
	set := s.Settings()
	set.BaseURL = url
	a, err := app.Open(t.Context(), set, slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		t.Fatal(err)
	}
	a.DB.Now = s.DB.Now
	if err := site.LoadKeys(t.Context(), a.DB, a.Box, false); err != nil {
		t.Fatal(err)
	}
	other := fmt.Sprintf("http://127.0.0.1:%d/landed", port)
	b := &server{Server: s, app: a, url: url, other: other}
	web := &http.Server{Handler: b.intercepting(redirecting(a.Handler, other)), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = web.Serve(l) }()
	t.Cleanup(func() {
		_ = web.Close()
		_ = a.Close()
	})
	return b
}

func (s *server) intercepting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answer := s.intercept.Load(); answer == nil || !(*answer)(w, r) {
			next.ServeHTTP(w, r)
		}
	})
}

// redirecting adds a page that a sign-in can lead to and that leads to another site,
// as the page for an app does if the user has allowed the app before.
func redirecting(next http.Handler, to string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", next)
	mux.Handle("/oauth/authorize/redirecting", http.RedirectHandler(to, http.StatusFound))
	mux.HandleFunc("/landed", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<h1>Landed</h1>"))
	})
	return mux
}

// chromium is the browser of all tests. The headless shell has no windows, menus and
// extensions, and takes a third of the time that the whole browser takes.
var chromium = sync.OnceValues(func() (context.Context, error) {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.ExecPath("chromium-headless-shell"))
	alloc, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(alloc, chromedp.WithErrorf(func(string, ...any) {})) // it doesn't know all events of newer browsers
	cleanups = append(cleanups, stop, cancel)
	return ctx, chromedp.Run(ctx)
})

// tab is a tab with its own cookies, like a new browser.
type tab struct {
	context.Context
	t    *testing.T
	s    *server
	look look

	cookies cdp.BrowserContextID // tabs with the same ID share cookies and storage

	console bool     // only requests of the console are allowed, and none is forbidden
	clicks  int      // with the mouse, by tap
	expects []string // parts of problems that the test causes on purpose

	mu       sync.Mutex
	problems []string
}

func open(t *testing.T, s *server, l look) *tab {
	t.Helper()
	ctx, err := chromium()
	if err != nil {
		t.Fatal(err)
	}
	browser := cdp.WithExecutor(ctx, chromedp.FromContext(ctx).Browser)
	id, err := target.CreateBrowserContext().WithDisposeOnDetach(true).Do(browser)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.DisposeBrowserContext(id).Do(browser) })
	return newTab(t, s, l, id)
}

// another opens a tab with the same cookies.
func (b *tab) another() *tab {
	b.t.Helper()
	other := newTab(b.t, b.s, b.look, b.cookies)
	other.console, other.expects = b.console, b.expects
	return other
}

func newTab(t *testing.T, s *server, l look, cookies cdp.BrowserContextID) *tab {
	t.Helper()
	ctx, err := chromium()
	if err != nil {
		t.Fatal(err)
	}
	browser := cdp.WithExecutor(ctx, chromedp.FromContext(ctx).Browser)
	id, err := target.CreateTarget("about:blank").WithBrowserContextID(cookies).WithNewWindow(true).Do(browser)
	if err != nil {
		t.Fatal(err)
	}
	ctx, closeTab := chromedp.NewContext(ctx, chromedp.WithTargetID(id))
	t.Cleanup(closeTab)
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	t.Cleanup(cancel)

	b := &tab{Context: ctx, t: t, s: s, cookies: cookies}
	chromedp.ListenTarget(ctx, b.observe)
	b.run(network.Enable(), cdplog.Enable(), emulation.SetFocusEmulationEnabled(true))
	b.show(l)
	t.Cleanup(b.wantNoProblems)
	return b
}

// show changes the size of the screen and the theme.
func (b *tab) show(l look) {
	b.t.Helper()
	b.look = l
	b.run(emulation.SetDeviceMetricsOverride(l.width, l.height, 1, l.width < 500),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: l.scheme}}))
}

// observe collects what must not happen: messages in the console, violations of the
// policy, and requests to other hosts.
func (b *tab) observe(event any) {
	problem := ""
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		problem = fmt.Sprint("console: ", e.Type, e.Args)
	case *runtime.EventExceptionThrown:
		problem = fmt.Sprint("exception: ", e.ExceptionDetails)
	case *cdplog.EventEntryAdded:
		// Chromium logs each response with an error status, which tests cause on purpose, and what a sign-out clears.
		if !strings.Contains(e.Entry.Text, "the server responded with a status of 4") && !strings.HasPrefix(e.Entry.Text, "Clear-Site-Data") &&
			!hasPrefix(e.Entry.URL, b.s.sites) {
			problem = fmt.Sprint("log: ", e.Entry.Text, " ", e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		known := append([]string{b.s.url + "/", strings.TrimSuffix(b.s.other, "landed"), "data:", "blob:" + b.s.url + "/"}, b.s.sites...)
		if !hasPrefix(e.Request.URL, known) {
			problem = "request to another site: " + e.Request.URL
		}
		if path := strings.TrimPrefix(e.Request.URL, b.s.url); b.console && !hasPrefix(path, consolePaths) {
			problem = "the console requested " + path
		}
	case *network.EventResponseReceived:
		if b.console && (e.Response.Status == 403 || e.Response.Status >= 500) {
			problem = fmt.Sprintf("the console got %d from %s", e.Response.Status, e.Response.URL)
		}
	}
	expected := slices.ContainsFunc(b.expects, func(part string) bool { return strings.Contains(problem, part) })
	if problem != "" && !expected {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.problems = append(b.problems, problem)
	}
}

func hasPrefix(url string, starts []string) bool {
	return slices.ContainsFunc(starts, func(start string) bool { return strings.HasPrefix(url, start) })
}

func (b *tab) wantNoProblems() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.problems {
		b.t.Error(p)
	}
}

func (b *tab) run(actions ...chromedp.Action) {
	b.t.Helper()
	if err := chromedp.Run(b, actions...); err != nil {
		b.t.Fatal(err)
	}
}

func (b *tab) visit(path string) {
	b.t.Helper()
	b.run(chromedp.Navigate(b.s.url + path))
}

// fill types into a field.
func (b *tab) fill(selector, text string) {
	b.t.Helper()
	b.run(chromedp.WaitVisible(selector, chromedp.ByQuery), chromedp.SendKeys(selector, text, chromedp.ByQuery))
}

// click clicks and waits for the next page.
func (b *tab) click(selector string) {
	b.t.Helper()
	b.leave(chromedp.WaitVisible(selector, chromedp.ByQuery), chromedp.Click(selector, chromedp.ByQuery))
}

// leave does what leads to another page and waits for it.
func (b *tab) leave(actions ...chromedp.Action) {
	b.t.Helper()
	loaded := make(chan struct{}, 8)
	ctx, cancel := context.WithCancel(b)
	defer cancel()
	chromedp.ListenTarget(ctx, func(event any) {
		if _, ok := event.(*page.EventLoadEventFired); ok {
			loaded <- struct{}{}
		}
	})
	b.run(actions...)
	select {
	case <-loaded:
	case <-time.After(20 * time.Second):
		b.t.Fatalf("no other page; the page is %s", b.text())
	}
}

// text returns the text of the page. It doesn't use chromedp's copy of the nodes, which can be
// that of the page before.
func (b *tab) text() string {
	b.t.Helper()
	return evaluate[string](b, "document.body.innerText")
}

func (b *tab) path() (path string) {
	b.t.Helper()
	b.run(chromedp.Evaluate("location.pathname", &path))
	return path
}

// want checks the heading of the page, and reviews the page.
func (b *tab) want(heading, name string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`document.querySelector("h1")?.innerText === %q`, heading), "the page "+heading)
	b.review(name)
}

var axe = sync.OnceValues(func() (string, error) {
	text, err := os.ReadFile(os.Getenv("SLIPWAY_AXE"))
	return string(text), err
})

// screenshot saves a picture of the page in SLIPWAY_SCREENSHOTS, if set.
func (b *tab) screenshot(name string) {
	b.t.Helper()
	folder := os.Getenv("SLIPWAY_SCREENSHOTS")
	if folder == "" {
		return
	}
	var picture []byte
	b.run(chromedp.FullScreenshot(&picture, 100)) // PNG
	file := filepath.Join(folder, name+"-"+b.look.name+".png")
	if err := os.WriteFile(file, picture, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// reviewed are the names of the pages that were reviewed, because tests run on both
// databases, and many start with the same pages.
var reviewed sync.Map

// review checks the page in all looks, with axe and for content that is wider than the
// screen, and takes screenshots.
func (b *tab) review(name string) {
	b.t.Helper()
	if _, done := reviewed.LoadOrStore(name, true); done {
		return
	}
	before := b.look
	for _, l := range looks {
		b.show(l)
		b.still()
		b.screenshot(name)
		b.wantFits(name)
		b.wantAccessible(name, axeRules(l))
	}
	b.show(before)
}

// still waits until nothing on the page moves.
func (b *tab) still() {
	b.t.Helper()
	b.until(`document.getAnimations().every((a) => a.playState !== "running" || a.effect.getComputedTiming().endTime === Infinity)`, "no animation")
}

// wantFits checks that the page is not wider than the screen.
func (b *tab) wantFits(name string) {
	b.t.Helper()
	if wide := evaluate[int](b, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); wide > 0 {
		b.t.Errorf("%s (%s) is %d px wider than the screen", name, b.look.name, wide)
	}
}

// axeRules are the rules of axe that depend on the look: the theme only changes colors, and
// the narrowest screen is a phone with less space.
func axeRules(l look) string {
	switch {
	case l.scheme == "dark":
		return `{type: "rule", values: ["color-contrast"]}`
	case l.name == "narrow":
		return `{type: "rule", values: ["target-size", "scrollable-region-focusable"]}`
	}
	return `["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]`
}

// wantAccessible checks the page with axe.
func (b *tab) wantAccessible(name, rules string) {
	b.t.Helper()
	source, err := axe()
	if err != nil {
		b.t.Fatalf("no axe-core: %v; run make test-browser", err)
	}
	if !evaluate[bool](b, `"axe" in window`) {
		b.run(chromedp.Evaluate(source+";0", nil))
	}

	var result string
	b.run(chromedp.Evaluate(fmt.Sprintf(`
		axe.run(document, {runOnly: %s, resultTypes: ["violations"]})
		.then((r) => JSON.stringify(r.violations.map((v) => ({id: v.id, help: v.help, nodes: v.nodes.map((n) => n.html + " " + n.failureSummary)}))))`, rules),
		&result, await))
	var violations []struct {
		ID, Help string
		Nodes    []string
	}
	if err := json.Unmarshal([]byte(result), &violations); err != nil {
		b.t.Fatal(err)
	}
	for _, v := range violations {
		b.t.Errorf("%s (%s): axe found %s: %s\n%s", name, b.look.name, v.ID, v.Help, strings.Join(v.Nodes, "\n"))
	}
}
