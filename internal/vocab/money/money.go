// Package money calculates with whole cents and exact decimal percentages, without
// floating-point numbers. Results are rounded half up to the cent.
package money

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"slipway/internal/vocab/fault"
)

// MaxCents is the largest amount: one billion dollars. Sums of such amounts can't
// overflow an int64.
const MaxCents = 100_000_000_000

// Percent is a percentage in decimal notation, such as "6" or "7.49".
type Percent string

// percent matches a decimal from 0 to 100 with up to four places.
var percent = regexp.MustCompile(`^(100(\.0{1,4})?|[0-9]{1,2}(\.[0-9]{1,4})?)$`)

// Check reports an invalid percentage as an error of the field.
func (p Percent) Check(bad *fault.Fields, field string) {
	if !percent.MatchString(string(p)) {
		bad.Add(field, "pattern", `must be a percentage from 0 to 100 with up to four decimals, such as "6.25"`)
	}
}

// Of returns the percentage of an amount, rounded half up. It is 0 for a negative
// amount.
func (p Percent) Of(cents int64) int64 {
	if cents <= 0 {
		return 0
	}
	return decimal.NewFromInt(cents).Mul(p.decimal()).DivRound(decimal.NewFromInt(100), 0).IntPart()
}

// Plus returns the sum of two percentages.
func (p Percent) Plus(other Percent) Percent {
	return Percent(p.decimal().Add(other.decimal()).String())
}

// Scaled returns the percentage times 10,000, which is always an integer.
func (p Percent) Scaled() int64 { return p.decimal().Shift(4).IntPart() }

// decimal is 0 for a value that Check rejects.
func (p Percent) decimal() decimal.Decimal {
	d, err := decimal.NewFromString(string(p))
	if err != nil {
		return decimal.Zero
	}
	return d
}

// Format formats an amount for people: $1,234.56 or −$20.00.
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
