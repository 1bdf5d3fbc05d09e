package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Without a session, an operation has its samples, and says how to sign in to try it. A link to
// the earlier page leads to the operation, and a link to a field opens it.
func TestReference(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := open(t, s, desk)
	b.visit("/docs/reference#/operations/acceptOffer")
	b.until(`location.pathname === "/docs/reference/acceptOffer"`, "the operation of the earlier address")
	b.want("Accept an offer and reserve the hull", "docs-reference")
	b.read("Sign in to run this in Test.")
	b.show(phone)
	b.until(`document.documentElement.scrollHeight === innerHeight`, "a page that scrolls inside")
	b.show(desk)
	b.visit("/docs/reference/acceptOffer#body-by")
	b.until(`document.getElementById("body-by").closest("details").open`, "the open field")
	b.visit("/docs/reference")
	b.want("API reference", "docs-reference-first")
	b.visit("/docs/reference/events#deal.accepted")
	b.want("Events", "docs-reference-events")
	b.visit("/docs/reference/preview/listHullsV2")
	b.want("List hulls, newest first or in another order", "docs-reference-preview")
	b.visit("/docs/reference/createHull?version=2026-11-15")
	b.read("This is version 2026-11-15.")
	b.run(chromedp.Click(`.toc .pick summary`, chromedp.ByQuery))
	b.leave(chromedp.Click(`//nav[@id="toc"]//a[text()="Preview"]`, chromedp.BySearch))
	b.read("GET")
	if b.path() != "/docs/reference/preview" {
		t.Errorf("got %s, want the preview", b.path())
	}
}

// The keys choose the language, which the next page keeps, and turn the pages.
func TestReferenceKeys(t *testing.T) {
	t.Parallel()
	b := open(t, start(t), desk)
	b.visit("/docs/reference/acceptOffer")
	shown := func() string {
		return evaluate[string](b, `[...document.querySelectorAll("#samples pre")].filter((p) => p.offsetParent).map((p) => p.className).join()`)
	}
	for key, want := range map[string]string{"2": "p-go", "3": "p-ts", "4": "p-cli", "1": "p-curl"} {
		b.run(keys(key))
		if got := shown(); got != want {
			t.Errorf("key %s: got %s, want %s", key, got, want)
		}
	}
	b.run(keys("3"))
	b.leave(keys("]"))
	b.until(`location.pathname === "/docs/reference/rejectOffer"`, "the next operation")
	if got := shown(); got != "p-ts" {
		t.Errorf("the next page shows %s, want the language that was chosen", got)
	}
	b.leave(keys("["))
	b.until(`location.pathname === "/docs/reference/acceptOffer"`, "the previous operation")
}

// The search opens with a key, finds an error, a field and operations, marks the words, and
// opens what is chosen.
func TestReferenceSearch(t *testing.T) {
	t.Parallel()
	b := open(t, start(t), desk)
	b.visit("/docs/reference/acceptOffer")
	b.run(keys("/"), chromedp.WaitVisible("#q:focus", chromedp.ByQuery), keys("below_fl"))
	b.until(`document.querySelector("#hits [aria-selected=true]")?.innerText.includes("below_floor")`, "the error first")
	b.review("docs-reference-search")
	for range "below_fl" {
		b.run(keys(kb.Backspace))
	}
	b.run(keys("accept offer"))
	b.until(`document.querySelector("#hits [aria-selected=true] mark")?.innerText === "Accept"`, "the marked word")
	b.run(keys(kb.ArrowDown), keys(kb.ArrowUp))
	b.leave(keys(kb.Enter))
	if b.path() != "/docs/reference/acceptOffer" {
		t.Errorf("Enter leads to %s, want the operation", b.path())
	}
	b.run(keys("/"), chromedp.WaitVisible("#q:focus", chromedp.ByQuery), keys("flor"))
	b.until(`/^Nothing for “flor”. Try \w+/.test(document.getElementById("none").innerText)`, "a similar word")
	b.run(keys(kb.Escape))
	b.until(`!document.getElementById("hunt").open`, "the closed search")
}

