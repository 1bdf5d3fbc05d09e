package documents

import (
	"fmt"
	"strings"
	"time"

	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/deals"
	"slipway/internal/finance"
	"slipway/internal/hulls"
	"slipway/internal/platform/pdf"
	"slipway/internal/vocab/money"
)

// facts are all that a document may say about a deal.
type facts struct {
	company   dealership.Dealership
	location  dealership.Location
	deal      deals.Deal
	hull      hulls.Hull
	buyer     contacts.Contact
	coBuyer   *contacts.Contact
	trades    []deals.TradeIn
	payments  []finance.Payment
	structure *finance.FinanceStructure // the selected one
	today     time.Time                 // where the dealership is
}

// seller is the dealership's name in law.
func (f facts) seller() string {
	if f.company.LegalName != nil {
		return *f.company.LegalName
	}
	return f.company.Name
}

// letterhead is where the dealership is, line by line.
func (f facts) letterhead() []string {
	a := f.location.Address
	if a == nil {
		a = f.company.PostalAddress
	}
	var lines []string
	if a != nil {
		lines = append(lines, a.Line1)
		if a.Line2 != nil {
			lines = append(lines, *a.Line2)
		}
		lines = append(lines, place(a.City, a.Region, a.PostalCode))
	}
	if f.location.Phone != nil {
		lines = append(lines, *f.location.Phone)
	}
	return lines
}

func place(city string, region, postalCode *string) string {
	text := city
	if r := or(region, ""); r != "" && text != "" {
		text += ", " + r
	} else {
		text += r
	}
	return strings.TrimSpace(text + " " + or(postalCode, ""))
}

func or(s *string, otherwise string) string {
	if s == nil || *s == "" {
		return otherwise
	}
	return *s
}

// homeOf is where a contact lives, in lines.
func homeOf(c contacts.Contact) string {
	if c.Address == nil {
		return ""
	}
	a := *c.Address
	return pdf.Lines(or(a.Line1, ""), or(a.Line2, ""), place(or(a.City, ""), a.Region, a.PostalCode), abroad(a.Country))
}

// abroad names a country that is not the one at home.
func abroad(country *string) string {
	if c := or(country, "US"); c != "US" {
		return c
	}
	return ""
}

// nameOf is what a contact signs as.
func nameOf(c contacts.Contact) string {
	if name := c.Name(); name != "" {
		return name
	}
	return or(c.Email, c.ID)
}

// boat is the vessel in one line.
func (f facts) boat() string { return fmt.Sprintf("%d %s %s", f.hull.Year, f.hull.Make, f.hull.Model) }

// number is the vessel's HIN, or why it has none.
func (f facts) number() string {
	switch or(f.hull.HINAbsentReason, "") {
	case "pre_1972":
		return "None (built before 1972)"
	case "":
		return or(f.hull.HIN, "Not yet assigned")
	}
	return "Not yet assigned"
}

// dayOf writes a date as people here do.
func dayOf(date string) string {
	d, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return d.Format("Jan 2, 2006")
}

func tradeName(t deals.TradeIn) string {
	var parts []string
	if t.Year != nil {
		parts = append(parts, fmt.Sprint(*t.Year))
	}
	name := strings.TrimSpace(strings.Join(append(parts, or(t.Make, ""), or(t.Model, "")), " "))
	if name == "" {
		return or(t.Description, "Trade-in")
	}
	return name
}

// signers are those who sign, by name as far as they are known.
func (f facts) signers(required []SignerRole) []pdf.Signer {
	var all []pdf.Signer
	for _, r := range required {
		switch r {
		case ByBuyer:
			all = append(all, pdf.Signer{Name: nameOf(f.buyer), Role: "Buyer"})
		case ByCoBuyer:
			all = append(all, pdf.Signer{Name: nameOf(*f.coBuyer), Role: "Co-buyer"})
		case ByDealer:
			all = append(all, pdf.Signer{Name: f.seller(), Role: "Dealer, by its authorized representative"})
		case ByLender:
			all = append(all, pdf.Signer{Name: f.lender(), Role: "Lender, by its authorized representative"})
		}
	}
	return all
}

func (f facts) lender() string {
	if f.structure == nil {
		return "Lender"
	}
	return or(f.structure.Lender, "Lender")
}

// set makes the PDF.
func (f facts) set(d Document) (content []byte, pages int, err error) {
	head := pdf.Head{Issuer: f.company.Name, Address: f.letterhead(), Title: d.Title, Number: d.ID, Issued: f.today}
	return pdf.Set(head, func(p *pdf.Page) {
		forms[d.Kind].write(p, f)
		if len(d.RequiredSigners) > 0 {
			p.Signatures(f.signers(d.RequiredSigners)...)
		}
	})
}

// ---- sections that several documents share ------------------------------------

