package channels

import (
	"context"
	"net/http"

	"slipway/internal/hulls"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/ratelimit"
	"slipway/internal/platform/rest"
	"slipway/internal/platform/seal"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/patch"
	"slipway/internal/vocab/signature"
)

var (
	read  = auth.Require(auth.HullsRead)
	write = auth.Require(auth.HullsWrite)
)

// API serves the channels and what they list.
type API struct {
	DB       *db.DB
	Jobs     *jobs.Queue
	Box      *seal.Box
	Partners *http.Client       // sends listings to partners
	Feeds    *ratelimit.Limiter // of requests to feed URLs
}

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	links := r.Family(family.Links)
	r = r.Family(family.Hulls)
	rest.Get(r, rest.Route{
		Path: "/hulls/{hull_id}/syndication", ID: "listHullSyndication", Needs: read,
		Summary: "List syndication state by channel",
		Text:    "Returns one entry for each channel of the dealership, also for channels that don't list the hull.",
		Assist:  assist.Read,
	}, a.listSyndication)
	rest.Put(r, rest.Route{
		Path: "/hulls/{hull_id}/syndication/{channel_id}", ID: "publishHull", Needs: write,
		Summary: "Publish a hull to a channel",
		Text:    "On a channel without `push_url`, the hull is in the feed immediately. Otherwise it is `queued`, and the listing is sent to the partner. The response of the partner sets the state. Later changes of the hull are sent too. A hull that is no longer available, on_hold or sale_pending, or no longer matches the filter, is withdrawn until it does again.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(publishEffect),
	}, a.publish)
	rest.DeleteOK(r, rest.Route{
		Path: "/hulls/{hull_id}/syndication/{channel_id}", ID: "withdrawHull", Needs: write,
		Summary: "Withdraw a hull from a channel",
		Text:    "If a partner lists the hull, it is `queued` until the partner has removed it. A channel with `auto_publish` doesn't publish a withdrawn hull again.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(withdrawEffect),
	}, a.withdraw)
	rest.Get(r, rest.Route{
		Path: "/channels", ID: "listChannels", Needs: read,
		Summary: "List syndication channels",
		Text:    "Returns the marketplaces and websites that your hulls can be published on.",
		Assist:  assist.Read,
	}, a.listChannels)
	rest.PostCreated(r, rest.Route{
		Path: "/channels", ID: "createChannel", Needs: write, AllLocations: true,
		Summary: "Add a syndication channel",
		Text:    "With `auto_publish`, all hulls that match the filter are published in the background, and new hulls when they are added. The secrets `feed_url` and `signing_secret` are only in this response.",
		Assist:  assist.Never(assist.Credentials),
	}, a.createChannel)
	rest.Delete(r, rest.Route{
		Path: "/channels/{channel_id}", ID: "deleteChannel", Needs: write, AllLocations: true,
		Summary: "Remove a syndication channel",
		Text:    "The feed stops immediately. The partner is not notified. To remove the listings there, withdraw the hulls first.",
		Assist:  assist.Never(assist.Credentials),
	}, a.deleteChannel)
	rest.Raw(r, "GET", 200, rest.Route{
		Path: "/channels/{channel_id}/feed", ID: "getChannelFeed", Needs: read, AllLocations: true,
		Summary:  "Render the channel's listing feed (JSON, XML or CSV)",
		Text:     "All hulls that the channel lists, in the format of the channel: schema.org JSON-LD, XML or CSV. CSV cells are escaped so that spreadsheets don't run them as formulas. Unknown values are omitted. Marketplaces that can't send an API key read the same feed at `feed_url`.",
		Assist:   assist.Never(assist.Files),
		Produces: []string{"application/ld+json", "application/xml", "text/csv"},
	}, a.feed)

	a.mountRules(r.Preview("2026-11-19"))
	p := r.Preview("2026-11-16")
	rest.Patch(p, rest.Route{
		Path: "/channels/{channel_id}", ID: "updateChannel", Needs: write, AllLocations: true,
		Summary: "Change a channel",
		Text:    "A JSON merge patch. Hulls that no longer match the filter are withdrawn in the background. Listings keep their IDs at the partner. If the channel had no `push_url`, the response has its `signing_secret`.",
		Assist:  assist.Never(assist.Credentials),
	}, a.updateChannel)
	rest.PostOK(p, rest.Route{
		Path: "/channels/{channel_id}/rotate_feed_url", ID: "rotateChannelFeedUrl", Needs: write, AllLocations: true,
		Summary: "Create or replace the feed URL",
		Text:    "Returns the channel with a new secret `feed_url`. It is only in this response. The earlier URL stops working immediately.",
		Assist:  assist.Never(assist.Credentials),
	}, a.rotateFeedURL)
	rest.PostOK(p, rest.Route{
		Path: "/channels/{channel_id}/revoke_feed_url", ID: "revokeChannelFeedUrl", Needs: write, AllLocations: true,
		Summary: "Revoke the feed URL",
		Text:    "The URL stops working immediately. The feed can still be read with an API key.",
		Assist:  assist.Never(assist.Credentials),
	}, a.revokeFeedURL)
	rest.PostOK(p, rest.Route{
		Path: "/channels/{channel_id}/rotate_secret", ID: "rotateChannelSecret", Needs: write, AllLocations: true,
		Summary: "Create or rotate the signing secret",
		Text:    "Returns the channel with a new `signing_secret`. It is only in this response. Listings are signed with the old and the new secret until the overlap ends.",
		Assist:  assist.Never(assist.Credentials),
	}, a.rotateSecret)
	rest.Public(links, http.MethodGet, http.StatusOK, rest.Route{
		Path: feedPath + "{token}", ID: "getFeed",
		Summary:  "Read the feed of a channel",
		Text:     "The `feed_url` of a channel. It contains the same as `GET /v1/channels/{channel_id}/feed`, without an API key. A feed URL can be read 30 times in a row, and then once in ten seconds.",
		Produces: []string{"application/ld+json", "application/xml", "text/csv"},
	}, a.publicFeed)
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
	c.CreatedBy = auth.From(ctx).Actor
	if err := in.Body.Check(tx.Now); err != nil {
		return c, err
	}
	if err := c.check(auth.From(ctx).Mode == auth.Live); err != nil {
		return c, err
	}

	channels.Stamp(tx, &c) // the secrets are bound to the ID
	credential := patch.Null[string]{Set: in.Body.Credential != nil, V: in.Body.Credential}
	signingSecret, err := a.changeSecrets(tx, Channel{}, &c, credential)
	if err != nil {
		return c, err
	}
	feedURL := c.newFeedURL(tx)
	if err := insertChannel(ctx, tx, &c); err != nil {
		return c, err
	}
	if c.AutoPublish {
		if err := a.Jobs.Enqueue(ctx, tx, FillChannel{Env: tx.Env, ChannelID: c.ID}, tx.Now); err != nil {
			return c, err
		}
	}

	err = events.Emit(ctx, tx, "channel.created", c.ID, events.Change{After: c})
	c.FeedURL, c.SigningSecret = &feedURL, signingSecret // not in the event
	return c, err
}

