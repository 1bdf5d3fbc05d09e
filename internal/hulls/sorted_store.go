package hulls

import (
	"context"
	"math"
	"strings"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/page"
)

// SortedFilter is the query of the list of hulls in any order.
type SortedFilter struct {
	HullFilter
	Sort Sort `query:"sort" default:"newest" doc:"newest lists the hulls that were added last first. A minus sign means from high to low, so -age starts with the hull that has been in stock longest. A hull that was not received yet has the lowest age."`
}

// Sort is the order of a list of hulls.
type Sort string

var allSorts = enum.Of[Sort]("HullSort", "Order of the list of hulls. A minus sign means from high to low.",
	"newest", "price", "-price", "age", "-age", "length", "-length", "year", "-year")

func (Sort) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allSorts.Describe(s)
}

// orders has the orders from low to high. The column of the age is as in the index
// hulls_age. The latest date is the lowest age.
var orders = map[string]db.Order[Hull]{
	"price": {Column: "h.price_usd", Value: func(h Hull) int64 { return h.PriceUSD }, Argument: number},
	"year":  {Column: "h.year", Value: func(h Hull) int64 { return h.Year }, Argument: number},
	"length": {
		Column:   "h.length_ft",
		Value:    func(h Hull) int64 { return int64(math.Float64bits(h.LengthFt)) },
		Argument: func(n int64) any { return math.Float64frombits(uint64(n)) },
	},
	"age": {
		Column: "COALESCE(h.received_on, '" + notReceived + "')", IsExpr: true, Desc: true,
		Value:    receivedDay,
		Argument: func(n int64) any { return time.Unix(n*secondsPerDay, 0).UTC().Format(time.DateOnly) },
	},
}

func number(n int64) any { return n }

// notReceived is the date of hulls that were not received yet.
const notReceived = "9999-12-31"

const secondsPerDay = 24 * 60 * 60

// receivedDay returns the date on which the hull was received as a number.
func receivedDay(h Hull) int64 {
	date := notReceived
	if h.ReceivedOn != nil {
		date = *h.ReceivedOn
	}
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return 0 // stored dates are valid
	}
	return day.Unix() / secondsPerDay
}

// ListSorted returns the hulls that match the filter, in its order.
//
// If a condition matches few hulls, these are sorted. Otherwise, the index of the order
// leads to the first hulls that match.
func ListSorted(ctx context.Context, tx *db.Tx, f SortedFilter) (page.Page[Hull], error) {
	name, down := strings.CutPrefix(string(f.Sort), "-")
	o, ok := orders[name]
	if !ok {
		return List(ctx, tx, f.HullFilter)
	}
	if f.public != nil && f.public.HidesPrices && name == "price" {
		o = publicPrice(down)
	}
	if err := f.checkFilters(); err != nil {
		return page.Page[Hull]{}, err
	}
	s, ok := newFinder(tx, f.HullFilter)
	if !ok {
		return page.New([]Hull{}, f.Query, false, nil), nil
	}

	o.Name, o.Prefix, o.Desc = name, hulls.Prefix, o.Desc != down
	w, few, err := s.narrow(ctx)
	if err != nil {
		return page.Page[Hull]{}, err
	}
	if few { // an expression, so that the hulls are sorted and not found by the index of the order
		o.Column = "COALESCE(" + o.Column + ", " + o.Column + ")"
	}
	p, err := o.List(ctx, tx, allHulls, f.Query, w)
	for i := range p.Data {
		Derive(tx, &p.Data[i])
	}
	return p, err
}

// narrow returns the conditions, and whether one of them matches few hulls. If none
// does, they are written so that no index is used for them.
func (s *finder) narrow(ctx context.Context) (w *db.Where, few bool, err error) {
	if len(s.drivers) > 0 {
		d, ok, err := s.under(ctx, SearchLimits.Many)
		if err != nil {
			return nil, false, err
		}
		if ok {
			return s.where.With("h.id IN ("+d.query+")", d.args...), true, nil
		}
	}
	w = &db.Where{}
	w.And("h.env = ?", s.tx.Env)
	w.And("CASE WHEN "+s.where.String()+" THEN 1 ELSE 0 END = 1", s.where.Args...)
	return w, false, nil
}
