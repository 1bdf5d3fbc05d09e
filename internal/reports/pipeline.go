package reports

import (
	"time"

	"slipway/internal/deals"
	"slipway/internal/vocab/money"
)

// PipelineReport is the deals that are not closed, by stage, and what became of the
// deals that were created in a period.
type PipelineReport struct {
	_ struct{} `doc:"Deals that are not closed, by stage, and what became of the deals of a period."`

	Covers
	Total   PipelineSum     `json:"total" doc:"All deals that are not closed or cancelled now, whenever they were created."`
	Stages  []PipelineStage `json:"stages" nullable:"false" doc:"The same deals by status, in the order of a sale."`
	Created PipelineOutcome `json:"created" doc:"Deals that were created in the period, and what became of them."`
}

// PipelineSum is the value of several deals.
type PipelineSum struct {
	_ struct{} `doc:"Number and value of deals."`

	Deals      int64 `json:"deals" doc:"Number of deals." example:"9"`
	PriceCents int64 `json:"price_cents" doc:"Sum of the prices of the boats: the accepted offer, or else the newest pending one."`
	PaidCents  int64 `json:"paid_cents" doc:"Sum of the payments minus refunds."`
}

// PipelineStage is the deals with a status.
type PipelineStage struct {
	_ struct{} `doc:"Deals with one status."`

	Status deals.Status `json:"status" doc:"Status of the deals."`
	PipelineSum
	MedianDays *int64 `json:"median_days" doc:"Median of the days since the deals reached this status. Null if there are none." example:"4"`
}

// PipelineOutcome is what became of deals.
type PipelineOutcome struct {
	_ struct{} `doc:"What became of the deals that were created in a period."`

	Deals           int64          `json:"deals" doc:"Number of deals that were created." example:"20"`
	PriceCents      int64          `json:"price_cents" doc:"Sum of the prices of the boats."`
	Accepted        int64          `json:"accepted" doc:"Deals with an accepted offer, including those that were cancelled later."`
	Delivered       int64          `json:"delivered" doc:"Deals that are delivered or closed."`
	Cancelled       int64          `json:"cancelled" doc:"Deals that were cancelled."`
	AcceptedPercent *money.Percent `json:"accepted_percent" doc:"Share of the deals with an accepted offer, rounded to one decimal. Null if there are no deals." example:"60"`
}

// stages are the statuses of the pipeline.
var stages = []deals.Status{deals.Open, deals.Accepted, deals.InFinance, deals.Contracted, deals.Funded, deals.Delivered}

// openDeal is a deal in the pipeline.
type openDeal struct {
	Status    deals.Status `db:"status"`
	PriceUSD  int64        `db:"price_usd"`
	PaidCents int64        `db:"paid_cents"`
	Since     time.Time    `db:"since"` // when it reached its status
}

// outcomeGroup is the number of deals that are alike.
type outcomeGroup struct {
	Status   deals.Status `db:"status"`
	Accepted int64        `db:"accepted"` // 1 if an offer was accepted
	Deals    int64        `db:"deals"`
	PriceUSD int64        `db:"price_usd"`
}

// pipeline builds the report.
func pipeline(p period, open []openDeal, created []outcomeGroup) PipelineReport {
	r := PipelineReport{Covers: p.Covers}
	days := map[deals.Status][]int64{}
	sums := map[deals.Status]*PipelineSum{}
	for _, s := range stages {
		sums[s] = &PipelineSum{}
	}
	for _, d := range open {
		r.Total.add(d)
		sums[d.Status].add(d)
		days[d.Status] = append(days[d.Status], daysBetween(p.day(d.Since), p.Today))
	}
	for _, s := range stages {
		r.Stages = append(r.Stages, PipelineStage{Status: s, PipelineSum: *sums[s], MedianDays: median(days[s])})
	}

	for _, g := range created {
		r.Created.Deals += g.Deals
		r.Created.PriceCents += g.PriceUSD * 100
		r.Created.Accepted += g.Accepted * g.Deals
		switch g.Status {
		case deals.Delivered, deals.Closed:
			r.Created.Delivered += g.Deals
		case deals.Cancelled:
			r.Created.Cancelled += g.Deals
		}
	}
	r.Created.AcceptedPercent = share(r.Created.Accepted, r.Created.Deals)
	return r
}

func (s *PipelineSum) add(d openDeal) {
	s.Deals++
	s.PriceCents += d.PriceUSD * 100
	s.PaidCents += d.PaidCents
}

func (r PipelineReport) sheets() []sheet {
	all := sheet{name: "stages", columns: []string{"status", "deals", "price_usd", "paid_usd", "median_days"}}
	for _, s := range r.Stages {
		all.add(string(s.Status), number(s.Deals), dollars(s.PriceCents), dollars(s.PaidCents), optionalNumber(s.MedianDays))
	}
	created := sheet{name: "created", columns: []string{"deals", "price_usd", "accepted", "delivered", "cancelled", "accepted_percent"}}
	created.add(number(r.Created.Deals), dollars(r.Created.PriceCents), number(r.Created.Accepted), number(r.Created.Delivered),
		number(r.Created.Cancelled), optionalPercent(r.Created.AcceptedPercent))
	return []sheet{all, created}
}
