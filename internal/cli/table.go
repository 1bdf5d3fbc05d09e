package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// column is a column of a table: fields that are joined by spaces, and a header.
type column struct {
	fields []string
	header string
}

// parseColumns parses "stock_number:STOCK year+make+model:BOAT status".
func parseColumns(text string) (all []column) {
	for spec := range strings.FieldsSeq(text) {
		path, title, found := strings.Cut(spec, ":")
		if !found {
			title = path
		}
		all = append(all, column{strings.Split(path, "+"), header(title)})
	}
	return all
}

// header returns the header of a field, without units.
func header(name string) string {
	for _, suffix := range []string{"_usd", "_cents", "_at", "_on", "_id"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return strings.ToUpper(strings.NewReplacer("_", " ", ".", " ").Replace(printable(name)))
}

// usual are the fields that tables of other types show.
var usual = []string{
	"id", "number", "name", "title", "email", "type", "kind", "channel", "status", "state", "amount_cents", "amount_usd", "at", "created_at",
}

// columnsFor returns the columns of a type, or useful ones for a type without.
func (p *printer) columnsFor(row map[string]any) []column {
	short, wide, known := strings.Cut(columns[p.result], "/")
	if columns[p.result] == "" {
		for _, name := range usual {
			if _, ok := row[name]; ok {
				short += " " + name
			}
		}
		known = false
	}
	if p.format == "wide" {
		if known {
			short += " " + wide
		}
		if row["id"] != nil && !slices.Contains(strings.Fields(short), "id") {
			short = "id " + short
		}
	}
	return parseColumns(short)
}

// table prints rows below a header.
func (p *printer) table(ctx context.Context, items []json.RawMessage) error {
	if len(items) == 0 {
		return nil
	}
	var rows []map[string]any
	for _, item := range items {
		row, err := decodeRow(item)
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	return p.rows(ctx, rows, p.columnsFor(rows[0]))
}

func decodeRow(text []byte) (row map[string]any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return row, d.Decode(&row)
}

// rows prints the columns of rows. Numbers are on the right.
func (p *printer) rows(ctx context.Context, rows []map[string]any, cols []column) error {
	p.loadNames(ctx, rows, cols)
	lines := [][]string{{}}
	form := layout{right: make([]bool, len(cols)), whole: make([]bool, len(cols))}
	for i, c := range cols {
		lines[0] = append(lines[0], c.header)
		form.right[i] = isNumeric(rows, c)
		form.whole[i] = c.fields[0] == "id" || strings.HasSuffix(c.fields[0], "_at")
	}
	for _, row := range rows {
		var line []string
		for _, c := range cols {
			line = append(line, p.cell(row, c))
		}
		lines = append(lines, line)
	}
	return p.align(lines, form)
}

// isNumeric reports whether the values of a column are numbers or amounts.
func isNumeric(rows []map[string]any, c column) (numeric bool) {
	if len(c.fields) > 1 {
		return false
	}
	for _, row := range rows {
		switch v := valueAt(row, c.fields[0]).(type) {
		case nil:
			continue
		case json.Number:
		case string: // percentages are exact
			if !strings.HasSuffix(c.fields[0], "_percent") {
				return false
			}
		case map[string]any:
			if v["amount"] == nil || v["currency"] == nil {
				return false
			}
		default:
			return false
		}
		numeric = true
	}
	return numeric
}

// cell returns the text of a column.
func (p *printer) cell(row map[string]any, c column) string {
	var parts []string
	for _, path := range c.fields {
		if text := p.show(path, valueAt(row, path)); text != "" {
			parts = append(parts, text)
		}
	}
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, " ")
}

// valueAt returns the value of a path such as actor.label. In the preview, price_usd is the
// amount price.
func valueAt(row map[string]any, path string) any {
	name, rest, nested := strings.Cut(path, ".")
	v, ok := row[name]
	if !ok {
		for _, suffix := range []string{"_usd", "_cents"} {
			if v, ok = row[strings.TrimSuffix(name, suffix)]; ok {
				break
			}
		}
	}
	if !nested {
		return v
	}
	object, _ := v.(map[string]any)
	return valueAt(object, rest)
}

// show returns a value for people: US money and dates, local times.
func (p *printer) show(path string, v any) string {
	name := path[strings.LastIndex(path, ".")+1:]
	switch v := v.(type) {
	case json.Number:
		switch {
		case strings.HasSuffix(name, "_usd"):
			return dollars(v.String(), 0)
		case strings.HasSuffix(name, "_cents"):
			return dollars(v.String(), 2)
		}
		return v.String()
	case map[string]any:
		if amount, ok := v["amount"].(json.Number); ok && v["currency"] != nil {
			text := dollars(amount.String(), 2)
			if strings.HasSuffix(name, "_usd") { // whole dollars in /v1
				text = strings.TrimSuffix(text, ".00")
			}
			return text
		}
		return printable(titleOf(v))
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case string:
		if found := p.names[v]; found != "" && path != "id" {
			return printable(found)
		}
		return printable(usTime(name, v))
	case []any:
		var parts []string
		for _, item := range v {
			text := p.show("", item)
			if text == "" {
				return strconv.Itoa(len(v))
			}
			parts = append(parts, text)
		}
		return strings.Join(parts, ", ")
	}
	return ""
}

// usTime formats a time or a date of a field.
func usTime(name, text string) string {
	if name != "at" && !strings.HasSuffix(name, "_at") && !strings.HasSuffix(name, "_on") {
		return text
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t.Local().Format("Jan 2, 2006 3:04 PM")
	}
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return t.Format("Jan 2, 2006")
	}
	return text
}

