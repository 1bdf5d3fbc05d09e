package browsertest

import (
	"fmt"
	"testing"
)

// screens are the screens that each role can open, from the demo. The console leaves out
// those that the scopes of a role don't allow.
var screens = []struct{ name, path string }{
	{"today", "today"},
	{"inventory", "boats"},
	{"leads", "leads"},
	{"deals", "deals"},
	{"contacts", "contacts"},
	{"documents", "documents"},
	{"reports", "reports"},
	{"keys", "developers/keys"},
	{"webhooks", "developers/webhooks"},
	{"events", "developers/events"},
	{"approvals", "approvals"},
	{"requests", "developers/requests"},
	{"audit", "developers/audit"},
	{"settings", "settings"},
}

// Every role opens every screen without a forbidden request.
func TestRoles(t *testing.T) {
	d := startDemo(t)
	for _, u := range d.Users {
		t.Run(u.Role, func(t *testing.T) {
			t.Parallel()
			b := signIn(t, d.server, looks[0], u.Email, "/console/test/today")
			for _, s := range screens {
				b.visit("/console/test/" + s.path)
				b.settled()
			}
		})
	}
}

// Every screen is accessible in both themes, on a desk and on a phone.
func TestScreens(t *testing.T) {
	d := startDemo(t)
	for _, l := range looks {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			b := signIn(t, d.server, l, d.Users[0].Email, "/console/test/today")
			for _, s := range screens {
				b.visit("/console/test/" + s.path)
				b.settled()
				b.review("console-" + s.name)
			}
		})
	}
}

// settled waits until a screen has loaded its data.
func (b *tab) settled() {
	b.t.Helper()
	b.see("h1")
	b.until(`document.querySelectorAll("[aria-busy=true], .skeleton").length === 0`, "a screen that has loaded "+fmt.Sprint(b.path()))
}
