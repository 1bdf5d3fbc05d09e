package reports

import (
	"cmp"
	"math"
	"slices"
	"time"

	"slipway/internal/finance"
	"slipway/internal/vocab/page"
)

// FundingReport is the contracts in transit: the buyer has a contract with a lender,
// and the lender has not paid yet.
type FundingReport struct {
	_ struct{} `doc:"Contracts in transit, with their open stipulations."`

	Covers
	Total     FundingSum        `json:"total" doc:"All contracts in transit, including those that are not listed."`
	Lenders   []FundingLender   `json:"lenders" nullable:"false" doc:"Contracts by lender, largest amount first. At most 100."`
	Stages    []FundingStage    `json:"stages" nullable:"false" doc:"Contracts by status, in the order of a funding."`
	Contracts []FundingContract `json:"contracts" nullable:"false" doc:"Contracts in transit, longest first."`
	Listed
}

// FundingSum is the amount of several contracts.
type FundingSum struct {
	_ struct{} `doc:"Number and amount of contracts in transit."`

	Contracts        int64 `json:"contracts" doc:"Number of contracts." example:"5"`
	AmountCents      int64 `json:"amount_cents" doc:"Sum of the amounts that the lenders are to pay."`
	OpenStipulations int64 `json:"open_stipulations" doc:"Number of stipulations that are not accepted or waived."`
}

// FundingLender is the contracts of a lender.
type FundingLender struct {
	_ struct{} `doc:"Contracts in transit of one lender."`

	Lender string `json:"lender" doc:"Name of the lender." example:"Bay Federal"`
	FundingSum
}

// FundingStage is the contracts with a status.
type FundingStage struct {
	_ struct{} `doc:"Contracts in transit with one status."`

	Status finance.FundingStatus `json:"status" doc:"Status of the fundings."`
	FundingSum
}

// FundingContract is one contract in transit.
type FundingContract struct {
	_ struct{} `doc:"A contract that the lender has not paid yet."`

	FundingID        string                `json:"funding_id" doc:"ID of the funding." example:"fund_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	DealID           string                `json:"deal_id" doc:"Deal that is financed." example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Lender           string                `json:"lender" doc:"Name of the lender." example:"Bay Federal"`
	Status           finance.FundingStatus `json:"status" doc:"Status of the funding."`
	AmountCents      int64                 `json:"amount_cents" doc:"Amount that the lender is to pay."`
	OpenStipulations int64                 `json:"open_stipulations" doc:"Number of stipulations that are not accepted or waived."`
	ContractedOn     *string               `json:"contracted_on" format:"date" doc:"Date on which the deal was contracted. Null if it is not contracted yet."`
	Days             *int64                `json:"days" doc:"Days since then. Null if the deal is not contracted yet." example:"6"`
	Delivered        bool                  `json:"delivered" doc:"Whether the boat was delivered before the lender has paid."`
}

// maxLenders is how many lenders the report lists.
const maxLenders = 100

// inTransit are the statuses of contracts in transit, in their order.
var inTransit = []finance.FundingStatus{
	finance.ContractSent, finance.Signed, finance.PackageSubmitted, finance.PendingDocs, finance.ApprovedToFund,
}

// contract is a contract in transit as it is stored.
type contract struct {
	ID           string                `db:"id"`
	DealID       string                `db:"deal_id"`
	Lender       string                `db:"lender"`
	Status       finance.FundingStatus `db:"status"`
	AmountCents  int64                 `db:"amount_cents"`
	Stipulations int64                 `db:"stipulations"`
	ContractedAt *time.Time            `db:"contracted_at"`
	DeliveredAt  *time.Time            `db:"delivered_at"`
}

// funding builds the report.
func funding(p period, all []contract, w rows) FundingReport {
	r := FundingReport{Covers: p.Covers, Lenders: []FundingLender{}, Contracts: []FundingContract{}}
	lenders, sums := map[string]*FundingSum{}, map[finance.FundingStatus]*FundingSum{}
	for _, s := range inTransit {
		sums[s] = &FundingSum{}
	}
	for _, c := range all {
		if lenders[c.Lender] == nil {
			lenders[c.Lender] = &FundingSum{}
		}
		for _, s := range []*FundingSum{&r.Total, lenders[c.Lender], sums[c.Status]} {
			s.Contracts++
			s.AmountCents += c.AmountCents
			s.OpenStipulations += c.Stipulations
		}
	}

	for name, s := range lenders {
		r.Lenders = append(r.Lenders, FundingLender{Lender: name, FundingSum: *s})
	}
	slices.SortFunc(r.Lenders, func(a, b FundingLender) int {
		return cmp.Or(cmp.Compare(b.AmountCents, a.AmountCents), cmp.Compare(a.Lender, b.Lender))
	})
	r.Lenders = r.Lenders[:min(maxLenders, len(r.Lenders))]
	for _, s := range inTransit {
		r.Stages = append(r.Stages, FundingStage{Status: s, FundingSum: *sums[s]})
	}

	slices.SortFunc(all, func(a, b contract) int { return byPosition(a.position(), b.position()) })
	var positions []page.Position
	for _, c := range all {
		positions = append(positions, c.position())
	}
	start, end, listed := w.cut("funding", positions, byPosition)
	r.Listed = listed
	for _, c := range all[start:end] {
		row := FundingContract{FundingID: c.ID, DealID: c.DealID, Lender: c.Lender, Status: c.Status, AmountCents: c.AmountCents,
			OpenStipulations: c.Stipulations, Delivered: c.DeliveredAt != nil}
		if c.ContractedAt != nil {
			row.ContractedOn = new(p.day(*c.ContractedAt))
			row.Days = new(daysBetween(*row.ContractedOn, p.Today))
		}
		r.Contracts = append(r.Contracts, row)
	}
	return r
}

// position returns the place of the contract in the report. Deals that are not contracted yet
// are last.
func (c contract) position() page.Position {
	if c.ContractedAt == nil {
		return position(math.MaxInt64, c.ID)
	}
	return position(c.ContractedAt.UnixMicro(), c.ID)
}

func (r FundingReport) sheets() []sheet {
	all := sheet{name: "contracts", columns: []string{"funding_id", "deal_id", "lender", "status", "amount_usd", "open_stipulations",
		"contracted_on", "days", "delivered"}}
	for _, c := range r.Contracts {
		delivered := "false"
		if c.Delivered {
			delivered = "true"
		}
		all.add(c.FundingID, c.DealID, text(c.Lender), string(c.Status), dollars(c.AmountCents), number(c.OpenStipulations),
			optional(c.ContractedOn), optionalNumber(c.Days), delivered)
	}
	columns := []string{"contracts", "amount_usd", "open_stipulations"}
	lenders := sheet{name: "lenders", columns: append([]string{"lender"}, columns...)}
	for _, l := range r.Lenders {
		lenders.add(text(l.Lender), number(l.Contracts), dollars(l.AmountCents), number(l.OpenStipulations))
	}
	steps := sheet{name: "stages", columns: append([]string{"status"}, columns...)}
	for _, s := range r.Stages {
		steps.add(string(s.Status), number(s.Contracts), dollars(s.AmountCents), number(s.OpenStipulations))
	}
	return []sheet{all, lenders, steps}
}
