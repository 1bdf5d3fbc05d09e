package hulls

import (
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/patch"
)

// HullPricing is the price and the cost of a hull.
type HullPricing struct {
	_ struct{} `doc:"The current price and cost of a hull." privacy:"plain"`

	Env              auth.Env  `json:"-" db:"env"`
	ID               string    `json:"hull_id" db:"id" doc:"Hull that the pricing belongs to."`
	PriceUSD         int64     `json:"price_usd" db:"price_usd" doc:"Same as price_usd of the hull." example:"124900"`
	MSRPUSD          *int64    `json:"msrp_usd" db:"msrp_usd" doc:"Manufacturer's suggested retail price in whole US dollars. Null if unknown."`
	OriginalPriceUSD int64     `json:"original_price_usd" db:"original_price_usd" doc:"First asking price in whole US dollars. It only changes if you set it."`
	PriceHidden      bool      `json:"price_hidden" db:"price_hidden" doc:"Whether the price is hidden from the public."`
	PriceType        PriceType `json:"price_type" db:"price_type" doc:"What the price means: the regular asking price, a sale price, or call for a price on request."`
	Cost             *HullCost `json:"cost" db:"cost,json" privacy:"cost,hulls:write" doc:"What the dealership paid. Null without the scope hulls:write."`
	FloorUSD         *int64    `json:"floor_usd" db:"floor_usd" privacy:"cost,hulls:write" doc:"Lowest acceptable price. Null without the scope hulls:write."`
	EffectiveAt      time.Time `json:"effective_at" db:"effective_at" doc:"When this price became effective."`
	Version          int64     `json:"version" db:"version" doc:"Version of the pricing. It is separate from the version of the hull."`
	UpdatedAt        time.Time `json:"updated_at" db:"updated_at" doc:"When the pricing last changed."`
}

// PriceType is what a price means.
type PriceType string

// The values.
const (
	Asking PriceType = "asking"
	Sale   PriceType = "sale"
	Call   PriceType = "call"
)

var allPriceTypes = enum.Of("PriceType", "Whether a price is the regular one, a sale price, or on request.", Asking, Sale, Call)

func (PriceType) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allPriceTypes.Describe(s)
}

// Revision returns the version.
func (p HullPricing) Revision() int64 { return p.Version }

// HullCost is what the dealership paid for a hull.
type HullCost struct {
	_                   struct{} `doc:"What the dealership paid for a hull. Null parts are unknown." nullable:"true"`
	InvoiceCents        *int64   `json:"invoice_cents" required:"false" minimum:"0" maximum:"100000000000" doc:"Invoice of the manufacturer or the previous owner, in cents."`
	FreightCents        *int64   `json:"freight_cents" required:"false" minimum:"0" maximum:"100000000000" doc:"Transport to the dealership, in cents."`
	RiggingCents        *int64   `json:"rigging_cents" required:"false" minimum:"0" maximum:"100000000000" doc:"Rigging and installation, in cents."`
	PackCents           *int64   `json:"pack_cents" required:"false" minimum:"0" maximum:"100000000000" doc:"Dealer pack, a fixed amount for overhead, in cents."`
	ReconditioningCents *int64   `json:"reconditioning_cents" required:"false" minimum:"0" maximum:"100000000000" doc:"Repairs and detailing before the sale, in cents."`
}

// totalCost is the sum of the costs. It is nil if the invoice is unknown.
func (p HullPricing) totalCost() *int64 {
	c := p.Cost
	if c == nil || c.InvoiceCents == nil {
		return nil
	}
	sum := *c.InvoiceCents
	for _, part := range []*int64{c.FreightCents, c.RiggingCents, c.PackCents, c.ReconditioningCents} {
		if part != nil {
			sum += *part
		}
	}
	return &sum
}

// HullPricingReplace is a hull's new pricing. Omitted fields keep their values.
type HullPricingReplace struct {
	_ struct{} `doc:"New pricing of a hull. Omitted fields keep their values, null clears a field."`

	PriceUSD         int64                  `json:"price_usd" minimum:"0" maximum:"1000000000" doc:"New asking price in whole US dollars."`
	MSRPUSD          patch.Null[int64]      `json:"msrp_usd,omitzero" minimum:"0" maximum:"1000000000" doc:"Manufacturer's suggested retail price in whole US dollars. Null removes it."`
	OriginalPriceUSD *int64                 `json:"original_price_usd" required:"false" minimum:"0" maximum:"1000000000" doc:"Corrects the first asking price, in whole US dollars."`
	PriceHidden      patch.Value[bool]      `json:"price_hidden,omitzero" doc:"Whether to hide the price from the public. Feeds and listings then have no price."`
	PriceType        patch.Value[PriceType] `json:"price_type,omitzero" doc:"With call, feeds and listings have no price."`
	Cost             patch.Null[HullCost]   `json:"cost,omitzero" privacy:"cost,hulls:write" doc:"Replaces all costs."`
	FloorUSD         patch.Null[int64]      `json:"floor_usd,omitzero" privacy:"cost,hulls:write" minimum:"0" maximum:"1000000000" doc:"Lowest acceptable price in whole US dollars. Offers below it can only be accepted with the scope hulls:write. Null removes it."`
	Reason           *string                `json:"reason" required:"false" maxLength:"500" doc:"Reason for the price change, for the history."`
}

