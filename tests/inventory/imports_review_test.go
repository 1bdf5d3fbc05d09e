package inventory

import (
	"testing"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/imports"
	"slipway/internal/platform/jobs"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

const reviewFile = "Stock #,HIN,Make,Model,Year,LOA,Asking,Location,Status,Total Cost,Freight\n" +
	"R-1,GRT40912B324,Grady-White,Freedom 235,2024,23' 7\",$149.9k,HE,Dock,121400,2100\n" +
	"R-2,GRT40913B324,Grady-White,Seafarer,20222,22,34500,Harbor,In Stock,,\n" +
	"R-3,NTL,Hinckley,Pilot 35,1969,35,88000,HE,In Stock,,\n" +
	"R-4,GRT40912B324,Grady-White,Freedom 235,2024,23.58,149900,HE,In Stock,,\n"

// checkAgain runs the job of an import that was restarted.
func checkAgain(t *testing.T, s *testkit.Server, id string) imports.HullImport {
	t.Helper()
	return runImport(t, s, id)
}

// A file without a column for the price is checked. A person assigns the column and the words,
// repairs rows, starts the import, and sees that the file and the inventory agree. The next file
// with the same columns is read in the same way.
func TestReviewedImport(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		harborEast(s)
		var reading imports.HullImportReading
		s.Test.Post("/v1/hull_imports?dry_run=true", csvFile(reviewFile), 400, nil).WantDetail(t, "file", "required", "without a review")
		i := runImport(t, s, startImport(s, "?review=true", csvFile(reviewFile)))
		assert.Equal(t, i.DryRun, true)
		assert.Equal(t, i.Failed, 4)
		path := "/v2-preview/hull_imports/" + i.ID
		s.Test.Get(path+"/reading", 200, &reading)
		assert.Equal(t, reading.MissingFields, []string{"price_usd"})
		column := func(name string) int {
			for n, c := range reading.Columns {
				if c.Name == name {
					return n
				}
			}
			t.Fatalf("no column %s", name)
			return 0
		}
		asking := reading.Columns[column("Asking")]
		assert.Equal(t, asking.Guess, new("price_usd"))
		assert.Equal(t, asking.Samples, []string{"$149.9k", "34500", "88000"})
		assert.Equal(t, asking.Readings[0], "149900")
		assert.Equal(t, reading.Columns[column("Status")].Unknown[0].Word, "Dock")
		assert.Equal(t, reading.Columns[column("Location")].Unknown[0].Word, "Harbor")
		assert.Equal(t, *reading.Columns[column("Total Cost")].Note, "Contains the other costs. The invoice is the rest of it.")

		s.Test.Put(path+"/reading", `{"map":{"Asking":"color"}}`, 422, nil).WantDetail(t, "map", "enum", "unknown field")
		s.Test.Put(path+"/reading", `{"map":{},"words":{"make":{"GW":"Grady-White"}}}`, 422, nil).WantDetail(t, "words", "enum", "words of a make")
		s.Test.Put(path+"/reading", `{"map":{"Asking":"price_usd"},"words":{"status":{"Dock":"not_for_sale"}}}`, 200, &i)
		assert.Equal(t, i.State, "queued")
		s.Test.Post(path+"/start", nil, 409, nil)
		i = checkAgain(t, s, i.ID)
		assert.Equal(t, i.Created, 1)
		assert.Equal(t, i.Failed, 3, assert.Show(i.Errors))

		var rows imports.HullImportRows
		s.Test.Get(path+"/rows", 200, &rows)
		assert.Len(t, rows.Rows, 3)
		assert.Equal(t, rows.Ready, 1)
		broken := rows.Rows[0]
		assert.Equal(t, broken.Row, 3)
		assert.Equal(t, broken.Errors[0].Field, "year")
		assert.Equal(t, broken.Errors[0].Suggestion, new("2022"))

		repair := func(n int, status int, change func(cells []string), fields map[string]string) (r imports.HullImportRow) {
			cells := append([]string{}, rows.Rows[n].Cells...)
			change(cells)
			s.Test.Put(path+"/rows/"+assert.Show(rows.Rows[n].Row), map[string]any{"cells": cells, "fields": fields}, status, &r)
			return r
		}
		r := repair(0, 200, func(c []string) { c[4] = "2022" }, nil)
		assert.Equal(t, r.Errors[0].Field, "location_id", "one of two is repaired")
		r = repair(0, 200, func(c []string) { c[4], c[7] = "2022", "HE" }, nil)
		assert.Len(t, r.Errors, 0)
		r = repair(1, 200, func(c []string) { c[1] = "" }, map[string]string{"hin_absent_reason": "pre_1972"})
		assert.Len(t, r.Errors, 0, assert.Show(r.Errors))
		r = repair(2, 200, func(c []string) { c[6] = "150000" }, nil)
		assert.Equal(t, r.Errors[0].Code, "duplicate", "the number that another row has")
		s.Test.Put(path+"/rows/3", `{"cells":["A"]}`, 422, nil).WantDetail(t, "cells", "columns", "too few cells")
		s.Test.Put(path+"/rows/2", map[string]any{"cells": rows.Rows[0].Cells}, 404, nil)
		s.Test.Get(path+"/rows", 200, &rows)
		assert.Equal(t, rows.Ready, 3)
		assert.Equal(t, rows.Rows[0].Repaired, true)

		s.Test.Post(path+"/start", nil, 200, &i)
		assert.Equal(t, i.DryRun, false)
		i = checkAgain(t, s, i.ID)
		assert.Equal(t, i.Created, 3, assert.Show(i.Errors))
		assert.Equal(t, i.Failed, 1)
		assert.Equal(t, byStock(s)["R-1"].Status, hulls.NotForSale)
		assert.Equal(t, byStock(s)["R-2"].Year, 2022)
		s.Test.Put(path+"/rows/3", map[string]any{"cells": rows.Rows[0].Cells}, 409, nil)

		var c imports.HullImportReconciliation
		s.Test.Get(path+"/reconciliation", 200, &c)
		assert.Equal(t, c.Agrees, false, "a row was skipped")
		assert.Equal(t, c.Boats, imports.HullImportCount{Name: "boats", File: 4, Slipway: 3})
		type money struct{ Amount int64 }
		type both struct{ File, Slipway money }
		var sums struct{ Prices, Costs both }
		s.Test.Get(path+"/reconciliation", 200, &sums)
		assert.Equal(t, sums.Prices, both{money{42240000}, money{27240000}})
		assert.Equal(t, sums.Costs, both{money{12140000}, money{12140000}})
		assert.Equal(t, c.Differences, []imports.HullImportDifference{{Row: 5, Field: "row"}})

		s.Test.Put("/v1/hulls/"+byStock(s)["R-3"].ID+"/pricing", `{"price_usd":80000,"price_type":"sale"}`, 200, nil)
		s.Test.Get(path+"/reconciliation", 200, &c)
		assert.Equal(t, c.Differences[0].File, "88000.00", "counted again from the stored boats")

		again := runImport(t, s, startImport(s, "?review=true", csvFile(reviewFile)))
		assert.Equal(t, again.Map, map[string]string{"Asking": "price_usd"})
		assert.Equal(t, again.Words["status"]["Dock"], "not_for_sale")
		assert.Equal(t, s.EventTypes(i.ID), []string{
			"import.created", "import.failed", "import.restarted", "import.completed", "import.repaired", "import.repaired", "import.repaired",
			"import.repaired", "import.restarted", "import.completed",
		})
	})
}

// The file of a check is deleted after 30 days.
func TestOldReview(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		harborEast(s)
		i := runImport(t, s, startImport(s, "?review=true", csvFile(reviewFile)))
		expire := func() {
			assert.NoError(t, jobs.Run(t.Context(), importsAPI(s).ResumeImports, imports.ResumeImports{}))
		}
		s.Advance(29 * 24 * time.Hour)
		expire()
		s.Test.Get("/v2-preview/hull_imports/"+i.ID+"/reading", 200, nil)
		s.Advance(25 * time.Hour)
		expire()
		s.Test.Get("/v2-preview/hull_imports/"+i.ID+"/reading", 409, nil)
		assert.Equal(t, count(s, "loose_blobs"), 1)

		for query, want := range map[string][2]string{
			"?review=true&mode=atomic": {"mode", "exclusive"}, "?review=yes": {"review", "type"}, "?words=x": {"words", "format"},
		} {
			s.Test.Post("/v1/hull_imports"+query, csvFile(reviewFile), 422, nil).WantDetail(t, want[0], want[1], query)
		}
		s.Test.Get("/v2-preview/hull_imports/"+startImport(s, "?dry_run=true&map=Asking:price_usd", csvFile(reviewFile))+"/reading", 409, nil)
	})
}
