package inventory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"slipway/internal/hulls"
	"slipway/internal/imports"
	"slipway/internal/photos"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/outbound"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

const importHeader = "Stock #,HIN,Make,Model,Year,Length,Price,Location\n"

// importLine returns a valid row.
func importLine(number int, location string) string {
	return fmt.Sprintf("IMP-%d,GRT%05dB324,Grady-White,Freedom 235,2024,23.58,\"$124,900\",%s\n", number, number, location)
}

func csvFile(lines ...string) testkit.File {
	return testkit.File{Type: "text/csv", Bytes: []byte(strings.Join(lines, ""))}
}

func ndjsonFile(parts ...string) testkit.File {
	return testkit.File{Type: "application/x-ndjson", Bytes: []byte(strings.Join(parts, ""))}
}

// importsAPI returns the API of the server's imports, to run jobs directly.
func importsAPI(s *testkit.Server) *imports.API {
	return &imports.API{DB: s.DB, Jobs: s.Jobs, Blobs: s.Blobs, Photos: outbound.New(5*time.Second, true)}
}

// startImport uploads a file and returns the ID of the import.
func startImport(s *testkit.Server, query string, file testkit.File) string {
	var i imports.HullImport
	s.Test.Post("/v1/hull_imports"+query, file, 202, &i)
	return i.ID
}

// runImport runs the job of an import and returns the import.
func runImport(t *testing.T, s *testkit.Server, id string) (i imports.HullImport) {
	t.Helper()
	if err := jobs.Run(t.Context(), importsAPI(s).RunImport, imports.RunImport{Env: s.Env("hull_imports", id), ImportID: id}); err != nil {
		t.Fatal(err)
	}
	s.Test.Get("/v1/hull_imports/"+id, 200, &i)
	return i
}

func count(s *testkit.Server, table string) int64 {
	return testkit.Rows[int64](s, `SELECT COUNT(*) FROM `+table)[0]
}

func hasError(i imports.HullImport, row int64, field, code string) bool {
	return slices.ContainsFunc(i.Errors, func(e imports.HullImportError) bool { return e.Row == row && e.Field == field && e.Code == code })
}

