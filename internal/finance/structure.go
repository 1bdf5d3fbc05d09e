// Package finance handles how a deal is paid: finance structures, fundings by
// lenders, payments and refunds.
package finance

import (
	"slices"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/deals"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/money"
)

// FinanceStructure is a payment plan for a deal. It never changes. Create another
// one for other terms.
type FinanceStructure struct {
	_ struct{} `doc:"A payment plan for a deal, calculated by Slipway. It never changes." columns:"id name lender term_months:MONTHS apr_percent:APR amount_financed_cents:FINANCED payment_cents selected / created_at"`

	Env                  auth.Env         `json:"-" db:"env"`
	ID                   string           `json:"id" db:"id" doc:"Identifies the structure. Starts with fin_." example:"fin_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	DealID               string           `json:"deal_id" db:"deal_id" doc:"Deal that the structure finances." example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Name                 *string          `json:"name" db:"name" doc:"Your name for the structure, to tell alternatives apart." example:"20 years, 10% down"`
	Lender               *string          `json:"lender" db:"lender" privacy:"plain" doc:"Lender that the structure is meant for." example:"Bay Federal"`
	CashDownCents        int64            `json:"cash_down_cents" db:"cash_down_cents" doc:"Down payment in cash, in cents. Deposits are not part of it." example:"2500000"`
	APRPercent           money.Percent    `json:"apr_percent" db:"apr_percent" doc:"Annual rate of the contract as a decimal." example:"7.49"`
	DisclosedAPRPercent  money.Percent    `json:"disclosed_apr_percent" db:"disclosed_apr_percent" doc:"Annual percentage rate according to Regulation Z (Appendix J, actuarial method, with odd days). Documents print it. It differs from apr_percent if the first period is longer or shorter than a month." example:"7.49" since:"next"`
	TermMonths           int64            `json:"term_months" db:"term_months" doc:"Number of monthly payments." example:"240"`
	ContractOn           *string          `json:"contract_on" db:"contract_on" format:"date" doc:"Date of the contract, from which interest accrues. Null for structures of earlier versions." since:"next"`
	FirstPaymentOn       string           `json:"first_payment_on" db:"first_payment_on" format:"date" doc:"Date of the first payment."`
	OddDays              int64            `json:"odd_days" db:"odd_days" doc:"Days by which the first period is longer than a month. Negative if it is shorter." since:"next"`
	OddDaysInterest      *OddDaysInterest `json:"odd_days_interest" db:"odd_days_interest" doc:"Whether interest is charged for the odd days. Null if the request didn't say, which means ignored." since:"next"`
	OddDaysInterestCents int64            `json:"odd_days_interest_cents" db:"odd_days_interest_cents" doc:"Simple interest for the odd days, for a year of 365 days. Due with the first payment. Negative if the first period is shorter than a month." since:"next"`
	BalloonCents         int64            `json:"balloon_cents" db:"balloon_cents" doc:"Amount in cents that is due with the last payment, in addition to it." since:"next"`
	Products             []FinanceProduct `json:"products" db:"products,json" nullable:"false" doc:"Finance and insurance products that are sold with the loan."`
	DealCents            int64            `json:"deal_cents" db:"deal_cents" doc:"Total of the deal in cents without products, when the structure was created."`
	ProductTaxCents      int64            `json:"product_tax_cents" db:"product_tax_cents" doc:"Tax on the taxable products. The tax on financed products is financed too." since:"next"`
	DepositCents         int64            `json:"deposit_cents" db:"deposit_cents" doc:"Deposits paid when the structure was created."`
	AmountFinancedCents  int64            `json:"amount_financed_cents" db:"amount_financed_cents" doc:"Deal total, financed products and their tax, minus cash down and deposits."`
	PaymentCents         int64            `json:"payment_cents" db:"payment_cents" doc:"Monthly payment in cents, rounded half up."`
	FinalPaymentCents    int64            `json:"final_payment_cents" db:"final_payment_cents" doc:"Last payment, which includes the balloon and the cents left by rounding."`
	FinanceChargeCents   int64            `json:"finance_charge_cents" db:"finance_charge_cents" doc:"Total interest in cents."`
	TotalOfPaymentsCents int64            `json:"total_of_payments_cents" db:"total_of_payments_cents" doc:"Sum of all payments in cents."`
	FirstPaymentCents    int64            `json:"first_payment_cents" db:"first_payment_cents" doc:"First payment, which includes the interest for odd days." since:"next"`
	BuyRatePercent       *money.Percent   `json:"buy_rate_percent" db:"buy_rate_percent" privacy:"cost,deals:write+hulls:write" doc:"Rate that the lender charges the dealership. Null if your key does not have both deals:write and hulls:write." since:"next"`
	ReserveSplitPercent  *money.Percent   `json:"reserve_split_percent" db:"reserve_split_percent" privacy:"cost,deals:write+hulls:write" doc:"Part of the reserve that the dealership gets. Null if your key does not have both deals:write and hulls:write." since:"next"`
	ReserveCents         *int64           `json:"reserve_cents" db:"reserve_cents" privacy:"cost,deals:write+hulls:write" doc:"Dealer reserve: the difference between the interest at apr_percent and at the buy rate, times the split. Part of the back profit. Null without a buy rate, or if your key does not have both deals:write and hulls:write." since:"next"`
	Selected             bool             `json:"selected" doc:"Whether it is the selected structure of the deal." audit:"-"`
	CreatedAt            time.Time        `json:"created_at" db:"created_at" doc:"When it was created."`
}

