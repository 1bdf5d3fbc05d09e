// Package storefront tests the public websites through HTTP.
package storefront

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"slipway/internal/consent"
	"slipway/internal/leads"
	"slipway/internal/storefront"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

// shop is a website with its channel.
type shop struct {
	*testkit.Server
	b             *testkit.Browser
	home, channel string
	loc           string
}

var shops atomic.Int64

func open(s *testkit.Server, settings map[string]any) shop {
	slug := fmt.Sprintf("harbor-%d", shops.Add(1))
	loc := s.Test.Location()
	channel := s.Test.Channel(map[string]any{"name": "Our website", "kind": "website", "auto_publish": true})
	body := map[string]any{"slug": slug, "title": "Harbor Boats", "color": "#0b7285"}
	for name, value := range settings {
		body[name] = value
	}
	var w storefront.ChannelWebsite
	s.Test.Put("/v2-preview/channels/"+channel+"/website", body, 200, &w)
	b := s.Browser()
	b.Header.Set("Accept", "text/html")
	return shop{s, b, "/b/" + slug + "/", channel, loc}
}

func (s shop) boat(changes map[string]any) string { return s.Test.Hull(s.loc, changes) }

var fieldOf = regexp.MustCompile(`name="stamp" value="([^"]+)"`)

// stamps are those of the forms of a page: about the boat, and the alert.
func stamps(text string) (all []string) {
	for _, m := range fieldOf.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

func (s shop) leads() []leads.Lead {
	var all page.Page[leads.Lead]
	s.Test.Get("/v1/leads?limit=100", 200, &all)
	return all.Data
}

func TestPages(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := open(s, map[string]any{"estimate": map[string]any{"down_percent": 20, "months": 240, "apr_percent": "7.99"}, "fine_print": "Prices do not include tax."})
		id := w.boat(map[string]any{"stock_number": "GW-1027", "price_usd": 119900, "condition": "used", "boat_class": "power-dualconsole", "description": "One owner."})
		call := w.boat(map[string]any{"stock_number": "EA-27", "make": "Eastern", "model": "27 Islander", "price_usd": 98765})
		s.Test.Patch("/v2-preview/hulls/"+call+"/pricing", `{"price_type":"call"}`, 200, nil)
		hidden := w.boat(map[string]any{"stock_number": "SECRET-1", "make": "Secret"})
		s.Test.Do("DELETE", "/v1/hulls/"+hidden+"/syndication/"+w.channel, nil, 200, nil)

		list := w.b.Open(w.home)
		assert.Equal(t, list.StatusCode, 200)
		for _, want := range []string{"2024 Grady-White Freedom 235", "$119,900", "Call for price", "2 boats.", "About $802 a month", "7.99% annual percentage rate (APR)", "payments of $801.72", "Harbor Boats", "Prices do not include tax.", `name="robots" content="noindex`} {
			assert.Contains(t, list.Text, want)
		}
		for _, secret := range []string{"98,765", "98765", "Secret", "Slipway"} {
			assert.Excludes(t, list.Text, secret)
		}
		if n := len(list.Text); n > 60<<10 {
			t.Errorf("the list has %d bytes", n)
		}
		assert.Equal(t, list.Header.Get("Set-Cookie"), "")
		assert.Contains(t, list.Header.Get("Content-Security-Policy"), "default-src 'none'; style-src 'self'")

		boat := w.b.Open(w.home + "boats/GW-1027")
		assert.Equal(t, boat.StatusCode, 200)
		for _, want := range []string{"$119,900", "$801.72", "amount financed $95,920.00", "Total of payments $192,4", "One owner.", `"price":"119900.00"`, `"@type":"Product"`, "Tell me if the price drops", `<link rel="canonical"`} {
			assert.Contains(t, boat.Text, want)
		}
		assert.Excludes(t, boat.Text, "Slipway")
		assert.Excludes(t, boat.Text, " checked><span>I agree")
		assert.Equal(t, w.b.Open(w.home+"boats/"+id).Request.URL.Path, w.home+"boats/GW-1027", "one address for each boat")
		assert.Contains(t, w.b.Open(w.home+"boats/GW-1027?down=30&months=120").Text, "30% down ($35,970.00)")
		assert.Contains(t, w.b.Open(w.home+"boats/GW-1027?down=99&months=9999").Text, "20% down ($23,980.00)")

		asked := w.b.Open(w.home + "boats/EA-27")
		assert.Equal(t, asked.StatusCode, 200)
		assert.Contains(t, asked.Text, "Call for price")
		for _, secret := range []string{"98,765", "98765", "a month", "price drops", `"price":`} {
			assert.Excludes(t, asked.Text, secret)
		}

		// What the channel doesn't list looks like what doesn't exist.
		none := w.b.Open(w.home + "boats/NONE-1")
		for _, ref := range []string{"SECRET-1", hidden, "hull_01jcqz8t5n8m2x4v6b7c9d0e1f"} {
			got := w.b.Open(w.home + "boats/" + ref)
			assert.Equal(t, got.StatusCode, 404, ref)
			assert.Equal(t, got.Text, none.Text, ref)
		}
		assert.Equal(t, w.b.Open("/b/nobody/").StatusCode, 404)

		// A hidden price can't be found with a filter, and is last in each order.
		assert.Contains(t, w.b.Open(w.home+"?price_min=98,000&price_max=99000").Text, "0 boats match.")
		for _, sort := range []string{"price", "-price"} {
			text := w.b.Open(w.home + "?sort=" + sort).Text
			if strings.Index(text, "27 Islander</a>") < strings.Index(text, "Freedom 235</a>") {
				t.Errorf("sort=%s: the hidden price is first", sort)
			}
		}
		filtered := w.b.Open(w.home + "?condition=used&q=grady&length_min=20")
		assert.Contains(t, filtered.Text, "1 boat matches.")
		assert.Contains(t, filtered.Text, `<link rel="canonical" href="`+s.URL[:4])
		assert.Contains(t, w.b.Open(w.home+"?q=zzzz").Text, "No boats match.")
		assert.Equal(t, w.b.Open(w.home+"?after=hull_x&sort=price&price_min=%zz&type=<script>").StatusCode, 200)

		assert.Contains(t, w.b.Open(w.home+"sitemap.xml").Text, w.home+"boats/GW-1027</loc>")
		assert.Excludes(t, w.b.Open(w.home+"sitemap.xml").Text, "SECRET")
		assert.Contains(t, w.b.Open("/robots.txt").Text, "Allow: /b/")
	})
}

