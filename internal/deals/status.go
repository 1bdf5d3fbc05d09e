package deals

import (
	"fmt"
	"slices"
	"time"

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

	StockInTrades bool `json:"stock_in_trades,omitempty" doc:"Only for delivered. Adds the trade-ins with stock_in to the inventory now. Otherwise they are added when the deal is closed." since:"next"`

	WriteOffReason *string `json:"write_off_reason" required:"false" minLength:"1" maxLength:"500" doc:"Only for closed, and for funded unless it is a finance deal. Advances the deal although a balance is due, and records the balance as written off, which lowers the profit on the boat. Requires the scope admin, or a user with a role for managers." since:"next"`
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
func (d *Deal) advance(asked DealAdvance, r requirements, now time.Time) error {
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
	if asked.StockInTrades && to != Delivered {
		var bad fault.Fields
		bad.Add("stock_in_trades", "exclusive", "is only allowed for delivered")
		return bad.Err()
	}
	r.writeOff = asked.WriteOffReason != nil
	if missing := details(d.missing(to, r)); len(missing) > 0 {
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
	case to == Funded && d.DealType == Finance:
		bad.Add("write_off_reason", "exclusive", "is only allowed for closed, because the lender pays a finance deal")
	case to != Funded && to != Closed:
		bad.Add("write_off_reason", "exclusive", "is only allowed for funded and closed")
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

// reopen returns a contracted deal to accepted, because it needs a new agreement.
func (d *Deal) reopen() { d.Status, d.ContractedAt = Accepted, nil }

// DealCancel is the request body for canceling a deal.
type DealCancel struct {
	_ struct{} `doc:"Why a deal is cancelled, and what happens to the buyer's money."`

	Reason         string          `json:"reason" minLength:"1" maxLength:"500" doc:"Why the deal is cancelled. It becomes cancel_reason."`
	DepositOutcome *DepositOutcome `json:"deposit_outcome" required:"false" doc:"Required if money was paid. refund records a refund of everything that was paid. transfer moves everything to another deal. forfeit doesn't change the payments."`

	TransferToDealID *string `json:"transfer_to_deal_id" required:"false" minLength:"1" maxLength:"64" doc:"Deal that gets the money. Required for transfer if money was paid. It must not be closed or cancelled, and must have a buyer in common." example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f" since:"next"`
	OverrideBuyer    bool    `json:"override_buyer,omitempty" doc:"Move the money to a deal of another buyer. Requires the scope admin, or a user with a role for managers." since:"next"`
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

// refunds reports whether the cancellation pays money back.
func (c DealCancel) refunds() bool {
	return c.DepositOutcome != nil && *c.DepositOutcome == DepositRefund
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

	Code        WarningCode `json:"code" doc:"Stable code for programs. balance_due means that the boat was delivered before it was paid. overpaid means that the buyer gets money back. form_8300 means that more than $10,000 was paid in currency, which must be reported to the IRS. open_tasks means that the boat is not ready: lists of deals leave it out. trade_in_stocked means that the sale was undone after its trade-in was added to the inventory."`
	Message     string      `json:"message" doc:"Explains the warning, for people." example:"$53,000.00 is due."`
	AmountCents int64       `json:"amount_cents" doc:"Amount that the warning is about." example:"5300000"`
}

// WarningCode is what a warning means.
type WarningCode string

// The values.
const (
	BalanceDue     WarningCode = "balance_due"
	Overpaid       WarningCode = "overpaid"
	Form8300       WarningCode = "form_8300"
	OpenTasks      WarningCode = "open_tasks"
	TradeInStocked WarningCode = "trade_in_stocked"
)

// form8300Cents is the amount of currency above which a business must report it to the IRS.
const form8300Cents = 10_000_00

var allWarningCodes = enum.Of("DealWarningCode", "What a warning about a deal means.", BalanceDue, Overpaid, Form8300, OpenTasks, TradeInStocked)

func (WarningCode) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allWarningCodes.Describe(s)
}

// warnings lists what requires attention.
func (d Deal) warnings() []DealWarning {
	all := []DealWarning{}
	if due := d.Totals.BalanceDueCents - d.lostCents(); due > 0 && (d.Status == Delivered || d.Status == Closed) {
		all = append(all, DealWarning{Code: BalanceDue, Message: money.Format(due) + " is due.", AmountCents: due})
	}
	if over := -d.Totals.BalanceDueCents; over > 0 && slices.Contains([]Status{Funded, Delivered, Closed}, d.Status) {
		all = append(all, DealWarning{Code: Overpaid, Message: money.Format(over) + " too much was paid. Refund it.", AmountCents: over})
	}
	if d.CurrencyCents > form8300Cents {
		all = append(all, DealWarning{
			Code: Form8300, AmountCents: d.CurrencyCents,
			Message: money.Format(d.CurrencyCents) + " was paid in currency. File Form 8300 with the IRS within 15 days.",
		})
	}
	if d.StockedTrades > 0 {
		all = append(all, DealWarning{Code: TradeInStocked, Message: "The sale was undone, and a trade-in is in stock. Give it back to the buyer, or pay for it."})
	}
	return all
}

// warnTasks adds a warning about open tasks on the boat, such as making it ready. Lists of deals
// don't have it.
func (d *Deal) warnTasks(open int64) {
	switch {
	case open == 1:
		d.Warnings = append(d.Warnings, DealWarning{Code: OpenTasks, Message: "A task on the boat is open. Finish it before the delivery."})
	case open > 1:
		d.Warnings = append(d.Warnings, DealWarning{Code: OpenTasks, Message: fmt.Sprintf("%d tasks on the boat are open. Finish them before the delivery.", open)})
	}
}

// DealChange is an entry in the history of a deal.
type DealChange struct {
	_ struct{} `doc:"One change of a deal's status." columns:"at from to reason actor"`

	Env    auth.Env   `json:"-" db:"env"`
	ID     string     `json:"id" db:"id" doc:"Identifies the change. Starts with hst_." example:"hst_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	DealID string     `json:"deal_id" db:"deal_id" doc:"Deal that changed."`
	From   *string    `json:"from" db:"from_status" privacy:"plain" doc:"Previous status. Null for a new deal."`
	To     string     `json:"to" db:"to_status" privacy:"plain" doc:"New status."`
	Reason *string    `json:"reason" db:"reason" doc:"Reason that was sent with the change. Null if none was sent."`
	Actor  auth.Actor `json:"actor" db:"actor,json" doc:"User, key, app or job that made the change."`
	At     time.Time  `json:"at" db:"at" doc:"When the change was made."`
}
