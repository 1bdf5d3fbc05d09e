package finance

import (
	"context"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/deals"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
)

var (
	read  = auth.Need(auth.DealsRead)
	write = auth.Need(auth.DealsWrite)
)

// API serves the finance of deals.
type API struct {
	DB *db.DB
}

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	r = r.Family("Finance")
	rest.Get(r, "/deals/{deal_id}/finance_structures", "listFinanceStructures", read, "List F&I structures", a.structures)
	rest.PostCreated(r, "/deals/{deal_id}/finance_structures", "createFinanceStructure", write, "Work out an F&I structure", a.createStructure,
		rest.Describe("From what the deal comes to now. A structure never changes; to change it, work out another."),
		rest.Example(`{"name": "20 years, 10% down", "cash_down_cents": 1180000, "apr_percent": "7.49", "term_months": 240, "products": [{"kind": "service_contract", "provider": "Brunswick", "price_cents": 249500, "cost_cents": 120000, "term_months": 60, "financed": true}]}`))
	rest.Get(r, "/deals/{deal_id}/finance_structures/{structure_id}", "getFinanceStructure", read, "Retrieve an F&I structure with its payment schedule", a.getStructure)
	rest.PostOK(r, "/deals/{deal_id}/finance_structures/{structure_id}/select", "selectFinanceStructure", write, "Select the structure the buyer takes", a.selectStructure,
		rest.Describe("The deal becomes a finance deal, and the structure's products part of what it comes to."))

	rest.Get(r, "/deals/{deal_id}/fundings", "listFundings", read, "List lender submissions and their funding states", a.fundings)
	rest.PostCreated(r, "/deals/{deal_id}/fundings", "submitFunding", write, "Submit the selected structure to a lender", a.submitFunding,
		rest.Describe("Several lenders may be asked at the same time; the buyer signs with one."),
		rest.Example(`{"lender": "Bay Federal", "reference": "APP-20417"}`))
	rest.Get(r, "/deals/{deal_id}/fundings/{funding_id}", "getFunding", read, "Retrieve a funding", a.getFunding)
	rest.PostOK(r, "/deals/{deal_id}/fundings/{funding_id}/advance", "advanceFunding", write, "Advance a funding to its next state", a.advanceFunding,
		rest.Describe("submitted to conditional, approved, countered or declined; then contract_sent, signed, package_submitted, pending_docs or approved_to_fund, funded, charged_back. Until it is funded, it may be withdrawn. funded needs every stipulation accepted or waived."),
		rest.Example(`{"to": "approved", "decision": {"amount_cents": 10620000, "apr_percent": "7.49", "term_months": 240}}`))
	rest.PostCreated(r, "/deals/{deal_id}/fundings/{funding_id}/stipulations", "addStipulation", write, "Add a lender stipulation", a.addStipulation,
		rest.Example(`{"kind": "proof_of_income", "description": "Two years of tax returns"}`))
	rest.PostOK(r, "/deals/{deal_id}/fundings/{funding_id}/stipulations/{stipulation_id}/resolve", "resolveStipulation", write, "Satisfy or waive a stipulation", a.resolveStipulation,
		rest.Example(`{"status": "accepted"}`))

	rest.Get(r, "/deals/{deal_id}/payments", "listPayments", read, "List payments and refunds", a.payments)
	rest.PostCreated(r, "/deals/{deal_id}/payments", "recordPayment", write, "Record a payment", a.recordPayment,
		rest.Describe("What a lender pays is recorded here, too, when it arrives."),
		rest.Example(`{"kind": "deposit", "method": "card", "amount_cents": 500000, "reference": "ch_8842"}`))
	rest.Get(r, "/deals/{deal_id}/payments/{payment_id}", "getPayment", read, "Retrieve a payment", a.getPayment)
	rest.PostCreated(r, "/deals/{deal_id}/payments/{payment_id}/refund", "refundPayment", write, "Refund a payment, in whole or in part", a.refundPayment,
		rest.Describe("A refund is a row of its own. All refunds of a payment together never exceed it."),
		rest.Example(`{"amount_cents": 250000, "reason": "Half of the deposit goes back"}`))
}

// Today is the day at the dealership.
func Today(ctx context.Context, tx *db.Tx) (time.Time, error) {
	company, err := dealership.Find(ctx, tx)
	if err != nil {
		return tx.Now, err
	}
	zone, err := time.LoadLocation(company.Timezone)
	return tx.Now.In(zone), err
}

// change is how something of a deal is changed. The deal is locked first, so
// that sums over its rows hold, and so that one change follows the other.
func change[T any](ctx context.Context, tx *db.Tx, dealID string, edit func(d *deals.Deal) (T, error)) (T, error) {
	d, err := deals.FindForUpdate(ctx, tx, dealID)
	if err != nil {
		var none T
		return none, err
	}
	return edit(&d)
}

// look is how something of a deal is read.
func look[T any](ctx context.Context, tx *db.Tx, dealID string, find func(d deals.Deal) (T, error)) (T, error) {
	d, err := deals.Find(ctx, tx, dealID)
	if err != nil {
		var none T
		return none, err
	}
	return find(d)
}
