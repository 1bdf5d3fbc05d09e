package sso

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"slipway/internal/identity/people"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/platform/seal"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// How a user was linked to an identity.
const (
	byJIT           = "jit"
	byEmail         = "email"
	byAdministrator = "administrator"
	bySCIM          = "scim"
)

// linkedIdentity is a user at a provider.
type linkedIdentity struct {
	Env          auth.Env   `db:"env"`
	ConnectionID string     `db:"connection_id"`
	Issuer       string     `db:"issuer"`
	Subject      string     `db:"subject"`
	UserID       string     `db:"user_id"`
	LinkedBy     string     `db:"linked_by"`
	CreatedAt    time.Time  `db:"created_at"`
	LastSignInAt *time.Time `db:"last_sign_in_at"`
}

// findIdentity returns the user of an identity, or "" if it is not linked.
func findIdentity(ctx context.Context, tx *db.Tx, c Connection, issuer, subject string) (userID string, err error) {
	userID, err = db.One[string](ctx, tx, `SELECT user_id FROM sso_identities
		WHERE env = ? AND connection_id = ? AND issuer = ? AND subject = ?`,
		c.Env, c.ID, issuer, subject)
	if db.IsNoRows(err) {
		return "", nil
	}
	return userID, err
}

// insertIdentity links a user to an identity, which has its issuer, its subject and how
// it was linked. It replaces another identity of the user at this connection.
func insertIdentity(ctx context.Context, tx *db.Tx, c Connection, u people.User, i linkedIdentity) error {
	other, err := findIdentity(ctx, tx, c, i.Issuer, i.Subject)
	if err != nil {
		return err
	}
	if other != "" && other != u.ID {
		return fault.Conflict("The identity is already linked to user %s.", other).
			Detail("link_users", "duplicate", "contains a subject that is linked to %s", other)
	}
	if err := deleteIdentity(ctx, tx, c, u.ID); err != nil {
		return err
	}
	i.Env, i.ConnectionID, i.UserID, i.CreatedAt = c.Env, c.ID, u.ID, tx.Now
	if err := db.Insert(ctx, tx, "sso_identities", i); err != nil {
		return err
	}
	return audit.Record(ctx, tx, "user.sso_linked", u.ID, map[string][2]any{
		"connection_id": {nil, c.ID}, "subject": {nil, i.Subject}, "linked_by": {nil, i.LinkedBy},
	})
}

