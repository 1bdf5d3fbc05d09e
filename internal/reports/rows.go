package reports

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"slipway/internal/vocab/page"
)

// Listed is whether there are more rows than a report lists. Reports with rows have it.
type Listed struct {
	HasMore    bool    `json:"has_more" doc:"Whether there are more rows than the report lists."`
	NextCursor *string `json:"next_cursor" doc:"Send it as starting_after to get the next rows. Null if there are none."`
}

// rows is which rows a report lists.
type rows struct {
	limit int
	after *page.Position // nil for the first rows
}

// anyRow is the prefix of IDs in positions. The rows of a report can have several.
const anyRow = "row"

// byPosition compares positions in a list that is sorted by a value, smallest first.
func byPosition(a, b page.Position) int {
	return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.ID, b.ID))
}

// newestFirst compares positions in a list that is sorted by a time, newest first.
func newestFirst(a, b page.Position) int { return byPosition(b, a) }

// position returns the place of a row in a list that is sorted by a value.
func position(value int64, id string) page.Position {
	_, digits, _ := strings.Cut(id, "_")
	return page.Position{Value: value, ID: anyRow + "_" + digits}
}

// positionOn returns the place of a row in a list that is sorted by a date.
func positionOn(date, id string) page.Position {
	day, _ := time.Parse(time.DateOnly, date) // each date is checked before it is stored
	return position(day.Unix(), id)
}

// cut finds the rows to list. All are the positions of rows in their order. Those from start
// to end are listed.
func (w rows) cut(order string, all []page.Position, compare func(a, b page.Position) int) (start, end int, is Listed) {
	if w.after != nil {
		at, found := slices.BinarySearchFunc(all, *w.after, compare)
		start = at
		if found {
			start++
		}
	}
	end = min(start+w.limit, len(all))
	if is.HasMore = end < len(all); is.HasMore {
		is.NextCursor = new(all[end-1].Cursor(order))
	}
	return start, end, is
}
