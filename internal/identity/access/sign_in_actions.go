package access

import (
	"context"
	"crypto/subtle"
	"errors"
	"strings"
	"time"

	"slipway/internal/identity/people"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/authlog"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/token"
)

// CheckPassword returns the users with this email address and password, at least
// one. It returns the same error, after the same time, for an unknown account and a
// wrong password. Mode can be "" for both. Attempts are limited and counted.
func (a *API) CheckPassword(ctx context.Context, email string, mode auth.Mode, given string) ([]Checked, error) {
	email = strings.ToLower(strings.TrimSpace(email))
	req := auth.RequestFrom(ctx)
	candidates, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) ([]people.Candidate, error) {
		return people.FindCandidates(ctx, tx, email, mode, req.IP)
	})
	if err != nil {
		return nil, err
	}
	if err := a.Throttle.check(email, req.IP, people.AnyKnownHere(candidates)); err != nil {
		a.rejectSignIn(ctx, email, candidates, err)
		return nil, err
	}

	found, err := people.FindByPassword(ctx, a.DB, email, candidates, given)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		rejected := errSignIn()
		a.rejectSignIn(ctx, email, candidates, rejected)
		return nil, rejected
	}

	users := make([]Checked, len(found))
	for i, c := range found {
		users[i] = PasswordChecked(c)
	}
	return users, nil
}

// rejectSignIn records a rejected sign-in for each user with the address. An unknown
// address is in the log of the installation.
func (a *API) rejectSignIn(ctx context.Context, email string, users []people.Candidate, reason error) {
	for _, u := range users {
		a.AuthLog.Reject(ctx, authlog.Rejection{Env: u.Env, Kind: authlog.KindUser, ID: u.ID, Err: reason})
	}
	if len(users) == 0 {
		a.AuthLog.Reject(ctx, authlog.Rejection{Kind: authlog.KindUser, ID: email, Err: reason})
	}
}

// Verification returns the reason to reject a sign-in, or nil. It checks the two-factor
// method, if the user has one.
type Verification func(ctx context.Context, tx *db.Tx, u people.User) error

// Opening is how to open a session.
type Opening struct {
	Verify   Verification
	Browser  bool
	Replaces string // token of the browser session that ends with this sign-in, or ""
}

// Opened is a new session with its token.
type Opened struct {
	Token   string
	Session people.Session
	User    people.User
}

// OpenSession creates a session for a user whose password was checked. A wrong code
// commits, because it is counted.
func (a *API) OpenSession(ctx context.Context, c Checked, how Opening) (Opened, error) {
	ctx = auth.InEnv(ctx, c.Env)
	o, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (o Opened, err error) {
		u, err := people.FindUserForUpdate(ctx, tx, c.UserID)
		if err != nil {
			return o, err
		}
		if !c.isCurrent(u) { // it changed after the password was checked
			return o, errSignIn()
		}

		ctx = auth.With(ctx, auth.Principal{Env: u.Env, Mode: c.Mode, Actor: u.Actor()})
		if off, err := db.Attached[Hooks](tx).PasswordOff(ctx, tx, u); err != nil {
			return o, err
		} else if off {
			return o, errPasswordOff()
		}
		if err := how.Verify(ctx, tx, u); err != nil {
			return o, err
		}
		if how.Replaces != "" {
			if err := a.endBrowserSession(ctx, tx, how.Replaces); err != nil {
				return o, err
			}
		}
		return insertSession(ctx, tx, u, NewSession{Mode: c.Mode, Method: people.ByPassword, Browser: how.Browser})
	})
	if fault.KindOf(err) == fault.KindUnauthenticated {
		reason := errSignIn()
		if errors.Is(err, errOff) {
			reason, err = errPasswordOff(), errSignIn()
		}
		a.AuthLog.Reject(ctx, authlog.Rejection{Env: c.Env, Kind: authlog.KindUser, ID: c.UserID, Err: reason})
	}
	return o, err
}

// NewSession describes a session to open.
type NewSession struct {
	Mode      auth.Mode
	Method    people.SignInMethod
	ExpiresAt time.Time // defaults to 12 hours from now
	Browser   bool
	Replaces  string // token of the browser session that ends with this sign-in, or ""

	Parent *people.Session // that it ends with, or nil
}

// OpenSSOSession opens a session for a user whom an identity provider has signed in.
// The caller has locked the user and checked that the user is active.
func (a *API) OpenSSOSession(ctx context.Context, tx *db.Tx, u people.User, s NewSession) (Opened, error) {
	if s.Replaces != "" {
		if err := a.endBrowserSession(ctx, tx, s.Replaces); err != nil {
			return Opened{}, err
		}
	}
	return insertSession(ctx, tx, u, s)
}

func insertSession(ctx context.Context, tx *db.Tx, u people.User, n NewSession) (o Opened, err error) {
	bearer, publicID := token.New(token.Session, n.Mode, tx.Env)
	req := auth.RequestFrom(ctx)
	if n.ExpiresAt.IsZero() {
		n.ExpiresAt = tx.Now.Add(SessionLifetime)
	}
	s := people.Session{
		PublicID: publicID, Hash: token.Hash(bearer), UserID: u.ID, Method: n.Method, Browser: n.Browser,
		IP: null.From(req.IP), UserAgent: null.From(req.UserAgent), LastSeenAt: tx.Now, ExpiresAt: n.ExpiresAt,
	}
	if n.Parent != nil {
		s.ParentEnv, s.ParentID, s.ExpiresAt = &n.Parent.Env, &n.Parent.ID, n.Parent.ExpiresAt
	}
	if n.Browser {
		if u, err = people.FindUser(ctx, tx, u.ID); err != nil { // a factor might have become active
			return o, err
		}
		scopes, err := people.ScopesOf(ctx, tx, u)
		if err != nil {
			return o, err
		}
		s.Rights = rightsOf(u, scopes)
	}
	if err := people.InsertSession(ctx, tx, &s); err != nil {
		return o, err
	}
	return Opened{bearer, s, u}, audit.Record(ctx, tx, "session.started", s.ID, audit.Diff(nil, s))
}

