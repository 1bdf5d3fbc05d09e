package finance

import (
	"slices"
	"time"

	"slipway/internal/deals"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/money"
)

// Funding is the application of a deal with one lender.
type Funding struct {
	_ struct{} `doc:"The application of a deal with one lender." columns:"id status lender requested_cents:REQUESTED amount_cents funded_at / deal_id reference reason"`

	Env             auth.Env         `json:"-" db:"env"`
	ID              string           `json:"id" db:"id" doc:"Identifies the funding. Starts with fund_." example:"fund_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	DealID          string           `json:"deal_id" db:"deal_id" doc:"Deal that is financed." example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Lender          string           `json:"lender" db:"lender" privacy:"plain" doc:"Name of the lender." example:"Bay Federal"`
	StructureID     string           `json:"structure_id" db:"structure_id" doc:"Finance structure that was submitted. When the contract is sent, the selected structure."`
	Reference       *string          `json:"reference" db:"reference" doc:"Lender's reference number. Null until you record it."`
	Status          FundingStatus    `json:"status" db:"status" doc:"Progress of the application, from submitted to funded. Changed by advanceFunding."`
	RequestedCents  int64            `json:"requested_cents" db:"requested_cents" doc:"Amount financed of the structure, in cents."`
	AmountCents     int64            `json:"amount_cents" db:"amount_cents" doc:"Amount in cents that the lender paid. Before that, the requested amount."`
	DifferenceCents int64            `json:"difference_cents" doc:"Amount paid minus amount requested. Negative if the lender paid less." audit:"-"`
	Decision        *FundingDecision `json:"decision" db:"decision,json" doc:"Lender's decision. Null until the lender decides."`

	DiffersFromStructure []FundingDifference `json:"differs_from_structure" nullable:"false" audit:"-" doc:"Where the deal's selected structure, or else the submitted one, differs from what the lender approved. While it is not empty, the contract can't be sent." since:"next"`
	Reason               *string             `json:"reason" db:"reason" doc:"Reason for the current status. Null if none was recorded."`
	FundedAt             *time.Time          `json:"funded_at" db:"funded_at" doc:"When the lender paid. Null until then."`
	Stipulations         []Stipulation       `json:"stipulations" nullable:"false" doc:"Lender's stipulations, oldest first."`
	Undo                 *fundingUndo        `json:"-" db:"undo,json"`
	Version              int64               `json:"version" db:"version" doc:"Number of the current version. Same as the ETag."`
	CreatedAt            time.Time           `json:"created_at" db:"created_at" doc:"When the structure was submitted to the lender."`
	UpdatedAt            time.Time           `json:"updated_at" db:"updated_at" doc:"When it last changed."`
}

// Revision returns the version for the ETag.
func (f Funding) Revision() int64 { return f.Version }

// FundingDecision is a lender's decision.
type FundingDecision struct {
	_          struct{}       `doc:"What a lender decided. Null fields were not stated." nullable:"true"`
	Amount     *int64         `json:"amount_cents" required:"false" minimum:"0" maximum:"100000000000" doc:"Amount that the lender approved, in cents. Null if not stated."`
	APRPercent *money.Percent `json:"apr_percent" required:"false" maxLength:"10" doc:"Annual rate that the lender approved, as a decimal. Null if not stated." example:"7.49"`
	BuyRate    *money.Percent `json:"buy_rate_percent" privacy:"cost,deals:write+hulls:write" required:"false" maxLength:"10" doc:"Rate that the lender charges the dealership. Null in responses if your key does not have both deals:write and hulls:write."`
	TermMonths *int64         `json:"term_months" required:"false" minimum:"1" maximum:"480" doc:"Term that the lender approved, in months. Null if not stated."`
	Tier       *string        `json:"tier" required:"false" maxLength:"50" doc:"Credit tier that the lender assigned. Null if not stated."`
	Conditions *string        `json:"conditions" required:"false" maxLength:"2000" doc:"Conditions of the approval, in the lender's words. Null if there are none."`
	ExpiresAt  *time.Time     `json:"expires_at" required:"false" doc:"When the approval expires. Null if it never does or is not stated."`
}

// FundingStatus is the progress of a funding.
type FundingStatus string