// A sold boat has a page for 30 days. Then it is gone, and not unknown.
func TestSoldBoat(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := open(s, nil)
		id := w.boat(map[string]any{"stock_number": "GW-9", "price_usd": 111000})
		w.boat(map[string]any{"make": "Parker", "model": "2320"})
		unlisted := w.boat(map[string]any{"stock_number": "GW-10"})
		s.Test.Do("DELETE", "/v1/hulls/"+unlisted+"/syndication/"+w.channel, nil, 200, nil)
		for _, hull := range []string{id, unlisted} {
			s.Test.DealIn("contracted", map[string]any{"hull_id": hull})
		}
		assert.Equal(t, w.b.Open(w.home+"boats/GW-9").StatusCode, 200)
		sold := w.b.Open(w.home + "boats/" + id)
		assert.Contains(t, sold.Text, "Sold. These are similar.")
		assert.Contains(t, sold.Text, "Parker 2320")
		for _, not := range []string{`id="ask"`, "price drops", "111,000"} {
			assert.Excludes(t, sold.Text, not)
		}
		assert.Equal(t, w.b.Open(w.home+"boats/"+unlisted).StatusCode, 404)
		assert.Equal(t, w.ask(w.home+"boats/"+id+"/ask", "x", nil).StatusCode, 404)
		s.Advance(31 * 24 * time.Hour)
		gone := w.b.Open(w.home + "boats/" + id)
		assert.Equal(t, gone.StatusCode, 410)
		assert.Equal(t, w.b.Open(w.home+"boats/"+unlisted).StatusCode, 404)
	})
}

func (s shop) ask(path, stamp string, changes url.Values) testkit.View {
	form := url.Values{"want": {"ask"}, "name": {"Martha Ellen Dunn"}, "email": {"Martha.Dunn@example.com"}, "phone": {"(410) 555-0119"},
		"message": {"Is it still there?"}, "stamp": {stamp}, "work": {""}, "company_url": {""}}
	for name, values := range changes {
		form[name] = values
	}
	return s.b.Post(path, form)
}

