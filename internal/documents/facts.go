package documents

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/deals"
	"slipway/internal/finance"
	"slipway/internal/hulls"
	"slipway/internal/platform/pdf"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/hin"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/phone"
)

// facts is everything that a document can contain.
type facts struct {
	company   dealership.Dealership
	logo      []byte // nil if there is none
	location  dealership.Location
	deal      deals.Deal
	hull      hulls.Hull
	specs     hulls.HullSpecs
	buyer     contacts.Contact
	coBuyer   *contacts.Contact
	trades    []deals.TradeIn
	payments  []finance.Payment
	structure *finance.FinanceStructure // the selected one
	funding   *finance.Funding          // the one that a lender has paid
	today     time.Time                 // in the dealership's time zone
	lines     []DueBillLine             // of the request

	listing *deals.ListingAgreement // with the owner; nil if the dealership sells its own boat
	owner   *contacts.Contact       // who sells the boat
}

// seller returns the legal name of the dealership.
func (f facts) seller() string {
	if f.company.LegalName != nil {
		return *f.company.LegalName
	}
	return f.company.Name
}

// titleHolder returns the name and the address of who sells the boat: its owner or the
// dealership.
func (f facts) titleHolder() string {
	if f.owner != nil {
		return reach(*f.owner)
	}
	return f.dealerAddress()
}

// isForOwner reports whether the boat is sold for someone else.
func (f facts) isForOwner() bool { return f.listing != nil || f.deal.IsForOwner(f.hull) }

