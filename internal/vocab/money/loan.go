package money

import (
	"time"

	"github.com/shopspring/decimal"
)

// Loan is a loan with equal monthly payments.
type Loan struct {
	PrincipalCents int64
	APR            Percent
	Months         int
}

// Repayment is the cost of a loan.
type Repayment struct {
	PaymentCents, FinalPaymentCents, FinanceChargeCents, TotalCents int64
}

// Installment is one payment of a loan.
type Installment struct {
	Number         int    `json:"number" doc:"Number of the payment, starting at 1." example:"1"`
	DueOn          string `json:"due_on" format:"date"`
	PaymentCents   int64  `json:"payment_cents" doc:"Principal and interest."`
	PrincipalCents int64  `json:"principal_cents"`
	InterestCents  int64  `json:"interest_cents"`
	BalanceCents   int64  `json:"balance_cents" doc:"Remaining balance after the payment. 0 after the last payment."`
}

// monthly is the divisor that turns a scaled APR into the rate of one month: the
// scale, 100 percent and 12 months.
const monthly = 10_000 * 100 * 12

// payment is the monthly payment, rounded half up.
//
// With r = k/d and a = d+k, the formula P·r / (1 − (1+r)^−n) equals
// P·k·aⁿ / d·(aⁿ − dⁿ). It only has integers and one division, so it rounds once.
func (l Loan) payment() int64 {
	p, n := decimal.NewFromInt(l.PrincipalCents), decimal.NewFromInt(int64(l.Months))
	k := l.APR.Scaled()
	if k == 0 {
		return p.DivRound(n, 0).IntPart()
	}
	an, dn := power(monthly+k, l.Months), power(monthly, l.Months)
	return p.Mul(decimal.NewFromInt(k)).Mul(an).DivRound(decimal.NewFromInt(monthly).Mul(an.Sub(dn)), 0).IntPart()
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
// rounded amount, except that the last one covers the cents left by rounding. No
// payment exceeds the balance and its interest.
func (l Loan) Schedule(first time.Time) []Installment {
	payment, balance := l.payment(), l.PrincipalCents
	rows := make([]Installment, 0, l.Months)
	for i := range l.Months {
		interest := l.interest(balance)
		pay := min(payment, balance+interest)
		if i == l.Months-1 {
			pay = balance + interest
		}
		balance -= pay - interest
		rows = append(rows, Installment{
			Number: i + 1, DueOn: addMonths(first, i).Format(time.DateOnly),
			PaymentCents: pay, PrincipalCents: pay - interest, InterestCents: interest, BalanceCents: balance,
		})
	}
	return rows
}

// Repay returns the cost of the loan.
func (l Loan) Repay() Repayment {
	rows := l.Schedule(time.Time{})
	r := Repayment{PaymentCents: l.payment(), FinalPaymentCents: rows[len(rows)-1].PaymentCents}
	for _, row := range rows {
		r.TotalCents += row.PaymentCents
	}
	r.FinanceChargeCents = r.TotalCents - l.PrincipalCents
	return r
}

// addMonths returns the same day of a later month, or the last day of that month. A
// loan that starts on January 31 is due on February 28 and on March 31.
func addMonths(day time.Time, months int) time.Time {
	first := time.Date(day.Year(), day.Month()+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(day.Day(), last)-1)
}
