package documents

import (
	"context"

	"slipway/internal/deals"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/effect"
)

func issueEffect(ctx context.Context, tx *db.Tx, in *struct {
	deals.ByDeal
	Body DocumentIssue
}) (e effect.ProposalEffect, err error) {
	d, err := deals.Describe(ctx, tx, &e, in.DealID)
	if err != nil {
		return e, err
	}
	e.Title = "Issue the " + effect.Word(in.Body.Kind) + " for " + d.Sale()
	e.Said = []string{"kind", "supersedes_id"}
	e.Fact("Price", d.ID, effect.USD(d.PriceUSD))
	e.Fact("Document", d.ID, "is created for signing. Nobody gets a message from this")
	if in.Body.SupersedesID == nil {
		return e, nil
	}
	old, err := documents.FindIn(ctx, tx, d.ID, *in.Body.SupersedesID)
	e.Change("Earlier "+effect.Word(old.Kind), d.ID, effect.Word(old.Status), "voided")
	e.Pin("Earlier document", old.ID, old.Version)
	return e, err
}
