package messages

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/vocab/effect"
	"slipway/internal/vocab/lazy"
	"slipway/internal/vocab/null"
)

// Planned is an appointment of a lead.
type Planned struct {
	ID       string
	Version  int64
	What     string    // such as sea trial
	StartsAt time.Time // in the time zone of the location
}

// facts are what a text can be compared with.
type facts struct {
	boat    *hulls.Hull
	hours   []float64 // of the engines of the boat, empty unless all are known
	planned []Planned
	now     time.Time
}

// fact is a fact in a text.
type fact struct {
	effect.ProposalFact

	from, to int      // where it is in the text
	planned  *Planned // what it was compared with
	isHours  bool
}

// find returns the facts in a text in their order. It only says that a fact differs if the
// text is certainly about the boat: messages name other amounts, boats and lengths, too.
func (f facts) find(text string) []fact {
	var all []fact
	if f.boat != nil {
		all = slices.Concat(f.amounts(text), f.years(text), f.numbers(text), f.lengths(text), f.engineHours(text))
	}
	all = append(all, f.times(text)...)
	slices.SortStableFunc(all, func(a, b fact) int { return cmp.Compare(a.from, b.from) })

	var found []fact
	for _, one := range all {
		one.Text = strings.TrimSpace(text[one.from:one.to])
		if !slices.ContainsFunc(found, func(o fact) bool { return o.Text == one.Text && o.Result == one.Result }) {
			found = append(found, one)
		}
	}
	return found
}

func at(span []int, result effect.FactResult, note string) fact {
	return fact{ProposalFact: effect.ProposalFact{Result: result, Note: note}, from: span[0], to: span[1]}
}

// group returns a group of a match, or "".
func group(text string, span []int, n int) string {
	if span[2*n] < 0 {
		return ""
	}
	return text[span[2*n]:span[2*n+1]]
}

func number(text string) float64 {
	n, _ := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64) // the patterns only match numbers
	return n
}

var amountPattern = lazy.Regexp(`(?i)\$\s?(\d+(?:,\d{3})*(?:\.\d+)?)(?:\s?(k|million)\b)?`)

// amounts compares dollars with the prices. A deposit or a fee is an amount, too.
func (f facts) amounts(text string) (all []fact) {
	for _, span := range amountPattern().FindAllStringSubmatchIndex(text, -1) {
		usd := number(group(text, span, 1))
		switch strings.ToLower(group(text, span, 2)) {
		case "k":
			usd *= 1_000
		case "million":
			usd *= 1_000_000
		}
		usd = math.Round(usd*100) / 100
		switch {
		case usd == float64(f.boat.PriceUSD):
			all = append(all, at(span, effect.Matches, "Asking price"))
		case f.boat.MSRPUSD != nil && usd == float64(*f.boat.MSRPUSD):
			all = append(all, at(span, effect.Matches, "MSRP"))
		default:
			all = append(all, at(span, effect.Unknown, "Not the price of this boat"))
		}
	}
	return all
}

// years compares the year in front of the make or the model.
func (f facts) years(text string) (all []fact) {
	brand, model := regexp.QuoteMeta(f.boat.Make), regexp.QuoteMeta(f.boat.Model)
	pattern := regexp.MustCompile(`(?i)\b(the |this )?((?:19|20)\d\d)\s+(?:` + brand + `(\s+` + model + `)?|(` + model + `))(?:\W|$)`)
	year := strconv.FormatInt(f.boat.Year, 10)
	for _, span := range pattern.FindAllStringSubmatchIndex(text, -1) {
		isThis := span[2] >= 0 && (span[6] >= 0 || span[8] >= 0)
		where := span[4:6]
		switch {
		case group(text, span, 2) == year:
			all = append(all, at(where, effect.Matches, "Model year"))
		case isThis:
			all = append(all, at(where, effect.Differs, "The model year is "+year))
		default:
			all = append(all, at(where, effect.Unknown, "The model year of this boat is "+year))
		}
	}
	return all
}

