package inventory

import (
	"fmt"
	"testing"
	"time"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// priced is the price of a boat with the version of its pricing.
type priced struct {
	HullID  string `json:"hull_id"`
	Price   any    `json:"price"`
	Version int64  `json:"version"`
}

func newPrice(id string, usd int64, version any) map[string]any {
	return map[string]any{"hull_id": id, "price": map[string]any{"amount": usd * 100, "currency": "USD"}, "version": version}
}

// countEvents returns how many events of a type an object has.
func countEvents(s *testkit.Server, event, id string) (n int) {
	for _, t := range s.EventTypes(id) {
		if t == event {
			n++
		}
	}
	return n
}

// Several prices change together, once, and can be undone as long as no one changed one of them.
func TestReprice(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		const path = "/v2-preview/hulls/reprice"
		location := s.Test.Location()
		boats := []string{s.Test.Hull(location, nil), s.Test.Hull(location, nil), s.Test.Hull(location, nil)}
		priceOf := func(id string) (usd int64) {
			var h struct {
				PriceUSD int64 `json:"price_usd"`
			}
			s.Test.Get("/v1/hulls/"+id, 200, &h)
			return h.PriceUSD
		}
		before := priceOf(boats[0])

		var done struct{ Data []priced }
		body := map[string]any{"reason": "End of season", "prices": []any{
			newPrice(boats[0], 90000, 1), newPrice(boats[1], 80000, 1), newPrice(boats[2], before, 1),
		}}
		s.Test.Post(path, body, 200, &done)
		assert.Equal(t, len(done.Data), 3)
		assert.Equal(t, done.Data[0].Version, 2)
		assert.Equal(t, done.Data[2].Version, 1, "the same price is no change")
		assert.Equal(t, priceOf(boats[0]), 90000)
		for i, want := range []int{1, 1, 0} {
			assert.Equal(t, countEvents(s, "hull.price_changed", boats[i]), want, boats[i])
			assert.Equal(t, testkit.Rows[int](s, `SELECT COUNT(*) FROM audit_entries WHERE target_id = ? AND action = 'hull.price_changed'`, boats[i])[0], want)
		}
		var changes struct {
			Data []struct{ Reason *string }
		}
		s.Test.Get("/v1/hulls/"+boats[1]+"/price_changes", 200, &changes)
		assert.Equal(t, changes.Data[0].Reason, new("End of season"))

		// Someone else changes one of the boats: nothing is undone, and the boat is named.
		s.Test.Put("/v1/hulls/"+boats[1]+"/pricing", `{"price_usd": 81000}`, 200, nil)
		undo := map[string]any{"prices": []any{newPrice(boats[0], before, 2), newPrice(boats[1], before, 2)}}
		s.Test.Post(path, undo, 409, nil).WantDetail(t, "prices[1].version", "stale")
		assert.Equal(t, priceOf(boats[0]), 90000)
		undo["prices"] = []any{newPrice(boats[0], before, 2), newPrice(boats[1], before, 3)}
		s.Test.Post(path, undo, 200, nil)
		assert.Equal(t, priceOf(boats[0]), before)
		assert.Equal(t, priceOf(boats[1]), before)

		for name, c := range map[string]struct {
			prices      []any
			field, code string
		}{
			"twice":    {[]any{newPrice(boats[0], 1, nil), newPrice(boats[0], 2, nil)}, "prices[1].hull_id", "duplicate"},
			"missing":  {[]any{newPrice(boats[0], 1, nil), newPrice("hull_00000000000000000000000000", 2, nil)}, "prices[1].hull_id", "not_found"},
			"negative": {[]any{newPrice(boats[0], -1, nil)}, "prices[0].price.amount", "minimum"},
			"cents":    {[]any{map[string]any{"hull_id": boats[0], "price": map[string]any{"amount": 150, "currency": "USD"}}}, "prices[0].price.amount", "multiple_of"},
			"none":     {[]any{}, "prices", "too_few"},
		} {
			s.Test.Post(path, map[string]any{"prices": c.prices}, 422, nil).WantDetail(t, c.field, c.code, name)
		}
		many := []any{}
		for range 101 {
			many = append(many, newPrice(boats[0], 1, nil))
		}
		s.Test.Post(path, map[string]any{"prices": many}, 422, nil).WantDetail(t, "prices", "too_many")
		assert.Equal(t, priceOf(boats[0]), before)
		s.Person("sales").Post(path, undo, 403, nil)

		// Someone who is limited to a location can't change a boat of another one.
		elsewhere := s.Test.Hull(s.Test.Location(), nil)
		s.Test.Post("/v1/roles", `{"name": "store", "scopes": ["hulls:read", "hulls:write"], "own_locations": true}`, 201, nil)
		clerk := s.Person("store")
		s.Test.Patch("/v1/users/"+clerk.ID, map[string]any{"location_ids": []string{location}}, 200, nil)
		limited := clerk.Client
		limited.Post(path, map[string]any{"prices": []any{newPrice(boats[0], 5000, nil), newPrice(elsewhere, 5000, nil)}}, 403, nil).WantDetail(t, "Authorization", "other_location")
		assert.Equal(t, priceOf(boats[0]), before)
		limited.Post(path, map[string]any{"prices": []any{newPrice(boats[0], 5000, nil)}}, 200, nil)
	})
}

