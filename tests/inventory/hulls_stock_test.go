package inventory

import (
	"testing"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

// A price change that only sends the price, as in the README, must not erase what
// the boat cost, and must not reveal a hidden price.
func TestPriceChangeErasesNothing(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		path := "/v1/hulls/" + s.Test.Hull(s.Test.Location(), map[string]any{"price_usd": 100000}) + "/pricing"
		s.Test.Put(path, `{"price_usd": 99000, "msrp_usd": 120000, "floor_usd": 85000, "price_hidden": true, "price_type": "call",
			"cost": {"invoice_cents": 7000000, "freight_cents": 250000}}`, 200, nil)

		var p hulls.HullPricing
		s.Test.Put(path, `{"price_usd": 95000, "reason": "Winter sale"}`, 200, &p)
		assert.Equal(t, p.PriceUSD, 95000)
		assert.Equal(t, p.MSRPUSD, new(int64(120000)))
		assert.Equal(t, p.FloorUSD, new(int64(85000)))
		assert.Equal(t, p.Cost.InvoiceCents, new(int64(7000000)))
		assert.Equal(t, p.Cost.FreightCents, new(int64(250000)))
		assert.Equal(t, p.PriceHidden, true)
		assert.Equal(t, p.PriceType, "call")
		assert.Equal(t, p.OriginalPriceUSD, 100000)

		// A cost replaces all costs. Null clears a field.
		s.Test.Put(path, `{"price_usd": 95000, "cost": {"invoice_cents": 7100000}, "price_type": "asking", "price_hidden": false}`, 200, &p)
		assert.Equal(t, p.Cost.InvoiceCents, new(int64(7100000)))
		assert.Equal(t, p.Cost.FreightCents, nil)
		assert.Equal(t, p.PriceHidden, false)
		s.Test.Put(path, `{"price_usd": 95000, "msrp_usd": null, "floor_usd": null, "cost": null}`, 200, &p)
		assert.Equal(t, p.MSRPUSD, nil)
		assert.Equal(t, p.FloorUSD, nil)
		assert.Equal(t, p.Cost, nil)

		s.Test.Put(path, `{"price_usd": 95000, "price_hidden": null}`, 400, nil)
		s.Test.Put(path, `{"price_usd": 95000, "price_type": "free"}`, 422, nil).WantDetail(t, "price_type", "enum")
		s.Test.Put(path, `{"price_usd": 95000, "floor_usd": -1}`, 422, nil).WantDetail(t, "floor_usd", "minimum")
		s.Test.Put(path, `{"price_usd": 95000, "cost": {"invoice_cents": -1}}`, 422, nil).WantDetail(t, "cost.invoice_cents", "minimum")
	})
}

// A website that reads hulls must know which prices it must not show.
func TestHullShowsItsPricing(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var h hulls.Hull
		id := s.Test.Hull(s.Test.Location(), nil)
		s.Test.Get("/v1/hulls/"+id, 200, &h)
		assert.Equal(t, h.PriceHidden, false)
		assert.Equal(t, h.PriceType, "asking")
		assert.Equal(t, h.MSRPUSD, nil)

		s.Test.Put("/v1/hulls/"+id+"/pricing", `{"price_usd": 124900, "msrp_usd": 138000, "floor_usd": 110000, "price_hidden": true,
			"price_type": "sale", "cost": {"invoice_cents": 9850000}}`, 200, nil)
		reader := s.As(s.Key(auth.HullsRead))
		var list page.Page[hulls.Hull]
		text := reader.Get("/v1/hulls", 200, &list).Bytes
		assert.Len(t, list.Data, 1)
		reader.Get("/v1/hulls/"+id, 200, &h)
		for _, h := range []hulls.Hull{h, list.Data[0]} {
			assert.Equal(t, h.PriceHidden, true)
			assert.Equal(t, h.PriceType, "sale")
			assert.Equal(t, h.MSRPUSD, new(int64(138000)))
			assert.Equal(t, h.Version, 2)
		}
		assert.Excludes(t, text, "floor_usd")
		assert.Excludes(t, text, "9850000")
	})
}

