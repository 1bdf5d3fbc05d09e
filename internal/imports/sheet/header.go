package sheet

import (
	"cmp"
	"encoding/csv"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"slipway/internal/vocab/fault"
)

// Options are how a file is read.
type Options struct {
	Subject  Subject
	NDJSON   bool
	Encoding Encoding
	Map      map[string]string // fields by the names of columns, "" for a column to ignore
	Words    Words             // what words of a column mean
	DayFirst bool              // in dates that can be read in two ways
	Review   bool              // a person assigns the columns whose names are unknown
}

// layout is how the rows of a file are read.
type layout struct {
	Options
	delimiter byte
	columns   []column
	order     []int // the columns that are read, the preferred ones first
}

// column is a column of a file.
type column struct {
	name  string // in the file
	field string // "" to ignore it
	read  reader
	rank  int // the column with the lowest rank is preferred
}

// required are the fields of a new hull that have no default.
var required = []string{"make", "model", "year", "length_ft", "price_usd"}

func (l layout) has(field string) bool {
	return slices.ContainsFunc(l.columns, func(c column) bool { return c.field == field })
}

// Missing returns the columns that a file of new rows requires and this file
// doesn't have.
func (s Survey) Missing(hasLocation bool) (names []string) {
	if s.layout.NDJSON {
		return nil
	}
	return s.layout.Subject.missing(s.layout, hasLocation)
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
	for _, c := range s.layout.columns {
		name := Clip(c.name, 100)
		switch {
		case c.field != "":
			columns[name] = c.field
		case len(ignored) < maxIgnored:
			ignored = append(ignored, name)
		}
	}
	return columns, ignored
}

// Header returns the names of all columns, as in the file.
func (s Survey) Header() []string {
	names := []string{}
	for _, c := range s.layout.columns {
		names = append(names, Clip(c.name, 100))
	}
	return names
}

// delimiters separate cells, in the order in which they are tried.
const delimiters = ",;\t|"

// parseHeader maps the columns of a CSV file to fields. It picks the delimiter
// that finds the most fields, unless it is known.
func parseHeader(record []byte, o Options, known byte) (l layout, err error) {
	best, widest := -1, 0
	for _, delimiter := range []byte(delimiters) {
		if known != 0 && delimiter != known {
			continue
		}
		cells, err := splitCells(record, delimiter)
		if err != nil {
			continue
		}
		if widest = max(widest, len(cells)); len(cells) > maxColumns {
			continue
		}
		candidate, found := layout{Options: o, delimiter: delimiter}, 0
		for _, cell := range cells {
			c := candidate.column(cell)
			if candidate.columns = append(candidate.columns, c); c.field != "" {
				found++
			}
		}
		if found > best || o.Review && found == 0 && best == 0 && len(cells) > len(l.columns) {
			best, l = found, candidate
		}
	}

	var bad fault.Fields
	if best <= 0 && widest > maxColumns {
		bad.Add("file", "too_many", "has %d columns, but the maximum is %d", widest, maxColumns)
		return l, bad.Err()
	}
	if best <= 0 && !(o.Review && len(l.columns) > 1) {
		bad.Add("file", "header", "must start with a row of column names such as %s", o.Subject.example())
		return l, bad.Err()
	}
	for _, name := range slices.Sorted(maps.Keys(o.Map)) {
		if !slices.ContainsFunc(l.columns, func(c column) bool { return sameColumn(c.name, name) }) {
			bad.Add("map", "not_found", "names the column %q, which the file doesn't have", Clip(name, 100))
		}
	}

	l.order = inOrder(l.columns)
	return l, bad.Err()
}

// inOrder returns the columns that are read, in the order of the file. The columns of
// a field follow each other, the preferred ones first.
func inOrder(columns []column) (order []int) {
	byField := map[string][]int{}
	for i, c := range columns {
		byField[c.field] = append(byField[c.field], i)
	}
	delete(byField, "")
	for _, c := range columns {
		same := byField[c.field]
		slices.SortStableFunc(same, func(a, b int) int { return cmp.Compare(columns[a].rank, columns[b].rank) })
		order = append(order, same...)
		delete(byField, c.field)
	}
	return order
}

// column returns how a column is read. The map goes first.
func (l layout) column(name string) column {
	name = strings.TrimSpace(name)
	c := l.Subject.columnNamed(name)
	for from, to := range l.Map {
		if sameColumn(name, from) {
			c, _ = l.Subject.fieldNamed(to)
			c.rank = 0
		}
	}
	c.name = name
	return c
}

func sameColumn(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

// splitCells splits a record into cells. Quotes inside a cell that is not
// quoted mean inches.
func splitCells(record []byte, delimiter byte) ([]string, error) {
	r := csv.NewReader(strings.NewReader(string(record)))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = rune(delimiter), true, -1
	return r.Read()
}

// Cells splits the text of a row as it was in the file, for reports of errors.
func Cells(record string, columns []string) []string {
	for _, delimiter := range []byte(delimiters) {
		if cells, err := splitCells([]byte(record), delimiter); err == nil && len(cells) == len(columns) {
			return cells
		}
	}
	return []string{record}
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
