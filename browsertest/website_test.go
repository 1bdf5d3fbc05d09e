package browsertest

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// between are widths between a phone and a desk.
var between = []look{{"tablet", "light", 768, 1024}, {"laptop", "dark", 1280, 800}}

// wantFitsAll checks the widths that a review leaves out.
func (b *tab) wantFitsAll(name string) {
	b.t.Helper()
	before := b.look
	for _, l := range between {
		b.show(l)
		b.still()
		b.screenshot(name)
		b.wantFits(name)
	}
	b.show(before)
}

// A buyer finds a boat on the website of the demo, and asks about it with a keyboard.
func TestWebsite(t *testing.T) {
	t.Parallel()
	d := startDemo(t)
	b := open(t, d.server, desk)
	b.visit(d.Website)
	b.until(`document.querySelectorAll(".tile").length === 24`, "the first boats")
	b.until(`[...document.querySelectorAll(".tile img")].slice(0, 2).every((i) => i.complete && i.naturalWidth > 0)`, "their photos")
	b.want("Boats for sale", "website-list")
	b.wantFitsAll("website-list")
	if text := evaluate[string](b, "document.documentElement.outerHTML"); strings.Contains(text, "Slipway") || len(text) > 150<<10 {
		t.Errorf("the list names Slipway, or has %d bytes", len(text))
	}
	b.show(phone)
	b.visit(d.Website + "#filters")
	b.until(`getComputedStyle(document.getElementById("filters")).position === "fixed"`, "the filters")
	b.screenshot("website-filters")
	b.wantFits("website-filters")
	b.wantAccessible("website-filters", axeRules(phone))
	b.show(desk)

	b.visit(d.Website + "?condition=used&price_max=250%2C000")
	b.until(`document.querySelectorAll(".chips a").length === 3`, "the filters that apply")
	b.review("website-filtered")
	b.click(".tile h2 a")
	b.until(`document.querySelector("#ask") !== null`, "the form")
	b.until(`[...document.querySelectorAll(".film img")].slice(0, 1).every((i) => i.complete && i.naturalWidth > 0)`, "the photo")
	b.review("website-boat")
	b.wantFitsAll("website-boat")
	boat := b.path()
	for _, want := range []string{"trial", "trade"} {
		b.run(chromedp.Click(`[name=want][value=`+want+`]`, chromedp.ByQuery))
		b.until(`getComputedStyle(document.querySelector(".f-`+want+`")).display !== "none"`, "the choice "+want)
		b.review("website-" + want)
	}
	b.run(chromedp.Click(`[name=want][value=ask]`, chromedp.ByQuery))

	b.fill("[name=name]", "Martha Dunn")
	b.fill("[name=email]", "martha.dunn@example.com")
	b.fill("[name=phone]", "12")
	b.fill("[name=message]", "Is the trailer included?")
	b.run(chromedp.Sleep(3 * time.Second)) // people are slow
	b.click("#ask button")
	b.until(`document.querySelector("[name=phone]")?.getAttribute("aria-invalid") === "true"`, "the error")
	b.review("website-error")
	b.run(chromedp.KeyEvent("4105550119")) // the field has the focus, and its text is selected
	b.run(chromedp.Sleep(3200 * time.Millisecond))
	b.click("#ask button")
	b.want("Thank you, Martha.", "website-thanks")
	d.wantLead(t, "Martha Dunn", "Is the trailer included?")

	// Without scripts, everything still works.
	b.run(emulation.SetScriptExecutionDisabled(true))
	b.visit(boat)
	b.fill("[name=alert_email]", "waiting@example.com")
	b.run(chromedp.Sleep(3200 * time.Millisecond))
	b.run(chromedp.Click("#alert button", chromedp.ByQuery), chromedp.WaitVisible("#alert [role=status]", chromedp.ByQuery))
	b.run(emulation.SetScriptExecutionDisabled(false))
	b.visit(d.Website + "boats/nobody")
	b.want("This page does not exist", "website-missing")
	b.visit(d.Website + "ask")
	b.until(`document.querySelector("#ask h2") !== null`, "the form")
	b.review("website-ask")
}

// wantLead checks that the newest lead is from a person.
func (d *demoServer) wantLead(t *testing.T, name, message string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.url+"/v1/leads?limit=1&source=web", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+d.TestKey)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	text := string(body)
	first, last, _ := strings.Cut(name, " ")
	for _, want := range []string{`"first_name":"` + first + `"`, `"last_name":"` + last + `"`, message} {
		if !strings.Contains(text, want) {
			t.Errorf("got %s, want a lead with %s", text, want)
		}
	}
}