// WithCode returns the check of a two-factor code at the time when it was received.
func (a *API) WithCode(code *string, received time.Time) Verification {
	return func(ctx context.Context, tx *db.Tx, u people.User) error {
		if !u.HasActiveFactor() {
			return nil
		}
		if code == nil {
			return errCodeRequired()
		}
		err := a.CheckCode(ctx, tx, u, *code, received)
		switch {
		case !db.IsCommitted(err):
			return err
		case fault.KindOf(err) == fault.KindRateLimited:
			authlog.Reject(ctx, tx, authlog.Rejection{Env: u.Env, Kind: authlog.KindUser, ID: u.ID, Err: err})
			return err
		}
		return db.Committed(errSignIn())
	}
}

// BrowserCaller is the user of a browser session.
type BrowserCaller struct {
	auth.Principal
	User    people.User
	Session people.Session

	// RightsChanged means that the session needs a new token.
	RightsChanged bool
	rights        []byte
}

// AuthenticateBrowser returns the user of the token in a cookie.
func (a *Authenticator) AuthenticateBrowser(ctx context.Context, cookie string) (BrowserCaller, error) {
	t, ok := token.Parse(cookie)
	if !ok || t.Kind != token.Session {
		return BrowserCaller{}, errSessionEnded()
	}
	now := a.DB.Now().UTC()
	if r, ok := a.rejectedCookies.find(cookie, now); ok {
		return BrowserCaller{}, a.reject(ctx, r)
	}

	c, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (BrowserCaller, error) {
		return a.authenticateSession(ctx, tx, cookie, t, true)
	})
	if r, ok := errors.AsType[*rejectedError](err); ok {
		a.rejectedCookies.add(cookie, r.rejection, now)
		err = a.reject(ctx, r.rejection)
	}
	return c, err
}

// RotateSession gives a browser session a new token. It returns "" if another
// request has already done it.
func (a *API) RotateSession(ctx context.Context, c BrowserCaller) (cookie string, err error) {
	ctx = auth.With(ctx, c.Principal)
	return db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (string, error) {
		cookie, publicID := token.New(token.Session, c.Mode, tx.Env)
		s := c.Session
		s.PublicID, s.Hash, s.Rights = publicID, token.Hash(cookie), c.rights
		ok, err := people.ReplaceToken(ctx, tx, c.Session.PublicID, s)
		if err != nil || !ok {
			return "", err
		}
		return cookie, audit.Record(ctx, tx, "session.rotated", s.ID, nil)
	})
}

// EndBrowserSession ends the session of the token in a cookie, if it is valid.
func (a *API) EndBrowserSession(ctx context.Context, cookie string) error {
	_, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
		return struct{}{}, a.endBrowserSession(ctx, tx, cookie)
	})
	return err
}

func (a *API) endBrowserSession(ctx context.Context, tx *db.Tx, cookie string) error {
	t, ok := token.Parse(cookie)
	if !ok {
		return nil
	}
	s, err := people.FindSessionByToken(ctx, tx, t)
	if db.IsNoRows(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if !s.Browser || s.Mode != t.Mode || s.EndedAt != nil || subtle.ConstantTimeCompare(s.Hash, token.Hash(cookie)) != 1 {
		return nil
	}

	tx = tx.In(s.Env)
	u, err := people.FindUser(ctx, tx, s.UserID)
	if err != nil {
		return err
	}
	return endSession(auth.With(ctx, auth.Principal{Env: s.Env, Mode: s.Mode, Actor: u.Actor()}), tx, s.Session)
}

// EndOwnSession ends another session of the same user.
func (a *API) EndOwnSession(ctx context.Context, c auth.Principal, id string) error {
	_, err := db.Write(auth.With(ctx, c), a.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
		s, err := people.FindSession(ctx, tx, id)
		if err == nil && s.UserID != c.UserID {
			err = fault.NotFound("session", id)
		}
		if err != nil {
			return struct{}{}, err
		}
		return struct{}{}, endSession(ctx, tx, s)
	})
	return err
}

// SignOutElsewhere ends the other sessions of the caller's user, and the keys of slipway
// login.
func (a *API) SignOutElsewhere(ctx context.Context, c auth.Principal) error {
	_, err := db.Write(auth.With(ctx, c), a.DB, func(ctx context.Context, tx *db.Tx) (none struct{}, err error) {
		u, err := people.FindUserForUpdate(ctx, tx, c.UserID)
		if err != nil {
			return none, err
		}
		open, err := people.OpenSessions(ctx, tx, u)
		if err != nil {
			return none, err
		}
		for _, s := range open {
			if s.ID == c.SessionID {
				continue
			}
			if err := endSession(ctx, tx, s); err != nil {
				return none, err
			}
		}
		return none, people.EndLogins(ctx, tx, u)
	})
	return err
}

// RevokeOwnLogin revokes a key of slipway login of the caller's user.
func (a *API) RevokeOwnLogin(ctx context.Context, c auth.Principal, id string) error {
	_, err := db.Write(auth.With(ctx, c), a.DB, func(ctx context.Context, tx *db.Tx) (APIKey, error) {
		k, err := findKey(ctx, tx, id)
		if err == nil && (k.UserID == nil || *k.UserID != c.UserID) {
			err = fault.NotFound("API key", id)
		}
		if err != nil {
			return k, err
		}
		return revokeKey(ctx, tx, k)
	})
	return err
}
