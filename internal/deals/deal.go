// Package deals is the sale of a boat: offers, trade-ins and totals, from the
// first offer until the deal is closed.
package deals

import (
	"fmt"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/money"
	"slipway/internal/vocab/patch"
)

// Deal is the sale of one hull to one buyer.
type Deal struct {
	Env                 auth.Env          `json:"-" db:"env"`
	ID                  string            `json:"id" db:"id" example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	HullID              string            `json:"hull_id" db:"hull_id" example:"hull_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	BuyerID             string            `json:"buyer_id" db:"buyer_id" example:"con_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	OfferUSD            int64             `json:"offer_usd" db:"offer_usd" doc:"The opening offer, in whole US dollars. What counts now is totals.price_cents." example:"118000"`
	LeadID              *string           `json:"lead_id" db:"lead_id" doc:"The lead that it came from."`
	CoBuyerID           *string           `json:"co_buyer_id" db:"co_buyer_id" doc:"The contact who buys together with the buyer."`
	OwnerID             *string           `json:"owner_id" db:"owner_id" doc:"The user who looks after it."`
	SaleType            string            `json:"sale_type" db:"sale_type" enum:"retail,wholesale,brokerage"`
	DealType            Type              `json:"deal_type" db:"deal_type" enum:"cash,finance,outside_finance" doc:"How it is paid: finance through a lender of ours, outside_finance through one of the buyer's."`
	Status              Status            `json:"status" db:"status" enum:"open,accepted,in_finance,contracted,funded,delivered,closed,cancelled"`
	StatusCategory      string            `json:"status_category" enum:"open,done,cancelled" doc:"done once it is closed." audit:"-"`
	AcceptedOfferID     *string           `json:"accepted_offer_id" db:"accepted_offer_id"`
	LineItems           []DealLineItem    `json:"line_items" db:"line_items,json" nullable:"false"`
	TaxRatePercent      money.Percent     `json:"tax_rate_percent" db:"tax_rate_percent" doc:"A decimal." example:"6"`
	TradeTaxCredit      bool              `json:"trade_tax_credit" db:"trade_tax_credit" doc:"Whether trade-in allowances lessen what is taxed, as many states have it."`
	Totals              DealTotals        `json:"totals" doc:"Always computed by the server."`
	SelectedStructureID *string           `json:"selected_structure_id" db:"selected_structure_id" doc:"The finance structure that the buyer takes. A change to what the deal comes to undoes the selection."`
	FundingState        string            `json:"funding_state" db:"funding_state" enum:"not_required,not_started,submitted,conditional,approved,countered,declined,withdrawn,contract_sent,signed,package_submitted,pending_docs,approved_to_fund,funded,charged_back" doc:"That of the funding that has come furthest."`
	SignedAgreementID   *string           `json:"signed_agreement_id" db:"signed_agreement_id" doc:"The purchase agreement that all have signed. While there is one, what the deal comes to cannot change."`
	CancelReason        *string           `json:"cancel_reason" db:"cancel_reason" audit:"-"`
	DepositOutcome      *string           `json:"deposit_outcome" db:"deposit_outcome" enum:"refund,forfeit,transfer" doc:"What became of the buyer's money when the deal was cancelled."`
	Rev                 int64             `json:"revision" db:"revision" doc:"Counts how often the deal was closed anew." example:"1"`
	Metadata            map[string]string `json:"metadata" db:"metadata,json" audit:"-" doc:"Your own notes: up to 50 pairs."`
	AcceptedAt          *time.Time        `json:"accepted_at" db:"accepted_at"`
	ContractedAt        *time.Time        `json:"contracted_at" db:"contracted_at"`
	FundedAt            *time.Time        `json:"funded_at" db:"funded_at"`
	DeliveredAt         *time.Time        `json:"delivered_at" db:"delivered_at"`
	ClosedAt            *time.Time        `json:"closed_at" db:"closed_at"`
	CancelledAt         *time.Time        `json:"cancelled_at" db:"cancelled_at"`
	Version             int64             `json:"version" db:"version" doc:"Counts the changes; the same as the ETag." example:"1"`
	CreatedAt           time.Time         `json:"created_at" db:"created_at"`
	UpdatedAt           time.Time         `json:"updated_at" db:"updated_at"`

	// What totals are made of, beside the line items.
	PriceUSD            int64 `json:"-" db:"price_usd"`
	TradeAllowanceCents int64 `json:"-" db:"trade_allowance_cents"`
	TradeEquityCents    int64 `json:"-" db:"trade_equity_cents"`
	OverAllowanceCents  int64 `json:"-" db:"over_allowance_cents"`
	PaidCents           int64 `json:"-" db:"paid_cents"`
	ProductsCents       int64 `json:"-" db:"products_cents"`
	ProductsCostCents   int64 `json:"-" db:"products_cost_cents"`

	// How the hull was before the deal took it.
	HullStatus *hulls.Status `json:"-" db:"hull_status"`
	HullHold   *hulls.Hold   `json:"-" db:"hull_hold,json"`
}

