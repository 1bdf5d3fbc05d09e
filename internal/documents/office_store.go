package documents

import (
	"context"
	"time"

	"slipway/internal/deals"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/page"
)

// DocumentFilter are the filters of the list of the documents of all deals.
type DocumentFilter struct {
	page.Query
	Kind          DocumentKind   `query:"kind" doc:"Only documents of this kind."`
	Status        DocumentStatus `query:"status" doc:"Only documents with this status."`
	LocationID    string         `query:"location_id" maxLength:"1000" doc:"Only objects of deals about hulls at this location. Several are separated by commas."`
	CreatedAfter  time.Time      `query:"created_after" doc:"Only objects created after this time."`
	CreatedBefore time.Time      `query:"created_before" doc:"Only objects created before this time."`
}

func (f DocumentFilter) where() *db.Where {
	w := &db.Where{}
	w.AndIf(f.Kind != "", "kind = ?", f.Kind)
	w.AndIf(f.Status != "", "status = ?", f.Status)
	w.AndCreated("id", documents.Prefix, f.CreatedAfter, f.CreatedBefore)
	return w
}

// ListDocuments returns the documents of all deals that match.
func ListDocuments(ctx context.Context, tx *db.Tx, f DocumentFilter) (page.Page[Document], error) {
	w := f.where()
	if f.LocationID != "" {
		cond, args, err := deals.AtLocation(ctx, tx, "documents.deal_id", f.LocationID)
		if err != nil {
			return page.Page[Document]{}, err
		}
		w.And(cond, args...)
	}
	return documents.List(ctx, tx, f.Query, w)
}

// FindByNumber returns the documents with a number: one, or none.
func FindByNumber(ctx context.Context, tx *db.Tx, number int64) ([]Document, error) {
	return db.All[Document](ctx, tx, `SELECT {cols} FROM documents WHERE env = ? AND number = ?`, tx.Env, number)
}

// FindAll returns the documents with these IDs that exist.
func FindAll(ctx context.Context, tx *db.Tx, ids []string) ([]Document, error) {
	marks, args := db.In(ids)
	return db.All[Document](ctx, tx, `SELECT {cols} FROM documents WHERE env = ? AND id IN `+marks, append([]any{tx.Env}, args...)...)
}
