package sheet

import (
	"bytes"
	"encoding/csv"
	"maps"
	"slices"
	"strings"
)

// Repair replaces the cells of a row. Fields has the texts of fields that have no column in the
// file.
type Repair struct {
	Cells  []string
	Fields map[string]string
}

// Repaired returns a row after its repair.
func (r *Reader) Repaired(number int64, p Repair) Row {
	row := Row{Number: number, Fields: map[string]any{}, Record: r.layout.record(p.Cells)}
	row.setCells(p.Cells, r.layout)
	for _, name := range slices.Sorted(maps.Keys(p.Fields)) {
		if c, ok := r.layout.Subject.fieldNamed(name); ok && strings.TrimSpace(p.Fields[name]) != "" {
			delete(row.Fields, name)
			row.set(c, strings.TrimSpace(p.Fields[name]), r.layout)
		}
	}
	row.finish(r.layout)
	return row
}

// record returns cells as a line of the file.
func (l layout) record(cells []string) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Comma = rune(l.delimiter)
	_ = w.Write(cells)
	w.Flush()
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Fields returns the field of each column, "" for one that is ignored.
func (r *Reader) Fields() (fields []string) {
	for _, c := range r.layout.columns {
		fields = append(fields, c.field)
	}
	return fields
}
