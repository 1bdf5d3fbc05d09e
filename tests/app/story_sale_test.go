package app

// meetCustomers is how people ask about boats.
func (st *story) meetCustomers(desk *teller) {
	var ann, twice, sam ref
	desk.does("createContact", object{
		"first_name": "Ann", "last_name": "Bell", "email": "ann@example.com", "phone": "(410) 555-0123", "preferred_channel": "sms",
		"address": object{"line1": "4 Bay Ridge Road", "city": "Annapolis", "region": "MD", "postal_code": "21403", "country": "US"},
		"tags":    []string{"boat show"},
	}, &ann)
	st.contact = ann.ID
	desk.does("updateContact", object{"metadata": object{"crm_id": "4711"}}, nil, ann.ID)
	desk.does("createContact", object{"first_name": "Annie", "last_name": "Bell", "email": "ann@example.com"}, &twice)
	desk.does("mergeContact", object{"duplicate_id": twice.ID}, nil, ann.ID)
	desk.does("getContact", nil, nil, ann.ID)
	desk.does("createContact", object{"first_name": "Sam", "last_name": "Hill", "email": "sam@example.com"}, &sam)
	desk.does("listContacts", nil, nil, "?q=bell&limit=1")
	desk.does("eraseContact", nil, nil, sam.ID)

	var lead, lost, consent ref
	desk.does("createLead", object{
		"contact": object{"first_name": "Ann", "last_name": "Bell", "email": "ann@example.com"}, "source": "web",
		"source_detail": "Listing of the Freedom 235", "hull_id": st.hull, "message": "Is she still available? I could come by on Saturday.",
		"budget_max_usd": 125000, "timeline": "before summer",
		"consents": []object{{
			"channels": []string{"email"}, "scope": "marketing", "basis": "express_written", "source": "web_form", "method": "checkbox",
			"consent_text": "Send me offers by email.",
		}},
	}, &lead)
	st.lead = lead.ID
	desk.does("assignLead", object{"user_id": st.ben, "reason": "Knows the boat"}, nil, lead.ID)
	desk.does("listLeadAssignments", nil, nil, lead.ID)
	desk.does("recordLeadSignal", object{"kind": "payment_calculator", "hull_id": st.hull, "value": 899.5, "source": "website"}, nil, lead.ID)
	desk.does("listLeadSignals", nil, nil, lead.ID)
	desk.does("updateLead", object{"status": "working", "interest": "A dual console for the family"}, nil, lead.ID)
	desk.does("getLead", nil, nil, lead.ID)
	desk.does("createLead", object{"contact": object{"last_name": "Reyes", "phone": "+14105550177"}, "source": "phone"}, &lost)
	desk.does("closeLead", object{"reason": "Bought elsewhere"}, nil, lost.ID)
	desk.does("listLeads", nil, nil, "?status=working&limit=1")

	desk.does("logLeadConsent", object{
		"channels": []string{"sms"}, "scope": "all", "basis": "express_written", "source": "web_form", "method": "checkbox",
		"consent_text": "I agree to receive texts from Chesapeake Marine.", "ip": "203.0.113.7",
	}, &consent, lead.ID)
	desk.does("sendLeadMessage", object{
		"channel": "sms", "purpose": "transactional", "body": "She is back from service. Would Saturday suit you for a sea trial?",
	}, nil, lead.ID)
	desk.does("receiveLeadMessage", object{"channel": "sms", "from": "+14105550123", "body": "Saturday at 10 is great."}, nil, lead.ID)
	desk.does("listLeadMessages", nil, nil, lead.ID, "?limit=2")
	desk.does("revokeLeadConsent", object{"reason": "Prefers email", "source": "phone"}, nil, lead.ID, consent.ID)
	desk.does("listLeadConsents", nil, nil, lead.ID, "?limit=2")
	desk.does("listContactConsents", nil, nil, ann.ID, "?limit=2")
}

