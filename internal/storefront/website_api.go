package storefront

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"slipway/internal/appointments"
	"slipway/internal/channels"
	"slipway/internal/dealership"
	"slipway/internal/messages"
	"slipway/internal/platform/db"
	"slipway/internal/platform/front"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/mail"
	"slipway/internal/platform/ratelimit"
	"slipway/internal/platform/rest"
	"slipway/internal/platform/site"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/fault"
)

var (
	read  = auth.Require(auth.HullsRead)
	write = auth.Require(auth.HullsWrite)
)

// API serves the websites and their settings.
type API struct {
	DB       *db.DB
	Jobs     *jobs.Queue
	Mail     mail.Sender
	MailFrom string
	Log      *slog.Logger
	Limits   *ratelimit.Limiter // of forms, by network

	Appointments *appointments.API
	Messages     *messages.API

	counts *sync.Map // of the filters, by channel; see groups
}

// New returns the feature.
func New(a API) API {
	a.counts = &sync.Map{}
	return a
}

// bots checks the forms.
func (a *API) bots() front.Bots {
	return front.Bots{MAC: site.Of(a.DB).MAC, Now: a.DB.Now, Limits: a.Limits}
}

// maxForm is the largest form: what people write, without photos.
const maxForm = 64 << 10

// Mount registers the endpoints and the pages.
func (a *API) Mount(r *rest.Router) {
	r.Handle(front.AssetPath+"*", front.Assets())
	r.Handle("/robots.txt", a.robots())
	r.HandleProtocol(Path, maxForm, a.pages())

	p := r.Family(family.Hulls).Preview("2026-11-19")
	rest.Get(p, rest.Route{
		Path: "/channels/{channel_id}/website", ID: "getChannelWebsite", Needs: read,
		Summary: "Retrieve the website of a channel",
		Text:    "Returns the address and the settings of the public pages.",
		Assist:  assist.Read,
	}, a.get)
	rest.Put(p, rest.Route{
		Path: "/channels/{channel_id}/website", ID: "replaceChannelWebsite", Needs: write, AllLocations: true,
		Summary: "Create or replace the website of a channel",
		Text: "The channel must have the kind `website`. The pages show the boats that it lists: a list with filters, a page per boat and a form that creates leads. " +
			"To let feeds and email link to them, set `listing_url` of the channel to the address of the website with `boats/{hull_id}`.",
		Assist: assist.Never(assist.Settings),
	}, a.replace)
	rest.Delete(p, rest.Route{
		Path: "/channels/{channel_id}/website", ID: "deleteChannelWebsite", Needs: write, AllLocations: true,
		Summary: "Remove the website of a channel",
		Text:    "The pages stop immediately. The channel and its feed stay.",
		Assist:  assist.Never(assist.Settings),
	}, a.delete)
}

func (a *API) get(ctx context.Context, tx *db.Tx, in *channels.ByChannel) (ChannelWebsite, error) {
	if _, err := channels.Find(ctx, tx, in.ChannelID); err != nil {
		return ChannelWebsite{}, err
	}
	return websites.Find(ctx, tx, in.ChannelID)
}

func (a *API) replace(ctx context.Context, tx *db.Tx, in *struct {
	channels.ByChannel
	Body ChannelWebsiteReplace
}) (ChannelWebsite, error) {
	c, err := channels.Find(ctx, tx, in.ChannelID)
	if err != nil {
		return ChannelWebsite{}, err
	}
	if err := in.Body.Check(tx.Now); err != nil {
		return ChannelWebsite{}, err
	}
	if c.Kind != channels.Website {
		return ChannelWebsite{}, fault.Conflict("The channel has the kind %s. Only a channel of the kind website can have pages.", c.Kind).
			Detail("kind", "state", "must be website")
	}
	d, err := dealership.Find(ctx, tx)
	if err != nil {
		return ChannelWebsite{}, err
	}

	w, err := websites.Find(ctx, tx, c.ID)
	if fault.KindOf(err) == fault.KindNotFound {
		w, err = ChannelWebsite{ChannelID: c.ID, Env: tx.Env}, nil
	}
	if err != nil {
		return w, err
	}
	if err := rest.CheckIfMatch(ctx, w.Version); err != nil {
		return w, err
	}
	before := w
	in.Body.apply(&w, today(tx.Now, d.Timezone))
	return w, saveWebsite(ctx, tx, before, &w)
}

// today returns the date in a time zone.
func today(now time.Time, zone string) string { return now.In(zoneNamed(zone)).Format(time.DateOnly) }

func (a *API) delete(ctx context.Context, tx *db.Tx, in *channels.ByChannel) (none rest.None, err error) {
	w, err := websites.Find(ctx, tx, in.ChannelID)
	if err != nil {
		return none, err
	}
	if err := rest.CheckIfMatch(ctx, w.Version); err != nil {
		return none, err
	}
	return none, removeWebsite(ctx, tx, w)
}
