package access

import (
	"bytes"
	"context"
	"crypto/subtle"
	"errors"
	"slices"
	"sync"

	"slipway/internal/identity/people"
	"slipway/internal/platform/authlog"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/token"
	"slipway/internal/vocab/version"
)

// Authenticator checks the credentials of requests.
type Authenticator struct {
	DB      *db.DB
	Usage   *Usage
	AuthLog *authlog.Log

	keys            keyCache
	rejected        rejections
	rejectedCookies rejections
	rejectedMCP     rejections
}

// TokenAuthenticator authenticates the tokens of apps. It rejects a token with a fault of
// the kind unauthenticated. If the token exists, the principal then has its environment
// and its app. The last argument is whether the request is for MCP.
type TokenAuthenticator func(ctx context.Context, tx *db.Tx, bearer string, t token.Token, mcp bool) (auth.Principal, error)

// Authenticate returns the caller of a bearer token. It looks the token up for
// each request, so that a revocation takes effect immediately on all nodes.
func (a *Authenticator) Authenticate(ctx context.Context, bearer string) (auth.Principal, error) {
	if c, ok := ctx.Value(cookieKey{}).(cookie); ok {
		return a.authenticateCookie(ctx, c)
	}
	return a.authenticate(ctx, bearer, false)
}

// AuthenticateMCP returns the caller of a request for MCP: an access token for that
// resource, or an API key of the test environment. With a live key, no one would know who
// an assistant acts for.
func (a *Authenticator) AuthenticateMCP(ctx context.Context, bearer string) (auth.Principal, error) {
	switch t, ok := token.Parse(bearer); {
	case ok && t.Kind == token.Access, ok && t.Kind == token.Key && t.Mode == auth.Test:
		return a.authenticate(ctx, bearer, true)
	}
	return auth.Principal{}, a.reject(ctx, rejection{kind: authlog.KindAPIKey, id: token.Public(bearer), err: fault.Unauthenticated(
		"MCP accepts OAuth tokens for this resource, and API keys of the test environment. Connect with OAuth.")})
}

func (a *Authenticator) authenticate(ctx context.Context, bearer string, mcp bool) (auth.Principal, error) {
	t, ok := token.Parse(bearer)
	if !ok {
		return auth.Principal{}, a.reject(ctx, rejection{kind: authlog.KindAPIKey, err: errInvalid()})
	}
	now := a.DB.Now().UTC()
	rejected := &a.rejected
	if mcp { // a token can be rejected by one resource and work for the other
		rejected = &a.rejectedMCP
	}
	if r, ok := rejected.find(bearer, now); ok {
		return auth.Principal{}, a.reject(ctx, r)
	}

	p, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (auth.Principal, error) {
		switch t.Kind {
		case token.Key:
			return a.authenticateKey(ctx, tx, bearer, t)
		case token.Session:
			c, err := a.authenticateSession(ctx, tx, bearer, t, false)
			return c.Principal, err
		default:
			return a.authenticateApp(ctx, tx, bearer, t, mcp)
		}
	})
	if r, ok := errors.AsType[*rejectedError](err); ok {
		rejected.add(bearer, r.rejection, now)
		return p, a.reject(ctx, r.rejection)
	}
	return p, err
}

func errInvalid() error {
	return fault.Unauthenticated("Invalid credential. Check that the key was copied completely.")
}

// reject records a rejection and returns its error.
func (a *Authenticator) reject(ctx context.Context, r rejection) error {
	a.AuthLog.Reject(ctx, authlog.Rejection{Env: r.env, Kind: r.kind, ID: r.id, Err: r.err})
	return r.err
}

// rejectedError returns a rejection from the transaction.
type rejectedError struct{ rejection }

func (r *rejectedError) Error() string { return r.err.Error() }

// keyRow is a key with its dealership and mode.
type keyRow struct {
	APIKey
	DealershipID string    `db:"dealership_id"`
	Mode         auth.Mode `db:"mode"`
}

