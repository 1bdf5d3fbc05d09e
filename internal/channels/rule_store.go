package channels

import (
	"context"
	"slices"

	"slipway/internal/hulls"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/page"
)

// onChannels returns a page of the channels, with whether each lists a hull.
func onChannels(ctx context.Context, tx *db.Tx, h hulls.Hull, q page.Query) (page.Page[HullOnChannel], error) {
	on, err := channels.List(ctx, tx, q, nil)
	out := page.Page[HullOnChannel]{Data: []HullOnChannel{}, HasMore: on.HasMore, NextCursor: on.NextCursor, PrevCursor: on.PrevCursor}
	if err != nil {
		return out, err
	}
	known, err := entriesOf(ctx, tx, h)
	for _, c := range on.Data {
		l := newListing(h, c.ID)
		if at := slices.IndexFunc(known, func(l HullSyndication) bool { return l.ChannelID == c.ID }); at >= 0 {
			l = known[at]
		}
		out.Data = append(out.Data, c.on(h, l))
	}
	return out, err
}

// boats is the inventory, for lists.
var boats = db.Table[hulls.Hull]{Name: "hulls", Prefix: "hull", Noun: "hull"}

// leftOut returns a page of the hulls that a channel doesn't list.
func leftOut(ctx context.Context, tx *db.Tx, c Channel, q page.Query) (page.Page[HullOnChannel], error) {
	w := &db.Where{}
	w.And("status NOT IN ('sold', 'delivered', 'archived')")
	w.And("id NOT IN (SELECT hull_id FROM hull_listings WHERE env = ? AND channel_id = ? AND listed)", c.Env, c.ID)
	found, err := boats.List(ctx, tx, q, w)
	out := page.Page[HullOnChannel]{Data: []HullOnChannel{}, HasMore: found.HasMore, NextCursor: found.NextCursor, PrevCursor: found.PrevCursor}
	if err != nil || len(found.Data) == 0 {
		return out, err
	}
	var ids []string
	for _, h := range found.Data {
		ids = append(ids, h.ID)
	}
	marks, args := db.In(ids)
	known, err := db.All[HullSyndication](ctx, tx, `SELECT {cols} FROM hull_listings WHERE env = ? AND channel_id = ? AND hull_id IN `+marks,
		append([]any{c.Env, c.ID}, args...)...)
	for _, h := range found.Data {
		l := newListing(h, c.ID)
		if at := slices.IndexFunc(known, func(l HullSyndication) bool { return l.HullID == h.ID }); at >= 0 {
			l = known[at]
		}
		out.Data = append(out.Data, c.on(h, l))
	}
	return out, err
}
