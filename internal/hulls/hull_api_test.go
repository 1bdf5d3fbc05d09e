package hulls_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"slipway/internal/platform/jobs"
	"sync"
	"testing"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/testkit"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

func TestCreateGetUpdate(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		var h, got hulls.Hull
		res := s.Test.Post("/v1/hulls", testkit.HullBody(loc, map[string]any{"stock_number": "GW-1042", "hin": "us-grt40912b324", "length_ft": 23.584}), 201, &h)
		if res.Header.Get("ETag") != `"1"` || h.Version != 1 || *h.HIN != "GRT40912B324" || *h.HINCountry != "US" || len(h.HINWarnings) == 0 || h.LengthFt != 23.58 || *h.DaysInStock != 0 {
			t.Errorf("created %s", res.Bytes)
		}
		read := s.Test.Get("/v1/hulls/"+h.ID, 200, nil)
		if string(read.Bytes) != string(res.Bytes) || read.Header.Get("ETag") != `"1"` {
			t.Errorf("read otherwise than created:\n%s\n%s", res.Bytes, read.Bytes)
		}
		s.Test.Patch("/v1/hulls/"+h.ID, `{"title":"One owner","stock_number":null,"metadata":{"a":"1"}}`, 200, &got)
		if *got.Title != "One owner" || got.StockNumber != nil || got.Version != 2 || got.Metadata["a"] != "1" || got.Make != h.Make {
			t.Errorf("updated %+v", got)
		}
		f := s.Test.Patch("/v1/hulls/"+h.ID, `{"price_usd":1}`, 422, nil).Fault(t)
		if !f.Blames("price_usd", "unknown_field") {
			t.Errorf("price by PATCH: %+v", f)
		}
		f = s.Test.Post("/v1/hulls", testkit.HullBody(loc, map[string]any{"price_usd": -1, "hin": "abc", "year": 3000}), 422, nil).Fault(t)
		if !f.Blames("price_usd", "minimum") || !f.Blames("hin", "length") || !f.Blames("year", "maximum") {
			t.Errorf("not all mistakes at once: %+v", f)
		}
		s.Test.Patch("/v1/hulls/"+h.ID, `{"make":null}`, 400, nil)
		if f := s.Test.Patch("/v1/hulls/"+h.ID, `{"location_id":"loc_00000000000000000000000000"}`, 422, nil).Fault(t); !f.Blames("location_id", "not_found") {
			t.Errorf("unknown location: %+v", f)
		}
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
			if !f.Blames(field, "duplicate") || f.Details[0].Message != "is that of "+first {
				t.Errorf("%s: %+v", field, f)
			}
		}
		s.Live.Hull(s.Live.Location(), map[string]any{"stock_number": "A1", "hin": "GRT40912B324"}) // another environment

		// An archived hull gives its numbers free, and cannot come back while another has them.
		s.Test.Post("/v1/hulls/"+first+"/archive", nil, 200, nil)
		second := s.Test.Hull(loc, map[string]any{"stock_number": "A1", "hin": "GRT40912B324", "previous_hull_id": first})
		if f := s.Test.Post("/v1/hulls/"+first+"/transition", `{"to":"available"}`, 409, nil).Fault(t); !f.Blames("hin", "duplicate") {
			t.Errorf("back beside %s: %+v", second, f)
		}
		s.Test.Post("/v1/hulls/"+second+"/archive", `{"reason":"twice"}`, 200, nil)
		s.Test.Post("/v1/hulls/"+first+"/transition", `{"to":"available"}`, 200, nil)
	})
}

// The unique index decides races, and the loser still learns who won.
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
				if res.StatusCode == 409 && !res.Fault(t).Blames("stock_number", "duplicate") {
					t.Errorf("%s", res.Bytes)
				}
			})
		}
		wg.Wait()
		if counts[201] != 1 || counts[409] != 19 {
			t.Error(counts)
		}
	})
}

