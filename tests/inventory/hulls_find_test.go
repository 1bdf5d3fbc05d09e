package inventory

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/testkit"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/search"
)

// yard is an inventory of random hulls.
type yard struct {
	*testing.T
	s         *testkit.Server
	r         *rand.Rand
	locations []string
	hulls     []hulls.Hull // newest first
}

var (
	someMakes  = []string{"Sea Ray", "Sea Fox", "Ranger", "Sailfish"}
	someModels = []string{"Sundancer 320", "SLX 250", "Bay 24"}
	someTitles = []string{"clean", "project", "clean cabin", "one owner", "project cabin", ""}
)

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func (y *yard) add(n int) {
	for range n {
		y.s.Test.Hull(pick(y.r, y.locations), map[string]any{
			"make": pick(y.r, someMakes), "model": pick(y.r, someModels), "title": pick(y.r, someTitles), "status": "on_order", "hin": nil,
			"stock_number": fmt.Sprintf("SX%d", y.r.IntN(1e9)), "price_usd": y.r.IntN(40) * 1000, "year": 2015 + y.r.IntN(4),
			"length_ft": 15 + y.r.IntN(4), "condition": pick(y.r, []string{"new", "used", "demo"}), "category": pick(y.r, []string{"power", "sail"}),
		})
		y.s.Advance(time.Second)
	}
}

// change edits, moves and archives random hulls.
func (y *yard) change(n int) {
	y.load()
	for range n {
		h := pick(y.r, y.hulls)
		if h.Status == hulls.Archived {
			continue
		}
		switch y.r.IntN(4) {
		case 0:
			y.s.Test.Patch("/v1/hulls/"+h.ID, map[string]any{"title": pick(y.r, someTitles), "make": pick(y.r, someMakes)}, 200, nil)
		case 1:
			y.s.Test.Patch("/v1/hulls/"+h.ID, map[string]any{"location_id": pick(y.r, y.locations)}, 200, nil)
		case 2:
			y.s.Test.Put("/v1/hulls/"+h.ID+"/pricing", map[string]any{"price_usd": y.r.IntN(40) * 1000}, 200, nil)
		default:
			y.s.Test.Post("/v1/hulls/"+h.ID+"/archive", nil, 200, nil)
		}
		y.s.Advance(time.Second)
		y.load()
	}
}

// load reads all hulls.
func (y *yard) load() {
	y.Helper()
	y.hulls = nil
	for _, archived := range []string{"true", "false"} {
		for cursor := ""; ; {
			var p page.Page[hulls.Hull]
			y.s.Test.Get("/v1/hulls?limit=100&archived="+archived+cursor, 200, &p)
			y.hulls = append(y.hulls, p.Data...)
			if !p.HasMore {
				break
			}
			cursor = "&starting_after=" + *p.NextCursor
		}
	}
	slices.SortFunc(y.hulls, func(a, b hulls.Hull) int { return strings.Compare(b.ID, a.ID) })
}

// filter is a random filter, and the rule that it must follow.
func (y *yard) filter() (query url.Values, match func(h hulls.Hull) bool) {
	query = url.Values{}
	rules := []func(hulls.Hull) bool{}
	and := func(name, value string, rule func(hulls.Hull) bool) {
		query.Set(name, value)
		rules = append(rules, rule)
	}

	active := func(h hulls.Hull) bool { return h.Status != hulls.Archived }
	switch y.r.IntN(6) {
	case 0:
		and("archived", "true", func(h hulls.Hull) bool { return h.Status == hulls.Archived })
	case 1:
		and("status", "on_order", func(h hulls.Hull) bool { return h.Status == hulls.OnOrder })
	case 2:
		and("include_archived", "true", func(hulls.Hull) bool { return true })
	default:
		rules = append(rules, active)
	}
	if words := y.r.IntN(4); words > 0 {
		q := ""
		for range words {
			q += pick(y.r, []string{"sea", "ray", "fox", "ranger", "sailfish", "se", "s", "sx", "clean", "project", "cabin", "320", "bay",
				"own", "sx1"}) + " "
		}
		and("q", q, func(h hulls.Hull) bool { return hasWords(h, q) })
	}
	if y.r.IntN(2) == 0 {
		l := pick(y.r, y.locations)
		and("location_id", l, func(h hulls.Hull) bool { return h.LocationID == l })
	}
	if y.r.IntN(3) == 0 {
		m := pick(y.r, someMakes)
		and("make", m, func(h hulls.Hull) bool { return h.Make == m })
	}
	if y.r.IntN(3) == 0 {
		low := y.r.IntN(40) * 1000
		high := low + y.r.IntN(10)*1000
		and("price_min", strconv.Itoa(low), func(h hulls.Hull) bool { return h.PriceUSD >= int64(low) })
		and("price_max", strconv.Itoa(high), func(h hulls.Hull) bool { return h.PriceUSD <= int64(high) })
	}
	if y.r.IntN(5) == 0 {
		at := pick(y.r, y.hulls).UpdatedAt
		and("updated_after", at.Format(time.RFC3339Nano), func(h hulls.Hull) bool { return h.UpdatedAt.After(at) })
	}
	y.filterKind(and)

	return query, func(h hulls.Hull) bool {
		return !slices.ContainsFunc(rules, func(rule func(hulls.Hull) bool) bool { return !rule(h) })
	}
}

