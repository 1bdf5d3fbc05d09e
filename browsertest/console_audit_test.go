package browsertest

import (
	"fmt"
	"testing"
)

// The audit log says in words who did what. Keys move, choose the day, the person and the object, and the chain is checked.
func TestAudit(t *testing.T) {
	onBoth(t, func(t *testing.T, s *server) {
		hull := s.Test.Hull(s.Test.Location(), nil)
		s.Test.Put("/v1/hulls/"+hull+"/pricing", map[string]any{"price_usd": 121500}, 200, nil)
		s.Test.Post("/v1/hulls/"+hull+"/transition", map[string]any{"to": "not_for_sale"}, 200, nil)

		b := ownerAt(t, s, "settings/roles")
		b.press("c")
		b.dialog()
		b.set("Name", "Dock hand")
		b.check("Read inventory")
		b.button("Create role")
		b.read("Role saved.")
		b.read("Sees boats, specifications, prices and photos.")
		b.read("Can’t change prices or see costs, see leads, see deals, change settings or make exceptions to rules.")

		b.visit("/console/test/settings/people")
		b.see("tbody tr")
		b.press("j")
		b.containing("do today?")
		b.read("made 1 change")
		b.read("1 change of a role")
		b.read("Created the role Dock hand")
		b.gone("aud_")

		b.visit("/console/test/developers/audit")
		b.read("changed the price of 2024 Grady-White Freedom 235")
		b.read("$124,900 → $121,500")
		b.read("Status: Available → Not for sale")
		b.read("Chain intact")
		b.button("Check all entries")
		b.read("all checked at")

		b.containing("changed the price of")
		b.read("All about this object")
		b.review("console-audit")
		b.press("o")
		b.until(`location.search.includes("target_id=")`, "the entries of the object")
		b.gone("Dock hand")
		b.press("[")
		b.until(`/day=\d{4}-\d\d-\d\d/.test(location.search)`, "the day before")
		b.read("Nothing matches these filters.")
		b.press("]")
		b.read("Status: Available → Not for sale")
		b.press("j")
		b.see(".deed[aria-current]")
		b.press("u")
		b.until(`location.search.includes("actor_id=")`, "the entries of the person")

		b.containing("today,")
		b.button("at any time")
		b.until(`!location.search.includes("day=")`, "any day")
		b.read("Added 2024 Grady-White Freedom 235")
	})
}

// A change of the log itself is on the page of the log and on Today.
func TestBrokenChain(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		s.Test.Hull(s.Test.Location(), nil)
		s.Exec(`UPDATE audit_entries SET action = 'hull.sold' WHERE action = 'hull.created'`)
		b := ownerAt(t, s, "today")
		b.read("The audit log was changed.")
		b.visit("/console/test/developers/audit")
		b.read("The chain is broken")
		b.review("console-audit-broken")
	})
}

// containing clicks the first link or button that contains a text.
func (b *tab) containing(text string) {
	b.t.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll("a, button")].find((e) => e.innerText.includes(%q) && e.checkVisibility())`, text)
	b.until(find+" !== undefined", "the button with "+text)
	b.js(find + ".click()")
}
