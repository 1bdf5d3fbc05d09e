package documents

import (
	"fmt"

	"slipway/internal/platform/pdf"
	"slipway/internal/vocab/money"
)

func purchaseAgreement(p *pdf.Page, f facts) {
	p.Paragraph("The seller sells and the buyer buys the vessel described below, for the price and on the terms of this agreement.")
	parties(p, f)
	vessel(p, f)
	tradeTable(p, f)
	figures(p, f)
	if f.structure != nil {
		p.Heading("Financing")
		p.Paragraph(fmt.Sprintf("The buyer intends to finance %s over %d months at an annual percentage rate of %s%%, in monthly payments of %s.",
			money.Format(f.structure.AmountFinancedCents), f.structure.TermMonths, f.structure.APRPercent, money.Format(f.structure.PaymentCents)))
	}
	p.Heading("Terms")
	p.Clauses(
		pdf.Clause{Name: "Payment", Text: "The balance due is payable before or at delivery. A check or draft counts as payment when it has been honored."},
		pdf.Clause{Name: "Title", Text: "The seller has good title to the vessel, free of liens except those that are paid off from the price. Title and risk pass to the buyer on delivery and full payment."},
		pdf.Clause{Name: "Trade-in", Text: "The buyer warrants good title to the vessel given in trade and that what is owed on it is no more than stated above. If the payoff proves higher, the buyer pays the difference."},
		pdf.Clause{Name: "Condition", Text: conditionClause(f.hull.Condition)},
		pdf.Clause{Name: "Inspection", Text: "The buyer may have the vessel surveyed and tried at sea, at the buyer's expense, before accepting delivery."},
		pdf.Clause{Name: "Cancellation", Text: "If the buyer does not complete the purchase for a reason for which the seller is not responsible, the seller may keep the deposit to the extent that the law allows."},
		pdf.Clause{Name: "Insurance", Text: "From delivery on the buyer insures the vessel; where it is financed, in favor of the lender."},
		pdf.Clause{Name: "Whole agreement", Text: "This document, together with what it refers to, is the whole agreement. A change is valid only in writing and signed by both."},
	)
}

func conditionClause(condition string) string {
	if condition == "new" {
		return "The vessel is new. It is covered by the manufacturer's written warranties, which are handed to the buyer; the seller gives no other warranty except those that the law does not allow to be excluded."
	}
	return "The vessel is used and sold as is, with all faults, without warranty by the seller except those that the law does not allow to be excluded."
}

func buyersOrder(p *pdf.Page, f facts) {
	p.Paragraph("The buyer orders the vessel described below. The order becomes binding when the seller has signed it.")
	parties(p, f)
	vessel(p, f)
	tradeTable(p, f)
	figures(p, f)
	p.Note("This order is no contract of credit. Where the purchase depends on financing, it ends without obligation if no lender approves the buyer on terms that the buyer accepts.")
}

func depositReceipt(p *pdf.Page, f facts) {
	p.Paragraph(fmt.Sprintf("%s has received the payments listed below from %s towards the purchase of the vessel.", f.seller(), nameOf(f.buyer)))
	vessel(p, f)
	receipts(p, f)
	p.Fields(
		pdf.Field{Name: "Total of the purchase", Value: money.Format(f.deal.Totals.TotalCents)},
		pdf.Field{Name: "Balance due", Value: money.Format(f.deal.Totals.BalanceDueCents)},
	)
	p.Note("The deposit is applied to the price. What becomes of it if the purchase is not completed is set out in the purchase agreement.")
}

func billOfSale(p *pdf.Page, f facts) {
	p.Paragraph(fmt.Sprintf("For %s, the receipt of which the seller acknowledges to the extent paid, the seller sells, transfers and delivers the vessel described below to the buyer, to have and to hold for ever.",
		money.Format(f.deal.Totals.PriceCents)))
	parties(p, f)
	vessel(p, f)
	figures(p, f)
	p.Heading("Warranty of title")
	p.Paragraph("The seller warrants to be the lawful owner of the vessel, to have the right to sell it, and to defend its title against the lawful claims of all persons.")
	p.Heading("Acknowledgment")
	p.Paragraph("State of ____________________   County of ____________________")
	p.Paragraph("On this ______ day of ____________________, 20____, the persons who signed below appeared before me and acknowledged that they signed this document.")
	p.Fields(pdf.Field{Name: "Notary public"}, pdf.Field{Name: "Commission expires"})
}

