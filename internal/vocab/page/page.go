// Package page defines the requests and responses of lists.
package page

import (
	"slices"
	"strings"

	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/id"
)

// Query is the paging part of a list request; embed it in the filter.
type Query struct {
	Limit         int    `query:"limit" minimum:"1" maximum:"100" default:"25" doc:"Maximum number of objects to return."`
	StartingAfter string `query:"starting_after" maxLength:"64" doc:"Return objects older than the object with this ID."`
	EndingBefore  string `query:"ending_before" maxLength:"64" doc:"Return objects newer than the object with this ID."`
}

// Page is one page of a list, newest first.
type Page[T any] struct {
	Data       []T     `json:"data" nullable:"false" doc:"The objects, newest first."`
	HasMore    bool    `json:"has_more" doc:"Whether there are more objects in this direction."`
	NextCursor *string `json:"next_cursor" doc:"Send it as starting_after to get older objects. Null if there are none."`
	PrevCursor *string `json:"prev_cursor" doc:"Send it as ending_before to get newer objects. Null if there are none."`
}

// Frame is a page without its objects.
type Frame struct {
	HasMore    bool    `json:"has_more"`
	NextCursor *string `json:"next_cursor"`
	PrevCursor *string `json:"prev_cursor"`
}

// Any is a page of any type.
type Any interface {
	Rows() (n int, row func(i int) any) // pointers to the objects
	Frame() Frame
}

// Rows returns the number of objects, and what returns a pointer to each.
func (p Page[T]) Rows() (n int, row func(i int) any) {
	return len(p.Data), func(i int) any { return &p.Data[i] }
}

// Frame returns the page without its objects.
func (p Page[T]) Frame() Frame { return Frame{p.HasMore, p.NextCursor, p.PrevCursor} }

// Check rejects cursors that are not IDs with this prefix.
func (q Query) Check(prefix string) error {
	if q.StartingAfter != "" && q.EndingBefore != "" {
		return fault.BadRequest("Send either starting_after or ending_before, not both.").
			Detail("ending_before", "exclusive", "can't be combined with starting_after")
	}
	for _, c := range []struct{ field, cursor string }{{"starting_after", q.StartingAfter}, {"ending_before", q.EndingBefore}} {
		if c.cursor != "" && !id.Valid(prefix, c.cursor) {
			return fault.BadRequest("%s must be the ID of an object in this list.", c.field).
				Detail(c.field, "cursor", "must be an ID that starts with %s_", prefix)
		}
	}
	return nil
}

// Backwards reports whether newer objects were requested.
func (q Query) Backwards() bool { return q.EndingBefore != "" }

// Cursor returns the cursor of the request, or "" for the newest objects.
func (q Query) Cursor() string { return q.StartingAfter + q.EndingBefore }

// New makes a page of rows read from the cursor on, with one more than the
// limit if there are that many. Beyond reports whether rows exist on the other
// side of the page.
func New[T any](rows []T, q Query, beyond bool, key func(T) string) Page[T] {
	p := Page[T]{HasMore: len(rows) > q.Limit}
	p.Data = append([]T{}, rows[:min(q.Limit, len(rows))]...)
	older, newer := p.HasMore, beyond
	if q.Backwards() {
		slices.Reverse(p.Data)
		older, newer = newer, older
	}
	if len(p.Data) == 0 {
		return p
	}
	if older {
		p.NextCursor = new(key(p.Data[len(p.Data)-1]))
	}
	if newer {
		p.PrevCursor = new(key(p.Data[0]))
	}
	return p
}

// Merge puts rows of several lists, read for the same query, into the order of
// one. Some rows may be the same.
func Merge[T any](lists [][]T, q Query, key func(T) string) []T {
	all := slices.Concat(lists...)
	slices.SortFunc(all, func(a, b T) int {
		if q.Backwards() {
			a, b = b, a
		}
		return strings.Compare(key(b), key(a))
	})
	return slices.CompactFunc(all, func(a, b T) bool { return key(a) == key(b) })
}
