package inventory

import (
	"context"
	"fmt"
	"net/http"
	"slipway/internal/platform/jobs"
	"sync"
	"testing"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

func TestCreateGetUpdate(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		var h, got hulls.Hull
		res := s.Test.Post("/v1/hulls",
			testkit.HullBody(loc, map[string]any{"stock_number": "GW-1042", "hin": "us-grt40912b324", "length_ft": 23.58}), 201, &h)
		if res.Header.Get("ETag") != `"1"` || h.Version != 1 || *h.HIN != "GRT40912B324" || *h.HINCountry != "US" || len(h.HINWarnings) == 0 ||
			h.LengthFt != 23.58 || *h.DaysInStock != 0 {
			t.Errorf(`created %s; want res.Header.Get("ETag") = "1", h.Version = 1, h.HIN = "GRT40912B324", h.HINCountry = "US", `+
				`len(h.HINWarnings) != 0, h.LengthFt = 23.58, h.DaysInStock = 0`, res.Bytes)
		}

		read := s.Test.Get("/v1/hulls/"+h.ID, 200, nil)
		assert.Equal(t, string(read.Bytes), string(res.Bytes), "read after create")
		assert.Equal(t, read.Header.Get("ETag"), `"1"`, "read after create")
		s.Test.Patch("/v1/hulls/"+h.ID, `{"title":"One owner","stock_number":null,"metadata":{"a":"1"}}`, 200, &got)
		assert.Equal(t, got.Title, new("One owner"))
		assert.Equal(t, got.StockNumber, nil)
		assert.Equal(t, got.Version, 2)
		assert.Equal(t, got.Metadata["a"], "1")
		assert.Equal(t, got.Make, h.Make)

		f := s.Test.Patch("/v1/hulls/"+h.ID, `{"price_usd":1}`, 422, nil).Fault(t)
		f.WantDetail(t, "price_usd", "unknown_field", "price by PATCH")
		f = s.Test.Post("/v1/hulls", testkit.HullBody(loc, map[string]any{"price_usd": -1, "hin": "abc", "year": 3000}), 422, nil).Fault(t)
		f.WantDetail(t, "price_usd", "minimum", "all errors together")
		f.WantDetail(t, "hin", "length", "all errors together")
		f.WantDetail(t, "year", "maximum", "all errors together")
		s.Test.Patch("/v1/hulls/"+h.ID, `{"make":null}`, 400, nil)
		s.Test.Patch("/v1/hulls/"+h.ID, `{"location_id":"loc_00000000000000000000000000"}`, 422, nil).
			WantDetail(t, "location_id", "not_found", "unknown location")
	})
}

func TestUniqueNumbers(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		first := s.Test.Hull(loc, map[string]any{"stock_number": "A1", "hin": "GRT40912B324"})
		for field, body := range map[string]map[string]any{
			"stock_number": testkit.HullBody(loc, map[string]any{"stock_number": "A1"}),
			"hin":          testkit.HullBody(loc, map[string]any{"hin": "US-GRT40912B324"}),
		} {
			f := s.Test.Post("/v1/hulls", body, 409, nil).Fault(t)
			f.WantDetail(t, field, "duplicate", field)
			assert.Equal(t, f.Details[0].Message, "is already used by "+first, field)
		}
		s.Live.Hull(s.Live.Location(), map[string]any{"stock_number": "A1", "hin": "GRT40912B324"}) // another environment

		// The numbers of an archived hull can be used again. It can't be restored while another hull has them.
		s.Test.Post("/v1/hulls/"+first+"/archive", nil, 200, nil)
		second := s.Test.Hull(loc, map[string]any{"stock_number": "A1", "hin": "GRT40912B324", "previous_hull_id": first})
		s.Test.Post("/v1/hulls/"+first+"/transition", `{"to":"available"}`, 409, nil).
			WantDetail(t, "hin", "duplicate", "restored with a number in use", second)
		s.Test.Post("/v1/hulls/"+second+"/archive", `{"reason":"twice"}`, 200, nil)
		s.Test.Post("/v1/hulls/"+first+"/transition", `{"to":"available"}`, 200, nil)
	})
}

// The unique index decides races. The error still names the hull that has the number.
func TestUniqueNumbersUnderConcurrency(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		var wg sync.WaitGroup
		var mu sync.Mutex
		counts := map[int]int{}
		for range 20 {
			wg.Go(func() {
				res, err := s.Test.Send("POST", "/v1/hulls", testkit.HullBody(loc, map[string]any{"stock_number": "A1"}))
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				counts[res.StatusCode]++
				if res.StatusCode == 409 && !res.Fault(t).HasDetail("stock_number", "duplicate") {
					t.Errorf("got %s, want the detail stock_number duplicate", res.Bytes)
				}
			})
		}
		wg.Wait()

		assert.Equal(t, counts[201], 1)
		assert.Equal(t, counts[409], 19)
	})
}

