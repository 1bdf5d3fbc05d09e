package browsertest

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
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
	b.want("Ask us", "website-ask")
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

// Another website shows boats and the form under its own policy, with styles that clash. Neither side
// changes the other, and the link stays if nothing comes.
func TestWebsiteEmbed(t *testing.T) {
	t.Parallel()
	s := start(t)
	loc := s.Test.Location()
	channel := s.Test.Channel(map[string]any{"kind": "website", "auto_publish": true})
	s.Test.Put("/v2-preview/channels/"+channel+"/website", map[string]any{"slug": "embedded", "title": "Harbor Boats", "color": "#0b6f7e"}, 200, nil)
	for _, number := range []string{"GW-1", "GW-2", "GW-3"} {
		s.Test.Hull(loc, map[string]any{"stock_number": number})
	}
	origin := strings.TrimSuffix(s.other, "/landed")
	site := s.url + "/b/embedded/"
	host := func(w http.ResponseWriter, r *http.Request) bool {
		bodies := map[string]string{
			"/club":      `<slipway-boats limit="3"><a href="` + site + `">Boats at Harbor Boats</a></slipway-boats><slipway-boat stock="GW-2"></slipway-boat>`,
			"/club-form": `<slipway-form stock="GW-1"><a href="` + site + `ask">Ask</a></slipway-form>`,
			"/club-none": `<slipway-boat stock="NOPE"><a href="` + site + `">Boats at Harbor Boats</a></slipway-boat>`,
		}
		body, ok := bodies[r.URL.Path]
		if r.URL.Path == "/club.css" {
			w.Header().Set("Content-Type", "text/css")
			_, _ = w.Write([]byte(`* { box-sizing: border-box; } body { font: 18px/1.6 Georgia, serif; color: #2b2116; background: #fbf3e3; } a { color: #8a1c1c; background: #ffe9a8; } ul { list-style: square; padding-left: 40px; } svg, button, input { border: 4px dotted red; }`))
			return true
		}
		if !ok {
			return false
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src "+s.url+"; script-src "+s.url+"; connect-src "+s.url+"; require-trusted-types-for 'script'")
		_, _ = w.Write([]byte(`<!doctype html><html lang="en"><title>Club</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/club.css"><script src="` + site + `embed.js" async></script><main><h1>Severn River Fishing Club</h1>` + body + `</main></html>`))
		return true
	}
	s.intercept.Store(&host)

	b := open(t, s, desk)
	b.expects = []string{"data:,"} // the policy of the club has no icons
	b.run(chromedp.Navigate(origin + "/club"))
	b.until(`document.querySelector("slipway-boats").offsetHeight > 300 && document.querySelector("slipway-boat").offsetHeight > 200`, "the boats")
	b.screenshot("website-embed")
	b.wantFits("website-embed")
	if evaluate[bool](b, `document.querySelector("slipway-boats").shadowRoot !== null || document.cookie !== "" || localStorage.length > 0`) {
		t.Error("the shadow root is open, or something was stored")
	}
	b.wantAccessible("website-embed", axeRules(desk))
	b.show(phone)
	b.screenshot("website-embed")
	b.wantFits("website-embed")
	b.show(desk)

	b.run(chromedp.Navigate(origin + "/club-form"))
	b.until(`document.querySelector("slipway-form").offsetHeight > 400`, "the form")
	b.screenshot("website-embed-form")
	b.run(chromedp.Sleep(3200 * time.Millisecond))
	for _, text := range []string{"Martha Dunn", "martha.dunn@example.com", "4105550119", "Seen at the club"} {
		b.run(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(text))
	}
	b.run(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(" "), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector("slipway-form").offsetHeight < 300`, "the thanks")
	b.screenshot("website-embed-thanks")
	var all struct {
		Data []struct{ Metadata map[string]string }
	}
	s.Test.Get("/v1/leads", 200, &all)
	if len(all.Data) != 1 || all.Data[0].Metadata["host_page"] != origin+"/club-form" {
		t.Errorf("got %v, want a lead from the page of the club", all.Data)
	}

	b.run(chromedp.Navigate(origin + "/club-none"))
	b.until(`customElements.get("slipway-boat") !== undefined`, "the script")
	b.run(chromedp.Sleep(500 * time.Millisecond))
	if text := b.text(); !strings.Contains(text, "Boats at Harbor Boats") {
		t.Errorf("got %s, want the link", text)
	}
}
