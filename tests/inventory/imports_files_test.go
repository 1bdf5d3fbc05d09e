package inventory

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/imports"
	"slipway/internal/photos"
	"slipway/internal/platform/jobs"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

func readFile(t *testing.T, name string) testkit.File {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return csvFile(string(text))
}

// byStock returns all hulls by their stock number.
func byStock(s *testkit.Server) map[string]hulls.Hull {
	var list page.Page[hulls.Hull]
	s.Test.Get("/v1/hulls?limit=100", 200, &list)
	found := map[string]hulls.Hull{}
	for _, h := range list.Data {
		found[*h.StockNumber] = h
	}
	return found
}

// harborEast creates a location with a code and a name.
func harborEast(s *testkit.Server) string {
	loc := s.Test.Location()
	s.Test.Patch("/v1/locations/"+loc, `{"code":"HE"}`, 200, nil)
	return loc
}

// Files of Excel and of dealer software are imported completely, twice.
func TestFilesOfPrograms(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := harborEast(s)
		for _, c := range []struct {
			name, query, encoding string
			rows                  int64
		}{
			{"program-a.csv", "", "utf-8", 4},
			{"program-b.txt", "", "utf-8", 3},
			{"program-c.csv", "", "utf-8", 3},
			{"excel-csv-utf-8.csv", "", "utf-8", 2},
			{"excel-csv.csv", "", "windows-1252", 2},
			{"excel-csv-semicolons.csv", "", "windows-1252", 2},
			{"excel-unicode-text.txt", "", "utf-16le", 2},
			{"excel-utf-16be.csv", "", "utf-16be", 2},
			{"excel-csv-macintosh.csv", "?charset=macintosh", "macintosh", 2},
		} {
			if strings.HasPrefix(c.name, "excel") {
				s.Exec(`UPDATE hulls SET stock_number = id, hin = NULL WHERE stock_number LIKE 'XL-%'`)
			}
			for _, count := range []func(imports.HullImport) int64{
				func(i imports.HullImport) int64 { return i.Created }, func(i imports.HullImport) int64 { return i.Unchanged },
			} {
				i := runImport(t, s, startImport(s, c.query, readFile(t, c.name)))
				assert.Equal(t, i.State, "completed", c.name, assert.Show(i.Errors))
				assert.Equal(t, count(i), c.rows, c.name, assert.Show(i.Errors))
				assert.Equal(t, string(i.Encoding), c.encoding, c.name)
				assert.Equal(t, i.ProgressPercent, 100, c.name)
			}
			if strings.HasPrefix(c.name, "excel") {
				h := byStock(s)["XL-1"]
				assert.Equal(t, h.Make, "Zöllner", c.name)
				assert.Equal(t, h.Model, "Größe 24 – “Élan”", c.name)
				assert.Equal(t, h.ReceivedOn, new("2024-03-04"), c.name)
				assert.Equal(t, byStock(s)["XL-2"].LengthFt, 26.9, c.name)
			}
		}

		found := byStock(s)
		boat := found["GW-2201"]
		assert.Equal(t, boat.LengthFt, 23.58)
		assert.Equal(t, boat.PriceUSD, 139900, "the web price")
		assert.Equal(t, boat.MSRPUSD, new(int64(151250)))
		assert.Equal(t, boat.BoatClass, new(hulls.BoatClass("power-dualconsole")))
		assert.Equal(t, boat.LocationID, loc)
		assert.Equal(t, found["PC-118"].PriceUSD, 48500, "the web price is 0")
		assert.Equal(t, found["GW-2305"].Status, hulls.OnOrder)
		assert.Equal(t, found["S-78"].Category, "sail")
		assert.Equal(t, found["S-77"].LengthFt, 42.22)
		assert.Equal(t, found["10444"].PriceUSD, 61901, "rounded")

		var pricing hulls.HullPricing
		s.Test.Get("/v1/hulls/"+boat.ID+"/pricing", 200, &pricing)
		assert.Equal(t, *pricing.Cost, hulls.HullCost{
			InvoiceCents: new(int64(11240550)), FreightCents: new(int64(210000)), RiggingCents: new(int64(185000)),
		})
		var specs hulls.HullSpecs
		s.Test.Get("/v1/hulls/"+found["10442"].ID+"/specs", 200, &specs)
		assert.Len(t, *specs.Engines, 2)
		assert.Equal(t, (*specs.Engines)[1].Serial, new("3B111223"))
		assert.Equal(t, (*specs.Engines)[1].Fuel, new(hulls.EngineFuel("gas")))
		assert.Equal(t, specs.BeamFt, new(9.33))
		assert.Equal(t, specs.HullColor, new("Ice Blue"))
		s.Test.Get("/v1/hulls/"+found["PC-118"].ID+"/specs", 200, &specs)
		assert.Equal(t, specs.Trailer.VIN, new("1A9BT2529JA123456"))
		assert.Equal(t, (*specs.Engines)[0].Hours, new(188.5))
		assert.Equal(t, s.EventTypes(found["PC-118"].ID), []string{"hull.created", "hull.specs_replaced"})
	})
}

