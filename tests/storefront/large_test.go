package storefront

import (
	"cmp"
	"html"
	"regexp"
	"strings"
	"testing"
	"time"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

var nextOf = regexp.MustCompile(`href="([^"]*after=[^"]*)"`)

// With 10,000 boats, a page is as small as with ten, in each order and with each filter. The time is
// only logged, because other tests run at the same time.
func TestLargeStock(t *testing.T) {
	s := testkit.OnSQLite(t)
	w := open(s, map[string]any{"estimate": map[string]any{"down_percent": 20, "months": 240, "apr_percent": "7.99"}})
	w.boat(map[string]any{"stock_number": "S-0", "boat_class": "power-center"})
	columns := testkit.Rows[string](s, `SELECT name FROM pragma_table_info('hulls')`)
	values := map[string]string{
		"id": `'hull_01jcqz8t5n' || printf('%016d', n)`, "stock_number": `'S-' || n`, "hin": "NULL", "price_usd": "20000 + n * 17 % 300000",
		"make_key": `'make ' || (n % 40)`, "make": `'Make ' || (n % 40)`,
	}
	var selected []string
	for _, c := range columns {
		selected = append(selected, cmp.Or(values[c], c))
	}
	s.Exec(`INSERT INTO hulls (` + strings.Join(columns, ", ") + `) WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 10000)
		SELECT ` + strings.Join(selected, ", ") + ` FROM c, hulls`)

	for _, query := range []string{"", "?sort=price", "?sort=-price", "?sort=-length", "?condition=new&type=power-center&price_max=100000", "?make=Make+7", "?q=s-77", "?location=" + w.loc + "&price_min=300000&sort=price"} {
		w.b.Open(w.home + query)
		start := time.Now()
		view := w.b.Open(w.home + query)
		t.Logf("%-60s %4d ms %3d KB", query, time.Since(start).Milliseconds(), len(view.Text)>>10)
		assert.Equal(t, view.StatusCode, 200, query)
		if len(view.Text) > 100<<10 {
			t.Errorf("%s has %d bytes", query, len(view.Text))
		}
	}
	start := time.Now()
	assert.Contains(t, w.b.Open(w.home+"boats/S-5000").Text, "Make ")
	t.Logf("a boat: %d ms", time.Since(start).Milliseconds())
	start = time.Now()
	assert.Equal(t, strings.Count(w.b.Open(w.home+"sitemap.xml").Text, "<loc>"), 10002)
	t.Logf("the sitemap: %d ms", time.Since(start).Milliseconds())

	// Cursors lead through the list, each boat once.
	seen, path := map[string]bool{}, w.home+"?sort=price&make=Make+7"
	for pages := 0; path != ""; pages++ {
		view := w.b.Open(path)
		for _, m := range regexp.MustCompile(`<h2><a href="([^"]+)"`).FindAllStringSubmatch(view.Text, -1) {
			if seen[m[1]] {
				t.Fatalf("%s is there twice", m[1])
			}
			seen[m[1]] = true
		}
		path = ""
		if m := nextOf.FindStringSubmatch(view.Text); m != nil {
			path = html.UnescapeString(m[1])
		}
		if pages > 20 {
			t.Fatal("the list doesn't end")
		}
	}
	assert.Equal(t, len(seen), 250)
}
