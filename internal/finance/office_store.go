package finance

import (
	"context"
	"slices"
	"time"

	"slipway/internal/deals"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

// PaymentFilter are the filters of the list of the payments of all deals.
type PaymentFilter struct {
	page.Query
	Type           PaymentType   `query:"type" doc:"Only payments of this type."`
	Status         PaymentStatus `query:"status" doc:"Only payments with this status."`
	Kind           PaymentKind   `query:"kind" doc:"Only payments of this kind."`
	Method         PaymentMethod `query:"method" doc:"Only payments with this method."`
	LocationID     string        `query:"location_id" maxLength:"1000" doc:"Only objects of deals about hulls at this location. Several are separated by commas."`
	ReceivedAfter  string        `query:"received_after" format:"date" doc:"Only payments with a received_on on or after this date." example:"2026-11-01"`
	ReceivedBefore string        `query:"received_before" format:"date" doc:"Only payments with a received_on on or before this date." example:"2026-11-30"`
	CreatedAfter   time.Time     `query:"created_after" doc:"Only objects created after this time."`
	CreatedBefore  time.Time     `query:"created_before" doc:"Only objects created before this time."`
}

// check rejects filters that contradict each other. An empty list would hide the
// mistake.
func (f PaymentFilter) check() error {
	if f.ReceivedAfter != "" && f.ReceivedBefore != "" && f.ReceivedAfter > f.ReceivedBefore { // both YYYY-MM-DD
		return fault.BadRequest("received_after is later than received_before.").
			Detail("received_after", "maximum", "must not be later than received_before")
	}
	return nil
}

func (f PaymentFilter) where(tx *db.Tx) *db.Where {
	w := &db.Where{}
	w.AndCreated("id", payments.Prefix, f.CreatedAfter, f.CreatedBefore)
	w.AndIf(f.Type != "", "type = ?", f.Type)
	w.AndIf(f.Kind != "", "kind = ?", f.Kind)
	w.AndIf(f.Method != "", "method = ?", f.Method)
	w.AndIf(f.ReceivedAfter != "", "received_on >= ?", f.ReceivedAfter)
	w.AndIf(f.ReceivedBefore != "", "received_on <= ?", f.ReceivedBefore)
	f.whereStatus(tx, w)
	return w
}

// whereStatus adds the condition for the status, which Payment.derive calculates from
// the rows that take a payment back.
func (f PaymentFilter) whereStatus(tx *db.Tx, w *db.Where) {
	const (
		of    = " FROM payments r WHERE r.env = payments.env AND r.deal_id = payments.deal_id AND r.refunds_payment_id = payments.id"
		total = "(SELECT SUM(r.amount_cents)" + of + ")"
		last  = "(SELECT r.type" + of + " ORDER BY r.id DESC LIMIT 1)"
	)
	switch f.Status {
	case "":
		return
	case PaymentSucceeded:
		w.And("NOT EXISTS (SELECT 1" + of + ")")
		return
	}

	// Few payments are taken back, so their index is faster than reading all payments.
	w.And(`id IN (SELECT r.refunds_payment_id FROM payments r WHERE r.env = ? AND r.refunds_payment_id IS NOT NULL)`, tx.Env)
	switch f.Status {
	case PaymentPartiallyRefunded:
		w.And(total + ` < amount_cents`)
	case PaymentReversed:
		w.And(total+` >= amount_cents AND `+last+` = ?`, Reversed)
	case PaymentTransferred:
		w.And(total+` >= amount_cents AND `+last+` = ?`, TransferOut)
	default:
		w.And(total+` >= amount_cents AND `+last+` NOT IN (?, ?)`, Reversed, TransferOut)
	}
}

// atLocation adds the filter by location.
func atLocation(ctx context.Context, tx *db.Tx, w *db.Where, table, locationID string) error {
	if locationID == "" {
		return nil
	}
	cond, args, err := deals.AtLocation(ctx, tx, table+".deal_id", locationID)
	w.And(cond, args...)
	return err
}

// ListPayments returns the payments of all deals that match.
func ListPayments(ctx context.Context, tx *db.Tx, f PaymentFilter) (page.Page[Payment], error) {
	if err := f.check(); err != nil {
		return page.Page[Payment]{}, err
	}
	w := f.where(tx)
	if err := atLocation(ctx, tx, w, "payments", f.LocationID); err != nil {
		return page.Page[Payment]{}, err
	}
	p, err := payments.List(ctx, tx, f.Query, w)
	if err != nil || len(p.Data) == 0 {
		return p, err
	}

	refunds, err := refundsOf(ctx, tx, dealsOf(p.Data, func(p Payment) string { return p.DealID }))
	deriveAll(p.Data, refunds)
	return p, err
}

// FundingFilter are the filters of the list of the fundings of all deals.
type FundingFilter struct {
	page.Query
	Status        FundingStatus `query:"status" doc:"Only fundings with this status."`
	Lender        string        `query:"lender" maxLength:"200" doc:"Only fundings of this lender. The name must be the same, including case." example:"Bay Federal"`
	LocationID    string        `query:"location_id" maxLength:"1000" doc:"Only objects of deals about hulls at this location. Several are separated by commas."`
	CreatedAfter  time.Time     `query:"created_after" doc:"Only objects created after this time."`
	CreatedBefore time.Time     `query:"created_before" doc:"Only objects created before this time."`
}

func (f FundingFilter) where() *db.Where {
	w := &db.Where{}
	w.AndCreated("id", fundings.Prefix, f.CreatedAfter, f.CreatedBefore)
	w.AndIf(f.Status != "", "status = ?", f.Status)
	w.AndIf(f.Lender != "", "lender = ?", f.Lender)
	return w
}

// ListFundings returns the fundings of all deals that match, as the caller can see
// them.
func ListFundings(ctx context.Context, tx *db.Tx, f FundingFilter) (page.Page[Funding], error) {
	w := f.where()
	if err := atLocation(ctx, tx, w, "fundings", f.LocationID); err != nil {
		return page.Page[Funding]{}, err
	}
	p, err := fundings.List(ctx, tx, f.Query, w)
	if err != nil || len(p.Data) == 0 {
		return p, err
	}

	if err := completeAll(ctx, tx, p.Data); err != nil {
		return p, err
	}
	for i, f := range p.Data {
		p.Data[i] = f.visible(ctx)
	}
	return p, nil
}

// completeAll is complete for fundings of several deals, with one statement for each
// table.
func completeAll(ctx context.Context, tx *db.Tx, all []Funding) error {
	ids := dealsOf(all, func(f Funding) string { return f.DealID })
	byDeal, err := deals.FindAll(ctx, tx, ids)
	if err != nil {
		return err
	}
	marks, args := db.In(ids)
	args = append([]any{tx.Env}, args...)
	structures, err := db.All[FinanceStructure](ctx, tx, `SELECT {cols} FROM finance_structures WHERE env = ? AND deal_id IN `+marks, args...)
	if err != nil {
		return err
	}
	required, err := db.All[Stipulation](ctx, tx, `SELECT {cols} FROM stipulations WHERE env = ? AND deal_id IN `+marks+` ORDER BY id`,
		args...)
	if err != nil {
		return err
	}

	byID := map[string]FinanceStructure{}
	for _, s := range structures {
		byID[s.ID] = s
	}
	byFunding := map[string][]Stipulation{}
	for _, s := range required {
		byFunding[s.FundingID] = append(byFunding[s.FundingID], s)
	}
	for i := range all {
		all[i].Stipulations = byFunding[all[i].ID]
		all[i].derive()
		all[i].compare(byDeal[all[i].DealID], byID)
	}
	return nil
}

// dealsOf returns the IDs of the deals of rows, without duplicates.
func dealsOf[T any](rows []T, of func(T) string) []string {
	var ids []string
	for _, r := range rows {
		ids = append(ids, of(r))
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
