package finance

import (
	"context"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/deals"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/page"
)

// ByStructure are the path parameters of a finance structure.
type ByStructure struct {
	deals.ByDeal
	StructureID string `path:"structure_id" doc:"ID of the finance structure." example:"fin_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) listStructures(ctx context.Context, tx *db.Tx, in *struct {
	deals.ByDeal
	page.Query
}) (page.Page[FinanceStructure], error) {
	return listStructures(ctx, tx, in.DealID, in.Query)
}

func (a *API) createStructure(ctx context.Context, tx *db.Tx, in *struct {
	deals.ByDeal
	Body FinanceStructureCreate
}) (FinanceStructure, error) {
	d, err := lockDeal(ctx, tx, in.DealID)
	if err != nil {
		return FinanceStructure{}, err
	}
	fundings, err := fundingsOf(ctx, tx, d)
	if err != nil {
		return FinanceStructure{}, err
	}
	if err := checkStructureOpen(d, fundings); err != nil {
		return FinanceStructure{}, err
	}

	deposits, err := sumPaid(ctx, tx, d, "deposit")
	if err != nil {
		return FinanceStructure{}, err
	}
	company, err := dealership.Find(ctx, tx)
	if err != nil {
		return FinanceStructure{}, err
	}
	zone, err := time.LoadLocation(company.Timezone)
	if err != nil {
		return FinanceStructure{}, err
	}
	in.Body.setTaxable(company.Settings.TaxableLines.Product)
	s, err := in.Body.Structure(d, deposits, tx.Now.In(zone))
	if err != nil {
		return s, err
	}

	s.DealID = d.ID
	err = insertStructure(ctx, tx, &s)
	return s.visible(ctx, d), err
}

func (a *API) getStructure(ctx context.Context, tx *db.Tx, in *ByStructure) (FinanceStructureSchedule, error) {
	d, err := deals.Find(ctx, tx, in.DealID)
	if err != nil {
		return FinanceStructureSchedule{}, err
	}
	s, err := FindStructure(ctx, tx, d, in.StructureID)
	if err != nil {
		return FinanceStructureSchedule{}, err
	}
	return FinanceStructureSchedule{FinanceStructure: s, Schedule: s.Installments()}, nil
}

func (a *API) selectStructure(ctx context.Context, tx *db.Tx, in *ByStructure) (FinanceStructure, error) {
	d, err := deals.FindForUpdate(ctx, tx, in.DealID)
	if err != nil {
		return FinanceStructure{}, err
	}
	s, err := structures.FindIn(ctx, tx, d.ID, in.StructureID) // with what the caller can't see
	if err != nil {
		return s, err
	}
	if err := rest.CheckIfMatch(ctx, d.Version); err != nil {
		return s, err
	}
	fundings, err := fundingsOf(ctx, tx, d)
	if err != nil {
		return s, err
	}
	if err := checkContracts(ctx, tx, d, s, fundings); err != nil {
		return s, err
	}

	before, was := d, s
	was.Selected = d.SelectedStructureID != nil && *d.SelectedStructureID == s.ID
	if err := s.selectFor(&d, fundings); err != nil {
		return s, err
	}
	if err := deals.Restructure(ctx, tx, before, &d); err != nil {
		return s, err
	}
	err = events.Emit(ctx, tx, "finance_structure.selected", s.ID, events.Change{Before: was, After: s})
	return s.visible(ctx, d), err
}
