package documents

import (
	"time"

	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/deals"
	"slipway/internal/finance"
	"slipway/internal/hulls"
	"slipway/internal/vocab/money"
)

// allowing returns facts with an owner or an exemption if a kind requires one. The other papers
// would then differ.
func allowing(f facts, kind DocumentKind) facts {
	if forms[kind].requires.listing {
		f.owner = &contacts.Contact{Kind: "person", FirstName: new("Olive"), LastName: new("Owner")}
		f.listing = &deals.ListingAgreement{OwnerContactID: "con_2", CommissionPercent: new(money.Percent("10")), CoBroker: new("Bay Yacht Brokers"),
			CoBrokerSplitPercent: new(money.Percent("40"))}
	}
	if forms[kind].requires.exempt {
		f.deal.Taxes = []deals.DealTax{{Name: "Maryland vessel excise tax", RatePercent: "5", ExemptReason: new("Removed to Delaware within 10 days")}}
	}
	return f
}

// onOrder returns facts about a boat that is sold before it is built.
func onOrder() facts {
	f := everything()
	f.hull.HIN, f.hull.StockState = nil, hulls.StockOnOrder
	f.hull.OrderNumber, f.hull.ExpectedOn, f.hull.Options = new("GW-2027-11843"), new("2027-03-01"), []string{"Second battery", "Tower"}
	return f
}

// everything returns facts that allow each kind of document, with names that are
// not ASCII.
func everything() facts {
	zone := time.FixedZone("EST", -5*3600)
	f := facts{
		company: dealership.Dealership{Name: "Chesapeake Marine", LegalName: new("Chesapeake Marine Sales, Inc.")},
		location: dealership.Location{Name: "Annapolis", Phone: new("+14105550142"), Address: &dealership.Address{
			Line1: "410 Severn Avenue", City: "Annapolis", Region: new("MD"), PostalCode: new("21403"), Country: "US",
		}},
		hull: hulls.Hull{Make: "Grady-White", Model: "Freedom 235", Year: 2024, LengthFt: 23.58, HIN: new("GRT40912B324"),
			StockNumber: new("GW-1042"), Condition: "new"},
		buyer: contacts.Contact{Kind: "person", FirstName: new("Zoë"), LastName: new("Núñez-Łukasiewicz"), Email: new("zoe@example.com"),
			Phone: new("+14105550123"), Address: &contacts.ContactAddress{
				Line1: new("12 Straße des 17. Juni"), City: new("Åkersberga"), Region: new("MD"), PostalCode: new("21401"), Country: new("SE"),
			}},
		coBuyer: &contacts.Contact{Kind: "person", FirstName: new("Jérôme"), LastName: new("O’Brien")},
		specs: hulls.HullSpecs{SpecSheet: hulls.SpecSheet{
			HullMaterial: new(hulls.HullMaterial("fiberglass_composite")), Propulsion: new(hulls.Propulsion("propeller")),
			Engines: &[]hulls.SpecEngine{
				{Position: new(hulls.EnginePosition("port")), Make: new("Yamaha"), Model: new("F300"), Serial: new("6CEX-1027001"), HP: new(300.0), Fuel: new(hulls.EngineFuel("gas"))},
				{Position: new(hulls.EnginePosition("starboard")), Make: new("Yamaha"), Model: new("F300"), Serial: new("6CEX-1027002"), HP: new(300.0), Fuel: new(hulls.EngineFuel("gas"))},
			},
			Trailer: &hulls.SpecTrailer{Make: new("Load Rite"), Model: new("5 Starr"), Year: new(int64(2024)), VIN: new("5A4LREF25R2000101"),
				Axles: new(int64(2)), CapacityLb: new(7500.0)},
		}},
		today: time.Date(2026, 11, 15, 10, 30, 0, 0, zone),
	}

	f.deal = deals.Deal{
		ID: "deal_01jcqz8t5n8m2x4v6b7c9d0e1f", Number: 1042, Status: deals.Accepted, AcceptedOfferID: new("off_1"), DealType: deals.Finance,
		PriceUSD: 118000, Taxes: deals.SalesTax("6"),
		TradeAllowanceCents: 3250000, TradeEquityCents: 2050000, PaidCents: 500000,
		LineItems: []deals.DealLineItem{
			{Kind: "fee", Description: new("Documentation fee"), AmountCents: 49900, Taxable: new(true)},
			{Kind: "accessory", Description: new("Bimini top, navy, with boot and three additional uprights in polished stainless steel, " +
				"fitted and delivered"), AmountCents: 185000, Taxable: new(true)},
			{Kind: "discount", Description: new("Boat show special"), AmountCents: 100000},
		},
	}

	f.trades = []deals.TradeIn{{Year: new(int64(2016)), Make: new("Boston Whaler"), Model: new("210 Montauk"), HIN: new("BWCE1234A616"),
		AllowanceCents: 3250000, PayoffCents: 1200000, Lienholder: new("Bay Federal Credit Union")}}
	f.payments = []finance.Payment{{Kind: "deposit", Method: "card", AmountCents: 500000, Reference: new("ch_8842"), ReceivedOn: "2026-11-10"}}
	s, err := finance.FinanceStructureCreate{
		Lender: new("Bay Federal Credit Union"), CashDownCents: 1000000, APRPercent: "7.49", TermMonths: 240,
		Products: []finance.FinanceProduct{{Kind: "service_contract", Provider: new("Brunswick"), PriceCents: 249500, TermMonths: new(int64(60)),
			Financed: true}, {Kind: "gap", PriceCents: 79500}},
	}.Structure(f.deal, 500000, f.today)
	if err != nil {
		panic(err)
	}

	f.structure = &s
	f.deal.Taxes[0].AmountCents = 722094
	f.deal.Totals = deals.DealTotals{PriceCents: 11800000, LineItemsCents: 463900, TaxCents: 722094, TradeEquityCents: 2050000,
		TotalCents: 10935994, PaidCents: 500000, BalanceDueCents: 10435994}
	return f
}
