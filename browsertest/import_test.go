package browsertest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"slipway/internal/testkit/assert"
)

// A user imports a file without a column for the price. The column is chosen, words get a
// meaning, cells are repaired key by key, and the file and the inventory agree.
func TestImport(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		stock(s)
		file := filepath.Join(t.TempDir(), "boats.csv")
		text := "Stock #,HIN,Builder,Model,Year,Length,Asking,Location,Status\n" +
			"IM-1,LYG12345B324,Sea Fox,228 Commander,2024,22.6,\"$64,900\",Harbor East,Dock\n" +
			"IM-2,NTL,Sea Fox,248 Commander,20222,24,74900,Harbor East,In Stock\n" +
			"IM-3,LYG12347B324,Sea Fox,288 Commander,2024,28,129.9k,Kent Isl.,In Stock\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		b := ownerAt(t, s, "boats/import")
		b.run(chromedp.SetUploadFiles(".drop-zone input", []string{file}, chromedp.ByQuery))
		b.read("Which column is the price?")
		b.read("Sum of all rows: $269,700. Does that look right?")
		b.read("“Dock” in 1 row means")
		b.review("import-columns")
		b.button("Use “Asking” as price")
		b.read("Repair 2 rows")
		b.read("A year has four digits.")
		b.read("A HIN has 12 characters; this has 3.")
		b.read("No such location.")
		b.review("import-repair")

		b.js(`document.querySelector('[aria-label="Row 3 Model year"]').focus()`)
		b.press(kb.Tab)
		assert.Equal(t, evaluate[string](b, `document.activeElement.ariaLabel`), "Row 3 HIN", "the next cell to repair")
		b.js(`document.activeElement.select()`)
		b.press("lyg12346b222")
		b.press(kb.Tab)
		b.until(`!document.querySelector('[aria-label="Row 3 HIN"]').closest("td").matches(".bad")`, "the HIN is valid")
		b.read("was “NTL”")
		b.js(`document.querySelector('[aria-label="Row 3 Model year"]').focus()`)
		b.press(kb.Enter, chromedp.KeyModifiers(input.ModifierCtrl))
		b.until(`document.querySelector('[aria-label="Row 3 Model year"]').value === "2022"`, "the suggestion")
		b.read("2 rows are ready.")
		b.js(`document.querySelector('[aria-label="Row 4 Location"]').focus(); document.activeElement.select()`)
		b.press("Harbor East")
		b.press(enter)
		b.read("All rows are repaired.")
		b.js(`document.querySelector('[aria-label="Row 3 HIN"]').focus()`)
		b.press("z", chromedp.KeyModifiers(input.ModifierCtrl))
		b.read("1 field to repair.")
		b.js(`document.querySelector('[aria-label="Row 4 Location"]').focus(); document.activeElement.select()`)
		b.press("Harbor East")
		b.press(enter)
		b.read("All rows are repaired.")

		b.button("Import 3 rows")
		b.read("3 boats and $269,700 in your file. 3 boats and $269,700 in Slipway.")
		b.review("import-compare")
		b.button("Show inventory")
		b.read("2024 Sea Fox 228 Commander")

		b.visit("/console/test/boats/import")
		b.run(chromedp.SetUploadFiles(".drop-zone input", []string{file}, chromedp.ByQuery))
		b.read("Read like your last file with these columns.")
		b.gone("Which column is the price?")
	})
}

// A user imports contacts. An unknown column is assigned, a row is repaired key by key, and duplicates
// are seen and decided before anything is saved.
func TestImportContacts(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		s.Test.Post("/v1/contacts", `{"first_name":"Ann","last_name":"Bell","email":"ann@example.com"}`, 201, nil)
		file := filepath.Join(t.TempDir(), "people.csv")
		text := "Customer,Cell,Email,ZIP,Text Opt-In,Remarks\n" +
			"Ann Bell,(410) 555-0123,ann@example.com,21401,yes,Bought a Lund in 2019\n" +
			"Ben Cole,(410) 555-0124,ben@example.com,21401,stop,\n" +
			"Benjamin Cole,(410) 555-0124,,21401,,\n" +
			",,,21403,,Wants a quote\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		b := ownerAt(t, s, "contacts")
		b.button("Import")
		b.read("Drop an Excel or CSV file here")
		b.run(chromedp.SetUploadFiles(".drop-zone input", []string{file}, chromedp.ByQuery))
		b.read("Repair 1 row")
		b.review("contact-import-repair")
		b.js(`document.querySelector('[aria-label="Row 5 Email"]').focus()`)
		b.press("dee@example.com")
		b.press(enter)
		b.read("All rows are repaired.")
		b.button("Check 2 duplicates")
		b.read("2 rows are duplicates.")
		b.read("Same email")
		b.read("Row 3")
		b.review("contact-import-duplicates")
		b.js(`document.querySelector('[aria-label="Row 2: what happens"]').focus()`)
		b.press("U") // Update the contact
		b.button("Import 4 rows")
		b.read("The file was imported.")
		b.read("Consents without evidence")
		b.review("contact-import-result")
		b.button("Show contacts")
		b.read("dee@example.com")
		b.read("Ben Cole")
		b.gone("Benjamin Cole")
	})
}
