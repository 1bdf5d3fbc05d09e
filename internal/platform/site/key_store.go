package site

import (
	"context"
	"errors"
	"fmt"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/seal"
)

// ErrMasterKey means that the master key is not the one of the database.
var ErrMasterKey = errors.New(`the master key does not match this database. Set SLIPWAY_MASTER_KEY, or restore master.key in the data folder.
If the key is lost, start once with --new-master-key. You then lose:
- two-factor methods: run "slipway users reset --two-factor" for each user who has one
- webhook signing secrets: delete each webhook and create it again
- the secrets and URLs of received messages: set settings.inbound of each dealership again
- secrets of SSO connections: delete each connection and create it again
- the link between addresses and their opt-outs: review opt-outs before you record consent again
- the verification of existing audit entries, and existing links to photos and to unsubscribe`)

// siteKey is a data key.
type siteKey struct {
	ID         int64     `db:"id"`
	Wrapped    []byte    `db:"wrapped"`
	WrappedOld []byte    `db:"wrapped_old"`
	CreatedAt  time.Time `db:"created_at"`
}

// LoadKeys reads the data keys into the box. The first start creates one. It
// returns ErrMasterKey for another master key, unless replace is true: then it
// starts with a new data key.
func LoadKeys(ctx context.Context, d *db.DB, box *seal.Box, replace bool) error {
	keys, err := db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) ([][]byte, error) {
		rows, err := listKeys(ctx, tx)
		if err != nil {
			return nil, err
		}
		keys, err := unwrap(box, rows)
		if err == nil && len(rows) == 0 {
			keys, err = firstKey(ctx, tx, box)
		}
		if replace && errors.Is(err, ErrMasterKey) {
			if _, err := db.Exec(ctx, tx, `DELETE FROM site_keys WHERE id > 0`); err != nil {
				return nil, err
			}
			keys, err = insertKey(ctx, tx, box, seal.NewKey())
		}
		return keys, err
	})
	if err != nil {
		return err
	}
	box.Reload = func() error { return reloadKeys(d, box) } //nolint:contextcheck // it outlives ctx
	return box.SetKeys(keys...)
}

// reloadKeys reads the keys that another process added. It has its own context,
// because it can run inside a transaction.
func reloadKeys(d *db.DB, box *seal.Box) error {
	keys, err := readKeys(context.Background(), d, box)
	if err != nil {
		return err
	}
	return box.SetKeys(keys...)
}

// CheckKeys returns ErrMasterKey if the box has another master key than the database. It
// changes nothing.
func CheckKeys(ctx context.Context, d *db.DB, box *seal.Box) error {
	_, err := readKeys(ctx, d, box)
	return err
}

func readKeys(ctx context.Context, d *db.DB, box *seal.Box) ([][]byte, error) {
	return db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) ([][]byte, error) {
		rows, err := listKeys(ctx, tx)
		if err != nil {
			return nil, err
		}
		return unwrap(box, rows)
	})
}

// firstKey creates the first data key. In a database from before there were data
// keys, it is the master key, because that encrypted everything.
func firstKey(ctx context.Context, tx *db.Tx, box *seal.Box) ([][]byte, error) {
	old, err := db.All[sealedValue](ctx, tx, `SELECT env, id, secret AS sealed FROM mfa_factors WHERE env IS NOT NULL AND active LIMIT 1`)
	if err != nil {
		return nil, err
	}
	if len(old) == 0 {
		return insertKey(ctx, tx, box, seal.NewKey())
	}
	if _, err := box.Open(old[0].Sealed, old[0].place("mfa_factors")); err != nil {
		return nil, ErrMasterKey
	}
	return insertKey(ctx, tx, box, box.Master())
}

// insertKey adds the first key and returns it.
func insertKey(ctx context.Context, tx *db.Tx, box *seal.Box, key []byte) ([][]byte, error) {
	err := db.Insert(ctx, tx, "site_keys", siteKey{ID: 1, Wrapped: box.Wrap(key, 1), CreatedAt: tx.Now})
	return [][]byte{key}, err
}

// listKeys returns the keys, newest first.
func listKeys(ctx context.Context, tx *db.Tx) ([]siteKey, error) {
	return db.All[siteKey](ctx, tx, `SELECT {cols} FROM site_keys WHERE id > 0 ORDER BY id DESC`)
}

