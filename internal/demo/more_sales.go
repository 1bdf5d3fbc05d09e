package demo

// moreSales returns deals for boats of other makes than those in README.md and
// docs/tour.md. Most of them started as a lead.
func moreSales() []*sale {
	return append(soldBoats(), pendingSales()...)
}

// soldBoats returns the deals that are closed, delivered or funded.
func soldBoats() []*sale {
	return []*sale{
		{ // closed, cash, with a service contract
			first: "Dorothy", last: "Kemp", email: "dorothy.kemp@example.com", phone: "+14435550301", city: "Severna Park",
			boat: "RO-1040", daysAgo: 80, offer: 62_500, source: "web", message: "Could I see the Robalo on Friday?",
			more: lines(documentFee, titleFee, serviceContract, cover),
			steps: join(one(paid(79, "deposit", "card", 250_000)), agreed(78, 65_900), signed(72, "purchase_agreement", "Dorothy Kemp"),
				[]dealStep{advanced(72, "contracted"), paidRest(66, "check"), advanced(66, "funded")}, signed(60, "bill_of_sale", "Dorothy Kemp"),
				signed(60, "delivery_checklist", "Dorothy Kemp"), []dealStep{advanced(60, "delivered"), advanced(55, "closed")}),
		},
		{ // closed, financed, with a trade-in that has a loan
			first: "Victor", last: "Almeida", email: "victor.almeida@example.com", phone: "+14105550302", city: "Pasadena",
			boat: "SR-1074", daysAgo: 88, offer: 176_000, source: "marketplace", message: "I have a 2015 Regal to trade.",
			more: with(lines(documentFee, titleFee, prep), "deal_type", "finance"),
			steps: join(
				one(trade(87, object{
					"year": 2015, "make": "Regal", "model": "2300 RX", "length_ft": 23.0, "allowance_cents": 3_400_000, "acv_cents": 3_150_000,
					"payoff_cents": 1_180_000, "lienholder": "Harbor National Bank", "stock_in": false,
				})),
				agreed(86, 183_500), one(paid(85, "deposit", "card", 500_000)),
				loan(82, "20 years, 20% down", bayFederal, terms{"7.24", "6.49", 240}, 2_900_000, coverage, gap),
				[]dealStep{advanced(82, "in_finance"), applied(81, bayFederal, "APP-19872", "bay"), applied(81, seacoast, "SB-44120", "seacoast")},
				[]dealStep{
					declined(79, "seacoast", "Debt-to-income ratio"),
					decided(78, "bay", "conditional", terms{apr: "7.24", months: 240}, "Proof of income"), stipulation(78, "bay", "proof_of_income", "income"),
					resolved(75, "bay", "income", "accepted"),
				},
				signed(73, "purchase_agreement", "Victor Almeida"), signed(73, "retail_installment_contract", "Victor Almeida"),
				signed(73, "payoff_authorization", "Victor Almeida")[:2],
				[]dealStep{advanced(73, "contracted"), paid(73, "down_payment", "check", 2_400_000)},
				fundingTo(72, "bay", "contract_sent", "signed", "package_submitted"), fundingTo(66, "bay", "approved_to_fund", "funded"),
				[]dealStep{paidByLender(66), paidRest(66, "check"), advanced(65, "funded")},
				signed(62, "delivery_checklist", "Victor Almeida"), []dealStep{advanced(62, "delivered"), advanced(48, "closed")}),
		},
		{ // closed, sold to another dealer
			first: "Rick", last: "Stanton", company: "Potomac Bass & Ski", email: "rick@potomacbass.example", phone: "+15715550303",
			city: "Alexandria", region: "VA", boat: "RA-1056", daysAgo: 62, offer: 39_500, more: object{"sale_type": "wholesale"},
			steps: join(one(onDeal(61, "/offers", object{"amount_usd": 41_000, "made_by": "dealer"}, "counter")),
				one(onDeal(60, "/offers/{counter}/accept", object{"by": "buyer"})), signed(59, "purchase_agreement", "Rick Stanton"),
				[]dealStep{advanced(59, "contracted"), paidRest(57, "wire"), advanced(57, "funded")}, signed(55, "bill_of_sale", "Rick Stanton"),
				[]dealStep{advanced(55, "delivered"), advanced(52, "closed")}),
		},
		{ // delivered, financed
			first: "Simone", last: "Archer", email: "simone.archer@example.net", phone: "+16675550304", city: "Edgewater",
			boat: "CO-1069", daysAgo: 58, offer: 109_000, source: "referral",
			more: with(lines(documentFee, titleFee, electronics), "deal_type", "finance"),
			steps: join(agreed(56, 114_500), one(paid(55, "deposit", "ach", 300_000)),
				loan(54, "15 years, 15% down", tidewater, terms{"7.49", "6.75", 180}, 1_800_000, coverage, hullCare),
				[]dealStep{advanced(54, "in_finance"), applied(53, tidewater, "TML-8841", "tide")},
				one(decided(50, "tide", "approved", terms{apr: "7.49", months: 180}, "None")),
				signed(44, "purchase_agreement", "Simone Archer"), signed(44, "retail_installment_contract", "Simone Archer"),
				[]dealStep{advanced(44, "contracted"), paid(44, "down_payment", "check", 1_500_000)},
				fundingTo(43, "tide", "contract_sent", "signed", "package_submitted"), fundingTo(35, "tide", "approved_to_fund", "funded"),
				[]dealStep{paidByLender(35), paidRest(34, "card"), advanced(34, "funded")},
				signed(6, "delivery_checklist", "Simone Archer"), one(advanced(6, "delivered"))),
		},
		{ // delivered, cash
			first: "Gordon", last: "Pell", email: "gordon.pell@example.com", phone: "+14435550305", city: "Chestertown",
			boat: "HA-1091", daysAgo: 30, offer: 42_000, source: "walk_in", more: lines(documentFee, titleFee, prep, cover),
			steps: join(agreed(29, 44_900), one(paid(29, "deposit", "card", 200_000)), signed(26, "purchase_agreement", "Gordon Pell"),
				[]dealStep{advanced(26, "contracted"), paidRest(20, "check"), advanced(20, "funded")},
				signed(3, "sea_trial_acceptance", "Gordon Pell"), signed(3, "delivery_checklist", "Gordon Pell"), one(advanced(3, "delivered"))),
		},
		{ // funded, waits for delivery
			first: "Aaron", last: "Feld", email: "aaron.feld@example.org", phone: "+14105550306", city: "Columbia",
			boat: "MA-1094", daysAgo: 45, offer: 118_000, source: "web", message: "Is the tower included?",
			more: with(lines(documentFee, titleFee, prep), "deal_type", "finance"),
			steps: join(agreed(43, 123_900), one(paid(42, "deposit", "card", 500_000)),
				loan(40, "12 years, 20% down", seacoast, terms{"7.99", "7.25", 144}, 2_500_000, gap),
				[]dealStep{advanced(40, "in_finance"), applied(39, seacoast, "SB-45311", "sea"), decided(36, "sea", "approved", terms{apr: "7.99", months: 144}, "None")},
				signed(30, "purchase_agreement", "Aaron Feld"), signed(30, "retail_installment_contract", "Aaron Feld"),
				[]dealStep{advanced(30, "contracted"), paid(30, "down_payment", "wire", 2_000_000)},
				fundingTo(29, "sea", "contract_sent", "signed", "package_submitted"), fundingTo(5, "sea", "approved_to_fund", "funded"),
				[]dealStep{paidByLender(5), paidRest(4, "check"), advanced(4, "funded")}),
		},
		{ // funded by the buyer's own bank
			first: "Katherine", last: "Moss", email: "kmoss@example.com", phone: "+13025550307", city: "Lewes", region: "DE",
			boat: "CA-1156", daysAgo: 40, offer: 265_000, source: "marketplace", message: "We sail out of Lewes. Is a survey from 2025 on file?",
			more: with(with(lines(documentFee), "deal_type", "outside_finance"), "taxes", []any{object{
				"name": "Maryland vessel excise tax", "rate_percent": "5", "base": "deal", "cap_cents": 1_610_000,
				"exempt_reason": "Principal use in Delaware",
			}}),
			steps: join(agreed(36, 276_000), one(paid(35, "deposit", "wire", 2_760_000)), one(onDeal(30, "/documents", object{"kind": "survey"})),
				signed(24, "purchase_agreement", "Katherine Moss"),
				[]dealStep{advanced(24, "contracted"), paidRest(5, "wire"), advanced(5, "funded")}),
		},
	}
}

