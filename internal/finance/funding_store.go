package finance

import (
	"context"
	"slices"

	"slipway/internal/deals"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/privacy"
)

var (
	fundings     = db.Table[Funding]{Name: "fundings", Prefix: "fund", Noun: "funding", Parent: "deal_id"}
	stipulations = db.Table[Stipulation]{Name: "stipulations", Prefix: "stip", Noun: "stipulation", Parent: "deal_id"}
)

func findFunding(ctx context.Context, tx *db.Tx, d deals.Deal, id string) (Funding, error) {
	f, err := fundings.FindIn(ctx, tx, d.ID, id)
	if err != nil {
		return f, err
	}
	one := []Funding{f}
	err = complete(ctx, tx, d, one)
	return one[0], err
}

func listFundings(ctx context.Context, tx *db.Tx, dealID string, q page.Query) (page.Page[Funding], error) {
	p, err := deals.ListOf(ctx, tx, fundings, dealID, q)
	if err != nil {
		return p, err
	}
	d, err := deals.Find(ctx, tx, dealID)
	if err != nil {
		return p, err
	}
	err = complete(ctx, tx, d, p.Data)
	for i, f := range p.Data {
		p.Data[i] = f.visible(ctx)
	}
	return p, err
}

// visible returns the funding with the fields that the caller can see.
func (f Funding) visible(ctx context.Context) Funding {
	return privacy.Hide(f, auth.From(ctx).Scopes)
}

// fundingsOf returns the fundings of a deal, oldest first.
func fundingsOf(ctx context.Context, tx *db.Tx, d deals.Deal) ([]Funding, error) {
	all, err := db.All[Funding](ctx, tx, `SELECT {cols} FROM fundings WHERE env = ? AND deal_id = ? ORDER BY id`, d.Env, d.ID)
	if err != nil {
		return all, err
	}
	err = complete(ctx, tx, d, all)
	return all, err
}

// complete fills in what is not stored with the fundings of a deal.
func complete(ctx context.Context, tx *db.Tx, d deals.Deal, fundings []Funding) error {
	structures, err := structuresOf(ctx, tx, d)
	if err != nil {
		return err
	}
	all, err := db.All[Stipulation](ctx, tx, `SELECT {cols} FROM stipulations WHERE env = ? AND deal_id = ? ORDER BY funding_id, id`,
		tx.Env, d.ID)
	for i := range fundings {
		f := &fundings[i]
		for _, s := range all {
			if s.FundingID == f.ID {
				f.Stipulations = append(f.Stipulations, s)
			}
		}
		f.derive()
		f.compare(d, structures)
	}
	return err
}

// checkContracts fails if a lender has sent a contract with other terms than the
// structure.
func checkContracts(ctx context.Context, tx *db.Tx, d deals.Deal, s FinanceStructure, all []Funding) error {
	if len(all) == 0 {
		return nil
	}
	structures, err := structuresOf(ctx, tx, d)
	if err != nil {
		return err
	}
	return s.checkSelectable(all, structures)
}

// insertFunding adds a submission and makes the deal a finance deal.
func insertFunding(ctx context.Context, tx *db.Tx, d *deals.Deal, f *Funding) error {
	before := *d
	f.DealID = d.ID
	f.derive()
	structures, err := structuresOf(ctx, tx, *d)
	if err != nil {
		return err
	}
	f.compare(*d, structures)
	if err := fundings.Insert(ctx, tx, f); err != nil {
		return err
	}

	d.UseLender()
	if err := updateFundingState(ctx, tx, before, d); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "funding.submitted", f.ID, events.Change{After: *f})
}

// saveFunding writes a changed funding and the event.
func saveFunding(ctx context.Context, tx *db.Tx, before Funding, f *Funding) error {
	if err := fundings.Save(ctx, tx, f); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "funding.updated", f.ID, events.Change{Before: before, After: *f})
}

// updateFundingState sets the funding state of the deal from its fundings.
func updateFundingState(ctx context.Context, tx *db.Tx, before deals.Deal, d *deals.Deal) error {
	all, err := fundingsOf(ctx, tx, *d)
	if err != nil {
		return err
	}
	if d.FundingState = stateOf(all); d.FundingState == before.FundingState && d.DealType == before.DealType {
		return nil
	}
	return deals.Save(ctx, tx, before, d)
}

// checkOnlyContract fails if another funding of the deal has a contract. The unique
// index is the guarantee.
func checkOnlyContract(ctx context.Context, tx *db.Tx, d deals.Deal, f Funding) error {
	if !slices.Contains(withContract, f.Status) {
		return nil
	}
	all, err := fundingsOf(ctx, tx, d)
	if err != nil {
		return err
	}
	for _, other := range all {
		if other.ID != f.ID && slices.Contains(withContract, other.Status) {
			return fault.Conflict("The buyer already has a contract with %s. Withdraw funding %s first.", other.Lender, other.ID).
				Detail("to", "state", "is not possible while funding %s is %s", other.ID, other.Status)
		}
	}
	return nil
}

func insertStipulation(ctx context.Context, tx *db.Tx, f Funding, s *Stipulation) error {
	s.DealID, s.FundingID = f.DealID, f.ID
	if err := stipulations.Insert(ctx, tx, s); err != nil {
		return err
	}
	return saveWithStipulation(ctx, tx, f, *s)
}

// saveStipulation doesn't use Table.Save: the key of the table includes the
// funding.
func saveStipulation(ctx context.Context, tx *db.Tx, f Funding, before Stipulation, s *Stipulation) error {
	s.Version, s.UpdatedAt = before.Version+1, tx.Now
	err := db.Changed(db.Update(ctx, tx, "stipulations", s, "env = ? AND deal_id = ? AND funding_id = ? AND id = ? AND version = ?",
		s.Env, s.DealID, s.FundingID, s.ID, before.Version))
	if err != nil {
		return err
	}
	return saveWithStipulation(ctx, tx, f, *s)
}

// saveWithStipulation saves a new version of the funding with a stipulation that
// was added or changed.
func saveWithStipulation(ctx context.Context, tx *db.Tx, f Funding, changed Stipulation) error {
	before := f
	f.Stipulations = slices.DeleteFunc(slices.Clone(f.Stipulations), func(s Stipulation) bool { return s.ID == changed.ID })
	f.Stipulations = append(f.Stipulations, changed)
	slices.SortFunc(f.Stipulations, func(a, b Stipulation) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return saveFunding(ctx, tx, before, &f)
}

// FindFunded returns the funding that a lender has paid, if there is one.
func FindFunded(ctx context.Context, tx *db.Tx, d deals.Deal) (*Funding, error) {
	all, err := fundingsOf(ctx, tx, d)
	for _, f := range all {
		if f.Status == Funded {
			return &f, err
		}
	}
	return nil, err
}
