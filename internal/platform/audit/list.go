package audit

import (
	"context"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/page"
)

// Filter selects audit entries.
type Filter struct {
	page.Query
	Action        string    `query:"action" maxLength:"100" doc:"An action, or the start of an action." example:"api_key."`
	ActorID       string    `query:"actor_id" maxLength:"64" doc:"Only actions of this user, key or app."`
	TargetID      string    `query:"target_id" maxLength:"64" doc:"Only actions on this object."`
	Outcome       Outcome   `query:"outcome" doc:"Only actions with this outcome."`
	CreatedAfter  time.Time `query:"created_after" doc:"Only objects created after this time."`
	CreatedBefore time.Time `query:"created_before" doc:"Only objects created before this time."`
}

// List returns a page of the audit log.
func List(ctx context.Context, tx *db.Tx, f Filter) (page.Page[Entry], error) {
	if err := f.Check("aud"); err != nil {
		return page.Page[Entry]{}, err
	}
	w := &db.Where{}
	w.And("env = ?", tx.Env)
	w.AndIf(f.Action != "", "action >= ? AND action < ?", f.Action, f.Action+"\U0010FFFF")
	w.AndIf(f.ActorID != "", "actor_id = ?", f.ActorID)
	w.AndIf(f.TargetID != "", "target_id = ?", f.TargetID)
	w.AndIf(f.Outcome != "", "outcome = ?", f.Outcome)
	w.AndCreated("id", "aud", f.CreatedAfter, f.CreatedBefore)
	return db.List[Entry](ctx, tx, db.From("audit_entries"), f.Query, w)
}
