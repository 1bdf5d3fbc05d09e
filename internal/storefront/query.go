package storefront

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"slipway/internal/hulls"
	"slipway/internal/platform/front"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/patch"
)

// perPage is how many boats a page of the list has.
const perPage = 24

// listQuery is the query string of the list of boats. Everyone can write it, so what is not valid
// is left out.
type listQuery struct {
	conditions []string
	types      []string
	locations  []string
	maker      string
	words      string
	sort       string
	after      string // the cursor of the next page

	priceMin, priceMax   int64 // 0 if not set
	lengthMin, lengthMax float64
}

// sorts are the orders of the list, in the order of the choices. The first is the default.
var sorts = []string{"newest", "price", "-price", "-length"}

const (
	mostValues  = 30  // of a filter
	longestWord = 100 // of a text in the query, in characters
	mostDollars = 1_000_000_000
	mostFeet    = 1000
)

// parseList reads a query string.
func parseList(rawQuery string) listQuery {
	values, _ := url.ParseQuery(rawQuery) // it returns what is valid
	q := listQuery{
		conditions: texts(values["condition"]), types: texts(values["type"]), locations: texts(values["location"]),
		maker: text(values.Get("make")), words: text(values.Get("q")), after: text(values.Get("after")), sort: sorts[0],
		priceMin: int64(number(values.Get("price_min"), mostDollars)), priceMax: int64(number(values.Get("price_max"), mostDollars)),
		lengthMin: number(values.Get("length_min"), mostFeet), lengthMax: number(values.Get("length_max"), mostFeet),
	}
	if s := values.Get("sort"); slices.Contains(sorts, s) {
		q.sort = s
	}
	q.conditions = slices.DeleteFunc(q.conditions, func(c string) bool { return !front.Has("condition." + c) })
	q.types = slices.DeleteFunc(q.types, func(c string) bool { return !front.Has("class." + c) })
	if q.priceMax > 0 && q.priceMin > q.priceMax {
		q.priceMin, q.priceMax = q.priceMax, q.priceMin
	}
	if q.lengthMax > 0 && q.lengthMin > q.lengthMax {
		q.lengthMin, q.lengthMax = q.lengthMax, q.lengthMin
	}
	return q
}

// text returns a value if it is one that people write.
func text(s string) string {
	s = strings.TrimSpace(s)
	if !utf8.ValidString(s) || strings.ContainsRune(s, 0) || utf8.RuneCountInString(s) > longestWord {
		return ""
	}
	return s
}

// texts returns the different values of a filter.
func texts(all []string) (out []string) {
	for _, s := range all {
		if s = text(s); s != "" && !slices.Contains(out, s) && len(out) < mostValues {
			out = append(out, s)
		}
	}
	return out
}

// number reads a number such as 250,000 or $20.5.
func number(s string, most float64) float64 {
	n, err := strconv.ParseFloat(strings.NewReplacer(",", "", "$", "", " ", "", "'", "").Replace(text(s)), 64)
	if err != nil || math.IsNaN(n) || n <= 0 {
		return 0
	}
	return math.Floor(min(n, most)*100) / 100
}

// filter returns what to search for.
func (q listQuery) filter(channelID string) hulls.PublicFilter {
	f := hulls.PublicFilter{ChannelID: channelID}
	f.Query = page.Query{Limit: perPage, StartingAfter: q.after}
	f.Sort, f.Q, f.Make = hulls.Sort(q.sort), q.words, q.maker
	f.LocationID = strings.Join(q.locations, ",")
	for _, c := range q.conditions {
		f.Conditions = append(f.Conditions, hulls.Condition(c))
	}
	for _, c := range q.types {
		f.Classes = append(f.Classes, hulls.BoatClass(c))
	}
	f.PriceMin, f.PriceMax = param(q.priceMin), param(q.priceMax)
	f.LengthMin, f.LengthMax = param(q.lengthMin), param(q.lengthMax)
	return f
}

func param[T int64 | float64](n T) patch.Param[T] { return patch.Param[T]{Set: n > 0, V: n} }

// isPlain reports whether it is the list without filters, in its usual order.
func (q listQuery) isPlain() bool {
	return q.count() == 0 && q.words == "" && q.sort == sorts[0] && q.after == ""
}

// count is how many filters there are.
func (q listQuery) count() int {
	n := len(q.conditions) + len(q.types) + len(q.locations)
	for _, set := range []bool{q.maker != "", q.priceMin > 0, q.priceMax > 0, q.lengthMin > 0, q.lengthMax > 0} {
		if set {
			n++
		}
	}
	return n
}

// values returns the query string again, without the cursor.
func (q listQuery) values() url.Values {
	v := url.Values{}
	set := func(name, value string) {
		if value != "" && value != "0" {
			v.Set(name, value)
		}
	}
	v["condition"], v["type"], v["location"] = q.conditions, q.types, q.locations
	set("make", q.maker)
	set("q", q.words)
	set("price_min", strconv.FormatInt(q.priceMin, 10))
	set("price_max", strconv.FormatInt(q.priceMax, 10))
	set("length_min", decimal(q.lengthMin))
	set("length_max", decimal(q.lengthMax))
	if q.sort != sorts[0] {
		v.Set("sort", q.sort)
	}
	return v
}

func decimal(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// link returns the path of the list with this query.
func (q listQuery) link(home string) string {
	if s := q.values().Encode(); s != "" {
		return home + "?" + s
	}
	return home
}

// chip is a filter that a visitor can remove.
type chip struct{ Text, URL string }

// chips lists the filters. Names are those of the locations.
func (q listQuery) chips(home string, names map[string]string) (all []chip) {
	add := func(words string, change func(*listQuery)) {
		without := q
		without.after = ""
		change(&without)
		all = append(all, chip{words, without.link(home)})
	}
	if q.words != "" {
		add("“"+q.words+"”", func(q *listQuery) { q.words = "" })
	}
	for _, c := range q.conditions {
		add(front.Say("condition."+c), func(q *listQuery) { q.conditions = without(q.conditions, c) })
	}
	for _, c := range q.types {
		add(front.Say("class."+c), func(q *listQuery) { q.types = without(q.types, c) })
	}
	for _, id := range q.locations {
		if names[id] != "" {
			add(names[id], func(q *listQuery) { q.locations = without(q.locations, id) })
		}
	}
	if q.maker != "" {
		add(q.maker, func(q *listQuery) { q.maker = "" })
	}
	for _, n := range []struct {
		set    bool
		words  string
		change func(*listQuery)
	}{
		{q.priceMin > 0, front.Say("chip.from", front.Dollars(q.priceMin)), func(q *listQuery) { q.priceMin = 0 }},
		{q.priceMax > 0, front.Say("chip.to", front.Dollars(q.priceMax)), func(q *listQuery) { q.priceMax = 0 }},
		{q.lengthMin > 0, front.Say("chip.from", front.Feet(q.lengthMin)), func(q *listQuery) { q.lengthMin = 0 }},
		{q.lengthMax > 0, front.Say("chip.to", front.Feet(q.lengthMax)), func(q *listQuery) { q.lengthMax = 0 }},
	} {
		if n.set {
			add(n.words, n.change)
		}
	}
	return all
}

func without(all []string, s string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(v string) bool { return v == s })
}

// zoneNamed returns a time zone, or UTC if it has none with this name.
func zoneNamed(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return zone
}
