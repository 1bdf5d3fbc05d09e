package sheet

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"slipway/internal/vocab/fault"
)

// fieldsOf returns the fields of columns, as - for those that are ignored.
func fieldsOf(l layout) string {
	var got []string
	for _, c := range l.columns {
		if c.field == "" {
			c.field = "-"
		}
		got = append(got, c.field)
	}
	return strings.Join(got, " ")
}

func TestHeaders(t *testing.T) {
	for header, want := range map[string]string{
		"stock_number,make,model,year,length_ft,price_usd,location_id": "stock_number make model year length_ft price_usd location_id",
		"Stock #;Manufacturer;Model;Model Year;LOA;Asking Price;Lot":   "stock_number make model year length_ft price_usd location_id",
		"Stock No.\tBrand\tMODEL\tyr\tLength (ft)\tPrice\tLocation":    "stock_number make model year length_ft price_usd location_id",
		"Stock No|Mfg|Model Desc|Yr|Retail":                            "stock_number make model year price_usd",
		`"Hull ID","Make, or brand",Model,Bilge color,metadata.slip`:   "hin - model - metadata.slip",
		"HIN;Make,Model;Year":                  "hin - year",
		"Price (USD),Longueur,Année":           "price_usd - -",
		"new/used,Class,Date Received":         "condition boat_class received_on",
		"make,Photo 1,Photo 2,Image URL":       "make photo_urls photo_urls photo_urls",
		"Engine S/N,Engine Mfg,HP,Trailer VIN": "engine_serial engine_make engine_hp trailer_vin",
		"make,Brand,model":                     "make make model", // see TestPreferredColumns
	} {
		l, err := parseHeader([]byte(header), Options{}, 0)
		if got := fieldsOf(l); err != nil || got != want {
			t.Errorf("%s: got %v and error %v, want %s", header, got, err, want)
		}
	}

	for header, code := range map[string]string{"a,b,c": "header", "1;2": "header"} {
		_, err := parseHeader([]byte(header), Options{}, 0)
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Details[0].Code != code {
			t.Errorf("%s: got error %v, want the code %s", header, err, code)
		}
	}
}

// A column name must not belong to two fields.
func TestAliases(t *testing.T) {
	owner := map[string]string{}
	for _, f := range fields {
		for _, name := range append([]string{plain(f.name)}, f.aliases...) {
			if other, ok := owner[name]; ok && other != f.name {
				t.Errorf("the column %s belongs to %s and to %s", name, other, f.name)
			}
			owner[name] = f.name
			if name != plain(name) {
				t.Errorf("%s: the name must be in plain form, %s", f.name, name)
			}
		}
	}
}

// The guide lists the columns of each field in the order of preference.
func TestColumnsAreDocumented(t *testing.T) {
	guide, err := os.ReadFile("../../../docs/imports.md")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string][]string{}
	for _, f := range slices.Concat(fields, contactFields) {
		names[f.name] = append(names[f.name], f.aliases...)
	}
	for field, aliases := range names {
		if line := "| `" + field + "` | " + strings.Join(aliases, ", ") + " |"; !strings.Contains(string(guide), line) {
			t.Errorf("docs/imports.md has no line %s", line)
		}
	}
}

