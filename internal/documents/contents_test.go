package documents

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/ledongthuc/pdf"

	"slipway/internal/contacts"
	"slipway/internal/deals"
	"slipway/internal/finance"
	"slipway/internal/hulls"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// bare returns facts with as little as possible, for each kind that allows it.
func bare() facts {
	f := everything()
	f.company.LegalName, f.location.Address, f.location.Phone = nil, nil, nil
	f.specs.HullMaterial, f.specs.Propulsion, f.specs.Engines, f.specs.Trailer = nil, nil, nil, nil
	f.hull.HIN, f.hull.StockNumber = nil, nil
	f.buyer = contacts.Contact{ID: "con_1", Kind: "person", FirstName: new("Al"), LastName: new("Ng")}
	f.coBuyer, f.structure, f.trades, f.payments = nil, nil, nil, nil
	f.deal.LineItems, f.deal.Taxes = nil, nil
	return f
}

// Each kind is also issued for a deal with as little as possible, unless it
// requires more.
func TestEveryKindWithLittle(t *testing.T) {
	for _, kind := range allKinds.Values {
		if r := forms[kind].requires; r.structure || r.trade {
			continue
		}
		if _, text := issue(t, bare(), kind); !strings.Contains(text, "Deal number 1042") && kind != "privacy_notice" && kind != "uscg_cg1340" {
			t.Errorf("%s: got %s, want it to have the number of the deal", kind, text)
		}
	}
}

// Documents show the specification sheet. A statement of origin shows what it is about.
func TestSpecifications(t *testing.T) {
	hull := []string{"Fiberglass composite", "Gas", "Year built 2023"} // the model year is 2024
	engines := []string{"6CEX-1027001", "6CEX-1027002", "Yamaha F300", "300"}
	trailer := []string{"5A4LREF25R2000101", "2024 Load Rite 5 Starr"}
	all := slices.Concat(hull, engines, trailer)
	for kind, wants := range map[DocumentKind][]string{
		PurchaseAgreement: all, "buyers_order": all, "bill_of_sale": all, "registration_application": all, "title_application": all,
		"mso_boat": hull, "mso_engine": append(engines, hull...), "mso_trailer": append(trailer, hull...),
	} {
		_, text := issue(t, everything(), kind)
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s: got %s, want it to contain %q", kind, text, want)
			}
		}
	}
}

// All papers for the office that registers the boat state the same price.
func TestPriceIsTheSameForTheOffice(t *testing.T) {
	for kind, want := range map[DocumentKind]string{
		"bill_of_sale": "Purchase price $118,850.00", "title_application": "Purchase price $118,850.00", "uscg_cg1340": "Consideration $118,850.00",
	} {
		if _, text := issue(t, everything(), kind); !strings.Contains(text, want) {
			t.Errorf("%s: got %s, want it to contain %q", kind, text, want)
		}
	}
}

func TestYearBuilt(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(f *facts)
		want   string
	}{
		"from the HIN":            {func(*facts) {}, "2023"},
		"from the specifications": {func(f *facts) { f.specs.YearBuilt = new(int64(2022)) }, "2022"},
		"no HIN":                  {func(f *facts) { f.hull.HIN = nil }, ""},
		"HIN of a state":          {func(f *facts) { f.hull.HIN = new("FLZ00001E121") }, ""},
	} {
		f := everything()
		tt.change(&f)
		assert.Equal(t, f.yearBuilt(), tt.want, name)
	}
}

// A manufacturer's or builder's statement is for the first sale of a boat.
func TestOnlyForNewBoats(t *testing.T) {
	for _, condition := range []hulls.Condition{"new", "used", "demo"} {
		f := everything()
		f.hull.Condition = condition
		for _, kind := range []DocumentKind{"mso_boat", "mso_engine", "mso_trailer", "uscg_cg1261"} {
			_, err := DocumentIssue{Kind: kind}.document(f, auth.System)
			if (condition == "new") != (err == nil) || err != nil && fault.KindOf(err) != fault.KindConflict {
				t.Errorf("%s of a %s boat: got %v, want a conflict unless it is new", kind, condition, err)
			}
		}
	}
}

