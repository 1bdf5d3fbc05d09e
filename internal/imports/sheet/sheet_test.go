package sheet

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"slipway/internal/vocab/fault"
)

func TestHeaders(t *testing.T) {
	for header, want := range map[string]string{
		"stock_number,make,model,year,length_ft,price_usd,location_id": "stock_number make model year length_ft price_usd location_id",
		"Stock #;Manufacturer;Model;Model Year;LOA;Asking Price;Lot":   "stock_number make model year length_ft price_usd location_id",
		"Stock No.\tBrand\tMODEL\tyr\tLength (ft)\tPrice\tLocation":    "stock_number make model year length_ft price_usd location_id",
		`"Hull ID","Make, or brand",Model,Bilge color,metadata.slip`:   "hin - model - metadata.slip",
		"HIN;Make,Model;Year":          "hin - year",
		"Price (USD),Longueur,Année":   "price_usd - -",
		"new/used,Class,Date Received": "condition boat_class received_on",
	} {
		l, err := parseHeader([]byte(header))
		var got []string
		for _, f := range l.header {
			if f == "" {
				f = "-"
			}
			got = append(got, f)
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: got %v and error %v, want %s", header, got, err, want)
		}
	}

	for header, code := range map[string]string{"a,b,c": "header", "1;2": "header", "make,Brand,model": "duplicate"} {
		_, err := parseHeader([]byte(header))
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Details[0].Code != code {
			t.Errorf("%s: got error %v, want the code %s", header, err, code)
		}
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
		_, err := parseHeader([]byte(header))
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Details[0].Code != "too_many" || len(f.Details) != 1 {
			t.Errorf("%s: got %v; want one detail with the code too_many", name, err)
		}
	}

	l, err := parseHeader([]byte("make" + strings.Repeat(",x", maxColumns-1)))
	if err != nil {
		t.Fatal(err)
	}
	columns, ignored := Survey{layout: l}.Columns()
	if len(columns) != 1 || len(ignored) != maxIgnored {
		t.Errorf("got %d columns and %d ignored, want 1 and %d", len(columns), len(ignored), maxIgnored)
	}

	long := strings.Repeat("e", 1<<16)
	_, err = parseHeader([]byte("metadata." + long + ",metadata." + long))
	if f, ok := errors.AsType[*fault.Error](err); !ok || f.Details[0].Code != "duplicate" || len(f.Error()) > 1000 {
		t.Errorf("got %.200v; want a duplicate with short names", err)
	}
}

func TestCells(t *testing.T) {
	l := layout{delimiter: ',', header: []string{"price_usd", "length_ft", "year", "status", "condition", "received_on", "title"}}
	for cells, want := range map[string]map[string]any{
		`"$124,900.00",23.58 ft,2024,On Order,Pre-Owned,5/1/2026, One owner `: {"price_usd": 124900.0, "length_ft": 23.58, "year": 2024.0,
			"status": "on_order", "condition": "used", "received_on": "2026-05-01", "title": "One owner"},
		`124900,24',,,N,2026-05-01,24" tubes`: {"price_usd": 124900.0, "length_ft": 24.0, "condition": "new",
			"received_on": "2026-05-01", "title": `24" tubes`},
		`,,,,,,"a ""b"", c"`: {"title": `a "b", c`},
	} {
		row := l.parse(2, []byte(cells))
		if len(row.Bad) > 0 || !maps.Equal(row.Fields, want) {
			t.Errorf("%s: got %v with errors %v, want %v without errors", cells, row.Fields, row.Bad, want)
		}
	}

	for cells, field := range map[string]string{
		"12.50,1,2024,,,,": "price_usd", "much,1,2024,,,,": "price_usd", "1,long,2024,,,,": "length_ft", "1,1,new,,,,": "year",
		"1,1,1,,,soon,": "received_on", "1,2": "row", "1,1,1,,,,,": "row",
	} {
		if row := l.parse(2, []byte(cells)); len(row.Bad) != 1 || row.Bad[0].Field != field {
			t.Errorf("%s: got errors %v, want one for %s", cells, row.Bad, field)
		}
	}

	european := layout{delimiter: ';', header: []string{"price_usd", "length_ft"}}
	if row := european.parse(2, []byte("124.900,00;7,19")); row.Fields["price_usd"] != 124900.0 || row.Fields["length_ft"] != 7.19 {
		t.Errorf("with decimal commas: got %v with errors %v, want price_usd 124900 and length_ft 7.19", row.Fields, row.Bad)
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
		"inches":                      {header + "A,B 24\" C,C,2024,20,1\nB,B,C,2024,20,1\n", false, 2, ""},
		"empty":                       {"", false, 0, "empty"},
		"only a header":               {header, false, 0, "empty"},
		"no header":                   {"1,2,3\n4,5,6\n", false, 0, "header"},
		"Latin-1":                     {header + "A,B\xe9n\xe9teau,C,2024,20,1\n", false, 0, "encoding"},
		"UTF-16":                      {"\xff\xfes\x00t\x00", false, 0, "encoding"},
		"NUL":                         {header + "A,B\x00,C,2024,20,1\n", false, 0, "encoding"},
		"JSON":                        {"{\"make\":\"A\"}\n\n{\"make\":\"B\"}", true, 2, ""},
		"JSON array":                  {"[1]\n", true, 0, "malformed"},
		"CSV sent as JSON":            {header + "A,B,C\n", true, 0, "malformed"},
		"too many":                    {header + strings.Repeat("A,B,C,2024,20,1\n", MaxRows+1), false, 0, "too_many"},
	} {
		s, err := Check(strings.NewReader(c.file), c.ndjson)
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
		seen.check(&r)
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
	f.Fuzz(func(t *testing.T, file []byte, ndjson bool) {
		s, err := Check(bytes.NewReader(file), ndjson)
		if err != nil {
			if _, ok := errors.AsType[*fault.Error](err); !ok {
				t.Errorf("got error %v, want a fault", err)
			}
			return
		}
		r, err := Open(bytes.NewReader(file), ndjson)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := r.Next(1<<20, Seen{})
		if err != nil || int64(len(rows)) != s.Rows || r.Offset() != s.Bytes || s.Bytes != int64(len(file)) {
			t.Errorf("got %d rows, offset %d and error %v, want %d rows and offset %d", len(rows), r.Offset(), err, s.Rows, len(file))
		}
	})
}
