package storefront

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"slipway/internal/appointments"
	"slipway/internal/consent"
	"slipway/internal/platform/jobs"
	"slipway/internal/storefront"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

var slotOf = regexp.MustCompile(`name="slot" value="([^"]+)"`)

func slots(text string) (all []string) {
	for _, m := range slotOf.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

// A visitor takes a free time. Of two who want the same time, one gets it.
func TestSeaTrial(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		user := s.Person("sales")
		w := open(s, map[string]any{"sea_trials": map[string]any{"user_ids": []string{user.ID}, "times": []string{"13:00", "10:00"}, "weekdays": []int{1, 2, 3, 4, 5, 6, 7}}})
		w.boat(map[string]any{"stock_number": "GW-1"})
		w.boat(map[string]any{"stock_number": "GW-2"})
		path := w.home + "boats/GW-1"
		view := w.b.Open(path)
		free := slots(view.Text)
		assert.Len(t, free, 6)
		s.Advance(5 * time.Second)

		var group sync.WaitGroup
		answers := make([]testkit.View, 2)
		other := stamps(w.b.Open(w.home + "boats/GW-2").Text)[0]
		s.Advance(5 * time.Second)
		for i, form := range []struct{ path, stamp string }{{path, stamps(view.Text)[0]}, {w.home + "boats/GW-2", other}} {
			group.Go(func() {
				answers[i] = w.ask(form.path+"/ask", form.stamp, url.Values{"want": {"trial"}, "slot": {free[0]}, "message": {""}, "email": {fmt.Sprintf("buyer%d@example.com", i)}})
			})
		}
		group.Wait()
		texts := answers[0].Text + answers[1].Text
		assert.Contains(t, texts, "We hold ")
		assert.Contains(t, texts, "Someone just took 10:00")
		assert.Len(t, w.leads(), 1)

		var booked page.Page[appointments.Appointment]
		s.Test.Get("/v2-preview/appointments", 200, &booked)
		assert.Len(t, booked.Data, 1)
		a := booked.Data[0]
		assert.Equal(t, a.UserID, user.ID)
		assert.Equal(t, a.Kind, appointments.SeaTrial)
		assert.Equal(t, a.DurationMinutes, int64(90))
		assert.Equal(t, a.StartsAt.Format(time.RFC3339), free[0])
		assert.Contains(t, *w.leads()[0].Message, "Sea trial of the 2024 Grady-White Freedom 235 on ")
		assert.Excludes(t, strings.Join(slots(w.b.Open(path).Text), " "), free[0])

		// A time that isn't offered is refused.
		for _, at := range []string{"2030-01-01T10:00:00Z", "yesterday", ""} {
			stamp := stamps(w.b.Open(path).Text)[0]
			s.Advance(2 * time.Minute)
			assert.Equal(t, w.ask(path+"/ask", stamp, url.Values{"want": {"trial"}, "slot": {at}}).StatusCode, 422, at)
		}
		assert.Len(t, w.leads(), 1)
	})
}

func TestTradeIn(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := open(s, nil)
		w.boat(map[string]any{"stock_number": "GW-1"})
		path := w.home + "boats/GW-1"
		stamp := stamps(w.b.Open(path).Text)[0]
		s.Advance(5 * time.Second)
		w.ask(path+"/ask", stamp, url.Values{"want": {"trade"}, "trade_year": {"2015"}, "trade_make": {"Sea Ray"}, "trade_model": {"240"}, "trade_payoff": {"12,500.50"}})
		assert.Equal(t, *w.leads()[0].Message, "Trade-in: 2015 Sea Ray 240, for the 2024 Grady-White Freedom 235.\n\nStill owed: $12,500.50.\n\nIs it still there?")
	})
}

var linkOf = regexp.MustCompile(`/b/[a-z0-9-]+/alerts/[A-Za-z0-9_-]+`)