// The statuses of a funding.
const (
	Submitted        FundingStatus = "submitted"
	Conditional      FundingStatus = "conditional"
	Approved         FundingStatus = "approved"
	Countered        FundingStatus = "countered"
	Declined         FundingStatus = "declined"
	Withdrawn        FundingStatus = "withdrawn"
	ContractSent     FundingStatus = "contract_sent"
	Signed           FundingStatus = "signed"
	PackageSubmitted FundingStatus = "package_submitted"
	PendingDocs      FundingStatus = "pending_docs"
	ApprovedToFund   FundingStatus = "approved_to_fund"
	Funded           FundingStatus = "funded"
	ChargedBack      FundingStatus = "charged_back"
)

var fundingStatuses = enum.Of("FundingStatus", "Progress of an application with a lender.",
	Submitted, Conditional, Approved, Countered, Declined, Withdrawn, ContractSent, Signed, PackageSubmitted, PendingDocs, ApprovedToFund, Funded, ChargedBack)

func (FundingStatus) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return fundingStatuses.Describe(s)
}

// next lists the statuses that a funding can advance to. The first one is the
// default.
var next = map[FundingStatus][]FundingStatus{
	Submitted:        {Approved, Conditional, Countered, Declined, Withdrawn},
	Conditional:      {ContractSent, Approved, Withdrawn},
	Approved:         {ContractSent, Withdrawn},
	Countered:        {Approved, Withdrawn}, // the buyer accepts the lender's terms, or not
	ContractSent:     {Signed, Withdrawn},
	Signed:           {PackageSubmitted, Withdrawn},
	PackageSubmitted: {ApprovedToFund, PendingDocs, Withdrawn},
	PendingDocs:      {PackageSubmitted, ApprovedToFund, Withdrawn},
	ApprovedToFund:   {Funded, Withdrawn},
	Funded:           {ChargedBack},
}

// ranking orders the statuses. The deal's funding state is the first of them that
// one of its fundings has.
var ranking = []FundingStatus{
	Funded, ApprovedToFund, PendingDocs, PackageSubmitted, Signed, ContractSent,
	Approved, Conditional, Countered, Submitted, ChargedBack, Declined, Withdrawn,
}

// withContract lists the statuses of a funding with a contract. A unique index
// with the same list guarantees that a deal has only one such funding.
var withContract = []FundingStatus{ContractSent, Signed, PackageSubmitted, PendingDocs, ApprovedToFund, Funded}

// finished lists the statuses of a funding that is not open anymore.
var finished = []FundingStatus{Declined, Withdrawn, Funded, ChargedBack}

// stateOf returns the funding state of a deal with these fundings.
func stateOf(all []Funding) deals.FundingState {
	for _, s := range ranking {
		if slices.ContainsFunc(all, func(f Funding) bool { return f.Status == s }) {
			return deals.FundingState(s)
		}
	}
	return deals.FundingNotStarted
}

// FundingSubmit is the request body for a submission to a lender.
type FundingSubmit struct {
	_ struct{} `doc:"A submission to a lender."`

	Lender      string  `json:"lender" privacy:"plain" minLength:"1" maxLength:"200" doc:"Name of the lender." example:"Bay Federal"`
	StructureID *string `json:"structure_id" required:"false" maxLength:"64" doc:"Defaults to the selected structure of the deal."`
	Reference   *string `json:"reference" required:"false" maxLength:"200" doc:"Lender's reference number, if you already have it."`
}

// checkSubmittable fails if the deal can't be submitted to lenders anymore.
func checkSubmittable(d deals.Deal) error {
	if slices.Contains([]deals.Status{deals.Open, deals.Accepted, deals.InFinance, deals.Contracted}, d.Status) {
		return nil
	}
	return fault.Conflict("The deal is %s. You can't submit it to a lender.", d.Status).Detail("status", "state", "is %s", d.Status)
}

// FundingAdvance is the request body for advancing a funding.
type FundingAdvance struct {
	_ struct{} `doc:"Which status a funding advances to, with what the step requires."`

	To          FundingStatus    `json:"to,omitempty" doc:"New status. Defaults to the next one toward funded."`
	Reason      *string          `json:"reason" required:"false" maxLength:"500" doc:"Reason for the change. It becomes the reason of the funding."`
	Reference   *string          `json:"reference" required:"false" maxLength:"200" doc:"Lender's reference number."`
	AmountCents *int64           `json:"amount_cents" required:"false" minimum:"1" maximum:"100000000000" doc:"Only for funded. Amount that the lender paid. Defaults to the requested amount."`
	FundedAt    *time.Time       `json:"funded_at" required:"false" doc:"Only for funded. Defaults to the current time."`
	Decision    *FundingDecision `json:"decision" required:"false" doc:"Lender's decision, for conditional, approved, countered and declined."`

	SkipSteps     bool `json:"skip_steps,omitempty" doc:"Whether the steps between the current status and to are recorded too. Each has its own event." since:"next"`
	RecordPayment bool `json:"record_payment,omitempty" doc:"Only for funded. Also records the amount as a payment of the kind lender_proceeds." since:"next"`
}

