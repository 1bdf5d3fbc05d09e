package documents

import (
	"fmt"

	"slipway/internal/hulls"
	"slipway/internal/platform/pdf"
	"slipway/internal/vocab/money"
)

func purchaseAgreement(p *pdf.Page, f facts) {
	p.Paragraph("The seller agrees to sell, and the buyer agrees to buy, " +
		"the vessel described below for the price and on the terms of this agreement.")
	parties(p, f)
	specifiedVessel(p, f)
	factoryOrder(p, f)
	tradeTable(p, f)
	priceTable(p, f)
	if f.structure != nil {
		p.Heading("Financing")
		p.Paragraph(fmt.Sprintf("The buyer intends to finance %s over %d months at an annual percentage rate of %s%%, in monthly payments of %s.",
			money.Format(f.structure.AmountFinancedCents), f.structure.TermMonths, f.structure.DisclosedAPRPercent,
			money.Format(f.structure.PaymentCents)))
	}

	p.Heading("Terms")
	p.Clauses(append([]pdf.Clause{
		{Name: "Payment", Text: "The balance is due on or before delivery. A check or draft counts as payment when it clears."},
		{Name: "Title", Text: "The seller has good title to the vessel, " +
			"free of all liens except those to be paid off from the purchase price. Title and risk of loss pass to the buyer upon delivery and " +
			"payment in full."},
		{Name: "Trade-in", Text: "The buyer warrants good title to the trade-in and that the amount owed on it does not exceed the " +
			"payoff stated above. If the actual payoff is higher, the buyer will pay the difference."},
		{Name: "Condition", Text: conditionClause(f.hull.Condition)},
		{Name: "Inspection",
			Text: "The buyer may have the vessel surveyed and sea trialed, at the buyer's expense, before accepting delivery."},
		{Name: "Cancellation", Text: "If the buyer fails to complete the purchase through no fault of the seller, " +
			"the seller may keep the deposit to the extent permitted by law."},
		{Name: "Insurance", Text: "The buyer is responsible for insuring the vessel from the time of delivery. If the vessel is " +
			"financed, the lender must be named as loss payee."},
		{Name: "Entire agreement", Text: "This agreement, including the documents it refers to, " +
			"is the entire agreement between the parties. Changes must be in writing and signed by both parties."},
	}, f.brokerClauses()...)...)
}

// brokerClauses says what the dealership is if it sells the boat of an owner.
func (f facts) brokerClauses() []pdf.Clause {
	if f.owner == nil {
		return nil
	}
	all := []pdf.Clause{{Name: "Broker", Text: fmt.Sprintf(brokerClause, f.seller())}, {Name: "Commission", Text: commissionClause}}
	if f.listing.EscrowHolder != nil {
		all = append(all, pdf.Clause{Name: "Escrow", Text: fmt.Sprintf(escrowClause, *f.listing.EscrowHolder)})
	}
	return all
}

// settlementStatement divides the price between the owner and the brokers.
func settlementStatement(p *pdf.Page, f facts) {
	p.Paragraph(settlementText)
	parties(p, f)
	vessel(p, f)
	p.Heading("Settlement")
	price := f.deal.Totals.PriceCents
	split := f.listing.Settle(price)
	rows := [][]string{{"Price of the vessel", money.Format(price)}, {f.commissionName(), money.Format(-split.CommissionCents)}}
	p.Table(amounts, pdf.Rows{Rows: rows, Sums: [][]string{{"Net proceeds of the owner", money.Format(split.OwnerCents)}}})
	p.Heading("Commission")
	rows = [][]string{{f.seller(), money.Format(split.CommissionCents - split.CoBrokerCents)}}
	if f.listing.CoBroker != nil {
		rows = append(rows, []string{*f.listing.CoBroker + ", co-broker", money.Format(split.CoBrokerCents)})
	}
	p.Table(amounts, pdf.Rows{Rows: rows, Sums: [][]string{{"Commission", money.Format(split.CommissionCents)}}})
	p.Heading("Payoffs and payment")
	p.Fields(
		pdf.Field{Name: "Lienholder"}, pdf.Field{Name: "Payoff"},
		pdf.Field{Name: "Escrow holder", Value: or(f.listing.EscrowHolder, f.seller())}, pdf.Field{Name: "Paid to the owner on"},
	)
	p.Paragraph(settlementAgreed)
}