func seaTrial(p *pdf.Page, f facts) {
	parties(p, f)
	vessel(p, f)
	p.Heading("Sea trial")
	p.Fields(pdf.Field{Name: "Date"}, pdf.Field{Name: "Place"}, pdf.Field{Name: "Engine hours at start"}, pdf.Field{Name: "Engine hours at end"})
	p.Checklist("Engines start cold and warm", "Oil pressure and temperature within range", "Reaches rated RPM at wide-open throttle", "Shifts smoothly ahead and astern",
		"Steering and trim tabs work through full travel", "No unusual vibration or noise", "Navigation electronics work", "Bilges dry after the run")
	p.Fields(pdf.Field{Name: "Remarks"}, pdf.Field{Name: ""})
	p.Paragraph("The buyer has tried the vessel at sea and accepts it, subject to the remarks above.")
}

func deliveryChecklist(p *pdf.Page, f facts) {
	parties(p, f)
	vessel(p, f)
	p.Heading("Papers handed over")
	p.Checklist("Bill of sale", "Title, MSO or Coast Guard papers", "Registration and validation decals", "Warranty registration and manuals", "Proof of insurance", "Trailer registration")
	p.Heading("Equipment on board")
	p.Checklist("Life jackets for all persons", "Throwable flotation device", "Fire extinguishers, in date", "Visual distress signals", "Sound signal", "Navigation lights checked",
		"Anchor and rode", "Dock lines and fenders")
	p.Heading("Explained to the buyer")
	p.Checklist("Engine start, stop and break-in", "Fuel system and ventilation", "Batteries and switches", "Bilge pumps and seacocks", "Electronics", "Trailer, lights and tie-downs",
		"Maintenance schedule", "Capacity plate and safe loading")
	p.Fields(pdf.Field{Name: "Engine hours"}, pdf.Field{Name: "Fuel level"}, pdf.Field{Name: "Keys handed over"}, pdf.Field{Name: "Delivered on"})
	p.Paragraph("The buyer has received the vessel with what is ticked above.")
}

func dueBill(p *pdf.Page, f facts) {
	parties(p, f)
	vessel(p, f)
	p.Heading("Owed to the buyer")
	var rows [][]string
	for i := range 8 {
		rows = append(rows, []string{fmt.Sprint(i + 1), "", ""})
	}
	p.Table([]pdf.Column{{Name: "No.", Share: 1}, {Name: "Part or work", Share: 8}, {Name: "Due by", Share: 3}}, rows, nil)
	p.Paragraph("The seller owes the buyer what is listed above. Nothing else has been promised.")
}

func survey(p *pdf.Page, f facts) {
	parties(p, f)
	vessel(p, f)
	p.Heading("Survey")
	p.Fields(pdf.Field{Name: "Surveyor"}, pdf.Field{Name: "Accreditation"}, pdf.Field{Name: "Date of survey"}, pdf.Field{Name: "Place"},
		pdf.Field{Name: "Fair market value"}, pdf.Field{Name: "Report number"})
	p.Checklist("Hauled out and sounded", "Moisture readings taken", "Engines surveyed separately", "Sea trial attended", "Recommendations received", "Accepted by the insurer")
	p.Paragraph("The buyer has received the surveyor's report and accepts the vessel, subject to the recommendations listed in it.")
}

func insuranceBinder(p *pdf.Page, f facts) {
	parties(p, f)
	vessel(p, f)
	p.Heading("Coverage")
	p.Fields(
		pdf.Field{Name: "Insurer"}, pdf.Field{Name: "Policy or binder number"},
		pdf.Field{Name: "Agent and phone"}, pdf.Field{Name: "Effective on"},
		pdf.Field{Name: "Agreed value, at least", Value: money.Format(f.deal.Totals.PriceCents)}, pdf.Field{Name: "Loss payee", Value: f.payee()},
		pdf.Field{Name: "Deductible"}, pdf.Field{Name: "Navigation limits"},
	)
	p.Paragraph("The buyer agrees to keep the vessel insured for at least the value above, with the loss payee named, from delivery on.")
}

// payee is whom the insurance pays first.
func (f facts) payee() string {
	if f.structure == nil {
		return "None"
	}
	return or(f.structure.Lender, "")
}
