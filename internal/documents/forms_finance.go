package documents

import (
	"fmt"
	"slices"
	"strings"

	"slipway/internal/deals"
	"slipway/internal/finance"
	"slipway/internal/platform/pdf"
	"slipway/internal/vocab/money"
)

func creditApplication(p *pdf.Page, f facts) {
	p.Paragraph("The applicant applies for credit to buy the vessel described below and certifies that the information in this application " +
		"is true and complete.")
	vessel(p, f)
	p.Heading("Applicant")
	p.Fields(
		pdf.Field{Name: "Name", Value: nameOf(f.buyer)}, pdf.Field{Name: "Date of birth"},
		pdf.Field{Name: "Address", Value: addressOf(f.buyer)}, pdf.Field{Name: "Social Security number"},
		pdf.Field{Name: "Phone", Value: phoneOf(f.buyer)}, pdf.Field{Name: "Email", Value: or(f.buyer.Email, "")},
		pdf.Field{Name: "Employer"}, pdf.Field{Name: "Position and years employed"},
		pdf.Field{Name: "Gross monthly income"}, pdf.Field{Name: "Monthly housing payment"},
	)
	if f.coBuyer != nil {
		p.Heading("Co-applicant")
		p.Fields(
			pdf.Field{Name: "Name", Value: nameOf(*f.coBuyer)}, pdf.Field{Name: "Date of birth"},
			pdf.Field{Name: "Address", Value: addressOf(*f.coBuyer)}, pdf.Field{Name: "Social Security number"},
			pdf.Field{Name: "Phone", Value: phoneOf(*f.coBuyer)}, pdf.Field{Name: "Email", Value: or(f.coBuyer.Email, "")},
			pdf.Field{Name: "Employer"}, pdf.Field{Name: "Gross monthly income"},
		)
	}

	p.Heading("Credit requested")
	amount, term := f.deal.Totals.BalanceDueCents, ""
	if f.structure != nil {
		amount, term = f.structure.AmountFinancedCents, fmt.Sprintf("%d months", f.structure.TermMonths)
	}
	p.Fields(
		pdf.Field{Name: "Vessel price", Value: money.Format(f.deal.Totals.PriceCents)},
		pdf.Field{Name: "Amount requested", Value: money.Format(amount)},
		pdf.Field{Name: "Term", Value: term}, pdf.Field{Name: "Cash down", Value: cashDown(f)},
	)
	p.Note("By signing, the applicant authorizes the dealer and the lenders that receive this application to obtain consumer credit " +
		"reports and to verify employment, " +
		"income and deposits. Important information about procedures for opening a new account: Federal law requires lenders to obtain, " +
		"verify and record information that identifies each person who opens an account.")
}

func cashDown(f facts) string {
	if f.structure == nil {
		return ""
	}
	return money.Format(f.structure.CashDownCents)
}

