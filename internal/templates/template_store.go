package templates

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/page"
)

var templates = db.Table[MessageTemplate]{Name: "message_templates", Prefix: "tpl", Noun: "message template"}

// Find returns a template.
func Find(ctx context.Context, tx *db.Tx, id string) (MessageTemplate, error) {
	return templates.Find(ctx, tx, id)
}

func list(ctx context.Context, tx *db.Tx, q page.Query) (page.Page[MessageTemplate], error) {
	return templates.List(ctx, tx, q, nil)
}

func insert(ctx context.Context, tx *db.Tx, t *MessageTemplate) error {
	if err := templates.Insert(ctx, tx, t); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "message_template.created", t.ID, events.Change{After: *t})
}

func save(ctx context.Context, tx *db.Tx, before MessageTemplate, t *MessageTemplate) error {
	if err := templates.Save(ctx, tx, t); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "message_template.updated", t.ID, events.Change{Before: before, After: *t})
}

func remove(ctx context.Context, tx *db.Tx, t MessageTemplate) error {
	if err := templates.Delete(ctx, tx, t.ID); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "message_template.deleted", t.ID, events.Change{After: t})
}
