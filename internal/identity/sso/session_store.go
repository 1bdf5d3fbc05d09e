package sso

import (
	"context"

	"slipway/internal/platform/db"
)

// takeDueSessions returns the sessions to refresh. A refresh token works once, so no other
// run must try the same one.
func takeDueSessions(ctx context.Context, tx *db.Tx) ([]ssoSession, error) {
	rows, err := db.All[ssoSession](ctx, tx, `SELECT {cols} FROM sso_sessions WHERE env > 0 AND refresh_at <= ? ORDER BY refresh_at LIMIT ?`,
		tx.Now, refreshBatch)
	for _, s := range rows {
		if _, err := db.Exec(ctx, tx, `UPDATE sso_sessions SET refresh_at = NULL WHERE env = ? AND id = ?`, s.Env, s.ID); err != nil {
			return nil, err
		}
	}
	return rows, err
}

func addSession(ctx context.Context, tx *db.Tx, s ssoSession) error {
	return db.Insert(ctx, tx, "sso_sessions", s)
}

func saveSession(ctx context.Context, tx *db.Tx, s ssoSession) error {
	_, err := db.Update(ctx, tx, "sso_sessions", &s, "env = ? AND id = ?", s.Env, s.ID)
	return err
}
