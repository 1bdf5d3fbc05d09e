package finance

import (
	"slices"
	"testing"

	"slipway/internal/deals"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/fault"
)

var every = []FundingStatus{
	Submitted, Conditional, Approved, Countered, Declined, Withdrawn, ContractSent, Signed,
	PackageSubmitted, PendingDocs, ApprovedToFund, Funded, ChargedBack,
}

// Tests each pair of statuses against the transitions of the contract.
func TestEveryFundingAdvance(t *testing.T) {
	allowed := map[FundingStatus][]FundingStatus{
		Submitted:        {Conditional, Approved, Countered, Declined, Withdrawn},
		Conditional:      {Approved, ContractSent, Withdrawn},
		Approved:         {ContractSent, Withdrawn},
		Countered:        {Approved, Withdrawn},
		ContractSent:     {Signed, Withdrawn},
		Signed:           {PackageSubmitted, Withdrawn},
		PackageSubmitted: {PendingDocs, ApprovedToFund, Withdrawn},
		PendingDocs:      {PackageSubmitted, ApprovedToFund, Withdrawn},
		ApprovedToFund:   {Funded, Withdrawn},
		Funded:           {ChargedBack},
	}

	for _, from := range every {
		for _, to := range every {
			f := Funding{Status: from, RequestedCents: 100, AmountCents: 100}
			err := f.advance(FundingAdvance{To: to}, deals.Deal{Status: deals.Contracted}, now)
			if want := slices.Contains(allowed[from], to); (err == nil) != want {
				t.Errorf("%s → %s: %v, want allowed = %v", from, to, err, want)
			}
			switch {
			case err == nil && (f.Status != to || (f.FundedAt != nil) != (to == Funded)):
				t.Errorf("%s → %s leaves %+v", from, to, f)
			case err != nil && (fault.KindOf(err) != fault.KindConflict || f.Status != from):
				t.Errorf("%s → %s: %v, %s", from, to, err, f.Status)
			}
		}
	}
}

// Each status and its default next status.
func TestEveryFundingNextStep(t *testing.T) {
	for from, want := range map[FundingStatus]FundingStatus{
		Submitted: Approved, Conditional: ContractSent, Approved: ContractSent, Countered: Approved,
		ContractSent: Signed, Signed: PackageSubmitted,
		PackageSubmitted: ApprovedToFund, PendingDocs: PackageSubmitted, ApprovedToFund: Funded,
		Declined: "", Withdrawn: "", Funded: "", ChargedBack: "",
	} {
		f := Funding{Status: from}
		err := f.advance(FundingAdvance{}, deals.Deal{Status: deals.Contracted}, now)
		if (err == nil) != (want != "") || err == nil && f.Status != want {
			t.Errorf("%s: %s, %v; want %q", from, f.Status, err, want)
		}
	}
}

// A funding requires all stipulations to be met and the deal to be contracted.
func TestFundedRequires(t *testing.T) {
	for _, s := range []StipulationStatus{StipulationRequested, StipulationReceived, StipulationAccepted,
		StipulationRejected, StipulationWaived} {
		f := Funding{Status: ApprovedToFund, Stipulations: []Stipulation{{ID: "stip_1", Status: StipulationAccepted}, {ID: "stip_2", Status: s}}}
		err := f.advance(FundingAdvance{}, deals.Deal{Status: deals.Contracted}, now)
		if want := s == StipulationAccepted || s == StipulationWaived; (err == nil) != want {
			t.Errorf("%s: got %v, want it allowed: %t", s, err, want)
		}
	}
	for _, s := range []deals.Status{deals.Open, deals.Cancelled} {
		f := Funding{Status: ApprovedToFund}
		if err := f.advance(FundingAdvance{}, deals.Deal{Status: s}, now); fault.KindOf(err) != fault.KindConflict {
			t.Errorf("funded a deal that is %s: got %v, want the kind fault.KindConflict", s, err)
		}
	}
	f := Funding{Status: ApprovedToFund, RequestedCents: 100, AmountCents: 100}
	if err := f.advance(FundingAdvance{AmountCents: new(int64(90)), Reference: new("W-1")}, deals.Deal{Status: deals.Contracted},
		now); err != nil || f.DifferenceCents != -10 || *f.Reference != "W-1" {
		t.Errorf(`got %v, %+v; want no error, f.DifferenceCents = -10, f.Reference = "W-1"`, err, f)
	}
}

// Tests each resolution of a stipulation in each status, and in each status of its
// funding.
func TestEveryResolution(t *testing.T) {
	for _, funding := range every {
		ended := slices.Contains([]FundingStatus{Declined, Withdrawn, Funded, ChargedBack}, funding)
		for _, from := range []StipulationStatus{StipulationRequested, StipulationReceived, StipulationAccepted,
			StipulationRejected, StipulationWaived} {
			met := from == StipulationAccepted || from == StipulationWaived
			for _, to := range []StipulationStatus{StipulationReceived, StipulationAccepted, StipulationRejected, StipulationWaived} {
				s := Stipulation{Status: from}
				err := s.resolve(StipulationResolve{Status: to}, Funding{Status: funding}, now)
				if want := !ended && !met; (err == nil) != want || want && (s.Status != to || (s.ResolvedAt == nil) != (to == StipulationReceived)) {
					t.Errorf("%s → %s of a %s funding: got %v, %+v; want it allowed: %t", from, to, funding, err, s, want)
				}
			}
		}
	}
}

func TestFundingStateOfDeal(t *testing.T) {
	for want, all := range map[deals.FundingState][]FundingStatus{
		"not_started":  {},
		"withdrawn":    {Withdrawn},
		"declined":     {Withdrawn, Declined},
		"submitted":    {Declined, Submitted, Withdrawn},
		"approved":     {Countered, Approved, Conditional, Submitted},
		"funded":       {Funded, Approved, Declined},
		"charged_back": {ChargedBack, Declined},
		"pending_docs": {PendingDocs, Approved},
	} {
		var fundings []Funding
		for _, s := range all {
			fundings = append(fundings, Funding{Status: s})
		}
		assert.Equal(t, stateOf(fundings), want, all)
	}

	for _, s := range every {
		if !slices.Contains(ranking, s) {
			t.Errorf("%s has no rank, want it in ranking", s)
		}
	}
}
