package money

import (
	"fmt"
	"math/big"
)

// scale is the precision of the fixed-point numbers in this file.
var scale = new(big.Int).Exp(big.NewInt(10), big.NewInt(40), nil)

// steps is how many parts of a percent APR distinguishes.
const steps = 1_000_000

// DisclosedAPR returns the annual percentage rate of Regulation Z (12 CFR 1026,
// Appendix J, actuarial method) for one advance and monthly payments. The first
// payment is due some whole months and odd days after the advance. The result has
// two places, rounded half up.
//
// It solves A = Σ Pₖ / ((1 + f·i)·(1 + i)^(t+k)) for the monthly rate i, where t is
// the months and f is the odd days divided by 30. The value of the payments
// decreases with the rate, so it can be found by bisection, with integers.
func DisclosedAPR(amountCents int64, payments []int64, months, days int) Percent {
	low, high := int64(0), int64(1000*steps) // of a percent
	for high-low > 1 {
		if middle := (low + high) / 2; presentValue(payments, months, days, middle).Cmp(fixed(amountCents)) > 0 {
			low = middle
		} else {
			high = middle
		}
	}

	hundredths := (high + steps/200) / (steps / 100)
	return Percent(fmt.Sprintf("%d.%02d", hundredths/100, hundredths%100))
}

// presentValue is the value of the payments at the advance, for an annual rate in
// millionths of a percent.
func presentValue(payments []int64, months, days int, rate int64) *big.Int {
	i := new(big.Int).Div(new(big.Int).Mul(scale, big.NewInt(rate)), big.NewInt(12*100*steps))
	v := inverse(new(big.Int).Add(scale, i))

	value := new(big.Int)
	for k := len(payments) - 1; k >= 0; k-- {
		value = value.Add(times(value, v), fixed(payments[k]))
	}
	for range months {
		value = times(value, v)
	}
	odd := new(big.Int).Div(new(big.Int).Mul(i, big.NewInt(int64(days))), big.NewInt(30))
	return times(value, inverse(odd.Add(odd, scale)))
}

func fixed(n int64) *big.Int { return new(big.Int).Mul(scale, big.NewInt(n)) }

func times(a, b *big.Int) *big.Int {
	p := new(big.Int).Mul(a, b)
	return p.Div(p, scale)
}

func inverse(a *big.Int) *big.Int {
	q := new(big.Int).Mul(scale, scale)
	return q.Div(q, a)
}
