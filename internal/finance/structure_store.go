package finance

import (
	"context"

	"slipway/internal/deals"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/privacy"
)

var structures = db.Table[FinanceStructure]{
	Name: "finance_structures", Prefix: "fin", Noun: "finance structure", Parent: "deal_id",
	Loaded: func(_ *db.Tx, s *FinanceStructure) { s.fillTaxable() },
}

// FindStructure returns a finance structure of a deal.
func FindStructure(ctx context.Context, tx *db.Tx, d deals.Deal, id string) (FinanceStructure, error) {
	s, err := structures.FindIn(ctx, tx, d.ID, id)
	return s.visible(ctx, d), err
}

// visible returns the structure with the fields that the caller can see.
func (s FinanceStructure) visible(ctx context.Context, d deals.Deal) FinanceStructure {
	s.Selected = d.SelectedStructureID != nil && *d.SelectedStructureID == s.ID
	return privacy.Hide(s, auth.From(ctx).Scopes)
}

func listStructures(ctx context.Context, tx *db.Tx, dealID string, q page.Query) (page.Page[FinanceStructure], error) {
	p, err := deals.ListOf(ctx, tx, structures, dealID, q)
	if err != nil {
		return p, err
	}
	d, err := deals.Find(ctx, tx, dealID)
	for i, s := range p.Data {
		p.Data[i] = s.visible(ctx, d)
	}
	return p, err
}

func insertStructure(ctx context.Context, tx *db.Tx, s *FinanceStructure) error {
	if err := structures.Insert(ctx, tx, s); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "finance_structure.created", s.ID, events.Change{After: *s})
}

// structuresOf returns the structures of a deal by ID, with what the caller can't
// see.
func structuresOf(ctx context.Context, tx *db.Tx, d deals.Deal) (map[string]FinanceStructure, error) {
	all, err := db.All[FinanceStructure](ctx, tx, `SELECT {cols} FROM finance_structures WHERE env = ? AND deal_id = ? ORDER BY id`,
		d.Env, d.ID)
	byID := map[string]FinanceStructure{}
	for _, s := range all {
		byID[s.ID] = s
	}
	return byID, err
}
