package channels

import (
	"context"
	"slices"

	"slipway/internal/hulls"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/effect"
)

func publishEffect(ctx context.Context, tx *db.Tx, in *ByListing) (effect.ProposalEffect, error) {
	return listingEffect(ctx, tx, in, true)
}

func withdrawEffect(ctx context.Context, tx *db.Tx, in *ByListing) (effect.ProposalEffect, error) {
	return listingEffect(ctx, tx, in, false)
}

// listingEffect says what happens if a boat is listed on a channel or removed from it.
func listingEffect(ctx context.Context, tx *db.Tx, in *ByListing, listed bool) (e effect.ProposalEffect, err error) {
	h, err := hulls.Describe(ctx, tx, &e, in.HullID)
	if err != nil {
		return e, err
	}
	c, err := channels.Find(ctx, tx, in.ChannelID)
	if err != nil {
		return e, err
	}
	e.Pin("Channel", c.ID, c.Version)
	words := map[bool]string{true: "listed", false: "not listed"}
	e.Change(c.Name, c.ID, words[slices.Contains(h.PublishedChannels, c.ID)], words[listed])
	e.Title = "Remove the " + h.Name() + " from " + c.Name
	if !listed {
		return e, nil
	}

	e.Title = "List the " + h.Name() + " on " + c.Name
	e.Fact("Asking price", h.ID, effect.USD(h.PriceUSD))
	if field, why := c.rejects(h); field != "" {
		e.Warn(effect.Danger, "state", "The channel can't list this boat. Its "+field+" "+why+".")
	}
	return e, nil
}
