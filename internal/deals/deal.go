// Package deals sells boats: deals with their offers, trade-ins and totals, from
// the first offer until the deal is closed.
package deals

import (
	"time"

	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/money"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/patch"
	"slipway/internal/vocab/privacy"
)

// Deal is the sale of one hull to one buyer.
type Deal struct {
	_ struct{} `doc:"The sale of one hull to one buyer." columns:"number status deal_type:TYPE buyer_id hull_id offer_usd created_at / owner_id funding_state version"`

	Env                 auth.Env          `json:"-" db:"env"`
	ID                  string            `json:"id" db:"id" doc:"Identifies the deal. Starts with deal_." example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Number              int64             `json:"number" db:"number" doc:"Number of the deal for people. Increases with each deal of the dealership, from 1001." example:"1042" since:"next"`
	HullID              string            `json:"hull_id" db:"hull_id" doc:"Boat that is sold." example:"hull_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	BuyerID             string            `json:"buyer_id" db:"buyer_id" doc:"Contact who buys the boat." example:"con_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	OfferUSD            int64             `json:"offer_usd" db:"offer_usd" doc:"Opening offer in whole US dollars. The current price is totals.price_cents." example:"118000"`
	LeadID              *string           `json:"lead_id" db:"lead_id" doc:"Lead that was converted into this deal. Null if there is none."`
	CoBuyerID           *string           `json:"co_buyer_id" db:"co_buyer_id" doc:"Contact who buys together with the buyer. Null if there is none."`
	OwnerID             *string           `json:"owner_id" db:"owner_id" doc:"User who is responsible for the deal."`
	SaleType            SaleType          `json:"sale_type" db:"sale_type" doc:"Kind of sale: to a customer (retail), to another dealer (wholesale), or for an owner (brokerage)."`
	DealType            Type              `json:"deal_type" db:"deal_type" doc:"How the buyer pays: cash, finance through a lender of the dealership, or outside_finance through the buyer's own lender."`
	Status              Status            `json:"status" db:"status" doc:"Progress of the deal, from the first offer to closed. Changed by acceptOffer, advanceDeal and cancelDeal."`
	StatusCategory      StatusCategory    `json:"status_category" doc:"Summary of the status: done if the deal is closed, cancelled if it is cancelled, and otherwise open." audit:"-"`
	AcceptedOfferID     *string           `json:"accepted_offer_id" db:"accepted_offer_id" doc:"Offer that was accepted. Null until then."`
	LineItems           []DealLineItem    `json:"line_items" db:"line_items,json" nullable:"false" doc:"Fees, products, accessories, discounts and rebates in addition to the price of the boat."`
	TaxRatePercent      *money.Percent    `json:"tax_rate_percent" doc:"The taxes as one rate. Null if they have several rates, a limit, an exemption or another base. Versions before that could have several taxes show the sum of the rates." example:"6" audit:"-" since:"next null=?"`
	Taxes               []DealTax         `json:"taxes" db:"taxes,json" nullable:"false" doc:"Taxes with their calculated amounts." since:"next"`
	TradeTaxCredit      bool              `json:"trade_tax_credit" db:"trade_tax_credit" doc:"Whether trade-in allowances reduce the taxable amount, as in many states."`
	Totals              DealTotals        `json:"totals" doc:"Calculated by Slipway."`
	SelectedStructureID *string           `json:"selected_structure_id" db:"selected_structure_id" doc:"Finance structure that the buyer selected. If the total of the deal changes, the selection is removed."`
	FundingState        FundingState      `json:"funding_state" db:"funding_state" doc:"Status of the funding that is furthest along."`
	SignedAgreementID   *string           `json:"signed_agreement_id" db:"signed_agreement_id" doc:"Purchase agreement that everyone has signed. While it is set, you can't change the terms of the deal."`
	CancelReason        *string           `json:"cancel_reason" db:"cancel_reason" doc:"Why the deal was cancelled. Null unless the status is cancelled."`
	DepositOutcome      *DepositOutcome   `json:"deposit_outcome" db:"deposit_outcome" doc:"What happened to the buyer's money when the deal was cancelled."`
	TransferredToDealID *string           `json:"transferred_to_deal_id" db:"transferred_to_deal_id" doc:"Deal that the payments were transferred to when this deal was cancelled." since:"next"`
	WriteOffReason      *string           `json:"write_off_reason" db:"write_off_reason" doc:"Reason for writing a balance off. Null if it was paid." since:"next"`
	WrittenOffCents     *int64            `json:"written_off_cents" db:"written_off_cents" doc:"Balance due that was written off when the deal was funded or closed. Null if it was paid." since:"next"`
	Warnings            []DealWarning     `json:"warnings" nullable:"false" audit:"-" doc:"What requires attention. Warnings don't block anything." since:"next"`
	Rev                 int64             `json:"revision" db:"revision" doc:"Revision of the agreed terms. Starts at 1 and increases when a signed purchase agreement is voided or replaced, because the next agreement has new terms." example:"1"`
	Metadata            map[string]string `json:"metadata" db:"metadata,json" doc:"Your own data. Up to 50 pairs."`
	AcceptedAt          *time.Time        `json:"accepted_at" db:"accepted_at" doc:"When an offer was accepted. Null until then."`
	ContractedAt        *time.Time        `json:"contracted_at" db:"contracted_at" doc:"When the deal became contracted. Null until then."`
	FundedAt            *time.Time        `json:"funded_at" db:"funded_at" doc:"When the deal became funded. Null until then."`
	DeliveredAt         *time.Time        `json:"delivered_at" db:"delivered_at" doc:"When the boat was delivered. Null until then."`
	ClosedAt            *time.Time        `json:"closed_at" db:"closed_at" doc:"When the deal was closed. Null until then."`
	CancelledAt         *time.Time        `json:"cancelled_at" db:"cancelled_at" doc:"When the deal was cancelled. Null unless it is."`
	UnwoundAt           *time.Time        `json:"unwound_at" db:"unwound_at" doc:"When the sale was undone after it was funded. Null unless it was." since:"next"`
	Version             int64             `json:"version" db:"version" doc:"Number of the current version. Same as the ETag." example:"1"`
	CreatedAt           time.Time         `json:"created_at" db:"created_at" doc:"When it was created."`
	UpdatedAt           time.Time         `json:"updated_at" db:"updated_at" doc:"When it last changed."`

	// The parts of the totals, apart from the line items.
	PriceUSD            int64 `json:"-" db:"price_usd"`
	TradeAllowanceCents int64 `json:"-" db:"trade_allowance_cents"`
	TradeEquityCents    int64 `json:"-" db:"trade_equity_cents"`
	OverAllowanceCents  int64 `json:"-" db:"over_allowance_cents"`
	PaidCents           int64 `json:"-" db:"paid_cents"`
	ProductsCents       int64 `json:"-" db:"products_cents"`
	ProductsCostCents   int64 `json:"-" db:"products_cost_cents"`

	ProductsTaxableCents int64 `json:"-" db:"products_taxable_cents"`
	ReserveCents         int64 `json:"-" db:"reserve_cents"`

	// How many costs are unknown. Without them, the profit is unknown too.
	TradesWithoutACV    int64 `json:"-" db:"trades_without_acv"`
	ProductsWithoutCost int64 `json:"-" db:"products_without_cost"`

	// The cost of the boat at the delivery, and with what was billed since then.
	DeliveredCostCents *int64 `json:"-" db:"delivered_cost_cents"`
	BookedCostCents    *int64 `json:"-" db:"booked_cost_cents"`
	// Where the boat was at the delivery.
	DeliveredLocationID *string `json:"-" db:"delivered_location_id"`
	// Sums of the adjustments, apart from costs.
	FrontAdjustedCents    int64 `json:"-" db:"front_adjusted_cents"`
	BackAdjustedCents     int64 `json:"-" db:"back_adjusted_cents"`
	CanceledProductsCents int64 `json:"-" db:"canceled_products_cents"`

	AgreementHIN  *string `json:"-" db:"agreement_hin"`  // that the signed agreement states
	CurrencyCents int64   `json:"-" db:"currency_cents"` // cash that was received
	StockedTrades int64   `json:"-" db:"stocked_trades"` // trade-ins in stock when the sale was undone

	// The state of the hull before the deal reserved it.
	HullStatus *hulls.Status `json:"-" db:"hull_status"`
	HullHold   *hulls.Hold   `json:"-" db:"hull_hold,json"`
}

