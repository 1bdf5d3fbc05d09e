package audit

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/site"
)

// InsertWithoutNumber adds an entry as earlier versions did.
func InsertWithoutNumber(ctx context.Context, tx *db.Tx, action, targetID string) error {
	e := Entry{
		Env: tx.Env, ID: tx.NewID("aud"), At: tx.Now, ActorType: "system", ActorID: "system", ActorLabel: "Slipway",
		Action: action, TargetType: "hull", TargetID: targetID, Changes: "{}", Outcome: "success",
	}
	e.Mark = site.Of(tx).MAC(e.content())
	return db.Insert(ctx, tx, "audit_entries", e)
}
