package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"slipway/internal/vocab/cell"
)

// printer prints responses in the format of the command line.
type printer struct {
	s      *Session
	out    io.Writer
	format string
	jq     string
	limit  int     // of --limit, or 0
	result string  // type of the response, which chooses the columns
	client *Client // looks up names

	names map[string]string // of what the response refers to, by ID
}

func newPrinter(s *Session, p parsed, command string) (*printer, error) {
	format := p.last("output")
	switch {
	case format == "" && s.Terminal:
		format = "table"
	case format == "":
		format = "json"
	case !slices.Contains(formats, format):
		return nil, &UsageError{"--output must be " + strings.Join(formats[:len(formats)-1], ", ") + " or " + formats[len(formats)-1], command}
	}
	out := &printer{s: s, out: s.Out, format: format, jq: p.last("jq"), names: map[string]string{}}
	if out.jq != "" {
		if err := checkFilter(out.jq); err != nil {
			return nil, &UsageError{"--jq: " + err.Error(), command}
		}
	}
	return out, nil
}

// streams reports whether items can be printed page by page.
func (p *printer) streams() bool { return p.jq == "" && (p.format == "jsonl" || p.format == "id") }

// isTable reports whether the output is for people.
func (p *printer) isTable() bool { return p.jq == "" && (p.format == "table" || p.format == "wide") }

// isExport reports whether the output is for a file or a program that can't see whether
// there are more pages.
func (p *printer) isExport() bool {
	return p.jq == "" && slices.Contains([]string{"csv", "jsonl", "id"}, p.format)
}

// page prints a page of a list. If it leaves out items, it says so.
func (p *printer) page(ctx context.Context, text []byte) error {
	if p.jq == "" && p.format == "json" { // has has_more
		return p.json(text)
	}
	var page struct {
		Data    []json.RawMessage
		HasMore bool `json:"has_more"`
	}
	err := json.Unmarshal(text, &page)
	switch {
	case err != nil:
	case p.jq != "":
		err = p.json(text)
	default:
		err = p.items(ctx, page.Data)
	}
	if err != nil || !page.HasMore {
		return err
	}
	more := "There are more. To list all, add --all."
	if p.limit > 0 {
		more = fmt.Sprintf("There are more. --limit is %d.", p.limit)
	}
	_, err = fmt.Fprintln(p.s.Err, more)
	return err
}

// items prints the items of a list.
func (p *printer) items(ctx context.Context, items []json.RawMessage) error {
	switch p.format {
	case "jsonl":
		for _, item := range items {
			if _, err := fmt.Fprintf(p.out, "%s\n", item); err != nil {
				return err
			}
		}
		return nil
	case "id":
		for _, item := range items {
			if err := p.id(item); err != nil {
				return err
			}
		}
		return nil
	case "csv":
		return p.csv(items)
	}
	if len(items) == 0 && p.s.Terminal {
		_, err := fmt.Fprintln(p.s.Err, "Nothing found.")
		return err
	}
	return p.table(ctx, items)
}

// object prints one resource.
func (p *printer) object(ctx context.Context, text []byte) error {
	if len(bytes.TrimSpace(text)) == 0 { // 204
		if p.s.Terminal && p.format == "table" {
			_, err := fmt.Fprintln(p.s.Err, "Done.")
			return err
		}
		return nil
	}
	if p.jq != "" || p.format == "json" {
		return p.json(text)
	}
	switch p.format {
	case "jsonl":
		var line bytes.Buffer
		if err := json.Compact(&line, text); err != nil {
			return err
		}
		_, err := fmt.Fprintf(p.out, "%s\n", line.Bytes())
		return err
	case "id":
		return p.id(text)
	case "csv":
		return p.csv([]json.RawMessage{text})
	}
	return p.details(ctx, text)
}

// json prints JSON, or the result of the filter.
func (p *printer) json(text []byte) error {
	if p.jq != "" {
		return filter(p.out, p.jq, text)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.out, "%s\n", bytes.TrimSpace(out.Bytes()))
	return err
}

func (p *printer) id(item json.RawMessage) error {
	var row map[string]any
	if err := json.Unmarshal(item, &row); err != nil {
		return err
	}
	for _, name := range []string{"id", "hull_id", "number", "normalized", "count"} {
		if v, ok := row[name]; ok && v != nil {
			_, err := fmt.Fprintln(p.out, plainText(v))
			return err
		}
	}
	return fmt.Errorf("the response has no ID. Use another --output")
}

// csv prints all plain fields of the items, with the values of the API.
func (p *printer) csv(items []json.RawMessage) error {
	var header []string
	var rows []map[string]any
	for _, item := range items {
		fields, err := fieldsOf(item, "")
		if err != nil {
			return err
		}
		row := map[string]any{}
		for _, f := range fields {
			if !slices.Contains(header, f.name) {
				header = append(header, f.name)
			}
			row[f.name] = f.value
		}
		rows = append(rows, row)
	}
	if len(header) == 0 {
		return nil
	}

	w := csv.NewWriter(p.out)
	if err := w.Write(header); err != nil {
		return err
	}
	for _, row := range rows {
		line := make([]string, len(header))
		for i, name := range header {
			line[i] = cell.Escape(plainText(row[name]))
		}
		if err := w.Write(line); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// field is a plain value, with the path to it.
type field struct {
	name  string
	value any
	raw   []json.RawMessage // items of a list of objects
}

// fieldsOf returns the plain values of an object in their order. Objects become several
// fields, such as address.city. Lists of objects become their number.
func fieldsOf(text json.RawMessage, prefix string) (all []field, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, err
		}
		name := prefix + token.(string) //nolint:forcetypeassert // keys are strings
		if raw[0] == '{' && !isMoney(raw) {
			nested, err := fieldsOf(raw, name+".")
			if err != nil {
				return nil, err
			}
			all = append(all, nested...)
			continue
		}
		var value any
		one := json.NewDecoder(bytes.NewReader(raw))
		one.UseNumber()
		if err := one.Decode(&value); err != nil {
			return nil, err
		}
		f := field{name: name, value: value}
		if isObjects(value) {
			if err := json.Unmarshal(raw, &f.raw); err != nil {
				return nil, err
			}
		}
		all = append(all, f)
	}
	return all, nil
}

// isMoney reports whether an object is an amount of the preview.
func isMoney(raw json.RawMessage) bool {
	var m map[string]any
	return json.Unmarshal(raw, &m) == nil && len(m) == 2 && m["amount"] != nil && m["currency"] != nil
}

// plainText returns a value as the API writes it.
func plainText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return fmt.Sprint(v)
	case []any:
		var parts []string
		for _, item := range v {
			if _, isObject := item.(map[string]any); isObject {
				return fmt.Sprint(len(v))
			}
			parts = append(parts, plainText(item))
		}
		return strings.Join(parts, ";")
	case map[string]any:
		if v["amount"] != nil {
			return plainText(v["amount"])
		}
	}
	return fmt.Sprint(v)
}