func TestImport(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		channel := s.Test.Channel(map[string]any{"auto_publish": true})
		existing := s.Test.Hull(loc, map[string]any{"stock_number": "IMP-1", "hin": "GRT00001B324", "price_usd": 100000, "title": "Kept"})
		lines := []string{importHeader}
		for n := range 230 { // more than a batch
			lines = append(lines, importLine(n+1, loc))
		}

		var queued imports.HullImport
		s.Test.Post("/v1/hull_imports", csvFile(lines...), 202, &queued)
		assert.Equal(t, queued.State, "queued")
		assert.Equal(t, queued.Rows, 230)
		assert.Equal(t, queued.Columns["Stock #"], "stock_number")
		assert.Len(t, queued.IgnoredColumns, 0)
		assert.Equal(t, queued.Format, "csv")
		assert.Equal(t, queued.Mode, "partial")
		i := runImport(t, s, queued.ID)
		assert.Equal(t, i.State, "completed")
		assert.Equal(t, i.Created, 229)
		assert.Equal(t, i.Updated, 1)
		assert.Equal(t, i.Failed, 0)
		assert.Equal(t, i.BytesDone, i.Bytes)
		if i.StartedAt == nil || i.FinishedAt == nil {
			t.Errorf("got started_at %v and finished_at %v, want both", i.StartedAt, i.FinishedAt)
		}

		runImport(t, s, queued.ID) // a second run changes nothing
		assert.Equal(t, count(s, "hulls"), 230)

		var h hulls.Hull
		s.Test.Get("/v1/hulls/"+existing, 200, &h)
		assert.Equal(t, h.PriceUSD, 124900, "the existing hull")
		assert.Equal(t, h.Title, new("Kept"), "the existing hull")
		assert.Equal(t, h.Make, "Grady-White", "the existing hull")
		var prices page.Page[hulls.PriceChange]
		s.Test.Get("/v1/hulls/"+existing+"/price_changes", 200, &prices)
		assert.Len(t, prices.Data, 2, "its price changes")
		assert.Equal(t, prices.Data[0].Reason, new("import "+i.ID), "its price changes")
		assert.Equal(t, prices.Data[0].Actor.Type, "api_key", "its price changes")

		// An imported hull has everything that a created one has.
		var found page.Page[hulls.Hull]
		s.Test.Get("/v1/hulls?q=imp-230", 200, &found)
		if len(found.Data) != 1 {
			t.Fatalf("got %s, want one hull", assert.Show(found))
		}

		h = found.Data[0]
		assert.Equal(t, h.LengthFt, 23.58)
		assert.Equal(t, h.HIN, new("GRT00230B324"))
		assert.Equal(t, h.Status, hulls.Available)
		assert.Equal(t, h.PublishedChannels, []string{channel})
		if h.ReceivedOn == nil {
			t.Error("got no received_on, want a date")
		}
		s.Test.Get("/v1/hulls/"+h.ID, 200, nil)
		events := s.EventTypes(h.ID)
		assert.Equal(t, events, []string{"hull.created", "hull.syndicated"})
		entries := testkit.Rows[int64](s, `SELECT COUNT(*) FROM audit_entries WHERE target_id = ? AND actor_type = 'api_key'`, h.ID)
		assert.Equal(t, entries[0], 2, "audit entries")
		for _, path := range []string{"/history", "/price_changes"} {
			var list page.Page[struct{ ID string }]
			s.Test.Get("/v1/hulls/"+h.ID+path, 200, &list)
			assert.Len(t, list.Data, 1, path)
		}
		completed := testkit.Rows[int64](s, `SELECT COUNT(*) FROM {emitted} WHERE type = 'import.completed' AND object_id = ?`, i.ID)
		assert.Equal(t, completed[0], 1, "import.completed events")
		if err := s.Photos().SweepBlobs(t.Context(), photos.SweepBlobs{}); err != nil || len(s.StoredFiles()) != 0 {
			t.Errorf("got error %v and files %v, want none", err, s.StoredFiles())
		}
	})
}

func TestImportFormats(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		s.Test.Patch("/v1/locations/"+loc, `{"code":"HE"}`, 200, nil)
		for name, c := range map[string]struct {
			query string
			file  testkit.File
		}{
			"semicolons, BOM, code": {"", csvFile("\ufeffStock #;Make;Model;Year;LOA;Price;Lot;HIN;Captain\r\n",
				"F-1;Bénéteau;First 27;2024;8,20;\"99.900,00\";he;ABC00001L495;Ahab\r\n")},
			"tabs, default location": {"?location_id=" + loc, csvFile("stock_number\tmake\tmodel\tyear\tlength_ft\tprice_usd\thin\n",
				"F-2\tLund\tTyee\t2024\t20\t1000\tABC00002L495\n")},
			"NDJSON": {"?location_id=" + loc, ndjsonFile(`{"stock_number":"F-3","make":"Lund","model":"Tyee","year":2024,"length_ft":20.5,`,
				`"price_usd":1000,"hin":"ABC00003L495","metadata":{"slip":"B1"},"boat_class":"power-bass"}`, "\n")},
			"CSV in a form": {"", testkit.Form(t, csvFile("stock_number,make,model,year,length_ft,price_usd,hin\n",
				"F-4,Lund,Tyee,2024,20,1000,ABC00004L495\n"), "location_id", loc, "mode", "atomic")},
			"NDJSON in a form": {"", testkit.Form(t, ndjsonFile(`{"stock_number":"F-5","make":"Lund","model":"Tyee","year":2024,`,
				`"length_ft":20.5,"price_usd":1000,"status":"on_order"}`), "location_id", loc, "dry_run", "false")},
		} {
			i := runImport(t, s, startImport(s, c.query, c.file))
			assert.Equal(t, i.State, "completed", name)
			assert.Equal(t, i.Created, 1, name)
			assert.Equal(t, i.Failed, 0, name)
		}

		var list page.Page[hulls.Hull]
		s.Test.Get("/v1/hulls?q=beneteau", 200, &list)
		h := list.Data[0]
		assert.Equal(t, h.LengthFt, 8.2)
		assert.Equal(t, h.PriceUSD, 99900)
		assert.Equal(t, h.LocationID, loc)

		// NDJSON can clear a field. An empty cell changes nothing.
		clear := ndjsonFile(`{"stock_number":"F-3","boat_class":null,"metadata":{"slip":null,"dock":"4"}}`)
		i := runImport(t, s, startImport(s, "", clear))
		s.Test.Get("/v1/hulls?q=f-3", 200, &list)
		h = list.Data[0]
		assert.Equal(t, i.Updated, 1)
		assert.Equal(t, h.BoatClass, nil)
		assert.Equal(t, h.Metadata["dock"], "4")
		assert.Equal(t, len(h.Metadata), 1)

		// A row of an existing hull needs only the changed fields. Its status follows the rules of transitions.
		i = runImport(t, s, startImport(s, "", csvFile("stock_number,price_usd,status\nF-1,88000,not for sale\nF-2,,sold\nF-5,,\n")))
		s.Test.Get("/v1/hulls?q=f-1", 200, &list)
		h = list.Data[0]
		assert.Equal(t, h.PriceUSD, 88000)
		assert.Equal(t, h.Status, hulls.NotForSale)
		assert.Equal(t, i.Updated, 1)
		assert.Equal(t, i.Unchanged, 1)
		if i.Failed != 1 || !hasError(i, 3, "to", "state") {
			t.Errorf("got %s, want an error in row 3: to (state)", assert.Show(i))
		}
	})
}

