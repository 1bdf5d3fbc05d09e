package demo

import (
	"context"
	"net/http"
	"time"

	"slipway/internal/campaigns"
	"slipway/internal/platform/jobs"
	"slipway/internal/vocab/page"
)

// addCampaigns shows an email to lost leads that was sent, and a draft of a text message to open leads.
func (s *seeder) addCampaigns(ctx context.Context, e *environment) error {
	s.now = s.started.Add(-50 * time.Hour)
	sent, err := s.addCampaign(ctx, e, object{"name": "Winter price list", "channel": "email", "subject": "New prices at {dealership}",
		"body": "Hello {first_name|there},\n\nwe have new winter prices on center consoles and pontoons, and room for trade-ins. " +
			"Reply to this email, and {seller|we} will send you the list."},
		object{"name": "Lost leads", "filter": object{"statuses": []string{"lost"}}})
	if err != nil {
		return err
	}
	if err := s.as(e.key).send(ctx, http.MethodPost, "/v2-preview/campaigns/"+sent+"/start", object{}, nil); err != nil {
		return err
	}
	if err := s.runCampaign(ctx, e, sent); err != nil {
		return err
	}
	_, err = s.addCampaign(ctx, e, object{"name": "Open house", "channel": "sms",
		"body": "{dealership}: Hi {first_name|there}, our open house is on the first Saturday of December, with sea trials all day."},
		object{"name": "Open leads", "filter": object{}})
	return err
}

// addSnippetsAndViews adds texts for the composer, and views of the inventory for everyone.
func (s *seeder) addSnippetsAndViews(ctx context.Context, e *environment) error {
	for _, snippet := range []object{
		{"name": "still-here", "body": "Hi {first_name|there}, the {boat} is still here. It is {price}. See it at {link}."},
		{"name": "sea-trial", "body": "Would you like a sea trial of the {boat}? Saturday morning is open."},
		{"name": "photo", "body": "Here is a picture of the {boat}: {photo}"},
	} {
		if err := s.as(e.key).send(ctx, http.MethodPost, "/v2-preview/snippets", snippet, nil); err != nil {
			return err
		}
	}
	for _, view := range []object{
		{"screen": "boats", "name": "Oldest stock", "query": "status=available&sort=-age", "shared": true},
		{"screen": "boats", "name": "Used under $60,000", "query": "status=available&condition=used&price_max=60000&sort=price", "shared": true},
		{"screen": "deals", "name": "Waiting for funding", "query": "view=table&status=in_finance", "shared": true},
	} {
		if err := s.as(e.key).send(ctx, http.MethodPost, "/v2-preview/views", view, nil); err != nil {
			return err
		}
	}
	return nil
}

// addPlan shows a follow-up plan. The leads of the demo are older, so it starts with the next lead from a website.
func (s *seeder) addPlan(ctx context.Context, e *environment) error {
	return s.as(e.key).send(ctx, http.MethodPost, "/v2-preview/follow_up_plans", object{"name": "Website leads", "sources": []string{"web"}, "steps": []object{
		{"day": 0, "kind": "sms", "body": "Hi {first_name|there}, this is {seller|the team} at {dealership}. Thank you for asking about {boat|our boats}. When is a good time to call?"},
		{"day": 1, "kind": "task", "body": "Call {first_name|the customer}, and offer a sea trial"},
		{"day": 3, "kind": "email", "subject": "{boat|Our boats} at {dealership}",
			"body": "Hello {first_name|there},\n\nare you still looking at {boat|our boats}? I can send more pictures, or hold a time for a sea trial on Saturday.\n\n{seller|Your team}"},
		{"day": 10, "kind": "task", "body": "Ask {first_name|the customer} whether the search goes on"},
	}}, nil)
}

func (s *seeder) addCampaign(ctx context.Context, e *environment, template, segment object) (string, error) {
	var t, g, c struct{ ID string }
	if err := s.as(e.key).send(ctx, http.MethodPost, "/v2-preview/message_templates", template, &t); err != nil {
		return "", err
	}
	if err := s.as(e.key).send(ctx, http.MethodPost, "/v2-preview/lead_segments", segment, &g); err != nil {
		return "", err
	}
	err := s.as(e.key).send(ctx, http.MethodPost, "/v2-preview/campaigns",
		object{"name": template["name"], "segment_id": g.ID, "template_id": t.ID}, &c)
	return c.ID, err
}

// runCampaign hands out the messages and delivers them.
func (s *seeder) runCampaign(ctx context.Context, e *environment, id string) error {
	api := &campaigns.API{DB: s.DB, Jobs: s.Jobs, Messages: s.messages()}
	for turn := range int64(2) {
		if err := jobs.Run(ctx, api.RunCampaign, campaigns.RunCampaign{Env: e.env, CampaignID: id, Turn: turn}); err != nil {
			return err
		}
		var all page.Page[campaigns.CampaignRecipient]
		if err := s.as(e.key).send(ctx, http.MethodGet, "/v2-preview/campaigns/"+id+"/recipients?limit=100", nil, &all); err != nil {
			return err
		}
		for _, r := range all.Data {
			if r.State == campaigns.Handed {
				if err := s.deliver(ctx, e, *r.MessageID); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