func TestTransitionsAndHistory(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc, other := s.Test.Location(), s.Test.Location()
		id := s.Test.Hull(loc, map[string]any{"status": "on_order", "hin": nil})
		path := "/v1/hulls/" + id
		s.Test.Post(path+"/transition", `{"to":"in_transit"}`, 200, nil)
		if f := s.Test.Post(path+"/transition", `{"to":"available"}`, 400, nil).Fault(t); !f.Blames("hin", "required") {
			t.Errorf("arrival without a number: %+v", f)
		}
		s.Test.Patch(path, `{"hin":"ABC12345L495","location_id":"`+other+`"}`, 200, nil)
		s.Test.Post(path+"/transition", `{"to":"available","reason":"truck came"}`, 200, nil)
		if f := s.Test.Post(path+"/transition", `{"to":"sold"}`, 409, nil).Fault(t); !f.Blames("to", "state") {
			t.Errorf("sold by hand: %+v", f)
		}
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
		want := []line{{"in_transit", "available", other}, {"in_transit", "in_transit", other}, {"on_order", "in_transit", loc}, {"", "on_order", loc}}
		if !slices.Equal(got, want) || *history.Data[0].Reason != "truck came" || history.Data[0].Actor.Type != "api_key" {
			t.Errorf("history %+v", history.Data)
		}
		var paged page.Page[hulls.HullChange]
		s.Test.Get(path+"/history?limit=2&starting_after="+history.Data[1].ID, 200, &paged)
		if len(paged.Data) != 2 || paged.Data[0].ID != history.Data[2].ID || paged.HasMore || *paged.PrevCursor != history.Data[2].ID {
			t.Errorf("second page %+v", paged)
		}
	})
}

func TestHoldEndsByItself(t *testing.T) {
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
		if h := hold(time.Hour); h.Status != hulls.OnHold || *h.Hold.Reason != "deposit" {
			t.Errorf("held: %+v", h)
		}
		if h := release(); h.Status != hulls.OnHold {
			t.Error("released before its end")
		}
		s.Advance(2 * time.Hour)
		if h := release(); h.Status != hulls.Available || h.Hold != nil || h.Version != 3 {
			t.Errorf("not released: %+v", h)
		}
		if h := release(); h.Version != 3 {
			t.Error("released twice")
		}
		// A hold that was ended and taken anew is not released by the first one's job.
		hold(time.Hour)
		s.Test.Post("/v1/hulls/"+id+"/transition", `{"to":"available"}`, 200, nil)
		hold(24 * time.Hour)
		s.Advance(2 * time.Hour)
		if h := release(); h.Status != hulls.OnHold {
			t.Error("the new hold ended with the old one")
		}
	})
}

// The queue itself works the job, on either database.
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
		for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
			var h hulls.Hull
			if s.Test.Get("/v1/hulls/"+id, 200, &h); h.Status == hulls.Available {
				return
			}
		}
		t.Error("the hold did not end")
	})
}

func TestPricing(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Hull(s.Test.Location(), map[string]any{"price_usd": 100000})
		path := "/v1/hulls/" + id
		var p hulls.HullPricing
		s.Test.Get(path+"/pricing", 200, &p)
		if p.PriceUSD != 100000 || p.OriginalPriceUSD != 100000 || p.Cost != nil || p.PriceType != "asking" {
			t.Errorf("first %+v", p)
		}
		s.Advance(time.Hour)
		s.Test.Put(path+"/pricing", `{"price_usd":90000,"msrp_usd":120000,"price_type":"sale","cost":{"invoice_cents":7000000},"floor_usd":85000,"reason":"autumn"}`, 200, &p)
		if p.PriceUSD != 90000 || p.OriginalPriceUSD != 100000 || *p.Cost.InvoiceCents != 7000000 || *p.FloorUSD != 85000 || p.Version != 2 {
			t.Errorf("adjusted %+v", p)
		}
		var h hulls.Hull
		if s.Test.Get(path, 200, &h); h.PriceUSD != 90000 || h.Version != 2 {
			t.Errorf("hull %+v", h)
		}
		var seen hulls.HullPricing
		s.As(s.Key(auth.HullsRead)).Get(path+"/pricing", 200, &seen)
		if seen.Cost != nil || seen.FloorUSD != nil || *seen.MSRPUSD != 120000 {
			t.Errorf("a reader sees %+v", seen)
		}
		s.Test.Put(path+"/pricing", `{"price_usd":90000}`, 200, &p) // replaces: what is left out is cleared
		if p.MSRPUSD != nil || p.Cost != nil || p.PriceType != "asking" || p.OriginalPriceUSD != 100000 {
			t.Errorf("replaced %+v", p)
		}
		s.Test.Put(path+"/pricing", `{"msrp_usd":1}`, 400, nil)
		s.Test.Put(path+"/pricing", `{"price_usd":1000000001}`, 422, nil)
		s.Test.With("If-Match", `"1"`).Put(path+"/pricing", `{"price_usd":1}`, 409, nil)

		var changes page.Page[hulls.PriceChange]
		s.Test.Get(path+"/price_changes", 200, &changes)
		if len(changes.Data) != 2 || *changes.Data[0].OldPriceUSD != 100000 || changes.Data[0].NewPriceUSD != 90000 ||
			*changes.Data[0].Reason != "autumn" || changes.Data[1].OldPriceUSD != nil {
			t.Errorf("changes %+v", changes.Data)
		}
	})
}

