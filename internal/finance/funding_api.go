package finance

import (
	"context"
	"time"

	"slipway/internal/deals"
	"slipway/internal/identity/access"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

// ByFunding are the path parameters of a funding.
type ByFunding struct {
	deals.ByDeal
	FundingID string `path:"funding_id" doc:"ID of the funding." example:"fund_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

// ByStipulation are the path parameters of a stipulation.
type ByStipulation struct {
	ByFunding
	StipulationID string `path:"stipulation_id" doc:"ID of the stipulation." example:"stip_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) listFundings(ctx context.Context, tx *db.Tx, in *struct {
	deals.ByDeal
	page.Query
}) (page.Page[Funding], error) {
	return listFundings(ctx, tx, in.DealID, in.Query)
}

func (a *API) getFunding(ctx context.Context, tx *db.Tx, in *ByFunding) (Funding, error) {
	d, err := deals.Find(ctx, tx, in.DealID)
	if err != nil {
		return Funding{}, err
	}
	f, err := findFunding(ctx, tx, d, in.FundingID)
	return f.visible(ctx), err
}

func (a *API) submitFunding(ctx context.Context, tx *db.Tx, in *struct {
	deals.ByDeal
	Body FundingSubmit
}) (Funding, error) {
	d, err := lockDeal(ctx, tx, in.DealID)
	if err != nil {
		return Funding{}, err
	}
	s, err := structureToSubmit(ctx, tx, d, in.Body)
	if err != nil {
		return Funding{}, err
	}
	if err := checkSubmittable(d); err != nil {
		return Funding{}, err
	}

	f := Funding{
		Lender: in.Body.Lender, StructureID: s.ID, Reference: in.Body.Reference, Status: Submitted,
		RequestedCents: s.AmountFinancedCents, AmountCents: s.AmountFinancedCents,
	}
	err = insertFunding(ctx, tx, &d, &f)
	return f, err
}

// structureToSubmit returns the requested structure, or the selected one.
func structureToSubmit(ctx context.Context, tx *db.Tx, d deals.Deal, in FundingSubmit) (FinanceStructure, error) {
	if in.StructureID == nil {
		if d.SelectedStructureID == nil {
			return FinanceStructure{}, fault.Conflict("The deal has no selected finance structure. Select one first, or send structure_id.").
				Detail("structure_id", "state", "is required because the deal has no selected structure")
		}
		return FindStructure(ctx, tx, d, *d.SelectedStructureID)
	}
	s, err := FindStructure(ctx, tx, d, *in.StructureID)
	return s, notFoundIn("structure_id", "must be a finance structure of this deal", err)
}

// notFoundIn returns the error about a field of the body that refers to nothing.
func notFoundIn(field, message string, err error) error {
	if fault.KindOf(err) != fault.KindNotFound {
		return err
	}
	var bad fault.Fields
	bad.Add(field, "not_found", "%s", message)
	return bad.Err()
}

// lockFunding locks the deal and finds one of its fundings.
func lockFunding(ctx context.Context, tx *db.Tx, in ByFunding) (deals.Deal, Funding, error) {
	d, err := deals.FindForUpdate(ctx, tx, in.DealID)
	if err != nil {
		return d, Funding{}, err
	}
	f, err := findFunding(ctx, tx, d, in.FundingID)
	return d, f, err
}

func (a *API) advanceFunding(ctx context.Context, tx *db.Tx, in *struct {
	ByFunding
	Body *FundingAdvance
}) (Funding, error) {
	d, f, err := lockFunding(ctx, tx, in.ByFunding)
	if err != nil {
		return f, err
	}
	if err := rest.CheckIfMatch(ctx, f.Version); err != nil {
		return f, err
	}

	var body FundingAdvance
	if in.Body != nil {
		body = *in.Body
	}
	if !deals.SeesProfit(ctx) {
		body.keepBuyRate(f)
	}
	structures, err := structuresOf(ctx, tx, d)
	if err != nil {
		return f, err
	}
	first := f
	for _, step := range body.steps(f.Status) {
		before := f
		if err := f.advance(step, d, tx.Now); err != nil {
			return f, err
		}
		if f.Status == Funded || f.Status == ChargedBack {
			if err := access.CheckDuty(auth.From(ctx), auth.Payout, "to"); err != nil {
				return f, err
			}
		}
		if err := checkOnlyContract(ctx, tx, d, f); err != nil {
			return f, err
		}
		f.compare(d, structures)
		if err := f.sendContract(d, structures); err != nil {
			return f, err
		}
		f.remember(first)
		if err := saveFunding(ctx, tx, before, &f); err != nil {
			return f, err
		}
	}
	if err := updateFundingState(ctx, tx, d, &d); err != nil {
		return f, err
	}
	if body.RecordPayment {
		if err := recordProceeds(ctx, tx, &d, f); err != nil {
			return f, err
		}
	}
	return f.visible(ctx), nil
}

// recordProceeds records the money of the lender.
func recordProceeds(ctx context.Context, tx *db.Tx, d *deals.Deal, f Funding) error {
	day, err := Today(ctx, tx)
	if err != nil {
		return err
	}
	on := f.FundedAt.In(day.Location()).Format(time.DateOnly)
	p, err := PaymentRecord{
		Kind: "lender_proceeds", Method: "financing", AmountCents: f.AmountCents, Reference: f.Reference, ReceivedOn: &on,
	}.payment(*d, day)
	if err != nil {
		return err
	}
	return savePayment(ctx, tx, d, &p)
}

func (a *API) undoFunding(ctx context.Context, tx *db.Tx, in *ByFunding) (Funding, error) {
	d, f, err := lockFunding(ctx, tx, *in)
	if err != nil {
		return f, err
	}
	if err := rest.CheckIfMatch(ctx, f.Version); err != nil {
		return f, err
	}

	before := f
	if err := f.undo(d); err != nil {
		return f, err
	}
	structures, err := structuresOf(ctx, tx, d)
	if err != nil {
		return f, err
	}
	f.compare(d, structures)

	if err := saveFunding(ctx, tx, before, &f); err != nil {
		return f, err
	}
	err = updateFundingState(ctx, tx, d, &d)
	return f.visible(ctx), err
}

func (a *API) addStipulation(ctx context.Context, tx *db.Tx, in *struct {
	ByFunding
	Body StipulationAdd
}) (Stipulation, error) {
	s := Stipulation{Kind: in.Body.Kind, Description: in.Body.Description, Status: StipulationRequested}
	_, f, err := lockFunding(ctx, tx, in.ByFunding)
	if err != nil {
		return s, err
	}
	if err := rest.CheckIfMatch(ctx, f.Version); err != nil {
		return s, err
	}
	if err := f.checkOpen(); err != nil {
		return s, err
	}

	err = insertStipulation(ctx, tx, f, &s)
	return s, err
}

func (a *API) resolveStipulation(ctx context.Context, tx *db.Tx, in *struct {
	ByStipulation
	Body StipulationResolve
}) (Stipulation, error) {
	_, f, err := lockFunding(ctx, tx, in.ByFunding)
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

	if in.Body.DocumentID != nil {
		if err := db.Attached[Hooks](tx).CheckEvidence(ctx, tx, in.DealID, *in.Body.DocumentID); err != nil {
			return s, err
		}
	}

	before := s
	if err := s.resolve(in.Body, f, tx.Now); err != nil {
		return s, err
	}
	err = saveStipulation(ctx, tx, f, before, &s)
	return s, err
}
