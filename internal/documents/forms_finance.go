package documents

import (
	"fmt"

	"slipway/internal/finance"
	"slipway/internal/platform/pdf"
	"slipway/internal/vocab/money"
)

func creditApplication(p *pdf.Page, f facts) {
	p.Paragraph("The applicant applies for credit to buy the vessel described below and states that the information given is true and complete.")
	vessel(p, f)
	p.Heading("Applicant")
	p.Fields(
		pdf.Field{Name: "Name", Value: nameOf(f.buyer)}, pdf.Field{Name: "Date of birth"},
		pdf.Field{Name: "Address", Value: homeOf(f.buyer)}, pdf.Field{Name: "Social security number"},
		pdf.Field{Name: "Phone", Value: or(f.buyer.Phone, "")}, pdf.Field{Name: "Email", Value: or(f.buyer.Email, "")},
		pdf.Field{Name: "Employer"}, pdf.Field{Name: "Position and years there"},
		pdf.Field{Name: "Gross monthly income"}, pdf.Field{Name: "Monthly housing payment"},
	)
	if f.coBuyer != nil {
		p.Heading("Co-applicant")
		p.Fields(
			pdf.Field{Name: "Name", Value: nameOf(*f.coBuyer)}, pdf.Field{Name: "Date of birth"},
			pdf.Field{Name: "Address", Value: homeOf(*f.coBuyer)}, pdf.Field{Name: "Social security number"},
			pdf.Field{Name: "Employer"}, pdf.Field{Name: "Gross monthly income"},
		)
	}
	p.Heading("Credit requested")
	amount, term := f.deal.Totals.BalanceDueCents, ""
	if f.structure != nil {
		amount, term = f.structure.AmountFinancedCents, fmt.Sprintf("%d months", f.structure.TermMonths)
	}
	p.Fields(
		pdf.Field{Name: "Price of the vessel", Value: money.Format(f.deal.Totals.PriceCents)}, pdf.Field{Name: "Amount requested", Value: money.Format(amount)},
		pdf.Field{Name: "Term", Value: term}, pdf.Field{Name: "Cash down", Value: cashDown(f)},
	)
	p.Note("By signing, the applicant authorizes the dealer and the lenders to whom this application is submitted to obtain consumer reports and to verify employment, income and deposits. Important information about procedures for opening a new account: federal law requires lenders to obtain, verify and record information that identifies each person who opens an account.")
}

func cashDown(f facts) string {
	if f.structure == nil {
		return ""
	}
	return money.Format(f.structure.CashDownCents)
}

