package front

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"slipway/internal/platform/ratelimit"
	"slipway/internal/testkit/assert"
)

// Each key that code and templates use has words, and each of the words is used.
func TestWords(t *testing.T) {
	files, err := filepath.Glob("../../storefront/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"../../storefront/pages/*.html", "*.html", "*.go"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	used, text := map[string]bool{}, ""
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text += string(content)
	}
	for _, m := range regexp.MustCompile(`\b(?:say|Say\(|Has\() ?"([a-z][a-z.-]*[a-z])"`).FindAllStringSubmatch(text, -1) {
		if used[m[1]] = true; !Has(m[1]) {
			t.Errorf("no words for %s", m[1])
		}
	}
	for _, key := range Keys() {
		start, _, _ := strings.Cut(key, ".")
		if !used[key] && !strings.Contains(text, `"`+key+`"`) && !regexp.MustCompile(`"`+regexp.QuoteMeta(start)+`[".]`).MatchString(text) {
			t.Errorf("the words for %s are not used", key)
		}
		if strings.Contains(Say(key), "Slipway") {
			t.Errorf("%s names Slipway", key)
		}
	}
}

// For any color, text is readable: lightness is ours, and the chroma is limited.
func TestBrand(t *testing.T) {
	for hex, ok := range map[string]bool{"#0b7285": true, "#ff0000": true, "#FFFFFF": true, "#000000": true, "red": false, "#12345": false, "0b7285f": false, "#0b728g": false} {
		b, valid := BrandOf(hex)
		if valid != ok || b.Chroma > maxChroma || b.Hue < 0 || b.Hue > 360 {
			t.Errorf("%s: got %v %v", hex, b, valid)
		}
	}
	teal, _ := BrandOf("#0b7285")
	if teal.Hue < 200 || teal.Hue > 225 {
		t.Errorf("got %v, want the hue of teal", teal)
	}
}

func TestFormats(t *testing.T) {
	assert.Equal(t, Feet(23.58), "23 ft 7 in")
	assert.Equal(t, Feet(27), "27 ft")
	assert.Equal(t, Feet(26.999), "27 ft")
	assert.Equal(t, Dollars(1250000), "$1,250,000")
	assert.Equal(t, Decimal(4385), "4,385")
	assert.Equal(t, Decimal(106.5), "106.5")
}

// A private page gives nothing to search engines, caches and previews.
func TestPrivate(t *testing.T) {
	w := httptest.NewRecorder()
	NewPage(`<p>{{.}}</p>`).Render(w, http.StatusOK, Shell{Title: "Your boat", Name: "Smith & Sons", Private: true, Canonical: "https://x", Description: "d", ShareTitle: "s", Data: map[string]string{"a": "b"}, Body: "<b>"})
	for _, bad := range []string{"og:", "canonical", "ld+json", "description"} {
		assert.Excludes(t, w.Body.String(), bad)
	}
	assert.Equal(t, w.Header().Get("X-Robots-Tag"), "noindex, nofollow, noarchive")
	assert.Equal(t, w.Header().Get("Cache-Control"), "no-store")
	assert.Equal(t, w.Header().Get("Content-Security-Policy"), "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	assert.Contains(t, w.Body.String(), "<p>&lt;b&gt;</p>")
}

// Text in the data for search engines can't end its element.
func TestData(t *testing.T) {
	w := httptest.NewRecorder()
	NewPage(``).Render(w, http.StatusOK, Shell{Data: map[string]string{"name": "</script><b>"}})
	assert.Contains(t, w.Body.String(), `<script type="application/ld+json">{"name":"\u003c/script\u003e\u003cb\u003e"}</script>`)
}

func TestBots(t *testing.T) {
	now := time.Date(2026, 11, 19, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	b := Bots{MAC: func(data []byte) []byte { return []byte(Hash(data) + Hash(data) + Hash(data)) }, Now: clock, Limits: ratelimit.New(clock)}
	stamp := b.Stamp("ask/1")
	check := func(change func(*Sent)) Verdict {
		s := Sent{Place: "ask/1", Stamp: stamp, Address: "192.0.2.1"}
		change(&s)
		return b.Check(s)
	}
	none := func(*Sent) {}
	assert.Equal(t, check(none), Bot, "too fast")
	now = now.Add(fastest)
	assert.Equal(t, check(none), Person)
	assert.Equal(t, check(func(s *Sent) { s.Trap = "https://spam" }), Bot)
	assert.Equal(t, check(func(s *Sent) { s.Place = "ask/2" }), Stale)
	assert.Equal(t, check(none), Flood)
	assert.Equal(t, check(func(s *Sent) { s.Address = "198.51.100.1" }), Person)
	now = now.Add(time.Hour)
	assert.Equal(t, check(func(s *Sent) { s.Stamp = "" }), Stale)
	assert.Equal(t, check(func(s *Sent) { s.Stamp = stamp[:20] }), Stale)
	now = now.Add(stampFor)
	assert.Equal(t, check(none), Stale)
	assert.Equal(t, Worked(stamp, ""), false)
	assert.Equal(t, Worked(stamp, strings.Repeat("1", 30)), false)
}
