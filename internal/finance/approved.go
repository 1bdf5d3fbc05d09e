package finance

import (
	"slices"
	"strconv"

	"slipway/internal/deals"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/money"
)

// FundingDifference is a term of a structure that the lender didn't approve.
type FundingDifference struct {
	_ struct{} `doc:"A term in which the finance structure differs from what the lender approved."`

	Field     DifferenceField `json:"field" doc:"Term of the decision. amount_cents is the amount financed."`
	Decision  string          `json:"decision" doc:"What the lender approved." example:"8.25" audit:"-" privacy:"plain"`
	Structure string          `json:"structure" doc:"What the structure has." example:"7.49" audit:"-" privacy:"plain"`
}

// DifferenceField is a term that differs.
type DifferenceField string

var allDifferenceFields = enum.Of[DifferenceField]("FundingDifferenceField", "Term that differs.",
	"amount_cents", "apr_percent", "term_months")

func (DifferenceField) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allDifferenceFields.Describe(s)
}

// approvedTerms are the terms of a loan that a lender approved.
type approvedTerms struct {
	amountCents int64
	apr         money.Percent
	months      int64
}

// approved returns what the lender approved: the terms of the decision, and those
// of the submitted structure where the decision doesn't have any.
func (f Funding) approved(submitted FinanceStructure) approvedTerms {
	t := approvedTerms{submitted.AmountFinancedCents, submitted.APRPercent, submitted.TermMonths}
	if d := f.Decision; d != nil {
		if d.Amount != nil {
			t.amountCents = *d.Amount
		}
		if d.APRPercent != nil {
			t.apr = *d.APRPercent
		}
		if d.TermMonths != nil {
			t.months = *d.TermMonths
		}
	}
	return t
}

// differences lists what a structure has instead of the approved terms.
func (t approvedTerms) differences(s FinanceStructure) []FundingDifference {
	all := []FundingDifference{}
	add := func(field DifferenceField, decision, structure string) {
		all = append(all, FundingDifference{Field: field, Decision: decision, Structure: structure})
	}
	if t.amountCents != s.AmountFinancedCents {
		add("amount_cents", strconv.FormatInt(t.amountCents, 10), strconv.FormatInt(s.AmountFinancedCents, 10))
	}
	if t.apr.Scaled() != s.APRPercent.Scaled() {
		add("apr_percent", string(t.apr), string(s.APRPercent))
	}
	if t.months != s.TermMonths {
		add("term_months", strconv.FormatInt(t.months, 10), strconv.FormatInt(s.TermMonths, 10))
	}
	return all
}

// compare sets how the selected structure of the deal, or else the submitted one,
// differs from what the lender approved.
func (f *Funding) compare(d deals.Deal, structures map[string]FinanceStructure) {
	submitted := structures[f.StructureID]
	current := submitted
	if d.SelectedStructureID != nil {
		current = structures[*d.SelectedStructureID]
	}
	f.DiffersFromStructure = f.approved(submitted).differences(current)
}

// asksOtherTerms reports whether the lender has decided on terms that the selected
// structure doesn't have.
func (f Funding) asksOtherTerms() bool {
	return f.Status != Submitted && !slices.Contains(finished, f.Status) && len(f.DiffersFromStructure) > 0
}

// sendContract checks that the selected structure is what the lender approved. The
// contract is for that structure.
func (f *Funding) sendContract(d deals.Deal, structures map[string]FinanceStructure) error {
	if f.Status != ContractSent && f.Status != Signed {
		return nil
	}
	if d.SelectedStructureID == nil {
		return fault.Conflict("The deal has no selected finance structure. Select the one that the lender approved.").
			Detail("selected_structure_id", "state", "is required: select a structure with the terms of the decision")
	}
	if len(f.DiffersFromStructure) > 0 {
		c := fault.Conflict("The selected structure differs from what the lender approved. Create and select a structure with these terms.")
		for _, diff := range f.DiffersFromStructure {
			c = c.Detail("differs_from_structure."+string(diff.Field), "state", "is %s in the structure, but the lender approved %s",
				diff.Structure, diff.Decision)
		}
		return c
	}

	if f.Status == ContractSent {
		s := structures[*d.SelectedStructureID]
		f.StructureID, f.RequestedCents, f.AmountCents = s.ID, s.AmountFinancedCents, s.AmountFinancedCents
		f.derive()
	}
	return nil
}

// checkSelectable fails if a lender has sent a contract with other terms.
func (s FinanceStructure) checkSelectable(fundings []Funding, structures map[string]FinanceStructure) error {
	for _, f := range fundings {
		if !slices.Contains(withContract, f.Status) {
			continue
		}
		if diff := f.approved(structures[f.StructureID]).differences(s); len(diff) > 0 {
			return fault.Conflict("The buyer has a contract with %s with other terms. Withdraw funding %s first.", f.Lender, f.ID).
				Detail(string(diff[0].Field), "state", "must be %s, as in the contract", diff[0].Decision)
		}
	}
	return nil
}