// dollars formats an integer of dollars, or of cents if there are 2 digits after the point.
func dollars(text string, digits int) string {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return text
	}
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	cents := ""
	if digits == 2 {
		cents = fmt.Sprintf(".%02d", n%100)
		n /= 100
	}
	whole := strconv.FormatInt(n, 10)
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return sign + "$" + whole + cents
}

// printable removes what clients could have sent to control the terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case !unicode.IsPrint(r):
			return '?'
		}
		return r
	}, s)
}

// layout is how columns are printed.
type layout struct {
	right []bool // numbers
	whole []bool // IDs and times, which are useless if they are shortened
}

// align prints lines in columns. On a terminal, it makes the lines fit, except with wide.
func (p *printer) align(lines [][]string, form layout) error {
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, text := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	if p.s.Terminal && p.s.Width > 0 && p.format != "wide" {
		widths = fit(widths, form.whole, p.s.Width)
	}

	var b strings.Builder
	for n, line := range lines {
		var text strings.Builder
		for i, value := range line[:len(widths)] {
			if i > 0 {
				text.WriteString("  ")
			}
			if runes := []rune(value); len(runes) > widths[i] {
				value = string(runes[:widths[i]-1]) + "…"
			}
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(value))
			if form.right[i] {
				text.WriteString(pad + value)
			} else {
				text.WriteString(value + pad)
			}
		}
		row := strings.TrimRight(text.String(), " ")
		if n == 0 && p.s.Color {
			row = "\x1b[1m" + row + "\x1b[0m"
		}
		b.WriteString(row + "\n")
	}
	_, err := p.out.Write([]byte(b.String()))
	return err
}

// fit shortens the widest columns until a line fits, except for those that stay whole. It
// leaves out the last columns if all would be too short.
func fit(widths []int, whole []bool, width int) []int {
	const least = 12
	for ; len(widths) > 2; widths = widths[:len(widths)-1] {
		total := 2 * (len(widths) - 1)
		for i, w := range widths {
			if !whole[i] {
				w = min(w, least)
			}
			total += w
		}
		if total <= width {
			break
		}
	}

	for {
		total, widest := 2*(len(widths)-1), -1
		for i, w := range widths {
			total += w
			if !whole[i] && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if total <= width || widest < 0 || widths[widest] <= least {
			return widths
		}
		widths[widest] = max(least, widths[widest]-(total-width))
	}
}
