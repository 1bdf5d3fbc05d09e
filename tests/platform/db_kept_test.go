package platform

import (
	"math/rand/v2"
	"testing"
	"time"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/version"
)

// Lists are the same with and without rows in memory: for each caller, version and shape, after
// random changes, while time passes.
func TestListsFromMemory(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		rng := rand.New(rand.NewPCG(seed, 0))
		home := s.Test.Location()
		var hulls, contacts, leads, deals []string
		for i := range 4 {
			hulls = append(hulls, s.Test.Hull(home, map[string]any{"received_on": "2026-10-01"}))
			contacts = append(contacts, s.Test.Contact(map[string]any{"first_name": "Ann"}))
			leads = append(leads, s.Test.Lead(map[string]any{"contact_id": contacts[i], "hull_id": hulls[i]}))
			deals = append(deals, s.Test.Deal(nil))
		}
		s.Test.Photo(hulls[0])
		s.Other.Hull(s.Other.Location(), nil)

		pick := func(ids []string) string { return ids[rng.IntN(len(ids))] }
		changes := []func(){
			func() { s.Test.Patch("/v1/hulls/"+pick(hulls), map[string]any{"title": words(rng)}, 200, nil) },
			func() {
				s.Test.Put("/v1/hulls/"+pick(hulls)+"/pricing", map[string]any{"price_usd": 90_000 + rng.IntN(9_000), "reason": "Sale"}, 200, nil)
			},
			func() { _, _ = s.Test.Send("POST", "/v1/hulls/"+pick(hulls)+"/archive", nil) }, // once
			func() { s.Test.Photo(pick(hulls[:2])) },
			func() {
				s.Test.Patch("/v1/contacts/"+pick(contacts), map[string]any{"last_name": words(rng)}, 200, nil)
			},
			func() { s.Test.Patch("/v1/leads/"+pick(leads), map[string]any{"message": words(rng)}, 200, nil) },
			func() {
				s.Test.Patch("/v1/deals/"+pick(deals), map[string]any{"metadata": map[string]any{"note": words(rng)}}, 200, nil)
			},
			func() { s.Advance(time.Duration(rng.IntN(48)) * time.Hour) },
		}
		callers := map[string]*testkit.Client{
			"all scopes":        s.Test,
			"only reads":        s.As(s.Key("hulls:read", "leads:read", "deals:read")),
			"the first version": s.Test.With("Service-Version", version.Published[0].Date),
			"another":           s.Other,
		}
		lists := []string{
			"/v1/hulls?limit=100", "/v1/hulls?limit=2", "/v1/hulls?archived=true", "/v1/hulls?q=sea", "/v2-preview/hulls?sort=price", "/v2-preview/hulls?sort=-age&limit=3",
			"/v1/contacts", "/v1/leads", "/v2-preview/leads?expand=contact,hull", "/v1/deals", "/v2-preview/deals?expand=hull",
		}
		for range 25 {
			for range 1 + rng.IntN(3) {
				changes[rng.IntN(len(changes))]()
			}
			for name, c := range callers {
				list := lists[rng.IntN(len(lists))]
				c.Get(list, 200, nil) // keeps the rows
				kept := c.Get(list, 200, nil)
				s.DB.ForgetRows()
				read := c.Get(list, 200, nil)
				assert.Equal(t, string(kept.Bytes), string(read.Bytes), name, list)
			}
		}
	})
}

// words returns a text that no other change has.
func words(rng *rand.Rand) string {
	text := []string{"Sea trial", "Reduced", "Garage kept", "One owner"}
	return text[rng.IntN(len(text))] + " " + time.Duration(rng.IntN(1_000_000)).String()
}

// A caller who has a page gets 304 until something that they see has changed.
func TestListNotModified(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		const list = "/v1/hulls?limit=5"
		hull := s.Test.Hull(s.Test.Location(), map[string]any{"received_on": "2026-10-01"})
		tag := s.Test.Get(list, 200, nil).Header.Get("ETag")
		assert.Equal(t, s.Test.Get(list, 200, nil).Header.Get("ETag"), tag, "again")

		has := s.Test.With("If-None-Match", `"other", W/`+tag)
		res := has.Get(list, 304, nil)
		assert.Equal(t, string(res.Bytes), "")
		assert.Equal(t, res.Header.Get("ETag"), tag)
		s.DB.ForgetRows()
		has.Get(list, 304, nil)

		changed := func(what string, c *testkit.Client, path string) {
			t.Helper()
			if c.Get(path, 200, nil).Header.Get("ETag") == tag {
				t.Errorf("%s has the same ETag", what)
			}
		}
		changed("another page", has, "/v1/hulls?limit=5&starting_after="+hull)
		changed("another shape", has, "/v2-preview/hulls?limit=5")
		changed("another version", has.With("Service-Version", version.Published[0].Date), list)
		s.As(s.Key("hulls:read")).With("If-None-Match", tag).Get(list, 304, nil) // sees the same
		changed("another dealership", s.Other.With("If-None-Match", tag), list)
		s.Advance(24 * time.Hour)
		changed("another day", has, list)

		has = s.Test.With("If-None-Match", s.Test.Get(list, 200, nil).Header.Get("ETag"))
		has.Get(list, 304, nil)
		s.Test.Patch("/v1/hulls/"+hull, map[string]any{"title": "Reduced"}, 200, nil)
		changed("a write", has, list)

		locations := s.Test.Get("/v1/locations", 200, nil) // has no rows in memory
		s.Test.With("If-None-Match", locations.Header.Get("ETag")).Get("/v1/locations", 304, nil)
	})
}
