package hin

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var today = time.Date(2026, time.March, 15, 12, 0, 0, 0, time.UTC)

func TestDecodeValid(t *testing.T) {
	for _, tt := range []struct {
		input    string
		want     string // country, number, format, maker, serial, year-month, model year
		warnings string
	}{
		// The vectors of the design.
		{"GRT40912B324", "- GRT40912B324 current GRT 40912 2023-02 MY2024", "outside_window"},
		{"ABC12345L495", "- ABC12345L495 current ABC 12345 1994-12 MY1995", ""},
		{"ABC12345K485", "- ABC12345K485 current ABC 12345 1984-11 MY1985", ""},
		{"BOA13579B607", "- BOA13579B607 current BOA 13579 2006-02 MY2007", "outside_window"},
		{"ABC12345I707", "- ABC12345I707 current ABC 12345 2007-09 MY2007", "outside_window"},
		{"ABC2AB41G091", "- ABC2AB41G091 current ABC 2AB41 1990-07 MY1991", "outside_window"},
		{"CA-ABC2AB41G091", "CA ABC2AB41G091 current ABC 2AB41 1990-07 MY1991", ""},
		{"CA-ABC67689B606", "CA ABC67689B606 current ABC 67689 2006-02 MY2006", ""},
		{"GB-ABC00042A399", "GB ABC00042A399 current ABC 00042 1993-01 MY1999", ""},
		{"GB-ABC00042-A3-99", "GB ABC00042A399 current ABC 00042 1993-01 MY1999", ""},
		{"FLZ00001E121", "- FLZ00001E121 current FLZ 00001 2021-05 MY2021", ""},
		{"ABC12345M82H", "- ABC12345M82H model_year_1972 ABC 12345 1982-03 MY1982", ""},
		{"BOA13579M84E", "- BOA13579M84E model_year_1972 BOA 13579 1983-12 MY1984", ""},
		{"ABC123451272", "- ABC123451272 straight_year_1972 ABC 12345 1972-12 MY-", ""},
		{"US-GRT40912B324", "US GRT40912B324 current GRT 40912 2023-02 MY2024", "outside_window"},
		{"usgrt40912b324", "US GRT40912B324 current GRT 40912 2023-02 MY2024", "outside_window"},

		// Spelling.
		{" \tgrt40912b324\n", "- GRT40912B324 current GRT 40912 2023-02 MY2024", "outside_window"},
		{"fr-abc12345i021", "FR ABC12345I021 current ABC 12345 2020-09 MY2021", ""},
		{"1A212345A020", "- 1A212345A020 current 1A2 12345 2020-01 MY2020", ""}, // digits in the maker's code

		// The model year's window: from August, since 2019 from June, until July.
		{"ABC12345H718", "- ABC12345H718 current ABC 12345 2017-08 MY2018", ""},
		{"ABC12345G718", "- ABC12345G718 current ABC 12345 2017-07 MY2018", "outside_window"},
		{"ABC12345F819", "- ABC12345F819 current ABC 12345 2018-06 MY2019", ""},
		{"ABC12345E819", "- ABC12345E819 current ABC 12345 2018-05 MY2019", "outside_window"},
		{"ABC12345G919", "- ABC12345G919 current ABC 12345 2019-07 MY2019", ""},
		{"ABC12345H919", "- ABC12345H919 current ABC 12345 2019-08 MY2019", "outside_window"},

		// The century, and dates in the future.
		{"ABC12345C626", "- ABC12345C626 current ABC 12345 2026-03 MY2026", ""},
		{"ABC12345D626", "- ABC12345D626 current ABC 12345 2026-04 MY2026", "future"},
		{"ABC12345H728", "- ABC12345H728 current ABC 12345 2027-08 MY2028", "future"},
		{"ABC12345H829", "- ABC12345H829 current ABC 12345 1928-08 MY1929", "format_era"},
		{"ABC12345A000", "- ABC12345A000 current ABC 12345 2000-01 MY2000", ""},

		// The formats of 1972 to 1984.
		{"ABC12345M73A", "- ABC12345M73A model_year_1972 ABC 12345 1972-08 MY1973", ""},
		{"ABC12345M80F", "- ABC12345M80F model_year_1972 ABC 12345 1980-01 MY1980", ""},
		{"ABC12345M80I", "- ABC12345M80I model_year_1972 ABC 12345 1980-04 MY1980", ""},
		{"ABC12345M84L", "- ABC12345M84L model_year_1972 ABC 12345 1984-07 MY1984", ""},
		{"ABC12345M85A", "- ABC12345M85A model_year_1972 ABC 12345 1984-08 MY1985", "format_era"},
		{"ABC123450171", "- ABC123450171 straight_year_1972 ABC 12345 1971-01 MY-", "format_era"},
		{"ABC123450984", "- ABC123450984 straight_year_1972 ABC 12345 1984-09 MY-", ""},
		{"ABC123451228", "- ABC123451228 straight_year_1972 ABC 12345 2028-12 MY-", "format_era future"},

		// A state's number carries its year of issue, not a model year.
		{"FLZ00001I121", "- FLZ00001I121 current FLZ 00001 2021-09 MY2021", ""},
		{"FLZ00001I120", "- FLZ00001I120 current FLZ 00001 2011-09 MY2020", "outside_window"},
		{"QQZ00001I121", "- QQZ00001I121 current QQZ 00001 2021-09 MY2021", "outside_window"},
	} {
		d := Decode(tt.input, today)
		if !d.Valid {
			t.Errorf("Decode(%q): got errors %v, want it valid", tt.input, d.Errors)
			continue
		}
		got := fmt.Sprintf("%s %s %s %s %s %d-%02d MY%s", or(d.Country), *d.Normalized, *d.Format, *d.ManufacturerCode, *d.Serial,
			*d.YearBuilt, *d.Month, or(d.ModelYear))
		if got != tt.want {
			t.Errorf("Decode(%q)\n got %s\nwant %s", tt.input, got, tt.want)
		}
		if got := codes(d.Warnings); got != tt.warnings {
			t.Errorf("Decode(%q) warns of %q, want %q", tt.input, got, tt.warnings)
		}
	}
}

