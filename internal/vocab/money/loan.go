package money

import (
	"time"

	"github.com/shopspring/decimal"
)

// Loan is a loan with equal monthly payments.
type Loan struct {
	PrincipalCents int64
	APR            Percent // the rate of the contract
	Months         int

	// OddInterestCents is simple interest for the days by which the first period is
	// longer than a month. It is due with the first payment. It is negative if the
	// first period is shorter.
	OddInterestCents int64

	// BalloonCents is due with the last payment, in addition to it.
	BalloonCents int64
}

// Repayment is the cost of a loan.
type Repayment struct {
	PaymentCents, FirstPaymentCents, FinalPaymentCents, FinanceChargeCents, TotalCents int64
}

// Installment is one payment of a loan.
type Installment struct {
	_ struct{} `doc:"One monthly payment of a loan."`

	Number         int    `json:"number" doc:"Number of the payment, starting at 1." example:"1"`
	DueOn          string `json:"due_on" format:"date" doc:"Date on which the payment is due."`
	PaymentCents   int64  `json:"payment_cents" doc:"Amount of the payment in cents: principal and interest."`
	PrincipalCents int64  `json:"principal_cents" doc:"Part of the payment that reduces the balance, in cents."`
	InterestCents  int64  `json:"interest_cents" doc:"Part of the payment that is interest, in cents."`
	BalanceCents   int64  `json:"balance_cents" doc:"Remaining balance after the payment, in cents. 0 after the last payment."`
}

// monthly is the divisor that turns a scaled APR into the rate of one month: the
// scale, 100 percent and 12 months.
const monthly = 10_000 * 100 * 12

// OddInterest is the simple interest on an amount for some days of a year of 365
// days, rounded half up. It is negative for a negative number of days.
func OddInterest(cents int64, apr Percent, days int) int64 {
	if days < 0 {
		return -OddInterest(cents, apr, -days)
	}
	return decimal.NewFromInt(cents).Mul(decimal.NewFromInt(apr.Scaled())).Mul(decimal.NewFromInt(int64(days))).
		DivRound(decimal.NewFromInt(10_000*100*365), 0).IntPart()
}

// payment is the monthly payment, rounded half up.
//
// With the balloon B, r = k/d and a = d+k, the formula
// (P − B·(1+r)^−n)·r / (1 − (1+r)^−n) equals (P·aⁿ − B·dⁿ)·k / d·(aⁿ − dⁿ). It only
// has integers and one division, so it rounds once.
func (l Loan) payment() int64 {
	p, b, n := decimal.NewFromInt(l.PrincipalCents), decimal.NewFromInt(l.BalloonCents), decimal.NewFromInt(int64(l.Months))
	k := l.APR.Scaled()
	if k == 0 {
		return p.Sub(b).DivRound(n, 0).IntPart()
	}
	an, dn := power(monthly+k, l.Months), power(monthly, l.Months)
	return p.Mul(an).Sub(b.Mul(dn)).Mul(decimal.NewFromInt(k)).DivRound(decimal.NewFromInt(monthly).Mul(an.Sub(dn)), 0).IntPart()
}

func power(base int64, exponent int) decimal.Decimal {
	out, err := decimal.NewFromInt(base).PowInt32(int32(exponent))
	if err != nil {
		panic(err) // only 0 to the power of 0 is undefined
	}
	return out
}

// interest returns the interest of one month on a balance, rounded half up.
func (l Loan) interest(balance int64) int64 {
	return decimal.NewFromInt(balance).Mul(decimal.NewFromInt(l.APR.Scaled())).DivRound(decimal.NewFromInt(monthly), 0).IntPart()
}

// Schedule returns the payments from a first due date. All payments have the same
// rounded amount, except that the first one includes the odd interest, and the last
// one covers the balloon and the cents left by rounding. No payment exceeds the
// balance and its interest.
func (l Loan) Schedule(first time.Time) []Installment {
	payment, balance := l.payment(), l.PrincipalCents
	rows := make([]Installment, 0, l.Months)
	for i := range l.Months {
		interest, odd := l.interest(balance), int64(0)
		if i == 0 {
			odd = max(l.OddInterestCents, -interest)
		}
		interest += odd
		pay := min(payment+odd, balance+interest)
		if i == l.Months-1 {
			pay = balance + interest
		}
		balance -= pay - interest
		rows = append(rows, Installment{
			Number: i + 1, DueOn: AddMonths(first, i).Format(time.DateOnly),
			PaymentCents: pay, PrincipalCents: pay - interest, InterestCents: interest, BalanceCents: balance,
		})
	}
	return rows
}

// Repay returns the cost of the loan.
func (l Loan) Repay() Repayment {
	rows := l.Schedule(time.Time{})
	r := Repayment{PaymentCents: l.payment(), FirstPaymentCents: rows[0].PaymentCents, FinalPaymentCents: rows[len(rows)-1].PaymentCents}
	for _, row := range rows {
		r.TotalCents += row.PaymentCents
	}
	r.FinanceChargeCents = r.TotalCents - l.PrincipalCents
	return r
}

// AddMonths returns the same day of another month, or the last day of that month. A
// loan that starts on January 31 is due on February 28 and on March 31.
func AddMonths(day time.Time, months int) time.Time {
	first := time.Date(day.Year(), day.Month()+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(day.Day(), last)-1)
}

// Between returns the time between two dates as Regulation Z counts it: the whole
// months, counted back from the later date, and the days before them. From the last
// days of a month to the end of a shorter one are whole months.
func Between(start, end time.Time) (months, days int) {
	for !AddMonths(end, -months-1).Before(start) {
		months++
	}
	if AddMonths(start, months+1).Equal(end) {
		return months + 1, 0
	}
	return months, Days(AddMonths(end, -months), start)
}

// OddDays is how many days a first period is longer than one month. It is negative
// for a shorter one.
func OddDays(start, first time.Time) int {
	if months, days := Between(start, first); days == 0 && months > 0 {
		return Days(AddMonths(start, months-1), start)
	}
	return Days(AddMonths(first, -1), start)
}

// Days returns the days from one date to a later one.
func Days(later, earlier time.Time) int { return int(later.Sub(earlier).Hours() / 24) }
