package finance

import (
	"context"
	"slices"

	"slipway/internal/deals"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

func findFunding(ctx context.Context, tx *db.Tx, d deals.Deal, id string) (Funding, error) {
	f, err := db.One[Funding](ctx, tx, `SELECT {cols} FROM fundings WHERE env = ? AND deal_id = ? AND id = ?`, d.Env, d.ID, id)
	if db.IsNoRows(err) {
		return f, fault.NotFound("funding", id)
	}
	if err != nil {
		return f, err
	}
	one := []Funding{f}
	err = addStipulations(ctx, tx, d.ID, one)
	return one[0], err
}

func listFundings(ctx context.Context, tx *db.Tx, dealID string, q page.Query) (page.Page[Funding], error) {
	p, err := deals.ListOf[Funding](ctx, tx, "fundings", "fund", dealID, q)
	if err != nil {
		return p, err
	}
	return p, addStipulations(ctx, tx, dealID, p.Data)
}

// fundingsOf are all fundings of a deal, oldest first.
func fundingsOf(ctx context.Context, tx *db.Tx, d deals.Deal) ([]Funding, error) {
	all, err := db.All[Funding](ctx, tx, `SELECT {cols} FROM fundings WHERE env = ? AND deal_id = ? ORDER BY id`, d.Env, d.ID)
	if err != nil {
		return all, err
	}
	return all, addStipulations(ctx, tx, d.ID, all)
}

// addStipulations fills in what the lenders of a deal want.
func addStipulations(ctx context.Context, tx *db.Tx, dealID string, fundings []Funding) error {
	all, err := db.All[Stipulation](ctx, tx, `SELECT {cols} FROM stipulations WHERE env = ? AND deal_id = ? ORDER BY funding_id, id`, tx.Env, dealID)
	for i := range fundings {
		f := &fundings[i]
		for _, s := range all {
			if s.FundingID == f.ID {
				f.Stipulations = append(f.Stipulations, s)
			}
		}
		f.derive()
	}
	return err
}

// insertFunding adds a submission, which makes the deal one that a lender of
// ours pays.
func insertFunding(ctx context.Context, tx *db.Tx, d *deals.Deal, f *Funding) error {
	before := *d
	f.Env, f.ID, f.DealID, f.Version, f.CreatedAt, f.UpdatedAt = d.Env, tx.NewID("fund"), d.ID, 1, tx.Now, tx.Now
	f.derive()
	if err := db.Insert(ctx, tx, "fundings", *f); err != nil {
		return err
	}
	d.TakeLender()
	if err := agree(ctx, tx, before, d); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "funding.submitted", f.ID, nil, *f)
}

// saveFunding writes a changed funding and the event.
func saveFunding(ctx context.Context, tx *db.Tx, before Funding, f *Funding) error {
	f.Version, f.UpdatedAt = before.Version+1, tx.Now
	if err := db.Changed(db.Update(ctx, tx, "fundings", f, "env = ? AND deal_id = ? AND id = ? AND version = ?", f.Env, f.DealID, f.ID, before.Version)); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "funding.updated", f.ID, before, *f)
}

// agree makes the deal say what its fundings say.
func agree(ctx context.Context, tx *db.Tx, before deals.Deal, d *deals.Deal) error {
	all, err := fundingsOf(ctx, tx, *d)
	if err != nil {
		return err
	}
	if d.FundingState = stateOf(all); d.FundingState == before.FundingState && d.DealType == before.DealType {
		return nil
	}
	return deals.Keep(ctx, tx, before, d)
}

// onlyContract names the funding that the buyer signs with already; the unique
// index is the guard.
func onlyContract(ctx context.Context, tx *db.Tx, d deals.Deal, f Funding) error {
	if !slices.Contains(contracts, f.Status) {
		return nil
	}
	all, err := fundingsOf(ctx, tx, d)
	if err != nil {
		return err
	}
	for _, other := range all {
		if other.ID != f.ID && slices.Contains(contracts, other.Status) {
			return fault.Conflict("The buyer has a contract with %s. Withdraw funding %s first.", other.Lender, other.ID).
				Detail("to", "state", "is not possible while funding %s is %s", other.ID, other.Status)
		}
	}
	return nil
}

func insertStipulation(ctx context.Context, tx *db.Tx, f Funding, s *Stipulation) error {
	s.Env, s.ID, s.DealID, s.FundingID, s.Version, s.CreatedAt, s.UpdatedAt = f.Env, tx.NewID("stip"), f.DealID, f.ID, 1, tx.Now, tx.Now
	if err := db.Insert(ctx, tx, "stipulations", *s); err != nil {
		return err
	}
	return tellStipulations(ctx, tx, f, *s)
}

func saveStipulation(ctx context.Context, tx *db.Tx, f Funding, before Stipulation, s *Stipulation) error {
	s.Version, s.UpdatedAt = before.Version+1, tx.Now
	err := db.Changed(db.Update(ctx, tx, "stipulations", s, "env = ? AND deal_id = ? AND funding_id = ? AND id = ? AND version = ?",
		s.Env, s.DealID, s.FundingID, s.ID, before.Version))
	if err != nil {
		return err
	}
	return tellStipulations(ctx, tx, f, *s)
}

// tellStipulations writes that what a lender wants has changed: a new version
// of the funding, which shows it.
func tellStipulations(ctx context.Context, tx *db.Tx, f Funding, changed Stipulation) error {
	before := f
	f.Stipulations = slices.DeleteFunc(slices.Clone(f.Stipulations), func(s Stipulation) bool { return s.ID == changed.ID })
	f.Stipulations = append(f.Stipulations, changed)
	slices.SortFunc(f.Stipulations, func(a, b Stipulation) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return saveFunding(ctx, tx, before, &f)
}