func (f facts) commissionName() string {
	switch {
	case f.listing.CommissionPercent != nil:
		return "Commission at " + string(*f.listing.CommissionPercent) + "%"
	case f.listing.NetPriceCents != nil:
		return "Commission, the price above the net price of " + money.Format(*f.listing.NetPriceCents)
	}
	return "Commission"
}

func conditionClause(condition hulls.Condition) string {
	if condition == "new" {
		return "The vessel is new and is covered by the manufacturer's written warranties, " +
			"which the buyer will receive. The seller makes no other warranties, express or implied, except those that cannot be disclaimed by law."
	}
	return "The vessel is used and is sold AS IS, with all faults. The seller makes no warranties, express or implied, " +
		"except those that cannot be disclaimed by law."
}

func buyersOrder(p *pdf.Page, f facts) {
	p.Paragraph("The buyer orders the vessel described below. This order is binding when signed by the seller.")
	parties(p, f)
	specifiedVessel(p, f)
	factoryOrder(p, f)
	tradeTable(p, f)
	priceTable(p, f)
	p.Note("This order is not a credit agreement. If the purchase depends on financing and no lender approves the buyer on terms " +
		"acceptable to the buyer, either party may cancel this order without obligation.")
}

func depositReceipt(p *pdf.Page, f facts) {
	p.Paragraph(fmt.Sprintf("%s received the payments listed below from %s toward the purchase of the vessel.", f.seller(), f.buyers()))
	vessel(p, f)
	receipts(p, f)
	p.Fields(
		pdf.Field{Name: "Purchase total", Value: money.Format(f.deal.Totals.TotalCents)},
		pdf.Field{Name: "Balance due", Value: money.Format(f.deal.Totals.BalanceDueCents)},
	)
	if f.listing != nil && f.listing.EscrowHolder != nil {
		p.Paragraph(fmt.Sprintf(escrowClause, *f.listing.EscrowHolder))
	}
	p.Note("The deposit will be applied to the purchase price. The purchase agreement states what happens to the deposit if the purchase " +
		"is not completed.")
}

func billOfSale(p *pdf.Page, f facts) {
	receipt := "receipt of which is acknowledged"
	if f.deal.Totals.BalanceDueCents > 0 {
		receipt = "to be paid as the purchase agreement states"
	}
	p.Paragraph("For the purchase price stated below, " + receipt + ", the seller sells, " +
		"transfers and delivers the vessel described below to the buyer.")
	parties(p, f)
	specifiedVessel(p, f)
	considerationTable(p, f)
	p.Heading("Warranty of title")
	p.Paragraph("The seller warrants that the seller is the lawful owner of the vessel, has the right to sell it, " +
		"and will defend its title against the lawful claims of all persons.")
	acknowledgment(p)
}

func seaTrial(p *pdf.Page, f facts) {
	parties(p, f)
	vessel(p, f)
	p.Heading("Sea trial")
	p.Fields(pdf.Field{Name: "Date"}, pdf.Field{Name: "Location"}, pdf.Field{Name: "Engine hours at start"},
		pdf.Field{Name: "Engine hours at end"})
	p.Checklist("Engines start cold and warm", "Oil pressure and temperature within range", "Reaches rated RPM at wide-open throttle",
		"Shifts smoothly into forward and reverse",
		"Steering and trim tabs operate through full range", "No unusual vibration or noise",
		"Navigation electronics operate", "Bilges dry after the trial")
	p.Fields(pdf.Field{Name: "Remarks"}, pdf.Field{Name: ""})
	p.Paragraph("The buyer has sea trialed the vessel and accepts it, subject to the remarks above.")
}

