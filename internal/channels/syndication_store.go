package channels

import (
	"context"
	"slices"

	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

var channels = db.Table[Channel]{Name: "channels", Prefix: "chn", Noun: "channel"}

func channelsOf(ctx context.Context, tx *db.Tx) ([]Channel, error) {
	return db.All[Channel](ctx, tx, `SELECT {cols} FROM channels WHERE env = ? ORDER BY id`, tx.Env)
}

// checkLocations fails if a location of the filter doesn't exist.
func checkLocations(ctx context.Context, tx *db.Tx, c Channel) error {
	var bad fault.Fields
	for _, id := range c.Filter.LocationIDs {
		_, err := dealership.FindLocation(ctx, tx, id)
		if err := bad.AddNotFound("filter.location_ids", err); err != nil {
			return err
		}
	}
	return bad.Err()
}

func insertChannel(ctx context.Context, tx *db.Tx, c *Channel) error {
	if err := checkLocations(ctx, tx, *c); err != nil {
		return err
	}

	n, err := db.One[int64](ctx, tx, `SELECT COUNT(*) FROM channels WHERE env = ?`, tx.Env)
	if err != nil {
		return err
	}

	if n >= maxChannels {
		return fault.Conflict("You already have %d channels, which is the maximum. Delete one first.", maxChannels).
			Detail("channels", "too_many", "must be at most %d", maxChannels)
	}

	c.PushAfter = tx.Now
	return channels.Insert(ctx, tx, c)
}

// listingOf returns the listing of a hull on a channel. If there is none, it
// returns a new one.
func listingOf(ctx context.Context, tx *db.Tx, h hulls.Hull, channelID string) (HullSyndication, error) {
	l, err := db.One[HullSyndication](ctx, tx, `SELECT {cols} FROM hull_listings WHERE env = ? AND channel_id = ? AND hull_id = ?`,
		h.Env, channelID, h.ID)
	if db.IsNoRows(err) {
		return newListing(h, channelID), nil
	}
	l.ID = listingID(h.ID, channelID)
	return l, err
}

// entriesOf returns the listings of a hull.
func entriesOf(ctx context.Context, tx *db.Tx, h hulls.Hull) ([]HullSyndication, error) {
	all, err := db.All[HullSyndication](ctx, tx, `SELECT {cols} FROM hull_listings WHERE env = ? AND hull_id = ?`, h.Env, h.ID)
	for i, l := range all {
		all[i].ID = listingID(h.ID, l.ChannelID)
	}
	return all, err
}

func newListing(h hulls.Hull, channelID string) HullSyndication {
	return HullSyndication{Env: h.Env, ID: listingID(h.ID, channelID), HullID: h.ID, ChannelID: channelID, State: notListed}
}

// listListings returns a page of the state of a hull on all channels.
func listListings(ctx context.Context, tx *db.Tx, h hulls.Hull, q page.Query) (page.Page[HullSyndication], error) {
	on, err := channels.List(ctx, tx, q, nil)
	out := page.Page[HullSyndication]{Data: []HullSyndication{}, HasMore: on.HasMore, NextCursor: on.NextCursor, PrevCursor: on.PrevCursor}
	if err != nil {
		return out, err
	}
	known, err := entriesOf(ctx, tx, h)
	for _, c := range on.Data {
		at := slices.IndexFunc(known, func(l HullSyndication) bool { return l.ChannelID == c.ID })
		if at >= 0 {
			out.Data = append(out.Data, known[at])
		} else {
			out.Data = append(out.Data, newListing(h, c.ID))
		}
	}
	return out, err
}

// Follower keeps listings up to date with their hulls, in the transaction of
// each change: it withdraws a hull that can't be shown any more, and publishes
// changes.
var Follower = hulls.Follower{Insert: followNew, Save: follow}

// followNew publishes new hulls to the channels that publish automatically.
func followNew(ctx context.Context, tx *db.Tx, added []*hulls.Hull) (inserted func() error, err error) {
	all, err := channelsOf(ctx, tx)
	if err != nil {
		return nil, err
	}

	var listings []HullSyndication
	for _, h := range added {
		for _, c := range all {
			l := newListing(*h, c.ID)
			if l.Wanted = c.AutoPublish; l.Wanted && l.follow(*h, c, true, tx.Now) {
				listings = append(listings, l)
				l.show(h)
			}
		}
	}

	return func() error {
		if err := db.Insert(ctx, tx, "hull_listings", listings...); err != nil {
			return err
		}
		for _, l := range listings {
			before := newListing(hulls.Hull{Env: l.Env, ID: l.HullID}, l.ChannelID)
			if err := events.Emit(ctx, tx, l.event(before), l.HullID, events.Change{Before: before, After: l}); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// follow updates the listings of a hull that was written and is locked.
func follow(ctx context.Context, tx *db.Tx, h *hulls.Hull, visible bool) error {
	all, err := channelsOf(ctx, tx)
	if err != nil || len(all)+len(h.PublishedChannels) == 0 {
		return err
	}
	listings, err := entriesOf(ctx, tx, *h)
	if err != nil {
		return err
	}

	for _, c := range all {
		at := slices.IndexFunc(listings, func(l HullSyndication) bool { return l.ChannelID == c.ID })
		l := newListing(*h, c.ID)
		if at >= 0 {
			l = listings[at]
		} else if l.Wanted = c.AutoPublish; !l.Wanted {
			continue
		}
		before := l
		if !l.follow(*h, c, visible, tx.Now) {
			continue
		}
		if err := saveListing(ctx, tx, before, l); err != nil {
			return err
		}
		l.show(h)
	}

	h.PublishedChannels = slices.DeleteFunc(slices.Clone(h.PublishedChannels), func(id string) bool { // of a channel that was just deleted
		return !slices.ContainsFunc(all, func(c Channel) bool { return c.ID == id })
	})
	return nil
}

// show updates the hull's list of channels.
func (l HullSyndication) show(h *hulls.Hull) {
	others := slices.DeleteFunc(slices.Clone(h.PublishedChannels), func(id string) bool { return id == l.ChannelID })
	if l.Listed {
		others = append(others, l.ChannelID)
	}
	slices.Sort(others)
	h.PublishedChannels = others
}

// saveListing writes a listing and its event.
func saveListing(ctx context.Context, tx *db.Tx, before, l HullSyndication) error {
	if before.Revision == 0 {
		if err := db.Insert(ctx, tx, "hull_listings", l); err != nil {
			return err
		}
	} else {
		n, err := db.Update(ctx, tx, "hull_listings", &l, "env = ? AND channel_id = ? AND hull_id = ?", l.Env, l.ChannelID, l.HullID)
		if err := db.Changed(n, err); err != nil {
			return err
		}
	}

	event := l.event(before)
	if event == "" {
		return nil
	}
	return events.Emit(ctx, tx, event, l.HullID, events.Change{Before: before, After: l})
}

// changeListing changes one listing while its hull is locked. If the hull's list
// of channels changes, the hull has a new version.
func changeListing(
	ctx context.Context, tx *db.Tx, hullID, channelID string, edit func(hulls.Hull, *HullSyndication) error,
) (HullSyndication, error) {
	h, err := hulls.FindForUpdate(ctx, tx, hullID)
	if err != nil {
		return HullSyndication{}, err
	}

	l, err := listingOf(ctx, tx, h, channelID)
	if err != nil {
		return l, err
	}

	before, shown := l, h.PublishedChannels
	if err := edit(h, &l); err != nil {
		return l, err
	}
	if before == l {
		return l, nil
	}
	if err := saveListing(ctx, tx, before, l); err != nil {
		return l, err
	}
	if l.show(&h); slices.Equal(shown, h.PublishedChannels) {
		return l, nil
	}

	return l, hulls.SaveChannels(ctx, tx, &h)
}

// removeListing deletes the listing of a hull on a channel.
func removeListing(ctx context.Context, tx *db.Tx, hullID, channelID string) error {
	h, err := hulls.FindForUpdate(ctx, tx, hullID)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, tx, `DELETE FROM hull_listings WHERE env = ? AND channel_id = ? AND hull_id = ?`, tx.Env, channelID, hullID)
	if err != nil {
		return err
	}
	if !slices.Contains(h.PublishedChannels, channelID) {
		return nil
	}
	HullSyndication{ChannelID: channelID}.show(&h)
	return hulls.SaveChannels(ctx, tx, &h)
}
