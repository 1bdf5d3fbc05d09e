package hulls

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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

// importField is a field that a file can set.
type importField struct {
	name    string
	read    func(cell string, semicolons bool) (any, error)
	aliases []string // as headers are compared: lower case, letters and digits only
}

// importFields are the fields of a CSV file, under the names that dealers'
// programs give them.
var importFields = []importField{
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
}

// fieldNamed is the field that a column of this name holds, "" if none. A
// column metadata.slip is the note slip.
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
	for _, f := range importFields {
		if plain == strings.ReplaceAll(f.name, "_", "") || slices.Contains(f.aliases, plain) {
			return f.name
		}
	}
	return ""
}

func cellText(cell string, _ bool) (any, error) { return cell, nil }

// cellWord is one of our words, however it is written: On Order is on_order.
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
		cell = strings.Replace(cell, ",", ".", 1) // where cells are parted by semicolons, the comma is for decimals
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(cell, ",", ""), 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return nil, errors.New("must be a number")
	}
	return n, nil
}

func cellWhole(cell string, _ bool) (any, error) {
	n, err := strconv.ParseInt(cell, 10, 64)
	if err != nil {
		return nil, errors.New("must be a whole number")
	}
	return float64(n), nil
}

// cellMoney reads $124,900.00. Cents would be lost, so there may be none.
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

// importRow is a row of a file: the fields it names, as JSON would have them.
type importRow struct {
	number int64
	fields map[string]any
	bad    fault.Fields
}

func (r importRow) text(field string) string {
	s, _ := r.fields[field].(string)
	return strings.TrimSpace(s)
}

// parse reads one record. An empty cell says nothing.
func (l layout) parse(number int64, record []byte) importRow {
	row := importRow{number: number, fields: map[string]any{}}
	if l.ndjson {
		row.parseJSON(record)
		return row
	}
	cells, err := splitCells(record, l.delimiter)
	if err != nil {
		row.bad.Add("row", "malformed", "cannot be read: its quotes do not match")
		return row
	}
	if len(cells) != len(l.header) {
		row.bad.Add("row", "columns", "has %d cells, the header has %d", len(cells), len(l.header))
		return row
	}
	for i, cell := range cells {
		name, cell := l.header[i], strings.TrimSpace(cell)
		if name == "" || cell == "" {
			continue
		}
		if key, ok := strings.CutPrefix(name, "metadata."); ok {
			notes, _ := row.fields["metadata"].(map[string]any)
			if notes == nil {
				notes = map[string]any{}
				row.fields["metadata"] = notes
			}
			notes[key] = cell
			continue
		}
		at := slices.IndexFunc(importFields, func(f importField) bool { return f.name == name })
		value, err := importFields[at].read(cell, l.delimiter == ';')
		if err != nil {
			row.bad.Add(name, "type", "%s", err)
			continue
		}
		row.fields[name] = value
	}
	return row
}

func (r *importRow) parseJSON(record []byte) {
	if err := wire.Check(record); err != nil {
		r.bad.Add("row", "malformed", "%s", err)
		return
	}
	if !bytes.HasPrefix(bytes.TrimSpace(record), []byte("{")) || json.Unmarshal(record, &r.fields) != nil {
		r.bad.Add("row", "type", "must be an object")
	}
}

// number is the name of a hull in a file, so that two rows for one are found.
func (r importRow) names() (names []string) {
	if s := r.text("stock_number"); s != "" {
		names = append(names, "stock_number "+s)
	}
	if s := r.text("hin"); s != "" {
		names = append(names, "hin "+strings.ToUpper(s))
	}
	return names
}

// seen are the rows that named a hull already.
type seen map[string]int64

// check refuses a row whose hull another row of the file has.
func (s seen) check(r *importRow) {
	for _, name := range r.names() {
		if first, twice := s[name]; twice {
			field, _, _ := strings.Cut(name, " ")
			r.bad.Add(field, "duplicate", "is that of row %d", first)
			continue
		}
		s[name] = r.number
	}
}

// complaints turns an error about a row into lines of the import's report;
// ok is false if the error is not about the row.
func (r importRow) complaints(err error) (lines []HullImportError, ok bool) {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind.Status >= 500 || f.Kind == fault.KindConflict && len(f.Details) == 1 && f.Details[0].Code == "stale" {
		return nil, false
	}
	for _, d := range f.Details {
		lines = append(lines, HullImportError{r.number, clipped(d.Field, 100), d.Code, clipped(d.Message, 500)})
	}
	if len(lines) == 0 {
		lines = []HullImportError{{r.number, "row", f.Kind.Code, clipped(f.Message, 500)}}
	}
	return lines, true
}

// create is the row as the request that adds its hull.
func (r importRow) create() (c HullCreate, err error) {
	c = HullCreate{Status: Available, Condition: "new", Ownership: "owned"}
	text, err := json.Marshal(r.fields)
	if err == nil {
		err = wire.Unmarshal(text, &c)
	}
	if err != nil {
		return c, fmt.Errorf("row %d: %w", r.number, err)
	}
	return c, nil
}

// changes are the fields of a row that change a hull, without its status and
// its price, which have rules of their own.
func (r importRow) changes() map[string]any {
	fields := map[string]any{}
	for name, value := range r.fields {
		if name != "status" && name != "price_usd" && name != "stock_number" {
			fields[name] = value
		}
	}
	return fields
}

// patch is the row as the request that changes its hull.
func (r importRow) patch() (p HullPatch, err error) {
	text, err := json.Marshal(r.changes())
	if err == nil {
		err = wire.Unmarshal(text, &p)
	}
	if err != nil {
		return p, fmt.Errorf("row %d: %w", r.number, err)
	}
	return p, nil
}
