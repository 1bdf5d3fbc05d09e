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

func findChannel(ctx context.Context, tx *db.Tx, id string) (Channel, error) {
	c, err := db.One[Channel](ctx, tx, `SELECT {cols} FROM channels WHERE env = ? AND id = ?`, tx.Env, id)
	if db.IsNoRows(err) {
		return c, fault.NotFound("channel", id)
	}
	return c, err
}

func channelsOf(ctx context.Context, tx *db.Tx) ([]Channel, error) {
	return db.All[Channel](ctx, tx, `SELECT {cols} FROM channels WHERE env = ? ORDER BY id`, tx.Env)
}

func insertChannel(ctx context.Context, tx *db.Tx, c *Channel) error {
	var bad fault.Fields
	for _, id := range c.Filter.LocationIDs {
		_, err := dealership.FindLocation(ctx, tx, id)
		if err := addNotFound(&bad, "filter.location_ids", err); err != nil {
			return err
		}
	}
	if err := bad.Err(); err != nil {
		return err
	}
	n, err := db.One[int64](ctx, tx, `SELECT COUNT(*) FROM channels WHERE env = ?`, tx.Env)
	if err != nil {
		return err
	}
	if n >= maxChannels {
		return fault.Conflict("There are %d channels already, and no more are possible.", maxChannels).Detail("channels", "too_many", "are at most %d", maxChannels)
	}
	c.Env, c.ID, c.Version, c.CreatedAt, c.UpdatedAt, c.PushAfter = tx.Env, tx.NewID("chn"), 1, tx.Now, tx.Now, tx.Now
	return db.Insert(ctx, tx, "channels", *c)
}

func removeChannel(ctx context.Context, tx *db.Tx, c Channel) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM channels WHERE env = ? AND id = ?`, c.Env, c.ID)
	return err
}

// listingOf is how a hull stands on a channel, also if nobody asked for it yet.
func listingOf(ctx context.Context, tx *db.Tx, h hulls.Hull, channelID string) (HullSyndication, error) {
	l, err := db.One[HullSyndication](ctx, tx, `SELECT {cols} FROM hull_listings WHERE env = ? AND channel_id = ? AND hull_id = ?`, h.Env, channelID, h.ID)
	if db.IsNoRows(err) {
		return newListing(h, channelID), nil
	}
	return l, err
}

func newListing(h hulls.Hull, channelID string) HullSyndication {
	return HullSyndication{Env: h.Env, HullID: h.ID, ChannelID: channelID, State: notListed}
}

// listListings is a page of how a hull stands on all channels.
func listListings(ctx context.Context, tx *db.Tx, h hulls.Hull, q page.Query) (page.Page[HullSyndication], error) {
	if err := q.Check("chn"); err != nil {
		return page.Page[HullSyndication]{}, err
	}
	w := &db.Where{}
	w.And("env = ?", h.Env)
	channels, err := db.List[Channel](ctx, tx, db.From("channels"), q, w)
	out := page.Page[HullSyndication]{Data: []HullSyndication{}, HasMore: channels.HasMore, NextCursor: channels.NextCursor, PrevCursor: channels.PrevCursor}
	if err != nil {
		return out, err
	}
	known, err := db.All[HullSyndication](ctx, tx, `SELECT {cols} FROM hull_listings WHERE env = ? AND hull_id = ?`, h.Env, h.ID)
	for _, c := range channels.Data {
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
	channels, err := channelsOf(ctx, tx)
	if err != nil {
		return nil, err
	}

	var listings []HullSyndication
	for _, h := range added {
		for _, c := range channels {
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
			if err := events.Emit(ctx, tx, l.event(before), l.HullID, before, l); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// follow updates the listings of a hull that was written and is locked.
func follow(ctx context.Context, tx *db.Tx, h *hulls.Hull, visible bool) error {
	channels, err := channelsOf(ctx, tx)
	if err != nil || len(channels)+len(h.PublishedChannels) == 0 {
		return err
	}
	listings, err := db.All[HullSyndication](ctx, tx, `SELECT {cols} FROM hull_listings WHERE env = ? AND hull_id = ?`, h.Env, h.ID)
	if err != nil {
		return err
	}

	for _, c := range channels {
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
		return !slices.ContainsFunc(channels, func(c Channel) bool { return c.ID == id })
	})
	return nil
}

// show keeps the hull's own list of the channels that list it.
func (l HullSyndication) show(h *hulls.Hull) {
	others := slices.DeleteFunc(slices.Clone(h.PublishedChannels), func(id string) bool { return id == l.ChannelID })
	if l.Listed {
		others = append(others, l.ChannelID)
	}
	slices.Sort(others)
	h.PublishedChannels = others
}

// saveListing writes a listing, and tells what happened to it.
func saveListing(ctx context.Context, tx *db.Tx, before, l HullSyndication) error {
	if before.Revision == 0 {
		if err := db.Insert(ctx, tx, "hull_listings", l); err != nil {
			return err
		}
	} else if err := db.Changed(db.Update(ctx, tx, "hull_listings", &l, "env = ? AND channel_id = ? AND hull_id = ?", l.Env, l.ChannelID, l.HullID)); err != nil {
		return err
	}
	event := l.event(before)
	if event == "" {
		return nil
	}
	return events.Emit(ctx, tx, event, l.HullID, before, l)
}

// changeListing is how one listing is changed: under a lock on its hull, whose
// list of channels follows and counts as a change of the hull.
func changeListing(ctx context.Context, tx *db.Tx, hullID, channelID string, edit func(hulls.Hull, *HullSyndication) error) (HullSyndication, error) {
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

// removeListing forgets how a hull stood on a channel.
func removeListing(ctx context.Context, tx *db.Tx, hullID, channelID string) error {
	h, err := hulls.FindForUpdate(ctx, tx, hullID)
	if err != nil {
		return err
	}
	if _, err := db.Exec(ctx, tx, `DELETE FROM hull_listings WHERE env = ? AND channel_id = ? AND hull_id = ?`, tx.Env, channelID, hullID); err != nil {
		return err
	}
	if !slices.Contains(h.PublishedChannels, channelID) {
		return nil
	}
	HullSyndication{ChannelID: channelID}.show(&h)
	return hulls.SaveChannels(ctx, tx, &h)
}

// addNotFound turns a "not found" error into a detail of the field that refers
// to the resource. It returns other errors.
func addNotFound(bad *fault.Fields, field string, err error) error {
	if fault.KindOf(err) == fault.KindNotFound {
		bad.Add(field, "not_found", "does not exist")
		return nil
	}
	return err
}
