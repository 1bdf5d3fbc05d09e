package documents

import (
	"fmt"

	"slipway/internal/deals"
	"slipway/internal/hulls"
	"slipway/internal/platform/pdf"
	"slipway/internal/vocab/money"
)

func powerOfAttorney(p *pdf.Page, f facts) {
	p.Paragraph(fmt.Sprintf("The undersigned appoints %s as attorney-in-fact for the vessel described below, "+
		"limited to the powers listed in this document.", f.seller()))
	vessel(p, f)
	p.Heading("Powers")
	p.Clauses(
		pdf.Clause{Text: "To apply for the title, registration, registration numbers and validation decals of the vessel and its trailer."},
		pdf.Clause{Text: "To apply for, exchange or delete Coast Guard documentation of the vessel."},
		pdf.Clause{Text: "To assign the title of a trade-in and to obtain its payoff amount and lien release."},
		pdf.Clause{Text: "To correct clerical errors in these documents."},
	)
	p.Paragraph("This power of attorney ends when these acts are complete or when it is revoked in writing, whichever comes first.")
	p.Heading("Principal")
	people(p, f, "Name", "Name")
	acknowledgment(p)
}

// owners lists the new owners and the lienholder.
func owners(p *pdf.Page, f facts) {
	p.Heading("Owner")
	p.Fields(
		pdf.Field{Name: "Name", Value: nameOf(f.buyer)}, pdf.Field{Name: "Address", Value: addressOf(f.buyer)},
		pdf.Field{Name: "Phone", Value: phoneOf(f.buyer)}, pdf.Field{Name: "Date of birth"},
	)
	if f.coBuyer != nil {
		p.Fields(
			pdf.Field{Name: "Co-owner", Value: nameOf(*f.coBuyer)}, pdf.Field{Name: "Address", Value: addressOf(*f.coBuyer)},
			pdf.Field{Name: "Phone", Value: phoneOf(*f.coBuyer)}, pdf.Field{Name: "Date of birth"},
		)
	}
	p.Heading("Lien")
	if f.structure == nil && f.funding == nil {
		p.Paragraph("None.")
		return
	}
	p.Fields(pdf.Field{Name: "Lienholder", Value: f.lender()}, pdf.Field{Name: "Amount", Value: money.Format(f.lentCents())})
}

func titleApplication(p *pdf.Page, f facts) {
	p.Paragraph("Application for a certificate of title.")
	specifiedVessel(p, f)
	owners(p, f)
	p.Heading("Purchase")
	p.Fields(
		pdf.Field{Name: "Seller", Value: f.sellerName()}, pdf.Field{Name: "Purchase date", Value: f.today.Format("January 2, 2006")},
		pdf.Field{Name: "Purchase price", Value: money.Format(f.considerationCents())},
		pdf.Field{Name: "Sales tax", Value: money.Format(f.deal.Totals.TaxCents)},
	)
	p.Paragraph("The applicant certifies that the information above is true and that the vessel is free of liens other than the one stated " +
		"above.")
}

func registrationApplication(p *pdf.Page, f facts) {
	p.Paragraph("Application for registration and validation decals.")
	specifiedVessel(p, f)
	owners(p, f)
	p.Heading("Use")
	p.Checklist("Pleasure", "Livery or rental", "Commercial fishing", "Commercial passenger", "Dealer demonstration", "Other")
	p.Fields(pdf.Field{Name: "Waters of principal use"}, pdf.Field{Name: "Registration number, if renewal"})
}

func payoffAuthorization(p *pdf.Page, f facts) {
	p.Paragraph("The owner of the trade-in below authorizes the lienholder to provide the payoff amount to the dealer, " +
		"to accept payment from the dealer, and to send the title and lien release to the dealer.")
	payoffTable(p, f)
	p.Heading("Owner")
	people(p, f, "Name", "Co-owner")
	p.Fields(
		pdf.Field{Name: "Account number"}, pdf.Field{Name: "Payoff valid through", Value: payoffDate(f.trades)})
	p.Paragraph("If the payoff is higher than stated above, the owner will pay the difference.")
}

