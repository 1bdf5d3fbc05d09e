package sheet

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/xuri/excelize/v2"
)

// The limits of Excel workbooks (.xlsx). A small file can contain much more than its
// size: XML that compresses well, or one long text that many cells refer to.
const (
	maxWorkbook     = 32 << 20  // bytes of the file
	maxUnzipped     = 128 << 20 // bytes of all its parts
	maxPart         = 4 << 20   // bytes of a part that is neither a sheet nor the texts of cells
	maxTexts        = 32 << 20  // bytes of the texts of cells
	maxTextCount    = 500_000
	maxParts        = 5000
	maxCells        = 2_000_000
	maxWorkbookText = 256 << 20 // bytes of the cells as CSV
	// maxTitle is how many rows can precede the names of the columns, such as a title.
	maxTitle = 20
)

// workbooks is how many workbooks are read at a time, because a workbook is read into
// memory.
var workbooks = make(chan struct{}, 1)

// IsWorkbook reports whether a file is an Excel workbook, which FromWorkbook reads.
func (d *Detector) IsWorkbook() bool { return string(d.head) == "PK\x03\x04" }

// FromWorkbook writes the first visible sheet with rows of an Excel workbook (.xlsx) as
// CSV with commas in UTF-8. Rows keep their numbers. Dates are written as 2026-05-01,
// and numbers with all their digits, however the workbook shows them.
func FromWorkbook(ctx context.Context, file io.Reader, to io.Writer) (err error) {
	select {
	case workbooks <- struct{}{}:
		defer func() { <-workbooks }()
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() {
		if recover() != nil { // the library trusts what other programs write
			err = badFile("malformed", "is not a complete Excel workbook")
		}
	}()

	b, err := io.ReadAll(io.LimitReader(file, maxWorkbook+1))
	if err != nil {
		return err
	}
	if err := checkWorkbook(b); err != nil {
		return err
	}
	book, err := excelize.OpenReader(bytes.NewReader(b), excelize.Options{UnzipSizeLimit: maxUnzipped, UnzipXMLSizeLimit: maxUnzipped})
	if err != nil {
		return badFile("malformed", "is not a complete Excel workbook")
	}
	defer func() { _ = book.Close() }()

	props, err := book.GetWorkbookProps()
	if err != nil {
		return badFile("malformed", "is not a complete Excel workbook")
	}
	w := &workbookWriter{to: csv.NewWriter(to), date1904: props.Date1904 != nil && *props.Date1904}
	for _, name := range book.GetSheetList() {
		if visible, err := book.GetSheetVisible(name); err != nil || !visible {
			continue
		}
		if err := w.writeSheet(ctx, book, name); err != nil {
			return err
		}
		if w.width > 0 {
			return nil
		}
	}
	return badFile("empty", "has no sheet with rows")
}

// checkWorkbook rejects a file before the library reads it: what is no workbook, and
// what would fill the memory.
func checkWorkbook(b []byte) error {
	if len(b) > maxWorkbook {
		return badFile("too_large", "is an Excel workbook of more than %d MiB; save its sheet as CSV and send it again", maxWorkbook>>20)
	}
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return badFile("malformed", "is not a complete Excel workbook")
	}
	tooLarge := badFile("too_large", "is too large for an Excel workbook; save its sheet as CSV and send it again")
	unzipped, isWorkbook := uint64(0), false
	for _, part := range z.File {
		name := strings.ToLower(strings.ReplaceAll(part.Name, `\`, "/"))
		isWorkbook = isWorkbook || name == "xl/workbook.xml"
		unzipped += min(part.UncompressedSize64, maxUnzipped+1)
		isXML := strings.HasSuffix(name, ".xml") || strings.HasSuffix(name, ".rels")
		switch {
		case unzipped > maxUnzipped:
			return tooLarge
		case name == "xl/sharedstrings.xml":
			if n, err := countTexts(part); err != nil || n > maxTextCount || part.UncompressedSize64 > maxTexts {
				return tooLarge
			}
		case isXML && !strings.HasPrefix(name, "xl/worksheets/") && part.UncompressedSize64 > maxPart:
			return tooLarge
		}
	}
	switch {
	case !isWorkbook:
		return badFile("format", "is a ZIP archive, but not an Excel workbook (.xlsx)")
	case len(z.File) > maxParts:
		return tooLarge
	}
	return nil
}

// countTexts returns how many texts the cells of a workbook refer to.
func countTexts(part *zip.File) (n int, err error) {
	r, err := part.Open()
	if err != nil {
		return 0, err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, maxTexts+1))
	return bytes.Count(b, []byte("<si")), err
}

// workbookWriter writes the rows of a sheet as CSV.
type workbookWriter struct {
	to       *csv.Writer
	date1904 bool
	width    int // cells of the row of column names; 0 until it is found
	first    [][]string
	cells    int
	bytes    int
	written  int
}

func (w *workbookWriter) writeSheet(ctx context.Context, book *excelize.File, name string) error {
	// The library shows a date only in the format of its cell. The other rows have the
	// numbers behind it.
	shown, err := book.Rows(name)
	if err != nil {
		return nil // a sheet with only a chart
	}
	defer func() { _ = shown.Close() }()
	raw, err := book.Rows(name)
	if err != nil {
		return err
	}
	defer func() { _ = raw.Close() }()

	for number := 1; shown.Next() && raw.Next(); number++ {
		texts, err := shown.Columns()
		if err != nil {
			return badFile("malformed", "has cells that can't be read in row %d", number)
		}
		numbers, err := raw.Columns(excelize.Options{RawCellValue: true})
		if err != nil {
			return badFile("malformed", "has cells that can't be read in row %d", number)
		}
		row, empty := make([]string, len(texts)), true
		for i, text := range texts {
			if i < len(numbers) {
				text = cellOf(text, numbers[i], w.date1904)
			}
			row[i] = strings.TrimSpace(text)
			empty = empty && row[i] == ""
		}
		if empty {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.add(number, row); err != nil {
			return err
		}
	}
	if shown.Error() != nil || raw.Error() != nil {
		return badFile("malformed", "is not a complete Excel workbook")
	}
	return w.finish()
}

// add writes a row that is not empty. The first rows wait until the row with the names
// of the columns is found.
func (w *workbookWriter) add(number int, row []string) error {
	if w.cells += len(row); w.cells > maxCells || number > MaxRows+maxTitle {
		return badFile("too_many", "has a sheet with more than %d rows or %d cells; remove what is not a boat or a contact", MaxRows, maxCells)
	}
	if w.width > 0 {
		return w.write(number, row)
	}
	for len(w.first) < number-1 {
		w.first = append(w.first, nil)
	}
	if w.first = append(w.first, row); number < maxTitle {
		return nil
	}
	return w.start()
}

// start finds the row with the names of the columns. It is the first one with at least
// half as many cells as the fullest row. The rows before it, such as a title, are
// written as empty lines.
func (w *workbookWriter) start() error {
	most := 0
	for _, row := range w.first {
		most = max(most, filled(row))
	}
	rows := w.first
	w.first = nil
	for i, row := range rows {
		if filled(row) == 0 || w.width == 0 && 2*filled(row) < most {
			continue
		}
		if w.width == 0 {
			w.width = len(row)
		}
		if err := w.write(i+1, row); err != nil {
			return err
		}
	}
	return nil
}

func (w *workbookWriter) finish() error {
	if w.width == 0 && len(w.first) > 0 {
		if err := w.start(); err != nil {
			return err
		}
	}
	w.to.Flush()
	return w.to.Error()
}

// write writes a row as wide as the names of the columns. Empty lines before it keep
// its number.
func (w *workbookWriter) write(number int, row []string) error {
	for ; w.written < number-1; w.written++ {
		if err := w.to.Write(nil); err != nil {
			return err
		}
	}
	w.written++
	out := make([]string, w.width)
	copy(out, row)
	for _, text := range out {
		w.bytes += len(text) + 1
	}
	if w.bytes > maxWorkbookText {
		return badFile("too_large", "is too large for an Excel workbook; save its sheet as CSV and send it again")
	}
	return w.to.Write(out)
}

func filled(row []string) (n int) {
	for _, text := range row {
		if text != "" {
			n++
		}
	}
	return n
}

// cellOf returns the text of a cell from what the workbook shows and from the value
// behind it. A price that is shown without cents keeps them, and a number that is
// formatted as 00123 or GW-0123 keeps its form.
func cellOf(shown, raw string, date1904 bool) string {
	n, err := strconv.ParseFloat(raw, 64)
	if err != nil || shown == raw || shown == "TRUE" || shown == "FALSE" {
		return shown
	}
	digits := strings.TrimLeftFunc(shown, func(r rune) bool { return unicode.IsLetter(r) || r == '-' || r == '0' })
	if digits != shown && digits == strings.TrimLeft(raw, "0") {
		return shown
	}
	if at, err := excelize.ExcelDateToTime(n, date1904); err == nil && n >= 1 && showsDate(shown, at) {
		if at = at.Round(time.Second); at.Hour() == 0 && at.Minute() == 0 {
			return at.Format(time.DateOnly)
		}
		return at.Format("2006-01-02 15:04")
	}
	if year, err := strconv.Atoi(shown); err == nil && year >= 1900 && year < 2100 && n > 2100 {
		return shown // a date of which only the year is shown
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// showsDate reports whether a text is this day in one of the usual formats.
func showsDate(text string, at time.Time) bool {
	for _, dayFirst := range []bool{false, true} {
		if day, _, err := parseDate(text, dayFirst); err == nil && day == at.Format(time.DateOnly) {
			return true
		}
	}
	return strings.Contains(strings.ToLower(text), strings.ToLower(at.Format("Jan"))) ||
		strings.ContainsAny(text, "/.-") && strings.Contains(text, strconv.Itoa(at.Year()))
}
