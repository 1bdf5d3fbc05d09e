package reports

import (
	"bytes"
	"encoding/csv"
	"strconv"

	"slipway/internal/vocab/cell"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/money"
)

// sheet is a table of a report, for CSV.
type sheet struct {
	name    string
	columns []string
	rows    [][]string
}

// tabular is a report with tables. The first one is the default.
type tabular interface{ sheets() []sheet }

func (s *sheet) add(cells ...string) { s.rows = append(s.rows, cells) }

// sheetNamed returns a table of a report.
func sheetNamed(r tabular, name string) (sheet, error) {
	all := r.sheets()
	if name == "" {
		return all[0], nil
	}
	names := ""
	for _, s := range all {
		if s.name == name {
			return s, nil
		}
		names += ", " + s.name
	}
	var bad fault.Fields
	bad.Add("table", "enum", "must be one of %s", names[2:])
	return sheet{}, rejected(bad)
}

// csv returns the table as CSV.
func (s sheet) csv() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if err := w.Write(s.columns); err != nil {
		return nil, err
	}
	err := w.WriteAll(s.rows)
	return b.Bytes(), err
}

// The types of cells. Null is an empty cell. Only text can be a formula: an amount
// can be negative.

func text(s string) string { return cell.Escape(s) }

func optional(s *string) string {
	if s == nil {
		return ""
	}
	return text(*s)
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

func optionalNumber(n *int64) string {
	if n == nil {
		return ""
	}
	return number(*n)
}

// dollars formats an amount for spreadsheets: 1234.56 or -20.00.
func dollars(cents int64) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	part := strconv.FormatInt(cents%100, 10)
	if len(part) == 1 {
		part = "0" + part
	}
	return sign + strconv.FormatInt(cents/100, 10) + "." + part
}

func optionalDollars(cents *int64) string {
	if cents == nil {
		return ""
	}
	return dollars(*cents)
}

func optionalPercent(p *money.Percent) string {
	if p == nil {
		return ""
	}
	return string(*p)
}
