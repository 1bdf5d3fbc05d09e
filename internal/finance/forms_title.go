package finance

import (
	"fmt"

	"slipway/internal/money"
	"slipway/internal/paper"
)

func powerOfAttorney(p *paper.Page, f facts) {
	p.Paragraph(fmt.Sprintf("The undersigned appoints %s as attorney in fact, for the vessel described below and only for the following acts:", f.seller()))
	vessel(p, f)
	p.Heading("Powers")
	p.Clauses(
		paper.Clause{Text: "To apply for title, registration, validation decals and numbers of the vessel and its trailer."},
		paper.Clause{Text: "To apply for Coast Guard documentation, its exchange or its deletion."},
		paper.Clause{Text: "To sign over the title of a vessel given in trade and to receive its payoff and lien release."},
		paper.Clause{Text: "To correct clerical errors in these papers."},
	)
	p.Paragraph("The power ends when these acts are done, or earlier by a revocation in writing.")
	p.Heading("Principal")
	p.Fields(paper.Field{Name: "Name", Value: nameOf(f.buyer)}, paper.Field{Name: "Address", Value: homeOf(f.buyer)})
	p.Heading("Acknowledgment")
	p.Paragraph("State of ____________________   County of ____________________")
	p.Paragraph("On this ______ day of ____________________, 20____, the persons who signed below appeared before me and acknowledged that they signed this document.")
	p.Fields(paper.Field{Name: "Notary public"}, paper.Field{Name: "Commission expires"})
}

// owners is who owns the vessel from now on, and whom it is pledged to.
func owners(p *paper.Page, f facts) {
	p.Heading("Owner")
	p.Fields(
		paper.Field{Name: "Name", Value: nameOf(f.buyer)}, paper.Field{Name: "Address", Value: homeOf(f.buyer)},
		paper.Field{Name: "Phone", Value: or(f.buyer.Phone, "")}, paper.Field{Name: "Date of birth"},
	)
	if f.coBuyer != nil {
		p.Fields(paper.Field{Name: "Co-owner", Value: nameOf(*f.coBuyer)}, paper.Field{Name: "Address", Value: homeOf(*f.coBuyer)})
	}
	p.Heading("Lien")
	if f.structure == nil {
		p.Paragraph("None.")
		return
	}
	p.Fields(paper.Field{Name: "Lienholder", Value: or(f.structure.Lender, "")}, paper.Field{Name: "Amount", Value: money.Format(f.structure.AmountFinancedCents)})
}

func titleApplication(p *paper.Page, f facts) {
	p.Paragraph("Application for a certificate of title.")
	vessel(p, f)
	owners(p, f)
	p.Heading("Purchase")
	p.Fields(
		paper.Field{Name: "Seller", Value: f.seller()}, paper.Field{Name: "Date of purchase", Value: f.today.Format("January 2, 2006")},
		paper.Field{Name: "Purchase price", Value: money.Format(f.deal.Totals.PriceCents)}, paper.Field{Name: "Sales tax", Value: money.Format(f.deal.Totals.TaxCents)},
	)
	p.Paragraph("The applicant declares that the above is true and that the vessel is subject to no lien other than that stated.")
}

func registrationApplication(p *paper.Page, f facts) {
	p.Paragraph("Application for registration and validation decals.")
	vessel(p, f)
	owners(p, f)
	p.Heading("Use")
	p.Checklist("Pleasure", "Livery or rental", "Commercial fishing", "Commercial passenger", "Dealer demonstration", "Other")
	p.Fields(paper.Field{Name: "Waters of principal use"}, paper.Field{Name: "Registration number, if renewed"}, paper.Field{Name: "Propulsion"}, paper.Field{Name: "Fuel"})
}

func payoffAuthorization(p *paper.Page, f facts) {
	p.Paragraph("The owner of the vessels below authorizes the lienholder to tell the dealer the payoff, to accept payment of it from the dealer, and to send the title and lien release to the dealer.")
	tradeTable(p, f)
	p.Heading("Owner")
	p.Fields(paper.Field{Name: "Name", Value: nameOf(f.buyer)}, paper.Field{Name: "Address", Value: homeOf(f.buyer)}, paper.Field{Name: "Account number"}, paper.Field{Name: "Payoff good through"})
	p.Paragraph("If the payoff is higher than stated above, the owner pays the difference.")
}

func tradeTitle(p *paper.Page, f facts) {
	p.Paragraph("The owner assigns the vessels below and their titles to the dealer, as part of the purchase of another vessel.")
	parties(p, f)
	tradeTable(p, f)
	p.Paragraph("The owner warrants good title, free of liens other than those stated, and that no part has been exchanged since the last survey shown to the dealer.")
}

// mso is the assignment of a manufacturer's statement of origin, whose original
// is attached.
func mso(p *paper.Page, f facts, part string, fields ...paper.Field) {
	p.Paragraph(fmt.Sprintf("The dealer assigns the manufacturer's statement of origin of the %s, the original of which is attached, to the first retail buyer.", part))
	parties(p, f)
	vessel(p, f)
	p.Heading("Statement of origin")
	p.Fields(fields...)
	p.Heading("Lien")
	p.Paragraph(f.payee())
}