// Revision is the deal's version.
func (d Deal) Revision() int64 { return d.Version }

// Type is how a deal is paid.
type Type string

// The types of deal.
const (
	Cash           Type = "cash"
	Finance        Type = "finance"
	OutsideFinance Type = "outside_finance"
)

// Funding states that no lender gives.
const (
	FundingNotRequired = "not_required"
	FundingNotStarted  = "not_started"
	FundingFunded      = "funded"
)

// DealLineItem is what comes on top of the boat, or off its price.
type DealLineItem struct {
	Kind        string  `json:"kind" enum:"fee,product,accessory,discount" doc:"A discount is taken off, the others are added."`
	Code        *string `json:"code" required:"false" maxLength:"50" example:"doc"`
	Description *string `json:"description" required:"false" maxLength:"200" example:"Documentation fee"`
	AmountCents int64   `json:"amount_cents" minimum:"0" maximum:"100000000000" doc:"Never negative, also for a discount." example:"49900"`
	CostCents   *int64  `json:"cost_cents" required:"false" minimum:"0" maximum:"100000000000" doc:"What it costs the dealership. Null without deals:write."`
	Taxable     bool    `json:"taxable" required:"false"`
	Side        *string `json:"side" required:"false" enum:"front,back" doc:"Whose profit it is: the boat's or that of finance and insurance. Without it, back for a product."`
}

// signed is the amount as it counts.
func (l DealLineItem) signed() int64 {
	if l.Kind == "discount" {
		return -l.AmountCents
	}
	return l.AmountCents
}

func (l DealLineItem) profit() int64 {
	if l.CostCents != nil {
		return l.signed() - *l.CostCents
	}
	return l.signed()
}

func (l DealLineItem) back() bool { return l.Side != nil && *l.Side == "back" }

// DealCreate is what a new deal needs.
type DealCreate struct {
	HullID    string            `json:"hull_id" minLength:"1" maxLength:"64" example:"hull_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	BuyerID   string            `json:"buyer_id" minLength:"1" maxLength:"64" doc:"A contact." example:"con_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	OfferUSD  int64             `json:"offer_usd" minimum:"0" maximum:"1000000000" doc:"The buyer's opening offer, in whole US dollars." example:"118000"`
	LeadID    *string           `json:"lead_id" required:"false" maxLength:"64"`
	CoBuyerID *string           `json:"co_buyer_id" required:"false" maxLength:"64"`
	OwnerID   *string           `json:"owner_id" required:"false" maxLength:"64" doc:"Without it: the user who opens the deal, if it is one."`
	SaleType  string            `json:"sale_type,omitempty" enum:"retail,wholesale,brokerage" default:"retail"`
	DealType  Type              `json:"deal_type,omitempty" enum:"cash,finance,outside_finance" default:"cash"`
	Metadata  map[string]string `json:"metadata,omitempty" doc:"Up to 50 pairs; keys up to 40 characters, values up to 500."`
}

// Check says what the schema cannot.
func (c DealCreate) Check(time.Time) error {
	_, err := c.deal("0", auth.System)
	return err
}

// deal makes the deal, at the dealership's usual rate of tax.
func (c DealCreate) deal(taxRate money.Percent, by auth.Actor) (Deal, error) {
	d := Deal{
		HullID: c.HullID, BuyerID: c.BuyerID, OfferUSD: c.OfferUSD, PriceUSD: c.OfferUSD, LeadID: c.LeadID, CoBuyerID: c.CoBuyerID,
		OwnerID: c.OwnerID, SaleType: c.SaleType, DealType: c.DealType, Status: Open, LineItems: []DealLineItem{},
		TaxRatePercent: taxRate, Rev: 1, Metadata: c.Metadata,
	}
	if d.OwnerID == nil && by.Type == "user" {
		d.OwnerID = &by.ID
	}
	if d.Metadata == nil {
		d.Metadata = map[string]string{}
	}
	d.FundingState = d.fundingWithoutLender()
	return d, d.check()
}

