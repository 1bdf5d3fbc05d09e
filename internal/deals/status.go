package deals

import (
	"slices"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
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

var allStatuses = enum.Of("DealStatus", "Progress of a deal, from the first offer to closed.",
	Open, Accepted, InFinance, Contracted, Funded, Delivered, Closed, Cancelled)

func (Status) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allStatuses.Describe(s)
}

// StatusCategory summarizes the status.
type StatusCategory string

// The values.
const (
	CategoryOpen      StatusCategory = "open"
	CategoryDone      StatusCategory = "done"
	CategoryCancelled StatusCategory = "cancelled"
)

var allStatusCategories = enum.Of("DealStatusCategory", "Summary of the status of a deal.",
	CategoryOpen, CategoryDone, CategoryCancelled)

func (StatusCategory) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allStatusCategories.Describe(s)
}

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

func (s Status) category() StatusCategory {
	switch s {
	case Closed:
		return CategoryDone
	case Cancelled:
		return CategoryCancelled
	}
	return CategoryOpen
}

// DealAdvance is the request body for advancing a deal.
type DealAdvance struct {
	_ struct{} `doc:"Which status a deal advances to."`

	To     Status  `json:"to,omitempty" doc:"New status. Defaults to the next one. A deal with another deal_type than finance skips in_finance by default."`
	Reason *string `json:"reason" required:"false" maxLength:"500" doc:"Reason for the change, for the history."`

	WriteOffReason *string `json:"write_off_reason" required:"false" minLength:"1" maxLength:"500" doc:"Only for closed. Closes the deal although a balance is due, and records the balance as written off. Requires the scope admin, or a user with the role manager or owner." since:"2026-12-01"`
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
func (d *Deal) advance(asked DealAdvance, rules dealership.Settings, now time.Time) error {
	to := asked.To
	if to == "" {
		to = d.nextStatus()
	}
	if err := d.checkAdvance(to); err != nil {
		return err
	}
	if err := d.checkWriteOff(asked, to); err != nil {
		return err
	}
	if missing := details(d.missing(to, rules, asked.WriteOffReason != nil)); len(missing) > 0 {
		f := fault.Conflict("The deal can't be %s yet: %s", to, fault.Sentence(missing))
		f.Details = missing
		return f
	}
	if asked.WriteOffReason != nil {
		d.WriteOffReason, d.WrittenOffCents = asked.WriteOffReason, new(d.Totals.BalanceDueCents)
	}
	d.Status = to
	*d.timeOf(to) = &now
	return nil
}

// checkWriteOff rejects a write-off of nothing.
func (d Deal) checkWriteOff(asked DealAdvance, to Status) error {
	var bad fault.Fields
	switch {
	case asked.WriteOffReason == nil:
	case to != Closed:
		bad.Add("write_off_reason", "exclusive", "is only allowed for closed")
	case d.Totals.BalanceDueCents <= 0:
		bad.Add("write_off_reason", "exclusive", "is only allowed if a balance is due")
	}
	return bad.Err()
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
	_ struct{} `doc:"Why a deal is cancelled, and what happens to the buyer's money."`

	Reason         string          `json:"reason" minLength:"1" maxLength:"500" doc:"Why the deal is cancelled. It becomes cancel_reason."`
	DepositOutcome *DepositOutcome `json:"deposit_outcome" required:"false" doc:"Required if money was paid. refund records a refund of everything that was paid. transfer moves everything to another deal. forfeit doesn't change the payments."`

	TransferToDealID *string `json:"transfer_to_deal_id" required:"false" minLength:"1" maxLength:"64" doc:"Deal that gets the money. Required for transfer if money was paid. It must not be closed or cancelled." example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f" since:"2026-12-01"`
}

// DepositOutcome is what happens to the buyer's money when a deal is cancelled.
type DepositOutcome string

// Values that the code uses.
const (
	DepositRefund   DepositOutcome = "refund"
	DepositTransfer DepositOutcome = "transfer"
)

var allDepositOutcomes = enum.Of("DepositOutcome", "What happens to the buyer's money when a deal is cancelled.",
	DepositRefund, "forfeit", DepositTransfer)

func (DepositOutcome) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allDepositOutcomes.Describe(s)
}

// transfers reports whether the cancellation moves money to another deal.
func (c DealCancel) transfers() bool {
	return c.DepositOutcome != nil && *c.DepositOutcome == DepositTransfer
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
	if err := d.checkTransfer(c); err != nil {
		return err
	}

	d.Status, d.CancelReason, d.DepositOutcome, d.CancelledAt = Cancelled, &c.Reason, c.DepositOutcome, &now
	d.TransferredToDealID = c.TransferToDealID
	return nil
}

// checkTransfer validates the deal that gets the money.
func (d Deal) checkTransfer(c DealCancel) error {
	var bad fault.Fields
	switch {
	case !c.transfers() && c.TransferToDealID != nil:
		bad.Add("transfer_to_deal_id", "exclusive", "is only allowed if deposit_outcome is transfer")
	case c.transfers() && c.TransferToDealID == nil && d.PaidCents > 0:
		bad.Add("transfer_to_deal_id", "required", "is required because %s was paid", money.Format(d.PaidCents))
	case c.TransferToDealID != nil && *c.TransferToDealID == d.ID:
		bad.Add("transfer_to_deal_id", "exclusive", "must be another deal")
	}
	return bad.Err()
}

// DealWarning is something about a deal that requires attention.
type DealWarning struct {
	_ struct{} `doc:"Something about a deal that requires attention."`

	Code        WarningCode `json:"code" doc:"Stable code for programs. balance_due means that the boat was delivered before it was paid."`
	Message     string      `json:"message" doc:"Explains the warning, for people." example:"$53,000.00 is due."`
	AmountCents int64       `json:"amount_cents" doc:"Amount that the warning is about." example:"5300000"`
}

// WarningCode is what a warning means.
type WarningCode string

// The values.
const (
	BalanceDue WarningCode = "balance_due"
)

var allWarningCodes = enum.Of("DealWarningCode", "What a warning about a deal means.", BalanceDue)

func (WarningCode) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allWarningCodes.Describe(s)
}

// warnings lists what requires attention.
func (d Deal) warnings() []DealWarning {
	all := []DealWarning{}
	if due := d.Totals.BalanceDueCents; due > 0 && (d.Status == Delivered || d.Status == Closed) {
		all = append(all, DealWarning{Code: "balance_due", Message: money.Format(due) + " is due.", AmountCents: due})
	}
	return all
}

// DealChange is an entry in the history of a deal.
type DealChange struct {
	_ struct{} `doc:"One change of a deal's status." columns:"at from to reason actor"`

	Env    auth.Env   `json:"-" db:"env"`
	ID     string     `json:"id" db:"id" doc:"Identifies the change. Starts with hst_." example:"hst_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	DealID string     `json:"deal_id" db:"deal_id" doc:"Deal that changed."`
	From   *string    `json:"from" db:"from_status" doc:"Previous status. Null for a new deal."`
	To     string     `json:"to" db:"to_status" doc:"New status."`
	Reason *string    `json:"reason" db:"reason" doc:"Reason that was sent with the change. Null if none was sent."`
	Actor  auth.Actor `json:"actor" db:"actor,json" doc:"User, key, app or job that made the change."`
	At     time.Time  `json:"at" db:"at" doc:"When the change was made."`
}
