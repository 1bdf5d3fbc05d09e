package providers

import (
	"context"
	"time"

	"slipway/internal/platform/db"
)

// Outage is a provider that doesn't answer. All nodes share the row.
type Outage struct {
	Provider string    `db:"provider"`
	Since    time.Time `db:"since"`
	TriedAt  time.Time `db:"tried_at"`
}

// current is how long an outage is believed without another attempt. The node that recorded
// it might have stopped, or nothing waits to be sent.
const current = 30 * time.Minute

// Save records that a provider doesn't answer, or with a zero time that it does.
func Save(ctx context.Context, tx *db.Tx, provider string, since time.Time) error {
	if since.IsZero() {
		_, err := db.Exec(ctx, tx, `DELETE FROM provider_outages WHERE provider = ?`, provider)
		return err
	}
	_, err := db.Exec(ctx, tx, `INSERT INTO provider_outages (provider, since, tried_at) VALUES (?, ?, ?)
		ON CONFLICT (provider) DO UPDATE SET tried_at = excluded.tried_at`, provider, since, tx.Now)
	return err
}

// Outages lists the providers that don't answer.
func Outages(ctx context.Context, tx *db.Tx) ([]Outage, error) {
	return db.All[Outage](ctx, tx, `SELECT {cols} FROM provider_outages WHERE tried_at > ? ORDER BY provider`, tx.Now.Add(-current))
}
