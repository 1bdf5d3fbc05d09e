package sheet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/hin"
	"slipway/internal/vocab/wire"
)

// Row is a row of a file. Fields has the same form as JSON.
type Row struct {
	Number int64 // as in a spreadsheet
	Fields map[string]any
	Bad    fault.Fields
	Notes  []Note
	Record []byte // the text of the row, nil if it is too long

	SameAs int64    // an earlier row with the same email or phone, of a file of contacts
	SameBy []string // which of them
}

// Note is something about a value that the dealership should know. The row is still
// imported.
type Note struct{ Field, Code, Message string }

// Note adds a note.
func (r *Row) Note(field, code, message string) {
	r.Notes = append(r.Notes, Note{field, code, message})
}

// Text returns the value of a field as text.
func (r Row) Text(field string) string {
	s, _ := r.Fields[field].(string)
	return strings.TrimSpace(s)
}

// parse reads one record. It skips empty cells.
func (l layout) parse(number int64, record []byte) Row {
	row := Row{Number: number, Fields: map[string]any{}, Record: record}
	if l.NDJSON {
		row.parseJSON(record)
		row.rename(l.Map)
		row.finish(l)
		return row
	}

	cells, err := splitCells(record, l.delimiter)
	if err != nil {
		row.Bad.Add("row", "malformed", "has quotes that don't match")
		return row
	}
	row.setCells(cells, l)
	row.finish(l)
	return row
}

// setCells reads the cells of a row.
func (r *Row) setCells(cells []string, l layout) {
	if len(cells) != len(l.columns) {
		r.Bad.Add("row", "columns", "has %d cells, but the header has %d", len(cells), len(l.columns))
		return
	}
	for _, i := range l.order {
		if cell := strings.TrimSpace(unescape(cells[i])); cell != "" {
			r.set(l.columns[i], cell, l)
		}
	}
}

// finish reads what several cells say together.
func (r *Row) finish(l layout) {
	switch {
	case l.Subject == Contacts:
		r.finishContact()
	case !l.NDJSON:
		r.splitTotal()
	}
}

// costParts are the fields that a total contains.
var costParts = []string{"freight_usd", "rigging_usd", "pack_usd", "reconditioning_usd"}

// splitTotal turns the total cost into the invoice: a total contains its parts, so they would
// be counted twice. A total next to an invoice is only compared.
func (r *Row) splitTotal() {
	total, ok := r.Fields[totalCost].(float64)
	delete(r.Fields, totalCost)
	if !ok || total == 0 {
		return
	}
	parts := 0.0
	for _, name := range costParts {
		part, _ := r.Fields[name].(float64)
		parts += part
	}
	invoice, _ := r.Fields["invoice_usd"].(float64)
	switch rest := math.Round((total-parts)*100) / 100; {
	case invoice != 0 && math.Abs(invoice-rest) >= 0.01:
		r.Note(totalCost, "difference", fmt.Sprintf("%.2f is not the sum of the costs, %.2f, and was ignored", total, invoice+parts))
	case invoice != 0:
	case rest < 0:
		r.Bad.Add(totalCost, "minimum", "must be at least the sum of its parts, %.2f", parts)
	default:
		r.Fields["invoice_usd"] = rest
	}
}

// set reads a cell. A column that is preferred comes first. The others are read if
// its cell is empty or 0.
func (r *Row) set(c column, cell string, l layout) {
	if was, ok := r.Fields[c.field]; ok && was != any(0.0) && !isList(c.field) {
		return
	}
	if key, ok := strings.CutPrefix(c.field, "metadata."); ok {
		metadata, _ := r.Fields["metadata"].(map[string]any)
		if metadata == nil {
			metadata = map[string]any{}
			r.Fields["metadata"] = metadata
		}
		if _, ok := metadata[key]; !ok {
			metadata[key] = cell
		}
		return
	}

	if value, ok := l.Words.find(c.field, cell); ok {
		if value != "" {
			r.Fields[c.field] = value
		}
		return
	}
	value, n, err := c.read(cell, l)
	if err != nil {
		r.Bad.Add(c.field, "type", "%s", err)
		return
	}
	if n != nil {
		r.Note(c.field, n.code, n.message)
	}
	switch v := value.(type) {
	case nil:
	case category:
		r.Fields["category"] = string(v)
	case class:
		if _, ok := r.Fields["boat_class"]; !ok {
			r.Fields["boat_class"] = string(v)
		}
	case trailerVIN:
		if _, ok := r.Fields["trailer_vin"]; !ok {
			r.Fields["trailer_vin"] = string(v)
		}
	case engineText:
		r.setEngine(c.field, v)
	case fullName:
		r.setName(string(v))
	case []any:
		before, _ := r.Fields[c.field].([]any)
		r.Fields[c.field] = append(before, v...)
	case float64:
		if _, ok := r.Fields[c.field]; !ok || v != 0 {
			r.Fields[c.field] = v
		}
	default:
		r.Fields[c.field] = v
	}
}

