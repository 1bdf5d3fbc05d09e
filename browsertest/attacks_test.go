package browsertest

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"slipway/internal/testkit/assert"
)

// evil serves empty pages of an attacker, on another port. As localhost it is the same site
// as the console, so browsers send the cookies. As 127.0.0.1 it is another site.
func evil(t *testing.T, s *server) (sameSite, otherSite string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	web := &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<title>Evil</title><h1>Evil</h1><link rel=icon href=data:,>"))
	})}
	go func() { _ = web.Serve(l) }()
	t.Cleanup(func() { _ = web.Close() })
	port := l.Addr().(*net.TCPAddr).Port
	sameSite, otherSite = fmt.Sprintf("http://localhost:%d/", port), fmt.Sprintf("http://127.0.0.1:%d/", port)
	s.sites = append(s.sites, sameSite, otherSite)
	return sameSite, otherSite
}

// attempts are what a page of an attacker tries. Each returns what it could read.
const attempts = `
const settle = (promise) => Promise.race([promise, new Promise((done) => setTimeout(done, 5000, "timeout"))]).catch((e) => "blocked: " + e.name);
const read = async (path, init) => {
  const res = await fetch(target + path, {credentials: "include", ...init});
  return res.type === "opaque" ? "opaque" : res.status + " " + (await res.text());
};
const json = (path, init) => read(path, {headers: {"Slipway-Mode": "live", "Content-Type": "application/json"}, ...init});
const inFrame = (load) => new Promise((done) => {
  const frame = document.createElement("iframe");
  frame.name = "frame" + Math.random();
  document.body.append(frame);
  frame.onload = () => {
    try { done("read: " + frame.contentDocument.body.innerText) } catch (e) { done("blocked: " + e.name) }
  };
  load(frame);
});
const form = (path, enctype, fields) => inFrame((frame) => {
  const form = document.createElement("form");
  Object.assign(form, {method: "post", action: target + path, enctype, target: frame.name});
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement("input");
    Object.assign(input, {type: "hidden", name, value});
    form.append(input);
  }
  document.body.append(form);
  form.submit();
});
const attempts = {
  "read with cookies": () => read("/console/api/v1/me"),
  "read without CORS": () => read("/console/api/v1/me", {mode: "no-cors"}),
  "read with the header": () => json("/console/api/v1/me"),
  "read the API": () => read("/v1/me"),
  "read the session": () => read("/console/live/today"),
  "write without CORS": () => read("/console/api/v1/locations", {method: "POST", mode: "no-cors", body: '{"name": "Evil"}'}),
  "write with the header": () => json("/console/api/v1/locations", {method: "POST", body: '{"name": "Evil"}'}),
  "write to the API": () => read("/v1/locations", {method: "POST", mode: "no-cors", body: '{"name": "Evil"}'}),
  "delete": () => json("/console/api/v1/sessions/all", {method: "DELETE"}),
  "follow the stream": () => new Promise((done) => {
    const stream = new EventSource(target + "/console/api/v2-preview/events/stream", {withCredentials: true});
    stream.onopen = () => done("read: open");
    stream.onerror = () => done("blocked: stream");
  }),
  "form with JSON": () => form("/console/api/v1/locations", "text/plain", {'{"name": "Evil", "x": "': '"}'}),
  "form with fields": () => form("/console/api/v1/locations", "application/x-www-form-urlencoded", {name: "Evil"}),
  "form to the API": () => form("/v1/locations", "text/plain", {'{"name": "Evil", "x": "': '"}'}),
  "sign-out": () => form("/oauth/sign-out", "application/x-www-form-urlencoded", {}),
  "frame of the console": () => inFrame((frame) => (frame.src = target + "/console/live/today")),
  "frame of the API": () => inFrame((frame) => (frame.src = target + "/console/api/v1/me")),
  "script": () => new Promise((done) => {
    const script = document.createElement("script");
    script.onload = () => done("read: script");
    script.onerror = () => done("blocked: script");
    script.src = target + "/console/api/v1/me";
    document.body.append(script);
  }),
  "window": async () => {
    const opened = open(target + "/console/live/today");
    if (!opened) return "blocked: popup";
    for (let i = 0; i < 40 && !opened.closed; i++) {
      await new Promise((done) => setTimeout(done, 50));
      try { if (opened.document.title && opened.location.href !== "about:blank") return "read: " + opened.document.title } catch { }
    }
    return opened.closed ? "blocked: severed" : "open " + opened.length;
  },
};
const results = async () => {
  const all = {};
  for (const [name, attempt] of Object.entries(attempts)) all[name] = await settle(attempt());
  return JSON.stringify(all);
};`

