package finance

import (
	"slices"
	"time"

	"slipway/internal/deals"
	"slipway/internal/vocab/fault"
)

// fundingUndo is what a funding was before its last step.
type fundingUndo struct {
	Version     int64            `json:"version"` // of the funding after the step
	Status      FundingStatus    `json:"status"`
	Reason      *string          `json:"reason"`
	Reference   *string          `json:"reference"`
	StructureID string           `json:"structure_id"`
	Decision    *FundingDecision `json:"decision"`
}

// steps splits an advance into one for each status on the way. The decision belongs to the first
// one, and the rest to the last.
func (a FundingAdvance) steps(from FundingStatus) []FundingAdvance {
	if !a.SkipSteps || a.To == "" || slices.Contains(next[from], a.To) {
		return []FundingAdvance{a}
	}
	var all []FundingAdvance
	for at := from; !slices.Contains(next[at], a.To); {
		if at == Funded || len(next[at]) == 0 {
			return []FundingAdvance{a} // there is no way, and the error says so
		}
		at = next[at][0]
		all = append(all, FundingAdvance{To: at})
	}
	all[0].Decision, a.Decision = a.Decision, nil
	return append(all, a)
}

// remember keeps what a funding was before a step. A step for which money changes hands can't be
// undone.
func (f *Funding) remember(before Funding) {
	f.Undo = nil
	if f.Status == Funded || f.Status == ChargedBack {
		return
	}
	f.Undo = &fundingUndo{
		Version: f.Version + 1, Status: before.Status, Reason: before.Reason, Reference: before.Reference,
		StructureID: before.StructureID, Decision: before.Decision,
	}
}

// undo takes the last step back. It fails if anything has changed since.
func (f *Funding) undo(d deals.Deal) error {
	switch {
	case f.Status == Funded || f.Status == ChargedBack:
		return fault.Conflict("The funding is %s. You can't undo this step, because money has changed hands.", f.Status).
			Detail("status", "state", "is %s", f.Status)
	case d.Status == deals.Cancelled:
		return fault.Conflict("The deal is cancelled. You can't change its fundings.").Detail("status", "state", "refers to a cancelled deal")
	case f.Undo == nil || f.Undo.Version != f.Version:
		return fault.Conflict("The last step can't be undone, because the funding has changed since.").Detail("version", "state", "has changed since the step")
	}
	f.Status, f.Reason, f.Reference = f.Undo.Status, f.Undo.Reason, f.Undo.Reference
	f.StructureID, f.Decision, f.Undo = f.Undo.StructureID, f.Undo.Decision, nil
	f.derive()
	return nil
}

// undoWithin is how long the person who recorded a payment can undo it.
const undoWithin = 10 * time.Minute

// checkUndo fails unless the caller has just recorded the payment and the deal has not changed since.
func (p Payment) checkUndo(d deals.Deal, by string, now time.Time) error {
	switch {
	case p.Type != Paid || p.Status != PaymentSucceeded:
		return fault.Conflict("This entry can't be undone. It is %s.", p.Status).Detail("status", "state", "is %s", p.Status)
	case p.RecordedBy == nil || *p.RecordedBy != by:
		return fault.Conflict("Only the person who recorded the payment can undo it. A manager can refund it.").
			Detail("payment_id", "state", "was recorded by someone else")
	case now.Sub(p.CreatedAt) > undoWithin:
		return fault.Conflict("You can undo a payment for 10 minutes. Now a manager can refund it.").Detail("created_at", "state", "is more than 10 minutes ago")
	case d.UpdatedAt.After(p.CreatedAt):
		return fault.Conflict("The deal has changed since the payment was recorded. A manager can refund the payment.").
			Detail("version", "state", "has changed since the payment")
	}
	return nil
}
