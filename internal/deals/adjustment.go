package deals

import (
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
)

// DealAdjustment is what changed the profit of a deal after its delivery, or money of the
// buyer that the dealership keeps. It never changes. Reports count it when it was added.
type DealAdjustment struct {
	_ struct{} `doc:"What changed the profit of a deal after the delivery, or money of the buyer that the dealership keeps. Reports count it in the month in which it was added." columns:"created_at kind description amount_cents front_cents back_cents reason"`

	Env         auth.Env       `json:"-" db:"env"`
	ID          string         `json:"id" db:"id" doc:"Identifies the adjustment. Starts with adj_." example:"adj_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	DealID      string         `json:"deal_id" db:"deal_id" doc:"Deal that is adjusted." example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Kind        AdjustmentKind `json:"kind" db:"kind" doc:"What happened."`
	Position    *int64         `json:"position" db:"position" doc:"Position of the canceled product in the selected structure, or of the line item in the deal. Starts at 0. Null for other kinds."`
	Description *string        `json:"description" db:"description" doc:"The product or line item that was canceled. Null for other kinds." example:"gap" privacy:"personal,sale"`
	AmountCents int64          `json:"amount_cents" db:"amount_cents" doc:"What the buyer gets back for a canceled product, the balance that was written off, or what the dealership keeps. 0 for other kinds."`
	FrontCents  *int64         `json:"front_cents" db:"front_cents" privacy:"cost,deals:write+hulls:write" doc:"Change of the profit on the boat. Null if your key does not have both deals:write and hulls:write."`
	BackCents   *int64         `json:"back_cents" db:"back_cents" privacy:"cost,deals:write+hulls:write" doc:"Change of the profit on finance and insurance. Null if your key does not have both deals:write and hulls:write."`
	PaidTo      *RefundTo      `json:"paid_to" db:"paid_to" doc:"Who gets the refund of a canceled product. Null for other kinds."`
	PaymentID   *string        `json:"payment_id" db:"payment_id" doc:"Refund that was recorded with it. Null if there is none."`
	EffectiveOn *string        `json:"effective_on" db:"effective_on" format:"date" doc:"Date that the provider or the lender uses. Null for other kinds."`
	Reason      *string        `json:"reason" db:"reason" doc:"Reason that was sent with it. Null if there is none."`
	Actor       auth.Actor     `json:"actor" db:"actor,json" doc:"User, key, app or job that caused it."`
	CreatedAt   time.Time      `json:"created_at" db:"created_at" doc:"When it was added. Reports count it on this day."`

	PriceCents int64 `json:"-" db:"price_cents"` // of the boat, negative if the sale was unwound
}

// AdjustmentKind is what changed the profit of a deal.
type AdjustmentKind string

// The kinds of adjustments.
const (
	CostAdjustment     AdjustmentKind = "cost"
	WriteOffAdjustment AdjustmentKind = "write_off"
	ForfeitAdjustment  AdjustmentKind = "forfeit"
	ProductAdjustment  AdjustmentKind = "product"
	LineItemAdjustment AdjustmentKind = "line_item"
	ReserveAdjustment  AdjustmentKind = "reserve"
	UnwindAdjustment   AdjustmentKind = "unwind"
)

var allAdjustmentKinds = enum.Of("DealAdjustmentKind", "What changed the profit of a deal: a bill for the boat after the delivery, a balance that was written off or paid after all, money that the dealership keeps from a cancelled deal, a product of the structure or a line item that was canceled, a charge-back of the reserve, or a sale that was undone.",
	CostAdjustment, WriteOffAdjustment, ForfeitAdjustment, ProductAdjustment, LineItemAdjustment, ReserveAdjustment, UnwindAdjustment)

func (AdjustmentKind) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allAdjustmentKinds.Describe(s)
}

// RefundTo is who gets a refund.
type RefundTo string

// The values.
const (
	ToBuyer  RefundTo = "buyer"
	ToLender RefundTo = "lender"
)

var allRefundTo = enum.Of("RefundTo", "Who gets the refund of a canceled product. The lender gets it if the product was financed.", ToBuyer, ToLender)

func (RefundTo) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allRefundTo.Describe(s)
}

// deliver keeps the cost of the boat on the day of the delivery.
func (d *Deal) deliver(hullCost *int64) { d.DeliveredCostCents, d.BookedCostCents = hullCost, hullCost }

// count adds an adjustment to the sums of the deal. The cost is counted in BookedCostCents.
func (d *Deal) count(a DealAdjustment) {
	if a.Kind == CostAdjustment {
		return
	}
	d.FrontAdjustedCents += *a.FrontCents
	d.BackAdjustedCents += *a.BackCents
	if a.Kind == ProductAdjustment || a.Kind == LineItemAdjustment {
		d.CanceledProductsCents += a.AmountCents
	}
}

// adjustments returns what a change of the deal adds to the reports of this month.
func (d Deal) adjustments(before Deal) (all []DealAdjustment) {
	add := func(a DealAdjustment) {
		if a.AmountCents != 0 || *a.FrontCents != 0 || *a.BackCents != 0 || a.PriceCents != 0 {
			all = append(all, a)
		}
	}
	if before.DeliveredAt != nil {
		front := d.bookedFront() - before.bookedFront()
		add(DealAdjustment{Kind: CostAdjustment, FrontCents: &front, BackCents: new(int64)})
	}
	lost := d.lostCents() - before.lostCents()
	add(DealAdjustment{Kind: WriteOffAdjustment, AmountCents: lost, FrontCents: new(-lost), BackCents: new(int64)})
	kept := d.keptCents() - before.keptCents()
	add(DealAdjustment{Kind: ForfeitAdjustment, AmountCents: kept, FrontCents: new(int64), BackCents: new(int64)})
	if d.UnwoundAt != nil && before.UnwoundAt == nil && d.DeliveredAt != nil {
		add(d.undoing(all))
	}
	return all
}

// undoing takes back the whole profit of a delivered sale that is undone. Pending are the other
// adjustments of the same change.
func (d Deal) undoing(pending []DealAdjustment) DealAdjustment {
	for _, a := range pending {
		d.count(a)
	}
	_, back := d.Profits(nil)
	if back == nil {
		back = new(d.BackAdjustedCents)
	}
	return DealAdjustment{
		Kind: UnwindAdjustment, PriceCents: -d.PriceUSD * 100, FrontCents: new(-d.bookedFront() - d.FrontAdjustedCents), BackCents: new(-*back),
		Reason: d.CancelReason,
	}
}

// bookedFront is the profit on the boat without adjustments, or 0 while it is unknown.
func (d Deal) bookedFront() int64 {
	d.FrontAdjustedCents = 0
	front, _ := d.Profits(d.BookedCostCents)
	if front == nil {
		return 0
	}
	return *front
}

// lostCents is the part of the balance that was written off and is still due.
func (d Deal) lostCents() int64 {
	if d.WrittenOffCents == nil || d.Status == Cancelled {
		return 0
	}
	return max(0, min(*d.WrittenOffCents, d.balanceCents()))
}

// keptCents is what the dealership keeps from a cancelled deal.
func (d Deal) keptCents() int64 {
	if d.Status != Cancelled {
		return 0
	}
	return max(0, d.PaidCents)
}
