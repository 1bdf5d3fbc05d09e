package documents

import (
	"crypto/sha256"
	"encoding/hex"

	"slipway/internal/deals"
	"slipway/internal/vocab/wire"
)

// termsOf returns a hash of what the parties agree on. Payments and costs are not
// part of it, and neither is the progress of the deal.
func termsOf(d deals.Deal, trades []deals.TradeIn, listing *deals.ListingAgreement) string {
	type item struct {
		Kind        deals.LineItemKind
		Description *string
		Cents       int64
		Taxable     bool
	}
	type boat struct {
		ID                string
		HIN               *string
		Allowance, Payoff int64
	}
	terms := struct {
		Hull, Buyer        string
		CoBuyer, Structure *string
		Price, Tax, Total  int64
		Items              []item
		Trades             []boat
		Seller             string `json:",omitempty"` // the owner of a boat that is sold for someone else
	}{d.HullID, d.BuyerID, d.CoBuyerID, d.SelectedStructureID, d.Totals.PriceCents, d.Totals.TaxCents, d.Totals.TotalCents, nil, nil, ""}
	if listing != nil {
		terms.Seller = listing.OwnerContactID
	}
	for _, l := range d.LineItems {
		terms.Items = append(terms.Items, item{l.Kind, l.Description, l.AmountCents, l.Taxable != nil && *l.Taxable})
	}
	for _, t := range trades {
		terms.Trades = append(terms.Trades, boat{t.ID, t.HIN, t.AllowanceCents, t.PayoffCents})
	}

	text, err := wire.Marshal(terms)
	if err != nil {
		panic(err) // the struct only has texts and numbers
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