// SaleType is the kind of a sale.
type SaleType string

// Values that the code uses.
const (
	Retail    SaleType = "retail"
	Wholesale SaleType = "wholesale"
	Brokerage SaleType = "brokerage"
)

var allSaleTypes = enum.Of("DealSaleType", "Kind of sale: to a customer, to another dealer, or for an owner.",
	Retail, Wholesale, Brokerage)

func (SaleType) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allSaleTypes.Describe(s)
}

// Revision returns the version for the ETag.
func (d Deal) Revision() int64 { return d.Version }

// Type is how a deal is paid.
type Type string

// The types of deal.
const (
	Cash           Type = "cash"
	Finance        Type = "finance"
	OutsideFinance Type = "outside_finance"
)

var allTypes = enum.Of("DealType", "How the buyer pays.",
	Cash, Finance, OutsideFinance)

func (Type) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allTypes.Describe(s)
}

// FundingState is the status of the funding that is furthest along.
type FundingState string

// Funding states of a deal. All others are statuses of its fundings.
const (
	FundingNotRequired FundingState = "not_required"
	FundingNotStarted  FundingState = "not_started"
	FundingFunded      FundingState = "funded"
)

var allFundingStates = enum.Of("DealFundingState", "Status of the funding of a deal that is furthest along.",
	FundingNotRequired, FundingNotStarted, "submitted", "conditional", "approved", "countered", "declined", "withdrawn",
	"contract_sent", "signed", "package_submitted", "pending_docs", "approved_to_fund", FundingFunded, "charged_back")