func installmentContract(p *pdf.Page, f facts) {
	s := *f.structure
	p.Paragraph("The buyer buys the vessel on credit and agrees to pay the amount financed and the finance charge to the seller, " +
		"or to the assignee of this contract, according to the payment schedule below.")
	parties(p, f)
	vessel(p, f)
	p.Heading("Federal Truth in Lending disclosures")
	down := f.downPaymentCents()
	p.Disclosures( // 12 CFR 1026.17(a)(2): the first two must be more conspicuous than the others
		pdf.Disclosure{Name: "Annual percentage rate", Value: string(s.DisclosedAPRPercent) + "%", Strong: true,
			Text: "The cost of your credit as a yearly rate."},
		pdf.Disclosure{Name: "Finance charge", Value: money.Format(s.FinanceChargeCents), Strong: true,
			Text: "The dollar amount the credit will cost you."},
		pdf.Disclosure{Name: "Amount financed", Value: money.Format(s.AmountFinancedCents),
			Text: "The amount of credit provided to you or on your behalf."},
		pdf.Disclosure{Name: "Total of payments", Value: money.Format(s.TotalOfPaymentsCents),
			Text: "The amount you will have paid after you have made all payments as scheduled."},
		pdf.Disclosure{Name: "Total sale price", Value: money.Format(s.TotalOfPaymentsCents + down),
			Text: "The total cost of your purchase on credit, including your down payment of " + money.Format(down) + "."},
	)
	p.Paragraph(describePayments(s))
	p.Heading("Itemization of amount financed")

	equity := f.deal.TradeEquityCents
	rows := [][]string{{"Vessel, additional items and tax", money.Format(s.DealCents + equity)}}
	switch {
	case equity < 0:
		rows = append(rows, []string{"Amount owed on the trade-in above its allowance", money.Format(-equity)})
	case len(f.trades) > 0:
		rows = append(rows, []string{"Trade-in allowance less the amount owed on it", money.Format(-equity)})
	}
	for _, product := range s.Products {
		if product.Financed {
			rows = append(rows, []string{productName(product), money.Format(product.PriceCents)})
		}
	}

	if tax := s.FinancedTaxCents(); tax > 0 {
		rows = append(rows, []string{"Tax on financed products", money.Format(tax)})
	}
	rows = append(rows, []string{"Deposit paid", money.Format(-s.DepositCents)}, []string{"Cash down", money.Format(-s.CashDownCents)})
	p.Table(amounts, pdf.Rows{Rows: rows, Sums: [][]string{{"Amount financed", money.Format(s.AmountFinancedCents)}}})
	p.Heading("Terms")
	p.Clauses(
		pdf.Clause{Name: "Prepayment", Text: "The buyer may prepay all or part of the balance at any time without penalty."},
		pdf.Clause{Name: "Late payment", Text: "If a payment is more than 10 days late, a late charge may apply to the extent permitted by law."},
		pdf.Clause{Name: "Security", Text: "The seller has a security interest in the vessel, its engines, trailer and equipment, " +
			"and in insurance proceeds, until the balance is paid in full."},
		pdf.Clause{Name: "Insurance", Text: "The buyer must keep the vessel insured against loss and damage and name the holder of this " +
			"contract as loss payee."},
		pdf.Clause{Name: "Default", Text: "If the buyer fails to make a payment or breaches this contract, " +
			"the holder may demand payment of the entire balance and repossess the vessel as permitted by law."},
		pdf.Clause{Name: "Assignment", Text: "The seller may assign this contract to " + or(s.Lender, "a lender") + "."},
	)
	p.Notice("NOTICE: Any holder of this consumer credit contract is subject to all claims and defenses which the debtor could assert " +
		"against the seller of goods or services obtained pursuant hereto or with the proceeds hereof. Recovery hereunder by the debtor shall " +
		"not exceed amounts paid by the debtor hereunder.")
	p.Heading("Payment schedule")
	total := []string{"", "Total", money.Format(s.TotalOfPaymentsCents), money.Format(s.AmountFinancedCents),
		money.Format(s.FinanceChargeCents), ""}
	p.Table(scheduleColumns, pdf.Rows{Rows: scheduleRows(s), Sums: [][]string{total}})
}

// describePayments summarizes the schedule in a sentence.
func describePayments(s finance.FinanceStructure) string {
	if s.TermMonths == 1 {
		return fmt.Sprintf("One payment of %s on %s.", money.Format(s.FinalPaymentCents), formatDate(s.FirstPaymentOn))
	}
	final := "and a final payment of " + money.Format(s.FinalPaymentCents)
	text := fmt.Sprintf("%s of %s, beginning on %s, %s", capitalize(monthly(s.TermMonths-1)), money.Format(s.PaymentCents),
		formatDate(s.FirstPaymentOn), final)
	if s.OddDaysInterestCents != 0 {
		text = fmt.Sprintf("A first payment of %s on %s", money.Format(s.FirstPaymentCents), formatDate(s.FirstPaymentOn))
		if between := s.TermMonths - 2; between > 0 {
			text += fmt.Sprintf(", %s of %s,", monthly(between), money.Format(s.PaymentCents))
		}
		text += " " + final
	}
	if s.BalloonCents > 0 {
		text += ", which includes a balloon payment of " + money.Format(s.BalloonCents)
	}
	return text + "."
}

// monthly counts payments in words.
func monthly(count int64) string {
	if count == 1 {
		return "one monthly payment"
	}
	return fmt.Sprintf("%d monthly payments", count)
}

