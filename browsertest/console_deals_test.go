package browsertest

import (
	"fmt"
	"testing"

	"slipway/internal/testkit"
)

// option chooses a value of a list, found by its label.
func (b *tab) option(label, value string) {
	b.t.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll("label")].filter((l) => l.innerText.trim().startsWith(%q) && l.checkVisibility()).map((l) => l.control).findLast(Boolean)`, label)
	b.until(find+" !== undefined", "the field "+label)
	b.js(fmt.Sprintf(`const list = %s; list.value = %q; list.dispatchEvent(new Event("change", {bubbles: true}))`, find, value))
}

// A deal starts with a boat and a buyer that the user searches for.
func TestStartDeal(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		s.Test.Hull(s.Test.Location(), map[string]any{"stock_number": "GW-77"})
		s.Test.Contact(map[string]any{"first_name": "June", "last_name": "Abara"})
		b := ownerAt(t, s, "deals")
		b.button("Start deal")
		b.read("Start a deal")

		b.button("Start deal")
		b.read("Boat is required")
		b.set("Boat", "gw-77")
		b.read("GW-77 · Available · $124,900")
		b.press(enter)
		b.set("Buyer", "abara")
		b.read("June Abara")
		b.press(enter)
		b.set("Opening offer", "118000.00")
		b.button("Start deal")

		b.read("Deal started.")
		b.read("Before acceptance: Accept an offer first.")
		b.read("June Abara")
		b.read("$118,000.00")
		b.review("console-new-deal")

		b.visit("/console/test/deals")
		b.read("2024 Grady-White Freedom 235")
		b.read("1 · $118K")
		b.press("c")
		b.read("Opening offer of the buyer")
	})
}

// The desk leads a cash deal from the offer to the contract. The API calculates all amounts.
func TestDealDesk(t *testing.T) {
	onBoth(t, func(t *testing.T, s *server) {
		deal := s.Test.Deal(map[string]any{"tax_rate_percent": "5"})
		b := ownerAt(t, s, "deals/"+deal)

		// A counteroffer replaces the offer of the buyer, and the buyer accepts it.
		b.button("Answer the offer of $118,000")
		b.button("Dealer counters")
		b.set("Price of the boat", "$120,000.00")
		b.option("Expires", "48")
		b.button("Record offer")
		b.read("Superseded")
		b.read("expires tomorrow")
		b.button("Buyer accepts")
		b.read("The boat is reserved.")
		b.press("z")
		b.read("Not accepted. The deal is open again.")
		b.button("Buyer accepts")
		b.read("The boat is reserved.")

		// Lines, with an error at its field.
		b.button("Edit lines")
		b.button("Add line")
		b.set("Description", "Documentation fee")
		b.set("Amount", "499.50")
		b.button("Save")
		b.read("$126,499.50")

		b.button("Add trade-in")
		b.set("Make", "Cutwater")
		b.set("Allowance", "10000")
		b.set("Payoff", "4000")
		b.button("Add trade-in")
		b.read("−$6,000.00")

		b.button("Record payment")
		b.set("Amount", "5000")
		b.button("Record payment")
		b.read("Payment recorded.")
		b.read("Paid $5,000.00 of")
		b.button("Actions for $5,000.00")
		b.button("Refund")
		b.set("Amount", "1000")
		b.button("Record refund")
		b.read("Reason is required")
		b.set("Reason", "Paid twice")
		b.button("Record refund")
		b.read("Paid $4,000.00 of")

		// The next step lists what is missing. The PDF is shown before anyone signs it.
		b.button("Mark contracted")
		b.read("This is missing:")
		b.button("Close")
		b.button("Add document")
		b.button("Issue a document")
		b.button("Issue document")
		b.see("iframe.preview[src^=blob]")
		for range 2 {
			b.button("Sign")
			b.button("Record signature")
			b.read("Signature recorded.")
			b.dismiss()
		}
		b.read("Signed copy")
		b.button("Close")
		b.read("Locked by the signed agreement")
		b.button("Mark contracted")
		b.set("Reason", "Signed in person")
		b.button("Mark contracted")
		b.read("The deal is contracted.")
		b.review("console-deal")
	})
}

// Dragging a card and its menu ask what is missing first.
func TestDealBoard(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		s.Test.Deal(nil)
		accepted := s.Test.AcceptedDeal(map[string]any{"hull_id": s.Test.Hull(s.Test.Location(), map[string]any{"model": "Express 330"})})
		b := ownerAt(t, s, "deals")
		b.read("Express 330")

		b.button("Move 2024 Grady-White Freedom 235 to…")
		b.button("Move to Accepted")
		b.read("Accept an offer first.")
		b.press(escape)
		b.gone("Accept an offer first.")

		drag := func(to string) {
			t.Helper()
			b.js(fmt.Sprintf(`
				const card = [...document.querySelectorAll(".card")].find((c) => c.innerText.includes("Express 330"));
				card.dispatchEvent(new DragEvent("dragstart", {bubbles: true}));
				setTimeout(() => {
					const column = document.querySelector("[data-status=%s]");
					column.dispatchEvent(new DragEvent("dragover", {bubbles: true, cancelable: true}));
					column.dispatchEvent(new DragEvent("drop", {bubbles: true, cancelable: true}));
				}, 100)`, to))
		}
		drag("contracted")
		b.read("Everyone must sign the purchase agreement.")
		b.press(escape)
		b.gone("Everyone must sign")
		drag("in_finance")
		b.button("Send to finance")
		b.read("The deal is in finance.")
		b.until(`document.querySelector("[data-status=in_finance]").innerText.includes("Express 330")`, "the card in its new column")

		// A change that someone else makes is shown.
		s.Test.SignedDocument(accepted, "purchase_agreement")
		s.Test.Post("/v1/deals/"+accepted+"/advance", nil, 200, nil)
		b.until(`document.querySelector("[data-status=contracted]").innerText.includes("Express 330")`, "the card in the column Contracted")

		b.button("Table")
		b.see("tbody tr")
		b.press("j")
		b.see("tr[aria-selected=true]")
		b.press(enter)
		b.read("Before")
	})
}

// The calculator asks the API, and a structure goes to a lender.
func TestDealFinance(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		deal := s.Test.AcceptedDeal(nil)
		b := ownerAt(t, s, "deals/"+deal)
		b.read("The buyer pays cash.")
		b.button("Compare with financing")
		b.set("Cash down", "18,00")
		b.read("Cash down must be an amount, such as 33,900.50.")
		b.set("Cash down", "18,000.00")
		b.set("APR", "6")
		b.set("Months", "240")
		b.read("$716.43")
		b.button("Save as structure")
		b.set("Name", "20 years")
		b.button("Submit it to the lender")
		b.button("Save structure")
		b.read("Selected")

		b.button("Submit")
		b.set("Lender*", "Bay Federal")
		b.button("Submit")
		b.read("Submitted to Bay Federal.")
		b.button("More for Bay Federal")
		b.button("Conditional")
		b.see("dialog[open] input:focus")
		b.set("APR", "6.5")
		b.button("Mark conditional")
		b.read("the lender has 6.5%, the structure 6%")
		b.button("More for Bay Federal")
		b.button("Add stipulation")
		b.option("What", "insurance_binder")
		b.button("Add stipulation")
		b.button("Insurance binder: Requested. Change")
		b.option("Status", "accepted")
		b.button("Save")
		b.until(`document.querySelector(".checks .yes") !== null`, "the stipulation as accepted")
		b.button("More for Bay Federal")
		b.button("Approved")
		b.read("Bay Federal: approved.")
		b.button("Undo")
		b.read("Bay Federal is conditional again.")
		b.review("console-deal-finance")
	})
}

// Documents wait for signatures, across deals.
func TestDocumentScreen(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		deal := s.Test.AcceptedDeal(nil)
		s.Test.SignedDocument(deal, "purchase_agreement")
		s.Test.Post("/v1/deals/"+deal+"/documents", `{"kind": "bill_of_sale", "required_signers": ["dealer"]}`, 201, nil)
		b := ownerAt(t, s, "documents")
		b.read("Bill of Sale")
		b.gone("Purchase Agreement")
		b.press("j")
		b.see("iframe.preview[src^=blob]")
		b.read("SHA-256")
		b.review("console-document")

		b.button("Void")
		b.button("Void document")
		b.read("Reason is required")
		b.press(escape)
		b.button("Sign")
		b.button("Record signature")
		b.read("No documents wait for a signature.")
		b.press(escape)
		b.button("Signed")
		b.read("Bill of Sale")
		b.read("Purchase Agreement")
	})
}

// Two people change the lines of a deal. No change is lost.
func TestDealConflict(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		deal := s.Test.Deal(map[string]any{"line_items": []any{map[string]any{"kind": "fee", "description": "Documentation fee", "amount_cents": 49900}}})
		b := ownerAt(t, s, "deals/"+deal)
		b.button("Edit lines")
		b.set("Amount", "599")
		s.Test.Patch("/v1/deals/"+deal, `{"line_items": [{"kind": "fee", "description": "Documentation fee", "amount_cents": 39900}]}`, 200, nil)
		b.button("Save")
		b.read("Someone else changed this too.")
		b.read("399.00")
		b.button("Keep mine")
		b.button("Save")
		b.read("Deal saved.")
		b.read("$599.00")
	})
}

// A viewer sees a deal without controls. Text of others is only text.
func TestDealOfViewer(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		deal := s.Test.DealIn("contracted", map[string]any{"line_items": []any{map[string]any{
			"kind": "fee", "description": `<img src=x onerror="document.title = 'hacked'">`, "amount_cents": 100,
		}}})
		s.Test.Post("/v2-preview/activities", map[string]any{"kind": "note", "object_id": deal, "body": "<b>Call on Friday</b>"}, 201, nil)
		viewer := s.Person("viewer")
		b := open(t, s, desk)
		b.visit("/console/test/deals/" + deal)
		b.fill("#email", viewer.Email)
		b.click("main button")
		b.fill("#password", testkit.Password)
		b.click("main button")
		b.see(".notes p")
		b.read("<b>Call on Friday</b>")
		b.console = true
		b.read(`<img src=x`)
		for _, control := range []string{"Edit lines", "Record payment", "Add note", "Mark funded", "Add trade-in"} {
			b.gone(control)
		}
		b.visit("/console/test/deals")
		b.settled()
		b.gone("Start deal")
		b.until(`document.querySelectorAll(".card .btn").length === 0`, "cards without a menu")
		b.visit("/console/test/deals/new")
		b.read("This page doesn't exist, or you don't have access.")
	})
}

// A deal is canceled with a reason, and with what happens to the money.
func TestCancelDeal(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		deal := s.Test.AcceptedDeal(nil)
		s.Test.Post("/v1/deals/"+deal+"/payments", `{"kind": "deposit", "method": "card", "amount_cents": 500000}`, 201, nil)
		b := ownerAt(t, s, "deals/"+deal)
		b.read("Paid $5,000.00")
		b.button("More actions")
		b.button("Cancel deal")
		b.set("Reason", "Bought elsewhere")
		b.option("What happens", "refund")
		b.button("Cancel deal")
		b.read("Canceled: Bought elsewhere")
		b.gone("Record payment")
		b.read("Refund")
	})
}
