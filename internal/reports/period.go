// Package reports summarizes the inventory, the leads, the deals and the money of a
// dealership. It reads the tables of other features, because a report is one query
// over several of them, and never writes.
package reports

import (
	"slices"
	"strconv"
	"time"

	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/money"
)

// maxDays is the longest period of a report about a period.
const maxDays = 366

// defaultDays is the period of a report without date_after.
const defaultDays = 30

// Filter is what a report is about.
type Filter struct {
	From       string `query:"date_after" format:"date" doc:"First day of the report. See the description of the operation for the default." example:"2026-11-01"`
	To         string `query:"date_before" format:"date" doc:"Last day of the report. See the description of the operation for the default." example:"2026-11-30"`
	LocationID string `query:"location_id" maxLength:"1000" doc:"Only this location. Several are separated by commas. The days are those of its time zone, or else of the dealership's." example:"loc_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

// Covers is what a report covers. Each report starts with it.
type Covers struct {
	From       *string `json:"date_after" format:"date" doc:"First day of the report. Null if the report has no first day." example:"2026-11-01"`
	To         *string `json:"date_before" format:"date" doc:"Last day of the report. Null if the report has no last day." example:"2026-11-30"`
	LocationID *string `json:"location_id" doc:"Location of the report. Several are separated by commas. Null for all locations."`
	Timezone   string  `json:"timezone" doc:"IANA time zone of the days." example:"America/New_York"`
	Today      string  `json:"today" format:"date" doc:"Current date in that time zone." example:"2026-11-16"`
}

// period is the days of a report.
type period struct {
	Covers
	zone       *time.Location
	now        time.Time
	start, end time.Time // start is the first moment, and end the first one after it. Zero if the report has none
}

// days returns the period of a filter. Without bounded, the default is all days.
func (f Filter) days(zone *time.Location, now time.Time, bounded bool) (period, error) {
	p := period{zone: zone, now: now}
	p.Timezone, p.Today = zone.String(), now.In(zone).Format(time.DateOnly)
	if f.LocationID != "" {
		p.LocationID = &f.LocationID
	}

	from, to := f.From, f.To
	if bounded {
		from, to = f.defaults(p.Today)
	}
	var bad fault.Fields
	p.start = startOf(&bad, "date_after", from, zone)
	last := startOf(&bad, "date_before", to, zone)
	if err := rejected(bad); err != nil {
		return p, err
	}

	if from != "" {
		p.From = &from
	}
	if to != "" {
		p.To, p.end = &to, last.AddDate(0, 0, 1)
	}
	switch {
	case from != "" && to != "" && from > to: // both YYYY-MM-DD
		bad.Add("date_after", "maximum", "must not be later than date_before, %s", to)
	case bounded && p.start.AddDate(0, 0, maxDays).Before(p.end):
		bad.Add("date_after", "minimum", "must be at most %d days before date_before, %s", maxDays-1, to)
	}
	return p, rejected(bad)
}

// rejected returns the error of invalid parameters, or nil. Like all parameters, they
// are a bad request.
func rejected(bad fault.Fields) error {
	if len(bad) == 0 {
		return nil
	}
	e := fault.BadRequest("%s", fault.Sentence(bad))
	e.Details = bad
	return e
}

// defaults fills in the days of a report about a period: the last 30 days.
func (f Filter) defaults(today string) (from, to string) {
	from, to = f.From, f.To
	if to == "" {
		to = today
	}
	if day, err := time.Parse(time.DateOnly, to); from == "" && err == nil {
		from = day.AddDate(0, 0, 1-defaultDays).Format(time.DateOnly)
	}
	return from, to
}

// startOf returns the first moment of a day. A day without midnight, because clocks
// are set forward, starts later.
func startOf(bad *fault.Fields, field, day string, zone *time.Location) time.Time {
	if day == "" {
		return time.Time{}
	}
	at, err := time.ParseInLocation(time.DateOnly, day, zone)
	if err != nil {
		bad.Add(field, "format", "must be a date such as 2026-11-30")
	}
	return at
}

// month is a calendar month, or the part of it that is in a period.
type month struct {
	name string // such as 2026-11
	end  time.Time
}

// months returns the months of the period, oldest first.
func (p period) months() (all []month) {
	for at := p.start; at.Before(p.end); {
		y, m, _ := at.In(p.zone).Date()
		next := time.Date(y, m+1, 1, 0, 0, 0, 0, p.zone)
		all = append(all, month{at.In(p.zone).Format("2006-01"), next})
		at = next
	}
	return all
}

// monthOf returns an SQL expression with the number of the month of a column. Bound
// returns the end of a month in the type of the column. Months have different lengths
// and offsets, and the databases know different time zones, so Go compares.
func (p period) monthOf(column string, bound func(time.Time) any) (sql string, args []any) {
	all := p.months()
	if len(all) < 2 {
		return "0", nil
	}
	sql = "CASE"
	for i, m := range all[:len(all)-1] {
		sql += " WHEN " + column + " < ? THEN " + strconv.Itoa(i)
		args = append(args, bound(m.end))
	}
	return sql + " ELSE " + strconv.Itoa(len(all)-1) + " END", args
}

// day returns the date of a time.
func (p period) day(at time.Time) string { return at.In(p.zone).Format(time.DateOnly) }

// daysBetween counts the days from one date to another, at least 0.
func daysBetween(from, to string) int64 {
	a, err := time.Parse(time.DateOnly, from)
	b, err2 := time.Parse(time.DateOnly, to)
	if err != nil || err2 != nil {
		return 0
	}
	return max(0, int64(b.Sub(a)/(24*time.Hour)))
}

// rank returns the smallest value that at least this share of the values doesn't
// exceed, or nil if there are none. It sorts the values.
func rank(values []int64, percent int) *int64 {
	if len(values) == 0 {
		return nil
	}
	slices.Sort(values)
	return new(values[(len(values)*percent+99)/100-1])
}

func median(values []int64) *int64 { return rank(values, 50) }

// share returns a part of a whole as a percentage with one decimal, rounded half up.
// It is nil if the whole is 0.
func share(part, whole int64) *money.Percent {
	if whole == 0 {
		return nil
	}
	tenths := (part*2000 + whole) / (2 * whole)
	text := strconv.FormatInt(tenths/10, 10)
	if tenths%10 != 0 {
		text += "." + strconv.FormatInt(tenths%10, 10)
	}
	return new(money.Percent(text))
}
