package front

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"slipway/internal/vocab/money"
)

// Dollars writes whole dollars: $119,900.
func Dollars(usd int64) string { return strings.TrimSuffix(money.Format(usd*100), ".00") }

// Cents writes an exact amount: $801.72.
func Cents(cents int64) string { return money.Format(cents) }

// Number writes a whole number: 1,250.
func Number(n int64) string { return strings.TrimPrefix(Dollars(n), "$") }

// Decimal writes a number with the digits that it has, up to two.
func Decimal(n float64) string {
	whole, fraction := math.Modf(math.Round(n*100) / 100)
	text := Number(int64(whole))
	if fraction > 0 {
		text += strings.TrimRight(strconv.FormatFloat(fraction, 'f', 2, 64), "0")[1:]
	}
	return text
}

// Feet writes a length: 23 ft 7 in.
func Feet(ft float64) string {
	inches := int64(math.Round(ft * 12))
	if inches%12 == 0 {
		return Say("feet", Number(inches/12))
	}
	return Say("feet.inches", Number(inches/12), strconv.FormatInt(inches%12, 10))
}

// Day writes a date: Nov 17, 2026.
func Day(at time.Time) string { return at.Format("Jan 2, 2006") }

// Clock writes a time of day: 1:00 PM.
func Clock(at time.Time) string { return at.Format("3:04 PM") }

// Weekday writes a date without its year: Fri, Nov 20.
func Weekday(at time.Time) string { return at.Format("Mon, Jan 2") }

// Brand is the color of a dealership. Lightness is ours, so that contrast always holds.
type Brand struct{ Hue, Chroma float64 }

// maxChroma limits how colorful a brand is.
const maxChroma = .11

// BrandOf returns the hue and the chroma of a color such as #0b7285 (OKLCH).
func BrandOf(hex string) (Brand, bool) {
	n, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 24)
	if err != nil || len(hex) != 7 || hex[0] != '#' {
		return Brand{}, false
	}
	linear := func(v uint64) float64 {
		c := float64(v&255) / 255
		if c <= .04045 {
			return c / 12.92
		}
		return math.Pow((c+.055)/1.055, 2.4)
	}
	r, g, b := linear(n>>16), linear(n>>8), linear(n)
	l := math.Cbrt(.4122214708*r + .5363325363*g + .0514459929*b)
	m := math.Cbrt(.2119034982*r + .6806995451*g + .1073969566*b)
	s := math.Cbrt(.0883024619*r + .2817188376*g + .6299787005*b)
	x := 1.9779984951*l - 2.4285922050*m + .4505937099*s
	y := .0259040371*l + .7827717662*m - .8086757660*s
	hue := math.Atan2(y, x) * 180 / math.Pi
	if hue < 0 {
		hue += 360
	}
	return Brand{Hue: hue, Chroma: min(math.Hypot(x, y), maxChroma)}, true
}

// CSS is the stylesheet with the color.
func (b Brand) CSS() string {
	return fmt.Sprintf(":root{--brand-h:%.1f;--brand-c:%.3f}\n", b.Hue, b.Chroma)
}