var scheduleColumns = []pdf.Column{
	{Name: "No.", Share: 1}, {Name: "Due date", Share: 2}, {Name: "Payment", Share: 2.2, Number: true},
	{Name: "Principal", Share: 2.2, Number: true}, {Name: "Interest", Share: 2.2, Number: true}, {Name: "Balance", Share: 2.4, Number: true},
}

func scheduleRows(s finance.FinanceStructure) (rows [][]string) {
	for _, i := range s.Installments() {
		rows = append(rows, []string{
			fmt.Sprint(i.Number), formatDate(i.DueOn), money.Format(i.PaymentCents), money.Format(i.PrincipalCents),
			money.Format(i.InterestCents), money.Format(i.BalanceCents),
		})
	}
	return rows
}

func productContract(p *pdf.Page, f facts) {
	p.Paragraph("The buyer is buying the products listed below for the vessel. They are optional and are not required to buy or finance " +
		"the vessel.")
	parties(p, f)
	vessel(p, f)
	p.Heading("Products")
	var rows [][]string
	for _, product := range f.structure.Products {
		payment := "Cash"
		if product.Financed {
			payment = "Financed"
		}
		rows = append(rows, []string{productName(product), payment, money.Format(product.PriceCents)})
	}
	p.Table([]pdf.Column{{Name: "Product", Share: 6}, {Name: "Payment", Share: 2}, {Name: "Price", Share: 2, Number: true}},
		pdf.Rows{Rows: rows, Sums: [][]string{{"Total", "", money.Format(f.structure.ProductTotals().PriceCents)}}})
	p.Paragraph("The buyer may cancel a product at any time. The unearned part of its price will be refunded. If the product was financed, " +
		"the refund is paid to the lender and reduces the loan balance.")
}

func productWaiver(p *pdf.Page, f facts) {
	parties(p, f)
	vessel(p, f)
	bought := f.boughtProducts()
	if len(bought) > 0 {
		p.Heading("Products bought")
		p.Paragraph("The buyer is buying these products. This waiver doesn't apply to them: " + strings.Join(bought, "; ") + ".")
	}
	p.Heading("Products declined")
	var declined []string
	for _, o := range offered {
		if !f.bought(o) {
			declined = append(declined, o.name)
		}
	}
	if len(declined) == 0 {
		p.Paragraph("None. The buyer is buying every product that was offered.")
		return
	}
	p.Checklist(declined...)
	p.Paragraph("The products checked above were explained and offered to the buyer. The buyer declined them and understands that the " +
		"buyer is responsible for repairs and losses that they would have covered.")
}

// offer is a product that buyers are offered.
type offer struct {
	kind finance.ProductKind
	name string
}

var offered = []offer{
	{"service_contract", "Extended service contract"}, {"gap", "GAP waiver"}, {"gelcoat_protection", "Gelcoat protection"},
	{"hull_protection", "Hull protection"}, {"tire_wheel", "Tire and wheel (trailer)"}, {"prop_protection", "Propeller protection"},
	{"credit_life", "Credit life"}, {"disability", "Disability"}, {"theft", "Theft protection"},
	{"prepaid_maintenance", "Prepaid maintenance"}, {"key", "Key replacement"},
}

// boughtProducts returns the names of the products of the structure and of the line items.
func (f facts) boughtProducts() (names []string) {
	if f.structure != nil {
		for _, product := range f.structure.Products {
			names = append(names, productName(product))
		}
	}
	for _, l := range f.deal.LineItems {
		if l.Kind == deals.ProductLine {
			names = append(names, lineRow(l)[0])
		}
	}
	return names
}

// bought reports whether the buyer buys a product. A line item has no kind of product, so its
// code or its description says what it is.
func (f facts) bought(o offer) bool {
	if f.structure != nil && slices.ContainsFunc(f.structure.Products, func(p finance.FinanceProduct) bool { return p.Kind == o.kind }) {
		return true
	}
	name := strings.ToLower(strings.ReplaceAll(string(o.kind), "_", " "))
	return slices.ContainsFunc(f.deal.LineItems, func(l deals.DealLineItem) bool {
		text := strings.ToLower(strings.ReplaceAll(or(l.Code, "")+" "+or(l.Description, ""), "_", " "))
		return l.Kind == deals.ProductLine && strings.Contains(" "+text+" ", " "+name+" ")
	})
}