// The lender of the trade-in learns what it is owed, and not what the dealership
// allows for the boat.
func TestPayoffHidesTheAllowance(t *testing.T) {
	_, text := issue(t, everything(), "payoff_authorization")
	if strings.Contains(text, "$32,500.00") || strings.Contains(text, "Allowance") || !strings.Contains(text, "$12,000.00") {
		t.Errorf("got %s, want the payoff of $12,000.00 without the allowance of $32,500.00", text)
	}
}

// The mortgage is on the trade-in, and its lender signs.
func TestSatisfactionIsOfTheOldLender(t *testing.T) {
	f := everything()
	f.structure.Lender = new("Severn Trust")
	_, text := issue(t, f, "satisfaction_of_mortgage")
	for _, want := range []string{"Bay Federal Credit Union Lender, by", "2016 Boston Whaler 210 Montauk", "BWCE1234A616"} {
		if !strings.Contains(text, want) {
			t.Errorf("got %s, want it to contain %q", text, want)
		}
	}
	if strings.Contains(text, "Severn Trust") || strings.Contains(text, "GRT40912B324") {
		t.Errorf("got %s, want neither the new lender nor the new boat", text)
	}
}

// The mortgage is for what the lender paid.
func TestMortgageIsTheAmountFunded(t *testing.T) {
	f := everything()
	f.funding = &finance.Funding{Lender: "Severn Trust", AmountCents: 9000000}
	_, text := issue(t, f, "preferred_mortgage")
	if !strings.Contains(text, "Mortgage amount $90,000.00") || !strings.Contains(text, "Mortgagee Severn Trust") {
		t.Errorf("got %s, want a mortgage of $90,000.00 to Severn Trust", text)
	}
}

// A co-buyer who signs is also named in the text.
func TestCoBuyersAreNamed(t *testing.T) {
	for _, kind := range allKinds.Values {
		doc, text := issue(t, everything(), kind)
		if n := strings.Count(text, "O’Brien"); n < 2 && slices.Contains(doc.RequiredSigners, ByCoBuyer) {
			t.Errorf("%s: got the co-buyer %d times in %s, want a name in the text and below the line", kind, n, text)
		}
	}
}

func TestNameOf(t *testing.T) {
	const noFont = "\U000323AE"
	for name, tt := range map[string]struct {
		contact contacts.Contact
		want    string
	}{
		"plain":               {contacts.Contact{FirstName: new("Ann"), LastName: new("Bell")}, "Ann Bell"},
		"both":                {contacts.Contact{LastName: new("Иван"), LegalNameLatin: new("Ivan Petrov")}, "Ivan Petrov (Иван)"},
		"no font":             {contacts.Contact{LastName: new(noFont), LegalNameLatin: new("Wang Xiaoming")}, "Wang Xiaoming"},
		"the same":            {contacts.Contact{LastName: new("Bell"), LegalNameLatin: new("Bell")}, "Bell"},
		"only an email":       {contacts.Contact{Email: new("ann@example.com")}, "ann@example.com"},
		"only the Latin name": {contacts.Contact{LegalNameLatin: new("Wang")}, "Wang"},
	} {
		assert.Equal(t, nameOf(tt.contact), tt.want, name)
	}
}

// The total sale price includes the whole down payment: cash, deposits, and what
// the trade-in is worth after its loan is paid off.
func TestTotalSalePriceIncludesTheTradeIn(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(f *facts)
		wants  []string
	}{
		"trade-in": {func(*facts) {},
			[]string{"$216,263.59", "including your down payment of $35,500.00.", "Trade-in allowance less the amount owed on it −$20,500.00"}},
		"no trade-in": {func(f *facts) { f.deal.TradeEquityCents, f.trades = 0, nil },
			[]string{"$195,763.59", "including your down payment of $15,000.00."}},
		"more owed than it is worth": {func(f *facts) { f.deal.TradeEquityCents = -300000 },
			[]string{"$195,763.59", "including your down payment of $15,000.00.", "Amount owed on the trade-in above its allowance $3,000.00"}},
		"nothing down": {func(f *facts) {
			f.deal.TradeEquityCents, f.trades, f.structure.CashDownCents, f.structure.DepositCents = 0, nil, 0, 0
		}, []string{"$180,763.59", "including your down payment of $0.00."}},
	} {
		f := everything()
		tt.change(&f)
		_, text := issue(t, f, "retail_installment_contract")
		for _, want := range tt.wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s: got %s, want it to contain %q", name, text, want)
			}
		}
	}
}

