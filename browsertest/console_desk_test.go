package browsertest

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// tap clicks a button or a field with the mouse, and counts the clicks of the tab.
func (b *tab) tap(text string) {
	b.t.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll("button, a, label, select")].filter((e) =>
		(e.innerText.trim().replace(/\*$/, "") === %[1]q || e.getAttribute("aria-label") === %[1]q) && e.checkVisibility() && e.getAttribute("aria-disabled") === null)
		.map((e) => e.control ?? e).at(-1)`, text)
	b.until(find+" !== undefined", "the button "+text)
	b.js(find + `.scrollIntoView({block: "center"})`)
	b.until(`(() => {
		const { x, y } = `+find+`.getBoundingClientRect();
		const same = window.tapX === x && window.tapY === y;
		Object.assign(window, { tapX: x, tapY: y, tapFrames: same ? (window.tapFrames ?? 0) + 1 : 0 });
		return window.tapFrames > 10;
	})()`, text+" to stay in its place while the rest loads")
	var at []float64
	b.run(chromedp.Evaluate("(() => { const r = "+find+".getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()", &at))
	b.run(chromedp.MouseClickXY(at[0], at[1]))
	b.clicks++
}

// mostClicks is how many clicks a financed deal takes from the offer to the delivery. It was 56.
const mostClicks = 27

// A financed deal from the offer to the delivery, with a mouse and a keyboard. What can be undone takes one click.
func TestClicksOfFinancedDeal(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		s.Test.Patch("/v1/dealership", `{"settings": {
			"default_fees": [{"description": "Documentation fee", "amount_cents": 49900, "cost_cents": 0}],
			"products": [{"name": "Hull care", "kind": "hull_protection", "provider": "Shore", "price_cents": 99500, "cost_cents": 41000}]}}`, 200, nil)
		deal := s.Test.Deal(map[string]any{"deal_type": "finance"})
		b := ownerAt(t, s, "deals/"+deal)
		b.read("Documentation fee")
		b.read("Before acceptance: Accept an offer first.")

		b.tap("Dealer accepts")
		b.read("Offer accepted. The boat is reserved.")
		b.tap("Record payment")
		b.see("dialog[open] input:focus")
		b.press("5000")
		b.tap("Record payment")
		b.read("Payment recorded.")

		b.tap("Cash down")
		b.press("18000\t7.49\t")
		b.tap("Add product")
		b.tap("Hull care, $995")
		b.read("−$5,000.00")
		b.read("−$18,000.00")
		b.tap("Save as structure")
		b.see("dialog[open] input:focus")
		b.press("Bay Federal")
		b.tap("Save structure")
		b.read("Saved and submitted to Bay Federal.")

		b.tap("Send to finance")
		b.read("The deal is in finance.")
		b.tap("Issue all 5")
		b.read("5 documents issued.")
		b.tap("Record signatures")
		b.see("dialog[open] .primary")
		b.tap("Record signatures")
		b.read("Signatures recorded.")
		b.tap("Mark contracted")
		b.see("dialog[open] .primary")
		b.tap("Mark contracted")
		b.read("The deal is contracted.")

		for _, step := range []string{"approved", "contract sent", "signed", "package submitted", "approved to fund"} {
			b.tap("Mark " + step)
			b.read("Bay Federal: " + step + ".")
		}
		b.press("z")
		b.read("Bay Federal is package submitted again.")
		b.press("z") // the step before can't be undone anymore
		b.read("It has changed since.")
		b.review("console-desk-lender")
		b.button("Mark approved to fund")
		b.until(`document.querySelector(".lender .btn").innerText === "Mark funded"`, "the lender's last step")
		b.tap("Mark funded")
		b.see("dialog[open] .primary")
		b.tap("Mark funded")
		b.read("Bay Federal: funded.")
		b.read("Lender proceeds, financing")

		b.tap("Record payment")
		b.see("dialog[open] input:focus")
		b.press("18000\t")
		b.press("do") // For: down payment
		b.tap("Record payment")
		b.read("Paid $119,494.00 of $119,494.00")
		b.tap("Mark funded")
		b.see("dialog[open] .primary")
		b.tap("Mark funded")
		b.read("The deal is funded.")
		b.tap("Mark delivered")
		b.see("dialog[open] .primary")
		b.tap("Mark delivered")
		b.read("The deal is delivered.")
		t.Logf("A financed deal takes %d clicks.", b.clicks)
		if b.clicks > mostClicks {
			t.Errorf("got %d clicks, want at most %d", b.clicks, mostClicks)
		}
		b.review("console-desk-delivered")
	})
}

// What is missing leads there, and money that was recorded by mistake can be taken back.
func TestDeskLeadsThere(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		deal := s.Test.DealIn("contracted", nil)
		var paid struct{ Data []struct{ ID string } }
		s.Test.Get("/v1/deals/"+deal+"/payments", 200, &paid)
		for _, p := range paid.Data {
			s.Test.Post("/v1/deals/"+deal+"/payments/"+p.ID+"/refund", `{"reason": "Bounced", "reversal": true}`, 201, nil)
		}
		b := ownerAt(t, s, "deals/"+deal)
		b.read("Before funding:")
		b.js(`document.querySelector(".todo .btn").click()`)
		b.until(`document.querySelector("dialog input").value !== ""`, "the amount that is due")
		b.tap("Record payment")
		b.read("Payment recorded.")
		b.gone("Before funding:")
		b.button("Undo")
		b.read("Payment undone. It is reversed.")
		b.read("Before funding:")
	})
}

// The fees of new deals and the catalog are typed once, in the settings.
func TestDealSettings(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		b := ownerAt(t, s, "settings/deals")
		b.button("Add fee")
		b.tap("Fee")
		b.press("\x01Prep fee\t") // selects the text first
		b.press("750\t0\t")
		b.button("Add product")
		b.set("Provider", "Shore Warranty")
		b.set("Price", "2495")
		b.button("Save settings")
		b.read("Settings saved.")
		b.review("console-settings-deals")
		var d struct {
			Settings struct {
				Fees []struct {
					Description string
					Amount      int64  `json:"amount_cents"`
					Cost        *int64 `json:"cost_cents"`
				} `json:"default_fees"`
				Products []struct{ Provider string }
			}
		}
		s.Test.Get("/v1/dealership", 200, &d)
		if len(d.Settings.Fees) != 1 || d.Settings.Fees[0].Amount != 75000 || d.Settings.Fees[0].Cost == nil || len(d.Settings.Products) != 1 {
			t.Errorf("got %+v, want the fee and the product", d.Settings)
		}
	})
}