// payoffDate returns how long the payoffs are valid, and what later days cost.
func payoffDate(trades []deals.TradeIn) string {
	var lines []string
	for _, t := range trades {
		if t.PayoffGoodThroughOn == nil {
			continue
		}
		line := formatDate(*t.PayoffGoodThroughOn)
		if t.PerDiemCents != nil {
			line += ", then " + money.Format(*t.PerDiemCents) + " per day"
		}
		lines = append(lines, line)
	}
	return pdf.Lines(lines...)
}

func tradeTitle(p *pdf.Page, f facts) {
	p.Paragraph("The owner transfers the trade-in below and its title to the dealer as part of the purchase of another vessel.")
	p.Heading("Parties")
	all := []pdf.Field{{Name: "Owner, who transfers the trade-in", Value: reach(f.buyer)}}
	if f.coBuyer != nil {
		all = append(all, pdf.Field{Name: "Co-owner, who transfers the trade-in", Value: reach(*f.coBuyer)})
	}
	p.Columns(append(all, pdf.Field{Name: "Dealer, who receives the trade-in", Value: f.dealerAddress()})...)
	tradeTable(p, f)
	p.Paragraph("The owner warrants good title, free of all liens other than those stated above, " +
		"and that no equipment has been replaced or removed since the dealer inspected the vessel.")
}

// mso assigns a manufacturer's statement of origin. The original is attached to
// the document.
func mso(p *pdf.Page, f facts, part string, fields ...pdf.Field) {
	p.Paragraph(fmt.Sprintf("The dealer assigns the manufacturer's statement of origin (MSO) for the %s to the first retail buyer. The "+
		"original MSO is attached.", part))
	parties(p, f)
	specifiedHull(p, f)
	p.Heading("Manufacturer's statement of origin")
	p.Fields(fields...)
	p.Heading("Lien")
	p.Paragraph(f.payee())
}

func msoBoat(p *pdf.Page, f facts) {
	mso(p, f, "boat", pdf.Field{Name: "Manufacturer", Value: f.hull.Make}, pdf.Field{Name: "HIN", Value: f.hin()},
		pdf.Field{Name: "MSO number"}, pdf.Field{Name: "MSO date"})
}

// msoEngine has the fields of each engine, or blank ones if the engines are unknown.
func msoEngine(p *pdf.Page, f facts) {
	all := f.engines()
	if len(all) == 0 {
		all = []hulls.SpecEngine{{}}
	}
	var fields []pdf.Field
	for _, e := range all {
		fields = append(fields, pdf.Field{Name: "Manufacturer and model", Value: engineName(e)},
			pdf.Field{Name: "Serial number", Value: or(e.Serial, "")}, pdf.Field{Name: "Horsepower", Value: number(e.HP)},
			pdf.Field{Name: "MSO number and date"})
	}
	mso(p, f, "engine", fields...)
}

func msoTrailer(p *pdf.Page, f facts) {
	mso(p, f, "trailer", append(trailerFields(f.trailer())[:2], pdf.Field{Name: "GVWR"}, pdf.Field{Name: "MSO number and date"})...)
}

// trailer returns the trailer. All fields are empty if it is unknown.
func (f facts) trailer() hulls.SpecTrailer {
	if f.specs.Trailer == nil {
		return hulls.SpecTrailer{}
	}
	return *f.specs.Trailer
}

func odometer(p *pdf.Page, f facts) {
	p.Paragraph("Vessels do not have odometers, " +
		"and federal odometer disclosure rules do not apply to them. This statement is for the trailer, in states that require one.")
	parties(p, f)
	vessel(p, f)
	p.Heading("Trailer")
	p.Fields(append(trailerFields(f.trailer())[:2], pdf.Field{Name: "Hub odometer reading, if any"}, pdf.Field{Name: "Date"})...)
}

func documentationApplication(p *pdf.Page, f facts) {
	p.Paragraph("Information for form CG-1258, Application for Initial Issue, " +
		"Exchange or Replacement of Certificate of Documentation. File the form itself with the National Vessel Documentation Center.")
	specifiedVessel(p, f)
	owners(p, f)
	p.Heading("Documentation")
	p.Fields(pdf.Field{Name: "Vessel name"}, pdf.Field{Name: "Official number, if any"}, pdf.Field{Name: "Hailing port"},
		pdf.Field{Name: "Managing owner", Value: nameOf(f.buyer)})
	p.Checklist("Recreational endorsement", "Coastwise endorsement", "Fishery endorsement", "Registry endorsement")
	p.Paragraph("The applicant certifies that the owner is a citizen of the United States as defined in 46 CFR Part 67.")
}

