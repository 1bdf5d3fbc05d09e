package sheet

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"slipway/internal/vocab/lazy"
	"strconv"
	"strings"
	"time"
)

// note is the code and the message of a Note.
type note struct{ code, message string }

// quotes are the signs for feet and inches that word processors write.
var quotes = strings.NewReplacer("\u2019", "'", "\u2032", "'", "`", "'", "\u201d", `"`, "\u2033", `"`, "''", `"`, "\u00a0", " ", "\u202f", " ")

const decimalPart = `(\d+(?:[.,]\d+)?|[.,]\d+)`

var (
	feetLength = lazy.Regexp(`^` + decimalPart + `\s*(?:'|ft\b\.?|feet\b|foot\b)\s*(?:[-,]?\s*` + decimalPart + `\s*(?:"|in\b\.?|inch\b|inches\b)?)?$`)
	inchLength = lazy.Regexp(`^` + decimalPart + `\s*(?:"|in\.?|inch|inches)$`)
	longLength = lazy.Regexp(`^` + decimalPart + `\s*(?:m|mtr|mtrs|meter|meters|metre|metres)\.?$`) //nolint:misspell // British spelling
)

const feetPerMeter = 1 / 0.3048

// parseLength reads 23.5, 23' 6", 20 ft 9 in, 282 in or 7.1 m as feet. The unit of
// a bare number is unit feet.
func parseLength(cell string, unit float64) (float64, error) {
	bad := errors.New(`must be a length such as 23.5, 23' 6" or 7.1 m`)
	cell = strings.ToLower(strings.TrimSpace(quotes.Replace(cell)))
	number := func(s string) float64 {
		n, _ := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64)
		return n
	}

	length := 0.0
	if m := feetLength().FindStringSubmatch(cell); m != nil {
		inches := 0.0
		if m[2] != "" {
			inches = number(m[2])
		}
		if inches >= 12 {
			return 0, bad
		}
		length = number(m[1]) + inches/12
	} else if m := inchLength().FindStringSubmatch(cell); m != nil {
		length = number(m[1]) / 12
	} else if m := longLength().FindStringSubmatch(cell); m != nil {
		length = number(m[1]) * feetPerMeter
	} else {
		n, err := parseNumber(cell)
		if err != nil {
			return 0, bad
		}
		length = n * unit
	}
	return math.Round(length*100) / 100, nil
}

var (
	grouped      = lazy.Regexp(`^\d{1,3}(,\d{3})+$`)
	spaced       = lazy.Regexp(`^[+-]?\d{1,3}( \d{3})+([.,]\d*)?$`)
	groupedDots  = lazy.Regexp(`^\d{1,3}(\.\d{3}){2,}$`)
	plainDecimal = lazy.Regexp(`^(\d+(\.\d*)?|\.\d+)$`)
)

// parseNumber reads 1234.5, 1,234.5, 1.234,5 and 1234,5. Of a comma and a period,
// the last one is the decimal separator. A single one before three digits is
// decimal if it is a period, and groups the digits if it is a comma.
func parseNumber(text string) (float64, error) {
	text = strings.TrimSpace(strings.NewReplacer("\u00a0", " ", "\u202f", " ").Replace(text))
	if spaced().MatchString(text) {
		text = strings.ReplaceAll(text, " ", "")
	}
	negative := strings.HasPrefix(text, "-")
	text = strings.TrimLeft(text, "+-")
	comma, period := strings.LastIndex(text, ","), strings.LastIndex(text, ".")
	switch {
	case comma > period && period >= 0:
		text = strings.Replace(strings.ReplaceAll(text, ".", ""), ",", ".", 1)
	case period > comma && comma >= 0:
		text = strings.ReplaceAll(text, ",", "")
	case grouped().MatchString(text):
		text = strings.ReplaceAll(text, ",", "")
	case groupedDots().MatchString(text):
		text = strings.ReplaceAll(text, ".", "")
	default:
		text = strings.Replace(text, ",", ".", 1)
	}

	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !plainDecimal().MatchString(text) || math.IsInf(n, 0) {
		return 0, errors.New("must be a number")
	}
	if negative {
		n = -n
	}
	return n, nil
}

// noPrice are words in a column of prices that mean that there is none.
var noPrice = []string{"call", "callforprice", "callforpricing", "poa", "tba", "tbd", "inquire", "contactus", "contactdealer"}

// parseMoney reads $124,900.00, 124.9k, US$61,900.50 and (1,200) as cents. It is nil if
// the cell says that there is no price.
func parseMoney(cell string, semicolons bool) (*int64, error) {
	bad := errors.New("must be an amount in US dollars such as 124900 or $124,900.00")
	if slices.Contains(noPrice, plain(cell)) {
		return nil, nil
	}
	text := strings.TrimSpace(asked().ReplaceAllString(strings.ToUpper(strings.TrimSpace(cell)), ""))
	negative := strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")")
	if negative {
		text = text[1 : len(text)-1]
	}
	for _, sign := range []string{"USD", "US$", "$", "US"} {
		text = strings.Replace(text, sign, "", 1)
	}
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutSuffix(text, "-"); ok { // as accounting software writes it
		text, negative = rest, true
	}
	if semicolons && oneGroup().MatchString(text) {
		text = strings.Replace(text, ".", "", 1) // where cells end with a semicolon, periods group digits
	}

	unit := 1.0
	if m := thousands().FindStringSubmatch(text); m != nil {
		text, unit = m[1], map[string]float64{"K": 1e3, "M": 1e6}[m[2]]
	}
	n, err := parseNumber(text)
	if n *= unit; err != nil || math.Abs(n) > 1e13 {
		return nil, bad
	}
	cents := int64(math.Round(n * 100))
	if negative {
		cents = -cents
	}
	return &cents, nil
}

