package storefront

import (
	"slices"
	"strconv"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/platform/front"
	"slipway/internal/vocab/money"
)

// estimate is a monthly payment with all terms that the law requires next to it (12 CFR 1026.24).
type estimate struct {
	Price, Down, Financed, Payment, Total string
	About                                 string // the payment in whole dollars, for lists
	DownPercent, Months                   int64
	APR, AsOf                             string
}

// estimateFor returns the estimate for a boat, or nil if there is none: the price is hidden, or the
// program doesn't include the boat.
func (w ChannelWebsite) estimateFor(h hulls.Hull, c choice, now time.Time) *estimate {
	e := w.Estimate
	switch {
	case e == nil || w.EstimateOn == nil || !h.ShowsPrice() || h.PriceUSD <= 0:
		return nil
	case e.PriceMinUSD != nil && h.PriceUSD < *e.PriceMinUSD:
		return nil
	case e.AgeMax != nil && int64(now.Year())-h.Year > *e.AgeMax:
		return nil
	}
	on, err := time.Parse(time.DateOnly, *w.EstimateOn)
	if err != nil {
		return nil
	}
	price := h.PriceUSD * 100
	down := money.Percent(strconv.FormatInt(c.Down, 10)).Of(price)
	loan := money.Loan{PrincipalCents: price - down, APR: e.APRPercent, Months: int(c.Months)}
	if loan.PrincipalCents < int64(loan.Months) { // less than a cent a month
		return nil
	}
	r := loan.Repay()
	return &estimate{
		Price: front.Cents(price), Down: front.Cents(down), Financed: front.Cents(loan.PrincipalCents), Payment: front.Cents(r.PaymentCents),
		Total: front.Cents(r.TotalCents), About: front.Dollars((r.PaymentCents + 50) / 100), DownPercent: c.Down, Months: c.Months,
		APR: string(e.APRPercent), AsOf: front.Day(on),
	}
}

// choice is what a visitor chooses for an estimate.
type choice struct{ Down, Months int64 }

// choices are the down payments and the numbers of payments that can be chosen.
func (e WebsiteEstimate) choices() (downs, months []int64) {
	downs, months = []int64{10, 20, 30, e.DownPercent}, []int64{e.Months}
	for _, m := range []int64{120, 180, 240} {
		if m < e.Months {
			months = append(months, m)
		}
	}
	slices.Sort(downs)
	slices.Sort(months)
	return slices.Compact(downs), slices.Compact(months)
}

// choose returns what a visitor chose, or the program's values. Other values are not calculated.
func (e WebsiteEstimate) choose(down, months string) choice {
	c := choice{e.DownPercent, e.Months}
	downs, terms := e.choices()
	if n, err := strconv.ParseInt(down, 10, 64); err == nil && slices.Contains(downs, n) {
		c.Down = n
	}
	if n, err := strconv.ParseInt(months, 10, 64); err == nil && slices.Contains(terms, n) {
		c.Months = n
	}
	return c
}