func buildersCertification(p *pdf.Page, f facts) {
	p.Paragraph("Information for form CG-1261, Builder's Certification and First Transfer of Title, which the builder signs.")
	vessel(p, f)
	p.Heading("Builder and first transfer")
	p.Fields(
		pdf.Field{Name: "Builder", Value: f.hull.Make}, pdf.Field{Name: "Place of build"},
		pdf.Field{Name: "Year of build", Value: f.yearBuilt()}, pdf.Field{Name: "Hull material", Value: words(f.specs.HullMaterial)},
		pdf.Field{Name: "Person for whom built", Value: f.seller()}, pdf.Field{Name: "Transferred to", Value: f.buyers()},
	)
}

func coastGuardBillOfSale(p *pdf.Page, f facts) {
	p.Paragraph("Information for form CG-1340, Bill of Sale, " +
		"in the order of the form. The form itself must be notarized and filed with the National Vessel Documentation Center.")
	p.Heading("1–3. Vessel")
	p.Fields(
		pdf.Field{Name: "1. Vessel name"}, pdf.Field{Name: "2. Official number or HIN", Value: f.hin()},
		pdf.Field{Name: "Year, make and model", Value: f.boat()},
		pdf.Field{Name: "Length overall", Value: fmt.Sprintf("%.2f ft", f.hull.LengthFt)},
	)
	p.Heading("4. Seller")

	p.Fields(pdf.Field{Name: "Name and address", Value: f.titleHolder()}, pdf.Field{Name: "Interest owned", Value: "100%"})
	p.Heading("5. Buyer")
	buyers := pdf.Lines(nameOf(f.buyer), addressOf(f.buyer))
	share := "Sole owner: 100%"
	if f.coBuyer != nil {
		buyers, share = pdf.Lines(buyers, "and", nameOf(*f.coBuyer), addressOf(*f.coBuyer)), "Joint owners: 100%"
	}

	p.Fields(pdf.Field{Name: "Names and addresses", Value: buyers}, pdf.Field{Name: "Interest transferred", Value: share})
	p.Heading("6–8. Consideration and warranties")
	p.Fields(
		pdf.Field{Name: "Consideration", Value: money.Format(f.considerationCents())},
		pdf.Field{Name: "Warranties and exceptions", Value: "Free of liens and encumbrances, with all appurtenances"},
	)
	p.Heading("9. Acknowledgment")
	p.Paragraph("State of ____________________   County of ____________________   Date ____________________")
	p.Fields(pdf.Field{Name: "Notary public"}, pdf.Field{Name: "Commission expires"})
}

// exemptionAffidavit states why the buyer doesn't pay a tax.
func exemptionAffidavit(p *pdf.Page, f facts) {
	p.Paragraph(affidavitText)
	parties(p, f)
	vessel(p, f)
	p.Heading("Exemption")
	p.Table([]pdf.Column{{Name: "Tax", Share: 4}, {Name: "Reason", Share: 6}}, pdf.Rows{Rows: f.exemptions()})
	p.Fields(
		pdf.Field{Name: "Purchase price", Value: money.Format(f.considerationCents())},
		pdf.Field{Name: "State of residence", Value: f.buyerRegion()},
		pdf.Field{Name: "Place where the vessel will be kept"}, pdf.Field{Name: "Date of removal from the state"},
	)
	p.Paragraph(affidavitDuties)
	acknowledgment(p)
}

// exemptions returns the taxes that the deal is exempt from, and why.
func (f facts) exemptions() (rows [][]string) {
	for _, t := range f.deal.Taxes {
		if t.ExemptReason != nil {
			rows = append(rows, []string{t.Name, *t.ExemptReason})
		}
	}
	return rows
}

func (f facts) buyerRegion() string {
	if f.buyer.Address == nil {
		return ""
	}
	return or(f.buyer.Address.Region, "")
}
