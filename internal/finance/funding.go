package finance

import (
	"slices"
	"time"

	"slipway/internal/deals"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/money"
)

// Funding is a deal's way through one lender.
type Funding struct {
	Env             auth.Env         `json:"-" db:"env"`
	ID              string           `json:"id" db:"id" example:"fund_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	DealID          string           `json:"deal_id" db:"deal_id" example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Lender          string           `json:"lender" db:"lender" example:"Bay Federal"`
	StructureID     string           `json:"structure_id" db:"structure_id" doc:"What the lender was asked for."`
	Reference       *string          `json:"reference" db:"reference" doc:"The lender's number for it."`
	Status          FundingStatus    `json:"status" db:"status" enum:"submitted,conditional,approved,countered,declined,withdrawn,contract_sent,signed,package_submitted,pending_docs,approved_to_fund,funded,charged_back"`
	RequestedCents  int64            `json:"requested_cents" db:"requested_cents" doc:"The structure's amount financed."`
	AmountCents     int64            `json:"amount_cents" db:"amount_cents" doc:"What the lender paid; before that, what was asked for."`
	DifferenceCents int64            `json:"difference_cents" doc:"How much more (or, below 0, less) the lender paid than was asked for." audit:"-"`
	Decision        *FundingDecision `json:"decision" db:"decision,json" doc:"What the lender answered."`
	Reason          *string          `json:"reason" db:"reason" doc:"Why it came to its status."`
	FundedAt        *time.Time       `json:"funded_at" db:"funded_at"`
	Stipulations    []Stipulation    `json:"stipulations" nullable:"false" doc:"What the lender wants first, oldest first."`
	Version         int64            `json:"version" db:"version"`
	CreatedAt       time.Time        `json:"created_at" db:"created_at"`
	UpdatedAt       time.Time        `json:"updated_at" db:"updated_at"`
}

// Revision is the funding's version.
func (f Funding) Revision() int64 { return f.Version }

// FundingDecision is a lender's answer.
type FundingDecision struct {
	_          struct{}       `nullable:"true"`
	Amount     *int64         `json:"amount_cents" required:"false" minimum:"0" maximum:"100000000000"`
	APRPercent *money.Percent `json:"apr_percent" required:"false" maxLength:"10" example:"7.49"`
	BuyRate    *money.Percent `json:"buy_rate_percent" required:"false" maxLength:"10" doc:"What the lender charges the dealership."`
	TermMonths *int64         `json:"term_months" required:"false" minimum:"1" maximum:"480"`
	Tier       *string        `json:"tier" required:"false" maxLength:"50"`
	Conditions *string        `json:"conditions" required:"false" maxLength:"2000"`
	ExpiresAt  *time.Time     `json:"expires_at" required:"false"`
}

// FundingStatus is how far a lender is.
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

// next lists the moves of a funding; the first is where it goes when it is told
// only to go on.
var next = map[FundingStatus][]FundingStatus{
	Submitted:        {Approved, Conditional, Countered, Declined, Withdrawn},
	Conditional:      {ContractSent, Approved, Withdrawn},
	Approved:         {ContractSent, Withdrawn},
	Countered:        {Approved, Withdrawn}, // the buyer takes the lender's terms, or not
	ContractSent:     {Signed, Withdrawn},
	Signed:           {PackageSubmitted, Withdrawn},
	PackageSubmitted: {ApprovedToFund, PendingDocs, Withdrawn},
	PendingDocs:      {PackageSubmitted, ApprovedToFund, Withdrawn},
	ApprovedToFund:   {Funded, Withdrawn},
	Funded:           {ChargedBack},
}

// furthest ranks the statuses: the deal's funding state is that of the funding
// that comes first here.
var furthest = []FundingStatus{
	Funded, ApprovedToFund, PendingDocs, PackageSubmitted, Signed, ContractSent,
	Approved, Conditional, Countered, Submitted, ChargedBack, Declined, Withdrawn,
}

// contracts are the statuses of a funding that the buyer signs with: the same
// as in the unique index, which guards that a deal has one such funding.
var contracts = []FundingStatus{ContractSent, Signed, PackageSubmitted, PendingDocs, ApprovedToFund, Funded}

// over are the statuses in which nothing is asked of the dealership any more.
var over = []FundingStatus{Declined, Withdrawn, Funded, ChargedBack}

// stateOf is the funding state of a deal with these fundings.
func stateOf(all []Funding) string {
	for _, s := range furthest {
		if slices.ContainsFunc(all, func(f Funding) bool { return f.Status == s }) {
			return string(s)
		}
	}
	return deals.FundingNotStarted
}

