package money

import (
	"time"

	"github.com/shopspring/decimal"
)

// Loan is an amount paid back in equal monthly payments.
type Loan struct {
	PrincipalCents int64
	APR            Percent
	Months         int
}

// Repayment is what a loan costs.
type Repayment struct {
	PaymentCents, FinalPaymentCents, FinanceChargeCents, TotalCents int64
}

// Installment is one line of a loan's schedule.
type Installment struct {
	Number         int    `json:"number" doc:"From 1." example:"1"`
	DueOn          string `json:"due_on" format:"date"`
	PaymentCents   int64  `json:"payment_cents" doc:"Principal and interest."`
	PrincipalCents int64  `json:"principal_cents"`
	InterestCents  int64  `json:"interest_cents"`
	BalanceCents   int64  `json:"balance_cents" doc:"What is still owed after the payment; 0 in the end."`
}

// yearly is what a scaled APR is divided by for the rate of one month: ten
// thousandths, per cent, twelve months.
const yearly = 10_000 * 100 * 12

// payment is the monthly payment, rounded half up.
//
// With r = k/d, the formula P·r / (1 − (1+r)^−n) is P·k·aⁿ / d·(aⁿ − dⁿ) for
// a = d+k: whole numbers throughout, one division, and so one rounding.
func (l Loan) payment() int64 {
	p, n := decimal.NewFromInt(l.PrincipalCents), decimal.NewFromInt(int64(l.Months))
	k := l.APR.Scaled()
	if k == 0 {
		return p.DivRound(n, 0).IntPart()
	}
	an, dn := power(yearly+k, l.Months), power(yearly, l.Months)
	return p.Mul(decimal.NewFromInt(k)).Mul(an).DivRound(decimal.NewFromInt(yearly).Mul(an.Sub(dn)), 0).IntPart()
}

func power(base int64, exponent int) decimal.Decimal {
	out, err := decimal.NewFromInt(base).PowInt32(int32(exponent))
	if err != nil {
		panic(err) // only 0 to the power of 0 has no value
	}
	return out
}

// interest of one month on a balance, rounded half up.
func (l Loan) interest(balance int64) int64 {
	return decimal.NewFromInt(balance).Mul(decimal.NewFromInt(l.APR.Scaled())).DivRound(decimal.NewFromInt(yearly), 0).IntPart()
}

// Schedule lists the payments from a first day on. The payment is rounded
// before the schedule is made; the last one takes what the rounding left over,
// and no payment is more than what is owed.
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

// Repay sums up what the schedule costs.
func (l Loan) Repay() Repayment {
	rows := l.Schedule(time.Time{})
	r := Repayment{PaymentCents: l.payment(), FinalPaymentCents: rows[len(rows)-1].PaymentCents}
	for _, row := range rows {
		r.TotalCents += row.PaymentCents
	}
	r.FinanceChargeCents = r.TotalCents - l.PrincipalCents
	return r
}

// addMonths is the same day of a later month, or that month's last day: a loan
// that starts on 31 January is due on 28 February and on 31 March.
func addMonths(day time.Time, months int) time.Time {
	first := time.Date(day.Year(), day.Month()+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(day.Day(), last)-1)
}
