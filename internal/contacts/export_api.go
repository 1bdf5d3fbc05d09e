package contacts

import (
	"context"
	"encoding/csv"
	"io"

	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/cell"
)

// exportBatch is how many contacts of an export are in memory at a time.
const exportBatch = 500

// exportAll streams the contacts that match a filter as CSV.
func (a *API) exportAll(ctx context.Context, in *ContactFilter) (*rest.Content, error) {
	f := *in
	f.Limit = exportBatch
	_, err := rest.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
		if err := f.Check("con"); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, audit.Record(ctx, tx, "contact.exported", "all", nil)
	})
	if err != nil {
		return nil, err
	}
	return &rest.Content{
		Type: "text/csv; charset=utf-8", Name: "contacts.csv", Headers: map[string]string{"Cache-Control": "private, no-store"},
		Stream: func(w io.Writer) error { return writeAll(ctx, a.DB, f, w) },
	}, nil
}

// writeAll writes contacts in batches, so that its memory doesn't grow with them.
func writeAll(ctx context.Context, d *db.DB, f ContactFilter, to io.Writer) error {
	w := csv.NewWriter(to)
	header := []string{}
	for _, c := range exportColumns {
		header = append(header, c.name)
	}
	if err := w.Write(header); err != nil {
		return err
	}
	for {
		p, err := db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) (exported, error) {
			p, err := List(ctx, tx, f)
			return exported{p.Data, p.HasMore, p.NextCursor}, err
		})
		if err != nil {
			return err
		}
		for _, c := range p.rows {
			cells := []string{}
			for _, column := range exportColumns {
				cells = append(cells, cell.Escape(column.text(c)))
			}
			if err := w.Write(cells); err != nil {
				return err
			}
		}
		if !p.more || p.next == nil {
			w.Flush()
			return w.Error()
		}
		f.StartingAfter = *p.next
	}
}