// A retry with the same key changes nothing again.
func TestRepriceOnce(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Hull(s.Test.Location(), nil)
		body := map[string]any{"prices": []any{newPrice(id, 50000, 1)}}
		first := s.Test.With("Idempotency-Key", "4f1d8c52-6a0e-4d0b-8d9e-2b7f3c1a9e11").Post("/v2-preview/hulls/reprice", body, 200, nil)
		again := s.Test.With("Idempotency-Key", "4f1d8c52-6a0e-4d0b-8d9e-2b7f3c1a9e11").Post("/v2-preview/hulls/reprice", body, 200, nil)
		assert.Equal(t, string(first.Bytes), string(again.Bytes))
		assert.Equal(t, countEvents(s, "hull.price_changed", id), 1)
	})
}

// People who sell place holds, and end their own.
func TestHoldOfSales(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Hull(s.Test.Location(), nil)
		path := "/v2-preview/hulls/" + id + "/hold"
		seller, other, marketing := s.Person("sales"), s.Person("sales"), s.Person("marketing")
		in := func(days int) map[string]any {
			return map[string]any{"reason": "Deposit on the way", "expires_at": time.Now().UTC().AddDate(0, 0, days).Format(time.RFC3339)}
		}
		var h struct {
			Status string
			Hold   *struct {
				UserID string `json:"user_id"`
			}
		}
		seller.Delete(path, 409).WantDetail(t, "status", "state")
		seller.Put(path, in(15), 422, nil).WantDetail(t, "expires_at", "maximum")
		seller.Put(path, in(2), 200, &h)
		assert.Equal(t, h.Status, "on_hold")
		assert.Equal(t, h.Hold.UserID, seller.ID)
		seller.Put(path, in(5), 200, nil) // extends it
		assert.Equal(t, countEvents(s, "hull.status_changed", id), 1)

		other.Put(path, in(2), 403, nil).WantDetail(t, "hull_id", "scope")
		other.Delete(path, 403).WantDetail(t, "hull_id", "scope")
		s.Person("viewer").Put(path, in(2), 403, nil)
		seller.Do("DELETE", path, nil, 200, &h)
		assert.Equal(t, h.Status, "available")
		seller.Put(path, fmt.Sprintf(`{"expires_at": %q}`, time.Now().UTC().Add(time.Hour).Format(time.RFC3339)), 200, nil)
		marketing.Put(path, in(60), 200, nil)
		marketing.Delete(path, 200)
		seller.Post("/v1/hulls/"+id+"/transition", `{"to": "on_hold"}`, 403, nil)
	})
}