func TestTransitionsAndHistory(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc, other := s.Test.Location(), s.Test.Location()
		id := s.Test.Hull(loc, map[string]any{"status": "on_order", "hin": nil})
		path := "/v1/hulls/" + id
		s.Test.Post(path+"/transition", `{"to":"in_transit"}`, 200, nil)
		s.Test.Post(path+"/transition", `{"to":"available"}`, 400, nil).WantDetail(t, "hin", "required", "arrival without a HIN")
		s.Test.Patch(path, `{"hin":"ABC12345L495","location_id":"`+other+`"}`, 200, nil)
		s.Test.Post(path+"/transition", `{"to":"available","reason":"truck came"}`, 200, nil)
		s.Test.Post(path+"/transition", `{"to":"sold"}`, 409, nil).WantDetail(t, "to", "state", "sold without a deal")
		s.Test.Post(path+"/transition", `{"to":"nowhere"}`, 422, nil)

		var history page.Page[hulls.HullChange]
		s.Test.Get(path+"/history", 200, &history)
		type line struct{ from, to, where string }
		var got []line
		for _, c := range history.Data {
			from := ""
			if c.From != nil {
				from = string(*c.From)
			}
			got = append(got, line{from, string(c.To), c.LocationID})
		}
		want := []line{{"in_transit", "available", other}, {"in_transit", "in_transit", other},
			{"on_order", "in_transit", loc}, {"", "on_order", loc}}
		assert.Equal(t, got, want)
		assert.Equal(t, history.Data[0].Reason, new("truck came"))
		assert.Equal(t, history.Data[0].Actor.Type, "api_key")
		var paged page.Page[hulls.HullChange]
		s.Test.Get(path+"/history?limit=2&starting_after="+history.Data[1].ID, 200, &paged)
		assert.Len(t, paged.Data, 2, "second page")
		assert.Equal(t, paged.Data[0].ID, history.Data[2].ID, "second page")
		assert.Equal(t, paged.HasMore, false, "second page")
		assert.Equal(t, paged.PrevCursor, new(history.Data[2].ID), "second page")
	})
}

func TestHoldExpires(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		inventory := &hulls.API{DB: s.DB, Jobs: s.Jobs}
		id := s.Test.Hull(s.Test.Location(), nil)
		hold := func(in time.Duration) hulls.Hull {
			var h hulls.Hull
			until := s.DB.Now().Add(in).UTC().Format(time.RFC3339)
			s.Test.Post("/v1/hulls/"+id+"/transition", map[string]string{"to": "on_hold", "expires_at": until, "reason": "deposit"}, 200, &h)
			return h
		}
		release := func() (h hulls.Hull) {
			if err := jobs.Run(t.Context(), inventory.ReleaseHold, hulls.ReleaseHold{Env: envOf(t, s, id), HullID: id}); err != nil {
				t.Fatal(err)
			}
			s.Test.Get("/v1/hulls/"+id, 200, &h)
			return h
		}
		h := hold(time.Hour)
		assert.Equal(t, h.Status, hulls.OnHold)
		assert.Equal(t, h.Hold.Reason, new("deposit"))
		if h := release(); h.Status != hulls.OnHold {
			t.Error("released before it expired")
		}

		s.Advance(2 * time.Hour)
		h = release()
		assert.Equal(t, h.Status, hulls.Available, "released")
		assert.Equal(t, h.Hold, nil, "released")
		assert.Equal(t, h.Version, 3, "released")
		if h := release(); h.Version != 3 {
			t.Error("released twice")
		}

		// A new hold is not released by the job of an earlier hold.
		hold(time.Hour)
		s.Test.Post("/v1/hulls/"+id+"/transition", `{"to":"available"}`, 200, nil)
		hold(24 * time.Hour)
		s.Advance(2 * time.Hour)
		if h := release(); h.Status != hulls.OnHold {
			t.Error("the new hold expired with the old one")
		}
	})
}

