package deals

import (
	"time"

	"slipway/internal/hulls"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/money"
)

// ListingAgreement is the agreement with the owner of a boat that the dealership sells for
// someone else. The owner is the seller on documents, and the commission is the profit.
type ListingAgreement struct {
	_ struct{} `doc:"The agreement with the owner of a boat that you sell for someone else. The owner is the seller on documents, and your part of the commission is the profit on the boat." columns:"hull_id kind owner_contact_id commission_percent commission_cents net_price_cents ends_on / co_broker escrow_holder version"`

	Env            auth.Env    `json:"-" db:"env"`
	ID             string      `json:"id" example:"hull_01jcqz8t5n8m2x4v6b7c9d0e1f" doc:"ID of the boat. A boat has one agreement."`
	HullID         string      `json:"hull_id" db:"hull_id" doc:"Boat that is sold for its owner." example:"hull_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	OwnerContactID string      `json:"owner_contact_id" db:"owner_contact_id" doc:"Contact who owns the boat." example:"con_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Kind           ListingKind `json:"kind" db:"kind" doc:"Kind of agreement."`

	CommissionPercent *money.Percent `json:"commission_percent" db:"commission_percent" doc:"Commission as a part of the price. Null if it is an amount or if the owner gets a net price." example:"10"`
	CommissionCents   *int64         `json:"commission_cents" db:"commission_cents" doc:"Commission as an amount. Null if it is a part of the price or if the owner gets a net price."`
	NetPriceCents     *int64         `json:"net_price_cents" db:"net_price_cents" doc:"What the owner gets, whatever the price is. The commission is the rest. Null if there is a commission."`

	CoBroker             *string        `json:"co_broker" db:"co_broker" doc:"Company that brings the buyer and gets a part of the commission. Null if there is none." example:"Bay Yacht Brokers"`
	CoBrokerSplitPercent *money.Percent `json:"co_broker_split_percent" db:"co_broker_split_percent" doc:"Part of the commission that the co-broker gets. Null if there is none." example:"50"`
	EscrowHolder         *string        `json:"escrow_holder" db:"escrow_holder" doc:"Who holds the buyer's deposit. Null if the dealership does." example:"Chesapeake Escrow Services"`
	EndsOn               *string        `json:"ends_on" db:"ends_on" format:"date" doc:"Last day of the agreement. Null if it has none."`
	Version              int64          `json:"version" db:"version" doc:"Number of the current version. Same as the ETag." example:"1"`
	CreatedAt            time.Time      `json:"created_at" db:"created_at" doc:"When it was created."`
	UpdatedAt            time.Time      `json:"updated_at" db:"updated_at" doc:"When it last changed."`
}

// Revision returns the version for the ETag.
func (l ListingAgreement) Revision() int64 { return l.Version }

// ListingKind is the kind of a listing agreement.
type ListingKind string

// Consignment is the kind of agreement for a boat that stays with the dealership.
const Consignment ListingKind = "consignment"

var allListingKinds = enum.Of("ListingKind", "Kind of agreement with the owner of a boat: only this dealership sells it (exclusive), others can sell it too (open), or the boat is in the dealership's care to be sold (consignment).",
	"exclusive", "open", Consignment)

func (ListingKind) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allListingKinds.Describe(s)
}

// ownership is what the hull says about its owner.
func (k ListingKind) ownership() hulls.Ownership {
	if k == Consignment {
		return "consignment"
	}
	return "brokerage"
}