// DealPatch changes a deal.
type DealPatch struct {
	LineItems      patch.Null[[]DealLineItem]     `json:"line_items,omitzero" maxItems:"100" doc:"Replaces all of them."`
	TaxRatePercent patch.Value[money.Percent]     `json:"tax_rate_percent,omitzero" maxLength:"10" example:"6"`
	TradeTaxCredit patch.Value[bool]              `json:"trade_tax_credit,omitzero"`
	OwnerID        patch.Null[string]             `json:"owner_id,omitzero" maxLength:"64"`
	CoBuyerID      patch.Null[string]             `json:"co_buyer_id,omitzero" maxLength:"64"`
	SaleType       patch.Value[string]            `json:"sale_type,omitzero" enum:"retail,wholesale,brokerage"`
	DealType       patch.Value[Type]              `json:"deal_type,omitzero" enum:"cash,finance,outside_finance"`
	Metadata       patch.Null[map[string]*string] `json:"metadata,omitzero" doc:"Pairs to add or change; a null value removes its key, null removes all."`
}

// Check says what the schema cannot.
func (p DealPatch) Check(time.Time) error {
	d := Deal{TaxRatePercent: "0"}
	p.set(&d)
	return d.check()
}

func (p DealPatch) set(d *Deal) {
	if p.LineItems.Set {
		d.LineItems = []DealLineItem{}
		if p.LineItems.V != nil {
			d.LineItems = append(d.LineItems, *p.LineItems.V...)
		}
	}
	p.TaxRatePercent.To(&d.TaxRatePercent)
	p.TradeTaxCredit.To(&d.TradeTaxCredit)
	p.OwnerID.To(&d.OwnerID)
	p.CoBuyerID.To(&d.CoBuyerID)
	p.SaleType.To(&d.SaleType)
	p.DealType.To(&d.DealType)
	if p.Metadata.Set {
		d.Metadata = patch.MergeMetadata(d.Metadata, p.Metadata.V)
	}
}

// apply changes the deal. Owner and notes may change at any time, the terms
// only as long as they are not signed.
func (p DealPatch) apply(d *Deal) error {
	terms := p.LineItems.Set || p.TaxRatePercent.Set || p.TradeTaxCredit.Set || p.CoBuyerID.Set || p.SaleType.Set || p.DealType.Set
	if terms {
		if err := d.MayChangeTerms(); err != nil {
			return err
		}
	}
	was := *d
	p.set(d)
	if err := d.check(); err != nil {
		return err
	}
	if d.DealType != was.DealType {
		if d.FundingState == was.fundingWithoutLender() {
			d.FundingState = d.fundingWithoutLender()
		}
		if d.DealType != Finance {
			d.Select(nil, 0, 0)
		}
	}
	d.repriced(was)
	return nil
}

// MayChangeTerms says whether what the deal comes to may still change.
func (d Deal) MayChangeTerms() error {
	switch {
	case d.Status != Open && d.Status != Accepted && d.Status != InFinance:
		return fault.Conflict("The deal is %s: its terms are fixed.", d.Status).Detail("status", "state", "must be open, accepted or in_finance")
	case d.SignedAgreementID != nil:
		return fault.Conflict("The purchase agreement is signed. Void it first.").
			Detail("signed_agreement_id", "state", "is set: void document %s to change the terms", *d.SignedAgreementID)
	}
	return nil
}

// repriced undoes the selection of a structure that was worked out for another
// sum.
func (d *Deal) repriced(was Deal) {
	if d.NetCents() != was.NetCents() {
		d.Select(nil, 0, 0)
	}
}

// Select makes a structure the one that the buyer takes, with what its products
// are sold and bought for; nil undoes that. Whoever takes one is financed by us.
func (d *Deal) Select(structureID *string, productsCents, costCents int64) {
	d.SelectedStructureID, d.ProductsCents, d.ProductsCostCents = structureID, productsCents, costCents
	if structureID != nil {
		d.TakeLender()
	}
}

// TakeLender makes the deal one that a lender of ours pays.
func (d *Deal) TakeLender() {
	if d.DealType != Finance {
		d.DealType = Finance
		d.FundingState = FundingNotStarted
	}
}

// fundingWithoutLender is the funding state while no lender has been asked.
func (d Deal) fundingWithoutLender() string {
	if d.DealType == Finance {
		return FundingNotStarted
	}
	return FundingNotRequired
}

// check fills in what follows from the rest and says what the schema cannot.
func (d *Deal) check() error {
	var bad fault.Fields
	d.TaxRatePercent.Check(&bad, "tax_rate_percent")
	if d.CoBuyerID != nil && *d.CoBuyerID == d.BuyerID {
		bad.Add("co_buyer_id", "exclusive", "must not be the buyer")
	}
	for i, l := range d.LineItems {
		if l.Side == nil {
			side := "front"
			if l.Kind == "product" {
				side = "back"
			}
			d.LineItems[i].Side = &side
		}
		if l.Kind == "discount" && l.CostCents != nil {
			bad.Add(fmt.Sprintf("line_items[%d].cost_cents", i), "exclusive", "is not for a discount")
		}
	}
	patch.CheckMetadata(&bad, d.Metadata)
	return bad.Err()
}
