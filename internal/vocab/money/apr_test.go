package money

import (
	"slices"
	"testing"
	"time"

	"slipway/internal/testkit/assert"
)

// repeat returns equal payments with another first and last one. 0 means equal.
func repeat(n int, cents, first, last int64) []int64 {
	all := slices.Repeat([]int64{cents}, n)
	if first != 0 {
		all[0] = first
	}
	if last != 0 {
		all[n-1] = last
	}
	return all
}

// The first five examples are published in Appendix J of Regulation Z, section (c),
// as the examples (1)(i), (1)(ii), (2)(i), (3)(i) and (4)(i). The others were
// calculated with a separate program, with 60 decimal places.
func TestDisclosedAPR(t *testing.T) {
	for name, c := range map[string]struct {
		cents        int64
		payments     []int64
		months, days int
		want         Percent
	}{
		"monthly payments":              {500000, repeat(24, 23000, 0, 0), 1, 0, "9.69"},
		"long first period":             {600000, repeat(36, 20000, 0, 0), 1, 19, "11.82"},
		"irregular first payment":       {500000, repeat(24, 23000, 25000, 0), 1, 0, "10.08"},
		"irregular final payment":       {500000, repeat(24, 23000, 0, 28000), 1, 0, "10.50"},
		"irregular first and final":     {500000, repeat(24, 23000, 25000, 28000), 1, 0, "10.90"},
		"20 years":                      {10000000, repeat(240, 80498, 0, 80608), 1, 0, "7.49"},
		"20 years, 14 odd days":         {10000000, repeat(240, 80498, 0, 80608), 1, 14, "7.45"},
		"20 years, 3 months":            {10000000, repeat(240, 80498, 0, 80608), 3, 0, "7.33"},
		"one year, first after 10 days": {5000000, repeat(12, 444244, 0, 444243), 0, 10, "13.41"},
		"balloon":                       {10000000, repeat(60, 142079, 0, 4142073), 1, 0, "6.99"},
		"no interest":                   {5000000, repeat(60, 83333, 0, 83353), 1, 0, "0.00"},
		"one payment":                   {100000, []int64{110000}, 12, 0, "9.57"},
		"one cent of interest":          {1, []int64{2}, 480, 0, "1.73"},
	} {
		assert.Equal(t, DisclosedAPR(c.cents, c.payments, c.months, c.days), c.want, name)
	}
}

func TestFirstPeriods(t *testing.T) {
	for _, c := range []struct {
		start, first      string
		months, days, odd int
	}{
		{"2026-05-01", "2026-06-01", 1, 0, 0},
		{"1978-02-10", "1978-04-01", 1, 19, 19}, // example (1)(ii) of Appendix J
		{"2026-05-01", "2026-05-11", 0, 10, -20},
		{"2026-05-01", "2026-05-02", 0, 1, -29},
		{"2026-05-01", "2026-08-01", 3, 0, 61},
		{"2026-05-01", "2026-08-16", 3, 15, 76},
		{"2026-01-31", "2026-02-28", 1, 0, 0}, // the end of a shorter month
		{"2026-01-31", "2026-03-31", 2, 0, 28},
		{"2026-01-30", "2026-02-28", 1, 0, 0},
		{"2026-01-15", "2026-02-28", 1, 13, 13},
		{"2028-01-31", "2028-02-29", 1, 0, 0},
		{"2026-12-15", "2027-03-01", 2, 17, 48},
	} {
		start, err := time.Parse(time.DateOnly, c.start)
		if err != nil {
			t.Fatal(err)
		}
		first, err := time.Parse(time.DateOnly, c.first)
		if err != nil {
			t.Fatal(err)
		}
		months, days := Between(start, first)
		if odd := OddDays(start, first); months != c.months || days != c.days || odd != c.odd {
			t.Errorf("%s to %s: %d months, %d days, %d odd days; want %d, %d, %d", c.start, c.first, months, days, odd, c.months, c.days, c.odd)
		}
	}
}
