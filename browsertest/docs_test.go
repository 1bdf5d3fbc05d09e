package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A reader finds a page with the search and the navigation.
func TestDocs(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := open(t, s, desk)
	b.visit("/docs")
	b.want("Slipway documentation", "docs")
	b.visit("/docs/guides/concepts")
	b.want("Concepts", "docs-concepts")
	b.visit("/docs/errors#consent_missing")
	b.want("Errors", "docs-errors")
	b.visit("/docs/guides/nothing")
	b.want("Page not found", "docs-missing")
	b.visit("/docs/search?q=hold")
	b.want("Search", "docs-search")

	b.visit("/docs/guides/deals")
	b.run(keys("/"), chromedp.WaitVisible("#q:focus", chromedp.ByQuery), keys("consent_missing"),
		chromedp.WaitVisible("#results li", chromedp.ByQuery), keys(kb.ArrowDown))
	var chosen string
	b.run(chromedp.Text("#results [aria-selected=true]", &chosen, chromedp.ByQuery))
	if !strings.HasPrefix(chosen, "consent_missing") {
		t.Errorf("got the first result %q, want consent_missing", chosen)
	}
	b.leave(keys(kb.Enter))
	var target string
	b.run(chromedp.Evaluate(`location.pathname + " " + document.querySelector(":target").textContent`, &target))
	if !strings.HasPrefix(target, "/docs/errors consent_missing") {
		t.Errorf("Enter leads to %q, want the section of consent_missing", target)
	}

	b.visit("/docs/guides/nothing") // a short page, for the picture
	b.run(chromedp.SendKeys("#q", "hold", chromedp.ByQuery), chromedp.WaitVisible("#results li", chromedp.ByQuery))
	b.review("docs-results")
}

// The server and the script find the same, in the same order.
func TestDocsSearchIsTheSame(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := open(t, s, desk)
	for _, query := range []string{"hull", "webhook secret", "rate limits", "createDeal", "stale", "test key"} {
		b.visit("/docs")
		b.run(chromedp.SendKeys("#q", query, chromedp.ByQuery), chromedp.WaitVisible("#results li", chromedp.ByQuery))
		var script, server []string
		b.run(chromedp.Evaluate(`[...document.querySelectorAll("#results li")].map((e) => e.dataset.url)`, &script))
		b.run(chromedp.SendKeys("#q", kb.Enter, chromedp.ByQuery), chromedp.WaitVisible(".hits", chromedp.ByQuery))
		b.run(chromedp.Evaluate(`[...document.querySelectorAll(".hits a")].map((e) => e.getAttribute("href"))`, &server))
		if len(script) == 0 || fmt.Sprint(script) != fmt.Sprint(server[:min(len(script), len(server))]) {
			t.Errorf("%s: the script finds %q, the server %q", query, script, server)
		}
	}
}