// unescape removes the quote that keeps a spreadsheet from running a cell as a
// formula.
func unescape(cell string) string {
	if len(cell) > 1 && cell[0] == '\'' && strings.ContainsRune("=+-@|%", rune(cell[1])) {
		return cell[1:]
	}
	return cell
}

func (r *Row) parseJSON(record []byte) {
	if err := wire.Check(record); err != nil {
		r.Bad.Add("row", "malformed", "%s", err)
		return
	}
	if !bytes.HasPrefix(bytes.TrimSpace(record), []byte("{")) || json.Unmarshal(record, &r.Fields) != nil {
		r.Bad.Add("row", "type", "must be an object")
	}
}

// rename changes the names of JSON fields to those of the map.
func (r *Row) rename(names map[string]string) {
	for from, to := range names {
		value, ok := r.Fields[from]
		if !ok {
			continue
		}
		delete(r.Fields, from)
		if key, isMetadata := strings.CutPrefix(to, "metadata."); isMetadata {
			metadata, _ := r.Fields["metadata"].(map[string]any)
			if metadata == nil {
				metadata = map[string]any{}
			}
			metadata[key], r.Fields["metadata"] = value, metadata
		} else if to != "" {
			r.Fields[to] = value
		}
	}
}

// HIN returns the hull identification number as it is stored, or "" if the row has
// none or an invalid one.
func (r Row) HIN() string {
	text := r.Text("hin")
	if text == "" {
		return ""
	}
	d := hin.Decode(text, time.Time{})
	if !d.Valid || d.Normalized == nil {
		return ""
	}
	return *d.Normalized
}

// keys identify the hull or the contact of a row, to find two rows for the same one.
func (r Row) keys(s Subject) (keys []string) {
	if s == Contacts {
		return r.Addresses()
	}
	if s := r.Text("stock_number"); s != "" {
		keys = append(keys, "stock_number "+s)
	}
	if s := r.HIN(); s != "" {
		keys = append(keys, "hin "+s)
	} else if s := r.Text("hin"); s != "" {
		keys = append(keys, "hin "+strings.ToUpper(s))
	}
	return keys
}

// Identified reports whether the row names its hull.
func (r Row) Identified() bool { return len(r.keys(Hulls)) > 0 }

// Seen has the first row of each hull in a file, by stock number and HIN.
type Seen map[string]int64

// Has reports whether a hull with one of these numbers is in the file.
func (s Seen) Has(stockNumber, hin *string) bool {
	for prefix, number := range map[string]*string{"stock_number ": stockNumber, "hin ": hin} {
		if number == nil {
			continue
		}
		if _, ok := s[prefix+*number]; ok {
			return true
		}
	}
	return false
}

// check marks a row whose hull is also in an earlier row. A contact can be in several rows.
func (s Seen) check(r *Row, about Subject) {
	if about == Contacts && len(r.Bad) > 0 {
		return
	}
	for _, key := range r.keys(about) {
		first, ok := s[key]
		field, _, _ := strings.Cut(key, " ")
		switch {
		case !ok:
			s[key] = r.Number
		case about == Contacts:
			r.SameBy = append(r.SameBy, field)
			if r.SameAs == 0 || first < r.SameAs {
				r.SameAs = first
			}
		default:
			r.Bad.Add(field, "duplicate", "is already used by row %d", first)
		}
	}
}
