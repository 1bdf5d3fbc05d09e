package money

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/fault"
)

// The first three examples are from published loan tables.
func TestLoans(t *testing.T) {
	for _, v := range []struct {
		dollars int64
		apr     Percent
		months  int
		want    Repayment
	}{
		{100_000, "4.5", 60, Repayment{186430, 186430, 186443, 1185813, 11185813}},
		{200_000, "6", 360, Repayment{119910, 119910, 120014, 23167704, 43167704}},
		{100_000, "9.99", 36, Repayment{322625, 322625, 322625, 1614500, 11614500}},
		{250_000, "7.49", 240, Repayment{201245, 201245, 201477, 23299032, 48299032}},
		{32_000, "8.99", 144, Repayment{36399, 36399, 36387, 2041444, 5241444}},
		{50_000, "0", 60, Repayment{83333, 83333, 83353, 0, 5000000}},
	} {
		if got := (Loan{PrincipalCents: v.dollars * 100, APR: v.apr, Months: v.months}).Repay(); got != v.want {
			t.Errorf("%d at %s%% over %d: %+v, want %+v", v.dollars, v.apr, v.months, got, v.want)
		}
	}
}

// The rows of any schedule add up, and the final balance is 0.
func TestScheduleAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Loan{
			PrincipalCents: rapid.OneOf(rapid.Int64Range(1, 5000), rapid.Int64Range(1, MaxCents)).Draw(t, "principal"),
			APR:            rapid.Custom(drawPercent).Draw(t, "apr"),
			Months:         rapid.IntRange(1, 480).Draw(t, "months"),
		}
		l.OddInterestCents = OddInterest(l.PrincipalCents, l.APR, rapid.IntRange(-30, 400).Draw(t, "odd days"))
		l.BalloonCents = rapid.Int64Range(0, l.PrincipalCents/2).Draw(t, "balloon")
		rows, cost := l.Schedule(time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)), l.Repay()
		if len(rows) != l.Months {
			t.Fatalf("got %d rows, want %v", len(rows), l.Months)
		}
		balance, principal, paid := l.PrincipalCents, int64(0), int64(0)
		for i, r := range rows {
			if r.PrincipalCents+r.InterestCents != r.PaymentCents || r.PrincipalCents < 0 || r.InterestCents < 0 {
				t.Fatalf("row does not add up: got %+v; want r.PrincipalCents+r.InterestCents = %v, r.PrincipalCents >= 0, r.InterestCents >= 0", r,
					r.PaymentCents)
			}
			if balance -= r.PrincipalCents; balance != r.BalanceCents || balance < 0 {
				t.Fatalf("row %d has the balance %d, want %d", i, r.BalanceCents, balance)
			}
			if i > 0 && i < len(rows)-1 && r.PaymentCents > cost.PaymentCents {
				t.Fatalf("row %d has the payment %d, want at most %d", i, r.PaymentCents, cost.PaymentCents)
			}
			principal, paid = principal+r.PrincipalCents, paid+r.PaymentCents
		}
		switch {
		case principal != l.PrincipalCents || balance != 0:
			t.Fatalf("principal %d, last balance %d", principal, balance)
		case cost.TotalCents != paid || cost.FinanceChargeCents != paid-l.PrincipalCents ||
			cost.FinalPaymentCents != rows[len(rows)-1].PaymentCents:
			t.Fatalf("cost %+v, paid %d", cost, paid)
		case l.APR.Scaled() == 0 && cost.FinanceChargeCents != 0:
			t.Fatalf("got interest without a rate: %+v", cost)
		}
	})
}

func drawPercent(t *rapid.T) Percent {
	return Percent(rapid.StringMatching(`(100|[0-9]{1,2}(\.[0-9]{1,4})?)`).Draw(t, "percent"))
}

func TestScheduleDates(t *testing.T) {
	rows := (Loan{PrincipalCents: 100, APR: "0", Months: 14}).Schedule(time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC))
	for i, want := range map[int]string{0: "2027-01-31", 1: "2027-02-28", 2: "2027-03-31", 3: "2027-04-30", 12: "2028-01-31",
		13: "2028-02-29"} {
		if rows[i].DueOn != want {
			t.Errorf("payment %d is due on %s, want %s", i+1, rows[i].DueOn, want)
		}
	}
}

func TestPercentOf(t *testing.T) {
	for _, v := range []struct {
		p           Percent
		cents, want int64
	}{{"6", 100, 6}, {"6.25", 200, 13}, {"6.25", 199, 12}, {"0", 12345, 0}, {"100", MaxCents, MaxCents}, {"7.5", -100, 0}, {"0.0001",
		500_000, 1}} {
		if got := v.p.Of(v.cents); got != v.want {
			t.Errorf("%s%% of %d is %d, want %d", v.p, v.cents, got, v.want)
		}
	}
	for p, good := range map[Percent]bool{"0": true, "100": true, "6.2500": true, "100.0": true, "100.1": false, "-1": false, "": false,
		"1e1": false, "6.": false, ".5": false, "6.25001": false, " 6": false} {
		var bad fault.Fields
		if p.Check(&bad, "rate"); (len(bad) == 0) != good {
			t.Errorf("%q: got faults %v, want it good: %t", p, bad, good)
		}
	}
}

func TestFormat(t *testing.T) {
	for cents, want := range map[int64]string{0: "$0.00", 5: "$0.05", 123456: "$1,234.56", -2000: "−$20.00", 100_000_000: "$1,000,000.00",
		99999: "$999.99"} {
		assert.Equal(t, Format(cents), want, cents)
	}
}