func TestInquiry(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := open(s, nil)
		id := w.boat(map[string]any{"stock_number": "GW-1"})
		path := w.home + "boats/GW-1"
		stamp := stamps(w.b.Open(path).Text)[0]
		s.Advance(10 * time.Second)
		w.b.Header.Set("User-Agent", "Test browser")
		sent := w.ask(path+"/ask", stamp, url.Values{"consent_sms": {"yes"}})
		assert.Equal(t, sent.StatusCode, 200)
		assert.Contains(t, sent.Text, "Thank you, Martha.")
		assert.Contains(t, sent.Text, "You agreed to marketing texts.")

		all := w.leads()
		assert.Len(t, all, 1)
		l := all[0]
		assert.Equal(t, string(l.Source), "web")
		assert.Equal(t, *l.HullID, id)
		assert.Equal(t, *l.Message, "Is it still there?")
		assert.Equal(t, *l.SubmittedContact.LastName, "Dunn")

		var given page.Page[consent.Consent]
		s.Test.Get("/v1/leads/"+l.ID+"/consents", 200, &given)
		assert.Len(t, given.Data, 2, "the box, and the inquiry itself")
		for _, c := range given.Data {
			if *c.Basis == consent.ImpliedInquiry {
				assert.Equal(t, c.Channels, []consent.Channel{consent.SMS})
				continue
			}
			assert.Equal(t, *c.Basis, consent.ExpressWritten)
			assert.Equal(t, *c.ConsentText, "I agree that Harbor Boats may send me automated marketing texts at the number above. Agreeing is not a condition of buying anything. Message and data rates may apply. Reply STOP to end, HELP for help.")
			assert.Equal(t, *c.UserAgent, "Test browser")
			assert.Equal(t, *c.IP, "127.0.0.1")
			assert.Contains(t, *c.SourceURL, path)
			assert.Equal(t, c.Evidence["box"], any("consent_sms"))
		}

		// The same form again changes nothing. Another question does, and has the same contact.
		w.ask(path+"/ask", stamp, url.Values{"consent_sms": {"yes"}})
		assert.Len(t, w.leads(), 1)
		w.ask(path+"/ask", stamp, url.Values{"message": {"And the trailer?"}})
		all = w.leads()
		assert.Len(t, all, 2)
		assert.Equal(t, all[0].ContactID, all[1].ContactID)
	})
}

func TestFormErrors(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := open(s, nil)
		w.boat(map[string]any{"stock_number": "GW-1"})
		path := w.home + "boats/GW-1"
		stamp := stamps(w.b.Open(path).Text)[0]
		s.Advance(time.Minute)
		wrong := w.ask(path+"/ask", stamp, url.Values{"email": {"nope"}, "phone": {""}, "consent_sms": {"yes"}, "message": {"<b>\"keep\"</b>"}, "name": {"<script>alert(1)</script>"}})
		assert.Equal(t, wrong.StatusCode, 422)
		assert.Contains(t, wrong.Text, "Enter an email address like name@example.com.")
		assert.Contains(t, wrong.Text, "Enter your phone number, or clear the box about texts.")
		assert.Contains(t, wrong.Text, "&lt;b&gt;&#34;keep&#34;&lt;/b&gt;")
		assert.Excludes(t, wrong.Text, "<script>alert")
		assert.Len(t, w.leads(), 0)
		s.Advance(13 * time.Hour)
		stale := w.ask(path+"/ask", stamp, nil)
		assert.Equal(t, stale.StatusCode, 422)
		assert.Contains(t, stale.Text, "Nothing was sent.")
		assert.Contains(t, stale.Text, "Is it still there?")
		assert.Len(t, w.leads(), 0)
	})
}

// Bots see the page that people see, and nothing is stored. A flood is stopped, unless it proves work.
func TestBots(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := open(s, nil)
		w.boat(map[string]any{"stock_number": "GW-1"})
		path := w.home + "boats/GW-1"
		stamp := stamps(w.b.Open(path).Text)[0]
		fast := w.ask(path+"/ask", stamp, nil)
		assert.Equal(t, fast.StatusCode, 200)
		assert.Contains(t, fast.Text, "Thank you, Martha.")
		s.Advance(5 * time.Second)
		trapped := w.ask(path+"/ask", stamp, url.Values{"company_url": {"https://spam.example"}})
		assert.Contains(t, trapped.Text, "Thank you, Martha.")
		forged := w.ask(path+"/ask", strings.Repeat("A", len(stamp)), nil)
		assert.Equal(t, forged.StatusCode, 422)
		assert.Len(t, w.leads(), 0)

		s.Advance(time.Hour)
		stamp = stamps(w.b.Open(path).Text)[0]
		s.Advance(5 * time.Second)
		accepted, rejected := 0, 0
		for i := range 30 {
			switch got := w.ask(path+"/ask", stamp, url.Values{"message": {fmt.Sprint("spam ", i)}}); got.StatusCode {
			case 200:
				accepted++
			case http.StatusTooManyRequests:
				rejected++
				assert.Contains(t, got.Text, "That was a lot at once.")
			}
		}
		if accepted != 4 || rejected != 26 {
			t.Errorf("accepted %d and rejected %d of 30 forms", accepted, rejected)
		}
		assert.Len(t, w.leads(), 4)
		worked := w.ask(path+"/ask", stamp, url.Values{"work": {prove(stamp)}, "message": {"With work"}})
		assert.Equal(t, worked.StatusCode, 200)
		assert.Len(t, w.leads(), 5)
	})
}