func deliveryChecklist(p *pdf.Page, f facts) {
	parties(p, f)
	vessel(p, f)
	p.Heading("Documents delivered")
	p.Checklist("Bill of sale", "Title, MSO or Coast Guard documentation", "Registration and validation decals",
		"Warranty registration and manuals", "Proof of insurance", "Trailer registration")
	p.Heading("Equipment on board")
	p.Checklist("Life jackets for all passengers", "Throwable flotation device", "Fire extinguishers, not expired", "Visual distress signals",
		"Sound-producing device", "Navigation lights checked",
		"Anchor and rode", "Dock lines and fenders")
	p.Heading("Reviewed with the buyer")
	p.Checklist("Starting, stopping and breaking in the engine", "Fuel system and ventilation", "Batteries and switches",
		"Bilge pumps and seacocks", "Electronics", "Trailer, lights and tie-downs",
		"Maintenance schedule", "Capacity plate and safe loading")
	p.Fields(pdf.Field{Name: "Engine hours"}, pdf.Field{Name: "Fuel level"}, pdf.Field{Name: "Keys delivered"},
		pdf.Field{Name: "Delivery date"})
	p.Paragraph("The buyer has received the vessel and the items checked above.")
}

func dueBill(p *pdf.Page, f facts) {
	parties(p, f)
	vessel(p, f)
	p.Heading("We owe")
	var rows [][]string
	for i, l := range f.lines {
		due := ""
		if l.DueOn != nil {
			due = formatDate(*l.DueOn)
		}
		rows = append(rows, []string{fmt.Sprint(i + 1), l.Description, due})
	}
	for i := len(rows); len(f.lines) == 0 && i < 8; i++ { // to fill in by hand
		rows = append(rows, []string{fmt.Sprint(i + 1), "", ""})
	}
	p.Table([]pdf.Column{{Name: "No.", Share: 1}, {Name: "Part or service", Share: 8}, {Name: "Due by", Share: 3}}, pdf.Rows{Rows: rows})
	p.Paragraph("The dealer owes the buyer only the items listed above. The dealer has made no other promises.")
}

func survey(p *pdf.Page, f facts) {
	parties(p, f)
	vessel(p, f)
	p.Heading("Survey")
	p.Fields(pdf.Field{Name: "Surveyor"}, pdf.Field{Name: "Accreditation"}, pdf.Field{Name: "Survey date"}, pdf.Field{Name: "Location"},
		pdf.Field{Name: "Fair market value"}, pdf.Field{Name: "Report number"})
	p.Checklist("Hauled out and hull sounded", "Moisture readings taken", "Engines surveyed separately", "Sea trial attended",
		"Recommendations received", "Accepted by the insurer")
	p.Paragraph("The buyer has received the surveyor's report and accepts the vessel, subject to the recommendations in the report.")
}

func insuranceBinder(p *pdf.Page, f facts) {
	parties(p, f)
	vessel(p, f)
	p.Heading("Coverage")
	p.Fields(
		pdf.Field{Name: "Insurer"}, pdf.Field{Name: "Policy or binder number"},
		pdf.Field{Name: "Agent name and phone"}, pdf.Field{Name: "Effective date"},
		pdf.Field{Name: "Minimum agreed value", Value: money.Format(f.deal.Totals.PriceCents)}, pdf.Field{Name: "Loss payee", Value: f.payee()},
		pdf.Field{Name: "Deductible"}, pdf.Field{Name: "Navigation limits"},
	)
	p.Paragraph("The buyer agrees to keep the vessel insured from delivery for at least the value above, " +
		"with the loss payee named on the policy.")
}

// payee returns the loss payee of the insurance.
func (f facts) payee() string {
	if f.structure == nil && f.funding == nil {
		return "None"
	}
	return f.lender()
}