// authenticateKey joins a table of the dealership package, because every request
// runs this query and a second one would slow it down.
func (a *Authenticator) authenticateKey(
	ctx context.Context, tx *db.Tx, bearer string, t token.Token,
) (auth.Principal, error) {
	k, err := a.findKey(ctx, tx, t)
	if db.IsNoRows(err) {
		return auth.Principal{}, &rejectedError{rejection{err: errUnknownKey(), kind: authlog.KindAPIKey, id: token.Public(bearer)}}
	}
	if err != nil {
		return auth.Principal{}, err
	}
	if k.Mode != t.Mode {
		return auth.Principal{}, &rejectedError{rejection{err: errUnknownKey(), env: k.Env, kind: authlog.KindAPIKey, id: k.ID}}
	}
	if err := k.check(bearer, tx.Now); err != nil {
		return auth.Principal{}, &rejectedError{rejection{err: err, env: k.Env, kind: authlog.KindAPIKey, id: k.ID}}
	}

	actor := auth.Actor{Type: authlog.KindAPIKey, ID: k.ID, Label: k.Name}
	p := auth.Principal{
		Env: k.Env, Mode: k.Mode, DealershipID: k.DealershipID, OriginalID: k.OriginalID,
		Actor:  actor,
		Scopes: k.Scopes, Version: k.ServiceVersion,
	}
	if k.RateLimit != nil {
		p.Rate = float64(*k.RateLimit)
	}
	if k.UserID != nil {
		active, err := limitToUser(ctx, tx.In(k.Env), &p, *k.UserID)
		if err != nil {
			return auth.Principal{}, err
		}
		if !active {
			return auth.Principal{}, &rejectedError{rejection{err: errInactiveUser(), env: k.Env, kind: authlog.KindAPIKey, id: k.ID}}
		}
	}
	a.Usage.countKey(k.Env, k.ID, tx.Now)
	a.AuthLog.Used(ctx, k.Env, actor)
	return p, nil
}

func errInactiveUser() error { return fault.Unauthenticated("The user of this API key is not active.") }

// findKey returns a key. If nothing was written since it was last read, it isn't read
// again.
func (a *Authenticator) findKey(ctx context.Context, tx *db.Tx, t token.Token) (keyRow, error) {
	version, known := a.DB.DataVersion(ctx)
	if known {
		if k, ok := a.keys.find(t.PublicID, version); ok {
			return k, nil
		}
	}

	k, err := db.OneNamed[keyRow](ctx, tx, t.Env, `SELECT {cols} FROM (SELECT k.*, d.id AS dealership_id, d.mode
		FROM api_keys k JOIN dealerships d ON d.env = k.env WHERE k.public_id = ? AND k.env = ?) AS found`, t.PublicID)
	if err == nil && known {
		a.keys.add(t.PublicID, version, k)
	}
	return k, err
}

// maxCachedKeys limits the memory of keyCache.
const maxCachedKeys = 1000

// keyCache are keys that were read, by their public IDs.
type keyCache struct {
	mu      sync.Mutex
	version int64 // of the database when the keys were read
	rows    map[string]keyRow
}

func (c *keyCache) find(publicID string, version int64) (keyRow, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.version != version {
		return keyRow{}, false
	}
	k, ok := c.rows[publicID]
	return k, ok
}

func (c *keyCache) add(publicID string, version int64, k keyRow) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.version != version || len(c.rows) >= maxCachedKeys {
		c.version, c.rows = version, map[string]keyRow{}
	}
	c.rows[publicID] = k
}

func errSessionEnded() error {
	return fault.Unauthenticated("Invalid or expired session. Sign in again.")
}

// authenticateSession returns the user of a session. A token in a cookie must be of
// a browser session, and a bearer token must not.
func (a *Authenticator) authenticateSession(
	ctx context.Context, tx *db.Tx, bearer string, t token.Token, browser bool,
) (c BrowserCaller, err error) {
	s, err := people.FindSessionByToken(ctx, tx, t)
	ended := &rejectedError{rejection{err: errSessionEnded(), kind: authlog.KindSession, id: token.Public(bearer)}}
	if db.IsNoRows(err) {
		return c, ended
	}
	if err != nil {
		return c, err
	}
	ended.env, ended.id = s.Env, s.ID
	if s.Mode != t.Mode || subtle.ConstantTimeCompare(s.Hash, token.Hash(bearer)) != 1 || s.Browser != browser || !s.IsActive(tx.Now) {
		return c, ended
	}

	hasFactor, err := a.checkParent(ctx, tx, s.Session)
	if fault.KindOf(err) == fault.KindNotFound {
		return c, ended
	}
	if err != nil {
		return c, err
	}
	tx = tx.In(s.Env)
	u, err := people.FindUser(ctx, tx, s.UserID)
	if err != nil {
		return c, err
	}
	if u.Status != people.Active {
		return c, ended
	}
	scopes, err := people.ScopesOf(ctx, tx, u)
	if err != nil {
		return c, err
	}

	a.Usage.markSession(s.Env, s.ID, u.ID, tx.Now)
	c = BrowserCaller{User: u, Session: s.Session, rights: rightsOf(u, scopes)}
	c.RightsChanged = !bytes.Equal(c.rights, s.Rights)
	c.Principal = auth.Principal{
		Env: s.Env, Mode: s.Mode, DealershipID: s.DealershipID, OriginalID: u.ID,
		Actor: u.Actor(), UserID: u.ID, SessionID: s.ID, Scopes: uniqueScopes(scopes), Version: version.Latest(),
		Personal: true, Manager: u.IsManager(), Locations: u.LimitedTo(),
	}
	if c.Can(auth.Admin) && !u.HasActiveFactor() && !hasFactor {
		c.MustEnroll, c.Scopes, c.Refusal = true, []auth.Scope{}, errMustEnroll(c.UserID)
	}
	return c, nil
}

