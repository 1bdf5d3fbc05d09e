package storefront

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"slipway/internal/consent"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

// Another website shows boats and the form. The evidence names its page.
func TestEmbed(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := open(s, nil)
		w.boat(map[string]any{"stock_number": "GW-1", "price_usd": 119900, "condition": "used"})
		call := w.boat(map[string]any{"stock_number": "GW-2", "price_usd": 98765})
		s.Test.Patch("/v2-preview/hulls/"+call+"/pricing", `{"price_type":"call"}`, 200, nil)

		script := w.b.Open(w.home + "embed.js")
		assert.Equal(t, script.Header.Get("Access-Control-Allow-Origin"), "*")
		var small bytes.Buffer
		zip := gzip.NewWriter(&small)
		_, err := zip.Write([]byte(script.Text))
		check(t, err)
		check(t, zip.Close())
		t.Logf("embed.js: %d bytes", small.Len())
		if small.Len() > 15<<10 || strings.Contains(script.Text, "{{css}}") {
			t.Errorf("embed.js has %d bytes, want at most 15 KB, with its styles", small.Len())
		}

		list := w.b.Open(w.home + "embed/boats?condition=used&limit=1")
		assert.Equal(t, list.Header.Get("Access-Control-Allow-Origin"), "*")
		assert.Equal(t, list.Header.Get("Set-Cookie"), "")
		assert.Contains(t, list.Text, `"price":"$119,900"`)
		assert.Contains(t, list.Text, `"all":"All 2 boats"`)
		assert.Contains(t, list.Text, `"url":"http://localhost`+w.home+`boats/GW-1"`)
		assert.Excludes(t, w.b.Open(w.home+"embed/boats").Text, "98,765")
		assert.Equal(t, w.b.Open(w.home+"embed/boats/NOPE").StatusCode, 404)

		var form struct{ Stamp string }
		check(t, json.Unmarshal([]byte(w.b.Open(w.home+"embed/form/GW-1").Text), &form))
		s.Advance(5 * time.Second)
		w.b.Header.Set("Origin", "https://club.example")
		send := func(stamp string, changes url.Values) testkit.View {
			return w.ask(w.home+"embed/ask/GW-1", stamp, changes)
		}
		wrong := send(form.Stamp, url.Values{"email": {"nope"}})
		assert.Equal(t, wrong.StatusCode, 422)
		assert.Contains(t, wrong.Text, `"email":"Enter an email address like name@example.com."`)
		sent := send(form.Stamp, url.Values{"consent_email": {"yes"}, "host": {"https://club.example/boats?member=7#top"}})
		assert.Equal(t, sent.StatusCode, 200)
		assert.Contains(t, sent.Text, "Thank you, Martha.")
		l := w.leads()[0]
		assert.Equal(t, l.Metadata["host_page"], "https://club.example/boats")
		var given page.Page[consent.Consent]
		s.Test.Get("/v1/leads/"+l.ID+"/consents", 200, &given)
		for _, c := range given.Data {
			if *c.Basis == consent.ExpressWritten {
				assert.Equal(t, *c.SourceURL, "https://club.example/boats")
			}
		}
		// A page that its browser doesn't name is not evidence.
		send(form.Stamp, url.Values{"message": {"Again"}, "host": {"https://other.example/"}})
		assert.Equal(t, w.leads()[0].Metadata["host_page"], "")
	})
}
