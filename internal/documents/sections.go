package documents

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"slipway/internal/contacts"
	"slipway/internal/deals"
	"slipway/internal/finance"
	"slipway/internal/hulls"
	"slipway/internal/platform/pdf"
	"slipway/internal/vocab/money"
)

// The functions below are sections that several documents share.

func parties(p *pdf.Page, f facts) {
	p.Heading("Parties")
	all := []pdf.Field{{Name: "Seller", Value: f.titleHolder()}, {Name: "Buyer", Value: reach(f.buyer)}}
	if f.isForOwner() {
		all[0].Name = "Seller and owner"
		if f.owner == nil {
			all = all[1:]
		}
		all = append(all, pdf.Field{Name: "Broker", Value: f.dealerAddress()})
	}
	if f.coBuyer != nil {
		all = append(all, pdf.Field{Name: "Co-buyer", Value: reach(*f.coBuyer)})
	}
	p.Columns(all...)
}

// dealerAddress returns the name and the address of the dealership.
func (f facts) dealerAddress() string {
	return pdf.Lines(append([]string{f.seller()}, f.letterhead()...)...)
}

// reach returns the name of a contact and how to reach it.
func reach(c contacts.Contact) string {
	return pdf.Lines(nameOf(c), addressOf(c), phoneOf(c), or(c.Email, ""))
}

// people adds the name and the address of the buyer and of the co-buyer.
func people(p *pdf.Page, f facts, buyer, coBuyer string) {
	p.Fields(pdf.Field{Name: buyer, Value: nameOf(f.buyer)}, pdf.Field{Name: "Address", Value: addressOf(f.buyer)})
	if f.coBuyer != nil {
		p.Fields(pdf.Field{Name: coBuyer, Value: nameOf(*f.coBuyer)}, pdf.Field{Name: "Address", Value: addressOf(*f.coBuyer)})
	}
}

// vessel identifies the boat.
func vessel(p *pdf.Page, f facts) {
	p.Heading("Vessel")
	p.Fields(vesselFields(f)...)
}

func vesselFields(f facts) []pdf.Field {
	fields := []pdf.Field{
		{Name: "Year, make and model", Value: f.boat()},
		{Name: "Hull identification number (HIN)", Value: f.hin()},
		{Name: "Length overall (LOA)", Value: fmt.Sprintf("%.2f ft", f.hull.LengthFt)},
		{Name: "Condition", Value: capitalize(f.hull.Condition)},
		{Name: "Deal number", Value: fmt.Sprint(f.deal.Number)},
	}
	if stock := or(f.hull.StockNumber, ""); stock != "" {
		fields = append(fields, pdf.Field{Name: "Stock number", Value: stock})
	}
	return fields
}

// specifiedVessel identifies the boat with its hull, engines and trailer.
func specifiedVessel(p *pdf.Page, f facts) {
	specifiedHull(p, f)
	engines(p, f)
	if t := f.specs.Trailer; t != nil && (t.Included == nil || *t.Included) {
		p.Heading("Trailer")
		p.Fields(trailerFields(*t)...)
	}
}

// specifiedHull identifies the boat with its hull.
func specifiedHull(p *pdf.Page, f facts) {
	p.Heading("Vessel")
	p.Fields(append(vesselFields(f),
		pdf.Field{Name: "Hull material", Value: words(f.specs.HullMaterial)},
		pdf.Field{Name: "Year built", Value: f.yearBuilt()},
		pdf.Field{Name: "Propulsion", Value: words(f.specs.Propulsion)},
		pdf.Field{Name: "Fuel", Value: f.fuel()},
	)...)
}

// factoryOrder shows what was ordered from the manufacturer. A boat that is sold before it has a
// HIN needs another agreement.
func factoryOrder(p *pdf.Page, f facts) {
	coming := f.hull.StockState.IsComing()
	noHIN := f.hull.HIN == nil && f.hull.HINAbsentReason == nil
	if !coming && !noHIN && len(f.hull.Options) == 0 {
		return
	}
	p.Heading("Factory order")
	if coming {
		expected := ""
		if f.hull.ExpectedOn != nil {
			expected = formatDate(*f.hull.ExpectedOn)
		}
		p.Fields(pdf.Field{Name: "Manufacturer's order number", Value: or(f.hull.OrderNumber, "")}, pdf.Field{Name: "Expected arrival", Value: expected})
	}
	if len(f.hull.Options) > 0 {
		p.Paragraph("Options: " + strings.Join(f.hull.Options, "; ") + ".")
	}
	if noHIN {
		p.Paragraph(reissueText)
	}
}