// The theme is the one of the console, and stays.
func TestReferenceTheme(t *testing.T) {
	t.Parallel()
	b := open(t, start(t), desk)
	b.visit("/docs/reference/acceptOffer")
	scheme := `getComputedStyle(document.documentElement).colorScheme`
	b.run(chromedp.Click("#theme", chromedp.ByQuery))
	b.until(scheme+` === "dark"`, "dark")
	b.visit("/docs/reference/getHull")
	b.until(scheme+` === "dark"`, "dark on the next page")
	b.until(`localStorage.getItem("slipway-theme") === '"dark"'`, "the setting of the console")
	b.run(chromedp.Click("#theme", chromedp.ByQuery))
	b.until(scheme+` === "light"`, "light")
}

// A signed-in person tries operations with the test session: objects have names, the values
// appear in the samples, and the response says what changed.
func TestReferenceWithSession(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := ownerAt(t, s, "boats")
	hull := s.Test.Hull(s.Test.Location(), nil)
	b.console = false
	b.visit("/docs/reference/updateHull")
	b.until(`document.querySelector("#run select")?.options.length > 1`, "the boats")
	b.until(`document.querySelector("#samples .v").dataset.full === document.querySelector("#run select").value`, "the boat in the sample")
	b.until(fmt.Sprintf(`document.querySelector("#run select").value === %q`, hull), "the newest boat")
	b.run(chromedp.Click("#try-body", chromedp.ByQuery))
	b.run(keys("a", chromedp.KeyModifiers(2)), keys(kb.Delete), keys(`{"title": "One owner"`))
	b.until(`document.getElementById("try-body-bad").innerText.startsWith("Not valid JSON")`, "the problem of the body")
	b.run(keys("}"))
	b.until(`document.querySelector("#samples [data-body]").innerText.includes("One owner")`, "the body in the sample")
	b.run(keys(kb.Enter, chromedp.KeyModifiers(2)))
	b.until(`document.getElementById("status").innerText === "200 OK"`, "the response")
	b.until(`document.querySelector("#response [data-f=title]").innerText.includes("One owner")`, "the title")
	b.until(`/was (null|")/.test(document.querySelector("#response [data-f=title]").innerText)`, "what the title was")
	b.until(`document.getElementById("may").innerText.includes("may run it")`, "what the session may do")
	b.review("docs-reference-session")

	b.visit("/docs/reference/getMe")
	b.run(chromedp.Click("#run [type=submit]", chromedp.ByQuery))
	b.until(`/"environment":\s*"test"/.test(document.getElementById("response").innerText)`, "the test environment")
	if stored := evaluate[string](b, `JSON.stringify(localStorage)`); strings.Contains(stored, "One owner") || strings.Contains(stored, hull) {
		t.Errorf("the browser stores what was tried: %s", stored)
	}
}

// The address for signing in leads back to the operation.
func TestReferenceSignIn(t *testing.T) {
	t.Parallel()
	b := ownerAt(t, start(t), "boats")
	b.console = false
	b.visit("/console/test?back=%2Fdocs%2Freference%2FacceptOffer")
	if b.path() != "/docs/reference/acceptOffer" {
		t.Errorf("got %s, want the operation", b.path())
	}
}

// All that a page needs on the first visit: few requests, few bytes, and it works without scripts.
func TestReferenceFirstVisit(t *testing.T) {
	t.Parallel()
	b := open(t, start(t), desk)
	b.visit("/docs/reference/acceptOffer")
	b.until(`document.fonts.status === "loaded" && performance.getEntriesByType("resource").some((r) => r.name.includes("/visitor"))`, "all files")
	bytes := evaluate[int](b, `[...performance.getEntriesByType("resource"), ...performance.getEntriesByType("navigation")].reduce((sum, r) => sum + r.transferSize, 0)`)
	requests := evaluate[int](b, `performance.getEntriesByType("resource").length + 1`)
	t.Logf("%d bytes in %d requests", bytes, requests)
	if bytes == 0 || bytes > 150_000 || requests > 8 {
		t.Errorf("got %d bytes in %d requests, want at most 150,000 in 8", bytes, requests)
	}
}
