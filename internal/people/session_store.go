package people

import (
	"context"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
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

// FoundSession is a session with the environment it belongs to.
type FoundSession struct {
	Session
	DealershipID string    `db:"dealership_id"`
	Mode         auth.Mode `db:"mode"`
}

// FindSessionByPublicID returns the session that a token names, ended or not.
// It joins a table of the dealership package, because authentication must not
// cost another query.
func FindSessionByPublicID(ctx context.Context, tx *db.Tx, publicID string) (FoundSession, error) {
	return db.One[FoundSession](ctx, tx, `SELECT {cols} FROM (
		SELECT s.*, d.id AS dealership_id, d.mode FROM sessions s JOIN dealerships d ON d.env = s.env WHERE s.public_id = ?) AS found`, publicID)
}

// MarkSeen records the last request of a session and its user.
func MarkSeen(ctx context.Context, tx *db.Tx, sessionID, userID string, at time.Time) error {
	if _, err := db.Exec(ctx, tx, `UPDATE sessions SET last_seen_at = ? WHERE env = ? AND id = ?`, at, tx.Env, sessionID); err != nil {
		return err
	}
	_, err := db.Exec(ctx, tx, `UPDATE users SET last_seen_at = ? WHERE env = ? AND id = ?`, at, tx.Env, userID)
	return err
}

// DeleteExpired deletes the sessions and invitations that expired 30 days ago
// or earlier.
func DeleteExpired(ctx context.Context, tx *db.Tx) (int64, error) {
	var total int64
	for _, statement := range []string{
		`DELETE FROM invitations WHERE expires_at < ?`,
		`DELETE FROM sessions WHERE expires_at < ?`,
	} {
		n, err := db.Exec(ctx, tx, statement, tx.Now.AddDate(0, 0, -30))
		if err != nil {
			return total, err
		}
		total += n
	}
	return total, nil
}
