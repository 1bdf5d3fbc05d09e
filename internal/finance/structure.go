// Package finance handles how a deal is paid: finance structures, fundings by
// lenders, payments and refunds.
package finance

import (
	"time"

	"slipway/internal/deals"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/money"
)

// FinanceStructure is a payment plan for a deal. It never changes. Create another
// one for other terms.
type FinanceStructure struct {
	Env                  auth.Env         `json:"-" db:"env"`
	ID                   string           `json:"id" db:"id" example:"fin_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	DealID               string           `json:"deal_id" db:"deal_id" example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Name                 *string          `json:"name" db:"name" example:"20 years, 10% down" audit:"personal"`
	Lender               *string          `json:"lender" db:"lender" example:"Bay Federal"`
	CashDownCents        int64            `json:"cash_down_cents" db:"cash_down_cents" example:"2500000"`
	APRPercent           money.Percent    `json:"apr_percent" db:"apr_percent" doc:"Annual percentage rate as a decimal." example:"7.49"`
	TermMonths           int64            `json:"term_months" db:"term_months" example:"240"`
	FirstPaymentOn       string           `json:"first_payment_on" db:"first_payment_on" format:"date"`
	Products             []FinanceProduct `json:"products" db:"products,json" nullable:"false"`
	DealCents            int64            `json:"deal_cents" db:"deal_cents" doc:"Total of the deal without products, when the structure was created."`
	DepositCents         int64            `json:"deposit_cents" db:"deposit_cents" doc:"Deposits paid when the structure was created."`
	AmountFinancedCents  int64            `json:"amount_financed_cents" db:"amount_financed_cents" doc:"Deal total and financed products, minus cash down and deposits."`
	PaymentCents         int64            `json:"payment_cents" db:"payment_cents" doc:"Monthly payment, rounded half up."`
	FinalPaymentCents    int64            `json:"final_payment_cents" db:"final_payment_cents" doc:"Last payment, which includes the cents left by rounding."`
	FinanceChargeCents   int64            `json:"finance_charge_cents" db:"finance_charge_cents" doc:"Total interest."`
	TotalOfPaymentsCents int64            `json:"total_of_payments_cents" db:"total_of_payments_cents"`
	Selected             bool             `json:"selected" doc:"Whether it is the selected structure of the deal." audit:"-"`
	CreatedAt            time.Time        `json:"created_at" db:"created_at"`
}

// FinanceStructureSchedule is a structure with its payment schedule.
type FinanceStructureSchedule struct {
	FinanceStructure
	Schedule []money.Installment `json:"schedule" nullable:"false"`
}

// FinanceProduct is a product that is sold with the loan.
type FinanceProduct struct {
	Kind       string  `json:"kind" enum:"service_contract,gap,gelcoat_protection,hull_protection,tire_wheel,prop_protection,credit_life,disability,key,prepaid_maintenance,theft,other"`
	Provider   *string `json:"provider" required:"false" maxLength:"200"`
	PriceCents int64   `json:"price_cents" minimum:"0" maximum:"100000000000"`
	CostCents  *int64  `json:"cost_cents" required:"false" minimum:"0" maximum:"100000000000" doc:"Cost to the dealership. Null if your key does not have deals:write."`
	TermMonths *int64  `json:"term_months" required:"false" minimum:"1" maximum:"480"`
	Financed   bool    `json:"financed" required:"false" doc:"Whether it is part of the loan. If false, the buyer pays for it in cash."`
}

// FinanceStructureCreate is the request body for a new finance structure.
type FinanceStructureCreate struct {
	Name           *string          `json:"name" required:"false" maxLength:"100"`
	Lender         *string          `json:"lender" required:"false" maxLength:"200"`
	CashDownCents  int64            `json:"cash_down_cents,omitempty" minimum:"0" maximum:"100000000000" example:"2500000"`
	APRPercent     money.Percent    `json:"apr_percent" maxLength:"10" doc:"Annual percentage rate as a decimal with up to four places." example:"7.49"`
	TermMonths     int64            `json:"term_months" minimum:"1" maximum:"480" example:"240"`
	FirstPaymentOn *string          `json:"first_payment_on" required:"false" format:"date" doc:"Date of the first payment. Defaults to one month from today."`
	Products       []FinanceProduct `json:"products,omitempty" maxItems:"20"`
}

// Check validates what the schema can't express.
func (c FinanceStructureCreate) Check(time.Time) error {
	var bad fault.Fields
	c.APRPercent.Check(&bad, "apr_percent")
	return bad.Err()
}

// Structure calculates the structure. today is the date at the dealership.
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
		bad.Add("cash_down_cents", "maximum", "leaves nothing to finance; the deal total is %s and %s is already paid",
			money.Format(s.DealCents), money.Format(s.DepositCents))
		return s, bad.Err()
	}

	cost := s.loan().Repay()
	s.PaymentCents, s.FinalPaymentCents = cost.PaymentCents, cost.FinalPaymentCents
	s.FinanceChargeCents, s.TotalOfPaymentsCents = cost.FinanceChargeCents, cost.TotalCents
	return s, nil
}

func (s FinanceStructure) loan() money.Loan {
	return money.Loan{PrincipalCents: s.AmountFinancedCents, APR: s.APRPercent, Months: int(s.TermMonths)}
}

// Installments returns the payment schedule. It is not stored, because the same
// structure always has the same one.
func (s FinanceStructure) Installments() []money.Installment {
	first, err := time.Parse(time.DateOnly, s.FirstPaymentOn)
	if err != nil {
		return []money.Installment{} // the schema only accepts dates
	}
	return s.loan().Schedule(first)
}

// ProductTotals returns the sums of the products.
func (s FinanceStructure) ProductTotals() (sums deals.Products) {
	for _, p := range s.Products {
		sums.PriceCents += p.PriceCents
		if p.CostCents == nil {
			sums.WithoutCost++
		} else {
			sums.CostCents += *p.CostCents
		}
	}
	return sums
}

// selectFor selects the structure for the deal.
func (s *FinanceStructure) selectFor(d *deals.Deal) error {
	if err := d.CheckTermsOpen(); err != nil {
		return err
	}
	if s.DealCents != d.NetCents() {
		return fault.Conflict("The deal has changed since the structure was created. Create another structure.").
			Detail("deal_cents", "stale", "must be %d, the current total of the deal", d.NetCents())
	}

	d.Select(&s.ID, s.ProductTotals())
	s.Selected = true
	return nil
}

// withoutCosts removes the costs, for events and for callers without deals:write.
func (s FinanceStructure) withoutCosts() FinanceStructure {
	products := []FinanceProduct{}
	for _, p := range s.Products {
		p.CostCents = nil
		products = append(products, p)
	}
	s.Products = products
	return s
}
