package browsertest

import (
	"fmt"
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// Five price drops take two clicks after the boats are selected: one for the dialog, and one to save. Five more select
// the boats with the mouse. Each boat on its own took at least four.
func TestClicksOfPriceDrops(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		location := s.Test.Location()
		var boats []string
		for n := range 5 {
			boats = append(boats, s.Test.Hull(location, map[string]any{"model": fmt.Sprintf("Freedom %d", 210+n), "price_usd": 100000 + 1000*n}))
		}
		s.Test.Put("/v1/hulls/"+boats[4]+"/pricing", `{"price_usd": 104000, "floor_usd": 101000, "cost": {"invoice_cents": 8000000}}`, 200, nil)
		priceOf := func(n int) (usd int64) {
			var h struct {
				PriceUSD int64 `json:"price_usd"`
			}
			s.Test.Get("/v1/hulls/"+boats[n], 200, &h)
			return h.PriceUSD
		}
		b := ownerAt(t, s, "boats")
		for n := range 5 {
			b.tap(fmt.Sprintf("Select 2024 Grady-White Freedom %d", 210+n))
		}
		b.tap("Change prices")
		b.see("dialog[open] input:focus")
		b.press("-5%")
		b.read("5% lower")
		b.read("$80,000")                // the cost
		b.read("$2,200 below the floor") // 104,000 becomes 98,800
		b.read("1 price to check")
		b.review("bulk-prices")
		b.press(enter)
		b.read("Change 5 prices?")
		b.tap("Cancel")
		b.read("No price was changed.")
		assert.Equal(t, priceOf(0), 100000)

		b.js(`document.querySelector("dialog [aria-label='New price of 2024 Grady-White Freedom 214']").select()`)
		b.js(`document.querySelector("dialog [aria-label='New price of 2024 Grady-White Freedom 214']").focus()`)
		b.press("102k")
		b.gone("to check")
		b.tap("Change prices")
		b.read("5 prices changed.")
		assert.Equal(t, b.clicks, 5+1+1+1) // with one to cancel
		assert.Equal(t, priceOf(0), 95000)
		assert.Equal(t, priceOf(4), 102000)
		b.button("Undo")
		b.read("The prices are as before.")
		assert.Equal(t, priceOf(0), 100000)
		assert.Equal(t, priceOf(4), 104000)

		// A price that someone else changed isn't taken back.
		b.until(`performance.getEntriesByType("resource").filter((e) => e.name.includes("/hulls")).at(-1).responseEnd < performance.now() - 500`, "the list with the new versions")
		b.button("Change prices")
		b.see("dialog[open] input:focus")
		b.press("+1,000\n")
		b.read("5 prices changed.")
		s.Test.Put("/v1/hulls/"+boats[1]+"/pricing", `{"price_usd": 99000}`, 200, nil)
		b.button("Undo")
		b.read("It has changed since. You can't undo this anymore.")
		assert.Equal(t, priceOf(0), 101000)
		b.expectFailures()
	})
}

// People in sales hold boats, also from the list, and end their own holds. What they can't do says who can.
func TestHoldOfSales(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		location := s.Test.Location()
		hull := s.Test.Hull(location, nil)
		other := s.Test.Hull(location, map[string]any{"model": "Freedom 255"})
		s.Test.Post("/v1/hulls/"+other+"/transition", `{"to": "on_hold", "reason": "Survey"}`, 200, nil)
		seller := s.Person("sales")
		b := open(t, s, desk)
		b.signIn(seller.Email, testkit.Password)
		b.until(`location.pathname === "/oauth/account"`, "the account")
		b.visit("/console/test/boats/" + hull)
		b.console = true
		b.tap("Hold")
		b.tap("Hold")
		b.read("Boat is on hold.")
		b.read("On hold until")
		b.tap("Change hold")
		b.read("From now for")
		b.press("1 w") // chooses 1 week
		b.tap("Change hold")
		b.until(`!document.querySelector("dialog[open]")`, "the end of the dialog")
		b.tap("Release hold")
		b.read("The boat is available.")
		b.button("Undo")
		b.read("The boat is on hold again.")

		b.visit("/console/test/boats/" + other)
		b.until(`[...document.querySelectorAll("[aria-disabled=true]")].some((e) => e.innerText.startsWith("Release hold") && e.title.includes("with the role owner, manager, or marketing can change it"))`, "who can release the hold")
		b.visit("/console/test/boats/" + other + "/pricing")
		b.until(`[...document.querySelectorAll("[aria-disabled=true]")].some((e) => e.innerText.startsWith("Change price") && e.title.includes("Someone with the role owner, manager, or marketing can."))`, "who can change the price")
		b.review("hold-of-sales")

		b.visit("/console/test/boats?status=on_hold")
		b.tap("Select 2024 Grady-White Freedom 235")
		b.button("Hold")
		b.submit()
		b.read("Boat is on hold.")
	})
}
