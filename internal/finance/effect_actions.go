package finance

import (
	"context"
	"fmt"

	"slipway/internal/deals"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/effect"
)

func structureEffect(ctx context.Context, tx *db.Tx, in *struct {
	deals.ByDeal
	Body FinanceStructureCreate
}) (e effect.ProposalEffect, err error) {
	d, err := deals.Describe(ctx, tx, &e, in.DealID)
	e.Title = fmt.Sprintf("Calculate a plan of %d months at %s %% for %s", in.Body.TermMonths, in.Body.APRPercent, d.Sale())
	return e, err
}

// plan is what people call a finance structure.
func (s FinanceStructure) plan() string {
	return fmt.Sprintf("%d months at %s %%, %s a month", s.TermMonths, s.APRPercent, effect.Cents(s.PaymentCents))
}

func selectEffect(ctx context.Context, tx *db.Tx, in *ByStructure) (e effect.ProposalEffect, err error) {
	d, err := deals.Describe(ctx, tx, &e, in.DealID)
	if err != nil {
		return e, err
	}
	s, err := structures.FindIn(ctx, tx, d.ID, in.StructureID)
	if err != nil {
		return e, err
	}
	e.Title = "Select " + s.plan() + " for " + d.Sale()
	before := "none"
	if d.SelectedStructureID != nil {
		was, err := structures.FindIn(ctx, tx, d.ID, *d.SelectedStructureID)
		if err != nil {
			return e, err
		}
		before = was.plan()
	}
	e.Change("Payment plan", d.ID, before, s.plan())
	e.Fact("Amount financed", d.ID, effect.Cents(s.AmountFinancedCents))
	e.Fact("Way of payment", d.ID, "finance")
	after := d.Deal
	after.Select(&s.ID, s.ProductTotals())
	deals.DescribeRestructure(auth.From(ctx), &e, d, after)
	return e, nil
}

func submitEffect(ctx context.Context, tx *db.Tx, in *struct {
	deals.ByDeal
	Body FundingSubmit
}) (e effect.ProposalEffect, err error) {
	d, err := deals.Describe(ctx, tx, &e, in.DealID)
	if err != nil {
		return e, err
	}
	s, err := structureToSubmit(ctx, tx, d.Deal, in.Body)
	e.Title = fmt.Sprintf("Submit %s to %s for %s", d.Called(), in.Body.Lender, effect.Cents(s.AmountFinancedCents))
	e.Said = []string{"lender", "structure_id"}
	e.Fact("Lender", d.ID, in.Body.Lender)
	e.Fact("Payment plan", d.ID, s.plan())
	return e, err
}

func stipulationEffect(ctx context.Context, tx *db.Tx, in *ByFunding) (e effect.ProposalEffect, err error) {
	d, err := deals.Describe(ctx, tx, &e, in.DealID)
	if err != nil {
		return e, err
	}
	f, err := findFunding(ctx, tx, d.Deal, in.FundingID)
	e.Title = "Record what " + f.Lender + " requires for " + d.Called()
	e.Pin("Funding", f.ID, f.Version)
	e.Fact("Lender", f.ID, f.Lender)
	e.Fact("Funding", f.ID, "can't be paid until this is accepted or waived")
	return e, err
}