var (
	stockPattern = lazy.Regexp(`(?i)\bstock\s*(?:number|no\.|#)\s*(?:is\s|:|#)?\s*([A-Z0-9-]*\d[A-Z0-9-]*)`)
	hinPattern   = lazy.Regexp(`(?i)\bHIN(?:\s+is|:)?\s+(?:[A-Z]{2}-)?([A-Z0-9]{12})\b`)
)

// numbers compares the stock number and the HIN.
func (f facts) numbers(text string) (all []fact) {
	for _, n := range []struct {
		pattern *regexp.Regexp
		known   *string
		name    string
	}{
		{stockPattern(), f.boat.StockNumber, "Stock number"},
		{hinPattern(), f.boat.HIN, "HIN"},
	} {
		for _, span := range n.pattern.FindAllStringSubmatchIndex(text, -1) {
			where := span[2:4]
			switch {
			case n.known == nil:
				all = append(all, at(where, effect.Unknown, "This boat has none"))
			case strings.EqualFold(group(text, span, 1), *n.known):
				all = append(all, at(where, effect.Matches, n.name))
			default:
				all = append(all, at(where, effect.Differs, n.name+" is "+null.Text(n.known)))
			}
		}
	}
	return all
}

var (
	feetPattern  = lazy.Regexp(`(?i)\b(\d{1,3}(?:\.\d+)?)(?:\s*(?:ft|foot|feet)\b|-(?:ft|foot)\b|['′’])(?:\s?(\d{1,2})(?:\s*(?:in|inches)\b|["″”]))?`)
	beforeLength = lazy.Regexp(`(?i)(?:^|[.!?,]\s*|\band\s+)(?:it is|it['’]s|she is|she['’]s|(?:the|this) boat is)\s+$`)
	afterLength  = lazy.Regexp(`(?i)^\.?[\s-]*(?:long|overall|in length|LOA)\b`)
	overall      = lazy.Regexp(`(?i)\b(?:LOA|length overall)(?:\s+is|\s+of|:)?\s*$`)
)

// lengths compares feet with the length of the boat. Its beam, a slip or a trailer has feet, too.
func (f facts) lengths(text string) (all []fact) {
	boat := strconv.FormatFloat(f.boat.LengthFt, 'f', -1, 64) + " ft"
	for _, span := range feetPattern().FindAllStringSubmatchIndex(text, -1) {
		whole := group(text, span, 1)
		feet, near := number(whole), 1.0 // 23 ft and 24 ft say 23.58 ft
		if inches := group(text, span, 2); inches != "" {
			feet, near = feet+number(inches)/12, 0.1
		} else if strings.Contains(whole, ".") {
			near = 0.1
		}
		before, after := text[:span[0]], text[span[1]:]
		isLong := afterLength().MatchString(after)
		switch {
		case math.Abs(feet-f.boat.LengthFt) < near:
			all = append(all, at(span, effect.Matches, "Length: "+boat))
		case isLong && beforeLength().MatchString(before) || overall().MatchString(before):
			all = append(all, at(span, effect.Differs, "The boat is "+boat+" long"))
		default:
			all = append(all, at(span, effect.Unknown, "Not the length of this boat"))
		}
	}
	return all
}

var hoursPattern = lazy.Regexp(`(?i)\b(\d+(?:,\d{3})*(?:\.\d+)?)\s*(engine\s+|motor\s+)?(?:hours|hrs)\b(\s+on\s+(?:the|its|each|both)\s+(?:engines?|motors?))?`)

// engineHours compares hours that the text says the engine has run.
func (f facts) engineHours(text string) (all []fact) {
	for _, span := range hoursPattern().FindAllStringSubmatchIndex(text, -1) {
		isEngine := span[4] >= 0 || span[6] >= 0
		hours := number(group(text, span, 1))
		one := at(span, effect.Unknown, "")
		switch {
		case slices.ContainsFunc(f.hours, func(known float64) bool { return known == hours || math.Round(known) == hours }):
			one.Result, one.Note = effect.Matches, "Engine hours"
		case !isEngine:
			continue
		case len(f.hours) == 0:
			one.Note = "The hours of this boat are unknown"
		default:
			one.Result, one.Note = effect.Differs, "Engine hours: "+strconv.FormatFloat(f.hours[0], 'f', -1, 64)
		}
		one.isHours = true
		all = append(all, one)
	}
	return all
}
