package app

import (
	"maps"

	"slipway/internal/testkit"
)

func init() { maps.Copy(recipes, dealRecipes) }

// dealRecipes are the recipes of deals, finance and documents.
var dealRecipes = map[string]recipe{
	"acceptOffer":    {anOffer, nil},
	"addStipulation": {aFunding, fixed(`{"kind": "survey"}`)},
	"addTradeIn":     {aDeal, fixed(`{"allowance_cents": 100000}`)},
	"advanceDeal":    {anAcceptedDeal, fixed(`{"to": "in_finance"}`)},
	"advanceFunding": {aFunding, fixed(`{"to": "approved"}`)},
	"cancelDeal":     {aDeal, fixed(`{"reason": "Changed their mind"}`)},
	"convertLead": {aLead, func(c *testkit.Client) any {
		return map[string]any{"offer_usd": 1000, "hull_id": c.Hull(c.Location(), nil)}
	}},
	"createDeal":             {nil, func(c *testkit.Client) any { return c.DealBody(nil) }},
	"createFinanceStructure": {aDeal, fixed(`{"apr_percent": "7.49", "term_months": 240}`)},
	"getDeal":                {aDeal, nil},
	"getDocument":            {aDocument, nil},
	"getDocumentContent":     {aDocument, nil},
	"getFinanceStructure":    {aStructure, nil},
	"getFunding":             {aFunding, nil},
	"getOffer":               {anOffer, nil},
	"getPayment":             {aPayment, nil},
	"issueDocument":          {aDeal, fixed(`{"kind": "buyers_order"}`)},
	"listDealHistory":        {aDeal, nil},
	"listDeals":              {},
	"listDocuments":          {aDeal, nil},
	"listFinanceStructures":  {aDeal, nil},
	"listFundings":           {aDeal, nil},
	"listOffers":             {aDeal, nil},
	"listPayments":           {aDeal, nil},
	"listTradeIns":           {aDeal, nil},
	"makeOffer":              {aDeal, fixed(`{"amount_usd": 1000, "made_by": "dealer"}`)},
	"recordPayment":          {aDeal, fixed(`{"kind": "deposit", "method": "card", "amount_cents": 50000}`)},
	"refundPayment":          {aPayment, fixed(`{"reason": "Too much"}`)},
	"rejectOffer":            {anOffer, nil},
	"removeTradeIn":          {aTradeIn, nil},
	"resolveStipulation":     {aStipulation, fixed(`{"status": "waived"}`)},
	"selectFinanceStructure": {aStructure, nil},
	"signDocument":           {aDocument, fixed(`{"signer_role": "buyer", "signer_name": "Ann Bell"}`)},
	"submitFunding":          {aSelectedStructure, fixed(`{"lender": "Bay Federal"}`)},
	"updateDeal":             {aDeal, fixed(`{"metadata": {"a": "1"}}`)},
	"voidDocument":           {aDocument, fixed(`{"reason": "Wrong boat"}`)},

	"preview.listDealAdjustments":   {aDealWithAProduct, nil},
	"preview.createDealAdjustment":  {aDealWithAProduct, fixed(`{"kind": "line_item", "position": 0, "refund": {"amount": 89500, "currency": "USD"}, "chargeback": {"amount": 40000, "currency": "USD"}, "effective_on": "2026-11-01", "reason": "Sold the boat"}`)},
	"preview.getDealDesk":           {},
	"preview.issueMissingDocuments": {anAcceptedDeal, nil},
	"preview.listMissingDocuments":  {anAcceptedDeal, nil},
	"preview.undoFunding":           {anAdvancedFunding, nil},
	"preview.undoOffer":             {anOffer, nil},
	"preview.undoPayment":           {aPayment, nil},
	"preview.unwindDeal":            {aRefundedSale, fixed(`{"reason": "Title problem", "hull_status": "available"}`)},
}

func aDeal(c *testkit.Client) map[string]string { return map[string]string{"deal_id": c.Deal(nil)} }

// createIn adds a resource to a deal and returns the path parameters.
func createIn(c *testkit.Client, deal, name, path string, body any) map[string]string {
	var created struct{ ID string }
	c.Post("/v1/deals/"+deal+path, body, 201, &created)
	return map[string]string{"deal_id": deal, name: created.ID}
}

func anOffer(c *testkit.Client) map[string]string {
	return createIn(c, c.Deal(nil), "offer_id", "/offers", `{"amount_usd": 1000, "made_by": "dealer"}`)
}

func aDealWithAProduct(c *testkit.Client) map[string]string {
	return map[string]string{"deal_id": c.DealIn("delivered", map[string]any{"line_items": []any{map[string]any{"kind": "product", "amount_cents": 89500}}})}
}

// aRefundedSale returns a delivered deal without money.
func aRefundedSale(c *testkit.Client) map[string]string {
	deal := c.DealIn("delivered", nil)
	var paid struct{ Data []struct{ ID string } }
	c.Get("/v1/deals/"+deal+"/payments", 200, &paid)
	for _, p := range paid.Data {
		c.Post("/v1/deals/"+deal+"/payments/"+p.ID+"/refund", `{"reason": "Title problem"}`, 201, nil)
	}
	return map[string]string{"deal_id": deal}
}

func anAcceptedDeal(c *testkit.Client) map[string]string {
	return map[string]string{"deal_id": c.AcceptedDeal(nil)}
}

func aTradeIn(c *testkit.Client) map[string]string {
	return createIn(c, c.Deal(nil), "trade_in_id", "/trade_ins", `{"allowance_cents": 100000}`)
}

func aStructure(c *testkit.Client) map[string]string {
	return createIn(c, c.Deal(nil), "structure_id", "/finance_structures", `{"apr_percent": "7.49", "term_months": 240}`)
}

func aSelectedStructure(c *testkit.Client) map[string]string {
	s := aStructure(c)
	c.Post("/v1/deals/"+s["deal_id"]+"/finance_structures/"+s["structure_id"]+"/select", nil, 200, nil)
	return map[string]string{"deal_id": s["deal_id"]}
}

func aFunding(c *testkit.Client) map[string]string {
	return createIn(c, aSelectedStructure(c)["deal_id"], "funding_id", "/fundings", `{"lender": "Bay Federal"}`)
}

func anAdvancedFunding(c *testkit.Client) map[string]string {
	f := aFunding(c)
	c.Post("/v1/deals/"+f["deal_id"]+"/fundings/"+f["funding_id"]+"/advance", `{"to": "approved"}`, 200, nil)
	return f
}

func aStipulation(c *testkit.Client) map[string]string {
	f := aFunding(c)
	s := createIn(c, f["deal_id"], "stipulation_id", "/fundings/"+f["funding_id"]+"/stipulations", `{"kind": "survey"}`)
	s["funding_id"] = f["funding_id"]
	return s
}

func aSignedDocument(c *testkit.Client) map[string]string {
	deal := c.AcceptedDeal(nil)
	return map[string]string{"deal_id": deal, "document_id": c.SignedDocument(deal, "bill_of_sale")}
}

func aDocument(c *testkit.Client) map[string]string {
	return createIn(c, c.AcceptedDeal(nil), "document_id", "/documents", `{"kind": "purchase_agreement"}`)
}

func aPayment(c *testkit.Client) map[string]string {
	return createIn(c, c.Deal(nil), "payment_id", "/payments", `{"kind": "deposit", "method": "card", "amount_cents": 50000}`)
}
