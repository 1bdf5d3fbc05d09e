package browsertest

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// firstRow opens the first row of a table, firstBoat a boat with photos.
const (
	firstRow  = `document.querySelector("tbody a, .who a, .card a").click()`
	firstBoat = `document.querySelector("tbody tr:has(img) a").click()`
)

// tour are all screens of the console. A step opens something on the screen.
var tour = []struct{ name, path, step string }{
	{"today", "today", ""},
	{"inventory", "boats", ""},
	{"inventory-peek", "boats", firstBoat},
	{"boat", "boats", firstBoat + `; setTimeout(() => document.querySelector(".peek a[href*='/boats/']").click(), 20)`},
	{"import", "boats/import", ""},
	{"leads", "leads", ""},
	{"lead", "leads", firstRow},
	{"plans", "leads/plans", ""},
	{"campaigns", "leads/campaigns", ""},
	{"campaign", "leads/campaigns", firstRow},
	{"calendar", "calendar", ""},
	{"deals", "deals", ""},
	{"deals-table", "deals?view=table", ""},
	{"deal-new", "deals/new", ""},
	{"deal", "deals?view=table&status=accepted", firstRow},
	{"deal-finance", "deals?view=table&deal_type=finance&status=contracted", firstRow},
	{"deal-cancelled", "deals?view=table&status=cancelled", firstRow},
	{"contacts", "contacts", ""},
	{"contacts-peek", "contacts?q=dale", firstRow},
	{"documents", "documents", ""},
	{"document", "documents?status=signed", firstRow},
	{"approvals", "approvals", ""},
	{"approval", "approvals", firstRow},
	{"boat-owner", "boats?ownership=brokerage", firstRow},
	{"deal-brokerage", "deals?view=table&status=funded", firstRow},
	{"deal-undo", "deals?view=table&status=closed", firstRow},
	{"reports-inventory", "reports/inventory", ""},
	{"reports-gross", "reports/gross", ""},
	{"reports-taxes", "reports/taxes", ""},
	{"reports-cash", "reports/cash", ""},
	{"reports-pipeline", "reports/pipeline", ""},
	{"reports-leads", "reports/leads", ""},
	{"reports-responses", "reports/responses", ""},
	{"keys", "developers/keys", ""},
	{"webhooks", "developers/webhooks", ""},
	{"webhook", "developers/webhooks", firstRow},
	{"events", "developers/events", ""},
	{"event", "developers/events", firstRow},
	{"requests", "developers/requests", ""},
	{"request", "developers/requests", firstRow},
	{"audit", "developers/audit", ""},
	{"settings", "settings", ""},
	{"settings-dealership", "settings/dealership", ""},
	{"settings-locations", "settings/locations", ""},
	{"settings-people", "settings/people", ""},
	{"settings-roles", "settings/roles", ""},
	{"settings-channels", "settings/channels", ""},
	{"settings-sso", "settings/sso", ""},
	{"settings-apps", "settings/apps", ""},
	{"settings-profile", "settings/profile", ""},
	{"missing", "boats/hull_01jcqz8t5n8m2x4v6b7c9d0e1f", ""},
}

// open opens a screen by a link, without loading the page, and waits until it has loaded its
// data. Roles that can't open a screen or have nothing on it skip its step.
func (b *tab) open(path, step string) {
	b.t.Helper()
	b.frames(follow(path))
	b.settled()
	if step != "" {
		b.frames("try { " + step + " } catch (e) { if (!(e instanceof TypeError)) throw e }")
		b.settled()
	}
}

// follow is a script that opens a screen by a link.
func follow(path string) string {
	return fmt.Sprintf(`const link = document.createElement("a"); link.href = "/console/test/%s"; document.body.append(link); link.click(); link.remove()`, path)
}

// frames runs a script and waits until the browser has painted the result.
func (b *tab) frames(script string) {
	b.t.Helper()
	b.run(chromedp.Evaluate("{ "+script+" }; new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 60, 0))))", nil, await))
}

// settled waits until a screen has loaded its data.
func (b *tab) settled() {
	b.t.Helper()
	b.until(`document.readyState === "complete" && document.querySelector("h1") && document.querySelectorAll("[aria-busy=true], .skeleton").length === 0`, "a screen that has loaded")
}

// Every screen is accessible in both themes, on a desk and on a phone. Each tab shows many
// screens: the browser then compiles the console and axe once for all of them.
func TestScreens(t *testing.T) {
	d := startDemo(t)
	t.Parallel()
	const tabs = 4
	for n := range tabs {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			b := signIn(t, d.server, desk, d.email("owner"), "/console/test/today")
			for i := n; i < len(tour); i += tabs {
				b.open(tour[i].path, tour[i].step)
				b.review("console-" + tour[i].name)
			}
		})
	}
}

// Every role opens every screen without a forbidden request. TestScreens is the owner.
func TestRoles(t *testing.T) {
	d := startDemo(t)
	t.Parallel()
	for _, role := range []string{"manager", "sales", "finance", "marketing", "viewer"} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			b := signIn(t, d.server, desk, d.email(role), "/console/test/today")
			for _, s := range tour {
				b.open(s.path, s.step)
			}
		})
	}
}

// pressAll presses each button of a screen, and closes the dialogs and menus that open.
const pressAll = `(async () => {
  const frame = () => new Promise((done) => setTimeout(done, 20));
  const pressed = new Set();
  for (let button; (button = [...document.querySelectorAll("main button")].find((e) => !pressed.has(e) && !e.disabled && e.checkVisibility())) && pressed.size < 60; ) {
    pressed.add(button);
    button.click();
    await frame();
    document.querySelectorAll("dialog[open]").forEach((e) => e.dispatchEvent(new Event("cancel", {cancelable: true})));
    document.querySelectorAll(":popover-open").forEach((e) => e.hidePopover());
    await frame();
  }
  return pressed.size;
})()`

// A viewer presses every button of every screen. No request is forbidden, so no button is
// there that a viewer can't use.
func TestViewerPressesEverything(t *testing.T) {
	d := startDemo(t)
	t.Parallel()
	b := signIn(t, d.server, desk, d.email("viewer"), "/console/test/today")
	pressed := 0
	for _, s := range tour {
		b.open(s.path, s.step)
		var n int
		b.run(chromedp.Evaluate(pressAll, &n, await))
		pressed += n
		b.settled()
	}
	if pressed < 30 {
		t.Errorf("pressed %d buttons, want at least 30", pressed)
	}
}
