package messages

import (
	"context"

	"slipway/internal/consent"
	"slipway/internal/contacts"
	"slipway/internal/platform/db"
)

// Holder lets the messages of a contact follow a merge, an export or an
// erasure.
func (a *API) Holder() contacts.Holder {
	return contacts.Holder{Move: moveMessages, Export: exportMessages, Erase: a.eraseMessages}
}

func moveMessages(ctx context.Context, tx *db.Tx, from, to string) error {
	_, err := db.Exec(ctx, tx, `UPDATE messages SET contact_id = ?, version = version + 1, updated_at = ? WHERE env = ? AND contact_id = ?`,
		to, tx.Now, tx.Env, from)
	return err
}

func exportMessages(ctx context.Context, tx *db.Tx, contactID string) (map[string]any, error) {
	all, err := db.All[LeadMessage](ctx, tx, `SELECT {cols} FROM messages WHERE env = ? AND contact_id = ? ORDER BY id`, tx.Env, contactID)
	if err != nil {
		return nil, err
	}
	waiting, err := listQuarantinedOf(ctx, tx, contactID)
	return map[string]any{"messages": all, "quarantined_messages": waiting}, err
}

// eraseMessages removes the texts and addresses of a contact's messages, and a
// job deletes their files in the outbox folder. Messages that wait to be sent are
// blocked, and those that might have been sent don't wait for a user anymore.
func (a *API) eraseMessages(ctx context.Context, tx *db.Tx, contactID string) error {
	if err := eraseQuarantined(ctx, tx, contactID); err != nil {
		return err
	}
	if _, err := db.Exec(ctx, tx, `UPDATE messages SET status = 'blocked', block_reason = ?, scheduled_for = NULL
		WHERE env = ? AND contact_id = ? AND status IN ('queued', 'scheduled')`, consent.CodeRecipientInvalid, tx.Env, contactID); err != nil {
		return err
	}
	if _, err := db.Exec(ctx, tx, `UPDATE messages SET status = 'failed', failed_at = ? WHERE env = ? AND contact_id = ? AND status = 'unknown'`,
		tx.Now, tx.Env, contactID); err != nil {
		return err
	}
	if _, err := db.Exec(ctx, tx, `UPDATE messages SET needs_review = ? WHERE env = ? AND contact_id = ?`, false, tx.Env, contactID); err != nil {
		return err
	}
	if err := db.Erase[LeadMessage](ctx, tx, db.Rows{Table: "messages", Where: "contact_id = ?", Args: []any{contactID}}, false); err != nil {
		return err
	}
	return a.Jobs.Enqueue(ctx, tx, EraseOutbox{tx.Env, contactID}, tx.Now)
}

func listIDsOfContact(ctx context.Context, tx *db.Tx, contactID string) ([]string, error) {
	return db.All[string](ctx, tx, `SELECT id FROM messages WHERE env = ? AND contact_id = ?`, tx.Env, contactID)
}
