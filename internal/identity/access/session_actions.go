package access

import (
	"context"

	"slipway/internal/identity/people"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
)

func endSession(ctx context.Context, tx *db.Tx, s people.Session) error {
	if err := people.EndSession(ctx, tx, s); err != nil {
		return err
	}
	return audit.Record(ctx, tx, "session.ended", s.ID, map[string][2]any{"user_id": {s.UserID, nil}})
}