// asked are words after a price: 74500 obo. thousands is a price such as 189.9k.
var (
	asked     = lazy.Regexp(`\s+(OBO|OR BEST OFFER|FIRM)\.?$`)
	thousands = lazy.Regexp(`^(-?[\d.,]+)\s*([KM])$`)
)

var oneGroup = lazy.Regexp(`^-?\d{1,3}\.\d{3}$`)

var (
	clock     = lazy.Regexp(`(?i)[t ,]+\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?\s*([ap]\.?m\.?)?\s*(z|utc|gmt|[ecmp][sd]t|[+-]\d{2}:?\d{2})?$`)
	weekday   = lazy.Regexp(`(?i)^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s+`)
	yearFirst = lazy.Regexp(`^(\d{4})([-/.])(\d{1,2})([-/.])(\d{1,2})$`)
	digits    = lazy.Regexp(`^((?:19|20)\d{2})(\d{2})(\d{2})$`)
	yearLast  = lazy.Regexp(`^(\d{1,2})([-/.])(\d{1,2})([-/.])(\d{2}|\d{4})$`)
	dayMonth  = lazy.Regexp(`(?i)^(\d{1,2})(?:st|nd|rd|th)?[-\s./]*([a-z]{3,9})\.?[-\s,./]*(\d{2}|\d{4})$`)
	monthDay  = lazy.Regexp(`(?i)^([a-z]{3,9})\.?[-\s]*(\d{1,2})(?:st|nd|rd|th)?[-\s,]+(\d{2}|\d{4})$`)
	serial    = lazy.Regexp(`^(\d{5})(?:\.\d+)?$`)
	zeroDate  = lazy.Regexp(`^(0{1,4}[-/.]0{1,2}[-/.]0{1,4}|1/0/1900|1/0/00|0)$`)
)

// parseDate reads a date, with or without a time. It is "" for the zero date that
// some programs write for none. Ambiguous means that the day and the month could
// be exchanged.
func parseDate(cell string, dayFirst bool) (date string, ambiguous bool, err error) {
	cell = strings.TrimSpace(clock().ReplaceAllString(strings.TrimSpace(cell), ""))
	cell = weekday().ReplaceAllString(cell, "")
	number := func(s string) int {
		n, _ := strconv.Atoi(s)
		return n
	}
	year, month, day := 0, 0, 0
	if zeroDate().MatchString(cell) {
		return "", false, nil
	}

	if m := yearFirst().FindStringSubmatch(cell); m != nil && m[2] == m[4] {
		year, month, day = number(m[1]), number(m[3]), number(m[5])
	} else if m := digits().FindStringSubmatch(cell); m != nil {
		year, month, day = number(m[1]), number(m[2]), number(m[3])
	} else if m := yearLast().FindStringSubmatch(cell); m != nil && m[2] == m[4] {
		month, day, year = number(m[1]), number(m[3]), number(m[5])
		switch {
		case m[2] == ".": // only written where the day is first
			month, day = day, month
		case month > 12 || day > 12:
			if month > 12 {
				month, day = day, month
			}
		default:
			ambiguous = month != day
			if dayFirst {
				month, day = day, month
			}
		}
		year = century(year, len(m[5]))
	} else if m := dayMonth().FindStringSubmatch(cell); m != nil {
		day, month, year = number(m[1]), monthNamed(m[2]), century(number(m[3]), len(m[3]))
	} else if m := monthDay().FindStringSubmatch(cell); m != nil {
		month, day, year = monthNamed(m[1]), number(m[2]), century(number(m[3]), len(m[3]))
	} else if m := serial().FindStringSubmatch(cell); m != nil {
		// Excel counts the days since December 30, 1899.
		at := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).AddDate(0, 0, number(m[1]))
		year, month, day = at.Year(), int(at.Month()), at.Day()
	}

	at := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if year < 1900 || at.Day() != day || int(at.Month()) != month {
		return "", false, errors.New("must be a date such as 2026-05-01, 5/1/2026 or 1-May-2026")
	}
	return at.Format(time.DateOnly), ambiguous, nil
}

// century returns the year of two digits: 69 to 99 are in the last century.
func century(year, length int) int {
	switch {
	case length == 4:
		return year
	case year >= 69:
		return 1900 + year
	}
	return 2000 + year
}

// monthNamed returns the month with an English name or the start of one, or 0.
func monthNamed(name string) int {
	for m := time.January; m <= time.December; m++ {
		if strings.HasPrefix(strings.ToLower(m.String()), strings.ToLower(name)) || strings.EqualFold(name, "sept") && m == time.September {
			return int(m)
		}
	}
	return 0
}

// noteOnDate explains how an ambiguous date was read.
func noteOnDate(cell, date string, dayFirst bool) *note {
	order := "month"
	if dayFirst {
		order = "day"
	}
	return &note{"ambiguous", fmt.Sprintf("%q was read as %s, with the %s first", Clip(cell, 40), date, order)}
}
