package campaigns

import (
	"context"

	"slipway/internal/contacts"
	"slipway/internal/platform/db"
)

// Holder lets the campaigns of a contact follow a merge or an export. Erasing needs nothing: recipients
// have no personal data, and the send check rejects an erased contact.
func Holder() contacts.Holder {
	return contacts.Holder{Move: move, Export: export, Erase: func(context.Context, *db.Tx, string) error { return nil }}
}

// move assigns recipients to the remaining contact. It gets each campaign once.
func move(ctx context.Context, tx *db.Tx, from, to string) error {
	if _, err := db.Exec(ctx, tx, `UPDATE campaign_recipients SET state = 'excluded', reason = ?, due_at = NULL WHERE env = ? AND contact_id = ?
		AND state = 'waiting' AND EXISTS (SELECT 1 FROM campaign_recipients o WHERE o.env = campaign_recipients.env
			AND o.campaign_id = campaign_recipients.campaign_id AND o.contact_id = ?)`, sameAddress, tx.Env, from, to); err != nil {
		return err
	}
	_, err := db.Exec(ctx, tx, `UPDATE campaign_recipients SET contact_id = ? WHERE env = ? AND contact_id = ?
		AND NOT EXISTS (SELECT 1 FROM campaign_recipients o WHERE o.env = campaign_recipients.env
			AND o.campaign_id = campaign_recipients.campaign_id AND o.contact_id = ?)`, to, tx.Env, from, to)
	return err
}

func export(ctx context.Context, tx *db.Tx, contactID string) (map[string]any, error) {
	all, err := db.All[CampaignRecipient](ctx, tx, `SELECT {cols} FROM campaign_recipients WHERE env = ? AND contact_id = ? ORDER BY id`, tx.Env, contactID)
	return map[string]any{"campaign_recipients": all}, err
}
