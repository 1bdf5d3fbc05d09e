package people

import (
	"context"
	"slices"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/token"
)

var sessions = db.Table[Session]{Name: "sessions", Prefix: "ses", Noun: "session"}

// InsertSession adds a session.
func InsertSession(ctx context.Context, tx *db.Tx, s *Session) error {
	return sessions.Insert(ctx, tx, s)
}

// FindSession returns an active session.
func FindSession(ctx context.Context, tx *db.Tx, id string) (Session, error) {
	s, err := db.One[Session](ctx, tx, `SELECT {cols} FROM sessions WHERE env = ? AND id = ?`, tx.Env, id)
	if db.IsNoRows(err) || (err == nil && !s.IsActive(tx.Now)) {
		return s, fault.NotFound(sessions.Noun, id)
	}
	return s, err
}

// OpenSessions returns all active sessions of a user.
func OpenSessions(ctx context.Context, tx *db.Tx, u User) ([]Session, error) {
	all, err := db.All[Session](ctx, tx, `SELECT {cols} FROM sessions WHERE env = ? AND user_id = ? AND ended_at IS NULL ORDER BY id DESC`, u.Env, u.ID)
	return slices.DeleteFunc(all, func(s Session) bool { return !s.IsActive(tx.Now) }), err
}

// ListSessions returns the active sessions of a user, or of all users for "".
func ListSessions(ctx context.Context, tx *db.Tx, userID string, q page.Query) (page.Page[Session], error) {
	w := &db.Where{}
	w.And("ended_at IS NULL AND expires_at > ? AND (NOT browser OR last_seen_at > ?)", tx.Now, tx.Now.Add(-BrowserIdle))
	w.AndIf(userID != "", "user_id = ?", userID)
	return sessions.List(ctx, tx, q, w)
}

// ReplaceToken gives a session the token of s. It returns false if the session has
// another public ID than the old one, because another request has replaced it.
func ReplaceToken(ctx context.Context, tx *db.Tx, oldPublicID string, s Session) (bool, error) {
	n, err := db.Exec(ctx, tx, `UPDATE sessions SET public_id = ?, hash = ?, rights = ?
		WHERE env = ? AND id = ? AND public_id = ? AND ended_at IS NULL`, s.PublicID, s.Hash, s.Rights, s.Env, s.ID, oldPublicID)
	return n == 1, err
}

// EndSession ends a session. Its next request fails, because each request looks
// the session up.
func EndSession(ctx context.Context, tx *db.Tx, s Session) error {
	_, err := db.Exec(ctx, tx, `UPDATE sessions SET ended_at = ? WHERE env = ? AND id = ? AND ended_at IS NULL`, tx.Now, s.Env, s.ID)
	return err
}

// EndSessions ends all sessions of a user.
func EndSessions(ctx context.Context, tx *db.Tx, u User) error {
	_, err := db.Exec(ctx, tx, `UPDATE sessions SET ended_at = ? WHERE env = ? AND user_id = ? AND ended_at IS NULL`, tx.Now, u.Env, u.ID)
	return err
}

// ExtendSession moves the end of an active session. It returns false if the session
// has ended.
func ExtendSession(ctx context.Context, tx *db.Tx, id string, until time.Time) (bool, error) {
	n, err := db.Exec(ctx, tx, `UPDATE sessions SET expires_at = ? WHERE env = ? AND id = ? AND ended_at IS NULL AND expires_at > ?`,
		until, tx.Env, id, tx.Now)
	return n == 1, err
}

// FoundSession is a session with its dealership and mode.
type FoundSession struct {
	Session
	DealershipID string    `db:"dealership_id"`
	Mode         auth.Mode `db:"mode"`
}

// FindSessionByToken returns the session of a token, even if it has ended.
// It joins a table of the dealership package, because authentication must not
// cost another query.
func FindSessionByToken(ctx context.Context, tx *db.Tx, t token.Token) (FoundSession, error) {
	return db.OneNamed[FoundSession](ctx, tx, t.Env, `SELECT {cols} FROM (SELECT s.*, d.id AS dealership_id, d.mode
		FROM sessions s JOIN dealerships d ON d.env = s.env WHERE s.public_id = ? AND s.env = ?) AS found`, t.PublicID)
}

// MarkSeen records the last request of a session and its user.
func MarkSeen(ctx context.Context, tx *db.Tx, sessionID, userID string, at time.Time) error {
	if _, err := db.Exec(ctx, tx, `UPDATE sessions SET last_seen_at = ? WHERE env = ? AND id = ?`, at, tx.Env, sessionID); err != nil {
		return err
	}
	_, err := db.Exec(ctx, tx, `UPDATE users SET last_seen_at = ? WHERE env = ? AND id = ?`, at, tx.Env, userID)
	return err
}

// DeleteExpired deletes the sessions, links and MFA tokens that expired 30 days
// ago or earlier.
func DeleteExpired(ctx context.Context, tx *db.Tx) (int64, error) {
	var total int64
	for _, statement := range []string{
		`DELETE FROM invitations WHERE expires_at < ?`,
		`DELETE FROM email_changes WHERE expires_at < ?`,
		`DELETE FROM mfa_tokens WHERE expires_at < ?`,
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