// filterKind adds random filters by year, length, condition and category.
func (y *yard) filterKind(and func(name, value string, rule func(hulls.Hull) bool)) {
	if y.r.IntN(5) == 0 {
		from := 2015 + y.r.IntN(4)
		and("year_min", strconv.Itoa(from), func(h hulls.Hull) bool { return h.Year >= int64(from) })
		if to := from + y.r.IntN(3); to < 2017 { // one year, several, or without end
			and("year_max", strconv.Itoa(to), func(h hulls.Hull) bool { return h.Year <= int64(to) })
		}
	}
	if y.r.IntN(6) == 0 {
		to := 15 + y.r.IntN(4)
		and("length_max", strconv.Itoa(to), func(h hulls.Hull) bool { return h.LengthFt <= float64(to) })
	}
	if y.r.IntN(5) == 0 {
		and("condition", "demo", func(h hulls.Hull) bool { return string(h.Condition) == "demo" })
	}
	if y.r.IntN(6) == 0 {
		and("category", "sail", func(h hulls.Hull) bool { return string(h.Category) == "sail" })
	}
}

// hasWords reports whether a hull has each word of q.
func hasWords(h hulls.Hull, q string) bool {
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	terms := search.Terms(h.Make, h.Model, text(h.Title), text(h.StockNumber), text(h.HIN))
	for _, word := range search.Words(q) {
		from, to := search.Span(word)
		if !slices.ContainsFunc(terms, func(t string) bool { return t >= from && t < to }) {
			return false
		}
	}
	return true
}

// check compares random searches with a scan of all hulls, page by page in both
// directions.
func (y *yard) check(n int) {
	y.Helper()
	y.load()
	y.s.Advance(time.Minute) // so that clients who follow the list see all
	for range n {
		query, match := y.filter()
		var want []string
		for _, h := range y.hulls {
			if match(h) {
				want = append(want, h.ID)
			}
		}
		limit := 1 + y.r.IntN(9)
		if got := ids(y.T, y.s.Test, query.Encode(), limit); !slices.Equal(got, want) {
			y.Errorf("%s by %d: %v, want %v", query.Encode(), limit, got, want)
		}
		y.checkBackwards(query, limit, want)
	}
}

// checkBackwards reads a page before a random hull, which doesn't have to match.
func (y *yard) checkBackwards(query url.Values, limit int, want []string) {
	y.Helper()
	cursor := pick(y.r, y.hulls).ID
	newer := slices.DeleteFunc(slices.Clone(want), func(id string) bool { return id <= cursor })
	expected := newer[max(0, len(newer)-limit):]
	var p page.Page[hulls.Hull]
	y.s.Test.Get(fmt.Sprintf("/v1/hulls?limit=%d&%s&ending_before=%s", limit, query.Encode(), cursor), 200, &p)
	var got []string
	for _, h := range p.Data {
		got = append(got, h.ID)
	}
	older := len(want) > len(newer)
	if !slices.Equal(got, expected) || p.HasMore != (len(newer) > limit) || (p.NextCursor != nil) != (older && len(got) > 0) {
		y.Errorf("%s by %d before %s: %v, has_more %v, next %v; want %v of %d",
			query.Encode(), limit, cursor, got, p.HasMore, p.NextCursor, expected, len(want))
	}
}

// Each search returns exactly the hulls that match.
func TestFiltersMatchScan(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		seed := rand.Uint64()
		t.Log("seed", seed)
		y := &yard{T: t, s: s, r: rand.New(rand.NewPCG(seed, 0))}
		for range 3 {
			y.locations = append(y.locations, s.Test.Location())
		}

		y.add(70)
		y.check(60)
		y.change(30)
		y.check(100)
	})
}
