package page_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/id"
	"slipway/internal/vocab/page"
)

func itself(s string) string { return s }

func TestCheck(t *testing.T) {
	const hull, other = "hull_01jcqz8t5n8m2x4v6b7c9d0e1f", "con_01jcqz8t5n8m2x4v6b7c9d0e1f"
	for name, c := range map[string]struct {
		query page.Query
		field string // the field; "" if the query is good
	}{
		"no cursor":                {page.Query{}, ""},
		"after an id":              {page.Query{StartingAfter: hull}, ""},
		"before an id":             {page.Query{EndingBefore: hull}, ""},
		"both":                     {page.Query{StartingAfter: hull, EndingBefore: hull}, "ending_before"},
		"after a foreign prefix":   {page.Query{StartingAfter: other}, "starting_after"},
		"before a foreign prefix":  {page.Query{EndingBefore: other}, "ending_before"},
		"after garbage":            {page.Query{StartingAfter: "' OR 1=1 --"}, "starting_after"},
		"before capitals":          {page.Query{EndingBefore: strings.ToUpper(hull)}, "ending_before"},
		"after a number":           {page.Query{StartingAfter: "17"}, "starting_after"},
		"both, and one is garbage": {page.Query{StartingAfter: "17", EndingBefore: hull}, "ending_before"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.query.Check("hull")
			if c.field == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			f, ok := err.(*fault.Error) //nolint:errorlint // returned as it is
			if !ok || f.Kind != fault.KindBadRequest || len(f.Details) != 1 || f.Details[0].Field != c.field {
				t.Errorf("got %v, want a complaint about %s", err, c.field)
			}
		})
	}
}

// rows are those that a query finds from the cursor on, with one more than the
// limit, and whether some lie on the other side, as a database would say.
func rows(all []string, q page.Query) (found []string, beyond bool) {
	for _, r := range all { // newest first
		switch {
		case q.StartingAfter != "" && r >= q.StartingAfter, q.EndingBefore != "" && r <= q.EndingBefore:
			beyond = true
		default:
			found = append(found, r)
		}
	}
	if q.Backwards() {
		slices.Reverse(found)
	}
	return found[:min(len(found), q.Limit+1)], beyond
}

func TestCut(t *testing.T) {
	all := []string{"e", "d", "c", "b", "a"} // newest first
	null := (*string)(nil)
	for name, c := range map[string]struct {
		query page.Query
		want  page.Page[string]
	}{
		"the first page": {page.Query{Limit: 2},
			page.Page[string]{Data: []string{"e", "d"}, HasMore: true, NextCursor: new("d"), PrevCursor: null}},
		"all on one page":     {page.Query{Limit: 5}, page.Page[string]{Data: all}},
		"more room than rows": {page.Query{Limit: 9}, page.Page[string]{Data: all}},
		"the middle": {page.Query{Limit: 2, StartingAfter: "d"},
			page.Page[string]{Data: []string{"c", "b"}, HasMore: true, NextCursor: new("b"), PrevCursor: new("c")}},
		"the last page":      {page.Query{Limit: 2, StartingAfter: "c"}, page.Page[string]{Data: []string{"b", "a"}, PrevCursor: new("b")}},
		"past the end":       {page.Query{Limit: 2, StartingAfter: "a"}, page.Page[string]{Data: []string{}}},
		"back to the newest": {page.Query{Limit: 2, EndingBefore: "c"}, page.Page[string]{Data: []string{"e", "d"}, NextCursor: new("d")}},
		"back in the middle": {page.Query{Limit: 2, EndingBefore: "b"},
			page.Page[string]{Data: []string{"d", "c"}, HasMore: true, NextCursor: new("c"), PrevCursor: new("d")}},
		"back from the newest": {page.Query{Limit: 2, EndingBefore: "e"}, page.Page[string]{Data: []string{}}},
		"a cursor between rows": {page.Query{Limit: 2, StartingAfter: "cc"},
			page.Page[string]{Data: []string{"c", "b"}, HasMore: true, NextCursor: new("b"), PrevCursor: new("c")}},
		"a cursor before all": {page.Query{Limit: 2, StartingAfter: "z"},
			page.Page[string]{Data: []string{"e", "d"}, HasMore: true, NextCursor: new("d")}},
	} {
		t.Run(name, func(t *testing.T) {
			found, beyond := rows(all, c.query)
			assert.Equal(t, page.New(found, c.query, beyond, itself), c.want)
		})
	}
}

// Rows that are spread over several lists, some in more than one, come as the
// same pages as from one list of them all.
func TestMergeIsAsOneList(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 2000 {
		lists := make([][]string, 1+rng.IntN(4))
		union := map[string]bool{}
		for i := range lists {
			for r := range 12 {
				if name := string(rune('a' + r)); rng.IntN(3) == 0 {
					lists[i] = append(lists[i], name)
					union[name] = true
				}
			}
			slices.Reverse(lists[i])
		}
		var all []string
		for r := range 12 {
			if name := string(rune('l' - r)); union[name] {
				all = append(all, name)
			}
		}
		q := page.Query{Limit: 1 + rng.IntN(5)}
		switch cursor := string(rune('a' + rng.IntN(12))); rng.IntN(3) {
		case 0:
			q.StartingAfter = cursor
		case 1:
			q.EndingBefore = cursor
		}
		var parts [][]string
		anyBeyond := false
		for _, list := range lists {
			found, beyond := rows(list, q)
			parts, anyBeyond = append(parts, found), anyBeyond || beyond
		}
		found, beyond := rows(all, q)
		want := page.New(found, q, beyond, itself)
		got := page.New(page.Merge(parts, q, itself), q, anyBeyond, itself)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%+v over %v: %s", q, lists, diff)
		}
	}
}

// FuzzCursor: a cursor that is let through to the database is an id of the
// list and nothing else, alone.
func FuzzCursor(f *testing.F) {
	const hull = "hull_01jcqz8t5n8m2x4v6b7c9d0e1f"
	for _, seed := range [][2]string{{hull, ""}, {"", hull}, {hull, hull}, {"con_01jcqz8t5n8m2x4v6b7c9d0e1f", ""}, {"\x00", "\xff"},
		{hull + "'", ""}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, after, before string) {
		q := page.Query{Limit: 1, StartingAfter: after, EndingBefore: before}
		if err := q.Check("hull"); err != nil {
			if fault.KindOf(err) != fault.KindBadRequest {
				t.Fatalf("%q, %q: got %v, want the kind fault.KindBadRequest", after, before, err)
			}
			return
		}
		if c := q.Cursor(); c != "" && !id.Valid("hull", c) {
			t.Fatalf("%q passes for a cursor", c)
		}
		if after != "" && before != "" {
			t.Fatalf("%q and %q pass together", after, before)
		}
	})
}
