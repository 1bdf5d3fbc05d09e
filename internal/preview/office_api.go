package preview

import (
	"context"

	"slipway/internal/documents"
	"slipway/internal/finance"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

// mountOffice registers the lists across deals that the office works with.
func mountOffice(r *rest.Router) {
	read := auth.Require(auth.DealsRead)
	rest.Get(r, rest.Route{
		Path: "/payments", ID: "listAllPayments", Needs: read,
		Summary: "List the payments of all deals, newest first",
		Text: "Returns the payments that match all filters, with refunds, reversals and transfers as separate entries. " +
			"Sorted by when they were recorded. The location of a payment is where the hull of its deal is.",
		Assist: assist.Never(assist.Twin),
	}, listPayments)
	rest.Get(r, rest.Route{
		Path: "/fundings", ID: "listAllFundings", Needs: read,
		Summary: "List the fundings of all deals, newest first",
		Text: "Returns the submissions to lenders that match all filters, with decisions and stipulations. " +
			"Sorted by when they were submitted. The location of a funding is where the hull of its deal is.",
		Assist: assist.Never(assist.Twin),
	}, listFundings)
	rest.Get(r, rest.Route{
		Path: "/documents", ID: "listAllDocuments", Needs: read,
		Summary: "List the documents of all deals, newest first",
		Text: "Returns the documents that match all filters, including voided ones, with their signatures. " +
			"Sorted by when they were issued. The location of a document is where the hull of its deal is.",
		Assist: assist.Never(assist.Twin),
	}, listDocuments)
}

func listPayments(ctx context.Context, tx *db.Tx, in *finance.PaymentFilter) (page.Page[finance.Payment], error) {
	return finance.ListPayments(ctx, tx, *in)
}

func listFundings(ctx context.Context, tx *db.Tx, in *finance.FundingFilter) (page.Page[finance.Funding], error) {
	return finance.ListFundings(ctx, tx, *in)
}

func listDocuments(ctx context.Context, tx *db.Tx, in *documents.DocumentFilter) (page.Page[documents.Document], error) {
	return documents.ListDocuments(ctx, tx, *in)
}