func (FundingState) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allFundingStates.Describe(s)
}

// DealPatch is a JSON merge patch of a deal.
type DealPatch struct {
	_ struct{} `doc:"Changes to a deal. Omitted fields keep their values, null clears a field."`

	LineItems      patch.Null[[]DealLineItem]     `json:"line_items,omitzero" maxItems:"100" doc:"Replaces all line items."`
	TaxRatePercent patch.Value[money.Percent]     `json:"tax_rate_percent,omitzero" maxLength:"10" doc:"Replaces all taxes with one sales tax." example:"6"`
	Taxes          patch.Null[[]DealTax]          `json:"taxes,omitzero" maxItems:"10" doc:"Replaces all taxes. Can't be combined with tax_rate_percent." since:"next"`
	TradeTaxCredit patch.Value[bool]              `json:"trade_tax_credit,omitzero" doc:"Whether trade-in allowances reduce the taxable amount."`
	OwnerID        patch.Null[string]             `json:"owner_id,omitzero" maxLength:"64" doc:"User who is responsible for the deal. Null removes the user."`
	CoBuyerID      patch.Null[string]             `json:"co_buyer_id,omitzero" maxLength:"64" doc:"Contact who buys together with the buyer. Null removes it."`
	SaleType       patch.Value[SaleType]          `json:"sale_type,omitzero" doc:"Kind of sale: to a customer (retail), to another dealer (wholesale), or for an owner (brokerage)."`
	DealType       patch.Value[Type]              `json:"deal_type,omitzero" doc:"How the buyer pays: cash, finance through a lender of the dealership, or outside_finance through the buyer's own lender."`
	Metadata       patch.Null[map[string]*string] `json:"metadata,omitzero" doc:"Pairs to add or change. Set a value to null to remove its key. Set metadata to null to remove all pairs."`
}

