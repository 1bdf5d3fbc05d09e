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

// facts is everything that a document can contain.
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
	today     time.Time                 // in the dealership's time zone
}

// seller returns the legal name of the dealership.
func (f facts) seller() string {
	if f.company.LegalName != nil {
		return *f.company.LegalName
	}
	return f.company.Name
}

// letterhead returns the address lines of the dealership.
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

// or returns the text, or a default if it is nil or empty.
func or(s *string, otherwise string) string {
	if s == nil || *s == "" {
		return otherwise
	}
	return *s
}

// addressOf returns the address of a contact, one line per part.
func addressOf(c contacts.Contact) string {
	if c.Address == nil {
		return ""
	}
	a := *c.Address
	return pdf.Lines(or(a.Line1, ""), or(a.Line2, ""), place(or(a.City, ""), a.Region, a.PostalCode), foreign(a.Country))
}

// foreign returns the country unless it is the US.
func foreign(country *string) string {
	if c := or(country, "US"); c != "US" {
		return c
	}
	return ""
}

// nameOf returns the name that a contact signs with.
func nameOf(c contacts.Contact) string {
	if name := c.Name(); name != "" {
		return name
	}
	return or(c.Email, c.ID)
}

// boat returns the year, make and model.
func (f facts) boat() string { return fmt.Sprintf("%d %s %s", f.hull.Year, f.hull.Make, f.hull.Model) }

// hin returns the HIN, or why the vessel has none.
func (f facts) hin() string {
	switch or(f.hull.HINAbsentReason, "") {
	case "pre_1972":
		return "None (built before 1972)"
	case "":
		return or(f.hull.HIN, "Not yet assigned")
	}
	return "Not yet assigned"
}