// sell is how the buyer and the dealership agree.
func (st *story) sell(desk *teller) {
	var deal, other, offer, low, trade, spare ref
	desk.does("convertLead", object{
		"offer_usd": 112500, "deal_type": "finance", "line_items": []object{
			{"kind": "fee", "code": "doc", "description": "Documentation fee", "amount_cents": 49900, "cost_cents": 0},
		},
	}, &deal, st.lead)
	st.deal = deal.ID
	desk.does("addTradeIn", object{
		"description": "2016 Boston Whaler 210 Montauk with trailer", "hin": "BWCE1234A616", "year": 2016, "make": "Boston Whaler",
		"model": "210 Montauk", "length_ft": 21.33, "allowance_cents": 3250000, "acv_cents": 3000000, "payoff_cents": 1200000,
		"lienholder": "Bay Federal", "stock_in": true,
	}, &trade, deal.ID)
	desk.does("addTradeIn", object{"description": "Trailer", "allowance_cents": 150000, "acv_cents": 100000}, &spare, deal.ID)
	desk.does("removeTradeIn", nil, nil, deal.ID, spare.ID)
	desk.does("listTradeIns", nil, nil, deal.ID)
	desk.does("updateDeal", object{"owner_id": st.ben, "metadata": object{"campaign": "winter sale"}}, nil, deal.ID)

	desk.does("makeOffer", object{"amount_usd": 119000, "made_by": "dealer", "expires_at": "2026-12-05T17:00:00Z"}, &low, deal.ID)
	desk.does("rejectOffer", object{"reason": "Above the budget"}, nil, deal.ID, low.ID)
	desk.does("makeOffer", object{
		"amount_usd": 116500, "made_by": "dealer", "expires_at": "2026-12-05T17:00:00Z", "note": "Includes winter storage",
	}, &offer, deal.ID)
	desk.does("getOffer", nil, nil, deal.ID, offer.ID)
	desk.does("listOffers", nil, nil, deal.ID, "?limit=2")
	desk.does("acceptOffer", object{"by": "buyer"}, nil, deal.ID, offer.ID)

	desk.does("createDeal", object{"hull_id": st.otherHull(), "buyer_id": st.contact, "offer_usd": 138000}, &other)
	desk.does("cancelDeal", object{"reason": "Chose the Freedom 235"}, nil, other.ID)
	desk.does("getDeal", nil, nil, deal.ID)
	desk.does("listDeals", nil, nil, "?status=accepted&limit=1")
}

// otherHull is the boat of the import.
func (st *story) otherHull() string {
	var list struct{ Data []ref }
	st.s.Test.Get("/v1/hulls?q=vantage", 200, &list)
	return list.Data[0].ID
}

// finance is how the deal is financed and paid.
func (st *story) finance(desk *teller) {
	var deposit, structure, funding, stipulation ref
	desk.does("recordPayment", object{"kind": "deposit", "method": "card", "amount_cents": 500000, "reference": "ch_3Pq"}, &deposit, st.deal)
	desk.does("getPayment", nil, nil, st.deal, deposit.ID)
	desk.does("createFinanceStructure", object{
		"name": "20 years, $20,000 down", "lender": "Bay Federal", "cash_down_cents": 2000000, "apr_percent": "7.49", "term_months": 240,
		"products": []object{{
			"kind": "service_contract", "provider": "Harbor Warranty", "price_cents": 350000, "cost_cents": 180000, "term_months": 60, "financed": true,
		}},
	}, &structure, st.deal)
	desk.does("selectFinanceStructure", nil, nil, st.deal, structure.ID)
	desk.does("getFinanceStructure", nil, nil, st.deal, structure.ID)
	desk.does("listFinanceStructures", nil, nil, st.deal)

	desk.does("submitFunding", object{"lender": "Bay Federal", "reference": "BF-20931"}, &funding, st.deal)
	desk.does("addStipulation", object{"kind": "tax_returns", "description": "Two years of tax returns"}, &stipulation, st.deal, funding.ID)
	desk.does("advanceFunding", object{
		"to": "approved", "decision": object{"apr_percent": "7.49", "term_months": 240, "tier": "A"},
	}, nil, st.deal, funding.ID)
	desk.does("resolveStipulation", object{"status": "accepted", "note": "Received by email"}, nil, st.deal, funding.ID, stipulation.ID)
	desk.does("getFunding", nil, nil, st.deal, funding.ID)
	desk.does("listFundings", nil, nil, st.deal)
}

// deliver is how the deal gets signed and its documents are handled.
func (st *story) deliver(desk *teller) {
	var wrong, agreement ref
	desk.does("advanceDeal", object{"to": "in_finance"}, nil, st.deal)
	desk.does("issueDocument", object{"kind": "buyers_order"}, &wrong, st.deal)
	desk.does("voidDocument", object{"reason": "Replaced by the purchase agreement"}, nil, st.deal, wrong.ID)
	desk.does("issueDocument", object{"kind": "purchase_agreement"}, &agreement, st.deal)
	desk.does("signDocument", object{"signer_role": "dealer", "signer_name": "Olivia Chen"}, nil, st.deal, agreement.ID)
	desk.does("signDocument", object{"signer_role": "buyer", "signer_name": "Ann Bell", "ip": "203.0.113.7"}, nil, st.deal, agreement.ID)
	desk.does("getDocument", nil, nil, st.deal, agreement.ID)
	desk.does("getDocumentContent", nil, nil, st.deal, agreement.ID)
	desk.does("listDocuments", nil, nil, st.deal, "?limit=2")
	desk.does("advanceDeal", object{"to": "contracted", "reason": "All signatures are in"}, nil, st.deal)
	desk.does("listDealHistory", nil, nil, st.deal, "?limit=2")

	var payment ref
	desk.does("recordPayment", object{"kind": "down_payment", "method": "check", "amount_cents": 2050000, "reference": "1031"}, &payment, st.deal)
	desk.does("refundPayment", object{"amount_cents": 50000, "reason": "Paid $500 too much"}, nil, st.deal, payment.ID)
	desk.does("listPayments", nil, nil, st.deal, "?limit=2")
	desk.does("exportContact", nil, nil, st.contact)
}
