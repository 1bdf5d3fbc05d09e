package finance

import (
	"time"

	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/money"
)

// period is the time from the contract to the first payment.
type period struct{ contract, first time.Time }

func (p period) days() int { return money.Days(p.first, p.contract) }

// oddDays is how many days the period is longer than a month.
func (p period) oddDays() int { return money.OddDays(p.contract, p.first) }

// firstPeriod returns the time until the first payment. The request must decide
// about interest if the period is unusual.
func (c FinanceStructureCreate) firstPeriod(today time.Time) (period, error) {
	var bad fault.Fields
	p := period{contract: time.Date(today.Year(), today.Month(), today.Day(), 0, 0, 0, 0, time.UTC)}
	if c.ContractOn != nil {
		p.contract = parseDate(&bad, "contract_on", *c.ContractOn)
	}
	p.first = money.AddMonths(p.contract, 1)
	if c.FirstPaymentOn != nil {
		p.first = parseDate(&bad, "first_payment_on", *c.FirstPaymentOn)
	}
	if err := bad.Err(); err != nil {
		return p, err
	}

	days := p.days()
	switch {
	case days < 1:
		bad.Add("first_payment_on", "minimum", "must be after the contract on %s", p.contract.Format(time.DateOnly))
	case (days < 15 || days > 62) && c.OddDaysInterest == nil:
		bad.Add("odd_days_interest", "required", "is required because the first payment is %d days after the contract", days)
	}
	return p, bad.Err()
}

func parseDate(bad *fault.Fields, field, date string) time.Time {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		bad.Add(field, "format", "must be a date, such as 2026-12-01")
	}
	return day
}

// discloseAPR calculates the rate that the law requires on documents.
func (s *FinanceStructure) discloseAPR(p period) {
	var payments []int64
	for _, row := range s.Installments() {
		payments = append(payments, row.PaymentCents)
	}
	months, days := money.Between(p.contract, p.first)
	s.DisclosedAPRPercent = money.DisclosedAPR(s.AmountFinancedCents, payments, months, days)
}

// calculateReserve calculates what the lender pays the dealership for a rate above
// the buy rate.
func (s *FinanceStructure) calculateReserve(split *money.Percent, p period) {
	if s.BuyRatePercent == nil {
		return
	}
	s.ReserveSplitPercent = new(money.Percent("100"))
	if split != nil {
		s.ReserveSplitPercent = split
	}
	bought := s.loan()
	bought.APR = *s.BuyRatePercent
	if bought.OddInterestCents != 0 {
		bought.OddInterestCents = money.OddInterest(s.AmountFinancedCents, bought.APR, p.oddDays())
	}
	s.ReserveCents = new(s.ReserveSplitPercent.Of(s.FinanceChargeCents - bought.Repay().FinanceChargeCents))
}
