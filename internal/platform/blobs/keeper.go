package blobs

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// unclaimedFor is how long a blob may wait for the row it belongs to: longer
// than any upload takes.
const unclaimedFor = 24 * time.Hour

// Keeper keeps the store and the database in step, though no transaction spans
// both. A key is written down as loose before its first byte is, and is loose
// until a transaction claims it for a row; a row that goes makes it loose
// again. So whenever the process ends, every blob either belongs to a row or
// is on the list that Sweep removes.
type Keeper struct {
	DB *db.DB
	Store
}

// loose is a key that belongs to no row.
type loose struct {
	Env    auth.Env  `db:"env"`
	Key    string    `db:"key"`
	Doomed bool      `db:"doomed"` // it can no longer be claimed
	DueAt  time.Time `db:"due_at"`
}

// Stage keeps what r gives under the name in a new key's folder, and returns
// the key. It belongs to nobody until Claim.
func (k *Keeper) Stage(ctx context.Context, env auth.Env, kind, name string, r io.Reader) (string, error) {
	key, err := db.Write(ctx, k.DB, func(ctx context.Context, tx *db.Tx) (string, error) {
		key := Key(kind, strings.TrimPrefix(tx.NewID(""), "_"))
		return key, db.Insert(ctx, tx, "loose_blobs", loose{env, key, false, tx.Now.Add(unclaimedFor)})
	})
	if err != nil {
		return "", err
	}
	source := &remembering{r: r}
	if err := k.Put(ctx, key+"/"+name, source); err != nil {
		k.Discard(ctx, env, key)
		if source.err != nil {
			return "", source.err // the sender's fault, whatever the store made of it
		}
		return "", err
	}
	return key, nil
}

// Key is where the blobs with an id are kept. The end of an id is random, so
// that no folder grows large.
func Key(kind, id string) string { return kind + "/" + id[max(0, len(id)-2):] + "/" + id }

// Claim makes a staged key belong to the row that the transaction writes.
func Claim(ctx context.Context, tx *db.Tx, key string) error {
	n, err := db.Exec(ctx, tx, `DELETE FROM loose_blobs WHERE env = ? AND key = ? AND NOT doomed`, tx.Env, key)
	if err == nil && n == 0 {
		err = fault.Unavailable("The upload took too long. Send it again.").After(time.Second)
	}
	return err
}

// Release gives up the key of a row that the transaction removes.
func Release(ctx context.Context, tx *db.Tx, key string) error {
	_, err := db.Exec(ctx, tx, `
		INSERT INTO loose_blobs (env, key, doomed, due_at) VALUES (?, ?, TRUE, ?)
		ON CONFLICT (env, key) DO UPDATE SET doomed = TRUE, due_at = excluded.due_at`, tx.Env, key, tx.Now)
	return err
}

// Discard removes a staged key that nobody will claim. What it fails to
// remove, Sweep will.
func (k *Keeper) Discard(ctx context.Context, env auth.Env, key string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second) // also for a caller who hung up
	defer cancel()
	doomed, err := db.Write(ctx, k.DB, func(ctx context.Context, tx *db.Tx) (int64, error) {
		return db.Exec(ctx, tx, `UPDATE loose_blobs SET doomed = TRUE, due_at = ? WHERE env = ? AND key = ?`, tx.Now, env, key)
	})
	// None if it was claimed after all: an error may have hidden that the commit succeeded.
	if err == nil && doomed == 1 {
		_ = k.remove(ctx, loose{Env: env, Key: key})
	}
}

// Sweep removes what belongs to nobody, and counts it.
func (k *Keeper) Sweep(ctx context.Context) (swept int, err error) {
	for {
		due, err := db.Write(ctx, k.DB, func(ctx context.Context, tx *db.Tx) ([]loose, error) {
			// Whoever claims now comes too late, before the first byte goes.
			if _, err := db.Exec(ctx, tx, `UPDATE loose_blobs SET doomed = TRUE WHERE due_at <= ? AND NOT doomed`, tx.Now); err != nil {
				return nil, err
			}
			return db.All[loose](ctx, tx, `SELECT {cols} FROM loose_blobs WHERE due_at <= ? ORDER BY due_at LIMIT 100`, tx.Now)
		})
		if err != nil || len(due) == 0 {
			return swept, err
		}
		for _, l := range due {
			if err := k.remove(ctx, l); err != nil {
				return swept, err
			}
			swept++
		}
	}
}

// remove removes the bytes first: a row without bytes is swept again, bytes
// without a row would stay for ever.
func (k *Keeper) remove(ctx context.Context, l loose) error {
	if err := k.Remove(ctx, l.Key); err != nil {
		return err
	}
	_, err := db.Write(ctx, k.DB, func(ctx context.Context, tx *db.Tx) (int64, error) {
		return db.Exec(ctx, tx, `DELETE FROM loose_blobs WHERE env = ? AND key = ? AND doomed`, l.Env, l.Key)
	})
	return err
}

// remembering keeps the error that reading ended with.
type remembering struct {
	r   io.Reader
	err error
}

func (m *remembering) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		m.err = err
	}
	return n, err
}
