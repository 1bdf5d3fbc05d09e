package views

import (
	"context"

	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

var table = db.Table[SavedView]{Name: "saved_views", Prefix: "view", Noun: "view"}

// most is how many views someone can save.
const most = 100

// find returns a view that the caller can see.
func find(ctx context.Context, tx *db.Tx, id string) (SavedView, error) {
	v, err := table.Find(ctx, tx, id)
	if err != nil {
		return v, err
	}
	if !v.seenBy(auth.From(ctx)) {
		return v, fault.NotFound(table.Noun, id)
	}
	return v, nil
}

func list(ctx context.Context, tx *db.Tx, q page.Query, screen Screen) (page.Page[SavedView], error) {
	caller, w := auth.From(ctx), &db.Where{}
	w.And("(shared = ? OR owner_id = ?)", true, caller.Actor.ID)
	w.AndIf(screen != "", "screen = ?", screen)
	marks, args := db.In(append(readable(caller), "")) // a list has at least one value
	w.And("screen IN "+marks, args...)
	return table.List(ctx, tx, q, w)
}

func insert(ctx context.Context, tx *db.Tx, v *SavedView) error {
	n, err := db.One[int64](ctx, tx, `SELECT COUNT(*) FROM saved_views WHERE env = ? AND owner_id = ?`, tx.Env, v.OwnerID)
	if err != nil {
		return err
	}
	if n >= most {
		return fault.Conflict("You already have %d views, which is the maximum. Delete one first.", most).
			Detail("views", "too_many", "must be at most %d", most)
	}
	if err := table.Insert(ctx, tx, v); err != nil {
		return err
	}
	return audit.Record(ctx, tx, "view.created", v.ID, audit.Diff(nil, *v))
}

func save(ctx context.Context, tx *db.Tx, before SavedView, v *SavedView) error {
	if err := table.Save(ctx, tx, v); err != nil {
		return err
	}
	return audit.Record(ctx, tx, "view.updated", v.ID, audit.Diff(before, *v))
}

func remove(ctx context.Context, tx *db.Tx, v SavedView) error {
	if err := table.Delete(ctx, tx, v.ID); err != nil {
		return err
	}
	return audit.Record(ctx, tx, "view.deleted", v.ID, map[string][2]any{"screen": {v.Screen, nil}})
}