func TestDecodeInvalid(t *testing.T) {
	for _, tt := range []struct{ input, errors string }{
		// The vectors of the design.
		{"BOA135791273J", "length"},
		{"ABC1O345A900", "serial"},
		{"ABCI2345A900", "serial"},
		{"ABC12Q45A900", "serial"},
		{"ABC12345N900", "month"},
		{"ABC12345AA00", "year"},
		{"ABC12345A9O0", "model_year"},
		{"ABC 12345A900", "character"},
		{"ABC-12345-A900", "character"},
		{"ABC123451372", "month"},
		{"ABC123450072", "month"},
		{"ABC12345M82M", "month"},
		{"CA-ABC1AB11FO20", "year"},
		{"ABC1232323", "length"},

		{"", "length"},
		{"   ", "length"},
		{"US-", "length"},
		{"US-GRT40912B32", "length"},
		{"US--------------", "length"},
		{"12GRT40912B324", "length"},
		{"USGRT4O912B324", "serial"},
		{"U1-GRT40912B324", "character"},
		{"ABCI2345AA0O", "serial year model_year"},
		{"ABC12345M8XZ", "model_year month"},
		{"ABC123451XXX", "month year"},
		{"ABC12345A9\x0000", "character"},
		{"\xff\xfe", "character"},
		{"ABC1234ıI900", "character"},       // dotless i, upper case I
		{"АBC12345L495", "character"},       // Cyrillic A
		{"ABC12345L٤95", "character"},       // Arabic-Indic 4
		{"GRT40912\u200bB324", "character"}, // zero-width space
		{strings.Repeat("A", 1<<20), "length"},
	} {
		d := Decode(tt.input, today)
		if got := codes(d.Errors); d.Valid || got != tt.errors {
			t.Errorf("Decode(%.40q) valid %v with errors %q, want %q", tt.input, d.Valid, got, tt.errors)
		}
	}
}