// Check validates what the schema can't express.
func (p DealPatch) Check(time.Time) error {
	var d Deal
	p.set(&d)
	var bad fault.Fields
	p.checkTaxes(&bad)
	d.check(&bad)
	return bad.Err()
}

func (p DealPatch) set(d *Deal) {
	if p.LineItems.Set {
		d.LineItems = []DealLineItem{}
		if p.LineItems.V != nil {
			d.LineItems = append(d.LineItems, *p.LineItems.V...)
		}
	}
	if p.TaxRatePercent.Set {
		d.Taxes = SalesTax(p.TaxRatePercent.V)
	}
	if p.Taxes.Set {
		d.Taxes = []DealTax{}
		if p.Taxes.V != nil {
			d.Taxes = append(d.Taxes, *p.Taxes.V...)
		}
	}
	p.TradeTaxCredit.To(&d.TradeTaxCredit)
	p.OwnerID.To(&d.OwnerID)
	p.CoBuyerID.To(&d.CoBuyerID)
	p.SaleType.To(&d.SaleType)
	p.DealType.To(&d.DealType)
	if p.Metadata.Set {
		d.Metadata = patch.MergeMetadata(d.Metadata, p.Metadata.V)
	}
}

func (p DealPatch) checkTaxes(bad *fault.Fields) {
	if p.TaxRatePercent.Set {
		checkOneForm(bad, &p.TaxRatePercent.V, p.Taxes.Set)
	}
}

// apply changes the deal. The owner and the metadata can always change. The
// terms can only change until the purchase agreement is signed.
func (p DealPatch) apply(d *Deal, rules dealership.Settings) error {
	terms := p.LineItems.Set || p.TaxRatePercent.Set || p.Taxes.Set || p.TradeTaxCredit.Set || p.CoBuyerID.Set ||
		p.SaleType.Set || p.DealType.Set
	if terms {
		if err := d.CheckTermsOpen(); err != nil {
			return err
		}
	}

	was := *d
	p.set(d)
	d.setTaxable(rules.TaxableLines)
	if !p.TaxRatePercent.Set && !p.Taxes.Set {
		d.setSaleType(was.SaleType)
	}
	var bad fault.Fields
	p.checkTaxes(&bad)
	d.check(&bad)
	if err := bad.Err(); err != nil {
		return err
	}

	if d.DealType != was.DealType {
		if d.FundingState == was.initialFundingState() {
			d.FundingState = d.initialFundingState()
		}
		if d.DealType != Finance {
			d.Select(nil, Products{})
		}
	}
	d.deselectIfRepriced(was)
	return nil
}

// CheckTermsOpen fails if the terms of the deal can't change anymore.
func (d Deal) CheckTermsOpen() error {
	switch {
	case d.Status != Open && d.Status != Accepted && d.Status != InFinance:
		return fault.Conflict("The deal is %s. You can't change its terms.", d.Status).
			Detail("status", "state", "must be open, accepted or in_finance")
	case d.SignedAgreementID != nil:
		return fault.Conflict("The purchase agreement is signed. Void it before you change the terms.").
			Detail("signed_agreement_id", "state", "must be null; void document %s first", *d.SignedAgreementID)
	}
	return nil
}

// deselectIfRepriced removes the selection of a structure that was calculated
// for another total.
func (d *Deal) deselectIfRepriced(was Deal) {
	if d.NetCents() != was.NetCents() || d.TaxCents(d.ProductsTaxableCents) != was.TaxCents(was.ProductsTaxableCents) {
		d.Select(nil, Products{})
	}
}

// Products are the sums of the products of a finance structure.
type Products struct {
	PriceCents, CostCents int64
	WithoutCost           int64 // how many have an unknown cost
	TaxableCents          int64
	ReserveCents          int64 // what the lender pays the dealership for the loan
}

