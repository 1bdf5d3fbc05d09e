// Package money is whole cents and exact percentages: rates are decimals,
// results are rounded half up to the cent, and there are no floats.
package money

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"slipway/internal/vocab/fault"
)

// MaxCents bounds every amount: a thousand million dollars. Sums of such
// amounts stay far from the end of an int64.
const MaxCents = 100_000_000_000

// Percent is a percentage as callers write it: "6", "7.49".
type Percent string

// percent is a decimal of up to four places, from 0 to 100.
var percent = regexp.MustCompile(`^(100(\.0{1,4})?|[0-9]{1,2}(\.[0-9]{1,4})?)$`)

// Check blames a field whose percentage cannot be one.
func (p Percent) Check(bad *fault.Fields, field string) {
	if !percent.MatchString(string(p)) {
		bad.Add(field, "pattern", `must be a percentage from 0 to 100 with up to four decimals, such as "6.25"`)
	}
}

// Of is the percentage of an amount, rounded half up. An amount below zero has
// none.
func (p Percent) Of(cents int64) int64 {
	if cents <= 0 {
		return 0
	}
	return decimal.NewFromInt(cents).Mul(p.decimal()).DivRound(decimal.NewFromInt(100), 0).IntPart()
}

// Scaled is the percentage in ten-thousandths, which are whole.
func (p Percent) Scaled() int64 { return p.decimal().Shift(4).IntPart() }

// decimal is 0 for what Check would have refused.
func (p Percent) decimal() decimal.Decimal {
	d, err := decimal.NewFromString(string(p))
	if err != nil {
		return decimal.Zero
	}
	return d
}

// Format writes an amount as people read it: $1,234.56, −$20.00.
func Format(cents int64) string {
	sign := ""
	if cents < 0 {
		sign, cents = "−", -cents
	}
	digits := strconv.FormatInt(cents/100, 10)
	var b strings.Builder
	for i, r := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	fraction := strconv.FormatInt(cents%100+100, 10)[1:]
	return sign + "$" + b.String() + "." + fraction
}