func (r HullPricingReplace) patch() HullPricingPatch {
	return HullPricingPatch{
		PriceUSD: patch.Value[int64]{Set: true, V: r.PriceUSD}, MSRPUSD: r.MSRPUSD, OriginalPriceUSD: r.OriginalPriceUSD,
		PriceHidden: r.PriceHidden, PriceType: r.PriceType, Cost: r.Cost, FloorUSD: r.FloorUSD, Reason: r.Reason,
	}
}

// HullPricingPatch is a JSON merge patch of a hull's pricing.
type HullPricingPatch struct {
	_ struct{} `doc:"Changes to the prices and costs of a hull. Fields that you leave out keep their values."`

	PriceUSD         patch.Value[int64]     `json:"price_usd,omitzero" minimum:"0" maximum:"1000000000" doc:"Asking price. A change is recorded in the history."`
	MSRPUSD          patch.Null[int64]      `json:"msrp_usd,omitzero" minimum:"0" maximum:"1000000000" doc:"Manufacturer's suggested retail price."`
	OriginalPriceUSD *int64                 `json:"original_price_usd" required:"false" minimum:"0" maximum:"1000000000" doc:"First asking price."`
	PriceHidden      patch.Value[bool]      `json:"price_hidden,omitzero" doc:"Whether to hide the price from the public. Feeds and listings then have no price."`
	PriceType        patch.Value[PriceType] `json:"price_type,omitzero" doc:"With call, feeds and listings have no price."`
	Cost             patch.Null[HullCost]   `json:"cost,omitzero" privacy:"cost,hulls:write" doc:"Replaces all costs."`
	FloorUSD         patch.Null[int64]      `json:"floor_usd,omitzero" privacy:"cost,hulls:write" minimum:"0" maximum:"1000000000" doc:"Lowest acceptable price."`
	Reason           *string                `json:"reason" required:"false" maxLength:"500" doc:"Reason for the price change, for the history."`
}

func (r HullPricingPatch) apply(p *HullPricing, now time.Time) {
	if r.PriceUSD.Set && p.PriceUSD != r.PriceUSD.V {
		p.EffectiveAt = now
	}
	r.PriceUSD.To(&p.PriceUSD)
	r.MSRPUSD.To(&p.MSRPUSD)
	r.PriceHidden.To(&p.PriceHidden)
	r.PriceType.To(&p.PriceType)
	r.Cost.To(&p.Cost)
	r.FloorUSD.To(&p.FloorUSD)
	if r.OriginalPriceUSD != nil {
		p.OriginalPriceUSD = *r.OriginalPriceUSD
	}
}

// firstPricing returns the pricing of a new hull.
func firstPricing(h Hull, cost *HullCost) HullPricing {
	return HullPricing{
		Env: h.Env, ID: h.ID, PriceUSD: h.PriceUSD, OriginalPriceUSD: h.PriceUSD, PriceType: "asking", MSRPUSD: h.MSRPUSD, Cost: cost,
		EffectiveAt: h.CreatedAt, Version: 1, UpdatedAt: h.CreatedAt,
	}
}

// PriceChange is one entry of a hull's price history.
type PriceChange struct {
	_ struct{} `doc:"One change of a hull's asking price." columns:"at old_price_usd:OLD new_price_usd:NEW reason actor" privacy:"plain"`

	Env         auth.Env   `json:"-" db:"env"`
	ID          string     `json:"id" db:"id" doc:"Identifies the change. Starts with prc_." example:"prc_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	HullID      string     `json:"hull_id" db:"hull_id" doc:"Hull whose price changed."`
	OldPriceUSD *int64     `json:"old_price_usd" db:"old_price_usd" doc:"Price before the change in whole US dollars. Null for the first price."`
	NewPriceUSD int64      `json:"new_price_usd" db:"new_price_usd" doc:"Price after the change in whole US dollars."`
	Reason      *string    `json:"reason" db:"reason" doc:"Reason that was sent with the change. Null if none was sent."`
	Actor       auth.Actor `json:"actor" db:"actor,json" doc:"User, key or app that made the change."`
	At          time.Time  `json:"at" db:"at" doc:"When the price changed."`
}
