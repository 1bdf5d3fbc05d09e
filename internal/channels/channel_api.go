package channels

import (
	"context"
	"net/http"

	"slipway/internal/hulls"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/outbound"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

var (
	read  = auth.Require(auth.HullsRead)
	write = auth.Require(auth.HullsWrite)
)

// API serves the channels and what they list.
type API struct {
	DB       *db.DB
	Jobs     *jobs.Queue
	Partners *http.Client // sends listings to partners
}

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	r = r.Family("Hulls")
	rest.Get(r, "/hulls/{hull_id}/syndication", "listHullSyndication", read, "List syndication state by channel", a.listSyndication,
		rest.Describe("Returns one entry for each channel of the dealership, also for channels that don't list the hull."))
	rest.Put(r, "/hulls/{hull_id}/syndication/{channel_id}", "publishHull", write, "Publish a hull to a channel", a.publish,
		rest.Describe("On a channel without `push_url`, the hull is in the feed immediately. Otherwise it is `queued`, and the listing is sent to the partner. The response of the partner sets the state. Later changes of the hull are sent too. A hull that is no longer available, on_hold or sale_pending, or no longer matches the filter, is withdrawn until it does again."))
	rest.DeleteOK(r, "/hulls/{hull_id}/syndication/{channel_id}", "withdrawHull", write, "Withdraw a hull from a channel", a.withdraw,
		rest.Describe("If a partner lists the hull, it is `queued` until the partner has removed it. A channel with `auto_publish` doesn't publish a withdrawn hull again."))
	rest.Get(r, "/channels", "listChannels", read, "List syndication channels", a.listChannels,
		rest.Describe("Returns the marketplaces and websites that your hulls can be published on."))
	rest.PostCreated(r, "/channels", "createChannel", write, "Add a syndication channel", a.createChannel,
		rest.Describe("With `auto_publish`, all hulls that match the filter are published in the background, and new hulls when they are added."))
	rest.Delete(r, "/channels/{channel_id}", "deleteChannel", write, "Remove a syndication channel", a.deleteChannel,
		rest.Describe("The feed stops immediately. The partner is not notified. To remove the listings there, withdraw the hulls first."))
	rest.Raw(r, "GET", 200, "/channels/{channel_id}/feed", "getChannelFeed", read,
		"Render the channel's listing feed (JSON, XML or CSV)", a.feed,
		rest.Describe("All hulls that the channel lists, in the format of the channel: schema.org JSON-LD, XML or CSV. CSV cells are escaped so that spreadsheets don't run them as formulas. Unknown values are omitted."),
		rest.Produces("application/ld+json", "application/xml", "text/csv"))

	rest.Patch(r.Preview("2026-11-16"), "/channels/{channel_id}", "updateChannel", write, "Change a channel", a.updateChannel,
		rest.Describe("A JSON merge patch. Hulls that no longer match the filter are withdrawn in the background. Listings keep their IDs at the partner."))
}

