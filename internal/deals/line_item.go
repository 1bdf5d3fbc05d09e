package deals

import (
	"fmt"

	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
)

// DealLineItem is an amount that is added to the price of the boat, or a discount
// or rebate.
type DealLineItem struct {
	_ struct{} `doc:"An amount in addition to the price of the boat, or a discount or rebate."`

	Kind        LineItemKind  `json:"kind" since:"next rebate=discount" doc:"Discounts and rebates are subtracted. All other kinds are added. A rebate is paid by someone else, such as the manufacturer, so it lowers what the buyer pays but not the profit."`
	Code        *string       `json:"code" required:"false" maxLength:"50" doc:"Your code for the line item, such as for accounting. Null if there is none." example:"doc" privacy:"personal,sale"`
	Description *string       `json:"description" required:"false" maxLength:"200" doc:"Text that documents show for the line item. Null if there is none." example:"Documentation fee" privacy:"personal,sale"`
	AmountCents int64         `json:"amount_cents" minimum:"0" maximum:"100000000000" doc:"Never negative, even for a discount or rebate." example:"49900"`
	CostCents   *int64        `json:"cost_cents" privacy:"cost,deals:write" required:"false" minimum:"0" maximum:"100000000000" doc:"Cost to the dealership. Send 0 if it costs nothing: the profit is null while a cost is unknown. Null if your key does not have deals:write."`
	Taxable     *bool         `json:"taxable" required:"false" doc:"Whether the line item is part of the taxable amount. A taxable discount reduces it. Defaults to the dealership's settings.taxable_lines. Never null in responses." since:"next null=false"`
	Side        *LineItemSide `json:"side" required:"false" doc:"Whether the profit counts as front (boat) or back (finance and insurance). Defaults to back for a product and to front for other kinds."`
}

// LineItemSide is whether a profit belongs to the boat or to finance and insurance.
type LineItemSide string

// The values.
const (
	Front LineItemSide = "front"
	Back  LineItemSide = "back"
)

var allLineItemSides = enum.Of("DealLineItemSide", "Whether the profit of a line item belongs to the boat (front) or to finance and insurance (back).",
	Front, Back)

func (LineItemSide) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allLineItemSides.Describe(s)
}

// LineItemKind is the kind of a line item.
type LineItemKind string

// Values that the code uses.
const (
	FeeLine       LineItemKind = "fee"
	ProductLine   LineItemKind = "product"
	AccessoryLine LineItemKind = "accessory"
	DiscountLine  LineItemKind = "discount"
	RebateLine    LineItemKind = "rebate"
)

var allLineItemKinds = enum.Of("DealLineItemKind", "Kind of line item. Discounts and rebates are subtracted.",
	FeeLine, ProductLine, AccessoryLine, DiscountLine, RebateLine)

func (LineItemKind) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allLineItemKinds.Describe(s)
}

// isDeduction reports whether the item is subtracted.
func (l DealLineItem) isDeduction() bool { return l.Kind == DiscountLine || l.Kind == RebateLine }

// SignedCents is negative for a discount or rebate.
func (l DealLineItem) SignedCents() int64 {
	if l.isDeduction() {
		return -l.AmountCents
	}
	return l.AmountCents
}

// profitCents returns the profit on the item. It is unknown if the cost is. A
// discount has no cost. A rebate is paid by someone else.
func (l DealLineItem) profitCents() (cents int64, known bool) {
	switch {
	case l.Kind == RebateLine:
		return 0, true
	case l.Kind == DiscountLine:
		return l.SignedCents(), true
	case l.CostCents == nil:
		return 0, false
	}
	return l.AmountCents - *l.CostCents, true
}

func (l DealLineItem) isBack() bool { return l.Side != nil && *l.Side == Back }

// check fills in the defaults of a line item and validates what the schema can't
// express.
func (l *DealLineItem) check(bad *fault.Fields, i int) {
	if l.Side == nil {
		side := Front
		if l.Kind == ProductLine {
			side = Back
		}
		l.Side = &side
	}
	if l.isDeduction() && l.CostCents != nil {
		bad.Add(fmt.Sprintf("line_items[%d].cost_cents", i), "exclusive", "must be omitted for a %s", l.Kind)
	}
}
