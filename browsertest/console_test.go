package browsertest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"slipway/internal/testkit"
)

// consolePaths are where the requests of the console go.
var consolePaths = []string{"/console/", "/media/", "/assets/", "blob:", "data:"}

// onSQLite runs a test with background jobs and live updates.
func onSQLite(t *testing.T, test func(t *testing.T, s *server)) {
	t.Helper()
	t.Parallel()
	test(t, working(t, testkit.OnSQLite(t)))
}

// onBoth also runs a test on PostgreSQL. Pages only see the API, which has its own tests on
// both databases, so a few of these tests are enough.
func onBoth(t *testing.T, test func(t *testing.T, s *server)) {
	t.Helper()
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) { onSQLite(t, test) })
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, working(t, testkit.OnPostgres(t)))
	})
}

// working returns a server that runs background jobs and sends live updates.
func working(t *testing.T, on *testkit.Server) *server {
	t.Helper()
	s := serve(t, on)
	s.RunJobs()
	s.RunRelay()
	go s.app.Streams.Run(t.Context())
	return s
}

// signIn returns a tab in which a live user is signed in, at a page of the console. For a
// page below /console/test, the user gets a test session.
func signIn(t *testing.T, s *server, l look, email, path string) *tab {
	t.Helper()
	link, err := s.app.SignInLink(t.Context(), email, path)
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, s, l)
	b.visit(link)
	b.see("h1")
	b.console = true
	return b
}

// ownerAt signs in the owner at a page of the test environment, on a desk.
func ownerAt(t *testing.T, s *server, path string) *tab {
	t.Helper()
	return signIn(t, s, desk, s.Owner.Email, "/console/test/"+path)
}

// see waits until an element is visible.
func (b *tab) see(selector string) {
	b.t.Helper()
	b.until(fmt.Sprintf("document.querySelector(%q)?.checkVisibility()", selector), selector)
}

// read waits until the page shows a text. It ignores case, and how text is wrapped.
func (b *tab) read(text string) {
	b.t.Helper()
	b.until(fmt.Sprintf("document.body.innerText.replace(/\\s+/g, ' ').toLowerCase().includes(%q.toLowerCase())", text), "the text "+text)
}

// gone waits until the page doesn't show a text.
func (b *tab) gone(text string) {
	b.t.Helper()
	b.until(fmt.Sprintf("!document.body.innerText.replace(/\\s+/g, ' ').toLowerCase().includes(%q.toLowerCase())", text), "no text "+text)
}

// dismiss closes the messages that have not closed themselves. They do after five seconds, which a
// slow machine needs to find the button.
func (b *tab) dismiss() {
	b.t.Helper()
	b.js(`document.querySelectorAll(".toast button[aria-label=Dismiss]").forEach((button) => button.click())`)
}

// until waits for a condition in JavaScript.
func (b *tab) until(condition, what string) {
	b.t.Helper()
	for {
		err := chromedp.Run(b, chromedp.Poll(condition, nil, chromedp.WithPollingTimeout(3*time.Minute)))
		if err == nil {
			return
		}
		left := strings.Contains(err.Error(), "-32000") && b.Err() == nil // the browser opened another page in the meantime
		if !left {
			b.t.Fatalf("want %s: %v\n%s", what, err, b.pageText())
		}
	}
}

// pageText is for failure messages.
func (b *tab) pageText() (text string) {
	ctx, cancel := context.WithTimeout(b, 5*time.Second)
	defer cancel()
	_ = chromedp.Run(ctx, chromedp.Text("body", &text, chromedp.ByQuery)) // the test has failed already
	return text
}

// button clicks a button, a link, a tab or an item of a menu with this text.
func (b *tab) button(text string) {
	b.t.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll("button, a, [role=menuitem], [role=option], summary, label")].filter((e) =>
		(e.innerText.trim() === %[1]q || e.getAttribute("aria-label") === %[1]q) && e.checkVisibility() && !e.disabled).at(-1)`, text)
	b.until(find+" !== undefined", "the button "+text)
	b.js(find + ".click()")
}

// js runs JavaScript.
func (b *tab) js(script string) {
	b.t.Helper()
	b.run(chromedp.Evaluate("{ "+script+"; undefined }", nil, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithUserGesture(true) }))
}

// set replaces the text of a field, found by its label.
func (b *tab) set(label, text string) {
	b.t.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll("label")].filter((l) => l.innerText.trim().startsWith(%q) && l.checkVisibility()).map((l) => l.control).findLast(Boolean)`, label)
	b.until(find+" !== undefined", "the field "+label)
	b.js("const field = " + find + "; field.focus(); field.select?.()")
	b.run(keys(text))
}

// press presses keys.
func (b *tab) press(text string, options ...chromedp.KeyOption) {
	b.t.Helper()
	b.run(keys(text, options...))
}

// keys presses keys the way a keyboard does: a page that handles a key down gets no
// character for it. chromedp.KeyEvent sends the character as an event of its own, and
// it can land in a form that the key has just opened.
func keys(text string, options ...chromedp.KeyOption) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		for _, r := range text {
			events := kb.Encode(r)
			if char := events[1]; char.Type == input.KeyChar {
				events[0].Text, events[0].UnmodifiedText = char.Text, char.UnmodifiedText
				events = slices.Delete(events, 1, 2)
			}
			for _, event := range events {
				for _, option := range options {
					option(event)
				}
				if err := event.Do(ctx); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// The keys of the console that tests use.
const enter, escape = kb.Enter, kb.Escape