// changeSecrets changes the secrets together with a channel. It returns a new signing
// secret if the channel starts to send listings.
func (a *API) changeSecrets(tx *db.Tx, before Channel, c *Channel, credential patch.Null[string]) (created *string, err error) {
	s, err := c.openSecrets(a.Box)
	if err != nil {
		return nil, err
	}
	if created, err = s.apply(before, c, credential, tx.Now); err != nil {
		return nil, err
	}
	return created, c.sealSecrets(a.Box, s)
}

// updateChannel changes a channel. Its listings keep their IDs at the partner.
func (a *API) updateChannel(ctx context.Context, tx *db.Tx, in *struct {
	ByChannel
	Body ChannelPatch
}) (Channel, error) {
	var signingSecret *string
	c, err := rest.Change(ctx, tx, channels.FindForUpdate, in.ChannelID, func(before Channel, c *Channel) (err error) {
		in.Body.apply(c)
		if err := in.Body.Check(tx.Now); err != nil {
			return err
		}
		if err := c.check(auth.From(ctx).Mode == auth.Live); err != nil {
			return err
		}
		if err := checkLocations(ctx, tx, *c); err != nil {
			return err
		}
		if null.Text(c.PushURL) != null.Text(before.PushURL) {
			c.CreatedBy = auth.From(ctx).Actor // it acts for the caller from now on
		}
		signingSecret, err = a.save(ctx, tx, before, c, in.Body.Credential)
		return err
	})
	c.SigningSecret = signingSecret
	return c, err
}

// ChannelRotate is the request to rotate the signing secret of a channel.
type ChannelRotate struct {
	_ struct{} `doc:"How long the old signing secret of a channel is still used."`

	OverlapHours *int64 `json:"overlap_hours" required:"false" minimum:"0" maximum:"168" doc:"Hours until the old secret expires. Defaults to 168 (7 days). If 0, it expires immediately."`
}

func (a *API) rotateSecret(ctx context.Context, tx *db.Tx, in *struct {
	ByChannel
	Body *ChannelRotate
}) (Channel, error) {
	var hours *int64
	if in.Body != nil {
		hours = in.Body.OverlapHours
	}

	var created string
	c, err := changeSecret(ctx, tx, in.ChannelID, "channel.secret_rotated", func(c *Channel) error {
		s, err := c.openSecrets(a.Box)
		if err != nil {
			return err
		}
		s.Signing = signature.Rotate(s.Signing, tx.Now, signature.Overlap(hours))
		created = s.Signing[0].Text()
		return c.sealSecrets(a.Box, s)
	})
	c.SigningSecret = &created
	return c, err
}

// changeSecret changes and saves a secret of a channel.
func changeSecret(ctx context.Context, tx *db.Tx, id, event string, edit func(*Channel) error) (Channel, error) {
	return rest.Change(ctx, tx, channels.FindForUpdate, id, func(before Channel, c *Channel) error {
		if err := edit(c); err != nil {
			return err
		}
		if err := channels.Save(ctx, tx, c); err != nil {
			return err
		}
		return events.Emit(ctx, tx, event, c.ID, events.Change{Before: before, After: *c})
	})
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
	return none, events.Emit(ctx, tx, "channel.deleted", c.ID, events.Change{After: c})
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
