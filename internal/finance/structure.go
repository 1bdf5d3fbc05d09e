// Package finance is how a deal is paid: finance structures, fundings by
// lenders, payments and refunds.
package finance

import (
	"time"

	"slipway/internal/deals"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/money"
)

// FinanceStructure is one way to finance a deal. It never changes: to change
// it, work out another.
type FinanceStructure struct {
	Env                  auth.Env         `json:"-" db:"env"`
	ID                   string           `json:"id" db:"id" example:"fin_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	DealID               string           `json:"deal_id" db:"deal_id" example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Name                 *string          `json:"name" db:"name" example:"20 years, 10% down"`
	Lender               *string          `json:"lender" db:"lender" example:"Bay Federal"`
	CashDownCents        int64            `json:"cash_down_cents" db:"cash_down_cents" example:"2500000"`
	APRPercent           money.Percent    `json:"apr_percent" db:"apr_percent" doc:"A decimal." example:"7.49"`
	TermMonths           int64            `json:"term_months" db:"term_months" example:"240"`
	FirstPaymentOn       string           `json:"first_payment_on" db:"first_payment_on" format:"date"`
	Products             []FinanceProduct `json:"products" db:"products,json" nullable:"false"`
	DealCents            int64            `json:"deal_cents" db:"deal_cents" doc:"What the deal came to when it was worked out, without products."`
	DepositCents         int64            `json:"deposit_cents" db:"deposit_cents" doc:"Deposits that were paid by then."`
	AmountFinancedCents  int64            `json:"amount_financed_cents" db:"amount_financed_cents" doc:"The deal and the financed products, less cash down and deposits."`
	PaymentCents         int64            `json:"payment_cents" db:"payment_cents" doc:"The monthly payment, rounded half up."`
	FinalPaymentCents    int64            `json:"final_payment_cents" db:"final_payment_cents" doc:"The last payment, which takes what rounding left over."`
	FinanceChargeCents   int64            `json:"finance_charge_cents" db:"finance_charge_cents" doc:"All of the interest."`
	TotalOfPaymentsCents int64            `json:"total_of_payments_cents" db:"total_of_payments_cents"`
	Selected             bool             `json:"selected" doc:"Whether the buyer takes it." audit:"-"`
	CreatedAt            time.Time        `json:"created_at" db:"created_at"`
}

// FinanceStructureSchedule is a structure with every payment.
type FinanceStructureSchedule struct {
	FinanceStructure
	Schedule []money.Installment `json:"schedule" nullable:"false"`
}

// FinanceProduct is something sold with the loan.
type FinanceProduct struct {
	Kind       string  `json:"kind" enum:"service_contract,gap,gelcoat_protection,hull_protection,tire_wheel,prop_protection,credit_life,disability,key,prepaid_maintenance,theft,other"`
	Provider   *string `json:"provider" required:"false" maxLength:"200"`
	PriceCents int64   `json:"price_cents" minimum:"0" maximum:"100000000000"`
	CostCents  *int64  `json:"cost_cents" required:"false" minimum:"0" maximum:"100000000000" doc:"What it costs the dealership. Null without deals:write."`
	TermMonths *int64  `json:"term_months" required:"false" minimum:"1" maximum:"480"`
	Financed   bool    `json:"financed" required:"false" doc:"Whether it is part of the loan; otherwise the buyer pays it in cash."`
}

// FinanceStructureCreate is what a structure is worked out from.
type FinanceStructureCreate struct {
	Name           *string          `json:"name" required:"false" maxLength:"100"`
	Lender         *string          `json:"lender" required:"false" maxLength:"200"`
	CashDownCents  int64            `json:"cash_down_cents,omitempty" minimum:"0" maximum:"100000000000" example:"2500000"`
	APRPercent     money.Percent    `json:"apr_percent" maxLength:"10" doc:"A decimal of up to four places." example:"7.49"`
	TermMonths     int64            `json:"term_months" minimum:"1" maximum:"480" example:"240"`
	FirstPaymentOn *string          `json:"first_payment_on" required:"false" format:"date" doc:"Without it: a month from today."`
	Products       []FinanceProduct `json:"products,omitempty" maxItems:"20"`
}

// Check says what the schema cannot.
func (c FinanceStructureCreate) Check(time.Time) error {
	var bad fault.Fields
	c.APRPercent.Check(&bad, "apr_percent")
	return bad.Err()
}

// Structure works the structure out, given the deposits paid on the deal and
// the day it is at the dealership.
func (c FinanceStructureCreate) Structure(d deals.Deal, deposits int64, today time.Time) (FinanceStructure, error) {
	s := FinanceStructure{
		Name: c.Name, Lender: c.Lender, CashDownCents: c.CashDownCents, APRPercent: c.APRPercent, TermMonths: c.TermMonths,
		Products: c.Products, DealCents: d.NetCents(), DepositCents: deposits,
	}
	if s.Products == nil {
		s.Products = []FinanceProduct{}
	}
	s.FirstPaymentOn = today.AddDate(0, 1, 0).Format(time.DateOnly)
	if c.FirstPaymentOn != nil {
		s.FirstPaymentOn = *c.FirstPaymentOn
	}
	if err := c.Check(today); err != nil {
		return s, err
	}
	s.AmountFinancedCents = s.DealCents - s.CashDownCents - s.DepositCents
	for _, p := range s.Products {
		if p.Financed {
			s.AmountFinancedCents += p.PriceCents
		}
	}
	if s.AmountFinancedCents <= 0 {
		var bad fault.Fields
		bad.Add("cash_down_cents", "maximum", "leaves nothing to finance: the deal comes to %d cents, of which %d are paid", s.DealCents, s.DepositCents)
		return s, bad.Err()
	}
	cost := s.loan().Repay()
	s.PaymentCents, s.FinalPaymentCents, s.FinanceChargeCents, s.TotalOfPaymentsCents = cost.PaymentCents, cost.FinalPaymentCents, cost.FinanceChargeCents, cost.TotalCents
	return s, nil
}

func (s FinanceStructure) loan() money.Loan {
	return money.Loan{PrincipalCents: s.AmountFinancedCents, APR: s.APRPercent, Months: int(s.TermMonths)}
}

// Installments lists every payment. It is not kept: the same structure always
// gives the same one.
func (s FinanceStructure) Installments() []money.Installment {
	first, err := time.Parse(time.DateOnly, s.FirstPaymentOn)
	if err != nil {
		return []money.Installment{} // the schema lets no other text in
	}
	return s.loan().Schedule(first)
}

// ProductTotals is what the products are sold and bought for.
func (s FinanceStructure) ProductTotals() (price, cost int64) {
	for _, p := range s.Products {
		price += p.PriceCents
		if p.CostCents != nil {
			cost += *p.CostCents
		}
	}
	return price, cost
}

// selectFor makes the structure the one that the deal's buyer takes.
func (s *FinanceStructure) selectFor(d *deals.Deal) error {
	if err := d.MayChangeTerms(); err != nil {
		return err
	}
	if s.DealCents != d.NetCents() {
		return fault.Conflict("The deal has changed since the structure was worked out. Work out another.").
			Detail("deal_cents", "stale", "must be %d, what the deal comes to now", d.NetCents())
	}
	price, cost := s.ProductTotals()
	d.Select(&s.ID, price, cost)
	s.Selected = true
	return nil
}

// withoutCosts is the structure for those who may only read.
func (s FinanceStructure) withoutCosts() FinanceStructure {
	products := []FinanceProduct{}
	for _, p := range s.Products {
		p.CostCents = nil
		products = append(products, p)
	}
	s.Products = products
	return s
}