// sellerName returns the name of who sells the boat.
func (f facts) sellerName() string {
	if f.owner != nil {
		return nameOf(*f.owner)
	}
	return f.seller()
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
		lines = append(lines, phone.Format(*f.location.Phone))
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

func phoneOf(c contacts.Contact) string {
	if c.Phone == nil {
		return ""
	}
	return phone.Format(*c.Phone)
}

// nameOf returns the name that a contact signs with. A name in another script
// follows the legal name in Latin letters, if the server has a font for it.
func nameOf(c contacts.Contact) string {
	name := c.Name()
	switch {
	case c.LegalNameLatin != nil && (name == "" || name == *c.LegalNameLatin || pdf.Check(name) != nil):
		return *c.LegalNameLatin
	case c.LegalNameLatin != nil:
		return *c.LegalNameLatin + " (" + name + ")"
	case name != "":
		return name
	}
	return or(c.Email, c.ID)
}

// buyers returns the names of the buyer and the co-buyer.
func (f facts) buyers() string {
	if f.coBuyer == nil {
		return nameOf(f.buyer)
	}
	return nameOf(f.buyer) + " and " + nameOf(*f.coBuyer)
}

// checkPrintable fails if no font has the letters of a text in the document. An
// empty box on a contract would not be the name of anyone.
func (f facts) checkPrintable(doc Document) error {
	var bad fault.Fields
	unprintable := func(field, text string) {
		if u, ok := errors.AsType[*pdf.Unprintable](pdf.Check(text)); ok {
			bad.Add(field, "unprintable", "has %q, which no font of the server has", u.Char)
		}
	}
	people := []struct {
		role    string
		contact *contacts.Contact
	}{{"buyer", &f.buyer}, {"co_buyer", f.coBuyer}, {"owner", f.owner}}
	for _, p := range people {
		if p.contact == nil {
			continue
		}
		u, ok := errors.AsType[*pdf.Unprintable](pdf.Check(p.contact.Name()))
		if ok && p.contact.LegalNameLatin == nil {
			bad.Add("legal_name_latin", "unprintable", "is required for the %s, contact %s: no font of the server has %q",
				strings.ReplaceAll(p.role, "_", "-"), p.contact.ID, u.Char)
		}
		unprintable(p.role+".address", addressOf(*p.contact))
	}

	unprintable("title", doc.Title)
	for i, l := range f.lines {
		unprintable(fmt.Sprintf("lines[%d].description", i), l.Description)
	}
	for i, l := range f.deal.LineItems {
		unprintable(fmt.Sprintf("line_items[%d].description", i), or(l.Description, or(l.Code, "")))
	}
	for i, t := range f.trades {
		unprintable(fmt.Sprintf("trade_ins[%d]", i), tradeName(t)+or(t.Lienholder, ""))
	}
	unprintable("hull", f.boat()+or(f.hull.OrderNumber, "")+strings.Join(f.hull.Options, ""))
	unprintable("dealership", f.company.Name+f.seller()+strings.Join(f.letterhead(), ""))
	return bad.Err()
}

// boat returns the year, make and model.
func (f facts) boat() string { return fmt.Sprintf("%d %s %s", f.hull.Year, f.hull.Make, f.hull.Model) }

// hin returns the HIN, or why the vessel has none.
func (f facts) hin() string {
	switch null.Text(f.hull.HINAbsentReason) {
	case hulls.HINBefore1972:
		return "None (built before 1972)"
	case "":
		return or(f.hull.HIN, "Not yet assigned")
	}
	return "Not yet assigned"
}

// yearBuilt returns the year from the specifications, or else from the HIN. It is
// empty if both are unknown: the model year is often a year later.
func (f facts) yearBuilt() string {
	if f.specs.YearBuilt != nil {
		return fmt.Sprint(*f.specs.YearBuilt)
	}
	d := hin.Decode(or(f.hull.HIN, ""), f.today)
	if !d.Valid || strings.HasSuffix(*d.ManufacturerCode, "Z") { // a state issued it, maybe to an old boat
		return ""
	}
	return fmt.Sprint(*d.YearBuilt)
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
func (f facts) signers(d Document) []pdf.Signer {
	var all []pdf.Signer
	for _, r := range d.RequiredSigners {
		switch r {
		case ByBuyer:
			all = append(all, pdf.Signer{Name: nameOf(f.buyer), Role: "Buyer"})
		case ByCoBuyer:
			all = append(all, pdf.Signer{Name: nameOf(*f.coBuyer), Role: "Co-buyer"})
		case ByDealer:
			role := "Dealer, by its authorized representative"
			if f.owner != nil && forms[d.Kind].requires.owner { // the selling side are both
				all = append(all, pdf.Signer{Name: nameOf(*f.owner), Role: "Seller and owner"})
				role = "Broker, by its authorized representative"
			}
			all = append(all, pdf.Signer{Name: f.seller(), Role: role})
		case ByLender:
			lender := f.lender()
			if d.Kind == "satisfaction_of_mortgage" {
				lender = f.oldLender()
			}
			all = append(all, pdf.Signer{Name: lender, Role: "Lender, by its authorized representative"})
		}
	}
	return all
}

// lender returns the lender that has paid, or else that of the selected structure.
// It is empty if it is unknown.
func (f facts) lender() string {
	switch {
	case f.funding != nil:
		return f.funding.Lender
	case f.structure != nil:
		return or(f.structure.Lender, "")
	}
	return ""
}

// lentCents returns what the lender has paid, or else the amount financed.
func (f facts) lentCents() int64 {
	if f.funding != nil {
		return f.funding.AmountCents
	}
	return f.structure.AmountFinancedCents
}

// downPaymentCents returns the down payment of 12 CFR 1026.2(a)(18): what the buyer
// pays in cash, and the value of the trade-ins after their loans are paid off. If
// the buyer owes more than the trade-ins are worth, they are no part of it, because
// a down payment is never negative. The rest of the debt is financed.
func (f facts) downPaymentCents() int64 {
	return f.structure.CashDownCents + f.structure.DepositCents + max(f.deal.TradeEquityCents, 0)
}

// mortgagedTrade returns the trade-in with a loan to pay off, if there is one.
func (f facts) mortgagedTrade() (deals.TradeIn, bool) {
	for _, t := range f.trades {
		if t.Lienholder != nil {
			return t, true
		}
	}
	return deals.TradeIn{}, false
}

// oldLender returns the lender of the trade-in. It is empty if it is unknown.
func (f facts) oldLender() string {
	t, _ := f.mortgagedTrade()
	return or(t.Lienholder, "")
}

// render creates the PDF.
func (f facts) render(d Document) (content []byte, pages int, err error) {
	head := pdf.Head{
		Issuer: f.company.Name, Address: f.letterhead(), Logo: f.logo, Title: d.Title,
		Number: fmt.Sprintf("Document %d, deal %d", d.Number, f.deal.Number), ID: d.ID, Issued: f.today,
	}
	content, pages, err = pdf.Render(head, func(p *pdf.Page) {
		forms[d.Kind].write(p, f)
		if len(d.RequiredSigners) > 0 {
			p.Signatures(f.signers(d)...)
		}
	})
	if u, ok := errors.AsType[*pdf.Unprintable](err); ok {
		var bad fault.Fields
		bad.Add("kind", "unprintable", "has the text %q, and no font of the server has %q", u.Text, u.Char)
		err = bad.Err()
	}
	return content, pages, err
}

func capitalize[T ~string](value T) string {
	s := string(value)
	return strings.ToUpper(s[:1]) + s[1:]
}

// words returns a value of the API for people, such as Fiberglass composite.
func words[T ~string](value *T) string {
	if value == nil || *value == "" {
		return ""
	}
	return capitalize(strings.ReplaceAll(string(*value), "_", " "))
}

// methodName returns the method of a payment for people.
func methodName(method finance.PaymentMethod) string {
	if method == "ach" {
		return "ACH"
	}
	return capitalize(method)
}
