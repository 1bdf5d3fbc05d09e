package channels

import (
	"context"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
)

// channelKey names a channel of any environment.
type channelKey struct {
	Env auth.Env `db:"env"`
	ID  string   `db:"id"`
}

// listDueChannels returns the channels with queued listings that no job sends now.
func listDueChannels(ctx context.Context, tx *db.Tx) ([]channelKey, error) {
	return db.All[channelKey](ctx, tx, `SELECT c.env, c.id FROM channels c WHERE c.push_after <= ? AND EXISTS (
		SELECT 1 FROM hull_listings l WHERE l.env = c.env AND l.channel_id = c.id AND l.state = 'queued' AND l.due_at <= ?)`, tx.Now, tx.Now)
}

// leaseChannel reserves a channel for one job. It reports false if another job has it.
func leaseChannel(ctx context.Context, tx *db.Tx, c channelKey) (bool, error) {
	n, err := db.Exec(ctx, tx, `UPDATE channels SET push_after = ? WHERE env = ? AND id = ? AND push_after <= ?`,
		tx.Now.Add(pushLease), c.Env, c.ID, tx.Now)
	return n > 0, err
}

func endLease(ctx context.Context, tx *db.Tx, channelID string) (int64, error) {
	return db.Exec(ctx, tx, `UPDATE channels SET push_after = ? WHERE env = ? AND id = ?`, tx.Now, tx.Env, channelID)
}

// pauseChannel ends the lease of a channel at a time, and records its failures in a row.
func pauseChannel(ctx context.Context, tx *db.Tx, c Channel, failures int64, until time.Time) (int64, error) {
	return db.Exec(ctx, tx, `UPDATE channels SET push_after = ?, failures = ? WHERE env = ? AND id = ?`, until, failures, c.Env, c.ID)
}

// listDue returns the next listings to send.
func listDue(ctx context.Context, tx *db.Tx, c Channel) ([]HullSyndication, error) {
	all, err := db.All[HullSyndication](ctx, tx, `SELECT {cols} FROM hull_listings
		WHERE env = ? AND channel_id = ? AND state = 'queued' AND due_at <= ? ORDER BY due_at, hull_id LIMIT ?`, c.Env, c.ID, tx.Now, pushBatch)
	for i, l := range all {
		all[i].ID = listingID(l.HullID, c.ID)
	}
	return all, err
}

// listListedHulls returns some of the hulls of a channel.
func listListedHulls(ctx context.Context, tx *db.Tx, channelID string) ([]string, error) {
	return db.All[string](ctx, tx, `SELECT hull_id FROM hull_listings WHERE env = ? AND channel_id = ? ORDER BY hull_id LIMIT ?`,
		tx.Env, channelID, channelBatch)
}