// FundingSubmit is a submission to a lender.
type FundingSubmit struct {
	Lender      string  `json:"lender" minLength:"1" maxLength:"200" example:"Bay Federal"`
	StructureID *string `json:"structure_id" required:"false" maxLength:"64" doc:"Without it: the selected one."`
	Reference   *string `json:"reference" required:"false" maxLength:"200"`
}

// mayAsk says whether lenders may still be asked about a deal.
func mayAsk(d deals.Deal) error {
	if slices.Contains([]deals.Status{deals.Open, deals.Accepted, deals.InFinance, deals.Contracted}, d.Status) {
		return nil
	}
	return fault.Conflict("The deal is %s: no lender is asked any more.", d.Status).Detail("status", "state", "is %s", d.Status)
}

// FundingAdvance asks for the next status.
type FundingAdvance struct {
	To          FundingStatus    `json:"to,omitempty" enum:"submitted,conditional,approved,countered,declined,withdrawn,contract_sent,signed,package_submitted,pending_docs,approved_to_fund,funded,charged_back" doc:"Without it: the next one on the way to funded."`
	Reason      *string          `json:"reason" required:"false" maxLength:"500"`
	Reference   *string          `json:"reference" required:"false" maxLength:"200" doc:"The lender's number for it."`
	AmountCents *int64           `json:"amount_cents" required:"false" minimum:"1" maximum:"100000000000" doc:"For funded: what the lender paid. Without it: what was asked for."`
	FundedAt    *time.Time       `json:"funded_at" required:"false" doc:"For funded. Without it: now."`
	Decision    *FundingDecision `json:"decision" required:"false" doc:"The lender's answer, for conditional, approved, countered and declined."`
}

// Check says what the schema cannot.
func (a FundingAdvance) Check(now time.Time) error {
	var bad fault.Fields
	if a.FundedAt != nil && a.FundedAt.After(now) {
		bad.Add("funded_at", "maximum", "must not be in the future")
	}
	if a.Decision != nil {
		for field, p := range map[string]*money.Percent{"decision.apr_percent": a.Decision.APRPercent, "decision.buy_rate_percent": a.Decision.BuyRate} {
			if p != nil {
				p.Check(&bad, field)
			}
		}
	}
	if a.To != "" && a.To != Funded {
		if a.AmountCents != nil {
			bad.Add("amount_cents", "exclusive", "is only for funded")
		}
		if a.FundedAt != nil {
			bad.Add("funded_at", "exclusive", "is only for funded")
		}
	}
	return bad.Err()
}

// advance moves the funding on, or says what is missing.
func (f *Funding) advance(a FundingAdvance, d deals.Deal, now time.Time) error {
	if a.To == "" && len(next[f.Status]) > 0 && f.Status != Funded {
		a.To = next[f.Status][0]
	}
	if err := a.Check(now); err != nil {
		return err
	}
	if err := f.mayAdvance(a.To); err != nil {
		return err
	}
	if d.Status == deals.Cancelled {
		return fault.Conflict("The deal is cancelled.").Detail("status", "state", "is that of a cancelled deal")
	}
	if a.To == Funded {
		if err := f.mayFund(d); err != nil {
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

func (f Funding) mayAdvance(to FundingStatus) error {
	steps := next[f.Status]
	switch {
	case slices.Contains(steps, to):
		return nil
	case len(steps) == 0:
		return fault.Conflict("The funding is %s and goes no further.", f.Status).Detail("to", "state", "is not possible: the funding is %s", f.Status)
	case to == "":
		return fault.Conflict("The funding is funded. To charge it back, say so.").Detail("to", "state", "can be charged_back")
	}
	c := fault.Conflict("A funding cannot go from %s to %s.", f.Status, to)
	for _, s := range steps {
		c = c.Detail("to", "state", "can be %s", s)
	}
	return c
}

// mayFund says everything that keeps a lender from paying: a deal that nobody
// has accepted, and what the lender still wants to see.
func (f Funding) mayFund(d deals.Deal) error {
	var missing fault.Fields
	if d.Status == deals.Open {
		missing.Add("deal_id", "state", "is of a deal that is open: an offer must be accepted first")
	}
	for _, s := range f.Stipulations {
		if !s.met() {
			missing.Add("stipulations."+s.ID, "state", "must be accepted or waived, is %s", s.Status)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	c := fault.Conflict("The funding cannot be funded yet: %s", fault.Sentence(missing))
	c.Details = missing
	return c
}

func (f *Funding) derive() {
	f.DifferenceCents = f.AmountCents - f.RequestedCents
	if f.Stipulations == nil {
		f.Stipulations = []Stipulation{}
	}
}
