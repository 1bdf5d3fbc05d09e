package messages

import (
	"context"
	"time"

	"slipway/internal/platform/db"
)

// FindAll returns the messages with these IDs that exist, by ID.
func FindAll(ctx context.Context, tx *db.Tx, ids []string) (map[string]LeadMessage, error) {
	found := map[string]LeadMessage{}
	if len(ids) == 0 {
		return found, nil
	}
	marks, args := db.In(ids)
	all, err := db.All[LeadMessage](ctx, tx, `SELECT {cols} FROM messages WHERE env = ? AND id IN `+marks, append([]any{tx.Env}, args...)...)
	for _, m := range all {
		found[m.ID] = m
	}
	return found, err
}

// CountOfCampaign counts the messages of a campaign by status.
func CountOfCampaign(ctx context.Context, tx *db.Tx, campaignID string) (map[MessageStatus]int64, error) {
	type count struct {
		Status MessageStatus `db:"status"`
		N      int64         `db:"n"`
	}
	found := map[MessageStatus]int64{}
	all, err := db.All[count](ctx, tx, `SELECT status, COUNT(*) AS n FROM messages WHERE env = ? AND campaign_id = ? GROUP BY status`, tx.Env, campaignID)
	for _, c := range all {
		found[c.Status] = c.N
	}
	return found, err
}

// CountWaiting counts the messages of a campaign that the provider hasn't got yet.
func CountWaiting(ctx context.Context, tx *db.Tx, campaignID string) (int64, error) {
	return db.One[int64](ctx, tx, `SELECT COUNT(*) FROM messages WHERE env = ? AND campaign_id = ? AND status IN ('queued', 'scheduled')`, tx.Env, campaignID)
}

// Answered is what the leads of a campaign wrote afterwards.
type Answered struct {
	LeadID  string    `db:"lead_id"`
	FirstAt time.Time `db:"first_at"`
	OptOuts int64     `db:"opt_outs"`
}

const answersOf = `SELECT i.lead_id, MIN(i.created_at) AS first_at, COUNT(CASE WHEN i.intent = 'stop' THEN 1 END) AS opt_outs
	FROM messages m JOIN messages i ON i.env = m.env AND i.lead_id = m.lead_id AND i.direction = 'inbound' AND i.id > m.id
	WHERE m.env = ? AND m.campaign_id = ?`

// AnswersTo returns the answers to a campaign by the leads that wrote. A list of leads limits them.
func AnswersTo(ctx context.Context, tx *db.Tx, campaignID string, leadIDs []string) (map[string]Answered, error) {
	found := map[string]Answered{}
	query, args := answersOf, []any{tx.Env, campaignID}
	if len(leadIDs) > 0 {
		marks, more := db.In(leadIDs)
		query, args = query+` AND m.lead_id IN `+marks, append(args, more...)
	}
	all, err := db.All[Answered](ctx, tx, query+` GROUP BY i.lead_id`, args...)
	for _, one := range all {
		found[one.LeadID] = one
	}
	return found, err
}

// WithdrawCampaign blocks the messages of a campaign that wait to be sent.
func WithdrawCampaign(ctx context.Context, tx *db.Tx, campaignID string) error {
	ids, err := db.All[string](ctx, tx, `SELECT id FROM messages WHERE env = ? AND campaign_id = ? AND status IN ('queued', 'scheduled')`,
		tx.Env, campaignID)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := Withdraw(ctx, tx, id); err != nil {
			return err
		}
	}
	return nil
}