// The job queue runs the job on both databases.
func TestHoldJobRuns(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		if err := s.Jobs.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Jobs.Stop(context.WithoutCancel(t.Context())); err != nil {
				t.Error(err)
			}
		})
		id := s.Test.Hull(s.Test.Location(), nil)
		until := s.DB.Now().Add(1200 * time.Millisecond).UTC().Format(time.RFC3339Nano)
		s.Test.Post("/v1/hulls/"+id+"/transition", map[string]string{"to": "on_hold", "expires_at": until}, 200, nil)
		assert.Eventually(t, "the hold to expire", func() bool {
			var h hulls.Hull
			s.Test.Get("/v1/hulls/"+id, 200, &h)
			return h.Status == hulls.Available
		})
	})
}

func TestPricing(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Hull(s.Test.Location(), map[string]any{"price_usd": 100000})
		path := "/v1/hulls/" + id
		var p hulls.HullPricing
		s.Test.Get(path+"/pricing", 200, &p)
		assert.Equal(t, p.PriceUSD, 100000)
		assert.Equal(t, p.OriginalPriceUSD, 100000)
		assert.Equal(t, p.Cost, nil)
		assert.Equal(t, p.PriceType, "asking")
		s.Advance(time.Hour)
		s.Test.Put(path+"/pricing", `{"price_usd":90000,"msrp_usd":120000,"price_type":"sale",`+
			`"cost":{"invoice_cents":7000000},"floor_usd":85000,"reason":"autumn"}`, 200, &p)
		assert.Equal(t, p.PriceUSD, 90000)
		assert.Equal(t, p.OriginalPriceUSD, 100000)
		assert.Equal(t, p.Cost.InvoiceCents, new(int64(7000000)))
		assert.Equal(t, p.FloorUSD, new(int64(85000)))
		assert.Equal(t, p.Version, 2)
		var h hulls.Hull
		s.Test.Get(path, 200, &h)
		assert.Equal(t, h.PriceUSD, 90000)
		assert.Equal(t, h.Version, 2)
		var seen hulls.HullPricing
		s.As(s.Key(auth.HullsRead)).Get(path+"/pricing", 200, &seen)
		assert.Equal(t, seen.Cost, nil, "without hulls:write")
		assert.Equal(t, seen.FloorUSD, nil, "without hulls:write")
		assert.Equal(t, seen.MSRPUSD, new(int64(120000)), "without hulls:write")
		s.Test.Put(path+"/pricing", `{"price_usd":90000,"original_price_usd":110000}`, 200, &p)
		assert.Equal(t, p.OriginalPriceUSD, 110000)
		assert.Equal(t, p.PriceType, "sale")
		s.Test.Put(path+"/pricing", `{"msrp_usd":1}`, 400, nil)
		s.Test.Put(path+"/pricing", `{"price_usd":1000000001}`, 422, nil)
		s.Test.With("If-Match", `"1"`).Put(path+"/pricing", `{"price_usd":1}`, 409, nil)

		var changes page.Page[hulls.PriceChange]
		s.Test.Get(path+"/price_changes", 200, &changes)
		assert.Len(t, changes.Data, 2)
		assert.Equal(t, changes.Data[0].OldPriceUSD, new(int64(100000)))
		assert.Equal(t, changes.Data[0].NewPriceUSD, 90000)
		assert.Equal(t, changes.Data[0].Reason, new("autumn"))
		assert.Equal(t, changes.Data[1].OldPriceUSD, nil)
	})
}

func TestSpecs(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Hull(s.Test.Location(), nil)
		path := "/v1/hulls/" + id + "/specs"
		var specs hulls.HullSpecs
		s.Test.Get(path, 200, &specs)
		assert.Equal(t, specs.Version, 0, "no sheet yet")
		assert.Equal(t, specs.Engines, nil, "no sheet yet")
		assert.Equal(t, specs.EngineCount, nil, "no sheet yet")
		s.Test.Put(path, `{"beam_ft":8.5,"engines":[{"make":"Yamaha","hp":300,"fuel":"gas","type":"outboard_4s"}],`+
			`"tanks":{"fuel_gal":130},"trailer":null}`, 200, &specs)
		assert.Equal(t, specs.TotalPowerHP, new(300.0))
		assert.Equal(t, specs.Version, 1)
		s.Test.Get(path+"?units=metric", 200, &specs)
		assert.Equal(t, specs.Metric.BeamM, new(2.59))
		assert.Equal(t, specs.Metric.FuelL, new(492.1))

		// You can send a sheet back without the fields that the server adds.
		s.Test.Put(path, `{"engines":[],"tanks":null,"draft_ft":null,"highlights":null}`, 200, &specs)
		assert.Equal(t, specs.BeamFt, nil)
		assert.Equal(t, specs.EngineCount, new(int64(0)))
		assert.Equal(t, specs.Version, 2)
		s.Test.Put(path, `{"engines":null}`, 200, nil)

		specs = hulls.HullSpecs{}
		s.Test.Get(path, 200, &specs)
		assert.Equal(t, specs.EngineCount, nil, "unknown engines")
		f := s.Test.Put(path, `{"engines":[{"hp":-1}],"hull_material":"cheese"}`, 422, nil).Fault(t)
		f.WantDetail(t, "engines[0].hp", "minimum")
		f.WantDetail(t, "hull_material", "enum")
		s.Test.With("If-Match", `"1"`).Put(path, `{}`, 409, nil)
	})
}

