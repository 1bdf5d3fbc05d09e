package browsertest

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"slipway/internal/testkit"
)

// problem answers requests of the console with an error, as the server does.
func problem(status int) func(w http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"error": {"status": %d, "code": "test", "message": "This is a test.", "request_id": "req_test", "doc_url": "", "details": []}}`, status)
	}
}

// dropped closes the connection.
func dropped(http.ResponseWriter) { panic(http.ErrAbortHandler) }

// failing answers requests for data until the returned function is called.
func (s *server) failing(method, path string, answer func(w http.ResponseWriter)) (stop func()) {
	f := func(w http.ResponseWriter, r *http.Request) bool {
		matches := r.Method == method && strings.HasPrefix(r.URL.Path, "/console/api/v") && strings.Contains(r.URL.Path, path)
		if matches && !strings.HasSuffix(r.URL.Path, "/stream") {
			answer(w)
			return true
		}
		return false
	}
	s.intercept.Store(&f)
	return func() { s.intercept.Store(nil) }
}

// expectFailures allows the errors that a test causes. From the next page on, the retries of
// the SDK wait only a tenth of their time.
func (b *tab) expectFailures() {
	b.t.Helper()
	b.run(chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(`const wait = setTimeout; window.setTimeout = (f, ms, ...args) => wait(f, ms / 10, ...args)`).Do(ctx)
		return err
	}))
	b.expects = []string{"the console got 50", "log: Failed to load resource"}
}

// recovers presses Try again until the screen has no error. Some parts of a screen fail later
// than others.
const recovers = `(() => {
	const again = [...document.querySelectorAll("main button")].find((e) => e.innerText.trim() === "Try again");
	if (again && !(performance.now() - window.tried < 300)) {
		window.tried = performance.now();
		again.click();
	}
	return !again && !document.querySelector("main").innerText.includes("req_test");
})()`

// Each screen says that it couldn't load, and loads when the user tries again.
func TestScreensThatFail(t *testing.T) {
	t.Parallel()
	s := working(t, testkit.OnSQLite(t))
	deal := s.Test.AcceptedDeal(nil)
	lead, contact := addLead(s, nil)
	hull := s.Test.Hull(s.Test.Location(), nil)
	b := ownerAt(t, s, "settings/profile")
	b.expectFailures()
	b.visit("/console/test/settings/profile")
	b.settled()
	for _, path := range []string{
		"today", "boats", "boats/" + hull, "leads/" + lead, "contacts", "contacts/" + contact, "deals", "deals/" + deal, "documents", "reports/inventory",
		"developers/keys", "developers/webhooks", "developers/events", "developers/requests", "developers/audit", "settings/dealership",
		"settings/people", "settings/roles", "settings/channels", "settings/locations",
	} {
		stop := s.failing(http.MethodGet, "", problem(http.StatusInternalServerError))
		b.frames(follow(path))
		b.read("This is a test.")
		b.read("req_test")
		b.wantFits(path)
		stop()
		b.until(recovers, path+" after another try")
		b.visit("/console/test/settings/profile") // without data in memory
		b.settled()
	}
}

// If a part of the activity can't be loaded, the list says so. It never shows the rest as if it
// were everything.
func TestActivityThatFails(t *testing.T) {
	t.Parallel()
	s := working(t, testkit.OnSQLite(t))
	deal := s.Test.AcceptedDeal(nil)
	hull := s.Test.Hull(s.Test.Location(), nil)
	b := ownerAt(t, s, "settings/profile")
	b.expectFailures()
	for path, want := range map[string]string{"boats/" + hull: "Added at", "boats/" + hull + "/activity": "Added at", "deals/" + deal: "Deal started"} {
		stop := s.failing(http.MethodGet, "/history", problem(http.StatusNotFound))
		b.visit("/console/test/" + path)
		b.read("Not found, or you don't have access.")
		b.gone(want)
		stop()
		b.until(recovers, path+" after another try")
		b.read(want)
	}
}

// Each kind of failure of a read has a message, and of a write too. Nothing is lost.
func TestKindsOfFailures(t *testing.T) {
	t.Parallel()
	s := working(t, testkit.OnSQLite(t))
	hull := s.Test.Hull(s.Test.Location(), map[string]any{"stock_number": "GW-1"})
	b := ownerAt(t, s, "settings/profile")
	b.expectFailures()
	const gone = "The server can't be reached. Check your connection."
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter)
		want   string
	}{
		"429":        {problem(http.StatusTooManyRequests), "This is a test."},
		"500":        {problem(http.StatusInternalServerError), "This is a test."},
		"503":        {problem(http.StatusServiceUnavailable), "This is a test."},
		"409":        {problem(http.StatusConflict), "This is a test."},
		"404":        {problem(http.StatusNotFound), "Not found, or you don't have access."},
		"connection": {dropped, gone},
	} {
		stop := s.failing(http.MethodGet, "/hulls", c.answer)
		b.visit("/console/test/boats/" + hull)
		b.read(c.want)
		stop()
		b.button("Try again")
		b.read("Ownership")

		stop = s.failing(http.MethodPatch, "/hulls/", c.answer)
		b.button("Edit")
		b.set("Headline of listings", "After "+name)
		b.button("Save")
		b.until(fmt.Sprintf(`document.querySelector("dialog, form")?.innerText.includes(%q)`, c.want), "the error "+name+" at the form")
		stop()
		b.button("Save")
		b.read("Boat saved.")
		b.dismiss()
		b.gone("Boat saved.")
	}
}

// Without a connection a banner says so, and the page continues when it is back.
func TestOffline(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		_, hull := stock(s)
		b := ownerAt(t, s, "boats/"+hull)
		b.read("GW-1")
		b.expects = []string{"net::ERR_INTERNET_DISCONNECTED"}
		offline := func(yes bool) { b.run(network.EmulateNetworkConditions(yes, 0, -1, -1)) } //nolint:staticcheck // the only one that this version has
		offline(true)
		b.read("You're offline.")
		b.press("e")
		b.set("Stock number", "GW-9")
		b.button("Save")
		offline(false)
		b.gone("You're offline.")
		b.read("Boat saved.")
		s.Test.Patch("/v1/hulls/"+hull, map[string]any{"stock_number": "GW-10"}, 200, nil)
		b.read("GW-10") // by a live update
	})
}

// The session ends while a user types. After the sign-in, the input is there again.
func TestSessionEnds(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		_, hull := stock(s)
		manager := s.Person("manager")
		b := open(t, s, desk)
		b.visit("/console/test/boats/" + hull + "?edit=yes")
		b.fill("#email", manager.Email)
		b.click("main button")
		b.fill("#password", testkit.Password)
		b.click("main button")
		b.set("Headline of listings", "Typed before the session ended")
		b.see(".side .count") // the last that is loaded; a request without a session would load the page again
		s.Exec(`DELETE FROM sessions WHERE user_id = ?`, manager.ID)

		b.button("Save")
		b.see("#email")
		b.fill("#email", manager.Email)
		b.click("main button")
		b.fill("#password", testkit.Password)
		b.click("main button")
		b.read("Your unsaved changes were restored.")
		b.until(`document.querySelector("[name=title]").value === "Typed before the session ended"`, "the input")
		b.button("Save")
		b.read("Boat saved.")
	})
}

// Two people edit a boat in two browsers. Both changes are saved.
func TestTwoBrowsers(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		_, hull := stock(s)
		one, two := ownerAt(t, s, "boats/"+hull+"?edit=yes"), ownerAt(t, s, "boats/"+hull+"?edit=yes")
		one.set("Headline of listings", "Of one")
		two.set("Stock number", "GW-2")
		two.button("Save")
		two.read("Boat saved.")
		one.read("Someone just changed this.")
		one.button("Save")
		one.read("Boat saved.")
		one.read("GW-2")
		two.read("Of one")
	})
}

// A user who is deactivated is signed out of a page that is open.
func TestDeactivated(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		stock(s)
		viewer := s.Person("viewer")
		b := open(t, s, desk)
		b.visit("/console/test/boats")
		b.fill("#email", viewer.Email)
		b.click("main button")
		b.fill("#password", testkit.Password)
		b.click("main button")
		b.read("GW-1")
		s.Test.Post("/v1/users/"+viewer.ID+"/deactivate", `{}`, 200, nil)
		b.see("#email") // the event of the user made the page load its data again
	})
}
