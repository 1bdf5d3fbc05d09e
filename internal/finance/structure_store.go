package finance

import (
	"context"

	"slipway/internal/deals"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

func FindStructure(ctx context.Context, tx *db.Tx, d deals.Deal, id string) (FinanceStructure, error) {
	s, err := db.One[FinanceStructure](ctx, tx, `SELECT {cols} FROM finance_structures WHERE env = ? AND deal_id = ? AND id = ?`, d.Env, d.ID, id)
	if db.IsNoRows(err) {
		return s, fault.NotFound("finance structure", id)
	}
	return s.seen(ctx, d), err
}

// seen is the structure as the caller may see it.
func (s FinanceStructure) seen(ctx context.Context, d deals.Deal) FinanceStructure {
	s.Selected = d.SelectedStructureID != nil && *d.SelectedStructureID == s.ID
	if !auth.From(ctx).Can(auth.DealsWrite) {
		return s.withoutCosts()
	}
	return s
}

func listStructures(ctx context.Context, tx *db.Tx, dealID string, q page.Query) (page.Page[FinanceStructure], error) {
	p, err := deals.ListOf[FinanceStructure](ctx, tx, "finance_structures", "fin", dealID, q)
	if err != nil {
		return p, err
	}
	d, err := deals.Find(ctx, tx, dealID)
	for i, s := range p.Data {
		p.Data[i] = s.seen(ctx, d)
	}
	return p, err
}

func insertStructure(ctx context.Context, tx *db.Tx, d deals.Deal, s *FinanceStructure) error {
	s.Env, s.ID, s.DealID, s.CreatedAt = d.Env, tx.NewID("fin"), d.ID, tx.Now
	if err := db.Insert(ctx, tx, "finance_structures", *s); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "finance_structure.created", s.ID, nil, s.withoutCosts())
}
