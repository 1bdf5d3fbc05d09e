package inventory

import (
	"fmt"
	"testing"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/imports"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// stock creates hulls with the stock numbers S-0, S-1 and so on.
func stock(s *testkit.Server, location string, n int) (ids []string) {
	for i := range n {
		ids = append(ids, s.Test.Hull(location, map[string]any{"stock_number": fmt.Sprintf("S-%d", i)}))
	}
	return ids
}

// stockFile returns a file with the hulls from one number to another.
func stockFile(from, to int) testkit.File {
	lines := []string{"Stock #,Price\n"}
	for i := from; i < to; i++ {
		lines = append(lines, fmt.Sprintf("S-%d,%d\n", i, 1000+i))
	}
	return csvFile(lines...)
}

func TestMissingHulls(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		ids := stock(s, s.Test.Location(), 10)
		elsewhere := s.Test.Hull(s.Test.Location(), map[string]any{"stock_number": "E-1"})
		s.Test.AcceptedDeal(map[string]any{"hull_id": ids[9]})
		status := func(id string) hulls.Status {
			var h hulls.Hull
			s.Test.Get("/v1/hulls/"+id, 200, &h)
			return h.Status
		}

		i := runImport(t, s, startImport(s, "?missing=report", stockFile(0, 8)))
		assert.Equal(t, i.State, "completed", assert.Show(i))
		assert.Equal(t, i.MissingCount, 2)
		assert.Equal(t, i.Archived, 0)
		assert.Equal(t, i.MissingHulls[0].HullID, ids[8])
		assert.Equal(t, status(ids[8]), hulls.Available)

		for _, query := range []string{"?missing=archive&dry_run=true", "?missing=archive&mode=atomic"} {
			i = runImport(t, s, startImport(s, query, stockFile(0, 8)))
			assert.Equal(t, i.State, "completed", query, assert.Show(i))
			assert.Equal(t, i.MissingCount, 2, query)
			assert.Equal(t, i.Archived, 1, query)
			assert.Equal(t, i.Unchanged, 8, query)
			assert.Equal(t, i.MissingHulls[0].Archived, true, query)
			assert.Equal(t, *i.MissingHulls[1].Message, "The hull belongs to an open deal. Close or cancel the deal first.", query)
		}
		assert.Equal(t, status(ids[8]), hulls.Archived)
		assert.Equal(t, status(ids[9]), hulls.SalePending, "a hull with a deal")
		assert.Equal(t, status(elsewhere), hulls.Available, "a hull of a location that the file doesn't have")
	})
}

// A file that was cut off must not archive the rest of the inventory.
func TestTooManyMissingHulls(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		stock(s, s.Test.Location(), 10)
		archived := func() int64 {
			return testkit.Rows[int64](s, `SELECT COUNT(*) FROM hulls WHERE status = 'archived'`)[0]
		}
		prices := func() int64 { return testkit.Rows[int64](s, `SELECT COUNT(*) FROM hulls WHERE price_usd < 2000`)[0] }

		for _, mode := range []string{"report", "archive"} {
			i := runImport(t, s, startImport(s, "?missing="+mode, stockFile(0, 6)))
			assert.Equal(t, i.State, "failed", mode)
			assert.Equal(t, *i.Problem,
				"4 of 10 hulls are missing from the file, which is more than 30 %. Nothing was imported. Send force=true to import it.", mode)
			assert.Equal(t, prices()+archived(), 0, mode)
		}
		wrong := runImport(t, s, startImport(s, "?missing=archive", csvFile("Stock #,HIN,Make,Model,Year,Length,Price,Location\n", importLine(1, s.Test.Location()))))
		assert.Equal(t, wrong.State, "failed", "a file without a single known hull")

		// A row that names no hull could be any of the missing ones.
		file := stockFile(0, 7)
		file.Bytes = append(file.Bytes, "S-7;1000\n"...)
		i := runImport(t, s, startImport(s, "?missing=archive", file))
		assert.Equal(t, i.MissingCount, 3)
		assert.Equal(t, i.Archived, 0)
		assert.Equal(t, i.Notes, []imports.HullImportNote{{Row: 0, Field: "missing", Code: "not_archived",
			Message: "Nothing was archived, because 1 rejected rows have no stock number or HIN"}})
		assert.Equal(t, archived(), 0)

		i = runImport(t, s, startImport(s, "?missing=archive&force=true", stockFile(0, 6)))
		assert.Equal(t, i.State, "completed")
		assert.Equal(t, i.Archived, 4)
		assert.Equal(t, archived(), 4)
	})
}

// The progress and the estimate follow the file.
func TestProgress(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := startImport(s, "", s.Test.ImportFile())
		var i imports.HullImport
		s.Test.Get("/v1/hull_imports/"+id, 200, &i)
		assert.Equal(t, i.ProgressPercent, 0)
		assert.Equal(t, i.EstimatedFinishAt, nil)

		start := s.DB.Now().UTC().Truncate(time.Second)
		s.StopClock(start.Add(10 * time.Second))
		s.Exec(`UPDATE hull_imports SET state = 'running', started_at = ?, bytes = 1000, bytes_done = 250 WHERE id = ?`, start, id)
		s.Test.Get("/v1/hull_imports/"+id, 200, &i)
		assert.Equal(t, i.ProgressPercent, 25)
		assert.Equal(t, *i.EstimatedFinishAt, start.Add(40*time.Second))
	})
}
