package campaigns

import (
	"context"
	"time"

	"slipway/internal/messages"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/templates"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

var (
	campaigns  = db.Table[Campaign]{Name: "campaigns", Prefix: "cmp", Noun: "campaign"}
	recipients = db.Table[CampaignRecipient]{Name: "campaign_recipients", Prefix: "rcp", Noun: "recipient", Parent: "campaign_id"}
)

// CampaignFilter is the query of the list of campaigns.
type CampaignFilter struct {
	page.Query
	Status Status `query:"status" doc:"Only campaigns with this status."`
}

func listCampaigns(ctx context.Context, tx *db.Tx, f CampaignFilter) (page.Page[Campaign], error) {
	var w db.Where
	w.AndIf(f.Status != "", "status = ?", f.Status)
	return campaigns.List(ctx, tx, f.Query, &w)
}

func insertCampaign(ctx context.Context, tx *db.Tx, c *Campaign) error {
	if err := campaigns.Insert(ctx, tx, c); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "campaign.created", c.ID, events.Change{After: *c})
}

func save(ctx context.Context, tx *db.Tx, before Campaign, c *Campaign, event string) error {
	if err := campaigns.Save(ctx, tx, c); err != nil {
		return err
	}
	return events.Emit(ctx, tx, event, c.ID, events.Change{Before: before, After: *c})
}

// proceed saves how far the job of a campaign is. It is not a change of the campaign.
func proceed(ctx context.Context, tx *db.Tx, c Campaign) error {
	_, err := db.Exec(ctx, tx, `UPDATE campaigns SET prepared = ?, prepared_to = ?, turn = ? WHERE env = ? AND id = ?`,
		c.Prepared, c.PreparedTo, c.Turn, tx.Env, c.ID)
	return err
}

func deleteCampaign(ctx context.Context, tx *db.Tx, c Campaign) error {
	if err := campaigns.Delete(ctx, tx, c.ID); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "campaign.deleted", c.ID, events.Change{After: c})
}

// choose copies the segment and the template with these IDs to a campaign.
func choose(ctx context.Context, tx *db.Tx, c *Campaign, segmentID, templateID string) error {
	var bad fault.Fields
	s, err := segments.Find(ctx, tx, segmentID)
	if err := bad.AddNotFound("segment_id", err); err != nil {
		return err
	}
	t, err := templates.Find(ctx, tx, templateID)
	if err := bad.AddNotFound("template_id", err); err != nil {
		return err
	}
	c.use(s, t)
	return bad.Err()
}

// addRecipients adds the contacts of leads that are not recipients yet.
func addRecipients(ctx context.Context, tx *db.Tx, all []CampaignRecipient) error {
	for i := range all {
		r := &all[i]
		recipients.Stamp(tx, r)
		if _, err := db.Exec(ctx, tx, `INSERT INTO campaign_recipients (env, campaign_id, id, contact_id, lead_id, state, due_at, created_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (env, campaign_id, contact_id) DO NOTHING`,
			r.Env, r.CampaignID, r.ID, r.ContactID, r.LeadID, r.State, r.DueAt, r.CreatedAt); err != nil {
			return err
		}
	}
	return nil
}

// listDue returns recipients who wait and have no quiet hours.
func listDue(ctx context.Context, tx *db.Tx, campaignID string, limit int64) ([]CampaignRecipient, error) {
	return db.All[CampaignRecipient](ctx, tx, `SELECT {cols} FROM campaign_recipients WHERE env = ? AND campaign_id = ? AND state = 'waiting' AND due_at <= ?
		ORDER BY due_at, id LIMIT ?`, tx.Env, campaignID, tx.Now, limit)
}

// nextDue returns when the next recipient has no quiet hours anymore, or nil if no one waits.
func nextDue(ctx context.Context, tx *db.Tx, campaignID string) (*time.Time, error) {
	all, err := db.All[time.Time](ctx, tx, `SELECT due_at FROM campaign_recipients WHERE env = ? AND campaign_id = ? AND state = 'waiting'
		ORDER BY due_at LIMIT 1`, tx.Env, campaignID)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}

// settle saves what happened to a recipient.
func settle(ctx context.Context, tx *db.Tx, r CampaignRecipient) error {
	_, err := db.Exec(ctx, tx, `UPDATE campaign_recipients SET state = ?, reason = ?, due_at = ?, message_id = ?, address_hash = ?
		WHERE env = ? AND campaign_id = ? AND id = ?`, r.State, r.Reason, r.DueAt, r.MessageID, r.AddressHash, tx.Env, r.CampaignID, r.ID)
	return err
}

// hasAddress reports whether another recipient of the campaign gets it at the same address.
func hasAddress(ctx context.Context, tx *db.Tx, campaignID string, hash []byte) (bool, error) {
	return db.One[bool](ctx, tx, `SELECT EXISTS (SELECT 1 FROM campaign_recipients WHERE env = ? AND campaign_id = ? AND address_hash = ?)`,
		tx.Env, campaignID, hash)
}

// halt ends the wait of all recipients.
func halt(ctx context.Context, tx *db.Tx, campaignID string) error {
	_, err := db.Exec(ctx, tx, `UPDATE campaign_recipients SET state = 'stopped', due_at = NULL WHERE env = ? AND campaign_id = ? AND state = 'waiting'`,
		tx.Env, campaignID)
	return err
}

// stateCount is how many recipients have a state and a reason.
type stateCount struct {
	State  State   `db:"state"`
	Reason *string `db:"reason"`
	N      int64   `db:"n"`
}

func countStates(ctx context.Context, tx *db.Tx, campaignID string) ([]stateCount, error) {
	return db.All[stateCount](ctx, tx, `SELECT state, reason, COUNT(*) AS n FROM campaign_recipients WHERE env = ? AND campaign_id = ?
		GROUP BY state, reason`, tx.Env, campaignID)
}

// RecipientFilter is the query of the list of recipients.
type RecipientFilter struct {
	page.Query
	Excluded bool `query:"excluded" doc:"True only lists recipients who get no message."`
}

// listRecipients returns recipients with the results of their messages.
func listRecipients(ctx context.Context, tx *db.Tx, campaignID string, f RecipientFilter) (page.Page[CampaignRecipient], error) {
	var w db.Where
	w.And("campaign_id = ?", campaignID)
	w.AndIf(f.Excluded, "state = ?", Excluded)
	p, err := recipients.List(ctx, tx, f.Query, &w)
	if err != nil {
		return p, err
	}
	var ids, leadIDs []string
	for _, r := range p.Data {
		if r.MessageID != nil {
			ids, leadIDs = append(ids, *r.MessageID), append(leadIDs, r.LeadID)
		}
	}
	if len(ids) == 0 {
		return p, nil
	}
	sent, err := messages.FindAll(ctx, tx, ids)
	if err != nil {
		return p, err
	}
	answers, err := messages.AnswersTo(ctx, tx, campaignID, leadIDs)
	if err != nil {
		return p, err
	}
	for i := range p.Data {
		if r := &p.Data[i]; r.MessageID != nil {
			r.follow(sent[*r.MessageID], answers)
		}
	}
	return p, nil
}