// A client that asks for changes since its last visit must find a boat whose
// specifications have changed.
func TestSpecChangeIsFoundByUpdatedAfter(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Hull(s.Test.Location(), nil)
		var before, after hulls.Hull
		s.Test.Get("/v1/hulls/"+id, 200, &before)
		s.Advance(time.Hour)
		since := s.DB.Now().UTC().Add(-time.Minute).Format(time.RFC3339)
		s.Test.Put("/v1/hulls/"+id+"/specs", `{"beam_ft": 8.5}`, 200, nil)

		var changed page.Page[hulls.Hull]
		s.Test.Get("/v1/hulls?updated_after="+since, 200, &changed)
		assert.Len(t, changed.Data, 1)
		s.Test.Get("/v1/hulls/"+id, 200, &after)
		assert.Equal(t, after.Version, before.Version+1)
		if !after.UpdatedAt.After(before.UpdatedAt.Add(59 * time.Minute)) {
			t.Errorf("got updated_at %s after the change, %s before", after.UpdatedAt, before.UpdatedAt)
		}
	})
}

// late moves the clock to 23:30 in Los Angeles, when the next day has begun in
// New York and in UTC.
func late(t *testing.T, s *testkit.Server) (today, tomorrow string) {
	t.Helper()
	zone, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		t.Fatal(err)
	}
	now := s.DB.Now().In(zone)
	s.Advance(time.Date(now.Year(), now.Month(), now.Day()+1, 23, 30, 0, 0, zone).Sub(now))
	now = s.DB.Now().In(zone)
	return now.Format(time.DateOnly), now.AddDate(0, 0, 1).Format(time.DateOnly)
}

// At half past eleven in the evening, a boat is received today and not tomorrow.
func TestReceivedOnIsALocalDay(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var west struct{ ID string }
		s.Test.Post("/v1/locations", `{"name": "Marina del Rey", "timezone": "America/Los_Angeles"}`, 201, &west)
		today, tomorrow := late(t, s)
		boat := func(location string, changes map[string]any) (h hulls.Hull) {
			s.Test.Get("/v1/hulls/"+s.Test.Hull(location, changes), 200, &h)
			return h
		}

		h := boat(west.ID, nil)
		assert.Equal(t, h.ReceivedOn, &today)
		assert.Equal(t, h.DaysInStock, new(int64(0)))
		arrived := boat(west.ID, map[string]any{"status": "in_transit"})
		assert.Equal(t, arrived.ReceivedOn, nil)
		s.Test.Post("/v1/hulls/"+arrived.ID+"/transition", `{"to": "available"}`, 200, &arrived)
		assert.Equal(t, arrived.ReceivedOn, &today)

		// The location in the east uses the dealership's time zone, where it is tomorrow.
		east := boat(s.Test.Location(), map[string]any{"received_on": tomorrow})
		assert.Equal(t, east.DaysInStock, new(int64(0)))

		// No date is in the future, also not after a boat moves west.
		s.Test.Post("/v1/hulls", testkit.HullBody(west.ID, map[string]any{"received_on": tomorrow}), 422, nil).
			WantDetail(t, "received_on", "maximum")
		s.Test.Post("/v1/hulls", testkit.HullBody(west.ID, map[string]any{"received_on": "2199-01-01"}), 422, nil).
			WantDetail(t, "received_on", "maximum")
		s.Test.Patch("/v1/hulls/"+h.ID, map[string]any{"received_on": tomorrow}, 422, nil).WantDetail(t, "received_on", "maximum")
		s.Test.Patch("/v1/hulls/"+east.ID, map[string]any{"location_id": west.ID}, 200, &east)
		assert.Equal(t, east.ReceivedOn, &today)

		// Half an hour later, the boat has been there for a day.
		s.Advance(time.Hour)
		s.Test.Get("/v1/hulls/"+h.ID, 200, &h)
		assert.Equal(t, h.DaysInStock, new(int64(1)))
	})
}

// The days follow the time zone of the location, and that of the dealership for
// locations without one.
func TestDaysInStockFollowTheTimeZone(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		location := s.Test.Location()
		_, tomorrow := late(t, s)
		id := s.Test.Hull(location, nil)
		days := func(want int64) {
			t.Helper()
			var h hulls.Hull
			s.Test.Get("/v1/hulls/"+id, 200, &h)
			assert.Equal(t, h.DaysInStock, &want)
			assert.Equal(t, h.ReceivedOn, &tomorrow)
		}
		days(0) // received after midnight in New York
		s.Advance(21 * time.Hour)
		days(0) // 23:30 in New York
		s.Test.Patch("/v1/locations/"+location, `{"timezone": "Europe/Lisbon"}`, 200, nil)
		days(1)
		s.Test.Patch("/v1/locations/"+location, `{"timezone": null}`, 200, nil)
		days(0)
		s.Test.Patch("/v1/dealership", `{"timezone": "Asia/Tokyo"}`, 200, nil)
		days(1)
	})
}
