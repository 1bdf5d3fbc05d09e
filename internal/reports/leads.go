package reports

import (
	"cmp"
	"slices"
	"strings"

	"slipway/internal/leads"
	"slipway/internal/vocab/money"
)

// LeadsReport is what became of the leads that were created in a period.
type LeadsReport struct {
	_ struct{} `doc:"What became of the leads that were created in a period."`

	Covers
	Total   LeadsCount    `json:"total" doc:"All leads of the report."`
	Sources []LeadsSource `json:"sources" nullable:"false" doc:"Leads by source, most leads first."`
	Months  []LeadsMonth  `json:"months" nullable:"false" doc:"Leads by the month in which they were created, oldest first."`

	LostReasons []LeadsLostReason `json:"lost_reasons" nullable:"false" doc:"Why leads of the period were lost, most leads first. Reasons that settings.lost_reasons doesn't list are counted as Other."`
}

// LeadsCount is what became of several leads.
type LeadsCount struct {
	_ struct{} `doc:"What became of several leads."`

	Leads             int64          `json:"leads" doc:"Number of leads." example:"40"`
	New               int64          `json:"new" doc:"Leads that are still new."`
	Working           int64          `json:"working" doc:"Leads that are contacted, qualified or working."`
	Converted         int64          `json:"converted" doc:"Leads that were converted into a deal."`
	Lost              int64          `json:"lost" doc:"Leads that were closed as lost."`
	ConversionPercent *money.Percent `json:"conversion_percent" doc:"Share of the leads that were converted, rounded to one decimal. Null if there are no leads." example:"12.5"`
	Sold              *int64         `json:"sold" doc:"Leads whose deal is contracted, funded, delivered or closed. Null without the scope deals:read."`
	SoldPercent       *money.Percent `json:"sold_percent" doc:"Share of the leads that were sold a boat, rounded to one decimal. Null if there are no leads, or without the scope deals:read."`
}

// LeadsSource is the leads of a source.
type LeadsSource struct {
	_ struct{} `doc:"Leads of one source."`

	Source leads.Source `json:"source" doc:"How the leads reached the dealership."`
	LeadsCount
}

// LeadsMonth is the leads of a month.
type LeadsMonth struct {
	_ struct{} `doc:"Leads that were created in one month."`

	Month string `json:"month" doc:"Year and month." example:"2026-11"`
	LeadsCount
}

// LeadsLostReason is the leads that were lost for a reason.
type LeadsLostReason struct {
	_ struct{} `doc:"Leads that were lost for one reason."`

	Reason  string         `json:"reason" db:"reason" doc:"Why they were lost." example:"Bought elsewhere"`
	Leads   int64          `json:"leads" db:"leads" doc:"Number of leads." example:"6"`
	Percent *money.Percent `json:"percent" doc:"Share of the lost leads, rounded to one decimal." example:"30"`
}

// otherReason is the reason of leads that were closed with a text of their own.
const otherReason = "Other"

// lostReasons counts the leads by the reasons that the dealership lists.
func lostReasons(listed []string, found []LeadsLostReason) []LeadsLostReason {
	total := int64(0)
	all := []LeadsLostReason{}
	for _, f := range found {
		name := otherReason
		if i := slices.IndexFunc(listed, func(r string) bool { return strings.EqualFold(strings.TrimSpace(r), strings.TrimSpace(f.Reason)) }); i >= 0 {
			name = listed[i]
		}
		i := slices.IndexFunc(all, func(r LeadsLostReason) bool { return r.Reason == name })
		if i < 0 {
			i, all = len(all), append(all, LeadsLostReason{Reason: name})
		}
		all[i].Leads += f.Leads
		total += f.Leads
	}

	for i := range all {
		all[i].Percent = share(all[i].Leads, total)
	}
	slices.SortFunc(all, func(a, b LeadsLostReason) int {
		return cmp.Or(cmp.Compare(b.Leads, a.Leads), cmp.Compare(a.Reason, b.Reason))
	})
	return all
}

// leadGroup is the number of leads that are alike.
type leadGroup struct {
	Month  int64        `db:"month"`
	Source leads.Source `db:"source"`
	Status string       `db:"status"`
	Sold   int64        `db:"sold"` // 1 if a boat was sold
	Leads  int64        `db:"leads"`
}

// leadsReport builds the report.
func leadsReport(p period, groups []leadGroup, showSold bool) LeadsReport {
	r := LeadsReport{Covers: p.Covers, Sources: []LeadsSource{}}
	for _, m := range p.months() {
		r.Months = append(r.Months, LeadsMonth{Month: m.name})
	}
	for _, g := range groups {
		i := slices.IndexFunc(r.Sources, func(s LeadsSource) bool { return s.Source == g.Source })
		if i < 0 {
			i, r.Sources = len(r.Sources), append(r.Sources, LeadsSource{Source: g.Source})
		}
		r.Sources[i].add(g)
		r.Months[g.Month].add(g)
		r.Total.add(g)
	}

	slices.SortFunc(r.Sources, func(a, b LeadsSource) int {
		return cmp.Or(cmp.Compare(b.Leads, a.Leads), cmp.Compare(a.Source, b.Source))
	})
	r.Total.finish(showSold)
	for i := range r.Sources {
		r.Sources[i].finish(showSold)
	}
	for i := range r.Months {
		r.Months[i].finish(showSold)
	}
	return r
}

func (c *LeadsCount) add(g leadGroup) {
	c.Leads += g.Leads
	switch g.Status {
	case "new":
		c.New += g.Leads
	case "converted":
		c.Converted += g.Leads
	case "lost":
		c.Lost += g.Leads
	default:
		c.Working += g.Leads
	}
	if c.Sold == nil {
		c.Sold = new(int64)
	}
	*c.Sold += g.Sold * g.Leads
}

// finish calculates the shares.
func (c *LeadsCount) finish(showSold bool) {
	c.ConversionPercent = share(c.Converted, c.Leads)
	if !showSold {
		c.Sold = nil
		return
	}
	if c.Sold == nil {
		c.Sold = new(int64)
	}
	c.SoldPercent = share(*c.Sold, c.Leads)
}

func (r LeadsReport) sheets() []sheet {
	columns := []string{"leads", "new", "working", "converted", "lost", "conversion_percent", "sold", "sold_percent"}
	cells := func(c LeadsCount) []string {
		return []string{number(c.Leads), number(c.New), number(c.Working), number(c.Converted), number(c.Lost),
			optionalPercent(c.ConversionPercent), optionalNumber(c.Sold), optionalPercent(c.SoldPercent)}
	}
	sources := sheet{name: "sources", columns: append([]string{"source"}, columns...)}
	for _, s := range r.Sources {
		sources.add(append([]string{string(s.Source)}, cells(s.LeadsCount)...)...)
	}
	months := sheet{name: "months", columns: append([]string{"month"}, columns...)}
	for _, m := range r.Months {
		months.add(append([]string{m.Month}, cells(m.LeadsCount)...)...)
	}
	reasons := sheet{name: "lost_reasons", columns: []string{"reason", "leads", "percent"}}
	for _, l := range r.LostReasons {
		reasons.add(l.Reason, number(l.Leads), optionalPercent(l.Percent))
	}
	return []sheet{sources, months, reasons}
}
