package webhooks

import (
	"context"
	"encoding/json"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/seal"
	"slipway/internal/vocab/signature"
)

var webhooks = db.Table[Webhook]{
	Name: "webhooks", Prefix: "whk", Noun: "webhook",
	Loaded: func(_ *db.Tx, w *Webhook) { w.derive() },
}

// watched is a query for the environments that have enabled webhooks.
const watched = `SELECT env FROM webhooks WHERE status = 'enabled'`

// followFromNow is called after a webhook was enabled. If it is the only one, nothing
// has followed the events of its environment, and it receives only new ones.
func followFromNow(ctx context.Context, tx *db.Tx) error {
	enabled, err := listEnabled(ctx, tx)
	if err != nil || len(enabled) > 1 {
		return err
	}
	return events.SkipUntilNow(ctx, tx)
}

// listEnabled returns the enabled webhooks of an environment.
func listEnabled(ctx context.Context, tx *db.Tx) ([]Webhook, error) {
	return db.All[Webhook](ctx, tx, `SELECT {cols} FROM webhooks WHERE env = ? AND status = 'enabled'`, tx.Env)
}

// listAll returns the webhooks of an environment, which are few.
func listAll(ctx context.Context, tx *db.Tx) ([]Webhook, error) {
	return db.All[Webhook](ctx, tx, `SELECT {cols} FROM webhooks WHERE env = ? ORDER BY id`, tx.Env)
}

// sealSecrets encrypts the secrets into the row.
func sealSecrets(box *seal.Box, w *Webhook, secrets []signature.Secret) error {
	text, err := json.Marshal(secrets)
	w.Secrets = box.Seal(text, secretsPlace(*w))
	return err
}

// openSecrets decrypts the secrets of the row.
func openSecrets(box *seal.Box, w Webhook) (secrets []signature.Secret, err error) {
	text, err := box.Open(w.Secrets, secretsPlace(w))
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(text, &secrets)
	return secrets, err
}
