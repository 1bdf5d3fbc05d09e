package sheet

import (
	"encoding/csv"
	"slices"
	"strings"
	"unicode/utf8"

	"slipway/internal/vocab/fault"
)

// layout is how the rows of a file are read.
type layout struct {
	ndjson    bool
	delimiter byte
	header    []string // the field of each column, "" for none
	names     []string // the columns as they are named in the file
}

// required are the fields of a new hull that have no default.
var required = []string{"make", "model", "year", "length_ft", "price_usd"}

// Missing returns the columns that a file of new hulls requires and this file
// doesn't have.
func (s Survey) Missing(hasLocation bool) (names []string) {
	l := s.layout
	if l.ndjson {
		return nil
	}
	for _, name := range required {
		if !slices.Contains(l.header, name) {
			names = append(names, name)
		}
	}
	if !hasLocation && !slices.Contains(l.header, "location_id") {
		names = append(names, "location_id")
	}
	return names
}

// maxColumns is the maximum number of columns. maxIgnored is how many of those
// that are not read are listed.
const (
	maxColumns = 500
	maxIgnored = 100
)

// Columns returns the field of each column that is read, and the first columns
// that are ignored.
func (s Survey) Columns() (columns map[string]string, ignored []string) {
	columns, ignored = map[string]string{}, []string{}
	for i, name := range s.layout.header {
		switch {
		case name != "":
			columns[Clip(s.layout.names[i], 100)] = name
		case len(ignored) < maxIgnored:
			ignored = append(ignored, Clip(s.layout.names[i], 100))
		}
	}
	return columns, ignored
}

// parseHeader maps the columns of a CSV file to fields. It picks the delimiter
// that finds the most fields.
func parseHeader(record []byte) (l layout, err error) {
	best, widest := -1, 0
	for _, delimiter := range []byte{',', ';', '\t'} {
		cells, err := splitCells(record, delimiter)
		if err != nil {
			continue
		}
		if widest = max(widest, len(cells)); len(cells) > maxColumns {
			continue
		}
		candidate, found := layout{delimiter: delimiter, names: cells}, 0
		for _, cell := range cells {
			name := fieldNamed(cell)
			if candidate.header = append(candidate.header, name); name != "" {
				found++
			}
		}
		if found > best {
			best, l = found, candidate
		}
	}

	var bad fault.Fields
	if best <= 0 && widest > maxColumns {
		bad.Add("file", "too_many", "has %d columns, but the maximum is %d", widest, maxColumns)
		return l, bad.Err()
	}
	if best <= 0 {
		bad.Add("file", "header", "must start with a row of column names such as stock_number, make, model, year, length_ft, price_usd")
		return l, bad.Err()
	}
	first := map[string]string{} // the column of each field
	for i, name := range l.header {
		column := Clip(l.names[i], 100)
		if other, ok := first[name]; ok && name != "" {
			bad.Add("file", "duplicate", "has two columns for %s: %q and %q", Clip(name, 100), other, column)
			continue
		}
		first[name] = column
	}
	return l, bad.Err()
}

// splitCells splits a record into cells. Quotes inside a cell that is not
// quoted mean inches.
func splitCells(record []byte, delimiter byte) ([]string, error) {
	r := csv.NewReader(strings.NewReader(string(record)))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = rune(delimiter), true, -1
	return r.Read()
}

// Clip shortens text to n bytes. It keeps whole characters and removes NUL.
func Clip(s string, n int) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
	for len(s) > n {
		_, size := utf8.DecodeLastRuneInString(s[:n+1])
		s = s[:n+1-size]
	}
	return s
}
