package deals

import (
	"slices"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// Status is where a deal stands between the first offer and the last signature.
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

// next lists the moves that advancing a deal makes. Accepting an offer makes
// the first one. A cash buyer, too, may be sent to the finance office, which
// sells more than loans.
var next = map[Status][]Status{
	Accepted:   {InFinance, Contracted},
	InFinance:  {Contracted},
	Contracted: {Funded, Delivered},
	Funded:     {Delivered},
	Delivered:  {Closed},
}

// cancellable are the statuses from which there is a way back.
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

// DealAdvance asks for the next status.
type DealAdvance struct {
	To     Status  `json:"to,omitempty" enum:"accepted,in_finance,contracted,funded,delivered,closed,open,cancelled" doc:"Without it: the next one. A deal that is not financed by a lender of ours skips in_finance."`
	Reason *string `json:"reason" required:"false" maxLength:"500"`
}

// following is where a deal goes that is told only to go on.
func (d Deal) following() Status {
	steps := next[d.Status]
	switch {
	case len(steps) == 0:
		return ""
	case d.Status == Accepted && d.DealType != Finance:
		return Contracted
	}
	return steps[0]
}

// advance moves the deal on, or says everything that is missing.
func (d *Deal) advance(to Status, rules dealership.Settings, now time.Time) error {
	if to == "" {
		to = d.following()
	}
	if err := d.mayAdvance(to); err != nil {
		return err
	}
	if missing := d.missing(to, rules); len(missing) > 0 {
		f := fault.Conflict("The deal cannot become %s yet: %s", to, fault.Sentence(missing))
		f.Details = missing
		return f
	}
	d.Status = to
	*d.reached(to) = &now
	return nil
}

// mayAdvance says whether there is such a move at all.
func (d Deal) mayAdvance(to Status) error {
	steps := next[d.Status]
	switch {
	case slices.Contains(steps, to):
		return nil
	case d.Status == Open:
		return fault.Conflict("An open deal advances when an offer is accepted.").Detail("to", "state", "is not possible before an offer is accepted")
	case len(steps) == 0:
		return fault.Conflict("The deal is %s and goes no further.", d.Status).Detail("to", "state", "is not possible: the deal is %s", d.Status)
	}
	f := fault.Conflict("A deal cannot go from %s to %s.", d.Status, to)
	for _, s := range steps {
		f = f.Detail("to", "state", "can be %s", s)
	}
	return f
}

// missing lists what a deal needs before it may take a step.
func (d Deal) missing(to Status, rules dealership.Settings) (missing fault.Fields) {
	switch to {
	case Contracted:
		if d.SignedAgreementID == nil {
			missing.Add("signed_agreement_id", "state", "is missing: the purchase agreement must be signed by all")
		}
		if d.DealType == Finance && d.SelectedStructureID == nil {
			missing.Add("selected_structure_id", "state", "is missing: a finance structure must be selected")
		}
	case Funded:
		d.needsMoney(&missing)
	case Delivered:
		if d.Status == Contracted && !rules.AllowDeliveryBeforeFunding {
			missing.Add("status", "state", "must be funded first; the dealership does not deliver before funding")
		}
	case Closed:
		if d.FundedAt == nil { // delivered on the spot
			d.needsMoney(&missing)
		}
	}
	return missing
}

func (d Deal) needsMoney(missing *fault.Fields) {
	switch {
	case d.DealType == Finance && d.FundingState != FundingFunded:
		missing.Add("funding_state", "state", "must be funded, is %s", d.FundingState)
	case d.DealType != Finance && d.Totals.BalanceDueCents > 0:
		missing.Add("totals.balance_due_cents", "state", "must be 0, is %d", d.Totals.BalanceDueCents)
	}
}

// reached is where the deal keeps when it came to a status.
func (d *Deal) reached(s Status) **time.Time {
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
	return new(*time.Time) // in_finance keeps no time of its own; the history does
}

// DealCancel ends a deal.
type DealCancel struct {
	Reason         string  `json:"reason" minLength:"1" maxLength:"500"`
	DepositOutcome *string `json:"deposit_outcome" required:"false" enum:"refund,forfeit,transfer" doc:"Needed if money was paid. refund records a refund of all that is held; forfeit and transfer leave it."`
}

// cancel ends the deal.
func (d *Deal) cancel(c DealCancel, now time.Time) error {
	if !slices.Contains(cancellable, d.Status) {
		return fault.Conflict("A deal that is %s cannot be cancelled.", d.Status).Detail("status", "state", "is %s", d.Status)
	}
	var bad fault.Fields
	switch {
	case d.FundingState == FundingFunded:
		return fault.Conflict("The lender has funded the deal. Charge the funding back first.").Detail("funding_state", "state", "is funded")
	case d.PaidCents > 0 && c.DepositOutcome == nil:
		bad.Add("deposit_outcome", "required", "is required: %d cents were paid", d.PaidCents)
	}
	if err := bad.Err(); err != nil {
		return err
	}
	d.Status, d.CancelReason, d.DepositOutcome, d.CancelledAt = Cancelled, &c.Reason, c.DepositOutcome, &now
	return nil
}

// DealChange is one line of a deal's history.
type DealChange struct {
	Env    auth.Env   `json:"-" db:"env"`
	ID     string     `json:"id" db:"id" example:"hst_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	DealID string     `json:"deal_id" db:"deal_id"`
	From   *Status    `json:"from" db:"from_status" doc:"Status before; null for a new deal."`
	To     Status     `json:"to" db:"to_status" doc:"Status after."`
	Reason *string    `json:"reason" db:"reason"`
	Actor  auth.Actor `json:"actor" db:"actor,json"`
	At     time.Time  `json:"at" db:"at"`
}