func TestSpecs(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Hull(s.Test.Location(), nil)
		path := "/v1/hulls/" + id + "/specs"
		var specs hulls.HullSpecs
		res := s.Test.Get(path, 200, &specs)
		if specs.Version != 0 || specs.Engines != nil || specs.EngineCount != nil {
			t.Errorf("unknown sheet %s", res.Bytes)
		}
		s.Test.Put(path, `{"beam_ft":8.5,"engines":[{"make":"Yamaha","hp":300,"fuel":"gas","type":"outboard_4s"}],"tanks":{"fuel_gal":130},"trailer":null}`, 200, &specs)
		if *specs.TotalPowerHP != 300 || specs.Version != 1 {
			t.Errorf("sheet %+v", specs)
		}
		res = s.Test.Get(path+"?units=metric", 200, &specs)
		if *specs.Metric.BeamM != 2.59 || *specs.Metric.FuelL != 492.1 {
			t.Errorf("metric %s", res.Bytes)
		}
		// What was read can be sent back, but for what the server adds.
		s.Test.Put(path, `{"engines":[],"tanks":null,"draft_ft":null,"highlights":null}`, 200, &specs)
		if specs.BeamFt != nil || *specs.EngineCount != 0 || specs.Version != 2 {
			t.Errorf("replaced %+v", specs)
		}
		s.Test.Put(path, `{"engines":null}`, 200, nil)
		specs = hulls.HullSpecs{}
		if s.Test.Get(path, 200, &specs); specs.EngineCount != nil {
			t.Errorf("unknown engines became none: %+v", specs)
		}
		f := s.Test.Put(path, `{"engines":[{"hp":-1}],"hull_material":"cheese"}`, 422, nil).Fault(t)
		if !f.Blames("engines[0].hp", "minimum") || !f.Blames("hull_material", "enum") {
			t.Errorf("%+v", f)
		}
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
		if counts[200] != 1 || counts[409] != 15 {
			t.Error(counts)
		}
	})
}

// Without an If-Match nobody has to repeat a change because others came at the
// same time.
func TestConcurrentChangesWithoutIfMatch(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Hull(s.Test.Location(), nil)
		var wg sync.WaitGroup
		for i := range 12 {
			wg.Go(func() {
				res, err := s.Test.Send(http.MethodPatch, "/v1/hulls/"+id, fmt.Sprintf(`{"metadata":{"%d":"x"}}`, i))
				if err != nil || res.StatusCode != 200 {
					t.Errorf("%v %s", err, res.Bytes)
				}
			})
		}
		wg.Wait()
		var h hulls.Hull
		if s.Test.Get("/v1/hulls/"+id, 200, &h); len(h.Metadata) != 12 || h.Version != 13 {
			t.Errorf("%d of 12 changes are there, version %d", len(h.Metadata), h.Version)
		}
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
	if !d.Valid || *d.Normalized != "GRT40912B324" || *d.ModelYear != 2024 {
		t.Errorf("%+v", d)
	}
	s.Test.Get("/v1/hins/ABC12345%20N900", 200, &d)
	if d.Valid {
		t.Errorf("%+v", d)
	}
}
