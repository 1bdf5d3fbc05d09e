package browsertest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"slipway/internal/testkit/assert"
)

// keepPaper keeps a copy of what the console prints. A browser without a window can't print.
const keepPaper = `window.print = () => document.body.append(document.querySelector(".paper").cloneNode(true))`

// paper returns the text that the browser prints, and leaves the PDF with the pictures.
func (b *tab) paper(name string) (text string) {
	b.t.Helper()
	var file, picture []byte
	b.run(chromedp.ActionFunc(func(ctx context.Context) (err error) {
		file, _, err = page.PrintToPDF().Do(ctx)
		return err
	}))
	assert.Equal(b.t, bytes.HasPrefix(file, []byte("%PDF-")), true)
	b.run(emulation.SetEmulatedMedia().WithMedia("print"), chromedp.FullScreenshot(&picture, 100), chromedp.Text("body", &text, chromedp.ByQuery),
		emulation.SetEmulatedMedia().WithMedia(""))
	if folder := os.Getenv("SLIPWAY_SCREENSHOTS"); folder != "" {
		assert.NoError(b.t, os.WriteFile(filepath.Join(folder, name+".pdf"), file, 0o600))
		assert.NoError(b.t, os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o600))
	}
	return text
}

// Buyers get a sheet of a boat and a worksheet of a deal on paper, without the console around them and without profits.
func TestPaper(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		hull := s.Test.Hull(s.Test.Location(), map[string]any{"stock_number": "GW-77", "title": "One owner"})
		s.Test.Photo(hull)
		s.Test.Put("/v1/hulls/"+hull+"/pricing", `{"price_usd": 124900, "floor_usd": 111000, "cost": {"invoice_cents": 9900000}}`, 200, nil)
		deal := s.Test.Deal(map[string]any{"hull_id": hull})
		b := ownerAt(t, s, "boats/"+hull)
		b.read("One owner")
		b.js(keepPaper)
		b.button("More actions")
		b.button("Print boat sheet")
		b.until(`document.querySelectorAll(".paper").length === 1 && document.body.lastElementChild.className === "paper"`, "the sheet")
		text := b.paper("boat-sheet")
		for _, want := range []string{"Acme Marine", "GW-77", "$124,900", "One owner"} {
			assert.Contains(t, text, want)
		}
		for _, not := range []string{"111,000", "99,000", "Inventory", "Start deal", "Activity"} {
			assert.Excludes(t, text, not)
		}

		b.visit("/console/test/deals/" + deal)
		b.read("Worksheet")
		b.read("Profit")
		b.js(keepPaper)
		b.button("More actions")
		b.button("Print worksheet")
		b.until(`document.body.lastElementChild.className === "paper"`, "the worksheet")
		text = b.paper("deal-sheet")
		for _, want := range []string{"Acme Marine", "Worksheet of deal", "GW-77", "Total", "Balance due", "Buyer, date"} {
			assert.Contains(t, text, want)
		}
		for _, not := range []string{"Profit", "Edit lines", "Calculator", "Cancel deal"} {
			assert.Excludes(t, strings.ReplaceAll(text, "\n", " "), not)
		}
	})
}

// The price history has a scale, and columns of a report have values.
func TestCharts(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		hull := s.Test.Hull(s.Test.Location(), map[string]any{"price_usd": 100000})
		s.Test.Put("/v1/hulls/"+hull+"/pricing", `{"price_usd": 95000}`, 200, nil)
		b := ownerAt(t, s, "boats/"+hull+"/pricing")
		b.until(`[...document.querySelectorAll(".tick")].map((e) => e.innerText).join(" ").includes("$96,000")`, "the scale of the prices")
		b.until(`document.querySelectorAll(".dot").length === 2`, "a dot for each price")
		b.review("price-history")

		s.Test.Lead(nil)
		b.visit("/console/test/reports/leads")
		b.until(`document.querySelector(".col:last-child b")?.innerText === "1"`, "the value of this month")
		b.button("Table")
		b.see(".points")
		b.review("chart-table")
	})
}

// A user turns the daily summary on in the profile, and chooses when it comes.
func TestDailySummary(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		b := ownerAt(t, s, "settings/profile")
		b.see(".check-line input")
		b.js(`document.querySelector(".check-line input").click()`)
		b.read("You get the summary at 7:00 AM.")
		b.read("The next one is due")
		b.js(`[...document.querySelectorAll("select")].at(-1).focus()`)
		b.press("8:30")
		b.read("You get the summary at 8:30 AM.")
		b.review("daily-summary")
		b.visit("/console/test/settings/profile")
		b.until(`[...document.querySelectorAll("select")].at(-1)?.value === "08:30"`, "the time")
	})
}
