package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"slipway/internal/vocab/fault"
)

// IsNoRows reports that a query found nothing.
func IsNoRows(err error) bool { return errors.Is(err, sql.ErrNoRows) }

// IsUnique reports that a unique index or primary key rejected a row.
func IsUnique(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code == "23505"
	}
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		return lite.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || lite.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
	}
	return false
}

// IsForeignKey reports that a row is still referenced, or that its own reference
// does not exist.
func IsForeignKey(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code == "23503"
	}
	lite, ok := errors.AsType[*sqlite.Error](err)
	return ok && lite.Code() == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY
}

// errStale means that a row changed between reading and writing it.
var errStale = errors.New("the row has changed since it was read")

// Changed fails if a versioned update changed no row, because another
// transaction changed the row first. Write then runs the transaction again, so
// the caller notices only with an If-Match.
func Changed(rows int64, err error) error {
	if err == nil && rows == 0 {
		return fault.Conflict("The resource was changed by another request at the same time. Retrieve it and try again.").
			Detail("version", "stale", "has changed").WithCause(errStale)
	}
	return err
}

// committedError is an error that doesn't roll back.
type committedError struct{ err error }

func (e *committedError) Error() string { return e.err.Error() }
func (e *committedError) Unwrap() error { return e.err }

// Committed makes Write commit and then return err. Use it to reject a request whose
// attempt must change rows, such as the number of wrong codes. The last statement of the
// transaction must have worked.
func Committed(err error) error { return &committedError{err} }

// IsCommitted reports whether an error is a rejection that doesn't roll back. If Write
// returned it, the transaction was committed.
func IsCommitted(err error) bool {
	_, ok := errors.AsType[*committedError](err)
	return ok
}

// lostRace reports that the database rejected a row that passed fn's own check.
// If fn turned that into a fault, the fault is the response.
func lostRace(err error) bool {
	_, answered := errors.AsType[*fault.Error](err)
	return !answered && (IsUnique(err) || IsForeignKey(err))
}

// IsLockTimeout reports that another transaction locked a row for too long.
func IsLockTimeout(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "55P03"
}

// isRetryable reports that the transaction collided with another one and can run
// again.
func isRetryable(err error) bool {
	if errors.Is(err, errStale) || errors.Is(err, errLost) {
		return true
	}
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pg.Code == "40001" || pg.Code == "40P01")
}

// IsUnavailable reports that the database could not be reached, is shutting down,
// starting up or full, or did not respond in time. The same request can succeed
// later.
func IsUnavailable(err error) bool {
	if err == nil {
		return false
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true // for any reason, because the database might not exist yet
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		// 08 connection, 53 resources, 57P shutdown, 58 system; 25006: demoted to a standby; 57014: statement timeout
		return strings.HasPrefix(pg.Code, "08") || strings.HasPrefix(pg.Code, "53") || strings.HasPrefix(pg.Code, "57P") ||
			strings.HasPrefix(pg.Code, "58") || pg.Code == "25006" || pg.Code == "57014"
	}
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		switch lite.Code() & 0xff { // the primary code, without its extension
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL,
			sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_INTERRUPT:
			return true
		}
		return false
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, net.ErrClosed) || pgconn.Timeout(err) || isBroken(err)
}

// isBroken recognizes a connection that broke during a statement: pgconn wraps
// the io error without its own type.
func isBroken(err error) bool {
	for _, text := range []string{"unexpected EOF", "conn closed", "broken pipe", "connection reset", "old primary"} {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return false
}
