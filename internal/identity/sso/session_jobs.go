package sso

import (
	"context"
	"errors"
	"time"

	"slipway/internal/identity/access"
	"slipway/internal/identity/people"
	"slipway/internal/identity/sso/oidc"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// refreshSessionsEvery is how often sessions that are about to end are looked for.
const refreshSessionsEvery = time.Minute

// refreshBatch limits the sessions of one run.
const refreshBatch = 200

// refreshTime returns when to refresh a session: shortly before it ends.
func refreshTime(now, end time.Time) time.Time {
	return end.Add(-min(5*time.Minute, end.Sub(now)/2)).Truncate(time.Millisecond)
}

// RefreshSessions is the job that asks OIDC providers whether users can still sign in.
// An ID token is often valid for minutes only, so a session with a refresh token is
// extended, for up to 12 hours.
type RefreshSessions struct{}

// Kind returns the name of the job.
func (RefreshSessions) Kind() string { return "refresh_sso_sessions" }

// Lane separates the job from those that don't wait for other servers.
func (RefreshSessions) Lane() string { return jobs.Network }

// Timeout allows for slow providers.
func (RefreshSessions) Timeout() time.Duration { return 5 * time.Minute }

// RefreshSessions refreshes the sessions that are due.
func (a *API) RefreshSessions(ctx context.Context, _ RefreshSessions) error {
	due, err := db.Write(ctx, a.DB, takeDueSessions)
	for _, s := range due {
		err = errors.Join(err, a.refreshSession(auth.InEnv(ctx, s.Env), s))
	}
	return err
}

// refreshSession extends a session, or ends it if the provider says so. If the
// provider can't be reached, the session ends when the ID token does.
func (a *API) refreshSession(ctx context.Context, s ssoSession) error {
	type found struct {
		connection Connection
		session    people.Session
	}
	f, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (f found, err error) {
		if f.connection, err = a.find(ctx, tx, s.ConnectionID); err == nil {
			f.session, err = people.FindSession(ctx, tx, s.ID)
		}
		return f, err
	})
	if fault.KindOf(err) == fault.KindNotFound {
		return nil // the session has ended
	}
	if err != nil {
		return err
	}
	tokens, err := s.openSecrets(a.Box)
	if err != nil {
		return err
	}
	client, err := a.client(ctx, f.connection)
	if err != nil {
		return nil //nolint:nilerr // the provider is unavailable
	}

	id, err := client.Refresh(ctx, tokens.RefreshToken, s.Subject)
	if problem, ok := errors.AsType[*oidc.Fault](err); ok {
		a.Log.WarnContext(ctx, "can't refresh an SSO session", "connection", s.ConnectionID, "err", problem)
		return nil
	}
	ended := errors.Is(err, oidc.ErrEnded)
	if err != nil && !ended {
		return err
	}
	_, err = db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
		if ended {
			_, err := endSessionsAt(ctx, tx, f.connection, s.Subject, indexesOf(s))
			return struct{}{}, err
		}
		return struct{}{}, a.extend(ctx, tx, refreshing{f.connection, f.session, s}, id)
	})
	return err
}

// refreshing is a session that the provider has confirmed.
type refreshing struct {
	connection Connection
	session    people.Session
	atProvider ssoSession
}

// extend moves the end of the sessions that belong to the same session at the
// provider.
func (a *API) extend(ctx context.Context, tx *db.Tx, r refreshing, id oidc.Identity) error {
	session, s := r.session, r.atProvider
	until := identity{ExpiresAt: id.ExpiresAt}.expiry(tx.Now)
	if last := session.CreatedAt.Add(access.SessionLifetime); until.After(last) {
		until = last
	}
	if !until.After(session.ExpiresAt) {
		return nil
	}
	tokens, err := s.openSecrets(a.Box)
	if err != nil {
		return err
	}
	if id.IDToken != "" {
		tokens.IDToken = id.IDToken
	}
	if id.RefreshToken != "" {
		tokens.RefreshToken = id.RefreshToken
	}

	rows, err := listSessions(ctx, tx, r.connection, s.Subject)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if row.ID != s.ID && (row.SessionIndex != s.SessionIndex || s.SessionIndex == "") {
			continue
		}
		ok, err := people.ExtendSession(ctx, tx, row.ID, until)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if row.ExpiresAt = until.Add(keepFor); row.ID == s.ID {
			row.RefreshAt = new(refreshTime(tx.Now, until))
			if err := row.sealSecrets(a.Box, tokens); err != nil {
				return err
			}
		}
		if err := saveSession(ctx, tx, row); err != nil {
			return err
		}
	}
	return nil
}