// Pages on another port and on another host can't read or change anything with the cookies
// of someone who is signed in.
func TestOtherPagesCannotUseTheSession(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		s.Live.Post("/v1/locations", map[string]any{"name": "Harbor East"}, 201, nil)
		b := signIn(t, s, desk, s.Owner.Email, "/console/live/boats")
		b.settled()
		b.wantCookies()
		sameSite, otherSite := evil(t, s)

		for _, page := range []string{sameSite, otherSite} {
			attacker := b.another()
			attacker.console = false
			attacker.expects = []string{"log: ", "console: ", "exception: Uncaught SyntaxError"} // what the browser says about blocked requests
			attacker.run(chromedp.Navigate(page))
			var text string
			attacker.run(chromedp.Evaluate(fmt.Sprintf("const target = %q;", s.url)+attempts+"0", nil), chromedp.Evaluate("results()", &text, await,
				func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithUserGesture(true) }))
			results := map[string]string{}
			if err := json.Unmarshal([]byte(text), &results); err != nil {
				t.Fatal(err)
			}
			t.Logf("from %s: %q", page, results)
			for name, result := range results {
				if !strings.HasPrefix(result, "blocked") && result != "opaque" && result != "open 0" {
					t.Errorf("%s from %s: %s", name, page, result)
				}
			}

			// A link leads to pages, but not to data.
			for path, want := range map[string]string{"/console/api/v1/me": "Only the console can use its session", "/v1/me": "unauthenticated"} {
				attacker.leave(chromedp.Evaluate(fmt.Sprintf("location.href = %q", s.url+path), nil))
				assert.Contains(t, attacker.text(), want, path)
				attacker.run(chromedp.Navigate(page))
			}
		}

		var locations struct{ Data []struct{ Name string } }
		s.Live.Get("/v1/locations", 200, &locations)
		assert.Len(t, locations.Data, 1)
		b.visit("/console/live/boats") // still signed in
		b.settled()
		assert.Equal(t, b.path(), "/console/live/boats")
	})
}

// wantCookies checks that scripts can't read the cookies of the session, and that other
// hosts don't get them.
func (b *tab) wantCookies() {
	b.t.Helper()
	assert.Excludes(b.t, evaluate[string](b, "document.cookie"), "slipway", "cookies that scripts can read")
	var cookies []*network.Cookie
	b.run(chromedp.ActionFunc(func(ctx context.Context) (err error) {
		cookies, err = network.GetCookies().Do(ctx)
		return err
	}))
	found := false
	for _, c := range cookies {
		found = found || c.Name == "slipway-live"
		if !c.HTTPOnly || c.SameSite != network.CookieSameSiteLax || c.Path != "/" || strings.HasPrefix(c.Domain, ".") {
			b.t.Errorf("got the cookie %+v, want HttpOnly, SameSite=Lax, the path / and no domain", c)
		}
	}
	if !found {
		b.t.Error("got no cookie slipway-live")
	}
}

// What a script that got into a page would do. All of it is blocked.
var injections = []string{
	`eval("1")`,
	`new Function("return 1")()`,
	`document.body.innerHTML = "<img src=x onerror=alert(1)>"`,
	`document.body.insertAdjacentHTML("beforeend", "<b>1</b>")`,
	`document.write("<b>1</b>")`,
	`document.createElement("script").src = "https://evil.example/x.js"`,
	`document.createElement("script").text = "alert(1)"`,
	`document.createElement("iframe").srcdoc = "<script>alert(1)</script>"`,
	`new DOMParser().parseFromString("<b>1</b>", "text/html")`,
	`trustedTypes.createPolicy("mine", {createHTML: (text) => text})`,
	`new Worker("/console/assets/app.js")`,
}

// The policy of the console blocks markup and code from text, and requests to other hosts.
func TestTrustedTypes(t *testing.T) {
	d := startDemo(t)
	t.Parallel()
	b := signIn(t, d.server, desk, d.email("owner"), "/console/test/today")
	b.settled()
	b.expects = []string{"Content Security Policy", "Trusted", "console: error", "TrustedHTML"}
	strict := func(p *runtime.EvaluateParams) *runtime.EvaluateParams {
		return p.WithAllowUnsafeEvalBlockedByCSP(false)
	}
	for _, script := range injections {
		var result string
		b.run(chromedp.Evaluate(fmt.Sprintf(`(() => { try { %s; return "ran" } catch (e) { return e.name } })()`, script), &result, strict))
		if result == "ran" {
			t.Errorf("%s is not blocked", script)
		}
	}

	var result string
	b.run(chromedp.Evaluate(`fetch("https://evil.example/").then(() => "sent", (e) => e.name)`, &result, strict, await))
	assert.Equal(t, result, "TypeError", "a request to another host")
	b.js(`const link = document.createElement("a"); link.href = "javascript:window.ran = true"; document.body.append(link); link.click()`)
	b.js(`const style = document.createElement("style"); style.textContent = "body { display: none }"; document.head.append(style)`)
	assert.Equal(t, evaluate[bool](b, `"ran" in window`), false, "a link with code")
	assert.Equal(t, evaluate[string](b, `getComputedStyle(document.body).display`) != "none", true, "a style from a script")
}
