package preview

import (
	"context"
	"net/http"

	"slipway/internal/finance"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
)

// mountQuotes registers the payment calculator. It opens its own transaction, which
// only reads, although the method is POST.
func (a *API) mountQuotes(r *rest.Router) {
	rest.Raw(r, http.MethodPost, http.StatusOK, "/finance_quotes", "quoteFinance", auth.Require(auth.DealsRead),
		"Calculate the payments of a loan", a.quote, rest.NoIfMatch,
		rest.Describe("Returns the payments for up to twelve terms, of a deal or of a price. "+
			"It calculates like finance structures, and stores nothing."))
}

// PreviewQuote is a quote in the shape of the preview.
type PreviewQuote struct {
	Object[finance.FinanceQuote]
}

func (a *API) quote(ctx context.Context, in *struct {
	Body Body[finance.FinanceQuoteCreate]
}) (PreviewQuote, error) {
	return rest.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (PreviewQuote, error) {
		q, err := finance.Quote(ctx, tx, in.Body.V)
		return PreviewQuote{Object[finance.FinanceQuote]{q}}, renamed(err)
	})
}