// The annual percentage rate and the finance charge are printed larger than all
// other text of the disclosures, as 12 CFR 1026.17(a)(2) requires.
func TestRateAndFinanceChargeAreConspicuous(t *testing.T) {
	doc := Document{ID: "doc_1", Kind: "retail_installment_contract", Title: "Retail Installment Contract", RequiredSigners: both}
	file, _, err := everything().render(doc)
	if err != nil {
		t.Fatal(err)
	}
	r, err := pdf.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	text, sizes := "", []float64{}
	for _, letter := range r.Page(1).Content().Text {
		text += letter.S
		for range len(letter.S) {
			sizes = append(sizes, letter.FontSize)
		}
	}
	sizeOf := func(part string) float64 { // the first time after the heading
		t.Helper()
		start := strings.Index(text, "Federal Truth in Lending")
		i := strings.Index(text[start:], part)
		if i < 0 {
			t.Fatalf("got %s, want it to contain %q", text, part)
		}
		return sizes[start+i]
	}

	others := 0.0
	for _, part := range []string{"Amount financed", "Total of payments", "Total sale price", "$93,564.94", "$180,763.59", "$216,263.59",
		"The cost of your credit", "239 monthly payments"} {
		others = max(others, sizeOf(part))
	}
	for _, part := range []string{"Annual", "Finance charge", "7.49%", "$87,198.65"} {
		if got := sizeOf(part); got <= others {
			t.Errorf("%s: got %v points, want more than the %v points of other disclosures", part, got, others)
		}
	}
}

// Each paper says what it should, and nothing that belongs on another one.
func TestPapersSayNoMore(t *testing.T) {
	paid := everything()
	paid.deal.PaidCents = paid.deal.Totals.TotalCents
	paid.deal.Totals.PaidCents, paid.deal.Totals.BalanceDueCents = paid.deal.Totals.TotalCents, 0
	owes := everything()
	owes.lines = []DueBillLine{{Description: "Install the second battery", DueOn: new("2026-12-15")}, {Description: "Spare propeller"}}
	products := everything()
	products.deal.LineItems = append(products.deal.LineItems,
		deals.DealLineItem{Kind: "product", Code: new("tire_wheel"), AmountCents: 39500}, deals.DealLineItem{Kind: "fee", Code: new("key"), AmountCents: 100})

	mortgaged := everything()
	mortgaged.trades[0].PayoffGoodThroughOn, mortgaged.trades[0].PerDiemCents = new("2026-12-01"), new(int64(412))
	mortgaged.trades = append(mortgaged.trades, deals.TradeIn{Year: new(int64(2009)), Make: new("Sea Ray"), Model: new("Sundancer")})
	ordered, optional := onOrder(), everything()
	optional.hull.StockState, optional.hull.Options = hulls.InStock, []string{"Tower"}
	kinds := everything()
	kinds.structure.Products = []finance.FinanceProduct{{Kind: "tire_wheel"}, {Kind: "prop_protection"}}
	escrow := allowing(everything(), "settlement_statement")
	escrow.listing.EscrowHolder = new("Harbor Escrow")

	for name, tt := range map[string]struct {
		f          facts
		kind       DocumentKind
		has, lacks []string
	}{
		"the customer transfers the trade-in": {everything(), "trade_title",
			[]string{"Owner, who transfers the trade-in Zoë", "Dealer, who receives the trade-in Chesapeake Marine Sales, Inc."}, []string{"Seller"}},
		"what was bought isn't declined": {everything(), "product_waiver",
			[]string{"Service contract, Brunswick, 60 months; GAP waiver.", "Theft protection"}, []string{"Extended service contract", "GAP waiver Gelcoat"}},
		"line items are bought too": {products, "product_waiver", []string{"tire_wheel", "Key replacement"}, []string{"Tire and wheel"}},
		"a balance is not received": {everything(), "bill_of_sale", []string{"to be paid as the purchase agreement states", "Purchase price $118,850.00",
			"Sales tax at 6% $7,220.94", "Boat show special"},
			[]string{"acknowledged, the seller", "GAP", "Brunswick", "Payoff", "Balance", "Trade-in", "Documentation fee"}},
		"a price is received": {paid, "bill_of_sale", []string{"receipt of which is acknowledged"}, []string{"to be paid"}},
		"lines of a due bill": {owes, "due_bill", []string{"1 Install the second battery Dec 15, 2026 2 Spare propeller"}, []string{" 3 "}},
		"blank lines to fill": {everything(), "due_bill", []string{"1 2 3 4 5 6 7 8 The dealer owes"}, nil},
		"a loan to pay off": {mortgaged, "payoff_authorization", []string{"2016 Boston Whaler 210 Montauk", "Payoff valid through Dec 1, 2026, then $4.12 per day"},
			[]string{"2009 Sea Ray"}},
		"a boat on order": {ordered, PurchaseAgreement, []string{"Manufacturer's order number GW-2027-11843", "Expected arrival Mar 1, 2027",
			"Options: Second battery; Tower.", "It must be issued again with the number"}, nil},
		"a boat with options":       {optional, "buyers_order", []string{"Options: Tower."}, []string{"Expected arrival", "issued again"}},
		"products of several kinds": {kinds, "product_contract", []string{"Tire and wheel", "Propeller protection"}, []string{"Tire wheel"}},
		"a deposit in escrow":       {escrow, "deposit_receipt", []string{"Harbor Escrow holds the deposit in trust"}, nil},
		"two who acknowledge":       {everything(), "privacy_notice", []string{"O’Brien acknowledge receipt"}, nil},
		"without a stock number":    {bare(), "buyers_order", []string{"Deal number 1042"}, []string{"Stock number"}},
	} {
		_, text := issue(t, tt.f, tt.kind)
		for _, want := range tt.has {
			if !strings.Contains(text, want) {
				t.Errorf("%s: got %s, want it to contain %q", name, text, want)
			}
		}
		for _, other := range tt.lacks {
			if strings.Contains(text, other) {
				t.Errorf("%s: got %s, want it without %q", name, text, other)
			}
		}
	}
}

