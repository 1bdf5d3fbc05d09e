package hulls_test

import (
	"testing"

	"slipway/internal/hulls"
	"slipway/internal/testkit"
)

func TestHullLifecycle(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		var h, got hulls.Hull
		res := s.Test.Post("/v1/hulls", testkit.HullBody(loc, map[string]any{"stock_number": "GW-1042", "hin": "US-GRT40912B324", "length_ft": 23.584}), 201, &h)
		if res.Header.Get("ETag") != `"1"` || h.Version != 1 || *h.HIN != "GRT40912B324" || *h.HINCountry != "US" || len(h.HINWarnings) == 0 || h.LengthFt != 23.58 {
			t.Fatalf("created %s", res.Bytes)
		}
		s.Test.Get("/v1/hulls/"+h.ID, 200, &got)
		s.Test.Get("/v1/hulls?q=grady", 200, nil)
		s.Test.Patch("/v1/hulls/"+h.ID, `{"title":"One owner","metadata":{"a":"1"}}`, 200, &got)
		if *got.Title != "One owner" || got.Version != 2 || got.Metadata["a"] != "1" {
			t.Fatalf("updated %+v", got)
		}
	})
}
