package finance

import (
	"context"

	"slipway/internal/deals"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

// ByFunding names a funding of a deal.
type ByFunding struct {
	deals.ByDeal
	FundingID string `path:"funding_id" example:"fund_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

// ByStipulation names a stipulation of a funding.
type ByStipulation struct {
	ByFunding
	StipulationID string `path:"stipulation_id" example:"stip_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) fundings(ctx context.Context, tx *db.Tx, in *struct {
	deals.ByDeal
	page.Query
}) (page.Page[Funding], error) {
	return listFundings(ctx, tx, in.DealID, in.Query)
}

func (a *API) getFunding(ctx context.Context, tx *db.Tx, in *ByFunding) (Funding, error) {
	return look(ctx, tx, in.DealID, func(d deals.Deal) (Funding, error) {
		return findFunding(ctx, tx, d, in.FundingID)
	})
}

func (a *API) submitFunding(ctx context.Context, tx *db.Tx, in *struct {
	deals.ByDeal
	Body FundingSubmit
}) (Funding, error) {
	return change(ctx, tx, in.DealID, func(d *deals.Deal) (Funding, error) {
		if err := rest.CheckIfMatch(ctx, d.Version); err != nil {
			return Funding{}, err
		}
		s, err := structureToSubmit(ctx, tx, *d, in.Body)
		if err != nil {
			return Funding{}, err
		}
		if err := mayAsk(*d); err != nil {
			return Funding{}, err
		}
		f := Funding{
			Lender: in.Body.Lender, StructureID: s.ID, Reference: in.Body.Reference, Status: Submitted,
			RequestedCents: s.AmountFinancedCents, AmountCents: s.AmountFinancedCents,
		}
		return f, insertFunding(ctx, tx, d, &f)
	})
}

// structureToSubmit is the structure that was asked for, else the selected one.
func structureToSubmit(ctx context.Context, tx *db.Tx, d deals.Deal, in FundingSubmit) (FinanceStructure, error) {
	if in.StructureID == nil {
		if d.SelectedStructureID == nil {
			return FinanceStructure{}, fault.Conflict("No finance structure is selected.").
				Detail("structure_id", "state", "is needed, since the deal has no selected structure")
		}
		return FindStructure(ctx, tx, d, *d.SelectedStructureID)
	}
	s, err := FindStructure(ctx, tx, d, *in.StructureID)
	if fault.KindOf(err) == fault.KindNotFound {
		var bad fault.Fields
		bad.Add("structure_id", "not_found", "is no structure of this deal")
		return s, bad.Err()
	}
	return s, err
}

// changeFunding is how a funding is changed.
func (a *API) changeFunding(ctx context.Context, tx *db.Tx, in ByFunding, edit func(d *deals.Deal, f *Funding) error) (Funding, error) {
	return change(ctx, tx, in.DealID, func(d *deals.Deal) (Funding, error) {
		f, err := findFunding(ctx, tx, *d, in.FundingID)
		if err != nil {
			return f, err
		}
		if err := rest.CheckIfMatch(ctx, f.Version); err != nil {
			return f, err
		}
		return f, edit(d, &f)
	})
}

func (a *API) advanceFunding(ctx context.Context, tx *db.Tx, in *struct {
	ByFunding
	Body *FundingAdvance
}) (Funding, error) {
	return a.changeFunding(ctx, tx, in.ByFunding, func(d *deals.Deal, f *Funding) error {
		var asked FundingAdvance
		if in.Body != nil {
			asked = *in.Body
		}
		before := *f
		if err := f.advance(asked, *d, tx.Now); err != nil {
			return err
		}
		if err := onlyContract(ctx, tx, *d, *f); err != nil {
			return err
		}
		if err := saveFunding(ctx, tx, before, f); err != nil {
			return err
		}
		return agree(ctx, tx, *d, d)
	})
}

func (a *API) addStipulation(ctx context.Context, tx *db.Tx, in *struct {
	ByFunding
	Body StipulationAdd
}) (Stipulation, error) {
	return change(ctx, tx, in.DealID, func(d *deals.Deal) (Stipulation, error) {
		s := Stipulation{Kind: in.Body.Kind, Description: in.Body.Description, Status: StipulationRequested}
		f, err := findFunding(ctx, tx, *d, in.FundingID)
		if err != nil {
			return s, err
		}
		if err := rest.CheckIfMatch(ctx, f.Version); err != nil {
			return s, err
		}
		if err := f.isOpen(); err != nil {
			return s, err
		}
		return s, insertStipulation(ctx, tx, f, &s)
	})
}

func (a *API) resolveStipulation(ctx context.Context, tx *db.Tx, in *struct {
	ByStipulation
	Body StipulationResolve
}) (Stipulation, error) {
	return change(ctx, tx, in.DealID, func(d *deals.Deal) (Stipulation, error) {
		f, err := findFunding(ctx, tx, *d, in.FundingID)
		if err != nil {
			return Stipulation{}, err
		}
		s, err := f.stipulation(in.StipulationID)
		if err != nil {
			return s, err
		}
		if err := rest.CheckIfMatch(ctx, s.Version); err != nil {
			return s, err
		}
		before := s
		if err := s.resolve(in.Body, f, tx.Now); err != nil {
			return s, err
		}
		return s, saveStipulation(ctx, tx, f, before, &s)
	})
}
