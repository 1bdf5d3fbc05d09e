package site

import (
	"context"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/fault"
)

// Maintenance is a time during which the installation accepts no writes.
type Maintenance struct {
	ID         int64     `db:"id"` // always 1
	Message    string    `db:"message"`
	RetryAfter int64     `db:"retry_after"` // seconds
	Since      time.Time `db:"since"`
}

// Fault returns the response to a write.
func (m *Maintenance) Fault() *fault.Error {
	return fault.Unavailable("%s", m.Message).RetryIn(time.Duration(m.RetryAfter) * time.Second)
}

// StartMaintenance starts the maintenance on all nodes, or changes its message.
func StartMaintenance(ctx context.Context, d *db.DB, message string, retryAfter time.Duration) (Maintenance, error) {
	return db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) (Maintenance, error) {
		m := Maintenance{ID: 1, Message: message, RetryAfter: int64(retryAfter / time.Second), Since: tx.Now}
		if found, err := FindMaintenance(ctx, tx); err != nil {
			return m, err
		} else if found != nil {
			m.Since = found.Since
		}
		if _, err := endMaintenance(ctx, tx); err != nil {
			return m, err
		}
		return m, db.Insert(ctx, tx, "maintenance", m)
	})
}

// EndMaintenance ends the maintenance, and reports whether there was one.
func EndMaintenance(ctx context.Context, d *db.DB) (bool, error) {
	n, err := db.Write(ctx, d, endMaintenance)
	return n > 0, err
}

func endMaintenance(ctx context.Context, tx *db.Tx) (int64, error) {
	return db.Exec(ctx, tx, `DELETE FROM maintenance WHERE id = 1`)
}

// FindMaintenance returns the current maintenance, or nil.
func FindMaintenance(ctx context.Context, tx *db.Tx) (*Maintenance, error) {
	m, err := db.One[Maintenance](ctx, tx, `SELECT {cols} FROM maintenance WHERE id = 1`)
	if db.IsNoRows(err) {
		return nil, nil //nolint:nilnil // there is no maintenance
	}
	return &m, err
}
