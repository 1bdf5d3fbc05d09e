package reports

import (
	"cmp"
	"slices"

	"slipway/internal/deals"
)

// TaxReport is the tax on the boats that were delivered in a period.
type TaxReport struct {
	_ struct{} `doc:"Tax on the boats that were delivered in a period, by jurisdiction."`

	Covers
	TaxCents int64    `json:"tax_cents" doc:"Sum of all taxes."`
	Rows     []TaxRow `json:"rows" nullable:"false" doc:"The taxes by jurisdiction, name and exemption."`
}

// TaxRow is one tax.
type TaxRow struct {
	_ struct{} `doc:"One tax of a jurisdiction."`

	Jurisdiction string  `json:"jurisdiction" doc:"Who receives the tax. The name of the tax if no jurisdiction was recorded." example:"Maryland"`
	Name         string  `json:"name" doc:"Name of the tax." example:"Maryland vessel excise tax"`
	ExemptReason *string `json:"exempt_reason" doc:"Why these deals are exempt. Null if they are taxed."`
	Deals        int64   `json:"deals" doc:"Number of deals that were delivered, minus those that were undone." example:"12"`
	SalesCents   int64   `json:"sales_cents" doc:"Sum of the prices of their boats."`
	TaxCents     int64   `json:"tax_cents" doc:"Sum of the tax. 0 if the deals are exempt."`
}

// taxes builds the report. A sale that was undone is taken back in the period in which it was
// undone, so the report of an earlier period never changes.
func taxes(p period, sold, undone []deals.Deal) TaxReport {
	r := TaxReport{Covers: p.Covers, Rows: []TaxRow{}}
	type key struct{ jurisdiction, name, reason string }
	rows := map[key]*TaxRow{}
	add := func(d deals.Deal, sign int64) {
		for _, t := range d.Taxes {
			k := key{jurisdiction: t.Name, name: t.Name}
			if t.Jurisdiction != nil {
				k.jurisdiction = *t.Jurisdiction
			}
			if t.ExemptReason != nil {
				k.reason = *t.ExemptReason
			}
			row := rows[k]
			if row == nil {
				row = &TaxRow{Jurisdiction: k.jurisdiction, Name: k.name, ExemptReason: t.ExemptReason}
				rows[k] = row
			}
			row.Deals += sign
			row.SalesCents += sign * d.PriceUSD * 100
			row.TaxCents += sign * t.AmountCents
			r.TaxCents += sign * t.AmountCents
		}
	}
	for _, d := range sold {
		add(d, 1)
	}
	for _, d := range undone {
		add(d, -1)
	}
	for _, row := range rows {
		r.Rows = append(r.Rows, *row)
	}
	slices.SortFunc(r.Rows, func(a, b TaxRow) int {
		return cmp.Or(cmp.Compare(a.Jurisdiction, b.Jurisdiction), cmp.Compare(a.Name, b.Name), cmp.Compare(optional(a.ExemptReason), optional(b.ExemptReason)))
	})
	return r
}

func (r TaxReport) sheets() []sheet {
	all := sheet{name: "taxes", columns: []string{"jurisdiction", "name", "exempt_reason", "deals", "sales_usd", "tax_usd"}}
	for _, row := range r.Rows {
		all.add(row.Jurisdiction, row.Name, optional(row.ExemptReason), number(row.Deals), dollars(row.SalesCents), dollars(row.TaxCents))
	}
	return []sheet{all}
}