// formatDate formats a date as in Jan 2, 2006.
func formatDate(date string) string {
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

// signers returns the signature lines.
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

// render creates the PDF.
func (f facts) render(d Document) (content []byte, pages int, err error) {
	head := pdf.Head{Issuer: f.company.Name, Address: f.letterhead(), Title: d.Title, Number: d.ID, Issued: f.today}
	return pdf.Render(head, func(p *pdf.Page) {
		forms[d.Kind].write(p, f)
		if len(d.RequiredSigners) > 0 {
			p.Signatures(f.signers(d.RequiredSigners)...)
		}
	})
}

func capitalize(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// methodName returns the method of a payment for people.
func methodName(method string) string {
	if method == "ach" {
		return "ACH"
	}
	return capitalize(method)
}

// The functions below are sections that several documents share.

func parties(p *pdf.Page, f facts) {
	p.Heading("Parties")
	p.Fields(
		pdf.Field{Name: "Seller", Value: pdf.Lines(append([]string{f.seller()}, f.letterhead()...)...)},
		pdf.Field{Name: "Buyer", Value: pdf.Lines(nameOf(f.buyer), addressOf(f.buyer), or(f.buyer.Phone, ""), or(f.buyer.Email, ""))},
	)
	if f.coBuyer != nil {
		co := *f.coBuyer
		p.Fields(pdf.Field{Name: "Co-buyer", Value: pdf.Lines(nameOf(co), addressOf(co), or(co.Phone, ""), or(co.Email, ""))})
	}
}

func vessel(p *pdf.Page, f facts) {
	p.Heading("Vessel")
	p.Fields(
		pdf.Field{Name: "Year, make and model", Value: f.boat()},
		pdf.Field{Name: "Hull identification number (HIN)", Value: f.hin()},
		pdf.Field{Name: "Length overall (LOA)", Value: fmt.Sprintf("%.2f ft", f.hull.LengthFt)},
		pdf.Field{Name: "Condition", Value: capitalize(f.hull.Condition)},
		pdf.Field{Name: "Stock number", Value: or(f.hull.StockNumber, "None")},
		pdf.Field{Name: "Deal", Value: f.deal.ID},
	)
}

var amounts = []pdf.Column{{Name: "Item", Share: 7}, {Name: "Amount", Share: 2, Number: true}}

// priceTable lists the price, the additions and the balance.
func priceTable(p *pdf.Page, f facts) {
	p.Heading("Price")
	t := f.deal.Totals
	rows := [][]string{{"Vessel price", money.Format(t.PriceCents)}}
	for _, l := range f.deal.LineItems {
		rows = append(rows, []string{or(l.Description, or(l.Code, capitalize(l.Kind))), money.Format(l.SignedCents())})
	}

	if f.structure != nil {
		for _, product := range f.structure.Products {
			rows = append(rows, []string{productName(product), money.Format(product.PriceCents)})
		}
	}

	for _, tax := range f.deal.Taxes {
		rows = append(rows, []string{taxName(tax), money.Format(tax.AmountCents)})
	}
	if len(f.deal.Taxes) == 0 {
		rows = append(rows, []string{"Sales tax", money.Format(0)})
	}
	for _, trade := range f.trades {
		rows = append(rows, []string{"Trade-in allowance: " + tradeName(trade), money.Format(-trade.AllowanceCents)})
		if trade.PayoffCents > 0 {
			lienholder := or(trade.Lienholder, "the lienholder")
			rows = append(rows, []string{"Payoff to " + lienholder + ": " + tradeName(trade), money.Format(trade.PayoffCents)})
		}
	}

	sums := [][]string{
		{"Total", money.Format(t.TotalCents)}, {"Paid", money.Format(-t.PaidCents)}, {"Balance due", money.Format(t.BalanceDueCents)},
	}
	p.Table(amounts, rows, sums)
}

// taxName returns the name and the rate of a tax, or why the deal is exempt.
func taxName(t deals.DealTax) string {
	if t.ExemptReason != nil {
		return t.Name + ", exempt: " + *t.ExemptReason
	}
	name := t.Name + " at " + string(t.RatePercent) + "%"
	if t.BaseCapCents != nil {
		name += " of the first " + money.Format(*t.BaseCapCents)
	}
	if t.CapCents != nil {
		name += ", at most " + money.Format(*t.CapCents)
	}
	return name
}

// productName returns the name, the provider and the term of a product.
func productName(p finance.FinanceProduct) string {
	name := strings.ReplaceAll(p.Kind, "_", " ")
	if name == "gap" {
		name = "GAP waiver"
	}
	name = capitalize(name)
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
		rows = append(rows, []string{
			tradeName(t), or(t.HIN, "Not provided"), or(t.Lienholder, "None"), money.Format(t.AllowanceCents), money.Format(t.PayoffCents),
		})
	}
	columns := []pdf.Column{
		{Name: "Vessel", Share: 4}, {Name: "HIN", Share: 3}, {Name: "Lienholder", Share: 3},
		{Name: "Allowance", Share: 2.4, Number: true}, {Name: "Payoff", Share: 2.4, Number: true},
	}
	p.Table(columns, rows, nil)
}

func receipts(p *pdf.Page, f facts) {
	p.Heading("Payments received")
	var rows [][]string
	for _, pay := range f.payments {
		what, amount := strings.ReplaceAll(pay.Kind, "_", " "), pay.AmountCents
		if pay.RefundsPaymentID != nil {
			what, amount = "refund of "+what, -amount
		}
		rows = append(rows, []string{
			formatDate(pay.ReceivedOn), capitalize(what), methodName(pay.Method), or(pay.Reference, ""), money.Format(amount),
		})
	}
	columns := []pdf.Column{
		{Name: "Date", Share: 2}, {Name: "Payment", Share: 3}, {Name: "Method", Share: 1.6}, {Name: "Reference", Share: 3},
		{Name: "Amount", Share: 2.4, Number: true},
	}
	p.Table(columns, rows, [][]string{{"", "Total received", "", "", money.Format(f.deal.Totals.PaidCents)}})
}