// Nothing is sent until the link in the email is used, and each alert can be ended.
func TestPriceAlert(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := open(s, nil)
		id := w.boat(map[string]any{"stock_number": "GW-1", "price_usd": 100000})
		path := w.home + "boats/GW-1"
		request := func(email string) testkit.View {
			stamp := stamps(w.b.Open(path).Text)[1]
			s.Advance(2 * time.Minute)
			return w.b.Post(path+"/alert", url.Values{"alert_email": {email}, "stamp": {stamp}, "work": {""}, "company_url": {""}})
		}
		assert.Equal(t, request("nope").StatusCode, 422)
		for range 3 { // asking again sends nothing
			assert.Contains(t, request("Martha@example.com").Text, "Check your email. Nothing is sent until you confirm.")
		}
		s.RunJobs()
		mails := mail(t, s, "Confirm your price alert: 2024 Grady-White Freedom 235", 1)
		link := linkOf.FindString(mails[0])
		assert.Len(t, w.leads(), 0)

		ask := w.b.Open(link)
		assert.Contains(t, ask.Text, "Confirm your price alert")
		assert.Equal(t, ask.Header.Get("X-Robots-Tag"), "noindex, nofollow, noarchive")
		assert.Equal(t, ask.Header.Get("Referrer-Policy"), "no-referrer")
		assert.Len(t, w.leads(), 0, "opening the link changes nothing")
		assert.Contains(t, w.b.Post(link, url.Values{"do": {"confirm"}}).Text, "You are on the list for this boat.")
		w.b.Post(link, url.Values{"do": {"confirm"}})
		all := w.leads()
		assert.Len(t, all, 1)
		var given page.Page[consent.Consent]
		s.Test.Get("/v1/leads/"+all[0].ID+"/consents", 200, &given)
		assert.Len(t, given.Data, 1)
		assert.Equal(t, *given.Data[0].Method, "double_opt_in")

		drop := func(price int) {
			s.Test.Put("/v1/hulls/"+id+"/pricing", map[string]any{"price_usd": price}, 200, nil)
			s.Advance(11 * time.Minute)
			check(t, jobs.Run(t.Context(), storefrontAPI(s).SendAlerts, storefront.SendAlerts{Env: s.Env("hulls", id), HullID: id}))
			s.RunJobs()
		}
		drop(110000)
		drop(95000)
		drop(95000)
		news := mail(t, s, "New price: 2024 Grady-White Freedom 235", 1)
		assert.Contains(t, news[0], "is now $95,000. It was $100,000.")
		assert.Contains(t, w.b.Post(link, url.Values{"do": {"end"}}).Text, "This alert has ended.")
		drop(90000)
		mail(t, s, "New price: 2024 Grady-White Freedom 235", 1)
		assert.Contains(t, w.b.Post(link, url.Values{"do": {"confirm"}}).Text, "This alert has ended.")

		// Guessed links, and links of another website, have the same answer.
		wrong := w.b.Open(link[:len(link)-4] + "AAAA")
		assert.Equal(t, wrong.StatusCode, 404)
		other := open(s, nil)
		assert.Equal(t, w.b.Open(other.home+"alerts/"+link[strings.LastIndexByte(link, '/')+1:]).StatusCode, 404)
	})
}

// A page of one dealership shows nothing of another.
func TestOtherDealership(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := open(s, nil)
		w.boat(map[string]any{"stock_number": "GW-1"})
		theirs := s.Other.Channel(map[string]any{"kind": "website"})
		s.Other.Put("/v2-preview/channels/"+theirs+"/website", map[string]any{"slug": strings.Split(w.home, "/")[2]}, 409, nil).WantDetail(t, "slug", "duplicate")
		s.Other.Put("/v2-preview/channels/"+theirs+"/website", map[string]any{"slug": "their-boats"}, 200, nil)
		s.Other.Put("/v2-preview/channels/"+w.channel+"/website", map[string]any{"slug": "ours"}, 404, nil)
		assert.Contains(t, w.b.Open("/b/their-boats/").Text, "No boats here at the moment.")
		assert.Equal(t, w.b.Open("/b/their-boats/boats/GW-1").StatusCode, 404)
		stamp := stamps(w.b.Open(w.home + "boats/GW-1").Text)[0]
		s.Advance(5 * time.Second)
		assert.Equal(t, w.ask("/b/their-boats/boats/GW-1/ask", stamp, nil).StatusCode, 404)
		assert.Equal(t, w.ask("/b/their-boats/ask", stamp, nil).StatusCode, 422, "the stamp is of another form")

		marketplace := s.Test.Channel(map[string]any{"kind": "custom"})
		s.Test.Put("/v2-preview/channels/"+marketplace+"/website", map[string]any{"slug": "market"}, 409, nil)
		for field, body := range map[string]map[string]any{
			"privacy_url": {"slug": "x1", "privacy_url": "javascript:alert(1)"}, "slug": {"slug": "A B"}, "color": {"slug": "x1", "color": "red;}"},
			"locations": {"slug": "x1", "locations": []any{map[string]any{"location_id": "loc_01jcqz8t5n8m2x4v6b7c9d0e1f"}}},
		} {
			if got := s.Test.Put("/v2-preview/channels/"+w.channel+"/website", body, 422, nil).Fault(t); len(got.Details) == 0 {
				t.Errorf("%s: no details", field)
			}
		}
		s.Test.Delete("/v2-preview/channels/"+w.channel+"/website", 204)
		assert.Equal(t, w.b.Open(w.home).StatusCode, 404)
	})
}

// What staff and buyers write is text on every page.
func TestMarkup(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		const evil = `"><script>alert(1)</script><img src=x onerror=alert(1)>`
		w := open(s, map[string]any{"title": evil, "fine_print": evil})
		w.boat(map[string]any{"stock_number": "GW-1", "make": evil, "model": evil, "description": evil + "\n\n</script>", "title": evil})
		for _, path := range []string{w.home, w.home + "boats/GW-1", w.home + "boats/GW-1/photos", w.home + "ask", w.home + "?q=" + url.QueryEscape(evil) + "&make=" + url.QueryEscape(evil)} {
			text := w.b.Open(path).Text
			for _, bad := range []string{"<script>alert", "<img src=x", "</script>\\n"} {
				assert.Excludes(t, text, bad)
			}
		}
		stamp := stamps(w.b.Open(w.home + "boats/GW-1").Text)[0]
		s.Advance(5 * time.Second)
		sent := w.ask(w.home+"boats/GW-1/ask", stamp, url.Values{"name": {evil}, "message": {evil + "\x00"}, "trade_make": {evil}, "slot": {evil}, "want": {evil}})
		assert.Excludes(t, sent.Text, "<script>alert")
	})
}