// Select selects a finance structure with its products and makes the deal a
// finance deal. nil removes the selection.
func (d *Deal) Select(structureID *string, p Products) {
	d.SelectedStructureID = structureID
	d.ProductsCents, d.ProductsCostCents, d.ProductsWithoutCost = p.PriceCents, p.CostCents, p.WithoutCost
	d.ProductsTaxableCents, d.ReserveCents = p.TaxableCents, p.ReserveCents
	if structureID != nil {
		d.UseLender()
	}
}

// owns reports whether a hold on the hull is for this deal: for the deal itself,
// or else for its lead or a buyer.
func (d Deal) owns(h hulls.Hold) bool {
	switch {
	case h.DealID != nil:
		return *h.DealID == d.ID
	case h.LeadID != nil && d.LeadID != nil && *h.LeadID == *d.LeadID:
		return true
	case h.ContactID == nil:
		return false
	}
	return *h.ContactID == d.BuyerID || d.CoBuyerID != nil && *h.ContactID == *d.CoBuyerID
}

// sharesBuyer reports whether a buyer or co-buyer of the deals is the same contact.
func (d Deal) sharesBuyer(other Deal) bool {
	buys := func(d Deal, id string) bool { return d.BuyerID == id || d.CoBuyerID != nil && *d.CoBuyerID == id }
	return buys(other, d.BuyerID) || d.CoBuyerID != nil && buys(other, *d.CoBuyerID)
}

// SignAgreement records the signed purchase agreement, which fixes the terms, with the HIN that
// it states.
func (d *Deal) SignAgreement(documentID string, hin *string) {
	d.SignedAgreementID, d.AgreementHIN = &documentID, hin
}

// VoidAgreement removes the signed purchase agreement. The next one is a new
// revision of the terms.
func (d *Deal) VoidAgreement() {
	d.SignedAgreementID, d.AgreementHIN = nil, nil
	d.Rev++
}

// NeedsAgreement reports whether everyone must sign a purchase agreement with this HIN, because
// the signed one is from before the boat had it.
func (d Deal) NeedsAgreement(hin *string) bool {
	return d.SignedAgreementID != nil && hin != nil && null.Text(d.AgreementHIN) != *hin
}

// UseLender makes the deal a finance deal.
func (d *Deal) UseLender() {
	if d.DealType != Finance {
		d.DealType = Finance
		d.FundingState = FundingNotStarted
	}
}

// initialFundingState is the funding state before a submission to a lender.
func (d Deal) initialFundingState() FundingState {
	if d.DealType == Finance {
		return FundingNotStarted
	}
	return FundingNotRequired
}

// IsSale reports whether the deal was not cancelled before it was funded. Laws require to keep
// what a sale was about, even if it was undone.
func (d Deal) IsSale() bool { return d.Status != Cancelled || d.UnwoundAt != nil }

// erase removes the text that users wrote about the buyer. What the law requires of a
// sale stays. A deal stays cancelled, written off or exempt for a reason.
func (d *Deal) erase() {
	cancelled, writtenOff, taxes := d.CancelReason != nil, d.WriteOffReason != nil, d.Taxes
	privacy.Erase(d, d.IsSale())
	if cancelled {
		d.CancelReason = new("erased")
	}
	if writtenOff {
		d.WriteOffReason = new("erased")
	}
	for i, t := range taxes {
		if t.ExemptReason != nil && d.Taxes[i].ExemptReason == nil {
			d.Taxes[i].ExemptReason = new("erased")
		}
	}
}

// check fills in the defaults and validates what the schema can't express.
func (d *Deal) check(bad *fault.Fields) {
	d.checkTaxes(bad)
	if d.CoBuyerID != nil && *d.CoBuyerID == d.BuyerID {
		bad.Add("co_buyer_id", "exclusive", "must not be the buyer")
	}
	for i := range d.LineItems {
		d.LineItems[i].check(bad, i)
	}
	patch.CheckMetadata(bad, d.Metadata)
}
