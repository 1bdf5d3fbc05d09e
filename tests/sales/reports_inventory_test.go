package sales

import (
	"os"
	"strings"
	"testing"

	"slipway/internal/reports"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// At this time it is March 1 in New York and February 28 in Los Angeles.
func TestInventoryReport(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newWorld(t, s, "2027-03-01T06:30:00Z")
		w.hull(w.east, "2027-03-01", 100000, 8000000)
		w.hull(w.east, "2027-01-30", 10000, 0)                                                   // 30 days
		w.hull(w.east, "2027-01-29", 20000, 1500050, map[string]any{"ownership": "floorplan"})   // 31
		w.hull(w.east, "2026-12-31", 30000, 0)                                                   // 60
		w.hull(w.east, "2026-12-01", 40000, 0, map[string]any{"status": "not_for_sale"})         // 90
		w.hull(w.east, "2026-09-02", 50000, 0)                                                   // 180
		oldest := w.hull(w.east, "2026-09-01", 60000, 0, map[string]any{"stock_number": "GW-1"}) // 181
		w.hull(w.west, "2027-01-29", 70000, 0)                                                   // 30, in its own time zone
		w.hull(w.east, "", 80000, 0, map[string]any{"status": "on_order"})
		archived := w.hull(w.east, "2026-01-01", 90000, 0)
		s.Test.Post("/v1/hulls/"+archived+"/archive", nil, 200, nil)
		s.Test.DealIn("delivered", map[string]any{"hull_id": w.hull(w.east, "2026-01-01", 91000, 0)})
		s.Test.DealIn("contracted", map[string]any{"hull_id": w.hull(w.east, "2026-01-01", 92000, 0)})
		w.hull(s.Other.Location(), "", 0, 0, map[string]any{"location_id": w.east, "status": "in_transit"})

		const columns = "hulls,price_usd,cost_usd,without_cost"
		w.wantCSV("inventory", "min_days,max_days,"+columns,
			"0,30,3,180000.00,80000.00,2", "31,60,2,50000.00,15000.50,1", "61,90,1,40000.00,0.00,1", "91,180,1,50000.00,0.00,1",
			"181,,1,60000.00,0.00,1")
		w.wantCSV("inventory?table=by_ownership", "ownership,"+columns, "floorplan,1,20000.00,15000.50,0", "owned,7,360000.00,80000.00,6")
		w.wantCSV("inventory?table=by_status&date_after=2026-12-01&date_before=2026-12-31", "status,"+columns,
			"available,1,30000.00,0.00,1", "not_for_sale,1,40000.00,0.00,1")
		w.wantCSV("inventory?table=by_status&location_id="+w.west, "status,"+columns, "available,1,70000.00,0.00,1")

		var r struct {
			Total, OnTheWay struct {
				Hulls       int64
				Price, Cost any
				WithoutCost *int64 `json:"without_cost"`
			}
			MedianDays int64 `json:"median_days"`
			Oldest     []struct {
				HullID      string `json:"hull_id"`
				StockNumber string `json:"stock_number"`
				Days        int64
			}
			Counts []reports.InventoryCount
		}
		s.Test.Get("/v2-preview/reports/inventory?location_id="+w.west+"&date_after=2026-12-01&date_before=2026-12-31", 200, &r)
		assert.Equal(t, r.Counts[2], reports.InventoryCount{Status: "available", Hulls: 1}, "regardless of the dates")
		assert.Len(t, r.Counts, 9)
		s.Test.Get("/v2-preview/reports/inventory", 200, &r)
		assert.Equal(t, r.Counts, []reports.InventoryCount{
			{Status: "on_order", Hulls: 1}, {Status: "in_transit", Hulls: 1}, {Status: "available", Hulls: 7}, {Status: "on_hold", Hulls: 0}, {Status: "sale_pending", Hulls: 0}, {Status: "sold", Hulls: 1}, {Status: "delivered", Hulls: 1},
			{Status: "not_for_sale", Hulls: 1}, {Status: "archived", Hulls: 1},
		})
		assert.Equal(t, r.Total.Hulls, 8)
		assert.Equal(t, r.MedianDays, 31)
		assert.Len(t, r.Oldest, 8)
		assert.Equal(t, r.Oldest[0].HullID, oldest)
		assert.Equal(t, r.Oldest[0].StockNumber, "GW-1")
		assert.Equal(t, r.Oldest[0].Days, 181)

		reader := s.As(s.Key(auth.HullsRead))
		reader.Get("/v2-preview/reports/inventory", 200, &r)
		assert.Equal(t, r.Total.Cost, nil, "without hulls:write")
		assert.Equal(t, r.Total.WithoutCost, nil, "without hulls:write")
		assert.Contains(t, csv(t, reader, "inventory"), "\n0,30,3,180000.00,,\n")
	})
}

// The stored total follows the costs of the pricing.
func TestInventoryFollowsCosts(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newWorld(t, s, "2027-03-01T06:30:00Z")
		id := w.hull(w.east, "2027-03-01", 100000, 8000000)
		for body, want := range map[string]string{
			`{"cost": {"invoice": {"amount": 100, "currency": "USD"}, "pack": {"amount": 20, "currency": "USD"},
				"rigging": {"amount": 3, "currency": "USD"}, "reconditioning": {"amount": 4, "currency": "USD"}}}`: "available,1,100000.00,1.27,0",
			`{"cost": {"freight": {"amount": 100, "currency": "USD"}}}`: "available,1,100000.00,0.00,1",
			`{"cost": null}`: "available,1,100000.00,0.00,1",
		} {
			s.Test.Patch("/v2-preview/hulls/"+id+"/pricing", body, 200, nil)
			w.wantCSV("inventory?table=by_status", "status,hulls,price_usd,cost_usd,without_cost", want)
		}
	})
}

// The migration calculates the same totals as the service.
func TestMigratedCosts(t *testing.T) {
	file, err := os.ReadFile("../../internal/platform/db/migrations/0037_reports.sql")
	if err != nil {
		t.Fatal(err)
	}
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newWorld(t, s, "2027-03-01T06:30:00Z")
		for _, body := range []string{`{"cost": {"invoice": {"amount": 100, "currency": "USD"}}}`, `{"cost": null}`,
			`{"cost": {"invoice": {"amount": 1, "currency": "USD"}, "freight": {"amount": 20, "currency": "USD"},
				"rigging": {"amount": 300, "currency": "USD"}, "pack": {"amount": 4000, "currency": "USD"},
				"reconditioning": {"amount": 50000, "currency": "USD"}}}`,
			`{"cost": {"freight": {"amount": 100, "currency": "USD"}}}`} {
			s.Test.Patch("/v2-preview/hulls/"+w.hull(w.east, "2027-03-01", 1000, 0)+"/pricing", body, 200, nil)
		}
		costs := func() []*int64 { return testkit.Rows[*int64](s, `SELECT cost_cents FROM hulls ORDER BY id`) }
		want := []*int64{new(int64(100)), nil, new(int64(54321)), nil}
		assert.Equal(t, costs(), want, "of the service")

		marker, statement := "{postgres}", ""
		if s.DB.SQLite() {
			marker = "{sqlite}"
		}
		for line := range strings.Lines(string(file)) {
			if sql, ok := strings.CutPrefix(line, marker); ok {
				statement += sql
			}
		}
		s.Exec(`UPDATE hulls SET cost_cents = NULL`)
		s.Exec(strings.TrimSuffix(strings.TrimSpace(statement), ";"))
		assert.Equal(t, costs(), want, "of the migration")
	})
}
