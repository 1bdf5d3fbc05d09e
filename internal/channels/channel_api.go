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
	read  = auth.Need(auth.HullsRead)
	write = auth.Need(auth.HullsWrite)
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
	rest.Get(r, "/hulls/{hull_id}/syndication", "listHullSyndication", read, "List syndication state by channel", a.listSyndication)
	rest.Put(r, "/hulls/{hull_id}/syndication/{channel_id}", "publishHull", write, "Publish a hull to a channel", a.publish,
		rest.Describe("On a channel without `push_url` the hull is in the feed at once. Otherwise it is `queued`: the listing is sent to the partner, whose answer becomes the state. From then on the listing follows the hull: changes are told, and a hull that leaves available, on_hold and sale_pending, or the channel's filter, is withdrawn until it comes back."))
	rest.DeleteOK(r, "/hulls/{hull_id}/syndication/{channel_id}", "withdrawHull", write, "Withdraw a hull from a channel", a.withdraw,
		rest.Describe("Where a partner lists the hull, it stays `queued` until the partner has taken it off. An auto-publishing channel leaves a hull alone that was withdrawn by hand."))
	rest.Get(r, "/channels", "listChannels", read, "List syndication channels", a.listChannels)
	rest.PostCreated(r, "/channels", "createChannel", write, "Add a syndication channel", a.createChannel,
		rest.Describe("With `auto_publish`, the hulls that pass the filter are published in the background, and new ones as they come."),
		rest.Example(`{"name": "Our website", "kind": "website", "format": "json", "filter": {"conditions": ["new", "demo"], "price_min": 10000}, "auto_publish": true}`))
	rest.Delete(r, "/channels/{channel_id}", "deleteChannel", write, "Remove a syndication channel", a.deleteChannel,
		rest.Describe("Its feed ends at once. A partner is not told: withdraw the hulls first if they should disappear there."))
	rest.Raw(r, "GET", 200, "/channels/{channel_id}/feed", "getChannelFeed", read, "Render the channel's listing feed (JSON, XML or CSV)", a.feed,
		rest.Describe("Every hull that the channel lists, in the channel's format: schema.org JSON-LD, XML, or CSV whose cells no spreadsheet takes for formulas. What is unknown is left out."),
		rest.Produces("application/ld+json", "application/xml", "text/csv"))
}

// ByChannel names a channel.
type ByChannel struct {
	ChannelID string `path:"channel_id" example:"chn_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

// ByListing names a hull and a channel.
type ByListing struct {
	hulls.ByHull
	ByChannel
}

func (a *API) listChannels(ctx context.Context, tx *db.Tx, in *struct{ page.Query }) (page.Page[Channel], error) {
	if err := in.Query.Check("chn"); err != nil {
		return page.Page[Channel]{}, err
	}
	w := &db.Where{}
	w.And("env = ?", tx.Env)
	return db.List[Channel](ctx, tx, db.From("channels"), in.Query, w)
}

func (a *API) createChannel(ctx context.Context, tx *db.Tx, in *struct{ Body ChannelCreate }) (Channel, error) {
	c := in.Body.channel()
	if err := in.Body.Check(tx.Now); err != nil {
		return c, err
	}
	if c.PushURL != nil {
		var bad fault.Fields
		outbound.CheckURL(&bad, "push_url", *c.PushURL, auth.From(ctx).Mode == auth.Live)
		if err := bad.Err(); err != nil {
			return c, err
		}
	}
	if err := insertChannel(ctx, tx, &c); err != nil {
		return c, err
	}
	if c.AutoPublish {
		if err := a.Jobs.Enqueue(ctx, tx, FillChannel{tx.Env, c.ID}, tx.Now); err != nil {
			return c, err
		}
	}
	return c, events.Emit(ctx, tx, "channel.created", c.ID, nil, c)
}

func (a *API) deleteChannel(ctx context.Context, tx *db.Tx, in *ByChannel) (none rest.None, err error) {
	c, err := findChannel(ctx, tx, in.ChannelID)
	if err != nil {
		return none, err
	}
	if err := rest.CheckIfMatch(ctx, c.Version); err != nil {
		return none, err
	}
	if err := removeChannel(ctx, tx, c); err != nil {
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
		if field, why := c.refuses(h); field != "" {
			return fault.Conflict("The channel cannot list this hull: its %s %s.", field, why).Detail(field, "state", "%s", why)
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
			l.turn(tx.Now) // kept, so that nothing publishes it by itself
			l.drop(tx.Now)
		}
		return nil
	})
}

// changeListing does what the dealer asks for, and wakes the job that tells
// partners.
func (a *API) changeListing(ctx context.Context, tx *db.Tx, in *ByListing, edit func(c Channel, h hulls.Hull, l *HullSyndication) error) (HullSyndication, error) {
	h, err := hulls.Find(ctx, tx, in.HullID)
	if err != nil {
		return HullSyndication{}, err
	}
	if err := rest.CheckIfMatch(ctx, h.Version); err != nil {
		return HullSyndication{}, err
	}
	c, err := findChannel(ctx, tx, in.ChannelID)
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
