package db

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// isFull reports that the disk of the database is full.
func isFull(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code == "53100"
	}
	lite, ok := errors.AsType[*sqlite.Error](err)
	return ok && lite.Code()&0xff == sqlite3.SQLITE_FULL
}

// spaceToCheck is more than a request writes. A few pages of the file of SQLite can be free
// although the disk is full.
const spaceToCheck = 1 << 20

// CheckSpace returns an error if the disk of the database was full and still is. It
// costs nothing as long as writes succeed. Otherwise, it writes something that needs
// new space.
func (d *DB) CheckSpace(ctx context.Context) error {
	if !d.full.Load() {
		return nil
	}
	_, err := Write(ctx, d, func(ctx context.Context, tx *Tx) (int64, error) {
		if _, err := Exec(ctx, tx, "CREATE TABLE space_check (content BYTEA)"); err != nil {
			return 0, err
		}
		if _, err := Exec(ctx, tx, "INSERT INTO space_check (content) VALUES (?)", make([]byte, spaceToCheck)); err != nil {
			return 0, err
		}
		return Exec(ctx, tx, "DROP TABLE space_check")
	})
	if err == nil {
		d.full.Store(false)
	}
	return err
}
