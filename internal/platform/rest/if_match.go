package rest

import (
	"context"
	"net/http"
	"regexp"
	"strconv"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/fault"
)

// ifMatch is the If-Match of a request. An operation documents the header
// exactly if its handler checks it: Write fails for one that does only half.
type ifMatch struct {
	header     string
	documented bool
	checked    bool
}

// etag is a version in quotes, or any.
var etag = regexp.MustCompile(`^(\*|"[0-9]{1,18}")$`)

// read takes the header from the request.
func (m *ifMatch) read(req *http.Request) error {
	if !m.documented {
		return nil
	}
	m.header = req.Header.Get("If-Match")
	if m.header == "" || etag.MatchString(m.header) {
		return nil
	}
	return fault.BadRequest(`If-Match must be a version in quotes, such as "3".`).Detail("If-Match", "pattern", "must be a version in quotes")
}

// CheckIfMatch fails unless the caller's If-Match, where there is one, names
// this version. Call it between finding a resource and changing it.
func CheckIfMatch(ctx context.Context, current int64) error {
	x := exchangeFrom(ctx)
	if x == nil {
		return nil
	}
	m := &x.ifMatch
	if !m.documented {
		panic("rest: " + x.operation + " checks If-Match but is mounted with NoIfMatch")
	}

	m.checked = true
	if m.header == "" || m.header == "*" || m.header == strconv.Quote(strconv.FormatInt(current, 10)) {
		return nil
	}
	return fault.Conflict("The resource has changed: it is at version %d.", current).
		Detail("If-Match", "stale", "must be %q", strconv.FormatInt(current, 10))
}

// mustHaveChecked panics for a handler that documents If-Match and ignores it.
// Every test of the operation shows it, with the header or without.
func (x *exchange) mustHaveChecked() {
	if x.ifMatch.documented && !x.ifMatch.checked {
		panic("rest: " + x.operation + " does not check If-Match; check it, or mount it with NoIfMatch")
	}
}

// Change finds a row, checks the caller's If-Match against its version, and
// passes it to edit together with what it was. Edit changes the row and saves
// it.
func Change[T Versioned](ctx context.Context, tx *db.Tx, find func(ctx context.Context, tx *db.Tx, id string) (T, error), id string,
	edit func(before T, row *T) error,
) (T, error) {
	row, err := find(ctx, tx, id)
	if err != nil {
		return row, err
	}
	if err := CheckIfMatch(ctx, row.Revision()); err != nil {
		return row, err
	}

	err = edit(row, &row)
	return row, err
}
