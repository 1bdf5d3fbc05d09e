package templates

import (
	"context"

	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

var snippets = db.Table[MessageSnippet]{Name: "message_snippets", Prefix: "snip", Noun: "snippet"}

// mostSnippets is how many snippets a dealership can have. The composer loads all of them.
const mostSnippets = 100

func findSnippet(ctx context.Context, tx *db.Tx, id string) (MessageSnippet, error) {
	return snippets.Find(ctx, tx, id)
}

func listSnippets(ctx context.Context, tx *db.Tx, q page.Query) (page.Page[MessageSnippet], error) {
	return snippets.List(ctx, tx, q, nil)
}

func allSnippets(ctx context.Context, tx *db.Tx) ([]MessageSnippet, error) {
	return db.All[MessageSnippet](ctx, tx, `SELECT {cols} FROM message_snippets WHERE env = ? ORDER BY name LIMIT ?`, tx.Env, mostSnippets)
}

func insertSnippet(ctx context.Context, tx *db.Tx, s *MessageSnippet) error {
	n, err := db.One[int64](ctx, tx, `SELECT COUNT(*) FROM message_snippets WHERE env = ?`, tx.Env)
	if err != nil {
		return err
	}
	if n >= mostSnippets {
		return fault.Conflict("You already have %d snippets, which is the maximum. Delete one first.", mostSnippets).
			Detail("snippets", "too_many", "must be at most %d", mostSnippets)
	}
	if err := snippets.CheckUnique(ctx, tx, s.ID, "name", s.Name); err != nil {
		return err
	}
	if err := snippets.Insert(ctx, tx, s); err != nil {
		return err
	}
	return audit.Record(ctx, tx, "message_snippet.created", s.ID, audit.Diff(nil, *s))
}

func saveSnippet(ctx context.Context, tx *db.Tx, before MessageSnippet, s *MessageSnippet) error {
	if err := snippets.CheckUnique(ctx, tx, s.ID, "name", s.Name); err != nil {
		return err
	}
	if err := snippets.Save(ctx, tx, s); err != nil {
		return err
	}
	return audit.Record(ctx, tx, "message_snippet.updated", s.ID, audit.Diff(before, *s))
}

func removeSnippet(ctx context.Context, tx *db.Tx, s MessageSnippet) error {
	if err := snippets.Delete(ctx, tx, s.ID); err != nil {
		return err
	}
	return audit.Record(ctx, tx, "message_snippet.deleted", s.ID, map[string][2]any{"name": {s.Name, nil}})
}
