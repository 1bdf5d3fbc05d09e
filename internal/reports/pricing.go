package reports

import (
	"time"

	"slipway/internal/vocab/money"
)

// PricingReport is the price cuts of a period, and how long the boats that were sold
// in it had been in stock.
type PricingReport struct {
	_ struct{} `doc:"Price cuts of a period, and how long the sold hulls were in stock."`

	Covers
	Total  PricingSum     `json:"total" doc:"The whole period."`
	Months []PricingMonth `json:"months" nullable:"false" doc:"The same by month, oldest first."`
}

// PricingSum is price cuts and sales.
type PricingSum struct {
	_ struct{} `doc:"Price cuts and sales."`

	Cuts            int64          `json:"cuts" doc:"Number of times that an asking price was lowered." example:"14"`
	CutCents        int64          `json:"cut_cents" doc:"Sum of these price cuts."`
	Sold            int64          `json:"sold" doc:"Number of hulls that were sold." example:"9"`
	MedianDays      *int64         `json:"median_days" doc:"Median of the days from receipt to sale. Null if no hull with a known receipt was sold." example:"48"`
	SoldAfterCut    int64          `json:"sold_after_cut" doc:"Sold hulls whose price was lowered before the sale, at any time."`
	CutMedianDays   *int64         `json:"cut_median_days" doc:"Median of the days from receipt to sale of these hulls. Null if there are none."`
	OriginalCents   int64          `json:"original_cents" doc:"Sum of the first asking prices of the sold hulls."`
	AskingCents     int64          `json:"asking_cents" doc:"Sum of the last asking prices of the sold hulls."`
	DiscountPercent *money.Percent `json:"discount_percent" doc:"How much lower the last asking prices are than the first ones, rounded to one decimal. 0 if they are higher. Null if no hull was sold." example:"4.2"`
}

// PricingMonth is the price cuts and sales of a month.
type PricingMonth struct {
	_ struct{} `doc:"Price cuts and sales of one month."`

	Month string `json:"month" doc:"Year and month." example:"2026-11"`
	PricingSum
}

// cutGroup is the price cuts of a month.
type cutGroup struct {
	Month  int64 `db:"month"`
	Cuts   int64 `db:"cuts"`
	CutUSD int64 `db:"cut_usd"`
}

// soldHull is a hull that was sold.
type soldHull struct {
	ReceivedOn  *string   `db:"received_on"`
	Timezone    string    `db:"timezone"`
	SoldAt      time.Time `db:"sold_at"`
	AskingUSD   int64     `db:"asking_usd"`
	OriginalUSD int64     `db:"original_usd"`
	Cuts        int64     `db:"cuts"` // before the sale
}

// sales collects the days to sale.
type sales struct {
	PricingSum
	days, cutDays []int64
}

func (s *sales) add(h soldHull, days *int64) {
	s.Sold++
	s.AskingCents += h.AskingUSD * 100
	s.OriginalCents += h.OriginalUSD * 100
	if h.Cuts > 0 {
		s.SoldAfterCut++
	}
	if days == nil {
		return
	}
	s.days = append(s.days, *days)
	if h.Cuts > 0 {
		s.cutDays = append(s.cutDays, *days)
	}
}

func (s *sales) sum() PricingSum {
	s.MedianDays, s.CutMedianDays = median(s.days), median(s.cutDays)
	s.DiscountPercent = share(max(0, s.OriginalCents-s.AskingCents), s.OriginalCents)
	return s.PricingSum
}

// pricing builds the report. DayIn returns the date of a time in a time zone.
func pricing(p period, cuts []cutGroup, sold []soldHull, dayIn func(at time.Time, zone string) string) PricingReport {
	r := PricingReport{Covers: p.Covers}
	months := p.months()
	var total sales
	by := make([]sales, len(months))
	for _, c := range cuts {
		for _, s := range []*sales{&total, &by[c.Month]} {
			s.Cuts += c.Cuts
			s.CutCents += c.CutUSD * 100
		}
	}
	for _, h := range sold {
		n := 0
		for n < len(months)-1 && !h.SoldAt.Before(months[n].end) {
			n++
		}
		var days *int64
		if h.ReceivedOn != nil {
			days = new(daysBetween(*h.ReceivedOn, dayIn(h.SoldAt, h.Timezone)))
		}
		total.add(h, days)
		by[n].add(h, days)
	}

	r.Total = total.sum()
	for i, m := range months {
		r.Months = append(r.Months, PricingMonth{Month: m.name, PricingSum: by[i].sum()})
	}
	return r
}

func (r PricingReport) sheets() []sheet {
	months := sheet{name: "months", columns: []string{"month", "cuts", "cut_usd", "sold", "median_days", "sold_after_cut", "cut_median_days",
		"original_usd", "asking_usd", "discount_percent"}}
	for _, m := range r.Months {
		months.add(m.Month, number(m.Cuts), dollars(m.CutCents), number(m.Sold), optionalNumber(m.MedianDays), number(m.SoldAfterCut),
			optionalNumber(m.CutMedianDays), dollars(m.OriginalCents), dollars(m.AskingCents), optionalPercent(m.DiscountPercent))
	}
	return []sheet{months}
}