// fuel returns the kinds of fuel of the engines.
func (f facts) fuel() string {
	var kinds []string
	for _, e := range f.engines() {
		if kind := words(e.Fuel); kind != "" && !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return strings.Join(kinds, ", ")
}

func (f facts) engines() []hulls.SpecEngine {
	if f.specs.Engines == nil {
		return nil
	}
	return *f.specs.Engines
}

// engines lists the engines. A boat without engines has no list.
func engines(p *pdf.Page, f facts) {
	all := f.engines()
	if len(all) == 0 {
		return
	}
	p.Heading("Engines")
	var rows [][]string
	for i, e := range all {
		where := words(e.Position)
		if where == "" || len(all) == 1 {
			where = strconv.Itoa(i + 1)
		}
		rows = append(rows, []string{where, engineName(e), or(e.Serial, ""), words(e.Fuel), number(e.HP), number(e.Hours)})
	}
	columns := []pdf.Column{
		{Name: "Engine", Share: 2}, {Name: "Year, make and model", Share: 4.4}, {Name: "Serial number", Share: 3},
		{Name: "Fuel", Share: 1.6}, {Name: "Horsepower", Share: 1.9, Number: true}, {Name: "Hours", Share: 1.4, Number: true},
	}
	p.Table(columns, pdf.Rows{Rows: rows})
}

func engineName(e hulls.SpecEngine) string { return titled(e.Year, e.Make, e.Model) }

// titled joins what is known of a year, a make and a model.
func titled(year *int64, parts ...*string) string {
	var known []string
	if year != nil {
		known = append(known, fmt.Sprint(*year))
	}
	for _, p := range parts {
		if text := or(p, ""); text != "" {
			known = append(known, text)
		}
	}
	return strings.Join(known, " ")
}

// number formats a number without needless decimals. It is empty if it is unknown.
func number(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', -1, 64)
}

func trailerFields(t hulls.SpecTrailer) []pdf.Field {
	capacity := number(t.CapacityLb)
	if capacity != "" {
		capacity += " lb"
	}
	return []pdf.Field{
		{Name: "Trailer year, make and model", Value: titled(t.Year, t.Make, t.Model)},
		{Name: "Vehicle identification number (VIN)", Value: or(t.VIN, "")},
		{Name: "Axles", Value: count(t.Axles)}, {Name: "Capacity", Value: capacity},
	}
}

func count(n *int64) string {
	if n == nil {
		return ""
	}
	return fmt.Sprint(*n)
}

var amounts = []pdf.Column{{Name: "Item", Share: 7}, {Name: "Amount", Share: 2, Number: true}}

// priceTable lists the price, the additions and the balance.
func priceTable(p *pdf.Page, f facts) {
	p.Heading("Price")
	t := f.deal.Totals
	taxes := f.taxRows()
	items := [][]string{{"Vessel price", money.Format(t.PriceCents)}}
	subtotal := t.PriceCents
	for _, l := range f.deal.LineItems {
		items = append(items, lineRow(l))
		subtotal += l.SignedCents()
	}
	if f.structure != nil {
		for _, product := range f.structure.Products {
			items = append(items, []string{productName(product), money.Format(product.PriceCents)})
			subtotal += product.PriceCents
		}
	}

	var trades [][]string
	for _, trade := range f.trades {
		trades = append(trades, []string{"Trade-in allowance: " + tradeName(trade), money.Format(-trade.AllowanceCents)})
		if trade.PayoffCents > 0 {
			lienholder := or(trade.Lienholder, "the lienholder")
			trades = append(trades, []string{"Payoff to " + lienholder + ": " + tradeName(trade), money.Format(trade.PayoffCents)})
		}
	}

	groups := []pdf.Rows{{Rows: items, Sums: [][]string{{"Subtotal", money.Format(subtotal)}}}, {Rows: taxes}}
	if len(trades) > 0 {
		groups[1].Sums = [][]string{{"Total before trade-in", money.Format(subtotal + t.TaxCents)}}
		groups = append(groups, pdf.Rows{Rows: trades})
	}
	groups = append(groups, pdf.Rows{Sums: [][]string{
		{"Total", money.Format(t.TotalCents)}, {"Paid", money.Format(-t.PaidCents)}, {"Balance due", money.Format(t.BalanceDueCents)},
	}})
	p.Table(amounts, groups...)
}

// considerationTable lists what the buyer gives for the boat, for the office that registers
// it: the price with accessories and discounts, and the tax. Finance and insurance products,
// fees, the loan on a trade-in and what is still due are between the buyer and the seller.
func considerationTable(p *pdf.Page, f facts) {
	p.Heading("Price")
	items := [][]string{{"Vessel price", money.Format(f.deal.Totals.PriceCents)}}
	for _, l := range f.deal.LineItems {
		if belongsToBoat(l) {
			items = append(items, lineRow(l))
		}
	}
	p.Table(amounts, pdf.Rows{Rows: items, Sums: [][]string{{"Purchase price", money.Format(f.considerationCents())}}}, pdf.Rows{Rows: f.taxRows()})
}

// belongsToBoat reports whether a line item changes the price of the boat.
func belongsToBoat(l deals.DealLineItem) bool {
	return l.Kind == deals.AccessoryLine || l.Kind == deals.DiscountLine || l.Kind == deals.RebateLine
}

// considerationCents is the price of the boat with accessories and discounts. All papers for the
// office that registers it state the same.
func (f facts) considerationCents() int64 {
	sum := f.deal.Totals.PriceCents
	for _, l := range f.deal.LineItems {
		if belongsToBoat(l) {
			sum += l.SignedCents()
		}
	}
	return sum
}

func lineRow(l deals.DealLineItem) []string {
	return []string{or(l.Description, or(l.Code, capitalize(l.Kind))), money.Format(l.SignedCents())}
}

func (f facts) taxRows() (rows [][]string) {
	for _, tax := range f.deal.Taxes {
		rows = append(rows, []string{taxName(tax), money.Format(tax.AmountCents)})
	}
	if len(rows) == 0 {
		rows = append(rows, []string{"Sales tax", money.Format(0)})
	}
	return rows
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
	name := kindName(p.Kind)
	if p.Provider != nil {
		name += ", " + *p.Provider
	}
	if p.TermMonths != nil {
		name += fmt.Sprintf(", %d months", *p.TermMonths)
	}
	return name
}

// kindName returns the name of a kind of product for people.
func kindName(kind finance.ProductKind) string {
	switch kind {
	case "gap":
		return "GAP waiver"
	case "tire_wheel":
		return "Tire and wheel"
	case "prop_protection":
		return "Propeller protection"
	}
	return words(&kind)
}

func tradeTable(p *pdf.Page, f facts) {
	if len(f.trades) == 0 {
		return
	}
	p.Heading("Trade-in")
	var rows [][]string
	for _, t := range f.trades {
		rows = append(rows, append(tradeCells(t), money.Format(t.AllowanceCents), money.Format(t.PayoffCents)))
	}
	p.Table(append(slices.Clone(tradeColumns), pdf.Column{Name: "Allowance", Share: 2.4, Number: true},
		pdf.Column{Name: "Payoff", Share: 2.4, Number: true}), pdf.Rows{Rows: rows})
}

// payoffTable lists the loans on the trade-ins, for their lenders. The allowance is
// only between the buyer and the dealership.
func payoffTable(p *pdf.Page, f facts) {
	p.Heading("Trade-in")
	var rows [][]string
	for _, t := range f.trades {
		if t.Lienholder == nil && t.PayoffCents == 0 && len(f.trades) > 1 {
			continue // it has no loan
		}
		rows = append(rows, append(tradeCells(t), money.Format(t.PayoffCents)))
	}
	p.Table(append(slices.Clone(tradeColumns), pdf.Column{Name: "Payoff", Share: 2.4, Number: true}), pdf.Rows{Rows: rows})
}

var tradeColumns = []pdf.Column{{Name: "Vessel", Share: 4}, {Name: "HIN", Share: 3}, {Name: "Lienholder", Share: 3}}

func tradeCells(t deals.TradeIn) []string {
	return []string{tradeName(t), or(t.HIN, "Not provided"), or(t.Lienholder, "None")}
}

func receipts(p *pdf.Page, f facts) {
	p.Heading("Payments received")
	var rows [][]string
	for _, pay := range f.payments {
		what, amount := strings.ReplaceAll(string(pay.Kind), "_", " "), pay.AmountCents
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
	total := []string{"", "Total received", "", "", money.Format(f.deal.Totals.PaidCents)}
	p.Table(columns, pdf.Rows{Rows: rows, Sums: [][]string{total}})
}

// acknowledgment is the section for a notary.
func acknowledgment(p *pdf.Page) {
	p.Together(func() {
		p.Heading("Acknowledgment")
		p.Paragraph("State of ____________________   County of ____________________")
		p.Paragraph("On this ______ day of ____________________, 20____, " +
			"the persons named below personally appeared before me and acknowledged that they signed this document.")
		p.Fields(pdf.Field{Name: "Notary public"}, pdf.Field{Name: "Commission expires"})
	})
}
