package browsertest

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// anotherWindow puts a window in front of the tab, with notifications that a test can read. The headless
// browser has neither.
const anotherWindow = `
Object.defineProperty(document, "visibilityState", {get: () => window.inFront === false ? "hidden" : "visible"});
window.notes = [];
window.Notification = class {
  static permission = "default";
  static async requestPermission() { return this.permission = "granted" }
  constructor(title, options) { window.notes.push(title + ": " + options.body); window.note = this }
  close() {}
};`

// The bell shows on every screen what needs the user, and the browser tells the user who is in
// another window.
func TestBell(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		lead, contact := addLead(s, map[string]any{"first_name": "Maren", "last_name": "Holt"})
		s.Test.Post("/v1/leads/"+lead+"/consents", consented, 201, nil)
		b := ownerAt(t, s, "contacts")
		b.run(chromedp.ActionFunc(func(ctx context.Context) error {
			_, err := page.AddScriptToEvaluateOnNewDocument(anotherWindow).Do(ctx)
			return err
		}))
		b.visit("/console/test/contacts")
		b.see(".bell .count")
		b.js(`document.querySelector(".bell").click()`)
		b.read("1 customer waits for your answer")
		b.gone("Nothing needs your attention")
		b.review("bell")
		b.js(`document.querySelector(".needs input").click()`)
		b.until(`localStorage.getItem("slipway-notify") === "true"`, "the choice")
		b.press(escape)

		text := map[string]any{"channel": "sms", "from": phoneOf(s, contact), "body": "Is she still for sale?"}
		b.js(`window.inFront = false`)
		s.Test.Post("/v1/leads/"+lead+"/inbound_messages", text, 201, nil)
		b.until(`window.notes.join() === "Maren Holt: Is she still for sale?"`, "one notification")
		b.js(`window.note.onclick()`)
		b.read("Is she still for sale?")
		b.until(`location.pathname === "/console/test/leads/`+lead+`"`, "the conversation")

		b.js(`window.inFront = true`)
		text["body"] = "And the trailer?"
		s.Test.Post("/v1/leads/"+lead+"/inbound_messages", text, 201, nil)
		b.read("And the trailer?")
		b.until(`window.notes.length === 1`, "no notification for a window in front")
	})
}