// ListingAgreementReplace is the request body for replacing a listing agreement.
type ListingAgreementReplace struct {
	_ struct{} `doc:"The whole agreement. Omitted fields are cleared. Send a commission, as a percentage or an amount, or a net price."`

	OwnerContactID       string         `json:"owner_contact_id" minLength:"1" maxLength:"64" doc:"Contact who owns the boat." example:"con_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Kind                 ListingKind    `json:"kind" doc:"Kind of agreement."`
	CommissionPercent    *money.Percent `json:"commission_percent" required:"false" maxLength:"10" doc:"Commission as a part of the price, up to 100." example:"10"`
	CommissionCents      *int64         `json:"commission_cents" required:"false" minimum:"0" maximum:"100000000000" doc:"Commission as an amount."`
	NetPriceCents        *int64         `json:"net_price_cents" required:"false" minimum:"0" maximum:"100000000000" doc:"What the owner gets, whatever the price is."`
	CoBroker             *string        `json:"co_broker" required:"false" minLength:"1" maxLength:"200" doc:"Company that brings the buyer." example:"Bay Yacht Brokers"`
	CoBrokerSplitPercent *money.Percent `json:"co_broker_split_percent" required:"false" maxLength:"10" doc:"Part of the commission that the co-broker gets, up to 100. Requires co_broker." example:"50"`
	EscrowHolder         *string        `json:"escrow_holder" required:"false" minLength:"1" maxLength:"200" doc:"Who holds the buyer's deposit. Defaults to the dealership."`
	EndsOn               *string        `json:"ends_on" required:"false" format:"date" doc:"Last day of the agreement."`
}

// Check validates what the schema can't express.
func (r ListingAgreementReplace) Check(time.Time) error {
	var bad fault.Fields
	checkShare(&bad, "commission_percent", r.CommissionPercent)
	checkShare(&bad, "co_broker_split_percent", r.CoBrokerSplitPercent)
	n := 0
	for _, set := range []bool{r.CommissionPercent != nil, r.CommissionCents != nil, r.NetPriceCents != nil} {
		if set {
			n++
		}
	}
	if n != 1 {
		bad.Add("commission_percent", "exclusive", "is required, or one of commission and net_price, but not several of them")
	}
	if (r.CoBroker == nil) != (r.CoBrokerSplitPercent == nil) {
		bad.Add("co_broker_split_percent", "required", "is required with co_broker, and the other way around")
	}
	return bad.Err()
}

func checkShare(bad *fault.Fields, field string, share *money.Percent) {
	if share == nil {
		return
	}
	share.Check(bad, field)
	if len(*bad) == 0 && share.Scaled() > 100*10_000 {
		bad.Add(field, "maximum", "must be at most 100")
	}
}

func (r ListingAgreementReplace) to(l *ListingAgreement) {
	l.OwnerContactID, l.Kind = r.OwnerContactID, r.Kind
	l.CommissionPercent, l.CommissionCents, l.NetPriceCents = r.CommissionPercent, r.CommissionCents, r.NetPriceCents
	l.CoBroker, l.CoBrokerSplitPercent, l.EscrowHolder, l.EndsOn = r.CoBroker, r.CoBrokerSplitPercent, r.EscrowHolder, r.EndsOn
}

// Settlement is who gets how much of the price.
type Settlement struct {
	CommissionCents int64 // of both brokers
	CoBrokerCents   int64 // part of the commission
	OwnerCents      int64 // the rest of the price
}

// Settle splits a price. A commission is never more than the price.
func (l ListingAgreement) Settle(priceCents int64) (s Settlement) {
	switch {
	case l.CommissionPercent != nil:
		s.CommissionCents = l.CommissionPercent.Of(priceCents)
	case l.CommissionCents != nil:
		s.CommissionCents = min(*l.CommissionCents, priceCents)
	case l.NetPriceCents != nil:
		s.CommissionCents = max(0, priceCents-*l.NetPriceCents)
	}
	if l.CoBrokerSplitPercent != nil {
		s.CoBrokerCents = l.CoBrokerSplitPercent.Of(s.CommissionCents)
	}
	s.OwnerCents = priceCents - s.CommissionCents
	return s
}

// costCents is what the boat costs the dealership: what the owner and the co-broker get.
func (l ListingAgreement) costCents(priceCents int64) int64 {
	s := l.Settle(priceCents)
	return s.OwnerCents + s.CoBrokerCents
}

// IsForOwner reports whether the boat of a deal is sold for its owner.
func (d Deal) IsForOwner(h hulls.Hull) bool {
	return d.SaleType == Brokerage || h.Ownership == "consignment" || h.Ownership == "brokerage"
}