func installmentContract(p *pdf.Page, f facts) {
	s := *f.structure
	p.Paragraph("The buyer buys the vessel on credit and agrees to pay the amount financed and the finance charge to the seller, or to whom the seller assigns this contract, in the payments scheduled below.")
	parties(p, f)
	vessel(p, f)
	p.Heading("Federal truth-in-lending disclosures")
	p.Table([]pdf.Column{{Name: "Annual percentage rate", Share: 1}, {Name: "Finance charge", Share: 1}, {Name: "Amount financed", Share: 1}, {Name: "Total of payments", Share: 1}, {Name: "Total sale price", Share: 1}}, nil,
		[][]string{{string(s.APRPercent) + "%", money.Format(s.FinanceChargeCents), money.Format(s.AmountFinancedCents), money.Format(s.TotalOfPaymentsCents), money.Format(s.TotalOfPaymentsCents + s.CashDownCents + s.DepositCents)}})
	p.Note("APR: the cost of the credit as a yearly rate. Finance charge: the dollar amount the credit will cost. Amount financed: the credit provided to the buyer or on the buyer's behalf. Total of payments: what the buyer will have paid after all payments as scheduled. Total sale price: the total cost of the purchase on credit, including the down payment.")
	p.Paragraph(paymentsInWords(s))
	p.Heading("Itemization of the amount financed")
	rows := [][]string{{"Vessel, line items and tax, less trade equity", money.Format(s.DealCents)}}
	for _, product := range s.Products {
		if product.Financed {
			rows = append(rows, []string{productName(product), money.Format(product.PriceCents)})
		}
	}
	rows = append(rows, []string{"Deposit paid", money.Format(-s.DepositCents)}, []string{"Cash down", money.Format(-s.CashDownCents)})
	p.Table(amounts, rows, [][]string{{"Amount financed", money.Format(s.AmountFinancedCents)}})
	p.Heading("Terms")
	p.Clauses(
		pdf.Clause{Name: "Prepayment", Text: "The buyer may pay early, in whole or in part, without penalty; interest is owed only for the time until then."},
		pdf.Clause{Name: "Late payment", Text: "A payment that is more than ten days late may bear a late charge to the extent that the law allows."},
		pdf.Clause{Name: "Security", Text: "The seller has a security interest in the vessel, its engines, trailer and equipment, and in the proceeds of insurance, until all is paid."},
		pdf.Clause{Name: "Insurance", Text: "The buyer keeps the vessel insured against loss and damage, in favor of the holder of this contract."},
		pdf.Clause{Name: "Default", Text: "If the buyer does not pay or does not keep this contract, the holder may demand all that is owed and take possession of the vessel as the law allows."},
		pdf.Clause{Name: "Assignment", Text: "The seller may assign this contract to " + or(s.Lender, "a lender") + "."},
	)
	p.Notice("NOTICE: Any holder of this consumer credit contract is subject to all claims and defenses which the debtor could assert against the seller of goods or services obtained pursuant hereto or with the proceeds hereof. Recovery hereunder by the debtor shall not exceed amounts paid by the debtor hereunder.")
	p.Heading("Payment schedule")
	p.Table(scheduleColumns, scheduleRows(s), [][]string{{"", "Total", money.Format(s.TotalOfPaymentsCents), money.Format(s.AmountFinancedCents), money.Format(s.FinanceChargeCents), ""}})
}

// paymentsInWords says what the schedule says, in a sentence.
func paymentsInWords(s finance.FinanceStructure) string {
	if s.TermMonths == 1 {
		return fmt.Sprintf("One payment of %s on %s.", money.Format(s.FinalPaymentCents), dayOf(s.FirstPaymentOn))
	}
	return fmt.Sprintf("%d monthly payments of %s, beginning on %s, and a last one of %s.", s.TermMonths-1, money.Format(s.PaymentCents), dayOf(s.FirstPaymentOn), money.Format(s.FinalPaymentCents))
}

var scheduleColumns = []pdf.Column{
	{Name: "No.", Share: 1}, {Name: "Due on", Share: 2}, {Name: "Payment", Share: 2.2, Number: true},
	{Name: "Principal", Share: 2.2, Number: true}, {Name: "Interest", Share: 2.2, Number: true}, {Name: "Balance", Share: 2.4, Number: true},
}

func scheduleRows(s finance.FinanceStructure) (rows [][]string) {
	for _, i := range s.Installments() {
		rows = append(rows, []string{
			fmt.Sprint(i.Number), dayOf(i.DueOn), money.Format(i.PaymentCents), money.Format(i.PrincipalCents), money.Format(i.InterestCents), money.Format(i.BalanceCents),
		})
	}
	return rows
}

func productContract(p *pdf.Page, f facts) {
	p.Paragraph("The buyer buys the products listed below for the vessel. They are optional: neither the purchase nor its financing depends on them.")
	parties(p, f)
	vessel(p, f)
	p.Heading("Products")
	var rows [][]string
	for _, product := range f.structure.Products {
		how := "Paid in cash"
		if product.Financed {
			how = "Financed"
		}
		rows = append(rows, []string{productName(product), how, money.Format(product.PriceCents)})
	}
	price, _ := f.structure.ProductTotals()
	p.Table([]pdf.Column{{Name: "Product", Share: 6}, {Name: "How", Share: 2}, {Name: "Price", Share: 2, Number: true}}, rows, [][]string{{"Total", "", money.Format(price)}})
	p.Paragraph("A product may be cancelled at any time. The unearned part of its price is then paid back; where it was financed, to the lender, which lowers what is owed.")
}

