package page_test

import (
	"math"
	"strings"
	"testing"

	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

const hullID = "hull_01jcqz8t5n8m2x4v6b7c9d0e1f"

func TestPositions(t *testing.T) {
	for _, value := range []int64{0, 1, -1, 124900, math.MaxInt64, math.MinInt64} {
		at := page.Position{Value: value, ID: hullID}
		cursor := at.Cursor("last_activity")
		if len(cursor) > 64 {
			t.Errorf("got a cursor with %d characters, want at most 64: %s", len(cursor), cursor)
		}
		for _, q := range []page.Query{{StartingAfter: cursor}, {EndingBefore: cursor}} {
			got, err := q.Position("last_activity", "hull")
			if err != nil {
				t.Fatal(err)
			}
			assert.Equal(t, *got, at)
		}
	}
	if at, err := (page.Query{}).Position("price", "hull"); at != nil || err != nil {
		t.Errorf("got %v and %v, want no position", at, err)
	}
}

func TestWrongPositions(t *testing.T) {
	good := page.Position{Value: 5, ID: hullID}.Cursor("price")
	for name, cursor := range map[string]string{
		"an ID":         hullID,
		"another order": page.Position{Value: 5, ID: hullID}.Cursor("year"),
		"too short":     good[:20],
		"no number":     strings.Replace(good, "0000", "000g", 1),
		"no ID":         good[:len(good)-1] + "!",
		"nothing":       "price_",
	} {
		if at, err := (page.Query{StartingAfter: cursor}).Position("price", "hull"); err == nil {
			t.Errorf("%s: got %v, want an error", name, at)
		}
	}
	if _, err := (page.Query{StartingAfter: good, EndingBefore: good}).Position("price", "hull"); err == nil {
		t.Error("both cursors: got no error")
	}
}
