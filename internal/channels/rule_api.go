package channels

import (
	"context"

	"slipway/internal/hulls"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/page"
)

// mountRules registers the endpoints that say why a boat isn't on a channel.
func (a *API) mountRules(r *rest.Router) {
	rest.Get(r, rest.Route{
		Path: "/hulls/{hull_id}/channels", ID: "listHullPlacements", Needs: read,
		Summary: "List where a hull is listed, and why not elsewhere",
		Text:    "Returns one entry for each channel, with all reasons: the status, the filter, the rules, the answer of the partner, or that it was withdrawn.",
		Assist:  assist.Read,
	}, a.listHullChannels)
	rest.Get(r, rest.Route{
		Path: "/channels/{channel_id}/left_out", ID: "listLeftOutHulls", Needs: read, AllLocations: true,
		Summary: "List the hulls that a channel leaves out, and why",
		Text:    "Hulls that are not sold, delivered or archived, newest first. Each has all reasons.",
		Assist:  assist.Read,
	}, a.listLeftOut)
}

func (a *API) listHullChannels(ctx context.Context, tx *db.Tx, in *struct {
	hulls.ByHull
	page.Query
}) (page.Page[HullOnChannel], error) {
	h, err := hulls.Find(ctx, tx, in.HullID)
	if err != nil {
		return page.Page[HullOnChannel]{}, err
	}
	return onChannels(ctx, tx, h, in.Query)
}

func (a *API) listLeftOut(ctx context.Context, tx *db.Tx, in *struct {
	ByChannel
	page.Query
}) (page.Page[HullOnChannel], error) {
	c, err := channels.Find(ctx, tx, in.ChannelID)
	if err != nil {
		return page.Page[HullOnChannel]{}, err
	}
	return leftOut(ctx, tx, c, in.Query)
}