// Papers with little more than a page of content are on one page.
func TestShortPapersHaveOnePage(t *testing.T) {
	for _, kind := range []DocumentKind{"product_contract", "power_of_attorney", "preferred_mortgage", "due_bill", "sea_trial_acceptance", "survey",
		"mso_boat", "mso_engine", "mso_trailer"} {
		if doc, _ := issue(t, everything(), kind); doc.PageCount != 1 {
			t.Errorf("%s: got %d pages, want 1", kind, doc.PageCount)
		}
	}
}

func TestDescribePayments(t *testing.T) {
	for want, s := range map[string]finance.FinanceStructure{
		"One payment of $3.00 on Dec 15, 2026.":                                                                 {TermMonths: 1},
		"One monthly payment of $2.00, beginning on Dec 15, 2026, and a final payment of $3.00.":                {TermMonths: 2},
		"2 monthly payments of $2.00, beginning on Dec 15, 2026, and a final payment of $3.00.":                 {TermMonths: 3},
		"A first payment of $1.00 on Dec 15, 2026 and a final payment of $3.00.":                                {TermMonths: 2, OddDaysInterestCents: 5},
		"A first payment of $1.00 on Dec 15, 2026, one monthly payment of $2.00, and a final payment of $3.00.": {TermMonths: 3, OddDaysInterestCents: 5},
	} {
		s.FirstPaymentOn, s.FirstPaymentCents, s.PaymentCents, s.FinalPaymentCents = "2026-12-15", 100, 200, 300
		assert.Equal(t, describePayments(s), want)
	}
}

func TestOnlyDueBillsHaveLines(t *testing.T) {
	_, err := DocumentIssue{Kind: "survey", Lines: []DueBillLine{{Description: "Battery"}}}.document(everything(), auth.System)
	assert.Equal(t, fault.KindOf(err), fault.KindUnprocessable)
}