// An import changes only the parts of the pricing and the specifications that it has.
func TestImportKeepsOtherParts(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		hull := s.Test.Hull(harborEast(s), map[string]any{"stock_number": "A-1"})
		s.Test.Put("/v1/hulls/"+hull+"/pricing", `{"price_usd":5000,"cost":{"invoice_cents":400000,"pack_cents":1000},"msrp_usd":7000}`, 200, nil)
		s.Test.Put("/v1/hulls/"+hull+"/specs", `{"cabins":2,"engines":[{"make":"Yamaha","hp":300},{"make":"Yamaha","hp":300}],"trailer":{"axles":2}}`, 200, nil)

		const file = "Stock #,Freight,Engine Hours,Trailer VIN,MSRP\nA-1,$12.50,10,ABC,0\n"
		i := runImport(t, s, startImport(s, "", csvFile(file)))
		assert.Equal(t, i.Updated, 1, assert.Show(i))
		i = runImport(t, s, startImport(s, "", csvFile(file)))
		assert.Equal(t, i.Unchanged, 1, assert.Show(i))

		var pricing hulls.HullPricing
		s.Test.Get("/v1/hulls/"+hull+"/pricing", 200, &pricing)
		assert.Equal(t, *pricing.Cost, hulls.HullCost{InvoiceCents: new(int64(400000)), PackCents: new(int64(1000)), FreightCents: new(int64(1250))})
		assert.Equal(t, pricing.PriceUSD, 5000)
		assert.Equal(t, pricing.MSRPUSD, new(int64(7000)))
		var specs hulls.HullSpecs
		s.Test.Get("/v1/hulls/"+hull+"/specs", 200, &specs)
		assert.Equal(t, specs.Cabins, new(int64(2)))
		assert.Equal(t, specs.Trailer.Axles, new(int64(2)))
		assert.Equal(t, (*specs.Engines)[1].Hours, new(10.0))
		assert.Equal(t, specs.TotalPowerHP, new(600.0))

		i = runImport(t, s, startImport(s, "", csvFile("Stock #,Invoice,HP,Number of Engines\nA-1,-5,-1,99\n")))
		for field, code := range map[string]string{"invoice_usd": "minimum", "engine_hp": "minimum", "engine_count": "type"} {
			assert.Equal(t, hasError(i, 2, field, code), true, field, assert.Show(i.Errors))
		}
	})
}

// Columns can be assigned to fields in a parameter and in a form.
func TestMappedColumns(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		harborEast(s)
		const file = "No,Maker,Type of boat,Yr,Feet,Our Best Price,Where,HIN\n%s,Lund,Tyee,2024,20,1000,he,%s\n"
		i := runImport(t, s, startImport(s, "?map=No:stock_number,Maker:make,Type%20of%20boat:model,feet:length_ft,Our%20Best%20Price:price_usd,Where:location_id",
			csvFile(fmt.Sprintf(file, "M-1", "ABC00001L495"))))
		assert.Equal(t, i.Created, 1, assert.Show(i))
		assert.Equal(t, i.Columns["Type of boat"], "model")
		form := testkit.Form(t, csvFile(fmt.Sprintf(file, "M-2", "ABC00002L495")), "map",
			`{"No":"stock_number","Maker":"make","Type of boat":"model","Feet":"length_ft","Our Best Price":"price_usd","Where":"location_id","Yr":"year"}`)
		i = runImport(t, s, startImport(s, "", form))
		assert.Equal(t, i.Created, 1, assert.Show(i))
	})
}

