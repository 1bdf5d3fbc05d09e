package platform

import (
	"slices"
	"testing"

	"slipway/internal/platform/shards"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// A database on one server is not distributed, and no command changes it. tests/citus has the
// tests with Citus.
func TestShardsOnOneServer(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		if len(testkit.Workers()) > 0 {
			return
		}
		now, err := s.DB.Shards(t.Context())
		assert.NoError(t, err)
		assert.Equal(t, now.Used(), false)

		report := func(text string) { t.Errorf("did %q", text) }
		if err := shards.Isolate(t.Context(), s.DB, []auth.Env{1}, "127.0.0.1:5432", report); err == nil {
			t.Error("a dealership was moved")
		}
		if err := shards.Rebalance(t.Context(), s.DB, report); err == nil {
			t.Error("shards were moved")
		}
		steps, err := shards.Plan(t.Context(), s.DB, shards.Settings{})
		if err == nil || len(steps) > 0 {
			t.Errorf("got %d steps and error %v, want an error", len(steps), err)
		}
	})
}

// Tables are distributed after those that they refer to. The small ones are copied first.
func TestOrderOfShards(t *testing.T) {
	s := testkit.OnPostgres(t)
	now, err := s.DB.Shards(t.Context())
	assert.NoError(t, err)
	if now.Used() {
		return
	}
	order := now.Missing()
	if len(order) < 80 || order[0] != "dealerships" || order[1] != "apps" {
		t.Fatalf("got %v, want all tables, and dealerships and apps first", order)
	}
	for _, pair := range [][2]string{{"waiting_work", "outbox"}, {"hulls", "hull_photos"}, {"installs", "oauth_grants"}, {"oauth_grants", "oauth_tokens"}} {
		if i, j := slices.Index(order, pair[0]), slices.Index(order, pair[1]); i < 0 || i > j {
			t.Errorf("%s is number %d and %s is number %d", pair[0], i, pair[1], j)
		}
	}
	if slices.Contains(order, "site_keys") || slices.Contains(order, "river_job") {
		t.Errorf("got %v, want only tables with rows of dealerships", order)
	}
}
