package ratelimit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math/bits"
	"slices"
	"strings"
	"time"

	"slipway/internal/platform/db"
)

// maxShared is how many buckets a server shares at a time.
const maxShared = 1023

// Share tells the other servers what this one took from its buckets, and learns what they
// took. If it fails, the limits apply to this server alone, and what it took is forgotten:
// an outage must not become a debt. The clock must be the same for all servers.
func (l *Limiter) Share(
	ctx context.Context, d *db.DB, clock func(ctx context.Context, tx *db.Tx) (time.Time, error),
) error {
	uses := l.Uses(maxShared)
	if len(uses) == 0 {
		return nil
	}
	untilFull, err := db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) (map[string]time.Duration, error) {
		now, err := clock(ctx, tx)
		if err != nil {
			return nil, err
		}
		return share(ctx, tx, uses, now)
	})
	if err != nil {
		return err
	}
	for bucket, d := range untilFull {
		l.Adjust(bucket, d)
	}
	return nil
}

// share adds uses to their buckets, and returns how long each needs until it is full. Each
// statement has a power of two of rows, so that there are only a few different ones to
// prepare.
func share(ctx context.Context, tx *db.Tx, uses []Use, now time.Time) (map[string]time.Duration, error) {
	untilFull := map[string]time.Duration{}
	names := map[string]string{}
	type row struct {
		hash string
		full int64
	}
	rows := make([]row, len(uses))
	for i, u := range uses {
		sum := sha256.Sum256([]byte(u.Bucket))
		rows[i] = row{hex.EncodeToString(sum[:16]), now.UnixMicro() + (time.Duration(u.Took) * u.Step).Microseconds()}
		names[rows[i].hash] = u.Bucket
	}
	slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.hash, b.hash) }) // the same order on all servers: no deadlocks

	for len(rows) > 0 {
		n := 1 << (bits.Len(uint(len(rows))) - 1)
		args := make([]any, 0, 2*n+2)
		for _, r := range rows[:n] {
			args = append(args, r.hash, r.full)
		}
		rows = rows[n:]

		type total struct {
			Bucket string `db:"bucket"`
			FullAt int64  `db:"full_at"`
		}
		all, err := db.All[total](ctx, tx, upsertLimits(n), append(args, now.UnixMicro(), now.UnixMicro())...)
		if err != nil {
			return nil, err
		}
		for _, t := range all {
			untilFull[names[t.Bucket]] = time.Duration(t.FullAt-now.UnixMicro()) * time.Microsecond
		}
	}
	return untilFull, nil
}

// upsertLimits returns the statement for n buckets. Its last two arguments are the time.
func upsertLimits(n int) string {
	var values bytes.Buffer
	for i := range n {
		if i > 0 {
			values.WriteString(", ")
		}
		values.WriteString("(?, ?)")
	}
	return `INSERT INTO rate_limits (bucket, full_at) VALUES ` + values.String() + `
		ON CONFLICT (bucket) DO UPDATE SET full_at = excluded.full_at
			+ CASE WHEN rate_limits.full_at > ? THEN rate_limits.full_at - ? ELSE 0 END
		RETURNING bucket, full_at`
}

// Purge deletes buckets that are full.
func Purge(ctx context.Context, tx *db.Tx) (int64, error) {
	return db.Exec(ctx, tx, `DELETE FROM rate_limits WHERE full_at < ?`, tx.Now.Add(-time.Hour).UnixMicro())
}
