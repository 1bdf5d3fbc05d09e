package channels

import (
	"encoding/csv"
	"io"
	"slices"
	"strings"

	"slipway/internal/vocab/cell"
	"slipway/internal/vocab/wire"
)

// csvWriter writes one row per boat. Lists are in one cell.
type csvWriter struct{ *csv.Writer }

func newCSV(w io.Writer) writer { return &csvWriter{csv.NewWriter(w)} }

var columns = slices.Concat(fields, lists)

func (c *csvWriter) begin(shop) error {
	row := []string{"id", "modified_at"}
	for _, f := range columns {
		row = append(row, f.name)
	}
	return c.Write(append(row, "photos"))
}

func (c *csvWriter) write(l listing) error {
	row := []string{l.ID, l.UpdatedAt.Format(wire.TimeFormat)}
	for _, f := range columns {
		row = append(row, cell.Escape(f.text(l)))
	}
	var urls []string
	for _, p := range l.photos {
		urls = append(urls, p.URLs.Full)
	}
	return c.Write(append(row, strings.Join(urls, " ")))
}

func (c *csvWriter) end() error {
	c.Flush()
	return c.Error()
}
