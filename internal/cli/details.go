package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// details prints the fields of one resource below each other, and then tables of its lists.
// Without wide, it leaves out those that are null.
func (p *printer) details(ctx context.Context, text []byte) error {
	fields, err := fieldsOf(text, "")
	if err != nil { // a list, or text
		return p.json(text)
	}
	row, err := decodeRow(text)
	if err != nil {
		return err
	}
	p.expandNames(ctx, row)
	p.loadNames(ctx, []map[string]any{row}, columnsOf(fields))

	var lines [][2]string
	var lists []field
	width := 0
	for _, f := range fields {
		if isObjects(f.value) {
			lists = append(lists, f)
			continue
		}
		value := p.show(f.name, f.value)
		if id, ok := f.value.(string); ok && p.names[id] != "" && f.name != "id" {
			value += " (" + id + ")"
		}
		if list, ok := f.value.([]any); ok && len(list) == 0 {
			value = ""
		}
		if value == "" && p.format != "wide" {
			continue
		}
		lines = append(lines, [2]string{printable(f.name), value})
		width = max(width, len(f.name))
	}

	var b strings.Builder
	for _, line := range lines {
		name := fmt.Sprintf("%-*s", width, line[0])
		if p.s.Color {
			name = "\x1b[1m" + name + "\x1b[0m"
		}
		b.WriteString(strings.TrimRight(name+"  "+line[1], " ") + "\n")
	}
	if err := printText(p.out, b.String()); err != nil {
		return err
	}
	return p.lists(ctx, lists, b.Len() > 0)
}

// isObjects reports whether a value is a list of objects.
func isObjects(v any) bool {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return false
	}
	_, ok = list[0].(map[string]any)
	return ok
}

// maxColumns is how many columns the table of a list has, without wide.
const maxColumns = 8

// lists prints a table for each list of a resource.
func (p *printer) lists(ctx context.Context, lists []field, below bool) error {
	for _, f := range lists {
		var rows []map[string]any
		var cols []column
		for _, item := range f.raw {
			row, err := decodeRow(item)
			if err != nil {
				return err
			}
			fields, err := fieldsOf(item, "")
			if err != nil {
				return err
			}
			rows = append(rows, row)
			for _, c := range columnsOf(fields) { // those that have a value
				if p.cell(row, c) != "-" && !slices.ContainsFunc(cols, func(o column) bool { return o.header == c.header }) {
					cols = append(cols, c)
				}
			}
		}
		if p.format != "wide" {
			cols = cols[:min(len(cols), maxColumns)]
		}
		title := printable(f.name) + ":\n"
		if below {
			title = "\n" + title
		}
		if err := printText(p.out, title); err != nil {
			return err
		}
		if err := p.rows(ctx, rows, cols); err != nil {
			return err
		}
		below = true
	}
	return nil
}

// columnsOf returns a column for each field.
func columnsOf(fields []field) (all []column) {
	for _, f := range fields {
		all = append(all, column{[]string{f.name}, header(f.name)})
	}
	return all
}