// FinanceStructureSchedule is a structure with its payment schedule.
type FinanceStructureSchedule struct {
	_ struct{} `doc:"A payment plan with each monthly payment."`

	FinanceStructure
	Schedule []money.Installment `json:"schedule" nullable:"false" doc:"Monthly payments, in order."`
}

// FinanceProduct is a product that is sold with the loan.
type FinanceProduct struct {
	_ struct{} `doc:"A finance or insurance product that is sold with a loan."`

	Kind       ProductKind `json:"kind" doc:"Type of product. gap covers the difference between the loan and the value of the boat."`
	Provider   *string     `json:"provider" privacy:"plain" required:"false" maxLength:"200" doc:"Company that provides the product. Null if none was recorded."`
	PriceCents int64       `json:"price_cents" minimum:"0" maximum:"100000000000" doc:"Price to the buyer in cents."`
	CostCents  *int64      `json:"cost_cents" privacy:"cost,deals:write" required:"false" minimum:"0" maximum:"100000000000" doc:"Cost to the dealership. Null if your key does not have deals:write."`
	TermMonths *int64      `json:"term_months" required:"false" minimum:"1" maximum:"480" doc:"How long the product lasts, in months. Null if it has no term."`
	Taxable    *bool       `json:"taxable" required:"false" doc:"Whether the taxes of the deal apply to it. Defaults to the dealership's settings.taxable_lines.product. Never null in responses." since:"next"`
	Financed   bool        `json:"financed" required:"false" doc:"Whether it is part of the loan. If false, the buyer pays for it in cash."`
}

// ProductKind is the type of a finance or insurance product.
type ProductKind = dealership.ProductKind