// If a file has several columns for a field, the preferred one is read. The others
// are read if its cell is empty or 0.
func TestPreferredColumns(t *testing.T) {
	for header, rows := range map[string]map[string]any{
		"Price,Web Price":             {"1000,900": 900.0, "1000,": 1000.0, "1000,0": 1000.0, ",900": 900.0, "0,0": 0.0, "1000,Call": 1000.0},
		"List Price,price_usd,Retail": {"1,2,3": 2.0, "1,,3": 3.0, "1,,": 1.0},
		"Sale Price,Price,Sale price": {"7,8,9": 7.0, ",8,9": 9.0},
	} {
		l, err := parseHeader([]byte(header), Options{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		for cells, want := range rows {
			if row := l.parse(2, []byte(cells)); row.Fields["price_usd"] != want || len(row.Bad) > 0 {
				t.Errorf("%s: %s: got %v with errors %v, want %v", header, cells, row.Fields["price_usd"], row.Bad, want)
			}
		}
	}
}

func TestMap(t *testing.T) {
	o := Options{Map: map[string]string{"mfg code": "make", "WebPrice": "price_usd", "Price": "", "Dock": "metadata.slip"}}
	l, err := parseHeader([]byte("Mfg Code,Make,WebPrice,Price,Dock"), o, 0)
	if got := fieldsOf(l); err != nil || got != "make make price_usd - metadata.slip" {
		t.Errorf("got %v and error %v, want the columns of the map", got, err)
	}
	row := l.parse(2, []byte("GW,Grady-White,100,200,B4"))
	if row.Fields["make"] != "GW" || row.Fields["price_usd"] != 100.0 || row.Fields["metadata"].(map[string]any)["slip"] != "B4" {
		t.Errorf("got %v, want the columns of the map", row.Fields)
	}

	_, err = parseHeader([]byte("make,model"), Options{Map: map[string]string{"Mfg": "make"}}, 0)
	if f, ok := errors.AsType[*fault.Error](err); !ok || f.Details[0].Field != "map" || f.Details[0].Code != "not_found" {
		t.Errorf("got error %v, want one for a column that doesn't exist", err)
	}
	var bad fault.Fields
	Hulls.CheckMap(&bad, map[string]string{"A": "make", "B": "", "C": "metadata.slip", "D": "color"})
	if len(bad) != 1 || !strings.Contains(bad[0].Message, `"D" to "color"`) {
		t.Errorf("got %v, want one error, for D", bad)
	}

	row = layout{Options: Options{NDJSON: true, Map: map[string]string{"Mfg": "make", "x": ""}}}.parse(1, []byte(`{"Mfg":"Lund","x":1,"model":"Tyee"}`))
	if !maps.Equal(row.Fields, map[string]any{"make": "Lund", "model": "Tyee"}) {
		t.Errorf("NDJSON: got %v, want make and model", row.Fields)
	}
}

// A header with a huge number of columns, all of them for the same field, must
// not take more time than reading it. Before, each was compared with all others.
func TestHeaderWithHugeNumberOfColumns(t *testing.T) {
	for name, header := range map[string]string{
		"same field":       strings.Repeat("make,", 200_000) + "make",
		"metadata":         "make" + strings.Repeat(",metadata.a", 90_000),
		"unknown":          "make" + strings.Repeat(",x", 500_000),
		"semicolons":       "make" + strings.Repeat(";x", maxColumns),
		"one column above": "make" + strings.Repeat("\tx", maxColumns),
	} {
		_, err := parseHeader([]byte(header), Options{}, 0)
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Details[0].Code != "too_many" || len(f.Details) != 1 {
			t.Errorf("%s: got %v; want one detail with the code too_many", name, err)
		}
	}

	l, err := parseHeader([]byte("make"+strings.Repeat(",x", maxColumns-1)), Options{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	columns, ignored := Survey{layout: l}.Columns()
	if len(columns) != 1 || len(ignored) != maxIgnored {
		t.Errorf("got %d columns and %d ignored, want 1 and %d", len(columns), len(ignored), maxIgnored)
	}
}

// layoutOf returns the layout of a file with these columns.
func layoutOf(t *testing.T, header string) layout {
	t.Helper()
	l, err := parseHeader([]byte(header), Options{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestCells(t *testing.T) {
	l := layoutOf(t, "price_usd,length_ft,year,status,condition,received_on,title,type")
	for cells, want := range map[string]map[string]any{
		`"$124,900.00",23.58 ft,2024,On Order,Pre-Owned,5/1/2026, One owner ,`: {"price_usd": 124900.0, "length_ft": 23.58, "year": 2024.0,
			"status": "on_order", "condition": "used", "received_on": "2026-05-01", "title": "One owner"},
		`124900,24',,In Stock,N,2026-05-01,24" tubes,Center Console`: {"price_usd": 124900.0, "length_ft": 24.0, "condition": "new",
			"status": "available", "received_on": "2026-05-01", "title": `24" tubes`, "boat_class": "power-center"},
		`,"23' 6""",,,,,"a ""b"", c",Powerboat`:    {"length_ft": 23.5, "title": `a "b", c`, "category": "power"},
		`Call,N/A,,-,,0000-00-00,'=1+1,power-bass`: {"title": "=1+1", "boat_class": "power-bass"},
	} {
		row := l.parse(2, []byte(cells))
		if len(row.Bad) > 0 || !maps.Equal(row.Fields, want) {
			t.Errorf("%s: got %v with errors %v, want %v without errors", cells, row.Fields, row.Bad, want)
		}
	}

	for cells, field := range map[string]string{
		"much,1,2024,,,,,": "price_usd", "1,long,2024,,,,,": "length_ft", "1,1,new,,,,,": "year",
		"1,1,1,,,soon,,": "received_on", "1,2": "row", "1,1,1,,,,,,": "row",
	} {
		if row := l.parse(2, []byte(cells)); len(row.Bad) != 1 || row.Bad[0].Field != field {
			t.Errorf("%s: got errors %v, want one for %s", cells, row.Bad, field)
		}
	}

	for cells, code := range map[string]string{
		"12.50,,,,,,,": "rounded", ",,,,,3/4/24,,": "ambiguous", ",,,,,3/14/24,,": "", ",,,,,,,Submarine": "unknown", "1,1,2024,,,,,Sloop": "",
	} {
		row, got := l.parse(2, []byte(cells)), ""
		if len(row.Notes) > 0 {
			got = row.Notes[0].Code
		}
		if got != code || len(row.Bad) > 0 {
			t.Errorf("%s: got notes %v and errors %v, want the note %q", cells, row.Notes, row.Bad, code)
		}
	}

	european := layoutOf(t, "price_usd;length_ft")
	for cells, want := range map[string]float64{"124.900,00;7,19": 124900, "124.900;7,19": 124900, "1.124.900;7,19": 1124900} {
		if row := european.parse(2, []byte(cells)); row.Fields["price_usd"] != want || row.Fields["length_ft"] != 7.19 {
			t.Errorf("%s: got %v with errors %v, want price_usd %v and length_ft 7.19", cells, row.Fields, row.Bad, want)
		}
	}

	urls := layoutOf(t, "make,Photos,Photo 2").parse(2, []byte(`A,"https://a.example/1.jpg, https://a.example/2,3.jpg|http://b.example/4.jpg",https://c.example/5.jpg`))
	want := []any{"https://a.example/1.jpg", "https://a.example/2,3.jpg", "http://b.example/4.jpg", "https://c.example/5.jpg"}
	if got, _ := urls.Fields["photo_urls"].([]any); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A file is split into the same records as by encoding/csv, whatever its cells
// contain. Reading can continue after each record.
func TestRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.StringMatching(`[a-z,;"\n\t é]{0,8}`)
		want := rapid.SliceOfN(rapid.SliceOfN(cell, 2, 4), 1, 12).Draw(t, "rows")
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		w.UseCRLF = rapid.Bool().Draw(t, "crlf")
		if err := w.WriteAll(want); err != nil {
			t.Fatal(err)
		}

		file := b.Bytes()
		l := layout{delimiter: ','}
		r := newReader(bytes.NewReader(file), l, 0, 0)
		var ends []int64
		for i, row := range want {
			record, err := r.next()
			if err != nil {
				t.Fatalf("record %d: %v", i, err)
			}
			cells, err := splitCells(record, ',')
			if err != nil || !slices.Equal(cells, row) {
				t.Fatalf("record %d: got %q and error %v, want %q", i, cells, err, row)
			}
			ends = append(ends, r.offset)
		}

		if _, err := r.next(); !errors.Is(err, io.EOF) {
			t.Fatalf("after the last record: got error %v, want io.EOF", err)
		}

		at := rapid.IntRange(0, len(ends)-1).Draw(t, "resume")
		again := newReader(bytes.NewReader(file[ends[at]:]), l, ends[at], int64(at+1))
		for range len(want) - at - 1 {
			if _, err := again.next(); err != nil {
				t.Fatal(err)
			}
		}

		if again.offset != int64(len(file)) || again.number != int64(len(want)) {
			t.Fatalf("got offset %d and record %d, want %d and %d", again.offset, again.number, len(file), len(want))
		}
	})
}

func TestSurvey(t *testing.T) {
	const header = "stock_number,make,model,year,length_ft,price_usd\n"
	for name, c := range map[string]struct {
		file   string
		ndjson bool
		rows   int64
		code   string
	}{
		"one row":                     {header + "A,B,C,2024,20,1\n", false, 1, ""},
		"BOM, CRLF, no final newline": {bom + strings.ReplaceAll(header+"A,B,C,2024,20,1", "\n", "\r\n"), false, 1, ""},
		"blank lines":                 {header + "\nA,B,C,2024,20,1\n\n  \nB,B,C,2024,20,1\n\n", false, 2, ""},
		"newline in a cell":           {header + "A,\"B\nB\",C,2024,20,1\n", false, 1, ""},
		"missing cells":               {header + "A,B\n", false, 1, ""},
		"a cell of 2 MB":              {header + "A," + strings.Repeat("x", 2<<20) + "\nB,B,C,2024,20,1\n", false, 2, ""},
		"old Mac":                     {strings.ReplaceAll(header+"A,B,C,2024,20,1\n", "\n", "\r"), false, 1, ""},
		"separator of Excel":          {"sep=;\r\nmake;model\r\nA;B\r\n", false, 1, ""},
		"blank lines first":           {"\n\n" + header + "A,B,C,2024,20,1\n", false, 1, ""},
		"inches":                      {header + "A,B 24\" C,C,2024,20,1\nB,B,C,2024,20,1\n", false, 2, ""},
		"empty":                       {"", false, 0, "empty"},
		"only a header":               {header, false, 0, "empty"},
		"no header":                   {"1,2,3\n4,5,6\n", false, 0, "header"},
		"NUL":                         {header + "A,B\x00,C,2024,20,1\n", false, 0, "encoding"},
		"JSON":                        {"{\"make\":\"A\"}\n\n{\"make\":\"B\"}", true, 2, ""},
		"JSON array":                  {"[1]\n", true, 0, "malformed"},
		"CSV sent as JSON":            {header + "A,B,C\n", true, 0, "malformed"},
		"too many":                    {header + strings.Repeat("A,B,C,2024,20,1\n", MaxRows+1), false, 0, "too_many"},
	} {
		s, err := Check(strings.NewReader(c.file), Options{NDJSON: c.ndjson})
		code := ""
		if f, ok := errors.AsType[*fault.Error](err); ok {
			code = f.Details[0].Code
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if code != c.code || err == nil && s.Rows != c.rows {
			t.Errorf("%s: got %d rows, code %q and error %v, want %d rows and code %q", name, s.Rows, code, err, c.rows, c.code)
		}
	}
}

func TestSeen(t *testing.T) {
	seen := Seen{}
	check := func(number int64, fields map[string]any) fault.Fields {
		r := Row{Number: number, Fields: fields}
		seen.check(&r, Hulls)
		return r.Bad
	}
	if bad := check(2, map[string]any{"stock_number": "A", "hin": "abc12345d404"}); len(bad) > 0 {
		t.Errorf("got errors %v, want none", bad)
	}
	if bad := check(3, map[string]any{"stock_number": " A "}); len(bad) != 1 || bad[0].Message != "is already used by row 2" {
		t.Errorf("got errors %v, want one: is already used by row 2", bad)
	}
	if bad := check(4, map[string]any{"stock_number": "B", "hin": "ABC12345D404"}); len(bad) != 1 || bad[0].Field != "hin" {
		t.Errorf("got errors %v, want one for hin", bad)
	}
	if bad := check(5, map[string]any{}); len(bad) > 0 {
		t.Errorf("got errors %v, want none", bad)
	}
}

// Each file is read or rejected. It never causes an internal error.
func FuzzSurvey(f *testing.F) {
	f.Add([]byte("make,model\na,b\n"), false)
	f.Add([]byte(bom+"make;model\n\"a\n\";b\n"), false)
	f.Add([]byte("{\"make\":\"a\"}\n"), true)
	f.Add([]byte("m\x00a\x00k\x00e\x00\n\x00a\x00"), false)
	f.Add([]byte("make,Price\nB\xe9n\xe9teau,\"1.234,50\"\r"), false)
	f.Fuzz(func(t *testing.T, file []byte, ndjson bool) {
		d := &Detector{}
		_, _ = d.Write(file)
		encoding, err := d.Encoding("")
		if err != nil {
			return
		}
		o := Options{NDJSON: ndjson, Encoding: encoding}
		s, err := Check(bytes.NewReader(file), o)
		if err != nil {
			if _, ok := errors.AsType[*fault.Error](err); !ok {
				t.Errorf("got error %v, want a fault", err)
			}
			return
		}
		r, err := Open(bytes.NewReader(file), o)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := r.Next(1<<20, Seen{})
		if err != nil || int64(len(rows)) != s.Rows || r.Offset() != s.Bytes || encoding == UTF8 && s.Bytes != int64(len(file)) {
			t.Errorf("got %d rows, offset %d and error %v, want %d rows and offset %d", len(rows), r.Offset(), err, s.Rows, s.Bytes)
		}
	})
}
