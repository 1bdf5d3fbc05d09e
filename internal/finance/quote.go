package finance

import (
	"fmt"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/deals"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/money"
)

// FinanceQuoteCreate is the request body for a quote.
type FinanceQuoteCreate struct {
	_ struct{} `doc:"A loan to calculate."`

	DealID          *string          `json:"deal_id" required:"false" maxLength:"64" doc:"Deal to finance. Its total, deposits and taxes are used. Send either this or price." example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	PriceCents      *int64           `json:"price_cents" required:"false" minimum:"1" maximum:"100000000000" doc:"Total to pay, with taxes and fees. Send either this or deal_id." example:"15419000"`
	CashDownCents   int64            `json:"cash_down_cents,omitempty" minimum:"0" maximum:"100000000000" doc:"Down payment in cash, in addition to deposits. Defaults to 0." example:"2919000"`
	APRPercent      money.Percent    `json:"apr_percent" maxLength:"10" doc:"Annual rate of the contract as a decimal with up to four places." example:"7.99"`
	Terms           []int64          `json:"terms" minItems:"1" maxItems:"12" uniqueItems:"true" nullable:"false" doc:"Numbers of monthly payments to compare, from 1 to 480." example:"[180, 240, 300]"`
	ContractOn      *string          `json:"contract_on" required:"false" format:"date" doc:"Date of the contract, from which interest accrues. Defaults to today's date at the dealership."`
	FirstPaymentOn  *string          `json:"first_payment_on" required:"false" format:"date" doc:"Date of the first payment. Defaults to one month after the contract. If it is not 15 to 62 days after the contract, odd_days_interest is required."`
	OddDaysInterest *OddDaysInterest `json:"odd_days_interest" required:"false" doc:"Whether simple interest is charged for the days by which the first period is longer than a month. If the period is shorter, charged reduces the interest."`
	BalloonCents    int64            `json:"balloon_cents,omitempty" minimum:"0" maximum:"100000000000" doc:"Amount that is due with the last payment, in addition to it."`
	Products        []FinanceProduct `json:"products,omitempty" maxItems:"20" doc:"Finance and insurance products to sell with the loan. Their tax is only calculated with deal_id."`
}

// OddDaysInterest is whether interest is charged for odd days.
type OddDaysInterest string

var allOddDaysInterest = enum.Of[OddDaysInterest]("OddDaysInterest", "Whether interest is charged for the days by which the first period is longer than a month.",
	"charged", "ignored")

func (OddDaysInterest) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allOddDaysInterest.Describe(s)
}

// Check validates what the schema can't express.
func (c FinanceQuoteCreate) Check(now time.Time) error {
	var bad fault.Fields
	switch {
	case c.DealID == nil && c.PriceCents == nil:
		bad.Add("price_cents", "required", "is required unless you send deal_id")
	case c.DealID != nil && c.PriceCents != nil:
		bad.Add("price_cents", "exclusive", "can't be combined with deal_id")
	}
	for i, term := range c.Terms {
		if term < 1 || term > 480 {
			bad.Add(fmt.Sprintf("terms[%d]", i), "minimum", "must be from 1 to 480")
		}
	}
	c.APRPercent.Check(&bad, "apr_percent")
	return bad.Err()
}

// structure returns the request for a finance structure with one of the terms.
func (c FinanceQuoteCreate) structure(term int64) FinanceStructureCreate {
	return FinanceStructureCreate{
		CashDownCents: c.CashDownCents, APRPercent: c.APRPercent, TermMonths: term, ContractOn: c.ContractOn, FirstPaymentOn: c.FirstPaymentOn,
		OddDaysInterest: c.OddDaysInterest, BalloonCents: c.BalloonCents, Products: c.Products,
	}
}

// FinanceQuote is what a loan would cost. It is not stored.
type FinanceQuote struct {
	_ struct{} `doc:"What a loan would cost, with different numbers of payments."`

	DealCents           int64              `json:"deal_cents" doc:"Total to pay without products." example:"15419000"`
	DepositCents        int64              `json:"deposit_cents" doc:"Deposits that were paid. 0 without a deal."`
	ProductTaxCents     int64              `json:"product_tax_cents" doc:"Tax on the taxable products. 0 without a deal."`
	AmountFinancedCents int64              `json:"amount_financed_cents" doc:"Total, financed products and their tax, minus cash down and deposits." example:"12500000"`
	ContractOn          string             `json:"contract_on" format:"date" doc:"Date of the contract."`
	FirstPaymentOn      string             `json:"first_payment_on" format:"date" doc:"Date of the first payment."`
	OddDays             int64              `json:"odd_days" doc:"Days by which the first period is longer than a month. Negative if it is shorter."`
	Terms               []FinanceQuoteTerm `json:"terms" nullable:"false" doc:"The cost with each number of payments, in the order of the request."`
}

// FinanceQuoteTerm is the cost of a loan with a number of payments.
type FinanceQuoteTerm struct {
	_ struct{} `doc:"The cost of a loan with one number of payments."`

	TermMonths           int64         `json:"term_months" doc:"Number of monthly payments." example:"240"`
	PaymentCents         int64         `json:"payment_cents" doc:"Monthly payment, rounded half up." example:"104477"`
	FirstPaymentCents    int64         `json:"first_payment_cents" doc:"First payment, which includes the interest for odd days."`
	FinalPaymentCents    int64         `json:"final_payment_cents" doc:"Last payment, which includes the balloon and the cents left by rounding."`
	FinanceChargeCents   int64         `json:"finance_charge_cents" doc:"Total interest."`
	TotalOfPaymentsCents int64         `json:"total_of_payments_cents" doc:"Sum of all payments."`
	DisclosedAPRPercent  money.Percent `json:"disclosed_apr_percent" doc:"Annual percentage rate according to Regulation Z." example:"7.99"`
}

// quote calculates the cost with each term, like the finance structures of the deal.
func (c FinanceQuoteCreate) quote(d deals.Deal, deposits int64, rules dealership.Settings, today time.Time) (FinanceQuote, error) {
	q := FinanceQuote{Terms: []FinanceQuoteTerm{}}
	for _, term := range c.Terms {
		n := c.structure(term)
		n.setTaxable(rules.TaxableLines.Product)
		s, err := n.Structure(d, deposits, today)
		if err != nil {
			return q, err
		}
		q.DealCents, q.DepositCents, q.ProductTaxCents, q.AmountFinancedCents = s.DealCents, s.DepositCents, s.ProductTaxCents, s.AmountFinancedCents
		q.ContractOn, q.FirstPaymentOn, q.OddDays = *s.ContractOn, s.FirstPaymentOn, s.OddDays
		q.Terms = append(q.Terms, FinanceQuoteTerm{
			TermMonths: term, PaymentCents: s.PaymentCents, FirstPaymentCents: s.FirstPaymentCents, FinalPaymentCents: s.FinalPaymentCents,
			FinanceChargeCents: s.FinanceChargeCents, TotalOfPaymentsCents: s.TotalOfPaymentsCents, DisclosedAPRPercent: s.DisclosedAPRPercent,
		})
	}
	return q, nil
}
