package leads

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
)

// mountTurns registers the endpoints for the leads that wait for an answer.
func (a *API) mountTurns(r *rest.Router) {
	rest.Get(r, rest.Route{
		Path: "/awaiting_leads", ID: "getAwaitingLeads", Needs: read,
		Summary: "Count the leads that wait for an answer",
		Text: "Returns how many leads wait for an answer of the dealership, and how many are snoozed. " +
			"To list them, the longest wait first, use `listLeads` with `awaiting=us` and `sort=awaiting_since`.",
		Assist: assist.Read,
	}, a.countAwaiting)
}

func (a *API) countAwaiting(ctx context.Context, tx *db.Tx, in *AwaitingFilter) (AwaitingLeads, error) {
	return countAwaiting(ctx, tx, *in)
}