func deleteIdentity(ctx context.Context, tx *db.Tx, c Connection, userID string) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM sso_identities WHERE env = ? AND connection_id = ? AND user_id = ?`, c.Env, c.ID, userID)
	return err
}

// linksAdmin reports whether one of the users to link is an administrator. It locks them.
func linksAdmin(ctx context.Context, tx *db.Tx, c Connection, links []LinkUser) (admin bool, err error) {
	if len(links) > 0 && c.issuer() == "" {
		return false, fault.Conflict("The metadata of the provider is not available yet.").Detail("link_users", "state", "require the metadata")
	}
	for _, l := range links {
		u, err := people.FindUserForUpdate(ctx, tx, l.UserID)
		if fault.KindOf(err) == fault.KindNotFound {
			var bad fault.Fields
			bad.Add("link_users", "not_found", "contains %s, which doesn't exist", l.UserID)
			return false, bad.Err()
		}
		if err != nil {
			return false, err
		}
		admin = admin || u.IsAdmin()
	}
	return admin, nil
}

// linkUsers links users as an administrator requests. Call it after the MFA token is
// checked, because a link activates an invited user, whose token would then count.
func linkUsers(ctx context.Context, tx *db.Tx, c Connection, links []LinkUser) error {
	for _, l := range links {
		u, err := people.FindUser(ctx, tx, l.UserID) // a user can be in the list twice
		if err != nil {
			return err
		}
		if l.Subject == nil || *l.Subject == "" {
			err = unlink(ctx, tx, c, u)
		} else if err = insertIdentity(ctx, tx, c, u, linkedIdentity{Issuer: c.issuer(), Subject: *l.Subject, LinkedBy: byAdministrator}); err == nil {
			_, err = people.LinkSSO(ctx, tx, u, l.Subject)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unlink removes the identity of a user and ends the sessions that it opened.
func unlink(ctx context.Context, tx *db.Tx, c Connection, u people.User) error {
	if err := deleteIdentity(ctx, tx, c, u.ID); err != nil {
		return err
	}
	rows, err := listSessions(ctx, tx, c, "")
	if err != nil {
		return err
	}
	for _, s := range rows {
		session, err := people.FindSession(ctx, tx, s.ID)
		if fault.KindOf(err) == fault.KindNotFound || err == nil && session.UserID != u.ID {
			continue
		}
		if err != nil {
			return err
		}
		if err := endSession(ctx, tx, s); err != nil {
			return err
		}
	}
	_, err = people.LinkSSO(ctx, tx, u, nil)
	return err
}

// unlinkAll removes the subjects of all users of a connection.
func unlinkAll(ctx context.Context, tx *db.Tx, c Connection) error {
	users, err := db.All[string](ctx, tx, `SELECT user_id FROM sso_identities
		WHERE env = ? AND connection_id = ? ORDER BY user_id`, c.Env, c.ID)
	if err != nil {
		return err
	}
	for _, id := range users {
		u, err := people.FindUserForUpdate(ctx, tx, id)
		if err != nil {
			return err
		}
		if _, err := people.LinkSSO(ctx, tx, u, nil); err != nil {
			return err
		}
	}
	return nil
}

// ssoSession is what a provider calls a session.
type ssoSession struct {
	Env           auth.Env   `db:"env"`
	ID            string     `db:"id"` // of the session
	ConnectionID  string     `db:"connection_id"`
	Issuer        string     `db:"issuer"`
	Subject       string     `db:"subject"`
	SubjectFormat string     `db:"subject_format"`
	SessionIndex  string     `db:"session_index"`
	Secrets       []byte     `db:"secrets"`
	RefreshAt     *time.Time `db:"refresh_at"`
	ExpiresAt     time.Time  `db:"expires_at"`
}

// sessionSecrets are the tokens of a session.
type sessionSecrets struct {
	IDToken      string `json:"id_token,omitempty"`
	RefreshToken string `json:"refresh_token,omitempty"`
}

func (s ssoSession) place() string { return fmt.Sprintf("sso_sessions/%d/%s", s.Env, s.ID) }

func (s *ssoSession) sealSecrets(box *seal.Box, tokens sessionSecrets) error {
	text, err := json.Marshal(tokens)
	s.Secrets = box.Seal(text, s.place())
	return err
}

func (s ssoSession) openSecrets(box *seal.Box) (tokens sessionSecrets, err error) {
	if s.Secrets == nil {
		return tokens, nil
	}
	text, err := box.Open(s.Secrets, s.place())
	if err == nil {
		err = json.Unmarshal(text, &tokens)
	}
	return tokens, err
}

// keepFor is how long a session is stored after it ends, so that it can be signed out
// at the provider, too.
const keepFor = time.Hour

// insertSession records what the provider calls a session.
func (a *API) insertSession(ctx context.Context, tx *db.Tx, c Connection, s people.Session, id identity) error {
	row := ssoSession{
		Env: c.Env, ID: s.ID, ConnectionID: c.ID, Issuer: id.Issuer, Subject: id.Subject, SubjectFormat: id.SubjectFormat,
		SessionIndex: id.SessionIndex, ExpiresAt: s.ExpiresAt.Add(keepFor),
	}
	if id.IDToken != "" {
		if err := row.sealSecrets(a.Box, sessionSecrets{id.IDToken, id.RefreshToken}); err != nil {
			return err
		}
	}
	if id.RefreshToken != "" {
		row.RefreshAt = new(refreshTime(tx.Now, s.ExpiresAt))
	}
	return db.Insert(ctx, tx, "sso_sessions", row)
}

// findSession returns what the provider calls a session. It returns false for a
// session that was opened with a password.
func findSession(ctx context.Context, tx *db.Tx, id string) (ssoSession, bool, error) {
	s, err := db.One[ssoSession](ctx, tx, `SELECT {cols} FROM sso_sessions WHERE env = ? AND id = ?`, tx.Env, id)
	if db.IsNoRows(err) {
		return s, false, nil
	}
	return s, err == nil, err
}

// listSessions returns the sessions of a subject, or of all subjects for "".
func listSessions(ctx context.Context, tx *db.Tx, c Connection, subject string) ([]ssoSession, error) {
	if subject == "" {
		return db.All[ssoSession](ctx, tx, `SELECT {cols} FROM sso_sessions WHERE env = ? AND connection_id = ? ORDER BY id`, c.Env, c.ID)
	}
	return db.All[ssoSession](ctx, tx, `SELECT {cols} FROM sso_sessions WHERE env = ? AND connection_id = ? AND subject = ? ORDER BY id`,
		c.Env, c.ID, subject)
}

// endSessionsAt ends the sessions of a subject that the provider has ended, with a
// cookie or as a Bearer token. No indexes means all of them. It returns how many
// there were.
func endSessionsAt(ctx context.Context, tx *db.Tx, c Connection, subject string, indexes []string) (n int, err error) {
	rows, err := listSessions(ctx, tx, c, subject)
	if err != nil {
		return 0, err
	}
	for _, s := range rows {
		if s.Issuer != c.issuer() || len(indexes) > 0 && !slices.Contains(indexes, s.SessionIndex) {
			continue
		}
		if err := endSession(ctx, tx, s); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// endSessionsOf ends all sessions of a connection.
func endSessionsOf(ctx context.Context, tx *db.Tx, c Connection) error {
	rows, err := listSessions(ctx, tx, c, "")
	if err != nil {
		return err
	}
	for _, s := range rows {
		if err := endSession(ctx, tx, s); err != nil {
			return err
		}
	}
	return nil
}

// endSession ends a session, if it is active. Every request looks its session up, so
// this takes effect with the next request on every node.
func endSession(ctx context.Context, tx *db.Tx, s ssoSession) error {
	if _, err := db.Exec(ctx, tx, `UPDATE sso_sessions SET refresh_at = NULL WHERE env = ? AND id = ?`, s.Env, s.ID); err != nil {
		return err
	}
	session, err := people.FindSession(ctx, tx, s.ID)
	if fault.KindOf(err) == fault.KindNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if err := people.EndSession(ctx, tx, session); err != nil {
		return err
	}
	return audit.Record(ctx, tx, "session.ended", s.ID, map[string][2]any{
		"user_id": {session.UserID, nil}, "connection_id": {s.ConnectionID, nil},
	})
}