func unwrap(box *seal.Box, rows []siteKey) (keys [][]byte, err error) {
	for _, r := range rows {
		key, err := box.Unwrap(r.Wrapped, r.ID)
		if err != nil && r.WrappedOld != nil {
			key, err = box.Unwrap(r.WrappedOld, r.ID)
		}
		if err != nil {
			return nil, ErrMasterKey
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// Rotate adds a new data key and encrypts the data keys with a new master key. The
// previous master key works until FinishRotation, so that running servers and
// those that restart can use either. If the new key was lost before its first use,
// you can rotate again.
func Rotate(ctx context.Context, d *db.DB, box, next *seal.Box) error {
	keys, err := db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) ([][]byte, error) {
		rows, err := listKeys(ctx, tx)
		if err != nil {
			return nil, err
		}
		keys, err := unwrap(box, rows)
		if err != nil {
			return nil, err
		}
		for i, r := range rows {
			if _, err := box.Unwrap(r.Wrapped, r.ID); err == nil && r.WrappedOld != nil {
				return nil, errors.New("a rotation is not finished. Restart all servers with the new key, and run: slipway keys rotate-master --finish")
			}
			_, err := db.Exec(ctx, tx, `UPDATE site_keys SET wrapped = ?, wrapped_old = ? WHERE id = ?`, next.Wrap(keys[i], r.ID), box.Wrap(keys[i], r.ID), r.ID)
			if err != nil {
				return nil, err
			}
		}

		id, key := rows[0].ID+1, seal.NewKey()
		added := siteKey{ID: id, Wrapped: next.Wrap(key, id), WrappedOld: box.Wrap(key, id), CreatedAt: tx.Now}
		return append([][]byte{key}, keys...), db.Insert(ctx, tx, "site_keys", added)
	})
	if err != nil {
		return err
	}
	return errors.Join(box.SetKeys(keys...), next.SetKeys(keys...))
}

// FinishRotation stops accepting the previous master key. The box must have the
// new one. Otherwise a lost new key would make the database unreadable.
func FinishRotation(ctx context.Context, d *db.DB, box *seal.Box) error {
	_, err := db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) (int64, error) {
		rows, err := listKeys(ctx, tx)
		if err != nil {
			return 0, err
		}
		for _, r := range rows {
			if _, err := box.Unwrap(r.Wrapped, r.ID); err != nil {
				return 0, errors.New("this is still the previous master key. Run the command with the new one")
			}
		}
		return db.Exec(ctx, tx, `UPDATE site_keys SET wrapped_old = NULL WHERE wrapped_old IS NOT NULL`)
	})
	return err
}

// Sealed is a column with encrypted values, in a table with the primary key env, id.
type Sealed struct{ Table, Column string }

// sealedValue is one encrypted value.
type sealedValue struct {
	Env    int64  `db:"env"`
	ID     string `db:"id"`
	Sealed []byte `db:"sealed"`
}

// place is what a value is bound to.
func (v sealedValue) place(table string) string { return fmt.Sprintf("%s/%d/%s", table, v.Env, v.ID) }

// batch is how many values are encrypted in a transaction.
const batch = 200

// Reseal encrypts all values of a column with the newest data key, and returns how
// many it changed.
func Reseal(ctx context.Context, d *db.DB, box *seal.Box, col Sealed) (int64, error) {
	type step struct {
		last    sealedValue
		more    bool
		changed int64
	}
	var total int64
	for at := (step{more: true}); at.more; {
		next, err := db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) (s step, err error) {
			query := fmt.Sprintf(`SELECT env, id, %s AS sealed FROM %s
				WHERE env > ? OR env = ? AND id > ? ORDER BY env, id LIMIT ?`, col.Column, col.Table)
			rows, err := db.All[sealedValue](ctx, tx, query, at.last.Env, at.last.Env, at.last.ID, batch)
			for _, r := range rows {
				if err != nil {
					return s, err
				}
				s.last = r
				var n int64
				n, err = reseal(ctx, tx, box, col, r)
				s.changed += n
			}
			s.more = len(rows) == batch
			return s, err
		})
		if err != nil {
			return total, err
		}
		at, total = next, total+next.changed
	}
	return total, nil
}

func reseal(ctx context.Context, tx *db.Tx, box *seal.Box, col Sealed, v sealedValue) (int64, error) {
	place := v.place(col.Table)
	if len(v.Sealed) == 0 || box.IsCurrent(v.Sealed, place) {
		return 0, nil
	}
	plain, err := box.Open(v.Sealed, place)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", place, err)
	}
	update := fmt.Sprintf(`UPDATE %s SET %s = ? WHERE env = ? AND id = ? AND %s = ?`, col.Table, col.Column, col.Column)
	return db.Exec(ctx, tx, update, box.Seal(plain, place), v.Env, v.ID, v.Sealed)
}