// All errors of a row are reported. Valid rows are imported.
func TestImportErrors(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		s.Test.Hull(loc, map[string]any{"hin": "ABC12345L495"})
		lines := []string{
			importHeader,
			importLine(1, loc), // row 2
			"IMP-2,BAD,Grady-White,,1800,-1,much," + loc + "\n",
			"IMP-3,short\n",
			importLine(1, loc),
			"IMP-5,GRT00005B324," + strings.Repeat("x", 1<<20) + ",M,2024,20,1000," + loc + "\n",
			"IMP-6,GRT00006B324,Make,Model,2024,20,1000,loc_nowhere\n",
			"IMP-7,ABC12345L495,Make,Model,2024,20,1000," + loc + "\n",
			"IMP-8,,Make,Model,2024,20,1000," + loc + "\n",
			"IMP-9,US-GRT00001B324,Make,Model,2024,20,1000," + loc + "\n",
			"\n",
			importLine(10, loc), // row 12
		}

		for _, mode := range []string{"?dry_run=true", "?mode=atomic", "", "?mode=atomic&dry_run=true"} {
			before := count(s, "hulls")
			i := runImport(t, s, startImport(s, mode, csvFile(lines...)))
			assert.Equal(t, i.Failed, 8, mode)
			assert.Equal(t, i.Rows, 10, mode)
			for _, e := range []struct {
				row         int64
				field, code string
			}{
				{3, "price_usd", "type"}, {4, "row", "columns"}, {5, "stock_number", "duplicate"}, {5, "hin", "duplicate"}, {6, "row", "too_long"},
				{7, "location_id", "not_found"}, {8, "hin", "duplicate"}, {9, "hin", "required"}, {10, "hin", "duplicate"},
			} {
				if !hasError(i, e.row, e.field, e.code) {
					t.Errorf("%s: got %+v, want an error in row %d: %s (%s)", mode, i.Errors, e.row, e.field, e.code)
				}
			}
			added, state := int64(0), "completed"
			if mode == "" {
				added = 2
			}
			if strings.Contains(mode, "atomic") {
				state = "failed"
			}
			assert.Equal(t, count(s, "hulls")-before, added, mode, "hulls")
			assert.Equal(t, string(i.State), state, mode)
			if mode == "?mode=atomic" && (i.Created != 0 || i.Problem == nil || count(s, "hull_import_rows") != 0) {
				t.Errorf("got %s, want nothing created, a problem and no pending rows", assert.Show(i))
			}
		}

		i := runImport(t, s, startImport(s, "?location_id="+loc, ndjsonFile(
			`{"make":"A","model":"B","year":2024,"length_ft":20,"price_usd":1000,"hin_absent_reason":"homebuilt_pending"}`+"\n",
			`{"make":"","model":7,"year":"2024","length_ft":0,"price_usd":1.5,"color":"red","hin":"x"}`+"\n",
			`{"make":"A","make":"B"}`+"\n",
			"not JSON\n",
		)))
		for _, e := range [][2]string{
			{"make", "too_short"}, {"model", "type"}, {"year", "type"},
			{"length_ft", "minimum"}, {"price_usd", "type"}, {"color", "unknown_field"},
		} {
			if !hasError(i, 2, e[0], e[1]) {
				t.Errorf("NDJSON: got %+v, want an error in row 2: %s (%s)", i.Errors, e[0], e[1])
			}
		}
		if i.Created != 1 || i.Failed != 3 || !hasError(i, 3, "row", "malformed") || !hasError(i, 4, "row", "malformed") {
			t.Errorf("NDJSON: got %s, want 1 created, 3 failed, rows 3 and 4 malformed", assert.Show(i))
		}
	})
}

