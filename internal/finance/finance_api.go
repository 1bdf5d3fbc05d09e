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
	read  = auth.Require(auth.DealsRead)
	write = auth.Require(auth.DealsWrite)
)

// API serves the finance endpoints of deals.
type API struct {
	DB *db.DB
}

// Hooks are what finance calls in features that depend on it.
type Hooks struct {
	// CheckEvidence fails if a document can't prove a stipulation of the deal.
	CheckEvidence func(ctx context.Context, tx *db.Tx, dealID, documentID string) error
}

// New returns the feature, and attaches its hooks to the database.
func New(a API, h Hooks) API {
	a.DB.AttachHooks(h)
	return a
}

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	r = r.Family("Finance")
	rest.Get(r, "/deals/{deal_id}/finance_structures", "listFinanceStructures", read, "List F&I structures", a.listStructures,
		rest.Describe("Returns the payment plans that were created for the deal, with the selected one marked. Newest first."))
	rest.PostCreated(r, "/deals/{deal_id}/finance_structures", "createFinanceStructure", write, "Create an F&I structure", a.createStructure,
		rest.Describe("Slipway calculates the structure from the current total of the deal. A structure never changes. To try other terms, create another one."))
	rest.Get(r, "/deals/{deal_id}/finance_structures/{structure_id}", "getFinanceStructure", read,
		"Retrieve an F&I structure with its payment schedule", a.getStructure,
		rest.Describe("Returns the structure with each monthly payment, split into principal and interest."))
	rest.PostOK(r, "/deals/{deal_id}/finance_structures/{structure_id}/select", "selectFinanceStructure", write,
		"Select a structure for the deal", a.selectStructure,
		rest.Describe("The deal becomes a finance deal, and the products of the structure are added to its total."))

	rest.Get(r, "/deals/{deal_id}/fundings", "listFundings", read, "List lender submissions and their statuses", a.listFundings,
		rest.Describe("Returns each submission with the lender's decision and the stipulations. Newest first."))
	rest.PostCreated(r, "/deals/{deal_id}/fundings", "submitFunding", write, "Submit the selected structure to a lender", a.submitFunding,
		rest.Describe("You can submit a deal to several lenders at the same time. Only one of them can have the contract."))
	rest.Get(r, "/deals/{deal_id}/fundings/{funding_id}", "getFunding", read, "Retrieve a funding", a.getFunding,
		rest.Describe("Returns the submission with the lender's decision and all stipulations."))
	rest.PostOK(r, "/deals/{deal_id}/fundings/{funding_id}/advance", "advanceFunding", write,
		"Advance a funding to its next status", a.advanceFunding,
		rest.Describe("From submitted, a funding becomes conditional, approved, countered or declined. Then it becomes contract_sent, signed, package_submitted, pending_docs or approved_to_fund, and funded. You can withdraw it until it is funded. A funded funding can be charged_back. funded requires that each stipulation is accepted or waived. contract_sent requires a selected structure with the rate, term and amount that the lender approved. `differs_from_structure` lists what is different."))
	rest.PostCreated(r, "/deals/{deal_id}/fundings/{funding_id}/stipulations", "addStipulation", write,
		"Add a lender stipulation", a.addStipulation,
		rest.Describe("Records something that the lender requires before it pays. The funding can't be funded until each stipulation is accepted or waived."))
	rest.PostOK(r, "/deals/{deal_id}/fundings/{funding_id}/stipulations/{stipulation_id}/resolve", "resolveStipulation", write,
		"Satisfy or waive a stipulation", a.resolveStipulation,
		rest.Describe("Sets the status of a stipulation. You can't change a stipulation that is accepted or waived."))

	rest.Get(r, "/deals/{deal_id}/payments", "listPayments", read, "List payments and refunds", a.listPayments,
		rest.Describe("Returns the money that was received for the deal, with refunds, reversals and transfers as separate entries. Newest first."))
	rest.PostCreated(r, "/deals/{deal_id}/payments", "recordPayment", write, "Record a payment", a.recordPayment,
		rest.Describe("Also record the money from a lender here when it arrives. A closed deal accepts payments as long as a balance is due."))
	rest.Get(r, "/deals/{deal_id}/payments/{payment_id}", "getPayment", read, "Retrieve a payment", a.getPayment,
		rest.Describe("Returns the payment with its status and the total of its refunds."))
	rest.PostCreated(r, "/deals/{deal_id}/payments/{payment_id}/refund", "refundPayment", write,
		"Refund a payment, in whole or in part", a.refundPayment,
		rest.Describe("A refund is a separate payment with refunds_payment_id. The refunds of a payment never exceed it. To record a bounced check or a chargeback, send `reversal`. You can do this in any status of the deal."))
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

// lockDeal locks the deal and checks If-Match against its version. Changes to the
// rows of a deal happen one at a time, so that sums over them stay correct.
func lockDeal(ctx context.Context, tx *db.Tx, id string) (deals.Deal, error) {
	d, err := deals.FindForUpdate(ctx, tx, id)
	if err != nil {
		return d, err
	}
	return d, rest.CheckIfMatch(ctx, d.Version)
}