// ByChannel is the path parameter of a channel.
type ByChannel struct {
	ChannelID string `path:"channel_id" doc:"ID of the channel." example:"chn_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

// ByListing is the path parameters of a hull and a channel.
type ByListing struct {
	hulls.ByHull
	ByChannel
}

func (a *API) listChannels(ctx context.Context, tx *db.Tx, in *struct{ page.Query }) (page.Page[Channel], error) {
	return channels.List(ctx, tx, in.Query, nil)
}

func (a *API) createChannel(ctx context.Context, tx *db.Tx, in *struct{ Body ChannelCreate }) (Channel, error) {
	c := in.Body.channel()
	if err := in.Body.Check(tx.Now); err != nil {
		return c, err
	}
	if err := c.checkURL(ctx); err != nil {
		return c, err
	}
	if err := insertChannel(ctx, tx, &c); err != nil {
		return c, err
	}
	if c.AutoPublish {
		if err := a.Jobs.Enqueue(ctx, tx, FillChannel{Env: tx.Env, ChannelID: c.ID}, tx.Now); err != nil {
			return c, err
		}
	}

	return c, events.Emit(ctx, tx, "channel.created", c.ID, nil, c)
}

// checkURL fails if listings can't be sent to the URL.
func (c Channel) checkURL(ctx context.Context) error {
	var bad fault.Fields
	if c.PushURL != nil {
		outbound.CheckURL(&bad, "push_url", *c.PushURL, auth.From(ctx).Mode == auth.Live)
	}
	return bad.Err()
}

// updateChannel changes a channel. Its listings keep their IDs at the partner.
func (a *API) updateChannel(ctx context.Context, tx *db.Tx, in *struct {
	ByChannel
	Body ChannelPatch
}) (Channel, error) {
	return rest.Change(ctx, tx, channels.FindForUpdate, in.ChannelID, func(before Channel, c *Channel) error {
		in.Body.apply(c)
		if err := in.Body.Check(tx.Now); err != nil {
			return err
		}
		if err := c.checkURL(ctx); err != nil {
			return err
		}
		if err := checkLocations(ctx, tx, *c); err != nil {
			return err
		}
		if err := channels.Save(ctx, tx, c); err != nil {
			return err
		}
		job := FillChannel{Env: tx.Env, ChannelID: c.ID, Resend: in.Body.PushURL.Set && !same(before.PushURL, c.PushURL)}
		if err := a.Jobs.Enqueue(ctx, tx, job, tx.Now); err != nil {
			return err
		}
		return events.Emit(ctx, tx, "channel.updated", c.ID, before, *c)
	})
}

func same(a, b *string) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

func (a *API) deleteChannel(ctx context.Context, tx *db.Tx, in *ByChannel) (none rest.None, err error) {
	c, err := channels.Find(ctx, tx, in.ChannelID)
	if err != nil {
		return none, err
	}
	if err := rest.CheckIfMatch(ctx, c.Version); err != nil {
		return none, err
	}
	if err := channels.Delete(ctx, tx, c.ID); err != nil {
		return none, err
	}
	if err := a.Jobs.Enqueue(ctx, tx, ClearChannel{tx.Env, c.ID}, tx.Now); err != nil {
		return none, err
	}
	return none, events.Emit(ctx, tx, "channel.deleted", c.ID, nil, c)
}

func (a *API) listSyndication(ctx context.Context, tx *db.Tx, in *struct {
	hulls.ByHull
	page.Query
}) (page.Page[HullSyndication], error) {
	h, err := hulls.Find(ctx, tx, in.HullID)
	if err != nil {
		return page.Page[HullSyndication]{}, err
	}
	return listListings(ctx, tx, h, in.Query)
}

func (a *API) publish(ctx context.Context, tx *db.Tx, in *ByListing) (HullSyndication, error) {
	return a.changeListing(ctx, tx, in, func(c Channel, h hulls.Hull, l *HullSyndication) error {
		if field, why := c.rejects(h); field != "" {
			return fault.Conflict("The channel can't list this hull. Its %s %s.", field, why).Detail(field, "state", "%s", why)
		}
		l.Wanted = true
		l.follow(h, c, l.State == rejected, tx.Now)
		return nil
	})
}

func (a *API) withdraw(ctx context.Context, tx *db.Tx, in *ByListing) (HullSyndication, error) {
	return a.changeListing(ctx, tx, in, func(c Channel, h hulls.Hull, l *HullSyndication) error {
		l.Wanted = false
		if !l.follow(h, c, false, tx.Now) && l.Revision == 0 {
			l.turn(tx.Now) // stored, so that it is not published automatically
			l.drop(tx.Now)
		}
		return nil
	})
}

// changeListing changes a listing and starts the job that sends it to the
// partner.
func (a *API) changeListing(
	ctx context.Context, tx *db.Tx, in *ByListing, edit func(c Channel, h hulls.Hull, l *HullSyndication) error,
) (HullSyndication, error) {
	h, err := hulls.Find(ctx, tx, in.HullID)
	if err != nil {
		return HullSyndication{}, err
	}

	if err := rest.CheckIfMatch(ctx, h.Version); err != nil {
		return HullSyndication{}, err
	}

	c, err := channels.Find(ctx, tx, in.ChannelID)
	if err != nil {
		return HullSyndication{}, err
	}

	l, err := changeListing(ctx, tx, in.HullID, c.ID, func(h hulls.Hull, l *HullSyndication) error {
		return edit(c, h, l)
	})
	if err == nil && l.State == queued {
		err = a.Jobs.Enqueue(ctx, tx, PushDue{}, tx.Now)
	}

	return l, err
}