func productWaiver(p *pdf.Page, f facts) {
	parties(p, f)
	vessel(p, f)
	p.Heading("Products declined")
	p.Checklist("Extended service contract", "GAP waiver", "Gelcoat protection", "Hull protection", "Tire and wheel (trailer)", "Propeller protection", "Credit life", "Disability", "Theft protection", "Prepaid maintenance")
	p.Paragraph("The products ticked above were explained and offered to the buyer, who has declined them and knows that repairs and losses that they would have covered are the buyer's own.")
}

func privacyNotice(p *pdf.Page, f facts) {
	p.Paragraph("What " + f.seller() + " does with personal information.")
	p.Heading("What we collect")
	p.Paragraph("Name, address, phone, email and date of birth; income, employment and social security number where you apply for credit; what you buy, trade in and pay.")
	p.Heading("Why, and with whom we share it")
	p.Clauses(
		pdf.Clause{Text: "To complete the purchase: with lenders to whom you apply, insurers, manufacturers for warranty, and the authorities that title, register or document the vessel."},
		pdf.Clause{Text: "As the law requires: with courts and authorities that ask for it lawfully."},
		pdf.Clause{Text: "For marketing by others: we do not share it."},
	)
	p.Heading("How we protect it")
	p.Paragraph("Access is limited to those who need it for their work and is recorded. You may ask what we hold about you and have it corrected or, where no law obliges us to keep it, erased.")
	p.Paragraph("By signing, the customer confirms having received this notice.")
}

func preferredMortgage(p *pdf.Page, f facts) {
	s := *f.structure
	p.Paragraph("Data for a preferred mortgage under 46 U.S.C. chapter 313. The mortgage itself is filed with the National Vessel Documentation Center.")
	vessel(p, f)
	p.Heading("Mortgage")
	p.Fields(
		pdf.Field{Name: "Mortgagor", Value: pdf.Lines(nameOf(f.buyer), homeOf(f.buyer))}, pdf.Field{Name: "Mortgagee", Value: or(s.Lender, "")},
		pdf.Field{Name: "Amount of the mortgage", Value: money.Format(s.AmountFinancedCents)}, pdf.Field{Name: "Interest mortgaged", Value: "100%"},
		pdf.Field{Name: "Official number"}, pdf.Field{Name: "Vessel's name"},
		pdf.Field{Name: "Term", Value: fmt.Sprintf("%d months", s.TermMonths)}, pdf.Field{Name: "Maturity", Value: lastDay(s)},
	)
	p.Heading("Acknowledgment")
	p.Paragraph("State of ____________________   County of ____________________   Date ____________________")
	p.Fields(pdf.Field{Name: "Notary public"}, pdf.Field{Name: "Commission expires"})
}

func lastDay(s finance.FinanceStructure) string {
	rows := s.Installments()
	return dayOf(rows[len(rows)-1].DueOn)
}

func satisfaction(p *pdf.Page, f facts) {
	p.Paragraph("The mortgagee named below acknowledges that the debt secured by the mortgage on the vessel is paid and that the mortgage is satisfied and discharged. A documented vessel cannot be transferred while a mortgage on it is outstanding.")
	vessel(p, f)
	p.Heading("Mortgage")
	p.Fields(
		pdf.Field{Name: "Mortgagee"}, pdf.Field{Name: "Mortgagor"},
		pdf.Field{Name: "Official number"}, pdf.Field{Name: "Date of the mortgage"},
		pdf.Field{Name: "Amount"}, pdf.Field{Name: "Book and page, or batch and document"},
	)
}
