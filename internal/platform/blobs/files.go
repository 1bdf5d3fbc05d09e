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

// unclaimedFor is how long a blob can wait for its row. It is longer than any
// upload.
const unclaimedFor = 24 * time.Hour

// Files keeps the store and the database consistent without a transaction over
// both. Before its first byte is written, a key is added to the table
// loose_blobs. A transaction claims it for a row, which removes it from the table.
// When the row is deleted, the key is added again. Whenever the process ends,
// each blob either belongs to a row or is in the table, and DeleteUnused deletes it.
type Files struct {
	DB *db.DB
	Store
}

// unclaimed is a key that belongs to no row.
type unclaimed struct {
	Env    auth.Env  `db:"env"`
	Key    string    `db:"key"`
	Doomed bool      `db:"doomed"` // can no longer be claimed, because DeleteUnused deletes it
	DueAt  time.Time `db:"due_at"`
}

// Upload stores the content of r under a new key and a name, and returns the key.
// Keep it in the transaction that inserts its row.
func (k *Files) Upload(ctx context.Context, env auth.Env, kind, name string, r io.Reader) (string, error) {
	key, err := db.Write(ctx, k.DB, func(ctx context.Context, tx *db.Tx) (string, error) {
		key := Key(kind, strings.TrimPrefix(tx.NewID(""), "_"))
		return key, db.Insert(ctx, tx, "loose_blobs", unclaimed{env, key, false, tx.Now.Add(unclaimedFor)})
	})
	if err != nil {
		return "", err
	}

	source := &errorReader{r: r}
	if err := k.Put(ctx, key+"/"+name, source); err != nil {
		k.Cancel(ctx, env, key)
		if source.err != nil {
			return "", source.err // the upload failed, not the store
		}
		return "", err
	}
	return key, nil
}

// Key returns the key for an ID. It contains the end of the ID, which is random,
// so that no folder becomes large.
func Key(kind, id string) string { return kind + "/" + id[max(0, len(id)-2):] + "/" + id }

// Keep assigns a staged key to the row that the transaction inserts.
func Keep(ctx context.Context, tx *db.Tx, key string) error {
	n, err := db.Exec(ctx, tx, `DELETE FROM loose_blobs WHERE env = ? AND key = ? AND NOT doomed`, tx.Env, key)
	if err == nil && n == 0 {
		err = fault.Conflict("The upload took too long. Send it again.").RetryIn(time.Second)
	}
	return err
}

// DeleteLater marks the key of a row that the transaction deletes. Sweep deletes its
// blobs.
func DeleteLater(ctx context.Context, tx *db.Tx, key string) error {
	_, err := db.Exec(ctx, tx, `
		INSERT INTO loose_blobs (env, key, doomed, due_at) VALUES (?, ?, TRUE, ?)
		ON CONFLICT (env, key) DO UPDATE SET doomed = TRUE, due_at = excluded.due_at`, tx.Env, key, tx.Now)
	return err
}

// Cancel deletes a staged key that will not be claimed. If it fails, DeleteUnused
// deletes the key later.
func (k *Files) Cancel(ctx context.Context, env auth.Env, key string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second) // even if the client has disconnected
	defer cancel()
	doomed, err := db.Write(ctx, k.DB, func(ctx context.Context, tx *db.Tx) (int64, error) {
		return db.Exec(ctx, tx, `UPDATE loose_blobs SET doomed = TRUE, due_at = ? WHERE env = ? AND key = ?`, tx.Now, env, key)
	})
	// It is 0 if the key was claimed: the commit can succeed even if it returned an error.
	if err == nil && doomed == 1 {
		_ = k.remove(ctx, unclaimed{Env: env, Key: key})
	}
}

// DeleteUnused deletes the keys that belong to no row, and returns how many.
func (k *Files) DeleteUnused(ctx context.Context) (swept int, err error) {
	for {
		due, err := db.Write(ctx, k.DB, func(ctx context.Context, tx *db.Tx) ([]unclaimed, error) {
			// Prevent claims before the first blob is deleted.
			if _, err := db.Exec(ctx, tx, `UPDATE loose_blobs SET doomed = TRUE WHERE due_at <= ? AND NOT doomed`, tx.Now); err != nil {
				return nil, err
			}
			return db.All[unclaimed](ctx, tx, `SELECT {cols} FROM loose_blobs WHERE due_at <= ? ORDER BY due_at LIMIT 100`, tx.Now)
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

// remove deletes the blobs first. If it fails in between, the next DeleteUnused repeats
// it. In the other order, the blobs would remain forever.
func (k *Files) remove(ctx context.Context, l unclaimed) error {
	if err := k.Remove(ctx, l.Key); err != nil {
		return err
	}
	_, err := db.Write(ctx, k.DB, func(ctx context.Context, tx *db.Tx) (int64, error) {
		return db.Exec(ctx, tx, `DELETE FROM loose_blobs WHERE env = ? AND key = ? AND doomed`, l.Env, l.Key)
	})
	return err
}

// errorReader stores the error of the reader.
type errorReader struct {
	r   io.Reader
	err error
}

func (m *errorReader) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		m.err = err
	}
	return n, err
}
