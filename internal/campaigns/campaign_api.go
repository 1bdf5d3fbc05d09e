package campaigns

import (
	"cmp"
	"context"

	"slipway/internal/messages"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/page"
)

var (
	read  = auth.Require(auth.LeadsRead)
	write = auth.Require(auth.LeadsWrite)
)

// API serves the campaigns.
type API struct {
	DB       *db.DB
	Jobs     *jobs.Queue
	Messages *messages.API
}

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	p := r.Family(family.Campaigns).Preview("2026-11-19")
	a.mountSegments(p)
	rest.Get(p, rest.Route{
		Path: "/campaigns", ID: "listCampaigns", Needs: read, AllLocations: true,
		Summary: "List campaigns, newest first",
		Assist:  assist.Read,
	}, a.list)
	rest.PostCreated(p, rest.Route{
		Path: "/campaigns", ID: "createCampaign", Needs: write, AllLocations: true,
		Summary: "Create a campaign",
		Text:    "It is a draft and copies the filter of the segment and the text of the template. Look at its preview, and then start it.",
		Assist:  assist.Never(assist.Campaigns),
	}, a.create)
	rest.Get(p, rest.Route{
		Path: "/campaigns/{campaign_id}", ID: "getCampaign", Needs: read, AllLocations: true,
		Summary: "Retrieve a campaign",
		Assist:  assist.Read,
	}, a.get)
	rest.Patch(p, rest.Route{
		Path: "/campaigns/{campaign_id}", ID: "updateCampaign", Needs: write, AllLocations: true,
		Summary: "Update a draft of a campaign",
		Text:    "Send `segment_id` or `template_id` to copy the filter or the text again.",
		Assist:  assist.Never(assist.Campaigns),
	}, a.update)
	rest.Delete(p, rest.Route{
		Path: "/campaigns/{campaign_id}", ID: "deleteCampaign", Needs: write, AllLocations: true,
		Summary: "Delete a draft of a campaign",
		Text:    "A campaign that was started stays, with its results.",
		Assist:  assist.Never(assist.Deletes),
	}, a.delete)
	rest.Get(p, rest.Route{
		Path: "/campaigns/{campaign_id}/preview", ID: "previewCampaign", Needs: read, AllLocations: true, Heavy: true,
		Summary: "Count who would get a campaign, and who wouldn't and why",
		Text:    "Runs the send check for each contact of the segment. It sends and stores nothing. The check runs again when each message is sent, because the answer can change.",
		Assist:  assist.Read,
	}, a.getPreview)
	rest.PostOK(p, rest.Route{
		Path: "/campaigns/{campaign_id}/start", ID: "startCampaign", Needs: write, AllLocations: true,
		Summary: "Start a campaign, now or at a time",
		Text: "Each contact of the segment gets one message, if the send check allows marketing. A marketing text message requires consent with the basis `express_written`. " +
			"Recipients in quiet hours get it when those end. Contacts who got `settings.campaign_messages_per_week` marketing messages in the last seven days are left out. " +
			"The messages are handed to the provider a few at a time, so other messages don't wait.",
		Assist: assist.Never(assist.Campaigns),
	}, a.start)
	rest.PostOK(p, rest.Route{
		Path: "/campaigns/{campaign_id}/stop", ID: "stopCampaign", Needs: write, AllLocations: true,
		Summary: "Stop a campaign",
		Text:    "No more messages are sent, except those that the provider is getting at this moment.",
		Assist:  assist.Never(assist.Campaigns),
		Urgent:  true,
	}, a.stop)
	rest.Get(p, rest.Route{
		Path: "/campaigns/{campaign_id}/results", ID: "getCampaignResults", Needs: read, AllLocations: true,
		Summary: "Count the results of a campaign",
		Assist:  assist.Read,
	}, a.getResults)
	rest.Get(p, rest.Route{
		Path: "/campaigns/{campaign_id}/recipients", ID: "listCampaignRecipients", Needs: read, AllLocations: true,
		Summary: "List the recipients of a campaign with their results",
		Assist:  assist.Read,
	}, a.recipients)
}

// ByCampaign is the path parameter of a campaign.
type ByCampaign struct {
	CampaignID string `path:"campaign_id" example:"cmp_01jcqz8t5n8m2x4v6b7c9d0e1f" doc:"ID of the campaign."`
}