// pendingSales returns the deals that are not paid yet, and one that was cancelled.
func pendingSales() []*sale {
	return []*sale{
		{ // contracted: the lender countered, and the buyer accepted its terms
			first: "Julian", last: "Reyes-Holt", email: "julian.rh@example.com", phone: "+15715550308", city: "Arlington", region: "VA",
			boat: "BE-1158", daysAgo: 35, offer: 222_000, source: "web", message: "We are moving up from a 27-footer.",
			more: with(lines(documentFee, titleFee, electronics), "deal_type", "finance"),
			steps: join(
				one(trade(34, object{
					"year": 1998, "make": "Catalina", "model": "270", "length_ft": 28.3, "hin": "CTYE1234G898",
					"allowance_cents": 1_650_000, "acv_cents": 1_400_000, "stock_in": true,
				})),
				agreed(32, 229_900), one(paid(31, "deposit", "ach", 1_000_000)),
				loan(29, "20 years, 15% down", bayFederal, terms{"7.49", "6.75", 240}, 3_500_000, hullCare),
				[]dealStep{
					advanced(29, "in_finance"), applied(28, bayFederal, "APP-20388", "bay"),
					decided(24, "bay", "countered", terms{apr: "7.99", months: 180}, "Shorter term"),
				},
				loan(22, "15 years, as Bay Federal offers", bayFederal, terms{"7.99", "7.25", 180}, 3_500_000, hullCare),
				fundingTo(22, "bay", "approved"),
				signed(9, "purchase_agreement", "Julian Reyes-Holt"), signed(9, "retail_installment_contract", "Julian Reyes-Holt"),
				[]dealStep{advanced(9, "contracted"), paid(9, "down_payment", "check", 2_500_000)},
				fundingTo(8, "bay", "contract_sent", "signed"), fundingTo(6, "bay", "package_submitted")),
		},
		{ // contracted, the balance is due at delivery
			first: "Martha", last: "Dunn", email: "martha.dunn@example.net", phone: "+14105550309", city: "Solomons",
			boat: "EA-1130", daysAgo: 22, offer: 99_000, more: lines(documentFee, titleFee, trailer),
			steps: join(agreed(19, 105_000), one(paid(18, "deposit", "check", 1_000_000)),
				one(onDeal(18, "/documents", object{"kind": "deposit_receipt"})),
				signed(8, "purchase_agreement", "Martha Dunn"), one(advanced(8, "contracted"))),
		},
		{ // in finance, approved with conditions
			first: "Ahmed", last: "Nasser", email: "ahmed.nasser@example.com", phone: "+14435550310", city: "Kent Island",
			boat: "AX-1125", daysAgo: 20, offer: 155_000, source: "phone", more: with(lines(documentFee, titleFee), "deal_type", "finance"),
			steps: join(agreed(18, 162_500), one(paid(17, "deposit", "card", 500_000)),
				loan(15, "20 years, 20% down", tidewater, terms{"7.74", "6.99", 240}, 3_300_000, coverage, gap),
				[]dealStep{
					advanced(15, "in_finance"), applied(14, tidewater, "TML-9127", "tide"),
					decided(9, "tide", "conditional", terms{apr: "7.74", months: 240}, "Two years of tax returns, insurance binder"),
					stipulation(9, "tide", "tax_returns", "returns"), stipulation(9, "tide", "insurance_binder", "binder"),
					resolved(4, "tide", "returns", "received"),
				}),
		},
		{ // in finance, waiting for an answer
			first: "Holly", last: "Jensen", email: "holly.jensen@example.org", phone: "+17175550311", city: "Lancaster", region: "PA",
			boat: "CH-1066", daysAgo: 15, offer: 43_500, source: "marketplace", message: "Can you deliver to Safe Harbor?",
			more: with(lines(documentFee, titleFee, cover), "deal_type", "finance"),
			steps: join(agreed(13, 46_500), one(paid(12, "deposit", "card", 100_000)),
				loan(10, "10 years, 10% down", seacoast, terms{"8.49", "7.75", 120}, 500_000, coverage),
				[]dealStep{
					advanced(10, "in_finance"), applied(9, seacoast, "SB-45790", "sea"), applied(9, bayFederal, "APP-20561", "bay"),
					declined(6, "sea", "Not enough credit history"),
				}),
		},
		{ // in finance, the lender countered
			first: "Peter", last: "Van Horn", email: "pvanhorn@example.com", phone: "+14105550312", city: "Annapolis",
			boat: "BC-1117", daysAgo: 18, offer: 240_000, source: "web", message: "Looking for a Back Cove for Maine in the summer.",
			more: with(lines(documentFee, titleFee, electronics), "deal_type", "finance"),
			steps: join(
				one(trade(17, object{
					"year": 2006, "make": "Mainship", "model": "Pilot 30", "length_ft": 30.5, "allowance_cents": 7_200_000, "acv_cents": 6_600_000,
					"payoff_cents": 2_140_000, "lienholder": seacoast, "per_diem_cents": 412, "stock_in": true,
				})),
				agreed(15, 249_000), one(paid(15, "deposit", "wire", 1_000_000)),
				loan(12, "20 years, 20% down", bayFederal, terms{"7.24", "6.49", 240}, 4_000_000, hullCare),
				[]dealStep{
					advanced(12, "in_finance"), applied(11, bayFederal, "APP-20544", "bay"),
					decided(3, "bay", "countered", terms{apr: "7.74", months: 180}, "Older than ten years: 15 years at most"),
				}),
		},
		{ // accepted
			first: "Trent", last: "Ellison", email: "trent.ellison@example.net", phone: "+16675550313", city: "Havre de Grace",
			boat: "SD-1136", daysAgo: 8, offer: 14_000, source: "web", message: "Two of us want one. Any discount?",
			more:  lines(documentFee, extra("Single trailer", 149_500, 112_000), extra("Life jackets, pair", 17_900, 9_800)),
			steps: join(agreed(7, 14_700), one(paid(6, "deposit", "card", 50_000))),
		},
		{ // accepted, with a trade-in
			first: "Louise", last: "Carter", email: "louise.carter@example.com", phone: "+18045550314", city: "Norfolk", region: "VA",
			boat: "RT-1110", daysAgo: 11, offer: 170_000, source: "event", more: lines(documentFee, titleFee, electronics, serviceContract),
			steps: join(
				one(trade(10, object{
					"year": 2011, "make": "Ranger Tugs", "model": "R-25", "length_ft": 25.0, "allowance_cents": 6_800_000, "acv_cents": 6_300_000,
					"stock_in": true,
				})),
				agreed(9, 178_500), one(paid(8, "deposit", "check", 1_000_000)), one(onDeal(5, "/documents", object{"kind": "purchase_agreement"}))),
		},
		{ // open, a first offer
			first: "Sandra", last: "Quill", email: "sandra.quill@example.com", phone: "+14435550315", city: "Pasadena",
			boat: "BE-1089", daysAgo: 3, offer: 34_500, source: "walk_in", more: lines(documentFee, titleFee),
		},
		{ // open, with a counteroffer
			first: "Raymond", last: "Okada", email: "ray.okada@example.org", phone: "+13015550316", city: "Bethesda",
			boat: "WC-1126", daysAgo: 6, offer: 199_000, more: lines(documentFee, titleFee, prep),
			steps: one(onDeal(4, "/offers", object{"amount_usd": 209_900, "made_by": "dealer", "note": "With the second station"}, "counter")),
		},
		{ // open, the first offer was rejected
			first: "Claire", last: "Fontaine", email: "claire@fontaine.example", phone: "+14105550317", city: "Annapolis",
			boat: "LA-1178", daysAgo: 9, offer: 560_000, source: "marketplace", message: "We plan to cruise the Bahamas next winter.",
			more: lines(documentFee, electronics),
			steps: []dealStep{
				onDeal(7, "/offers", object{"amount_usd": 635_000, "made_by": "dealer"}, "counter"),
				onDeal(6, "/offers/{counter}/reject", object{"reason": "Too high"}),
				onDeal(2, "/offers", object{"amount_usd": 605_000, "made_by": "buyer"}),
			},
		},
		{ // cancelled, because no lender approved it
			first: "Wayne", last: "Dobbs", email: "wayne.dobbs@example.com", phone: "+14435550318", city: "Baltimore",
			boat: "TR-1059", daysAgo: 26, offer: 16_000, source: "phone", more: with(lines(documentFee, titleFee), "deal_type", "finance"),
			steps: join(agreed(25, 16_900), one(paid(24, "deposit", "card", 50_000)),
				loan(23, "7 years", seacoast, terms{"9.49", "8.75", 84}, 200_000),
				[]dealStep{
					advanced(23, "in_finance"), applied(22, seacoast, "SB-45102", "sea"), declined(20, "sea", "Credit score"),
					onDeal(17, "/cancel", object{"reason": "No lender approved it", "deposit_outcome": "refund"}),
				}),
		},
	}
}