// checkParent reports whether a session was opened from a live session of a user with a
// two-factor method. If that session has ended, it returns a not-found error. A request
// keeps both from expiring.
func (a *Authenticator) checkParent(ctx context.Context, tx *db.Tx, s people.Session) (hasFactor bool, err error) {
	if s.ParentID == nil || s.ParentEnv == nil {
		return false, nil
	}
	tx = tx.In(*s.ParentEnv)
	parent, err := people.FindSession(ctx, tx, *s.ParentID)
	if err != nil {
		return false, err
	}
	u, err := people.FindUser(ctx, tx, parent.UserID)
	if err == nil && u.Status != people.Active {
		err = fault.NotFound("session", parent.ID)
	}
	if err == nil {
		a.Usage.markSession(parent.Env, parent.ID, parent.UserID, tx.Now)
	}
	return u.HasActiveFactor(), err
}

type cookieKey struct{}

type cookie struct {
	token   string
	problem error
}

// WithCookie adds the token of a cookie to a request of the console, or the reason why the
// request can't use it. Requests of programs have a bearer token instead.
func WithCookie(ctx context.Context, token string, problem error) context.Context {
	return context.WithValue(ctx, cookieKey{}, cookie{token, problem})
}

// FromConsole reports whether the caller uses the console in a browser. Programs can't.
func FromConsole(ctx context.Context) bool {
	c, ok := ctx.Value(cookieKey{}).(cookie)
	return ok && c.problem == nil
}

func (a *Authenticator) authenticateCookie(ctx context.Context, c cookie) (auth.Principal, error) {
	if c.problem != nil {
		return auth.Principal{}, c.problem
	}
	found, err := a.AuthenticateBrowser(ctx, c.token)
	return found.Principal, err
}

func (a *Authenticator) authenticateApp(ctx context.Context, tx *db.Tx, bearer string, t token.Token, mcp bool) (auth.Principal, error) {
	authenticate, ok := db.Attached[Hooks](tx).Tokens[t.Kind]
	if !ok {
		return auth.Principal{}, &rejectedError{rejection{err: errInvalid(), kind: authlog.KindApp, id: token.Public(bearer)}}
	}
	p, err := authenticate(ctx, tx, bearer, t, mcp)
	switch rejected := fault.KindOf(err) == fault.KindUnauthenticated; {
	case rejected && p.Env == 0:
		return p, &rejectedError{rejection{err: err, kind: authlog.KindApp, id: token.Public(bearer)}}
	case rejected:
		return p, &rejectedError{rejection{err: err, env: p.Env, kind: authlog.KindApp, id: p.AppID}}
	case err != nil:
		return p, err
	}
	a.AuthLog.Used(ctx, p.Env, p.Actor)
	return p, nil
}

// commonScopes returns the scopes that are in both lists.
func commonScopes(a, b []auth.Scope) []auth.Scope {
	common := []auth.Scope{}
	for _, s := range a {
		if slices.Contains(b, s) {
			common = append(common, s)
		}
	}
	return common
}

// uniqueScopes returns the scopes of several roles without duplicates.
func uniqueScopes(scopes []auth.Scope) []auth.Scope {
	unique := []auth.Scope{}
	for _, known := range auth.Scopes {
		if auth.Require(known.Scope).Allows(scopes) {
			unique = append(unique, known.Scope)
		}
	}
	return unique
}

// errMustEnroll says what an administrator without a two-factor method has to do.
func errMustEnroll(userID string) error {
	return fault.Forbidden("Administrators need a two-factor method. Enroll one first with POST /v1/users/%s/mfa_factors, and verify it.", userID).
		Detail("Authorization", "mfa", "is a session of an administrator without a two-factor method")
}
