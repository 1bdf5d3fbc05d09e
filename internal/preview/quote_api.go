package preview

import (
	"context"
	"net/http"

	"slipway/internal/finance"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
)

// mountQuotes registers the payment calculator. It opens its own transaction, which
// only reads, although the method is POST.
func (a *API) mountQuotes(r *rest.Router) {
	rest.Raw(r, http.MethodPost, http.StatusOK, rest.Route{
		Path: "/finance_quotes", ID: "quoteFinance", Needs: auth.Require(auth.DealsRead),
		Summary: "Calculate the payments of a loan",
		Text: "Returns the payments for up to twelve terms, of a deal or of a price. " +
			"It calculates like finance structures, and stores nothing.",
		Assist:    assist.Never(assist.ChangesNothing),
		NoIfMatch: true, OnlyReads: true,
	}, a.quote)
}

func (a *API) quote(ctx context.Context, in *struct {
	Body finance.FinanceQuoteCreate
}) (finance.FinanceQuote, error) {
	return rest.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (finance.FinanceQuote, error) {
		return finance.Quote(ctx, tx, in.Body)
	})
}