func msoBoat(p *paper.Page, f facts) {
	mso(p, f, "boat", paper.Field{Name: "Manufacturer", Value: f.hull.Make}, paper.Field{Name: "HIN", Value: f.number()}, paper.Field{Name: "MSO number"}, paper.Field{Name: "MSO date"})
}

func msoEngine(p *paper.Page, f facts) {
	mso(p, f, "engine", paper.Field{Name: "Manufacturer and model"}, paper.Field{Name: "Serial number"}, paper.Field{Name: "Horsepower"}, paper.Field{Name: "MSO number and date"})
}

func msoTrailer(p *paper.Page, f facts) {
	mso(p, f, "trailer", paper.Field{Name: "Manufacturer and model"}, paper.Field{Name: "VIN"}, paper.Field{Name: "GVWR"}, paper.Field{Name: "MSO number and date"})
}

func odometer(p *paper.Page, f facts) {
	p.Paragraph("A vessel has no odometer, and the federal odometer rules do not apply to it. This statement is for a trailer, in states that ask for one.")
	parties(p, f)
	vessel(p, f)
	p.Heading("Trailer")
	p.Fields(paper.Field{Name: "Make and model"}, paper.Field{Name: "VIN"}, paper.Field{Name: "Reading of the hub odometer, if any"}, paper.Field{Name: "Date"})
}

func documentationApplication(p *paper.Page, f facts) {
	p.Paragraph("What the deal says for form CG-1258, Application for Initial Issue, Exchange or Replacement of Certificate of Documentation. The form itself is filed with the National Vessel Documentation Center.")
	vessel(p, f)
	owners(p, f)
	p.Heading("Documentation")
	p.Fields(paper.Field{Name: "Vessel's name"}, paper.Field{Name: "Official number, if any"}, paper.Field{Name: "Hailing port"}, paper.Field{Name: "Managing owner", Value: nameOf(f.buyer)})
	p.Checklist("Recreational endorsement", "Coastwise endorsement", "Fishery endorsement", "Registry endorsement")
	p.Paragraph("The applicant declares to be a citizen of the United States as defined in 46 CFR part 67.")
}

func buildersCertification(p *paper.Page, f facts) {
	p.Paragraph("What the deal says for form CG-1261, Builder's Certification and First Transfer of Title, which the builder signs. A certification older than two years needs further evidence of title.")
	vessel(p, f)
	p.Heading("Builder and first transfer")
	p.Fields(
		paper.Field{Name: "Builder", Value: f.hull.Make}, paper.Field{Name: "Place built"},
		paper.Field{Name: "Year built", Value: fmt.Sprint(f.hull.Year)}, paper.Field{Name: "Hull material"},
		paper.Field{Name: "Person for whom built", Value: f.seller()}, paper.Field{Name: "Transferred to", Value: nameOf(f.buyer)},
	)
}

func coastGuardBillOfSale(p *paper.Page, f facts) {
	p.Paragraph("What the deal says for form CG-1340, Bill of Sale, section by section. The form itself is notarized and filed with the National Vessel Documentation Center.")
	p.Heading("1 to 3. Vessel")
	p.Fields(
		paper.Field{Name: "1. Vessel's name"}, paper.Field{Name: "2. Official number or HIN", Value: f.number()},
		paper.Field{Name: "Year, make and model", Value: f.boat()}, paper.Field{Name: "Length overall", Value: fmt.Sprintf("%.2f ft", f.hull.LengthFt)},
	)
	p.Heading("4. Seller")
	p.Fields(paper.Field{Name: "Name and address", Value: paper.Lines(append([]string{f.seller()}, f.letterhead()...)...)}, paper.Field{Name: "Interest owned", Value: "100%"})
	p.Heading("5. Buyer")
	buyers := paper.Lines(nameOf(f.buyer), homeOf(f.buyer))
	share := "Sole owner: 100%"
	if f.coBuyer != nil {
		buyers, share = paper.Lines(buyers, "and", nameOf(*f.coBuyer), homeOf(*f.coBuyer)), "Owners together: 100%"
	}
	p.Fields(paper.Field{Name: "Names and addresses", Value: buyers}, paper.Field{Name: "Interest transferred", Value: share})
	p.Heading("6 to 8. Consideration and warranties")
	p.Fields(paper.Field{Name: "Consideration", Value: money.Format(f.deal.Totals.PriceCents)}, paper.Field{Name: "Warranties and exceptions", Value: "Free of liens and encumbrances, with all appurtenances"})
	p.Heading("9. Acknowledgment")
	p.Paragraph("State of ____________________   County of ____________________   Date ____________________")
	p.Fields(paper.Field{Name: "Notary public"}, paper.Field{Name: "Commission expires"})
}
