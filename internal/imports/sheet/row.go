package sheet

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/search"
	"slipway/internal/vocab/wire"
)

// field is a field of a hull that a file can set.
type field struct {
	name    string
	read    func(cell string, semicolons bool) (any, error)
	aliases []string // as headers are compared: lower case, letters and digits only
}

// fields are the fields of a CSV file, with the column names that dealer
// software uses.
var fields = []field{
	{"stock_number", cellText, []string{"stock", "stockno", "stocknum", "stocknr", "stockid", "unitnumber", "unitno"}},
	{"hin", cellText, []string{"hullid", "hullidentificationnumber", "hinnumber", "hullnumber", "serialnumber", "serial"}},
	{"hin_absent_reason", cellWord, nil},
	{"make", cellText, []string{"manufacturer", "brand", "builder"}},
	{"model", cellText, []string{"modelname"}},
	{"year", cellWhole, []string{"modelyear", "yr"}},
	{"length_ft", cellNumber, []string{"length", "loa", "lengthfeet", "lengthoverall", "loaft"}},
	{"price_usd", cellMoney, []string{"price", "askingprice", "listprice", "saleprice", "retailprice"}},
	{"location_id", cellText, []string{"location", "locationcode", "lot", "store"}},
	{"status", cellWord, []string{"availability"}},
	{"condition", cellCondition, []string{"newused", "neworused", "newusedcode"}},
	{"category", cellWord, []string{"boatcategory", "boattype"}},
	{"boat_class", cellClass, []string{"class"}},
	{"title", cellText, []string{"headline"}},
	{"description", cellText, []string{"comments", "remarks", "details"}},
	{"ownership", cellWord, nil},
	{"received_on", cellDate, []string{"received", "datereceived", "receiveddate", "dateinstock", "instockdate"}},
	{"previous_hull_id", cellText, nil},
	{"hours", cellHours, []string{"hrs", "enginehours", "enginehrs", "motorhours", "totalhours", "hoursused"}}, // of the engine
}

// fieldNamed returns the field of a column with this name, or "". The column
// metadata.slip is the metadata key slip.
func fieldNamed(column string) string {
	column = strings.TrimSpace(column)
	if key, ok := strings.CutPrefix(column, "metadata."); ok && key != "" {
		return column
	}
	plain := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, search.Fold(column))
	for _, f := range fields {
		if plain == strings.ReplaceAll(f.name, "_", "") || slices.Contains(f.aliases, plain) {
			return f.name
		}
	}
	return ""
}

func cellText(cell string, _ bool) (any, error) { return cell, nil }

// cellWord reads an enum value in other spellings: On Order is on_order.
func cellWord(cell string, _ bool) (any, error) {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(cell)), nil
}

func cellClass(cell string, _ bool) (any, error) { return strings.ToLower(cell), nil }

func cellCondition(cell string, _ bool) (any, error) {
	switch word := strings.ToLower(cell); word {
	case "n":
		return "new", nil
	case "u", "pre-owned", "preowned", "pre owned":
		return "used", nil
	default:
		return word, nil
	}
}

func cellNumber(cell string, semicolons bool) (any, error) {
	cell = strings.TrimSpace(strings.TrimRight(strings.ToLower(cell), "feti.' "))
	if semicolons && strings.Count(cell, ",") == 1 && !strings.Contains(cell, ".") {
		cell = strings.Replace(cell, ",", ".", 1) // with semicolons between cells, the comma is a decimal separator
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(cell, ",", ""), 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return nil, errors.New("must be a number")
	}
	return n, nil
}

func cellHours(cell string, semicolons bool) (any, error) {
	return cellNumber(strings.TrimRight(strings.ToLower(cell), "hours. "), semicolons)
}

func cellWhole(cell string, _ bool) (any, error) {
	n, err := strconv.ParseInt(cell, 10, 64)
	if err != nil {
		return nil, errors.New("must be a whole number")
	}
	return float64(n), nil
}

// cellMoney reads $124,900.00. Prices have no cents, so other cents than 00 are rejected.
func cellMoney(cell string, semicolons bool) (any, error) {
	cell = strings.TrimSpace(strings.NewReplacer("$", "", "USD", "", "usd", "", "\u00a0", "", " ", "").Replace(cell))
	if semicolons && len(cell) > 3 && cell[len(cell)-3] == ',' {
		cell = strings.ReplaceAll(cell[:len(cell)-3], ".", "") + "." + cell[len(cell)-2:]
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(cell, ",", ""), 64)
	if err != nil || n != math.Trunc(n) || math.Abs(n) > 1e15 {
		return nil, errors.New("must be whole dollars")
	}
	return n, nil
}

func cellDate(cell string, _ bool) (any, error) {
	for _, form := range []string{time.DateOnly, "1/2/2006", time.RFC3339} {
		if t, err := time.Parse(form, cell); err == nil {
			return t.Format(time.DateOnly), nil
		}
	}
	return nil, errors.New("must be a date such as 2026-05-01 or 5/1/2026")
}

// Row is a row of a file. Fields has the same form as JSON.
type Row struct {
	Number int64 // as in a spreadsheet
	Fields map[string]any
	Bad    fault.Fields
}

// Text returns the value of a field as text.
func (r Row) Text(field string) string {
	s, _ := r.Fields[field].(string)
	return strings.TrimSpace(s)
}

// parse reads one record. It skips empty cells.
func (l layout) parse(number int64, record []byte) Row {
	row := Row{Number: number, Fields: map[string]any{}}
	if l.ndjson {
		row.parseJSON(record)
		return row
	}

	cells, err := splitCells(record, l.delimiter)
	if err != nil {
		row.Bad.Add("row", "malformed", "has quotes that don't match")
		return row
	}

	if len(cells) != len(l.header) {
		row.Bad.Add("row", "columns", "has %d cells, but the header has %d", len(cells), len(l.header))
		return row
	}
	for i, cell := range cells {
		name, cell := l.header[i], strings.TrimSpace(cell)
		if name == "" || cell == "" {
			continue
		}
		if key, ok := strings.CutPrefix(name, "metadata."); ok {
			metadata, _ := row.Fields["metadata"].(map[string]any)
			if metadata == nil {
				metadata = map[string]any{}
				row.Fields["metadata"] = metadata
			}
			metadata[key] = cell
			continue
		}

		at := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
		value, err := fields[at].read(cell, l.delimiter == ';')
		if err != nil {
			row.Bad.Add(name, "type", "%s", err)
			continue
		}

		row.Fields[name] = value
	}

	return row
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

// keys identify the hull of a row, to find two rows for the same hull.
func (r Row) keys() (keys []string) {
	if s := r.Text("stock_number"); s != "" {
		keys = append(keys, "stock_number "+s)
	}
	if s := r.Text("hin"); s != "" {
		keys = append(keys, "hin "+strings.ToUpper(s))
	}
	return keys
}

// Seen has the first row of each hull in a file, by stock number and HIN.
type Seen map[string]int64

// check marks a row whose hull is also in an earlier row.
func (s Seen) check(r *Row) {
	for _, key := range r.keys() {
		if first, ok := s[key]; ok {
			field, _, _ := strings.Cut(key, " ")
			r.Bad.Add(field, "duplicate", "is already used by row %d", first)
			continue
		}
		s[key] = r.Number
	}
}