// FinanceStructureCreate is the request body for a new finance structure.
type FinanceStructureCreate struct {
	_ struct{} `doc:"Terms of a new payment plan."`

	Name                *string          `json:"name" required:"false" maxLength:"100" doc:"Your name for the structure, to tell alternatives apart."`
	Lender              *string          `json:"lender" privacy:"plain" required:"false" maxLength:"200" doc:"Lender that the structure is meant for."`
	CashDownCents       int64            `json:"cash_down_cents,omitempty" minimum:"0" maximum:"100000000000" doc:"Down payment in cash, in cents, in addition to deposits. Defaults to 0." example:"2500000"`
	APRPercent          money.Percent    `json:"apr_percent" maxLength:"10" doc:"Annual rate of the contract as a decimal with up to four places." example:"7.49"`
	TermMonths          int64            `json:"term_months" minimum:"1" maximum:"480" doc:"Number of monthly payments." example:"240"`
	ContractOn          *string          `json:"contract_on" required:"false" format:"date" doc:"Date of the contract, from which interest accrues. Defaults to today's date at the dealership." since:"next"`
	FirstPaymentOn      *string          `json:"first_payment_on" required:"false" format:"date" doc:"Date of the first payment. Defaults to one month after the contract. If it is not 15 to 62 days after the contract, odd_days_interest is required."`
	OddDaysInterest     *OddDaysInterest `json:"odd_days_interest" required:"false" doc:"Whether simple interest is charged for the days by which the first period is longer than a month. If the period is shorter, charged reduces the interest." since:"next"`
	BalloonCents        int64            `json:"balloon_cents,omitempty" minimum:"0" maximum:"100000000000" doc:"Amount that is due with the last payment, in addition to it." since:"next"`
	BuyRatePercent      *money.Percent   `json:"buy_rate_percent" privacy:"cost,deals:write+hulls:write" required:"false" maxLength:"10" doc:"Rate that the lender charges the dealership. At most apr_percent." example:"6.25" since:"next"`
	ReserveSplitPercent *money.Percent   `json:"reserve_split_percent" privacy:"cost,deals:write+hulls:write" required:"false" maxLength:"10" doc:"Part of the reserve that the dealership gets. Defaults to 100." example:"75" since:"next"`
	Products            []FinanceProduct `json:"products,omitempty" maxItems:"20" doc:"Finance and insurance products to sell with the loan."`
}

// Check validates what the schema can't express.
func (c FinanceStructureCreate) Check(time.Time) error {
	var bad fault.Fields
	c.APRPercent.Check(&bad, "apr_percent")
	if c.BuyRatePercent != nil {
		c.BuyRatePercent.Check(&bad, "buy_rate_percent")
		if c.BuyRatePercent.Scaled() > c.APRPercent.Scaled() {
			bad.Add("buy_rate_percent", "maximum", "must be at most apr_percent")
		}
	}
	if c.ReserveSplitPercent != nil {
		c.ReserveSplitPercent.Check(&bad, "reserve_split_percent")
		if c.BuyRatePercent == nil {
			bad.Add("buy_rate_percent", "required", "is required with reserve_split_percent")
		}
	}
	return bad.Err()
}

// setTaxable fills in whether products are taxable.
func (c *FinanceStructureCreate) setTaxable(by bool) {
	for i, p := range c.Products {
		if p.Taxable == nil {
			c.Products[i].Taxable = &by
		}
	}
}

// Structure calculates the structure. today is the date at the dealership.
func (c FinanceStructureCreate) Structure(d deals.Deal, deposits int64, today time.Time) (FinanceStructure, error) {
	c.setTaxable(false)
	s := FinanceStructure{
		Name: c.Name, Lender: c.Lender, CashDownCents: c.CashDownCents, APRPercent: c.APRPercent, TermMonths: c.TermMonths,
		Products: c.Products, DealCents: d.NetCents(), DepositCents: deposits, OddDaysInterest: c.OddDaysInterest,
		BalloonCents: c.BalloonCents, BuyRatePercent: c.BuyRatePercent,
	}
	if s.Products == nil {
		s.Products = []FinanceProduct{}
	}
	if err := c.Check(today); err != nil {
		return s, err
	}
	period, err := c.firstPeriod(today)
	if err != nil {
		return s, err
	}
	s.ContractOn, s.FirstPaymentOn = new(period.contract.Format(time.DateOnly)), period.first.Format(time.DateOnly)
	s.OddDays = int64(period.oddDays())

	s.finance(d)
	if s.AmountFinancedCents <= 0 {
		var bad fault.Fields
		bad.Add("cash_down_cents", "maximum", "leaves nothing to finance; the deal total is %s and %s is already paid",
			money.Format(s.DealCents), money.Format(s.DepositCents))
		return s, bad.Err()
	}
	if c.OddDaysInterest != nil && *c.OddDaysInterest == "charged" {
		s.OddDaysInterestCents = money.OddInterest(s.AmountFinancedCents, s.APRPercent, period.oddDays())
	}
	if s.BalloonCents >= s.AmountFinancedCents {
		var bad fault.Fields
		bad.Add("balloon_cents", "maximum", "must be less than the amount financed, %d", s.AmountFinancedCents)
		return s, bad.Err()
	}

	s.repay()
	s.discloseAPR(period)
	s.calculateReserve(c.ReserveSplitPercent, period)
	return s, nil
}

