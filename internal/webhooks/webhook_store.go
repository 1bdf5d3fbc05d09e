package webhooks

import (
	"context"
	"encoding/json"

	"slipway/internal/platform/db"
	"slipway/internal/platform/seal"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

// find returns a webhook.
func find(ctx context.Context, tx *db.Tx, id string) (Webhook, error) {
	w, err := db.One[Webhook](ctx, tx, `SELECT {cols} FROM webhooks WHERE env = ? AND id = ?`, tx.Env, id)
	if db.IsNoRows(err) {
		return w, fault.NotFound("webhook", id)
	}
	w.derive()
	return w, err
}

func list(ctx context.Context, tx *db.Tx, q page.Query) (page.Page[Webhook], error) {
	if err := q.Check("whk"); err != nil {
		return page.Page[Webhook]{}, err
	}
	w := &db.Where{}
	w.And("env = ?", tx.Env)
	p, err := db.List[Webhook](ctx, tx, db.From("webhooks"), q, w)
	for i := range p.Data {
		p.Data[i].derive()
	}
	return p, err
}

func insert(ctx context.Context, tx *db.Tx, w Webhook) error {
	return db.Insert(ctx, tx, "webhooks", w)
}

// save writes a changed webhook, unless somebody else changed it in between.
func save(ctx context.Context, tx *db.Tx, w *Webhook) error {
	old := w.Version
	w.Version, w.UpdatedAt = old+1, tx.Now
	w.derive()
	n, err := db.Update(ctx, tx, "webhooks", w, "env = ? AND id = ? AND version = ?", w.Env, w.ID, old)
	return db.Changed(n, err)
}

func remove(ctx context.Context, tx *db.Tx, w Webhook) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM webhooks WHERE env = ? AND id = ?`, w.Env, w.ID)
	return err
}

// enabled are the webhooks that events of an environment go to.
func enabled(ctx context.Context, tx *db.Tx) ([]Webhook, error) {
	return db.All[Webhook](ctx, tx, `SELECT {cols} FROM webhooks WHERE env = ? AND status = 'enabled'`, tx.Env)
}

// sealSecrets puts the secrets into the row.
func sealSecrets(box *seal.Box, w *Webhook, secrets []Secret) error {
	text, err := json.Marshal(secrets)
	w.Secrets = box.Seal(text, secretsPlace(*w))
	return err
}

// openSecrets takes the secrets out of the row.
func openSecrets(box *seal.Box, w Webhook) (secrets []Secret, err error) {
	text, err := box.Open(w.Secrets, secretsPlace(w))
	if err != nil {
		return nil, err
	}
	return secrets, json.Unmarshal(text, &secrets)
}