func privacyNotice(p *pdf.Page, f facts) {
	p.Paragraph("How " + f.seller() + " collects, uses and shares your personal information.")
	p.Heading("What we collect")
	p.Paragraph("We collect your name, address, phone number, email address and date of birth, and information about your purchases, " +
		"trade-ins and payments. If you apply for credit, we also collect your income, employment and Social Security number.")
	p.Heading("How we share it")
	p.Clauses(
		pdf.Clause{Text: "To complete your purchase, we share it with lenders you apply to, insurers, manufacturers (for warranties), " +
			"and the agencies that title, register or document the vessel."},
		pdf.Clause{Text: "We share it with courts and government agencies when the law requires it."},
		pdf.Clause{Text: "We do not share it with other companies for their marketing."},
	)
	p.Heading("How we protect it")
	p.Paragraph("Only employees who need your information for their work have access to it, " +
		"and access is logged. You may ask us for a copy of your information. You may also ask us to correct it, " +
		"or to delete it unless the law requires us to keep it.")
	acknowledges := "acknowledges"
	if f.coBuyer != nil {
		acknowledges = "acknowledge"
	}
	p.Paragraph(fmt.Sprintf("By signing, %s %s receipt of this notice.", f.buyers(), acknowledges))
}

func preferredMortgage(p *pdf.Page, f facts) {
	s := *f.structure
	p.Paragraph("Information for a preferred ship mortgage under 46 U.S.C. Chapter 313. File the mortgage itself with the National Vessel " +
		"Documentation Center.")
	vessel(p, f)
	p.Heading("Mortgage")
	mortgagors := pdf.Lines(nameOf(f.buyer), addressOf(f.buyer))
	if f.coBuyer != nil {
		mortgagors = pdf.Lines(mortgagors, "and "+nameOf(*f.coBuyer), addressOf(*f.coBuyer))
	}
	p.Fields(
		pdf.Field{Name: "Mortgagor", Value: mortgagors}, pdf.Field{Name: "Mortgagee", Value: f.lender()},
		pdf.Field{Name: "Mortgage amount", Value: money.Format(f.lentCents())}, pdf.Field{Name: "Interest mortgaged", Value: "100%"},
		pdf.Field{Name: "Official number"}, pdf.Field{Name: "Vessel name"},
		pdf.Field{Name: "Term", Value: fmt.Sprintf("%d months", s.TermMonths)}, pdf.Field{Name: "Maturity date", Value: maturityDate(s)},
	)
	acknowledgment(p)
}

func maturityDate(s finance.FinanceStructure) string {
	rows := s.Installments()
	return formatDate(rows[len(rows)-1].DueOn)
}

// satisfaction is signed by the lender of an earlier mortgage: that of the trade-in,
// or else of the vessel, which is filled in by hand. It is never the lender of
// this sale.
func satisfaction(p *pdf.Page, f facts) {
	p.Paragraph("The mortgagee named below acknowledges that the debt secured by the mortgage on the vessel has been paid in full and that " +
		"the mortgage is satisfied and discharged.")
	mortgagor := ""
	if t, ok := f.mortgagedTrade(); ok {
		mortgagor = f.buyers()
		p.Heading("Vessel")
		p.Fields(pdf.Field{Name: "Year, make and model", Value: tradeName(t)},
			pdf.Field{Name: "Hull identification number (HIN)", Value: or(t.HIN, "")})
	} else {
		vessel(p, f)
	}
	p.Heading("Mortgage")
	p.Fields(
		pdf.Field{Name: "Mortgagee", Value: f.oldLender()}, pdf.Field{Name: "Mortgagor", Value: mortgagor},
		pdf.Field{Name: "Official number"}, pdf.Field{Name: "Mortgage date"},
		pdf.Field{Name: "Amount"}, pdf.Field{Name: "Book and page, or batch and document"},
	)
}