// Check validates what the schema can't express.
func (a FundingAdvance) Check(now time.Time) error {
	var bad fault.Fields
	if a.FundedAt != nil && a.FundedAt.After(now) {
		bad.Add("funded_at", "maximum", "must not be in the future")
	}
	if a.Decision != nil {
		rates := map[string]*money.Percent{"decision.apr_percent": a.Decision.APRPercent, "decision.buy_rate_percent": a.Decision.BuyRate}
		for field, p := range rates {
			if p != nil {
				p.Check(&bad, field)
			}
		}
	}

	if a.To != "" && a.To != Funded {
		if a.AmountCents != nil {
			bad.Add("amount_cents", "exclusive", "is only allowed for funded")
		}
		if a.FundedAt != nil {
			bad.Add("funded_at", "exclusive", "is only allowed for funded")
		}
		if a.RecordPayment {
			bad.Add("record_payment", "exclusive", "is only allowed for funded")
		}
	}

	return bad.Err()
}

// advance changes the status, or fails with everything that is missing.
func (f *Funding) advance(a FundingAdvance, d deals.Deal, now time.Time) error {
	if a.To == "" && len(next[f.Status]) > 0 && f.Status != Funded {
		a.To = next[f.Status][0]
	}
	if err := a.Check(now); err != nil {
		return err
	}
	if err := f.checkAdvance(a.To); err != nil {
		return err
	}
	if d.Status == deals.Cancelled {
		return fault.Conflict("The deal is cancelled. You can't change its fundings.").Detail("status", "state", "refers to a cancelled deal")
	}

	if a.To == Funded {
		if err := f.checkFundable(d); err != nil {
			return err
		}
		f.FundedAt = &now
		if a.FundedAt != nil {
			f.FundedAt = new(a.FundedAt.UTC().Truncate(time.Millisecond))
		}
		if a.AmountCents != nil {
			f.AmountCents = *a.AmountCents
		}
	}

	if a.Reference != nil {
		f.Reference = a.Reference
	}
	if a.Decision != nil {
		f.Decision = a.Decision
	}
	f.Status, f.Reason = a.To, a.Reason
	f.derive()
	return nil
}

// checkAdvance fails unless a funding with this status can get the other one.
func (f Funding) checkAdvance(to FundingStatus) error {
	steps := next[f.Status]
	switch {
	case slices.Contains(steps, to):
		return nil
	case len(steps) == 0:
		return fault.Conflict("The funding is %s. Its status can't change anymore.", f.Status).
			Detail("to", "state", "is not possible for a funding that is %s", f.Status)
	case to == "":
		return fault.Conflict(`Already funded. To reverse it, send "to": "charged_back".`).Detail("to", "state", "can be charged_back")
	}
	c := fault.Conflict("You can't change the status from %s to %s.", f.Status, to)
	for _, s := range steps {
		c = c.Detail("to", "state", "can be %s", s)
	}
	return c
}

// checkFundable fails if the deal has no accepted offer or a stipulation is not
// met.
func (f Funding) checkFundable(d deals.Deal) error {
	var missing fault.Fields
	if d.Status == deals.Open {
		missing.Add("deal_id", "state", "refers to an open deal; accept an offer first")
	}
	for _, s := range f.Stipulations {
		if !s.met() {
			missing.Add("stipulations."+s.ID, "state", "must be accepted or waived but is %s", s.Status)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	c := fault.Conflict("The funding can't be funded yet: %s", fault.Sentence(missing))
	c.Details = missing
	return c
}

// keepBuyRate keeps the rate in a decision of a caller who can't see it and
// therefore can't send it back.
func (a *FundingAdvance) keepBuyRate(f Funding) {
	if a.Decision != nil && a.Decision.BuyRate == nil && f.Decision != nil {
		d := *a.Decision
		d.BuyRate = f.Decision.BuyRate
		a.Decision = &d
	}
}

// derive calculates the fields that are not stored.
func (f *Funding) derive() {
	f.DifferenceCents = f.AmountCents - f.RequestedCents
	if f.Stipulations == nil {
		f.Stipulations = []Stipulation{}
	}
	if f.DiffersFromStructure == nil {
		f.DiffersFromStructure = []FundingDifference{}
	}
}
