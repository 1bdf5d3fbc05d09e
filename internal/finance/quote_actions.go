package finance

import (
	"context"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/deals"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/fault"
)

// Quote calculates what a loan would cost. It only reads.
func Quote(ctx context.Context, tx *db.Tx, c FinanceQuoteCreate) (FinanceQuote, error) {
	if err := c.Check(tx.Now); err != nil {
		return FinanceQuote{}, err
	}
	d, deposits, err := quoted(ctx, tx, c)
	if err != nil {
		return FinanceQuote{}, err
	}
	company, err := dealership.Find(ctx, tx)
	if err != nil {
		return FinanceQuote{}, err
	}
	zone, err := time.LoadLocation(company.Timezone)
	if err != nil {
		return FinanceQuote{}, err
	}
	return c.quote(d, deposits, company.Settings, tx.Now.In(zone))
}

// quoted returns the deal to finance, and its deposits. Without a deal, it is one with
// nothing but the price.
func quoted(ctx context.Context, tx *db.Tx, c FinanceQuoteCreate) (d deals.Deal, deposits int64, err error) {
	if c.DealID == nil {
		return deals.Deal{LineItems: []deals.DealLineItem{{Kind: "fee", AmountCents: *c.PriceCents}}}, 0, nil
	}
	d, err = deals.Find(ctx, tx, *c.DealID)
	if fault.KindOf(err) == fault.KindNotFound {
		var bad fault.Fields
		bad.Add("deal_id", "not_found", "does not exist")
		err = bad.Err()
	}
	if err != nil {
		return d, 0, err
	}
	deposits, err = sumPaid(ctx, tx, d, "deposit")
	return d, deposits, err
}

// Today returns the current time in the dealership's time zone.
func Today(ctx context.Context, tx *db.Tx) (time.Time, error) {
	company, err := dealership.Find(ctx, tx)
	if err != nil {
		return tx.Now, err
	}
	zone, err := time.LoadLocation(company.Timezone)
	return tx.Now.In(zone), err
}
