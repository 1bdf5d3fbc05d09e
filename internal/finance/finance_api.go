package finance

import (
	"context"

	"slipway/internal/deals"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
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
	r = r.Family(family.Finance)
	rest.Get(r, rest.Route{
		Path: "/deals/{deal_id}/finance_structures", ID: "listFinanceStructures", Needs: read,
		Summary: "List F&I structures",
		Text:    "Returns the payment plans that were created for the deal, with the selected one marked. Newest first.",
		Assist:  assist.Read,
	}, a.listStructures)
	rest.PostCreated(r, rest.Route{
		Path: "/deals/{deal_id}/finance_structures", ID: "createFinanceStructure", Needs: write,
		Summary: "Create an F&I structure",
		Text:    "Slipway calculates the structure from the current total of the deal. A structure never changes. To try other terms, create another one. A contracted deal can only get another structure while a lender has approved other terms than those of the selected one.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(structureEffect),
	}, a.createStructure)
	rest.Get(r, rest.Route{
		Path: "/deals/{deal_id}/finance_structures/{structure_id}", ID: "getFinanceStructure", Needs: read,
		Summary: "Retrieve an F&I structure with its payment schedule",
		Text:    "Returns the structure with each monthly payment, split into principal and interest.",
		Assist:  assist.Read,
	}, a.getStructure)
	rest.PostOK(r, rest.Route{
		Path: "/deals/{deal_id}/finance_structures/{structure_id}/select", ID: "selectFinanceStructure", Needs: write,
		Summary: "Select a structure for the deal",
		Text:    "The deal becomes a finance deal, and the products of the structure are added to its total. If the deal is contracted and a lender has approved other terms, you can select a structure with these terms. If this changes the total, it requires the scope admin, or a user with a role for managers: the purchase agreement is voided, and the deal is accepted again until everyone has signed a new one.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(selectEffect),
	}, a.selectStructure)

	rest.Get(r, rest.Route{
		Path: "/deals/{deal_id}/fundings", ID: "listFundings", Needs: read,
		Summary: "List lender submissions and their statuses",
		Text:    "Returns each submission with the lender's decision and the stipulations. Newest first.",
		Assist:  assist.Read,
	}, a.listFundings)
	rest.PostCreated(r, rest.Route{
		Path: "/deals/{deal_id}/fundings", ID: "submitFunding", Needs: write,
		Summary: "Submit the selected structure to a lender",
		Text:    "You can submit a deal to several lenders at the same time. Only one of them can have the contract.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(submitEffect),
	}, a.submitFunding)
	rest.Get(r, rest.Route{
		Path: "/deals/{deal_id}/fundings/{funding_id}", ID: "getFunding", Needs: read,
		Summary: "Retrieve a funding",
		Text:    "Returns the submission with the lender's decision and all stipulations.",
		Assist:  assist.Read,
	}, a.getFunding)
	rest.PostOK(r, rest.Route{
		Path: "/deals/{deal_id}/fundings/{funding_id}/advance", ID: "advanceFunding", Needs: write,
		Summary: "Advance a funding to its next status",
		Text:    "From submitted, a funding becomes conditional, approved, countered or declined. Then it becomes contract_sent, signed, package_submitted, pending_docs or approved_to_fund, and funded. You can withdraw it until it is funded. A funded funding can be charged_back. funded requires that each stipulation is accepted or waived. For funded and charged_back, a user needs a role for managers, or the scope admin. contract_sent requires a selected structure with the rate, term and amount that the lender approved. `differs_from_structure` lists what is different. With `skip_steps`, several steps are recorded at once.",
		Assist:  assist.Never(assist.Money),
	}, a.advanceFunding)
	rest.PostOK(r.Preview("2026-11-19"), rest.Route{
		Path: "/deals/{deal_id}/fundings/{funding_id}/undo", ID: "undoFunding", Needs: write,
		Summary: "Undo the last step of a funding",
		Text:    "The funding gets back the status, reason, reference and decision from before the last `advanceFunding`, including all steps of one call. It fails if the funding has changed since, and for `funded` and `charged_back`.",
		Assist:  assist.Never(assist.Money),
	}, a.undoFunding)
	rest.PostCreated(r, rest.Route{
		Path: "/deals/{deal_id}/fundings/{funding_id}/stipulations", ID: "addStipulation", Needs: write,
		Summary: "Add a lender stipulation",
		Text:    "Records something that the lender requires before it pays. The funding can't be funded until each stipulation is accepted or waived.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(stipulationEffect),
	}, a.addStipulation)
	rest.PostOK(r, rest.Route{
		Path: "/deals/{deal_id}/fundings/{funding_id}/stipulations/{stipulation_id}/resolve", ID: "resolveStipulation", Needs: write,
		Summary: "Satisfy or waive a stipulation",
		Text:    "Sets the status of a stipulation. You can't change a stipulation that is accepted or waived.",
		Assist:  assist.Never(assist.Money),
	}, a.resolveStipulation)

	rest.Get(r, rest.Route{
		Path: "/deals/{deal_id}/payments", ID: "listPayments", Needs: read,
		Summary: "List payments and refunds",
		Text:    "Returns the money that was received for the deal, with refunds, reversals and transfers as separate entries. Newest first.",
		Assist:  assist.Read,
	}, a.listPayments)
	rest.PostCreated(r, rest.Route{
		Path: "/deals/{deal_id}/payments", ID: "recordPayment", Needs: write,
		Summary: "Record a payment",
		Text:    "Also record the money from a lender here when it arrives. A closed deal accepts payments as long as a balance is due.",
		Assist:  assist.Never(assist.Money),
		First:   true,
	}, a.recordPayment)
	rest.Get(r, rest.Route{
		Path: "/deals/{deal_id}/payments/{payment_id}", ID: "getPayment", Needs: read,
		Summary: "Retrieve a payment",
		Text:    "Returns the payment with its status and the total of its refunds.",
		Assist:  assist.Read,
	}, a.getPayment)
	rest.PostCreated(r, rest.Route{
		Path: "/deals/{deal_id}/payments/{payment_id}/refund", ID: "refundPayment", Needs: write, Duty: auth.Payout,
		Summary: "Refund a payment, in whole or in part",
		Text:    "A refund is a separate payment with refunds_payment_id. The refunds of a payment never exceed it. To record a bounced check or a chargeback, send `reversal`. You can do this in any status of the deal.",
		Assist:  assist.Never(assist.Money),
		First:   true,
	}, a.refundPayment)
	rest.PostCreated(r.Preview("2026-11-19"), rest.Route{
		Path: "/deals/{deal_id}/payments/{payment_id}/undo", ID: "undoPayment", Needs: write,
		Summary: "Undo a payment that was recorded by mistake",
		Text:    "Records a reversal of the whole payment and returns it. Only the user or key that recorded the payment can undo it, within 10 minutes, and only if the deal has not changed since. Later, refund the payment.",
		Assist:  assist.Never(assist.Money),
	}, a.undoPayment)
	rest.Get(r.Preview("2026-11-19"), rest.Route{
		Path: "/deal_desk", ID: "getDealDesk", Needs: read,
		Summary: "Retrieve what people choose from on a deal",
		Text:    "Returns the fees of new deals and the catalog of products from the settings of the dealership, and the lenders of earlier deals. Costs are only returned to keys with deals:write.",
		Assist:  assist.Read,
	}, a.getDesk)
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
