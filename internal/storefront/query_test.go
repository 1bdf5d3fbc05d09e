package storefront

import (
	"net/url"
	"strings"
	"testing"

	"slipway/internal/testkit/assert"
)

func TestParseList(t *testing.T) {
	q := parseList("condition=used&condition=used&condition=nope&type=power-center&price_min=$250,000&price_max=100000&length_min=20.5&q=+grady+&sort=-price&make=%00x&page=7")
	assert.Equal(t, q.conditions, []string{"used"})
	assert.Equal(t, q.types, []string{"power-center"})
	assert.Equal(t, q.priceMin, int64(100000), "in order")
	assert.Equal(t, q.priceMax, int64(250000))
	assert.Equal(t, q.lengthMin, 20.5)
	assert.Equal(t, q.words, "grady")
	assert.Equal(t, q.maker, "")
	assert.Equal(t, q.count(), 5)
	assert.Equal(t, parseList("").isPlain(), true)
	assert.Equal(t, parseList("price_min=1e400&length_max=-3&sort=; DROP&price_max=NaN").isPlain(), true)
}

// Whatever is in a query string, the links of the page lead to the same query again, and are bounded.
func FuzzParseList(f *testing.F) {
	for _, seed := range []string{"", "condition=used&type=power-center&price_min=1,000", "q=%ff%00&after=hull_x", "length_min=1e308&length_max=0x10", "location=a&location=b&sort=-length", strings.Repeat("type=power-center&", 50)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		q := parseList(raw)
		link := q.link("/b/x/")
		_, query, _ := strings.Cut(link, "?")
		again := parseList(query)
		again.after, q.after = "", ""
		assert.Equal(t, again.link("/b/x/"), link)
		if _, err := url.Parse(link); err != nil || len(link) > 100_000 {
			t.Errorf("%q: %v", link, err)
		}
		for _, c := range q.chips("/b/x/", map[string]string{"a": "A"}) {
			if !strings.HasPrefix(c.URL, "/b/x/") {
				t.Errorf("chip leads to %q", c.URL)
			}
		}
	})
}
