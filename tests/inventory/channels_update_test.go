package inventory

import (
	"strings"
	"testing"

	"slipway/internal/hulls"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// A new filter withdraws what no longer matches and publishes what now does.
func TestChannelFollowsItsFilter(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunJobs()
		location := s.Test.Location()
		cheap := s.Test.Hull(location, map[string]any{"price_usd": 20000, "hin": nil, "hin_absent_reason": "homebuilt_pending"})
		dear := s.Test.Hull(location, map[string]any{"price_usd": 200000, "hin": nil, "hin_absent_reason": "homebuilt_pending"})
		id := s.Test.Channel(map[string]any{"auto_publish": true, "filter": map[string]any{"price_min": 100000}})
		listed := func(hull string) bool {
			var h hulls.Hull
			s.Test.Get("/v1/hulls/"+hull, 200, &h)
			return len(h.PublishedChannels) > 0
		}
		assert.Eventually(t, "only the expensive boat is listed", func() bool { return listed(dear) && !listed(cheap) })

		path := "/v2-preview/channels/" + id
		var c struct {
			Name        string
			Version     int
			AutoPublish bool `json:"auto_publish"`
		}
		s.Test.With("If-Match", `"1"`).Patch(path, `{"filter": {"price_min": {"amount": 50000000, "currency": "USD"}}}`, 200, &c)
		assert.Equal(t, c.Version, 2)
		assert.Equal(t, c.AutoPublish, true, "kept")
		assert.Eventually(t, "no boat is listed", func() bool { return !listed(dear) && !listed(cheap) })
		s.Test.Patch(path, `{"filter": null, "name": " Our site "}`, 200, &c)
		assert.Equal(t, c.Name, "Our site")
		assert.Eventually(t, "both boats are listed", func() bool { return listed(dear) && listed(cheap) })

		s.Test.With("If-Match", `"1"`).Patch(path, `{"name": "Stale"}`, 409, nil)
		s.Test.Patch(path, `{"name": " "}`, 422, nil).WantDetail(t, "name", "too_short")
		s.Test.Patch(path, `{"push_url": "ftp://example.com"}`, 422, nil)
		s.Test.Patch(path, `{"filter": {"location_ids": ["loc_01jcqz8t5n8m2x4v6b7c9d0e1f"]}}`, 422, nil)
		s.Other.Patch(path, `{"name": "Mine"}`, 404, nil)
	})
}

// A partner that wants another format gets all listings again. They keep their IDs.
func TestNewFormatIsSent(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunJobs()
		p := newPartner(t)
		id := s.Test.Channel(map[string]any{"push_url": p.URL})
		hull := s.Test.Hull(s.Test.Location(), nil)
		s.Test.Put("/v1/hulls/"+hull+"/syndication/"+id, nil, 200, nil)
		sent := func(kind, text string) {
			t.Helper()
			assert.Eventually(t, "sent as "+kind, func() bool {
				calls := p.calls()
				return len(calls) > 0 && calls[len(calls)-1].kind == kind && strings.Contains(calls[len(calls)-1].body, text) &&
					onChannel(s, hull, id).State == "published"
			})
			assert.Equal(t, *onChannel(s, hull, id).ExternalID, "BT-1")
		}
		sent("application/ld+json", "Product")
		s.Test.Patch("/v2-preview/channels/"+id, `{"format": "xml"}`, 200, nil)
		sent("application/xml", "<listings")
		s.Test.Patch("/v2-preview/channels/"+id, `{"kind": "boats_com"}`, 200, nil)
		sent("application/xml", "<ProcessVehicleRemarketing")
		s.Test.Patch("/v2-preview/channels/"+id, `{"listing_url": "https://boats.example.com/{hull_id}"}`, 200, nil)
		sent("application/xml", "https://boats.example.com/"+hull)
	})
}

// A listing is sent again only if what it shows changes. A change of the cost, or of
// another value that only the dealership sees, must not reach partners at all.
func TestOnlyVisibleChangesAreSent(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := newPartner(t)
		channel := s.Test.Channel(map[string]any{"push_url": p.URL})
		hull := "/v1/hulls/" + s.Test.Hull(s.Test.Location(), map[string]any{"price_usd": 90000})
		s.Test.Put(hull+"/syndication/"+channel, nil, 200, nil)
		s.Test.Put(hull+"/specs", `{"engines": [{"make": "Yamaha"}], "trailer": {"make": "Load Rite"}}`, 200, nil)
		push(t, s, channel)

		send := func(method, path, body string) bool {
			t.Helper()
			s.Test.Do(method, hull+path, body, 200, nil)
			return push(t, s, channel)
		}
		for _, c := range []struct{ method, path, body string }{
			{"PUT", "/pricing", `{"price_usd": 90000, "cost": {"invoice_cents": 7000000}}`},
			{"PUT", "/pricing", `{"price_usd": 90000, "cost": {"invoice_cents": 7000000, "freight_cents": 150000}}`},
			{"PUT", "/pricing", `{"price_usd": 90000, "cost": null}`},
			{"PUT", "/pricing", `{"price_usd": 90000, "floor_usd": 80000}`},
			{"PUT", "/pricing", `{"price_usd": 90000, "original_price_usd": 95000}`},
			{"PATCH", "", `{"ownership": "floorplan"}`},
			{"PATCH", "", `{"metadata": {"note": "The owner is in a hurry."}}`},
			{"PUT", "/specs", `{"engines": [{"make": "Yamaha", "serial": "S1"}], "trailer": {"make": "Load Rite", "vin": "V1"}}`},
		} {
			assert.Equal(t, send(c.method, c.path, c.body), false, c.body, "was sent")
		}
		for _, c := range []struct{ method, path, body string }{
			{"PUT", "/pricing", `{"price_usd": 89000}`},
			{"PUT", "/pricing", `{"price_usd": 89000, "msrp_usd": 99000}`},
			{"PUT", "/specs", `{"engines": [{"make": "Suzuki", "serial": "S1"}], "trailer": {"make": "Load Rite"}}`},
			{"PATCH", "", `{"title": "One owner"}`},
			{"PATCH", "", `{"received_on": "2026-01-02"}`},
			{"PUT", "/pricing", `{"price_usd": 89000, "price_hidden": true}`},
		} {
			assert.Equal(t, send(c.method, c.path, c.body), true, c.body, "was sent")
		}
		assert.Equal(t, send("PUT", "/pricing", `{"price_usd": 88000}`), false, "a new price was sent, but it is hidden")
	})
}
