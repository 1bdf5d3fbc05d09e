package sheet

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"slipway/internal/testkit/assert"
)

func TestParseLength(t *testing.T) {
	for text, want := range map[string]float64{
		"23.5": 23.5, "23": 23, "23,5": 23.5, "23.58 ft": 23.58, "23.58ft.": 23.58, "24'": 24, "24 feet": 24,
		`23' 6"`: 23.5, `23'6`: 23.5, `23'-6"`: 23.5, "20 ft 9 in": 20.75, "20ft. 9in.": 20.75, "20 Feet, 9 Inches": 20.75,
		"23\u2019 6\u201d": 23.5, "23\u2032 6\u2033": 23.5, "23' 6''": 23.5, `22' 6.5"`: 22.54, `0' 9"`: 0.75,
		`282"`: 23.5, "282 in": 23.5, "7.1 m": 23.29, "7,10m": 23.29, "7.1 meters": 23.29, "8.5 Metres": 27.89, //nolint:misspell // British spelling
	} {
		if got, err := parseLength(text, 1); err != nil || got != want {
			t.Errorf("%s: got %v and error %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "long", `23' 14"`, "23 x 8", "ft", "1e3", "NaN", "Infinity", "0x10", "23' 6' 2", "7 mm"} {
		if got, err := parseLength(text, 1); err == nil {
			t.Errorf("%s: got %v, want an error", text, got)
		}
	}
	if got, err := parseLength("7.1", feetPerMeter); err != nil || got != 23.29 {
		t.Errorf("7.1 in a column of meters: got %v and error %v, want 23.29", got, err)
	}
	if got, err := parseLength(`23' 6"`, feetPerMeter); err != nil || got != 23.5 {
		t.Errorf("feet in a column of meters: got %v and error %v, want 23.5", got, err)
	}
}

func TestParseMoney(t *testing.T) {
	for text, want := range map[string]int64{
		"124900": 12490000, "$124,900": 12490000, "$124,900.00": 12490000, "US$61,900.50": 6190050, "USD 61900.5": 6190050, "61,900 USD": 6190000,
		"(1,200)": -120000, "($1,200.50)": -120050, "-1200": -120000, "$-1,200": -120000, "1,200-": -120000, "1 200": 120000,
		"124.900,00": 12490000, "61900,50": 6190050, "1,234,567": 123456700, ".99": 99, "0": 0, "$ 5": 500, "12.345": 1235,
	} {
		if got, err := parseMoney(text, false); err != nil || got == nil || *got != want {
			t.Errorf("%s: got %v and error %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"much", "$", "1,2,3", "12,34,567.5.6", "1e9", "\u20ac100", "CAD 100", "100t", "(5", "99999999999999999"} {
		if got, err := parseMoney(text, false); err == nil {
			t.Errorf("%s: got %v, want an error", text, got)
		}
	}
	for _, text := range []string{"Call", "call for price", "P.O.A.", "TBD"} {
		if got, err := parseMoney(text, false); err != nil || got != nil {
			t.Errorf("%s: got %v and error %v, want no price", text, got, err)
		}
	}
}

func TestParseDate(t *testing.T) {
	for text, want := range map[string]string{
		"2024-03-04": "2024-03-04", "2024-3-4": "2024-03-04", "2024/03/04": "2024-03-04", "20240304": "2024-03-04",
		"2024-03-04T10:00": "2024-03-04", "2024-03-04T10:00:00Z": "2024-03-04", "2024-03-04 10:00:00.000": "2024-03-04",
		"2024-03-04T23:30:00-05:00": "2024-03-04", "3/4/24": "2024-03-04?", "3/4/2024": "2024-03-04?", "03-04-2024": "2024-03-04?",
		"3/4/2024 10:00 AM": "2024-03-04?", "3/4/2024 10:00:00 p.m. EST": "2024-03-04?", "3/14/24": "2024-03-14", "14/3/24": "2024-03-14",
		"3/3/24": "2024-03-03", "4.3.2024": "2024-03-04", "4-Mar-2024": "2024-03-04", "4-Mar-24": "2024-03-04", "04 March 2024": "2024-03-04",
		"Mar 4, 2024": "2024-03-04", "March 4th, 2024": "2024-03-04", "Mon, 4 Mar 2024": "2024-03-04", "4MAR2024": "2024-03-04",
		"Sept 4, 2024": "2024-09-04", "45355": "2024-03-04", "45355.75": "2024-03-04", "1/5/98": "1998-01-05?", "2/29/2024": "2024-02-29",
		"00/00/0000": "", "0000-00-00": "", "1/0/1900": "",
	} {
		want, wantAmbiguous := strings.CutSuffix(want, "?")
		if got, ambiguous, err := parseDate(text, false); err != nil || got != want || ambiguous != wantAmbiguous {
			t.Errorf("%s: got %s, ambiguous %t and error %v, want %s and %t", text, got, ambiguous, err, want, wantAmbiguous)
		}
	}
	for _, text := range []string{"soon", "2/30/2024", "2023-02-29", "13/13/2024", "4-Foo-2024", "2024-03", "3/4", "1/2-2024", "1234", "9999999", "Ma 4, 2024"} {
		if got, _, err := parseDate(text, false); err == nil {
			t.Errorf("%s: got %s, want an error", text, got)
		}
	}
	if got, ambiguous, err := parseDate("3/4/24", true); err != nil || got != "2024-04-03" || !ambiguous {
		t.Errorf("day first: got %s, ambiguous %t and error %v, want 2024-04-03 and true", got, ambiguous, err)
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"Center Console": "power-center", "center consoles": "power-center", "Bass Boats": "power-bass", "Pontoon": "power-pontoon",
		"Ski/Wakeboard": "power-skiwake", "Saltwater Fishing": "power-saltfish", "Sloop": "sail-sloop", "Deck Boat": "power-deck",
		"Houseboat": "power-house", "Bowrider": "power-bowrider", "power-jon": "power-jon", "Walkaround": "power-walk", "Submarine": "",
	} {
		assert.Equal(t, findClass(text), want, text)
	}
	for text, want := range map[string]string{
		"In Stock": "available", "AVAILABLE": "available", "On Order": "on_order", "In-Transit": "in_transit", "Sale Pending": "sale_pending",
		"Not for sale": "not_for_sale", "Sold": "sold", "lost": "",
	} {
		assert.Equal(t, statuses.find(text), want, text)
	}
}

func TestDetector(t *testing.T) {
	const text = "Stock #,Make\r\nB-1,B\u00e9n\u00e9teau\r\nB-2,Z\u00f6llner \u2013 \u201cA\u201d\r\n"
	utf16le, _ := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder().String(text)
	utf16be, _ := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewEncoder().String(text)
	ansi, _ := charmap.Windows1252.NewEncoder().String(text)
	for name, c := range map[string]struct {
		file     string
		declared Encoding
		want     Encoding
	}{
		"UTF-8":                     {text, "", UTF8},
		"ASCII":                     {"Stock #,Make\n", "", UTF8},
		"UTF-8 with a mark":         {bom + text, "", UTF8},
		"UTF-16":                    {utf16le, "", UTF16LE},
		"UTF-16 with a mark":        {"\xff\xfe" + utf16le, "", UTF16LE},
		"big-endian":                {utf16be, "", UTF16BE},
		"big-endian with a mark":    {"\xfe\xff" + utf16be, Windows1252, UTF16BE},
		"declared UTF-16":           {utf16be, utf16, UTF16BE},
		"Windows-1252":              {ansi, "", Windows1252},
		"declared":                  {ansi, Macintosh, Macintosh},
		"wrongly declared as UTF-8": {ansi, UTF8, UTF8}, // Check rejects it
		"NUL":                       {"a,b\x00,c,d,e,f,g,h,i,j,k,l", "", UTF8},
		"cut off":                   {text + "\xc3", "", Windows1252},
		"empty":                     {"", "", UTF8},
	} {
		d := &Detector{}
		for i := range len(c.file) { // characters are cut in the middle
			_, _ = d.Write([]byte(c.file[i : i+1]))
		}
		whole := &Detector{}
		_, _ = whole.Write([]byte(c.file))
		got, err := d.Encoding(c.declared)
		again, _ := whole.Encoding(c.declared)
		if err != nil || got != c.want || again != got {
			t.Errorf("%s: got %s and error %v, at once %s, want %s", name, got, err, again, c.want)
		}
	}

	workbook := &Detector{}
	_, _ = workbook.Write([]byte("PK\x03\x04\x14\x00"))
	if e, err := workbook.Encoding(Macintosh); err != nil || e != UTF8 || !workbook.IsWorkbook() {
		t.Errorf("got %s and error %v, want a workbook, which is read as UTF-8", e, err)
	}
	old := &Detector{}
	_, _ = old.Write([]byte("\xd0\xcf\x11\xe0\xa1\xb1"))
	if _, err := old.Encoding(""); err == nil || !strings.Contains(err.Error(), "save it as .xlsx") {
		t.Errorf("got error %v, want one that says to save the workbook as .xlsx", err)
	}
}

// A file is the same in all encodings.
func TestEncodings(t *testing.T) {
	const text = "Stock #,Make\r\nB-1,B\u00e9n\u00e9teau \u2013 \u201cA\u201d\r\n"
	for encoding, file := range map[Encoding]func() (string, error){
		UTF8: func() (string, error) { return bom + text, nil },
		UTF16LE: func() (string, error) {
			return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(text)
		},
		UTF16BE: func() (string, error) {
			return unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder().String(text)
		},
		Windows1252: func() (string, error) { return charmap.Windows1252.NewEncoder().String(text) },
		Macintosh:   func() (string, error) { return charmap.Macintosh.NewEncoder().String(text) },
	} {
		content, err := file()
		if err != nil {
			t.Fatal(err)
		}
		s, err := Check(strings.NewReader(content), Options{Encoding: encoding})
		if err != nil || s.Rows != 1 || s.First.Fields["make"] != "B\u00e9n\u00e9teau \u2013 \u201cA\u201d" {
			t.Errorf("%s: got %v and error %v, want the row", encoding, s.First.Fields, err)
		}
	}
}

// Each cell has a value or an error, and values are what JSON can contain.
func FuzzCell(f *testing.F) {
	for _, seed := range []string{`23' 6"`, "3/4/24", "US$61,900.50", "(1,200)", "4-Mar-2024", "2024-03-04T10:00", "7.1 m", "Center Console", "https://a.example/1.jpg,", "1.234,5"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, cell string) {
		if !utf8.ValidString(cell) {
			return
		}
		for _, fd := range fields {
			value, _, err := fd.read(cell, layout{})
			if n, ok := value.(float64); err == nil && ok && (math.IsNaN(n) || math.IsInf(n, 0)) {
				t.Errorf("%s: %q: got %v", fd.name, cell, n)
			}
			if date, ok := value.(string); err == nil && ok && fd.name == "received_on" && len(date) != len("2024-03-04") {
				t.Errorf("%q: got the date %q", cell, date)
			}
		}
	})
}