func parties(p *pdf.Page, f facts) {
	p.Heading("Parties")
	p.Fields(
		pdf.Field{Name: "Seller", Value: pdf.Lines(append([]string{f.seller()}, f.letterhead()...)...)},
		pdf.Field{Name: "Buyer", Value: pdf.Lines(nameOf(f.buyer), homeOf(f.buyer), or(f.buyer.Phone, ""), or(f.buyer.Email, ""))},
	)
	if f.coBuyer != nil {
		p.Fields(pdf.Field{Name: "Co-buyer", Value: pdf.Lines(nameOf(*f.coBuyer), homeOf(*f.coBuyer), or(f.coBuyer.Phone, ""), or(f.coBuyer.Email, ""))})
	}
}

func vessel(p *pdf.Page, f facts) {
	p.Heading("Vessel")
	p.Fields(
		pdf.Field{Name: "Year, make and model", Value: f.boat()},
		pdf.Field{Name: "Hull identification number (HIN)", Value: f.number()},
		pdf.Field{Name: "Length overall", Value: fmt.Sprintf("%.2f ft", f.hull.LengthFt)},
		pdf.Field{Name: "Condition", Value: strings.ToUpper(f.hull.Condition[:1]) + f.hull.Condition[1:]},
		pdf.Field{Name: "Stock number", Value: or(f.hull.StockNumber, "None")},
		pdf.Field{Name: "Deal", Value: f.deal.ID},
	)
}

var amounts = []pdf.Column{{Name: "Item", Share: 7}, {Name: "Amount", Share: 2, Number: true}}

// figures is what the deal comes to.
func figures(p *pdf.Page, f facts) {
	p.Heading("Price")
	t := f.deal.Totals
	rows := [][]string{{"Price of the vessel", money.Format(t.PriceCents)}}
	for _, l := range f.deal.LineItems {
		amount := l.AmountCents
		if l.Kind == "discount" {
			amount = -amount
		}
		rows = append(rows, []string{or(l.Description, or(l.Code, strings.ToUpper(l.Kind[:1])+l.Kind[1:])), money.Format(amount)})
	}
	if f.structure != nil {
		for _, product := range f.structure.Products {
			rows = append(rows, []string{productName(product), money.Format(product.PriceCents)})
		}
	}
	rows = append(rows, []string{"Sales tax at " + string(f.deal.TaxRatePercent) + "%", money.Format(t.TaxCents)})
	for _, trade := range f.trades {
		rows = append(rows, []string{"Trade-in allowance: " + tradeName(trade), money.Format(-trade.AllowanceCents)})
		if trade.PayoffCents > 0 {
			rows = append(rows, []string{"Payoff to " + or(trade.Lienholder, "the lienholder") + ": " + tradeName(trade), money.Format(trade.PayoffCents)})
		}
	}
	sums := [][]string{{"Total", money.Format(t.TotalCents)}, {"Paid", money.Format(-t.PaidCents)}, {"Balance due", money.Format(t.BalanceDueCents)}}
	p.Table(amounts, rows, sums)
}

// productName is a product in words.
func productName(p finance.FinanceProduct) string {
	name := strings.ReplaceAll(p.Kind, "_", " ")
	if name == "gap" {
		name = "GAP waiver"
	}
	name = strings.ToUpper(name[:1]) + name[1:]
	if p.Provider != nil {
		name += ", " + *p.Provider
	}
	if p.TermMonths != nil {
		name += fmt.Sprintf(", %d months", *p.TermMonths)
	}
	return name
}

func tradeTable(p *pdf.Page, f facts) {
	if len(f.trades) == 0 {
		return
	}
	p.Heading("Trade-in")
	var rows [][]string
	for _, t := range f.trades {
		rows = append(rows, []string{tradeName(t), or(t.HIN, "Not given"), or(t.Lienholder, "None"), money.Format(t.AllowanceCents), money.Format(t.PayoffCents)})
	}
	p.Table([]pdf.Column{{Name: "Vessel", Share: 4}, {Name: "HIN", Share: 3}, {Name: "Lienholder", Share: 3}, {Name: "Allowance", Share: 2.4, Number: true}, {Name: "Payoff", Share: 2.4, Number: true}}, rows, nil)
}

func receipts(p *pdf.Page, f facts) {
	p.Heading("Payments received")
	var rows [][]string
	for _, pay := range f.payments {
		what, amount := strings.ReplaceAll(pay.Kind, "_", " "), pay.AmountCents
		if pay.RefundsPaymentID != nil {
			what, amount = "refund of "+what, -amount
		}
		rows = append(rows, []string{dayOf(pay.ReceivedOn), strings.ToUpper(what[:1]) + what[1:], pay.Method, or(pay.Reference, ""), money.Format(amount)})
	}
	p.Table([]pdf.Column{{Name: "Date", Share: 2}, {Name: "For", Share: 3}, {Name: "Method", Share: 1.6}, {Name: "Reference", Share: 3}, {Name: "Amount", Share: 2.4, Number: true}},
		rows, [][]string{{"", "Received in all", "", "", money.Format(f.deal.Totals.PaidCents)}})
}
