package sheet

import (
	"maps"
	"testing"
)

// rowOf returns the row of a file with these cells.
func rowOf(t *testing.T, header, cells string, o Options) Row {
	t.Helper()
	l, err := parseHeader([]byte(header), o, 0)
	if err != nil {
		t.Fatal(err)
	}
	return l.parse(2, []byte(cells))
}

// Programs have columns for each engine of a twin. The first engine has the fields of a boat
// with one engine.
func TestEnginesInColumns(t *testing.T) {
	for header, want := range map[string]string{
		"make,Engine 1 Serial,Engine 2 Serial":             "make engine_serial engine2_serial",
		"make,Engine Serial 1,Engine Serial 2,2nd Eng HP":  "make engine_serial engine2_serial engine2_hp",
		"make,Port Engine Hours,Starboard Engine Hours":    "make hours engine2_hours",
		"make,Engine 1,Engine 2,Engine 3":                  "make engine engine2 engine3",
		"make,Engine 2 Mfg,Motor 4 Year,Engine 5 Serial":   "make engine2_make engine4_year -",
		"make,Engine,Engine Make,Engine 2 Count,Engine 2x": "make engine engine_make - -",
		"make,engine2_fuel,engine2_color":                  "make engine2_fuel -",
	} {
		l, err := parseHeader([]byte(header), Options{}, 0)
		if got := fieldsOf(l); err != nil || got != want {
			t.Errorf("%s: got %v and error %v, want %s", header, got, err, want)
		}
	}
}

func TestEnginesInWords(t *testing.T) {
	for cells, want := range map[string]map[string]any{
		"A,Yamaha F300,":                {"make": "A", "engine_make": "Yamaha", "engine_model": "F300"},
		"A,Yamaha F300,Yamaha F300XCA":  {"make": "A", "engine_make": "Yamaha", "engine_model": "F300", "engine2_make": "Yamaha", "engine2_model": "F300XCA"},
		"A,Twin Mercury 300 Verado,":    {"make": "A", "engine_make": "Mercury", "engine_model": "300 Verado", "engine_count": 2.0},
		"A,3x Suzuki DF350A,":           {"make": "A", "engine_make": "Suzuki", "engine_model": "DF350A", "engine_count": 3.0},
		"A,Volvo Penta D4-300,":         {"make": "A", "engine_make": "Volvo Penta", "engine_model": "D4-300"},
		"A,Yamaha,N/A":                  {"make": "A", "engine_make": "Yamaha"},
		"A,300,":                        {"make": "A"},
		"A,Yamaha F300,Twin Yamaha F25": {"make": "A", "engine_make": "Yamaha", "engine_model": "F300", "engine2_make": "Yamaha", "engine2_model": "F25"},
	} {
		if r := rowOf(t, "make,Engine 1,Engine 2", cells, Options{}); !maps.Equal(r.Fields, want) || len(r.Bad) > 0 {
			t.Errorf("%s: got %v with errors %v, want %v", cells, r.Fields, r.Bad, want)
		}
	}
}

// A total contains its parts.
func TestTotalCost(t *testing.T) {
	for cells, want := range map[string]struct {
		invoice any
		note    string
		bad     bool
	}{
		"121400,,2100,900":       {118400.0, "", false},
		"121400,118400,2100,900": {118400.0, "", false},
		"121400,118000,2100,900": {118000.0, "difference", false},
		"121400,0,2100,900":      {118400.0, "", false},
		"$121.4k,,,":             {121400.0, "", false},
		"1000,,2100,900":         {nil, "", true},
		",118400,2100,900":       {118400.0, "", false},
		"0,,2100,":               {nil, "", false},
	} {
		r := rowOf(t, "Total Cost,Cost,Freight,Rigging", cells, Options{})
		note := ""
		if len(r.Notes) > 0 {
			note = r.Notes[0].Code
		}
		if r.Fields["invoice_usd"] != want.invoice || note != want.note || len(r.Bad) > 0 != want.bad {
			t.Errorf("%s: got the invoice %v, notes %v and errors %v, want %+v", cells, r.Fields["invoice_usd"], r.Notes, r.Bad, want)
		}
		if _, ok := r.Fields[totalCost]; ok {
			t.Errorf("%s: the total is still there", cells)
		}
	}
}

// A column named VIN has HINs, and the VINs of trailers.
func TestVINColumn(t *testing.T) {
	for cells, want := range map[string]map[string]any{
		"A,GRT40912B324":      {"make": "A", "hin": "GRT40912B324"},
		"A,1A9BT2529JA123456": {"make": "A", "trailer_vin": "1A9BT2529JA123456"},
		"A,":                  {"make": "A"},
	} {
		if r := rowOf(t, "make,VIN", cells, Options{}); !maps.Equal(r.Fields, want) {
			t.Errorf("%s: got %v, want %v", cells, r.Fields, want)
		}
	}
	if r := rowOf(t, "make,VIN,HIN", "A,GRT40912B324,BWCE1234K222", Options{}); r.Fields["hin"] != "BWCE1234K222" {
		t.Errorf("got %v, want the column named HIN", r.Fields)
	}
}

// An unknown status doesn't reject the row. The dealership can say what its words mean.
func TestMeaningOfWords(t *testing.T) {
	words := Words{"status": {"dock ": "available", "Gone": ""}, "location_id": {"Kent Isl.": "loc_1"}}
	for cells, want := range map[string]struct {
		status, location any
		note             string
	}{
		"A,Dock,Kent Isl":     {"available", "loc_1", ""},
		"A,Gone,HE":           {nil, "HE", ""},
		"A,Somewhere,":        {nil, nil, "unknown"},
		"A,In Stock,kent isl": {"available", "loc_1", ""},
	} {
		r := rowOf(t, "make,Status,Lot", cells, Options{Words: words})
		note := ""
		if len(r.Notes) > 0 {
			note = r.Notes[0].Code
		}
		if r.Fields["status"] != want.status || r.Fields["location_id"] != want.location || note != want.note || len(r.Bad) > 0 {
			t.Errorf("%s: got %v with notes %v and errors %v, want %+v", cells, r.Fields, r.Notes, r.Bad, want)
		}
	}
}
