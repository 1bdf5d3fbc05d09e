package browsertest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"slipway/internal/vocab/auth"
)

// check checks a box whose label starts with a text.
func (b *tab) check(label string) {
	b.t.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll("label")].filter((l) => l.innerText.trim().startsWith(%q) && l.checkVisibility()).map((l) => l.control).findLast(Boolean)`, label)
	b.until(find+" !== undefined", "the box "+label)
	b.js(find + ".click()")
}

// wantDialogFits checks in all looks that the open dialog cuts nothing off.
func (b *tab) wantDialogFits(name string) {
	b.t.Helper()
	before := b.look
	for _, l := range looks {
		b.show(l)
		b.still()
		b.screenshot(name)
		if wide := evaluate[int](b, `(([d]) => d.scrollWidth - d.clientWidth)(document.querySelectorAll("dialog[open]"))`); wide > 0 {
			b.t.Errorf("%s (%s): the content is %d px wider than the dialog", name, l.name, wide)
		}
		outside := evaluate[[]string](b, `(([d]) => [...d.querySelectorAll("button, input, code")].filter((e) => {
			const [box, at] = [d.getBoundingClientRect(), e.getBoundingClientRect()];
			return e.checkVisibility() && (at.left < box.left || at.right > box.right);
		}).map((e) => e.innerText))(document.querySelectorAll("dialog[open]"))`)
		for _, text := range outside {
			b.t.Errorf("%s (%s): %q is outside of the dialog", name, l.name, text)
		}
	}
	b.show(before)
}

// The owner creates a key for administrators with a two-factor code, sees it once, rotates
// another key, and revokes it.
func TestKeys(t *testing.T) {
	onBoth(t, func(t *testing.T, s *server) {
		b := ownerAt(t, s, "developers/keys")
		b.button("Create key")
		b.set("Name", "Back office")
		b.check("hulls:read")
		b.check("admin")
		b.press(enter)
		b.read("Enter the code of your authenticator app")
		b.set("Code", "000000")
		b.button("Verify")
		b.read("Code is wrong")
		b.set("Code", s.Code(s.Owner.TOTPSecret(auth.Test)))
		b.button("Verify")
		b.read("Slipway can't show it again")
		b.read("sk_test_")
		b.wantDialogFits("console-new-key")

		b.press(escape)
		b.read("Close without storing it?")
		b.button("Cancel")
		b.check("I stored it in a safe place")
		b.button("Done")
		b.gone("Slipway can't show it again")
		b.read("Back office")

		s.Test.Post("/v1/api_keys", map[string]any{"name": "Website", "scopes": []string{"hulls:read"}}, 201, nil)
		b.read("Website") // by a live update
		b.button("Actions for Website")
		b.button("Rotate")
		b.button("Rotate key")
		b.read("works until")
		b.check("I stored it in a safe place")
		b.button("Done")
		b.read("Rotated, expires")
		b.review("console-keys-rotated")
	})
}

// A webhook fails, its delivery shows why, and a retry delivers it.
func TestWebhooks(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		var healthy atomic.Bool
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if !healthy.Load() {
				w.WriteHeader(http.StatusServiceUnavailable)
				_, _ = w.Write([]byte("<b>closed for the winter</b>"))
			}
		}))
		defer receiver.Close()

		b := ownerAt(t, s, "developers/webhooks")
		b.read("No webhooks yet")
		b.button("Add webhook")
		b.set("URL", "not a url")
		b.set("Description", "Inventory sync")
		b.press(enter)
		b.see(".field-error")
		b.set("URL", receiver.URL)
		b.press(enter)
		b.read("whsec_")
		b.wantDialogFits("console-new-webhook")
		b.check("I stored it in a safe place")
		b.button("Done")

		b.button("Send test")
		b.read("Attempt 1")
		b.read("503")
		b.button("Response")
		b.read("<b>closed for the winter</b>") // as text
		b.review("console-delivery")
		healthy.Store(true)
		b.button("Retry now")
		b.read("Attempt 2")
		b.read("Succeeded")

		s.Test.Hull(s.Test.Location(), nil)
		b.read("hull.created")
		b.button("Replay")
		b.button("Count events")
		b.until(`/Replay [\d,]+ events?\?/.test(document.body.innerText)`, "the number of events")
		b.button("Replay events")
		b.until(`/Replaying [\d,]+ event/.test(document.body.innerText)`, "the start of the replay")
	})
}

// Events appear as they happen, and show what changed.
func TestEvents(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		hull := s.Test.Hull(s.Test.Location(), nil)
		b := ownerAt(t, s, "developers/events?type=hull.*")
		b.read("hull.created")
		s.Test.Patch("/v1/hulls/"+hull, map[string]any{"title": `<img src=x onerror="alert(1)">`}, 200, nil)
		b.read("hull.updated")
		b.containing("Changed 2024 Grady-White Freedom 235")
		b.read("Before")
		b.read(`<img src=x onerror="alert(1)">`)
		b.read("No webhook received this event.")
		b.review("console-event")
		b.button("2024 Grady-White Freedom 235")
		b.see(".boat-page, h1")
	})
}

// A request that failed is in the log, with a command to send it again.
func TestRequestLog(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		s.Test.LoggedRequest()
		b := ownerAt(t, s, "developers/requests")
		b.button("POST /v1/locations")
		b.read("nope")
		b.read("curl -X POST")
		b.read("Authorization: Bearer $SLIPWAY_KEY")
		b.review("console-request")
		b.button("Audit entries")
		b.read("Audit")
	})
}

// Settings are saved, and a change of someone else is not lost.
func TestDealershipSettings(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		b := ownerAt(t, s, "settings/dealership")
		b.set("Legal name", "Chesapeake Marine LLC")
		b.set("Length of a hold", "24")
		s.Test.Patch("/v1/dealership", map[string]any{"legal_name": "Bay Marine LLC", "settings": map[string]any{"qualify_at_score": 55}}, 200, nil)
		b.read("Someone just changed this.")
		b.button("Save settings")
		b.read("Choose which values to save.")
		b.button("Keep mine")
		b.button("Save settings")
		b.read("Settings saved.")

		var d struct {
			LegalName string `json:"legal_name"`
			Settings  struct {
				Hours int `json:"default_hold_hours"`
				Score int `json:"qualify_at_score"`
			}
		}
		s.Test.Get("/v1/dealership", 200, &d)
		if d.LegalName != "Chesapeake Marine LLC" || d.Settings.Hours != 24 || d.Settings.Score != 55 {
			t.Errorf("got %+v, want the legal name and the hours of this user, and the score of the other one", d)
		}
	})
}

// The owner invites a person, assigns a role that the owner has created, and deactivates the person.
func TestPeopleSettings(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		b := ownerAt(t, s, "settings/roles")
		b.button("Create role")
		b.set("Name", "Service desk")
		b.check("Read inventory")
		b.press(enter)
		b.read("Role saved.")
		b.visit("/console/test/settings/people")
		b.button("Invite")
		b.set("Name", "Ines Ruiz")
		b.set("Email", "ines@example.com")
		b.check("Service desk")
		b.button("Send invitation")
		b.read("The invitation was sent.")
		b.button("Ines Ruiz")
		b.read("Not signed in.")
		b.review("console-person")
		b.button("More actions for Ines Ruiz")
		b.button("Deactivate")
		b.read("can't sign in again")
		b.button("Deactivate")
		b.read("Person deactivated.")
		b.read("Deactivated")
	})
}

// The owner sees what acts for a person who leaves, hands over a webhook and ends the rest.
func TestDeactivateDialog(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		p := s.Person("owner")
		var key struct{ ID, Key string }
		var hook struct {
			ID, Status string
			CreatedBy  struct{ ID string } `json:"created_by"`
		}
		p.Post("/v1/api_keys", `{"name": "Website", "scopes": ["hulls:read"]}`, 201, &key)
		p.Post("/v1/webhooks", `{"url": "https://example.com/hooks/slipway", "events": ["hull.*"]}`, 201, &hook)
		p.Channel(map[string]any{"name": "Boat Trader", "push_url": "https://partner.example.com/listings"})
		var me, owner struct {
			Name string
			ID   string
		}
		s.Test.Get("/v1/users/"+p.ID, 200, &me)
		s.Test.Get("/v1/users/"+s.OwnerSession(auth.Test).ID, 200, &owner)

		b := ownerAt(t, s, "settings/people?peek="+p.ID)
		b.button("More actions for " + me.Name)
		b.button("Deactivate")
		b.read("Ends now: 1 session.")
		b.read("https://example.com/hooks/slipway")
		b.read("Channels that send boats (1)")
		b.option("Webhooks (1)", "hand_over")
		b.option("New owner", owner.ID)
		b.wantDialogFits("console-deactivate")
		b.button("Deactivate")
		b.set("Code", s.Code(s.Owner.TOTPSecret(auth.Test)))
		b.button("Verify")
		b.read("Person deactivated.")
		s.As(key.Key).Get("/v1/me", 401, nil)
		s.Test.Get("/v1/webhooks/"+hook.ID, 200, &hook)
		if hook.Status != "enabled" || hook.CreatedBy.ID != owner.ID {
			t.Errorf("got the webhook %+v, want it enabled and handed over to %s", hook, owner.ID)
		}
	})
}

// A channel gets a feed URL, which is shown once.
func TestChannelSettings(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		b := ownerAt(t, s, "settings/channels")
		b.button("Add channel")
		b.set("Name", "Our website")
		b.press(enter)
		b.read("/feeds/")
		b.check("I stored it in a safe place")
		b.button("Done")
		b.gone("/feeds/")
		b.button("Actions for Our website")
		b.button("Pause automatic listing")
		b.read("Paused")

		boat := s.Test.Hull(s.Test.Location(), nil)
		b.visit("/console/test/settings/channels")
		b.button("Add channel")
		b.set("Name", "Boat Trader")
		b.set("Kind", "Boat T")
		b.set("Your number at the marketplace", "48213")
		b.review("channel-rules")
		b.button("Add channel")
		b.check("I stored it in a safe place")
		b.button("Done")
		b.read("with 3 photos, a price")
		b.button("Actions for Boat Trader")
		b.button("Show boats that are left out")
		b.read("The number of photos is 0, but the channel requires at least 3.")
		b.review("channel-left-out")
		b.visit("/console/test/boats/" + boat + "/listings")
		b.read("The number of photos is 0, but the channel requires at least 3.")
		b.review("boat-listings")
	})
}

// A salesperson sees only their profile in the settings, and nothing for developers.
func TestSettingsOfSales(t *testing.T) {
	d := startDemo(t)
	t.Parallel()
	b := signIn(t, d.server, desk, d.email("sales"), "/console/test/settings")
	b.read("Open your account")
	b.gone("Developers")
	b.gone("Roles and")
	b.button("Dark")
	b.until(`document.documentElement.dataset.theme === "dark"`, "the dark theme")
	b.visit("/console/test/settings/people")
	b.read("This page doesn't exist, or you don't have access.")
}