func (a *API) list(ctx context.Context, tx *db.Tx, in *CampaignFilter) (page.Page[Campaign], error) {
	return listCampaigns(ctx, tx, *in)
}

func (a *API) create(ctx context.Context, tx *db.Tx, in *struct{ Body CampaignCreate }) (Campaign, error) {
	c := Campaign{Name: in.Body.Name, Status: Draft}
	if err := choose(ctx, tx, &c, in.Body.SegmentID, in.Body.TemplateID); err != nil {
		return c, err
	}
	err := insertCampaign(ctx, tx, &c)
	return c, err
}

func (a *API) get(ctx context.Context, tx *db.Tx, in *ByCampaign) (Campaign, error) {
	return campaigns.Find(ctx, tx, in.CampaignID)
}

func (a *API) update(ctx context.Context, tx *db.Tx, in *struct {
	ByCampaign
	Body CampaignPatch
}) (Campaign, error) {
	return rest.Change(ctx, tx, campaigns.FindForUpdate, in.CampaignID, func(before Campaign, c *Campaign) error {
		if err := c.isDraft(); err != nil {
			return err
		}
		in.Body.Name.To(&c.Name)
		if in.Body.SegmentID.Set || in.Body.TemplateID.Set {
			if err := choose(ctx, tx, c, cmp.Or(in.Body.SegmentID.V, c.SegmentID), cmp.Or(in.Body.TemplateID.V, c.TemplateID)); err != nil {
				return err
			}
		}
		return save(ctx, tx, before, c, "campaign.updated")
	})
}

func (a *API) delete(ctx context.Context, tx *db.Tx, in *ByCampaign) (none rest.None, err error) {
	_, err = rest.Change(ctx, tx, campaigns.FindForUpdate, in.CampaignID, func(c Campaign, _ *Campaign) error {
		if err := c.isDraft(); err != nil {
			return err
		}
		return deleteCampaign(ctx, tx, c)
	})
	return none, err
}

func (a *API) getPreview(ctx context.Context, tx *db.Tx, in *ByCampaign) (CampaignAudience, error) {
	c, err := campaigns.Find(ctx, tx, in.CampaignID)
	if err != nil {
		return CampaignAudience{}, err
	}
	return a.preview(ctx, tx, c)
}

func (a *API) start(ctx context.Context, tx *db.Tx, in *struct {
	ByCampaign
	Body CampaignStart
}) (Campaign, error) {
	return rest.Change(ctx, tx, campaigns.FindForUpdate, in.CampaignID, func(before Campaign, c *Campaign) error {
		if err := c.start(in.Body, auth.From(ctx).Actor, tx.Now); err != nil {
			return err
		}
		if err := save(ctx, tx, before, c, "campaign.updated"); err != nil {
			return err
		}
		return a.Jobs.Enqueue(ctx, tx, RunCampaign{tx.Env, c.ID, c.Turn}, *c.SendAt)
	})
}

func (a *API) stop(ctx context.Context, tx *db.Tx, in *ByCampaign) (Campaign, error) {
	return rest.Change(ctx, tx, campaigns.FindForUpdate, in.CampaignID, func(before Campaign, c *Campaign) error {
		if err := c.stop(tx.Now); err != nil {
			return err
		}
		if err := halt(ctx, tx, c.ID); err != nil {
			return err
		}
		if err := messages.WithdrawCampaign(ctx, tx, c.ID); err != nil {
			return err
		}
		return save(ctx, tx, before, c, "campaign.stopped")
	})
}

func (a *API) getResults(ctx context.Context, tx *db.Tx, in *ByCampaign) (CampaignResults, error) {
	c, err := campaigns.Find(ctx, tx, in.CampaignID)
	if err != nil {
		return CampaignResults{}, err
	}
	return results(ctx, tx, c)
}

func (a *API) recipients(ctx context.Context, tx *db.Tx, in *struct {
	ByCampaign
	RecipientFilter
}) (page.Page[CampaignRecipient], error) {
	if _, err := campaigns.Find(ctx, tx, in.CampaignID); err != nil {
		return page.Page[CampaignRecipient]{}, err
	}
	return listRecipients(ctx, tx, in.CampaignID, in.RecipientFilter)
}
