package browsertest

import (
	"fmt"
	"testing"

	"slipway/internal/testkit"
)

// A boat is sold while it is on order. It is followed until it arrives, and everyone signs again with its HIN.
func TestSellABoatOnOrder(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		boat := s.Test.Hull(s.Test.Location(), map[string]any{"status": "on_order", "hin": nil, "expected_on": "2099-03-01"})
		deal := s.Test.DealIn("contracted", map[string]any{"hull_id": boat})
		s.Test.Post("/v1/deals/"+deal+"/payments", `{"kind": "balance", "method": "wire", "amount_cents": 11800000}`, 201, nil)
		s.Test.Post("/v1/deals/"+deal+"/advance", `{"to": "funded"}`, 200, nil)
		b := ownerAt(t, s, "deals/"+deal)
		b.read("On order, expected Mar 1, 2099")
		b.read("The boat has no HIN yet.")
		b.button("Open boat")
		b.button("Edit")
		b.set("Manufacturer's order number", "GW-11843")
		b.set("Factory options", "Tower\nSecond battery")
		b.button("Save")
		b.read("Tower, Second battery")
		b.button("Mark in transit")
		b.read("In transit, expected")
		b.dismiss()
		b.button("Receive")
		b.button("Receive boat")
		b.read("HIN is required")
		b.set("HIN", "GRT40912B324")
		b.button("Receive boat")
		b.read("Boat received.")
		b.gone("In transit, expected")

		b.visit("/console/test/deals/" + deal)
		b.read("The agreement doesn't state the HIN.")
		b.button("Issue it again")
		b.button("Issue document")
		b.see("iframe.preview[src^=blob]")
		for range 2 {
			b.button("Sign")
			b.button("Record signature")
			b.read("Signature recorded.")
			b.dismiss()
		}
		b.button("Close")
		b.gone("The agreement doesn't state the HIN.")
		b.button("Mark delivered")
		b.set("Reason", "Picked up")
		b.button("Mark delivered")
		b.read("The deal is delivered.")
		b.review("console-order")
	})
}

// A boat is sold for its owner: the agreement, and the papers that the deal needs.
func TestSellForAnOwner(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		s.Test.Contact(map[string]any{"first_name": "Olive", "last_name": "Owner"})
		boat := s.Test.Hull(s.Test.Location(), map[string]any{"ownership": "brokerage", "condition": "used"})
		taxes := []any{map[string]any{"name": "State tax", "rate_percent": "5", "exempt_reason": "Lives in Delaware"}}
		deal := s.Test.AcceptedDeal(map[string]any{"hull_id": boat, "sale_type": "brokerage", "taxes": taxes})
		b := ownerAt(t, s, "boats/"+boat+"/pricing")
		b.read("The owner is unknown.")
		b.button("Sell for an owner")
		b.set("Owner", "olive")
		b.read("Olive Owner")
		b.press(enter)
		b.option("You get", "net_price")
		b.set("The owner gets", "100000.00")
		b.set("Escrow holder", "Harbor Escrow")
		b.button("Save")
		b.read("Agreement saved.")
		b.read("Harbor Escrow")
		b.read("$100,000")
		b.review("console-owner")

		b.visit("/console/test/deals/" + deal)
		b.read("Still needed: Purchase Agreement, Affidavit of Tax Exemption, Bill of Sale, Settlement Statement")
		b.button("Issue all 4")
		b.read("4 documents issued.")
		b.gone("Still needed")
		b.read("Record signatures")
	})
}

// A location has taxes for buyers from other states, and what the form doesn't show stays.
func TestBuyerTaxSettings(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		at := s.Test.Location()
		s.Test.Patch("/v1/locations/"+at, `{"default_taxes": [{"name": "Excise tax", "rate_percent": "5", "jurisdiction": "Maryland"}],
			"buyer_taxes": [{"region": "VA", "taxes": [{"name": "Watercraft tax", "rate_percent": "2", "base": "price", "cap_cents": 200000}]}]}`, 200, nil)
		b := ownerAt(t, s, "settings/locations")
		b.button("Harbor East")
		b.button("Add state")
		for i, text := range []string{"DE", "Removed to Delaware"} {
			b.frames(fmt.Sprintf(`const rows = [...document.querySelectorAll(".rows-field")].pop().querySelectorAll(".form-row");
				const input = rows[rows.length - 1].querySelectorAll("input")[%d]; input.value = %q; input.dispatchEvent(new Event("input", {bubbles: true}))`, i, text))
		}
		b.button("Save")
		b.read("Location saved.")
		var l struct {
			Default []struct{ Jurisdiction string } `json:"default_taxes"`
			Buyers  []struct {
				Region string
				Reason *string `json:"exempt_reason"`
				Taxes  []struct {
					Base string
					Cap  int64 `json:"cap_cents"`
				}
			} `json:"buyer_taxes"`
		}
		s.Test.Get("/v1/locations/"+at, 200, &l)
		if got := fmt.Sprintf("%v", l.Default); got != "[{Maryland}]" {
			t.Errorf("got the taxes %s, want the jurisdiction to stay", got)
		}
		if len(l.Buyers) != 2 || l.Buyers[0].Taxes[0].Base != "price" || l.Buyers[0].Taxes[0].Cap != 200000 || *l.Buyers[1].Reason != "Removed to Delaware" {
			t.Errorf("got %+v, want the tax of VA with its base and limit, and the exemption of DE", l.Buyers)
		}
	})
}

// A user who is limited to a store sees its boats, leads and deals on each screen, without a forbidden request.
func TestStoreUser(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		east, west := s.Test.Location(), s.Test.Location()
		for _, at := range []string{east, west} {
			model := map[string]string{east: "Eastern 24", west: "Western 24"}[at]
			boat := s.Test.Hull(at, map[string]any{"model": model})
			s.Test.Lead(map[string]any{"hull_id": boat, "interest": model})
			s.Test.Deal(map[string]any{"hull_id": boat})
		}
		o := ownerAt(t, s, "settings/roles")
		o.button("Create role")
		o.set("Name", "Store")
		for _, scope := range []string{"Read inventory", "Change inventory", "Read contacts", "Change contacts", "Read deals", "Change deals", "For managers", "Only their own locations"} {
			o.check(scope)
		}
		o.button("Create role")
		o.read("Role saved.")
		user := s.Test.User(map[string]any{"role_ids": []string{s.RoleID("Store")}, "location_ids": []string{east}})
		s.Activate(user)
		email := testkit.Rows[string](s.Server, `SELECT email FROM users WHERE id = ?`, user)[0]

		b := open(t, s, desk)
		b.visit("/console/test/today")
		b.fill("#email", email)
		b.click("main button")
		b.fill("#password", testkit.Password)
		b.click("main button")
		b.see("h1")
		b.read("Today")
		b.console = true
		for _, screen := range []string{"today", "boats", "leads", "deals", "contacts", "documents", "approvals", "reports/inventory", "reports/gross", "reports/taxes", "reports/cash", "settings/profile"} {
			b.open(screen, "")
			b.gone("Western 24")
		}
		b.open("boats", "")
		b.read("Eastern 24")
		b.open("deals", firstRow)
		b.read("Eastern 24")
	})
}
