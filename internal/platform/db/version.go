package db

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// versions reads the data version of SQLite. It has its own connection, because the
// numbers of two connections can't be compared.
type versions struct {
	pool *sql.DB

	mu    sync.Mutex
	conn  *sql.Conn
	read  *sql.Stmt
	opens int64 // how often the connection was opened
}

// DataVersion returns a number that is different after each commit, also after one of
// another process. What was read with the same number is still current. On PostgreSQL it
// returns false.
func (d *DB) DataVersion(ctx context.Context) (version int64, ok bool) {
	if !d.SQLite() {
		return 0, false
	}
	v := d.versions
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.read == nil && v.open(ctx) != nil {
		return 0, false
	}
	if err := v.read.QueryRowContext(ctx).Scan(&version); err != nil {
		_ = v.close()
		return 0, false
	}
	return v.opens<<40 + version, true
}

func (v *versions) open(ctx context.Context) (err error) {
	ctx = context.WithoutCancel(ctx) // the connection is used by other requests
	if v.conn, err = v.pool.Conn(ctx); err != nil {
		return err
	}
	if v.read, err = v.conn.PrepareContext(ctx, "PRAGMA data_version"); err != nil {
		_ = v.close()
		return err
	}
	v.opens++
	return nil
}

func (v *versions) close() error {
	var errs []error
	if v.read != nil {
		errs = append(errs, v.read.Close()) // otherwise the connection stays open
	}
	if v.conn != nil {
		errs = append(errs, v.conn.Close())
	}
	v.conn, v.read = nil, nil
	return errors.Join(errs...)
}
