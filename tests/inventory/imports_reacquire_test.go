package inventory

import (
	"fmt"
	"testing"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/imports"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

// closedHulls creates an archived hull with the numbers of row 1, and a delivered
// hull with those of row 2.
func closedHulls(s *testkit.Server, location string) (archived, delivered string) {
	archived = s.Test.Hull(location, map[string]any{"stock_number": "IMP-1", "hin": "GRT00001B324"})
	s.Test.Post("/v1/hulls/"+archived+"/archive", nil, 200, nil)
	delivered = s.Test.Hull(location, map[string]any{"stock_number": "IMP-2", "hin": "GRT00002B324"})
	s.Test.DealIn("delivered", map[string]any{"hull_id": delivered})
	return archived, delivered
}

// The software of the dealer still has a delivered boat in its nightly file. The
// boat must not be for sale again in the morning.
func TestNightlyImportSellsNothingTwice(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		archived, delivered := closedHulls(s, loc)
		another := func(stock, hin string) string {
			return fmt.Sprintf("%s,%s,Grady-White,Freedom 235,2024,23.58,99000,%s\n", stock, hin, loc)
		}
		file := csvFile(importHeader, importLine(1, loc), importLine(2, loc), importLine(3, loc),
			another("NEW-4", "us-grt00002b324"), another("IMP-1", "GRT00005B324"),
			another("IMP-2", "")) // without the HIN that a new hull requires
		for _, query := range []string{"?dry_run=true", "?mode=atomic", "", "?mode=atomic"} {
			// The second row of a hull in the file is rejected, so it can't be part of an atomic import.
			rows := file
			if query != "" {
				rows = csvFile(importHeader, importLine(1, loc), importLine(2, loc), importLine(3, loc))
			}
			i := runImport(t, s, startImport(s, query, rows))
			assert.Equal(t, i.State, "completed", query)
			assert.Equal(t, i.Created+i.Updated+i.Unchanged, 1, query)
			assert.Equal(t, i.Rows, i.Created+i.Updated+i.Unchanged+i.Skipped+i.Failed, query)
			assert.Equal(t, i.SkippedRows[0], imports.HullImportSkip{
				Row: 2, Field: "hin", HullID: archived, Message: "is already used by " + archived + ", which is archived",
			}, query)
			assert.Equal(t, i.SkippedRows[1], imports.HullImportSkip{
				Row: 3, Field: "hin", HullID: delivered, Message: "is already used by " + delivered + ", which is delivered",
			}, query)
			assert.Equal(t, int64(len(i.SkippedRows)), i.Skipped, query)
		}
		assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM hulls WHERE status = 'available'`)[0], 1)
	})
}

// Each number alone is enough to recognize the boat. Errors in the rest of the row
// don't matter.
func TestEachNumberIdentifiesADeliveredBoat(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		archived, delivered := closedHulls(s, loc)
		i := runImport(t, s, startImport(s, "?location_id="+loc, csvFile("Stock #,HIN,Make,Model,Year,Length,Price\n",
			"NEW-1,us-grt00002b324,Grady-White,Freedom 235,2024,23.58,99000\n",
			"IMP-1,GRT00009B324,Grady-White,Freedom 235,2024,23.58,99000\n",
			"IMP-2,,,,,,\n")))
		assert.Equal(t, i.Skipped, 3)
		assert.Equal(t, i.Created, 0)
		assert.Len(t, i.SkippedRows, 3)
		for n, want := range []imports.HullImportSkip{
			{Row: 2, Field: "hin", HullID: delivered}, {Row: 3, Field: "stock_number", HullID: archived},
			{Row: 4, Field: "stock_number", HullID: delivered},
		} {
			got := i.SkippedRows[n]
			got.Message = ""
			assert.Equal(t, got, want)
		}

		// A file of prices that starts with a delivered boat is not a file of new boats.
		active := s.Test.Hull(loc, map[string]any{"stock_number": "IMP-3", "price_usd": 1000})
		i = runImport(t, s, startImport(s, "", csvFile("Stock #,Price\n", "IMP-2,2000\n", "IMP-3,2000\n")))
		assert.Equal(t, i.Skipped, 1)
		assert.Equal(t, i.Updated, 1)
		var h hulls.Hull
		s.Test.Get("/v1/hulls/"+active, 200, &h)
		assert.Equal(t, h.PriceUSD, 2000)
	})
}

// With reacquire, a boat that comes back refers to its earlier record.
func TestReacquiredBoatRefersToTheEarlierOne(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		_, delivered := closedHulls(s, loc)
		other := fmt.Sprintf("IMP-1,GRT00009B324,Lund,Tyee,2024,20,99000,%s\n", loc) // a number that is used for another boat
		for _, run := range []struct {
			query     string
			created   int64
			unchanged int64
		}{{"?reacquire=true&dry_run=true", 2, 0}, {"?reacquire=true", 2, 0}, {"?reacquire=true", 0, 2}, {"", 0, 2}} {
			i := runImport(t, s, startImport(s, run.query, csvFile(importHeader, other, importLine(2, loc))))
			assert.Equal(t, i.Created, run.created, run.query)
			assert.Equal(t, i.Unchanged, run.unchanged, run.query)
			assert.Equal(t, i.Skipped, 0, run.query)
		}

		var found page.Page[hulls.Hull]
		s.Test.Get("/v1/hulls?status=available", 200, &found)
		assert.Len(t, found.Data, 2)
		for _, h := range found.Data {
			want := map[string]*string{"IMP-2": &delivered}[*h.StockNumber]
			assert.Equal(t, h.PreviousHullID, want, *h.StockNumber)
		}

		// The HIN of an active boat is a duplicate, even if it was delivered before.
		again := fmt.Sprintf("NEW-7,GRT00002B324,Lund,Tyee,2024,20,99000,%s\n", loc)
		i := runImport(t, s, startImport(s, "", csvFile(importHeader, again)))
		assert.Equal(t, hasError(i, 2, "hin", "duplicate"), true)
		s.Test.Post("/v1/hull_imports?reacquire=yes", csvFile(importHeader, again), 422, nil).WantDetail(t, "reacquire", "type")
	})
}

// A boat of this model year that was delivered had an owner. It doesn't come back as new.
func TestReacquiredBoatIsUsed(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		closedHulls(s, loc)
		line := func(stock, hin string) string {
			return fmt.Sprintf("%s,%s,Grady-White,Freedom 235,%d,23.58,99000,%s\n", stock, hin, time.Now().Year(), loc)
		}
		runImport(t, s, startImport(s, "?reacquire=true", csvFile(importHeader, line("IMP-1", "GRT00001B324"), line("IMP-2", "GRT00002B324"))))
		var found page.Page[hulls.Hull]
		s.Test.Get("/v1/hulls?status=available", 200, &found)
		assert.Len(t, found.Data, 2)
		for _, h := range found.Data {
			want := map[string]hulls.Condition{"IMP-1": "new", "IMP-2": "used"}[*h.StockNumber]
			assert.Equal(t, h.Condition, want, *h.StockNumber)
		}
	})
}

// A used boat must not be advertised as new because the file doesn't say so.
func TestConditionWithoutAColumn(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		this := s.DB.Now().UTC().Year()
		want := map[string]string{}
		lines := []string{"stock_number,hin,make,model,length_ft,price_usd,year,Engine Hours,condition\n"}
		for n, row := range []struct {
			year             int
			hours, condition string
			want             string
		}{
			{this, "", "", "new"}, {this + 1, "", "", "new"}, {this, "0", "", "new"}, {this, "12.5", "", "used"}, {this + 1, "3 hrs", "", "used"},
			{this - 1, "", "", "used"}, {2009, "", "", "used"}, {this + 2, "", "", "used"},
			{2009, "", "new", "new"}, {this, "40", "demo", "demo"}, {this, "", "N", "new"},
		} {
			stock := fmt.Sprintf("C-%d", n)
			want[stock] = row.want
			lines = append(lines, fmt.Sprintf("%s,GRT%05dB324,Lund,Tyee,20,1000,%d,%s,%s\n", stock, n, row.year, row.hours, row.condition))
		}
		i := runImport(t, s, startImport(s, "?mode=atomic&location_id="+loc, csvFile(lines...)))
		assert.Equal(t, i.Created, int64(len(want)), i.Errors)
		assert.Equal(t, i.Columns["Engine Hours"], "hours")

		boat := func(n, year int, more string) string {
			return fmt.Sprintf(`{"stock_number": "J-%d", "make": "Lund", "model": "Tyee", "year": %d, "length_ft": 20, "price_usd": 1000, `+
				`"hin": "GRT%05dB325", "location_id": %q%s}`+"\n", n, year, n, loc, more)
		}
		want["J-1"], want["J-2"], want["J-3"] = "used", "used", "new"
		runImport(t, s, startImport(s, "", ndjsonFile(boat(1, 2015, ""), boat(2, this, `, "hours": 12`), boat(3, this, ""))))

		var all page.Page[hulls.Hull]
		s.Test.Get("/v1/hulls?limit=100", 200, &all)
		got := map[string]string{}
		for _, h := range all.Data {
			got[*h.StockNumber] = string(h.Condition)
		}
		assert.Equal(t, got, want)

		// A row without a condition doesn't change the one of a hull.
		runImport(t, s, startImport(s, "", csvFile("stock_number,hours\n", "C-0,55\n")))
		var h page.Page[hulls.Hull]
		s.Test.Get("/v1/hulls?q=C-0", 200, &h)
		assert.Equal(t, h.Data[0].Condition, "new")
		i = runImport(t, s, startImport(s, "", csvFile("stock_number,hours\n", "C-0,-1\n")))
		assert.Equal(t, hasError(i, 2, "hours", "minimum"), true)
	})
}