func TestYearWarning(t *testing.T) {
	for _, tt := range []struct {
		input     string
		modelYear int
		want      string
	}{
		{"GRT40912B324", 2024, ""},
		{"GRT40912B324", 2023, "The boat has model year 2023, but its HIN has model year 2024."},
		{"ABC12345M84E", 1983, "The boat has model year 1983, but its HIN has model year 1984."},
		{"ABC123451272", 1973, ""}, // carries no model year
		{"FLZ00001E121", 1968, ""}, // issued in 2021 to an old boat
		{"nonsense", 2024, ""},
	} {
		got, warned := YearWarning(Decode(tt.input, today), tt.modelYear)
		if got.Message != tt.want || warned != (tt.want != "") {
			t.Errorf("YearWarning(%s, %d) = %q, %v, want %q", tt.input, tt.modelYear, got.Message, warned, tt.want)
		}
	}
}

func TestJSON(t *testing.T) {
	for input, want := range map[string]string{
		"ABC12345L495": `{"valid":true,"normalized":"ABC12345L495","country":null,"format":"current","manufacturer_code":"ABC","serial":"12345","month":12,"year_built":1994,"model_year":1995,"warnings":[],"errors":[]}`,
		"ABC1":         `{"valid":false,"normalized":null,"country":null,"format":null,"manufacturer_code":null,"serial":null,"month":null,"year_built":null,"model_year":null,"warnings":[],"errors":[{"code":"length","message":"Send all 12 characters of the HIN, with or without a two-letter country code. This one has 4."}]}`,
	} {
		got, err := json.Marshal(Decode(input, today))
		if err != nil || string(got) != want {
			t.Errorf("%s\n got %s (%v)\nwant %s", input, got, err, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"GRT40912B324", "US-GRT40912B324", "usgrt40912b324", "GB-ABC00042-A3-99", "FLZ00001E121",
		"ABC12345M82H", "ABC123451272", "ABC-12345-A900", "ABC12345N900", "\xff\x00", "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input string) {
		d := Decode(input, today)
		if d.Valid != (len(d.Errors) == 0) {
			t.Fatalf("got valid %v with errors %v, want it valid only without errors", d.Valid, d.Errors)
		}
		if !d.Valid {
			if diff := cmp.Diff(DecodedHin{Warnings: []NoteOnHin{}, Errors: d.Errors}, d); diff != "" {
				t.Fatalf("an invalid number has more than its errors:\n%s", diff)
			}
			return
		}

		spelling := *d.Normalized
		if d.Country != nil {
			spelling = *d.Country + "-" + spelling
		}
		if diff := cmp.Diff(d, Decode(spelling, today)); diff != "" {
			t.Errorf("%q reads otherwise as %q:\n%s", input, spelling, diff)
		}
		if again := Decode(*d.Normalized, today); !again.Valid || *again.Normalized != *d.Normalized {
			t.Errorf("%q: got %+v, want it valid and the same when decoded again", *d.Normalized, again)
		}
		if *d.Month < 1 || *d.Month > 12 || d.ModelYear != nil && *d.YearBuilt > *d.ModelYear {
			t.Errorf("%q has an impossible date: month %d of %d", input, *d.Month, *d.YearBuilt)
		}
	})
}

func or[T any](value *T) string {
	if value == nil {
		return "-"
	}
	return fmt.Sprint(*value)
}

func codes(notes []NoteOnHin) string {
	all := make([]string, len(notes))
	for i, n := range notes {
		all[i] = n.Code
	}
	return strings.Join(all, " ")
}