// How a value was read is noted, and all rejected rows are in a file that can be
// corrected and imported.
func TestNotesAndErrorsAsCSV(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		harborEast(s)
		lines := []string{"Stock #,HIN,Make,Model,Year,Length,Price,Location,Received\n",
			"N-1,ABC00001L495,Lund,Tyee,2024,20,1000.40,HE,3/4/24\n", "N-2,ABC00002L495,Lund,Tyee,2024,20,1000,HE,3/14/24\n"}
		for n := range 1200 {
			lines = append(lines, fmt.Sprintf("B-%d,ABC%05dL495,\"Lund, Inc.\",=cmd,2024,long,1000,HE,\n", n, 10+n))
		}
		lines = append(lines, "short\n")
		i := runImport(t, s, startImport(s, "", csvFile(lines...)))
		assert.Equal(t, i.State, "completed")
		assert.Equal(t, i.Failed, 1201)
		assert.Equal(t, i.Noted, 1)
		assert.Len(t, i.Errors, 1000)
		assert.Equal(t, i.Notes, []imports.HullImportNote{
			{Row: 2, Field: "price_usd", Code: "rounded", Message: `"1000.40" was rounded to 1000`},
			{Row: 2, Field: "received_on", Code: "ambiguous", Message: `"3/4/24" was read as 2024-03-04, with the month first`},
		})

		res := s.Test.With("Accept", "text/csv").Get("/v2-preview/hull_imports/"+i.ID+"/errors", 200, nil)
		rows, err := csv.NewReader(strings.NewReader(string(res.Bytes))).ReadAll()
		if err != nil || len(rows) != 1202 {
			t.Fatalf("got %d rows and error %v, want the header and 1201 rows", len(rows), err)
		}
		assert.Equal(t, rows[0][:4], []string{"row", "problem", "Stock #", "HIN"})
		assert.Equal(t, rows[1][:6], []string{"4", "length_ft must be a length such as 23.5, 23' 6\" or 7.1 m", "B-0", "ABC00010L495", "Lund, Inc.", "'=cmd"})
		assert.Contains(t, string(res.Bytes), "\n1204,\"row has 1 cells, but the header has 9\",short,,,,,,,,\n")

		var p, back page.Page[imports.HullImportError]
		path := "/v2-preview/hull_imports/" + i.ID + "/errors?limit=100"
		listed := 0
		for next := path; next != ""; {
			p.NextCursor = nil
			s.Test.Get(next, 200, &p)
			assert.Equal(t, p.Data[0].Row, int64(4+listed), "in order")
			listed += len(p.Data)
			if next = ""; p.NextCursor != nil {
				next = path + "&starting_after=" + *p.NextCursor
			}
		}
		assert.Equal(t, listed, 1201)
		s.Test.Get(path+"&ending_before="+*p.PrevCursor, 200, &back)
		assert.Len(t, back.Data, 100)
		assert.Equal(t, back.Data[99].Row, p.Data[0].Row-1)
		s.Test.Get(path+"&starting_after=x", 400, nil).WantDetail(t, "starting_after", "cursor")

		// An import without a valid row has failed.
		i = runImport(t, s, startImport(s, "", csvFile(lines[0], lines[3], lines[4])))
		assert.Equal(t, i.State, "failed")
		assert.Equal(t, i.Problem, new("All rows were rejected."))
		for _, accept := range []string{"text/csv", "application/json"} {
			s.Test.With("Accept", accept).Get("/v2-preview/hull_imports/imp_none/errors", 404, nil)
		}
	})
}

// Photos are downloaded in their order, once.
func TestPhotosOfRows(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		pictures := map[string][]byte{"/1.png": testkit.Picture().Bytes, "/2.png": testkit.Picture().Bytes}
		var mu sync.Mutex
		requests := map[string]int{}
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			requests[r.URL.Path]++
			switch {
			case r.URL.Path == "/moved.png":
				http.Redirect(w, r, "/2.png", http.StatusFound)
			case r.URL.Path == "/busy.png":
				w.WriteHeader(http.StatusServiceUnavailable)
			case r.URL.Path == "/text.png":
				_, _ = w.Write([]byte("not an image"))
			case pictures[r.URL.Path] != nil:
				_, _ = w.Write(pictures[r.URL.Path])
			default:
				http.NotFound(w, r)
			}
		}))
		t.Cleanup(web.Close)
		hull := s.Test.Hull(harborEast(s), map[string]any{"stock_number": "P-1"})
		file := csvFile("Stock #,Photos,Photo 2\n", fmt.Sprintf("P-1,%[1]s/1.png %[1]s/moved.png,%[1]s/gone.png %[1]s/text.png %[1]s/busy.png ftp://x\n", web.URL))
		i := runImport(t, s, startImport(s, "", file))
		assert.Equal(t, i.Updated, 1)
		assert.Equal(t, i.Photos, imports.HullImportPhotos{Queued: 5})
		for range 4 {
			if err := jobs.Run(t.Context(), importsAPI(s).FetchPhotos, imports.FetchPhotos{Env: s.Env("hull_imports", i.ID), ImportID: i.ID}); err != nil {
				t.Fatal(err)
			}
			s.Advance(3 * time.Minute)
		}

		s.Test.Get("/v1/hull_imports/"+i.ID, 200, &i)
		assert.Equal(t, i.Photos, imports.HullImportPhotos{Added: 2, Failed: 3})
		assert.Equal(t, requests["/busy.png"], 3, "attempts")
		assert.Len(t, i.Notes, 4)
		assert.Equal(t, i.Notes[1].Message, "has the photo "+web.URL+"/gone.png, which returned the status 404")
		var list page.Page[photos.HullPhoto]
		s.Test.Get("/v1/hulls/"+hull+"/photos", 200, &list)
		assert.Len(t, list.Data, 2)

		// The next file asks only for the photos that failed.
		i = runImport(t, s, startImport(s, "", file))
		assert.Equal(t, i.Photos.Queued, 3)
		i = runImport(t, s, startImport(s, "", csvFile("Stock #,Photos\n", "P-1,"+web.URL+"/1.png\n")))
		assert.Equal(t, i.Unchanged, 1)

		i = runImport(t, s, startImport(s, "?dry_run=true", csvFile("Stock #,Photos\n", "P-1,"+web.URL+"/3.png\n")))
		assert.Equal(t, i.Updated, 1, "a dry run")
		assert.Equal(t, count(s, "hull_import_photos"), 5, "stored URLs after a dry run")
	})
}
