package dealership

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

// InsertSession adds a session.
func InsertSession(ctx context.Context, tx *db.Tx, s Session) error {
	return db.Insert(ctx, tx, "sessions", s)
}

// FindSession returns a session that has not ended.
func FindSession(ctx context.Context, tx *db.Tx, id string) (Session, error) {
	s, err := db.One[Session](ctx, tx, `SELECT {cols} FROM sessions WHERE env = ? AND id = ? AND ended_at IS NULL AND expires_at > ?`, tx.Env, id, tx.Now)
	if db.IsNoRows(err) {
		return s, fault.NotFound("session", id)
	}
	return s, err
}

// ListSessions returns the sessions that have not ended.
func ListSessions(ctx context.Context, tx *db.Tx, userID string, q page.Query) (page.Page[Session], error) {
	if err := q.Check("ses"); err != nil {
		return page.Page[Session]{}, err
	}
	w := &db.Where{}
	w.And("env = ? AND ended_at IS NULL AND expires_at > ?", tx.Env, tx.Now)
	if userID != "" {
		w.And("user_id = ?", userID)
	}
	return db.List[Session](ctx, tx, db.From("sessions"), q, w)
}

// EndSession ends a session at once: every request looks it up.
func EndSession(ctx context.Context, tx *db.Tx, s Session) error {
	_, err := db.Exec(ctx, tx, `UPDATE sessions SET ended_at = ? WHERE env = ? AND id = ? AND ended_at IS NULL`, tx.Now, s.Env, s.ID)
	return err
}

// EndSessionsOf ends all sessions of a user.
func EndSessionsOf(ctx context.Context, tx *db.Tx, u User) error {
	_, err := db.Exec(ctx, tx, `UPDATE sessions SET ended_at = ? WHERE env = ? AND user_id = ? AND ended_at IS NULL`, tx.Now, u.Env, u.ID)
	return err
}
