package sheet

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"slipway/internal/vocab/fault"
)

func workbook(t *testing.T, fill func(f *excelize.File)) []byte {
	t.Helper()
	f := excelize.NewFile()
	fill(f)
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func fromWorkbook(t *testing.T, b []byte) (string, error) {
	t.Helper()
	var csv bytes.Buffer
	err := FromWorkbook(context.Background(), bytes.NewReader(b), &csv)
	return csv.String(), err
}

func set(t *testing.T, f *excelize.File, sheet, at string, value any) {
	t.Helper()
	if err := f.SetCellValue(sheet, at, value); err != nil {
		t.Fatal(err)
	}
}

// format sets how the workbook shows a cell.
func format(t *testing.T, f *excelize.File, at, code string) {
	t.Helper()
	style, err := f.NewStyle(&excelize.Style{CustomNumFmt: &code})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.SetCellStyle("Sheet1", at, at, style); err != nil {
		t.Fatal(err)
	}
}

// Each cell is read as the value behind it, however the workbook shows it.
func TestWorkbookCells(t *testing.T) {
	day := time.Date(2024, 3, 4, 0, 0, 0, 0, time.UTC)
	for name, cell := range map[string]struct {
		value  any
		format string
		want   string
	}{
		"text":                      {"Grady-White", "", "Grady-White"},
		"text of digits":            {"00123", "", "00123"},
		"number":                    {149900, "", "149900"},
		"price without its cents":   {149900.75, `"$"#,##0`, "149900.75"},
		"price in accounting style": {-1200, `_("$"* #,##0.00_);_("$"* \(#,##0.00\)`, "-1200"},
		"binary fraction":           {0.1 + 0.2, "", "0.3"},
		"length":                    {7.1, "0.00", "7.1"},
		"leading zeros":             {123, "00000", "00123"},
		"stock number":              {1044, `"GW-"0`, "GW-1044"},
		"date":                      {day, "", "2024-03-04"},
		"date, month first":         {45355, "m/d/yyyy", "2024-03-04"},
		"date, day first":           {45355, "dd/mm/yyyy", "2024-03-04"},
		"date with a month's name":  {45355, "d-mmm-yy", "2024-03-04"},
		"date and time":             {45355.604166666664, "m/d/yy h:mm", "2024-03-04 14:30"},
		"year of a date":            {45355, "yyyy", "2024"},
		"year":                      {2024, "0", "2024"},
		"price like a date":         {45355, "#,##0.00", "45355"},
		"yes or no":                 {true, "", "TRUE"},
		"line break":                {"Twin\nYamaha", "", "\"Twin\nYamaha\""},
		"feet and inches":           {`27' 1"`, "", `"27' 1"""`},
	} {
		b := workbook(t, func(f *excelize.File) {
			set(t, f, "Sheet1", "A1", "Column")
			set(t, f, "Sheet1", "A2", cell.value)
			if cell.format != "" {
				format(t, f, "A2", cell.format)
			}
		})
		if got, err := fromWorkbook(t, b); err != nil || got != "Column\n"+cell.want+"\n" {
			t.Errorf("%s: got %q and error %v, want %q", name, got, err, cell.want)
		}
	}
}

// Rows keep their numbers, a title above the names of columns is left out, and so is
// what is written beside the columns.
func TestWorkbookRows(t *testing.T) {
	b := workbook(t, func(f *excelize.File) {
		set(t, f, "Sheet1", "A1", "nothing to see")
		_ = f.SetSheetVisible("Sheet1", false)
		for _, name := range []string{"Empty", "Boats", "Other"} {
			_, _ = f.NewSheet(name)
		}
		f.SetActiveSheet(2)
		_ = f.SetSheetVisible("Sheet1", false)
		set(t, f, "Boats", "A1", "Inventory of November")
		for i, row := range [][]any{{"Stock #", "Make", "", "Price"}, {"A1", "Ranger", "x", 100}, {"", "", "", ""}, {"A2", "Grady-White", "", 200, "", "call Bob"}, {"A3"}} {
			_ = f.SetSheetRow("Boats", fmt.Sprintf("A%d", 3+i), &row)
		}
		_ = f.SetSheetRow("Other", "A1", &[]any{"Stock #", "Make"})
	})
	got, err := fromWorkbook(t, b)
	want := "\n\nStock #,Make,,Price\nA1,Ranger,x,100\n\nA2,Grady-White,,200\nA3,,,\n"
	if err != nil || got != want {
		t.Fatalf("got %q and error %v, want %q", got, err, want)
	}

	r, err := Open(strings.NewReader(got), Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := r.Next(10, Seen{})
	if err != nil || len(rows) != 3 || rows[0].Number != 4 || rows[1].Number != 6 {
		t.Errorf("got rows %v and error %v, want rows 4, 6 and 7", rows, err)
	}
}

// A workbook that isn't one, or that would fill the memory, is rejected.
func TestHostileWorkbooks(t *testing.T) {
	small := workbook(t, func(f *excelize.File) { set(t, f, "Sheet1", "A1", "Make") })
	with := func(part, text string, times int) []byte {
		var b bytes.Buffer
		to := zip.NewWriter(&b)
		from, err := zip.NewReader(bytes.NewReader(small), int64(len(small)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range from.File {
			if f.Name != part {
				_ = to.Copy(f)
			}
		}
		w, _ := to.Create(part)
		for range times {
			_, _ = io.WriteString(w, text)
		}
		_ = to.Close()
		return b.Bytes()
	}
	head := `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`
	for name, test := range map[string]struct {
		file []byte
		code string
	}{
		"nothing":            {nil, "malformed"},
		"cut off":            {small[:len(small)/2], "malformed"},
		"another archive":    {archive(t), "format"},
		"no rows":            {workbook(t, func(*excelize.File) {}), "empty"},
		"unzipped too large": {with("xl/media/image1.png", strings.Repeat("0", 1<<20), 129), "too_large"},
		"too many styles":    {with("xl/styles.xml", strings.Repeat("<xf/>", 1<<18), 4), "too_large"},
		"too many texts":     {with("xl/sharedStrings.xml", strings.Repeat("<si/>", 100), 5001), "too_large"},
		"too large a text":   {append([]byte(nil), make([]byte, maxWorkbook+1)...), "too_large"},
		"row far below":      {with("xl/worksheets/sheet1.xml", head+`<row r="1"><c r="A1"><v>1</v></c></row><row r="900000"><c r="A900000"><v>1</v></c></row></sheetData></worksheet>`, 1), "too_many"},
		"unknown text":       {with("xl/worksheets/sheet1.xml", head+`<row r="1"><c r="A1" t="s"><v>-1</v></c></row></sheetData></worksheet>`, 1), ""},
		"unknown style":      {with("xl/worksheets/sheet1.xml", head+`<row r="1"><c r="A1" s="-5"><v>1</v></c></row></sheetData></worksheet>`, 1), ""},
		"wide row":           {with("xl/worksheets/sheet1.xml", head+strings.Repeat(`<row><c r="XFD1"><v>1</v></c></row>`, 200)+`</sheetData></worksheet>`, 1), "too_many"},
	} {
		_, err := fromWorkbook(t, test.file)
		f, ok := errors.AsType[*fault.Error](err)
		if test.code != "" && (!ok || f.Details[0].Code != test.code) {
			t.Errorf("%s: got error %v, want the code %s", name, err, test.code)
		}
		if err != nil && !ok {
			t.Errorf("%s: got error %v, want one for the user", name, err)
		}
	}
}

// One text that many cells show can't become a file without an end.
func TestRepeatedText(t *testing.T) {
	long := strings.Repeat("x", 32_000)
	b := workbook(t, func(f *excelize.File) {
		row := make([]any, 400)
		for i := range row {
			row[i] = long
		}
		for n := 1; n <= 30; n++ {
			_ = f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", n), &row)
		}
	})
	err := FromWorkbook(context.Background(), bytes.NewReader(b), io.Discard)
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Details[0].Code != "too_large" {
		t.Errorf("got error %v, want too_large", err)
	}
}

func FuzzWorkbook(f *testing.F) {
	book := excelize.NewFile()
	_ = book.SetSheetRow("Sheet1", "A1", &[]any{"Make", "Price"})
	_ = book.SetSheetRow("Sheet1", "A2", &[]any{"Ranger", 100})
	var b bytes.Buffer
	_ = book.Write(&b)
	f.Add(b.Bytes())
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := FromWorkbook(context.Background(), bytes.NewReader(b), io.Discard); err != nil {
			if _, ok := errors.AsType[*fault.Error](err); !ok {
				t.Errorf("got error %v, want one for the user", err)
			}
		}
	})
}

// archive returns a ZIP archive that is no workbook.
func archive(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("boats.csv")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(w, "make")
	_ = z.Close()
	return b.Bytes()
}