// Errors of the whole file are returned immediately, and nothing is stored.
func TestInvalidFiles(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		valid := csvFile(importHeader, importLine(1, loc))
		for name, c := range map[string]struct {
			query       string
			file        testkit.File
			status      int
			field, code string
		}{
			"empty":              {"", csvFile(), 422, "file", "empty"},
			"only a header":      {"", csvFile(importHeader), 422, "file", "empty"},
			"no header":          {"", csvFile("1,2\n3,4\n"), 422, "file", "header"},
			"missing columns":    {"", csvFile("stock_number,make,model\nA,B,C\n"), 400, "file", "required"},
			"no location":        {"", csvFile("make,model,year,length_ft,price_usd\nA,B,2024,20,1\n"), 400, "file", "required"},
			"not UTF-8":          {"?charset=utf-8", csvFile(importHeader, "A,B,B\xe9n\xe9teau,C,2024,20,1,x\n"), 422, "file", "encoding"},
			"NUL":                {"", csvFile(importHeader, "A,B\x00,C,2024,20,1,x\n"), 422, "file", "encoding"},
			"cut off workbook":   {"", csvFile("PK\x03\x04\x14\x00\x06\x00"), 422, "file", "malformed"},
			"old workbook":       {"", csvFile("\xd0\xcf\x11\xe0\xa1\xb1"), 422, "file", "format"},
			"charset":            {"?charset=klingon", valid, 422, "charset", "enum"},
			"map of no field":    {"?map=Make:color", valid, 422, "map", "enum"},
			"map of no column":   {"?map=Mfg:make", valid, 422, "map", "not_found"},
			"map without fields": {"?map=Make", valid, 422, "map", "format"},
			"map in JSON":        {"", testkit.Form(t, valid, "map", `{"Make":1}`), 422, "map", "format"},
			"missing":            {"?missing=delete", valid, 422, "missing", "enum"},
			"force":              {"?force=1", valid, 422, "force", "type"},
			"mode":               {"?mode=sometimes", valid, 422, "mode", "enum"},
			"dry run":            {"?dry_run=maybe", valid, 422, "dry_run", "type"},
			"location":           {"?location_id=loc_nowhere", valid, 422, "location_id", "not_found"},
			"type":               {"", testkit.File{Type: "application/vnd.ms-excel", Bytes: valid.Bytes}, 415, "Content-Type", "enum"},
			"form field":         {"", testkit.Form(t, valid, "mode", "partial", "color", "red"), 422, "color", "unknown_field"},
			"NDJSON with arrays": {"", testkit.File{Type: "application/x-ndjson", Bytes: []byte("[]\n")}, 422, "file", "malformed"},
		} {
			s.Test.Post("/v1/hull_imports"+c.query, c.file, c.status, nil).WantDetail(t, c.field, c.code, name)
		}

		if files := s.StoredFiles(); len(files) > 0 || count(s, "hull_imports")+count(s, "loose_blobs") > 0 {
			t.Errorf("got files %v, %d imports and %d loose blobs, want none", files, count(s, "hull_imports"), count(s, "loose_blobs"))
		}

		c := s.Test.With("Idempotency-Key", uuid.NewString())
		first, again := c.Post("/v1/hull_imports", valid, 202, nil), c.Post("/v1/hull_imports", valid, 202, nil)
		assert.Equal(t, string(first.Bytes), string(again.Bytes))
		assert.Len(t, s.StoredFiles(), 1)
		assert.Equal(t, count(s, "hull_imports"), 1)
	})
}

