package deals

import (
	"slices"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/money"
)

// Status is the progress of a deal.
type Status string

// The statuses of a deal.
const (
	Open       Status = "open"
	Accepted   Status = "accepted"
	InFinance  Status = "in_finance"
	Contracted Status = "contracted"
	Funded     Status = "funded"
	Delivered  Status = "delivered"
	Closed     Status = "closed"
	Cancelled  Status = "cancelled"
)

// next lists the statuses that a deal can advance to. Accepting an offer moves
// it from open to accepted. A cash deal can also be in_finance, because the
// finance office sells more than loans.
var next = map[Status][]Status{
	Accepted:   {InFinance, Contracted},
	InFinance:  {Contracted},
	Contracted: {Funded, Delivered},
	Funded:     {Delivered},
	Delivered:  {Closed},
}

// cancellable lists the statuses in which a deal can be cancelled.
var cancellable = []Status{Open, Accepted, InFinance, Contracted}

func (s Status) category() string {
	switch s {
	case Closed:
		return "done"
	case Cancelled:
		return "cancelled"
	}
	return "open"
}

// DealAdvance is the request body for advancing a deal.
type DealAdvance struct {
	To     Status  `json:"to,omitempty" enum:"accepted,in_finance,contracted,funded,delivered,closed,open,cancelled" doc:"New status. Defaults to the next one. A deal with another deal_type than finance skips in_finance by default."`
	Reason *string `json:"reason" required:"false" maxLength:"500"`
}

// nextStatus is the default for advancing the deal.
func (d Deal) nextStatus() Status {
	steps := next[d.Status]
	switch {
	case len(steps) == 0:
		return ""
	case d.Status == Accepted && d.DealType != Finance:
		return Contracted
	}
	return steps[0]
}

// advance changes the status, or fails with everything that is missing.
func (d *Deal) advance(to Status, rules dealership.Settings, now time.Time) error {
	if to == "" {
		to = d.nextStatus()
	}
	if err := d.checkAdvance(to); err != nil {
		return err
	}
	if missing := d.missing(to, rules); len(missing) > 0 {
		f := fault.Conflict("The deal can't be %s yet: %s", to, fault.Sentence(missing))
		f.Details = missing
		return f
	}
	d.Status = to
	*d.timeOf(to) = &now
	return nil
}

// checkAdvance fails unless a deal with this status can get the other one.
func (d Deal) checkAdvance(to Status) error {
	steps := next[d.Status]
	switch {
	case slices.Contains(steps, to):
		return nil
	case d.Status == Open:
		return fault.Conflict("The deal is open. Accept an offer first.").Detail("to", "state", "requires an accepted offer")
	case len(steps) == 0:
		return fault.Conflict("The deal is %s. Its status can't change anymore.", d.Status).
			Detail("to", "state", "is not possible for a deal that is %s", d.Status)
	}
	f := fault.Conflict("You can't change the status from %s to %s.", d.Status, to)
	for _, s := range steps {
		f = f.Detail("to", "state", "can be %s", s)
	}
	return f
}

// missing lists what the deal requires before it can have a status.
func (d Deal) missing(to Status, rules dealership.Settings) (missing fault.Fields) {
	switch to {
	case Contracted:
		if d.SignedAgreementID == nil {
			missing.Add("signed_agreement_id", "state", "is required: everyone must sign the purchase agreement")
		}
		if d.DealType == Finance && d.SelectedStructureID == nil {
			missing.Add("selected_structure_id", "state", "is required: select a finance structure")
		}
	case Funded:
		d.checkPaid(&missing)
	case Delivered:
		if d.Status == Contracted && !rules.AllowDeliveryBeforeFunding {
			missing.Add("status", "state", "must be funded, because the dealership does not allow delivery before funding")
		}
	case Closed:
		if d.FundedAt == nil { // delivered before funding
			d.checkPaid(&missing)
		}
	}

	return missing
}

func (d Deal) checkPaid(missing *fault.Fields) {
	switch {
	case d.DealType == Finance && d.FundingState != FundingFunded:
		missing.Add("funding_state", "state", "must be funded but is %s", d.FundingState)
	case d.DealType != Finance && d.Totals.BalanceDueCents > 0:
		missing.Add("totals.balance_due_cents", "state", "must be 0 but is %d", d.Totals.BalanceDueCents)
	}
}

// timeOf returns the field with the time at which the deal reached a status.
func (d *Deal) timeOf(s Status) **time.Time {
	switch s {
	case Accepted:
		return &d.AcceptedAt
	case Contracted:
		return &d.ContractedAt
	case Funded:
		return &d.FundedAt
	case Delivered:
		return &d.DeliveredAt
	case Closed:
		return &d.ClosedAt
	case Cancelled:
		return &d.CancelledAt
	}
	return new(*time.Time) // in_finance has no field; the history has the time
}

// DealCancel is the request body for canceling a deal.
type DealCancel struct {
	Reason         string  `json:"reason" minLength:"1" maxLength:"500"`
	DepositOutcome *string `json:"deposit_outcome" required:"false" enum:"refund,forfeit,transfer" doc:"Required if money was paid. refund records a refund of everything that was paid. forfeit and transfer don't change the payments."`
}

func (d *Deal) cancel(c DealCancel, now time.Time) error {
	if !slices.Contains(cancellable, d.Status) {
		return fault.Conflict("The deal is %s. You can't cancel it.", d.Status).Detail("status", "state", "is %s", d.Status)
	}
	if d.FundingState == FundingFunded {
		return fault.Conflict("The lender has funded the deal. Charge the funding back first.").Detail("funding_state", "state", "is funded")
	}
	if d.PaidCents > 0 && c.DepositOutcome == nil {
		var bad fault.Fields
		bad.Add("deposit_outcome", "required", "is required because %s was paid", money.Format(d.PaidCents))
		return bad.Err()
	}

	d.Status, d.CancelReason, d.DepositOutcome, d.CancelledAt = Cancelled, &c.Reason, c.DepositOutcome, &now
	return nil
}

// DealChange is an entry in the history of a deal.
type DealChange struct {
	Env    auth.Env   `json:"-" db:"env"`
	ID     string     `json:"id" db:"id" example:"hst_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	DealID string     `json:"deal_id" db:"deal_id"`
	From   *Status    `json:"from" db:"from_status" doc:"Previous status. Null for a new deal."`
	To     Status     `json:"to" db:"to_status" doc:"New status."`
	Reason *string    `json:"reason" db:"reason"`
	Actor  auth.Actor `json:"actor" db:"actor,json"`
	At     time.Time  `json:"at" db:"at"`
}
