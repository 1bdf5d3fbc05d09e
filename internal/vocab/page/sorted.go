package page

import (
	"fmt"
	"strconv"
	"strings"

	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/id"
)

// Position is a place in a list that is sorted by a value. Rows with the same value
// are in the order of their IDs.
type Position struct {
	Value int64
	ID    string
}

// Cursor returns the position as a cursor of the list in this order. Unlike a row, a
// position doesn't change.
func (p Position) Cursor(order string) string {
	_, digits, _ := strings.Cut(p.ID, "_")
	return fmt.Sprintf("%s_%016x%s", order, uint64(p.Value), digits)
}

// Position returns the cursor of a list in this order, or nil for the first page. The
// IDs have this prefix.
func (q Query) Position(order, prefix string) (*Position, error) {
	if q.StartingAfter != "" && q.EndingBefore != "" {
		return nil, q.Check(prefix)
	}
	if q.Cursor() == "" {
		return nil, nil //nolint:nilnil // the first page has no position
	}

	const digits = 16
	text, ok := strings.CutPrefix(q.Cursor(), order+"_")
	if ok && len(text) > digits {
		value, err := strconv.ParseUint(text[:digits], 16, 64)
		at := Position{int64(value), prefix + "_" + text[digits:]}
		if err == nil && id.Valid(prefix, at.ID) {
			return &at, nil
		}
	}
	field := "starting_after"
	if q.Backwards() {
		field = "ending_before"
	}
	return nil, fault.BadRequest("%s must be a cursor of a list in the same order.", field).
		Detail(field, "cursor", "must be the next_cursor or prev_cursor of a list with the same sort")
}