// If a run crashes, the next one continues. No row is lost or imported twice.
func TestImportAfterCrash(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		for n, mode := range []string{"partial", "atomic"} {
			lines := []string{importHeader}
			for i := range 230 {
				lines = append(lines, importLine(10_000*(n+1)+i, loc))
			}
			lines = append(lines, importLine(10_000*(n+1)+50, loc)) // the same as a row that was read before the crash
			if mode == "atomic" {
				lines = lines[:len(lines)-1]
			}

			before := count(s, "hulls")
			id := startImport(s, "?mode="+mode, csvFile(lines...))
			job := imports.RunImport{Env: s.Env("hull_imports", id), ImportID: id}
			for range 2 - n {
				// The process crashes when it begins its third transaction.
				ctx, crash := context.WithCancel(t.Context())
				transactions := 3
				now := s.DB.Now
				s.DB.Now = func() time.Time {
					if transactions--; transactions == 0 {
						crash()
					}
					return now()
				}
				err := jobs.Run(ctx, importsAPI(s).RunImport, job)
				s.DB.Now = now
				if err == nil || ctx.Err() == nil { // each database reports a cancellation in its own words
					t.Fatalf("got %v, want an error after the crash", err)
				}
			}

			var i imports.HullImport
			s.Test.Get("/v1/hull_imports/"+id, 200, &i)
			assert.Equal(t, i.State, "running", "after the crash")
			s.Advance(3 * time.Minute)

			jobs := count(s, "river_job")
			for range 2 {
				if err := importsAPI(s).ResumeImports(t.Context(), imports.ResumeImports{}); err != nil {
					t.Fatal(err)
				}
			}
			assert.Equal(t, count(s, "river_job")-jobs, 1, "queued runs")
			i = runImport(t, s, id)
			duplicates := int64(map[string]int{"partial": 1}[mode])
			assert.Equal(t, i.State, "completed", mode)
			assert.Equal(t, i.Created, 230, mode)
			assert.Equal(t, i.Failed, duplicates, mode)
			assert.Equal(t, count(s, "hulls")-before, 230, mode, "hulls")
			if mode == "partial" && !hasError(i, 232, "stock_number", "duplicate") {
				t.Errorf("got %+v, want an error in row 232: stock_number (duplicate)", i.Errors)
			}
		}
	})
}

// Concurrent runs of an import import each row once.
func TestConcurrentRuns(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		lines := []string{importHeader}
		for i := range 230 {
			lines = append(lines, importLine(i, loc))
		}
		id := startImport(s, "", csvFile(lines...))
		env := s.Env("hull_imports", id)
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if err := jobs.Run(t.Context(), importsAPI(s).RunImport, imports.RunImport{Env: env, ImportID: id}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		i := runImport(t, s, id)
		assert.Equal(t, i.State, "completed")
		assert.Equal(t, i.Created, 230)
		assert.Equal(t, i.Failed, 0)
		assert.Equal(t, count(s, "hulls"), 230)
	})
}

// The job queue runs the import.
func TestImportJobRuns(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunJobs()
		id := startImport(s, "", s.Test.ImportFile())
		assert.Eventually(t, "completed", func() bool {
			var i imports.HullImport
			s.Test.Get("/v1/hull_imports/"+id, 200, &i)
			return i.State == "completed" && i.Created == 1
		})
	})
}