// repay calculates the payments.
func (s *FinanceStructure) repay() {
	cost := s.loan().Repay()
	s.PaymentCents, s.FirstPaymentCents, s.FinalPaymentCents = cost.PaymentCents, cost.FirstPaymentCents, cost.FinalPaymentCents
	s.FinanceChargeCents, s.TotalOfPaymentsCents = cost.FinanceChargeCents, cost.TotalCents
}

// AddUp completes a sample for events: with a deal and the payments.
func (s *FinanceStructure) AddUp() {
	d := deals.Deal{OfferUSD: 118_000}
	d.AddUp()
	s.DealCents = d.NetCents()
	s.finance(d)
	s.repay()
}

// finance calculates the amount financed. The buyer pays for other products and
// their tax in cash.
func (s *FinanceStructure) finance(d deals.Deal) {
	financed, taxed, financedTaxed := int64(0), int64(0), int64(0)
	for _, p := range s.Products {
		if p.isTaxable() {
			taxed += p.PriceCents
		}
		if p.Financed {
			financed += p.PriceCents
			if p.isTaxable() {
				financedTaxed += p.PriceCents
			}
		}
	}
	s.ProductTaxCents = d.TaxCents(taxed) - d.TaxCents(0)
	s.AmountFinancedCents = s.DealCents + financed + d.TaxCents(financedTaxed) - d.TaxCents(0) - s.CashDownCents - s.DepositCents
}

// FinancedTaxCents is the tax on products that is part of the loan.
func (s FinanceStructure) FinancedTaxCents() int64 {
	tax := s.AmountFinancedCents - s.DealCents + s.CashDownCents + s.DepositCents
	for _, p := range s.Products {
		if p.Financed {
			tax -= p.PriceCents
		}
	}
	return tax
}

// fillTaxable completes the products of structures from before products were
// taxed.
func (s *FinanceStructure) fillTaxable() {
	for i, p := range s.Products {
		if p.Taxable == nil {
			s.Products[i].Taxable = new(false)
		}
	}
}

func (p FinanceProduct) isTaxable() bool { return p.Taxable != nil && *p.Taxable }

func (s FinanceStructure) loan() money.Loan {
	return money.Loan{
		PrincipalCents: s.AmountFinancedCents, APR: s.APRPercent, Months: int(s.TermMonths),
		OddInterestCents: s.OddDaysInterestCents, BalloonCents: s.BalloonCents,
	}
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
		if p.isTaxable() {
			sums.TaxableCents += p.PriceCents
		}
	}
	if s.ReserveCents != nil {
		sums.ReserveCents = *s.ReserveCents
	}
	return sums
}

// checkStructureOpen fails if the deal can't get another structure. After the contract, it
// can while a lender has approved other terms.
func checkStructureOpen(d deals.Deal, fundings []Funding) error {
	if d.Status == deals.Contracted && slices.ContainsFunc(fundings, Funding.asksOtherTerms) {
		return nil
	}
	return d.CheckTermsOpen()
}

// selectFor selects the structure for the deal.
func (s *FinanceStructure) selectFor(d *deals.Deal, fundings []Funding) error {
	if err := checkStructureOpen(*d, fundings); err != nil {
		return err
	}
	if s.DealCents != d.NetCents() {
		return fault.Conflict("The deal has changed since the structure was created. Create another structure.").
			Detail("deal_cents", "stale", "must be %d, the current total of the deal", d.NetCents())
	}
	sums := s.ProductTotals()
	if tax := d.TaxCents(sums.TaxableCents) - d.TaxCents(0); s.ProductTaxCents != tax {
		return fault.Conflict("The taxes have changed since the structure was created. Create another structure.").
			Detail("product_tax_cents", "stale", "must be %d, the current tax on its products", tax)
	}

	d.Select(&s.ID, sums)
	s.Selected = true
	return nil
}