func TestConcurrentChangesWithIfMatch(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Hull(s.Test.Location(), nil)
		var wg sync.WaitGroup
		var mu sync.Mutex
		counts := map[int]int{}
		for i := range 16 {
			wg.Go(func() {
				res, err := s.Test.With("If-Match", `"1"`).Send(http.MethodPatch, "/v1/hulls/"+id, fmt.Sprintf(`{"title":"%d"}`, i))
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				counts[res.StatusCode]++
			})
		}
		wg.Wait()

		assert.Equal(t, counts[200], 1)
		assert.Equal(t, counts[409], 15)
	})
}

// Without If-Match, concurrent changes all succeed.
func TestConcurrentChangesWithoutIfMatch(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Hull(s.Test.Location(), nil)
		var wg sync.WaitGroup
		for i := range 12 {
			wg.Go(func() {
				res, err := s.Test.Send(http.MethodPatch, "/v1/hulls/"+id, fmt.Sprintf(`{"metadata":{"%d":"x"}}`, i))
				if err != nil || res.StatusCode != 200 {
					t.Errorf("got %v %s; want status 200", err, res.Bytes)
				}
			})
		}
		wg.Wait()
		var h hulls.Hull
		s.Test.Get("/v1/hulls/"+id, 200, &h)
		assert.Equal(t, len(h.Metadata), 12, "of 12 changes")
		assert.Equal(t, h.Version, 13, "of 12 changes")
	})
}

func TestDecodeHIN(t *testing.T) {
	s := testkit.OnSQLite(t)
	var d struct {
		Valid      bool
		Normalized *string
		ModelYear  *int `json:"model_year"`
	}
	s.Test.Get("/v1/hins/us-grt40912b324", 200, &d)
	assert.Equal(t, d.Valid, true)
	assert.Equal(t, d.Normalized, new("GRT40912B324"))
	assert.Equal(t, d.ModelYear, new(2024))
	s.Test.Get("/v1/hins/ABC12345%20N900", 200, &d)
	assert.Equal(t, d.Valid, false)
}

func TestHoldDefaults(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		deal := s.Test.Deal(nil)
		id := s.Test.Hull(s.Test.Location(), nil)
		path := "/v1/hulls/" + id + "/transition"

		s.Test.Post(path, `{"to":"on_hold","deal_id":"deal_unknown"}`, 422, nil).WantDetail(t, "deal_id", "not_found")
		s.Test.Post(path, map[string]any{"to": "not_for_sale", "deal_id": deal}, 422, nil).WantDetail(t, "deal_id", "exclusive")
		var h hulls.Hull
		s.Test.Post(path, map[string]any{"to": "on_hold", "deal_id": deal}, 200, &h)
		assert.Equal(t, h.Hold.DealID, &deal)
		assert.Equal(t, h.Hold.ExpiresAt.Sub(h.UpdatedAt), 48*time.Hour)
	})
}

// The dealership chooses how long a hold lasts by default. Existing holds keep
// their time.
func TestDefaultHoldHours(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		location := s.Test.Location()
		before, after := s.Test.Hull(location, nil), s.Test.Hull(location, nil)
		hold := func(id string) (h hulls.Hull) {
			s.Test.Post("/v1/hulls/"+id+"/transition", `{"to":"on_hold"}`, 200, &h)
			return h
		}

		first := hold(before)
		s.Test.Patch("/v1/dealership", `{"settings":{"default_hold_hours":6}}`, 200, nil)
		second := hold(after)
		assert.Equal(t, second.Hold.ExpiresAt.Sub(second.UpdatedAt), 6*time.Hour)

		var h hulls.Hull
		s.Test.Get("/v1/hulls/"+before, 200, &h)
		assert.Equal(t, h.Hold.ExpiresAt, first.Hold.ExpiresAt, "the existing hold")
	})
}
