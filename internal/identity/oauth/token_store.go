package oauth

import (
	"context"
	"crypto/subtle"
	"time"

	"slipway/internal/identity/people"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/platform/site"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/token"
)

// grant is an authorization: a code, and the tokens that it was exchanged for.
type grant struct {
	Env           auth.Env     `db:"env"`
	ID            string       `db:"id"`
	InstallID     string       `db:"install_id"`
	UserID        string       `db:"user_id"`
	Scopes        []auth.Scope `db:"scopes,json"`
	CodePublicID  string       `db:"code_public_id"`
	CodeHash      []byte       `db:"code_hash"`
	RedirectURI   string       `db:"redirect_uri"`
	RedirectGiven bool         `db:"redirect_given"`
	Challenge     string       `db:"challenge"`
	Resource      resource     `db:"resource"`
	CreatedAt     time.Time    `db:"created_at"`
	ExpiresAt     time.Time    `db:"expires_at"`
	UsedAt        *time.Time   `db:"used_at"`
	RevokedAt     *time.Time   `db:"revoked_at"`
}

// tokenRow is an access token or a refresh token.
type tokenRow struct {
	Env        auth.Env     `db:"env"`
	ID         string       `db:"id"`
	PublicID   string       `db:"public_id"`
	Hash       []byte       `db:"hash"`
	Kind       token.Kind   `db:"kind"`
	InstallID  string       `db:"install_id"`
	GrantID    *string      `db:"grant_id"`
	Scopes     []auth.Scope `db:"scopes,json"`
	Resource   resource     `db:"resource"`
	CreatedAt  time.Time    `db:"created_at"`
	ExpiresAt  time.Time    `db:"expires_at"`
	ReplacedAt *time.Time   `db:"replaced_at"`
	RevokedAt  *time.Time   `db:"revoked_at"`
}

var (
	grants = db.Table[grant]{Name: "oauth_grants", Prefix: "grt", Noun: "grant"}
	tokens = db.Table[tokenRow]{Name: "oauth_tokens", Prefix: "tok", Noun: "token"}
)

// holder is what a code or token gives access to: the install, its app, the user
// who allowed it and the dealership.
type holder struct {
	Install       string       `db:"holder_install"`
	InstallScopes []auth.Scope `db:"install_scopes,json"`
	InstalledBy   string       `db:"holder_user"`
	UserName      string       `db:"user_name"`
	AppID         string       `db:"app_id"`
	AppName       string       `db:"app_name"`
	AppScopes     []auth.Scope `db:"app_scopes,json"`
	MetadataURL   *string      `db:"app_metadata_url"`
	Pin           string       `db:"pin"`
	DealershipID  string       `db:"dealership_id"`
	Mode          auth.Mode    `db:"mode"`
}

// holderColumns and holderJoins select a holder for the table x, which has env and
// install_id. They join a table of the dealership package, because every request of
// an app runs this query and a second one would slow it down.
const (
	holderColumns = `i.id AS holder_install, i.scopes AS install_scopes, i.user_id AS holder_user, i.user_name,
		a.id AS app_id, a.name AS app_name, a.scopes AS app_scopes, a.metadata_url AS app_metadata_url, a.pin, d.id AS dealership_id, d.mode`
	holderJoins = ` JOIN installs i ON i.env = x.env AND i.id = x.install_id JOIN apps a ON a.env = i.app_env AND a.id = i.app_id
		JOIN dealerships d ON d.env = x.env`
)

// label names the app and the user who allowed it, for the audit log and history.
func (h holder) label() string { return h.AppName + " (" + h.UserName + ")" }

// principal returns the app as a caller.
func (h holder) principal(env auth.Env, scopes []auth.Scope) auth.Principal {
	return auth.Principal{
		Env: env, Mode: h.Mode, DealershipID: h.DealershipID, OriginalID: h.Install, AppID: h.AppID, InstalledBy: h.InstalledBy,
		Actor:  auth.Actor{Type: auth.ActorApp, ID: h.AppID, Label: h.label()},
		Scopes: scopes, Version: h.Pin,
	}
}

// heldToken is a token with its holder.
type heldToken struct {
	tokenRow
	holder
	GrantRevokedAt *time.Time `db:"grant_revoked_at"`
	GrantUser      *string    `db:"grant_user"`
}

// scopes returns what the token can do now. The publisher can remove scopes from an
// app after users have allowed them.
func (t heldToken) scopes() []auth.Scope { return common(t.Scopes, t.InstallScopes, t.AppScopes) }

func (t heldToken) principal() auth.Principal { return t.holder.principal(t.Env, t.scopes()) }

// check returns an error unless the text is this token and the token is active.
func (t heldToken) check(text string, now time.Time) error {
	switch {
	case subtle.ConstantTimeCompare(t.Hash, token.Hash(text)) != 1:
		return errUnknownToken()
	case t.RevokedAt != nil || t.GrantRevokedAt != nil:
		return fault.Unauthenticated("This token was revoked.")
	case !now.Before(t.ExpiresAt):
		return fault.Unauthenticated("This token has expired.")
	}
	return nil
}

func errUnknownToken() error { return fault.Unauthenticated("Unknown token.") }

// findToken returns the row of a token in any environment.
func findToken(ctx context.Context, tx *db.Tx, t token.Token) (heldToken, error) {
	return db.OneNamed[heldToken](ctx, tx, t.Env, `SELECT {cols} FROM (SELECT x.*, `+holderColumns+`, g.revoked_at AS grant_revoked_at, g.user_id AS grant_user
		FROM oauth_tokens x`+holderJoins+` LEFT JOIN oauth_grants g ON g.env = x.env AND g.id = x.grant_id WHERE x.public_id = ? AND x.env = ?) AS found`, t.PublicID)
}

// Authenticate returns the caller of an access token. It looks the token up for
// each request, so that a revocation takes effect immediately on all nodes. The token
// must be for the resource that the request is for. If it rejects a token that exists, it
// also returns the environment and the app.
func (a *API) Authenticate(ctx context.Context, tx *db.Tx, text string, t token.Token, mcp bool) (p auth.Principal, err error) {
	found, err := findToken(ctx, tx, t)
	if db.IsNoRows(err) || (err == nil && (found.Kind != token.Access || found.Mode != t.Mode)) {
		return p, errUnknownToken()
	}
	if err != nil {
		return p, err
	}
	if err := found.check(text, tx.Now); err != nil {
		return auth.Principal{Env: found.Env, AppID: found.AppID}, err
	}

	if mcp != (found.Resource == forMCP) {
		return auth.Principal{Env: found.Env, AppID: found.AppID}, errAudience(mcp)
	}

	if p, err = found.caller(ctx, tx); err != nil {
		return p, err
	}
	a.Uses.mark(found.Env, found.InstallID, tx.Now)
	return p, nil
}

// caller returns the app as a caller now. For MCP, it acts for a user. An app without
// registration can do nothing else.
func (t heldToken) caller(ctx context.Context, tx *db.Tx) (auth.Principal, error) {
	switch {
	case t.Resource == forMCP && t.GrantUser != nil:
		return onBehalf(ctx, tx.In(t.Env), t.principal(), t)
	case t.MetadataURL != nil:
		return auth.Principal{Env: t.Env, AppID: t.AppID}, fault.Unauthenticated("An app without registration only works for MCP.")
	}
	return t.principal(), nil
}

func errAudience(mcp bool) error {
	if mcp {
		return fault.Unauthenticated("This token is not for MCP. Request one with the resource of this endpoint.")
	}
	return fault.Unauthenticated("This token is only for MCP. Request one without a resource.")
}

// onBehalf limits an app to what the user who allowed it can do now. Other tokens act for
// the dealership, but an assistant acts for one person.
func onBehalf(ctx context.Context, tx *db.Tx, p auth.Principal, t heldToken) (auth.Principal, error) {
	u, err := people.FindUser(ctx, tx, *t.GrantUser)
	if err != nil {
		return p, err
	}
	if u.Status != people.Active {
		return auth.Principal{Env: t.Env, AppID: t.AppID}, fault.Unauthenticated("The user of this token is not active.")
	}
	held, err := people.ScopesOf(ctx, tx, u)
	p.Scopes, p.InstalledBy, p.Personal, p.Locations = common(p.Scopes, held), u.ID, true, u.LimitedTo() // an assistant is not a manager
	p.Actor.Label = t.AppName + " (" + u.Name + ")"
	return p, err
}

// heldGrant is a grant with its holder.
type heldGrant struct {
	grant
	holder
}

// findGrant returns the grant of a code in any environment.
func findGrant(ctx context.Context, tx *db.Tx, t token.Token) (heldGrant, error) {
	return db.OneNamed[heldGrant](ctx, tx, t.Env, `SELECT {cols} FROM (SELECT x.*, `+holderColumns+`
		FROM oauth_grants x`+holderJoins+` WHERE x.code_public_id = ? AND x.env = ?) AS found`, t.PublicID)
}

// approval is where a user allowed a request.
type approval struct {
	mode   auth.Mode
	userID string
}

// insertGrant creates a grant with a code.
func insertGrant(ctx context.Context, tx *db.Tx, i Install, req request, by approval) (code string, err error) {
	code, publicID := token.New(token.Code, by.mode, tx.Env)
	return code, grants.Insert(ctx, tx, &grant{
		InstallID: i.ID, UserID: by.userID, Scopes: req.Scopes, CodePublicID: publicID, CodeHash: token.Hash(code),
		RedirectURI: req.RedirectURI, RedirectGiven: req.RedirectGiven, Challenge: req.Challenge, Resource: req.Resource, ExpiresAt: tx.Now.Add(codeLifetime),
	})
}

// useCode marks a code as used. It reports false if it was used before.
func useCode(ctx context.Context, tx *db.Tx, g heldGrant) (bool, error) {
	n, err := db.Exec(ctx, tx, `UPDATE oauth_grants SET used_at = ? WHERE env = ? AND id = ? AND used_at IS NULL`, tx.Now, g.Env, g.ID)
	return n == 1, err
}

// revokeGrant ends all tokens of a grant.
func revokeGrant(ctx context.Context, tx *db.Tx, id, reason string) error {
	n, err := db.Exec(ctx, tx, `UPDATE oauth_grants SET revoked_at = ? WHERE env = ? AND id = ? AND revoked_at IS NULL`, tx.Now, tx.Env, id)
	if err != nil || n == 0 {
		return err
	}
	return audit.Record(ctx, tx, "token.revoked", id, map[string][2]any{"reason": {nil, reason}})
}

// revokeToken ends one access token.
func revokeToken(ctx context.Context, tx *db.Tx, t heldToken) error {
	n, err := db.Exec(ctx, tx, `UPDATE oauth_tokens SET revoked_at = ? WHERE env = ? AND id = ? AND revoked_at IS NULL`, tx.Now, t.Env, t.ID)
	if err != nil || n == 0 {
		return err
	}
	return audit.Record(ctx, tx, "token.revoked", t.ID, map[string][2]any{"reason": {nil, "requested by the app"}})
}

// tokenOf is whose token it is, and what it allows.
type tokenOf struct {
	holder  holder
	grantID *string // nil for the app itself
	scopes  []auth.Scope
	to      resource
}

// insertAccess creates an access token and records it.
func insertAccess(ctx context.Context, tx *db.Tx, t tokenOf, action, grantType string) (text string, err error) {
	text, publicID := token.New(token.Access, t.holder.Mode, tx.Env)
	row := tokenRow{
		PublicID: publicID, Hash: token.Hash(text), Kind: token.Access, InstallID: t.holder.Install, GrantID: t.grantID,
		Scopes: t.scopes, Resource: t.to, ExpiresAt: tx.Now.Add(accessLifetime),
	}
	if err := tokens.Insert(ctx, tx, &row); err != nil {
		return "", err
	}
	return text, audit.Record(ctx, tx, action, row.ID, map[string][2]any{
		"install_id": {nil, t.holder.Install}, "grant_type": {nil, grantType}, "scopes": {nil, t.scopes},
	})
}

// insertRefresh saves a refresh token.
func insertRefresh(ctx context.Context, tx *db.Tx, t tokenOf, text, publicID string) error {
	return tokens.Insert(ctx, tx, &tokenRow{
		PublicID: publicID, Hash: token.Hash(text), Kind: token.Refresh, InstallID: t.holder.Install, GrantID: t.grantID,
		Scopes: t.scopes, Resource: t.to, ExpiresAt: tx.Now.Add(refreshLifetime),
	})
}

// successor returns the refresh token that replaces another one. It is calculated
// from the other one and a key of the installation. All nodes return the same, and
// the database has neither.
func successor(tx *db.Tx, text string, mode auth.Mode) (next, publicID string) {
	t, _ := token.Parse(text) // the next one names the environment if this one does, on servers of each version
	return token.Derive(token.Refresh, mode, t.Env, site.Of(tx).MAC([]byte("oauth refresh token after "+text)))
}

// replaceRefresh replaces a refresh token with its successor. It reports false if
// the token was replaced earlier than refreshGrace ago.
func replaceRefresh(ctx context.Context, tx *db.Tx, t heldToken, text string) (next string, ok bool, err error) {
	next, publicID := successor(tx, text, t.Mode)
	// The second of two simultaneous requests waits here, and then updates no row.
	n, err := db.Exec(ctx, tx, `UPDATE oauth_tokens SET replaced_at = ? WHERE env = ? AND id = ? AND replaced_at IS NULL`, tx.Now, t.Env, t.ID)
	if err != nil {
		return "", false, err
	}
	if n == 1 {
		return next, true, insertRefresh(ctx, tx, tokenOf{t.holder, t.GrantID, t.Scopes, t.Resource}, next, publicID)
	}

	at, err := db.One[time.Time](ctx, tx, `SELECT replaced_at FROM oauth_tokens WHERE env = ? AND id = ?`, t.Env, t.ID)
	return next, err == nil && tx.Now.Sub(at) <= refreshGrace, err
}

// heldInstall is an install of the client with its dealership.
type heldInstall struct {
	Env          auth.Env     `db:"env"`
	ID           string       `db:"id"`
	Scopes       []auth.Scope `db:"scopes,json"`
	UserID       string       `db:"user_id"`
	UserName     string       `db:"user_name"`
	DealershipID string       `db:"dealership_id"`
	Mode         auth.Mode    `db:"mode"`
}

// of returns the holder of the install, whose app is known.
func (i heldInstall) of(app App) holder {
	return holder{
		Install: i.ID, InstallScopes: i.Scopes, InstalledBy: i.UserID, UserName: i.UserName, DealershipID: i.DealershipID, Mode: i.Mode,
		AppID: app.ID, MetadataURL: app.MetadataURL, AppName: app.Name, AppScopes: app.Scopes, Pin: app.ServiceVersion,
	}
}

// findInstallsOf returns up to two installs of an app in all environments, or only
// the one with an ID.
func findInstallsOf(ctx context.Context, tx *db.Tx, app App, id string) ([]heldInstall, error) {
	return db.All[heldInstall](ctx, tx, `SELECT i.env, i.id, i.scopes, i.user_id, i.user_name, d.id, d.mode
		FROM installs i JOIN dealerships d ON d.env = i.env
		WHERE i.app_env = ? AND i.app_id = ? AND (i.id = ? OR ? = '') ORDER BY i.env LIMIT 2`, app.Env, app.ID, id, id)
}

// DeleteExpired deletes tokens that expired a day ago or earlier, and grants
// without tokens.
func DeleteExpired(ctx context.Context, tx *db.Tx) (int64, error) {
	yesterday := tx.Now.AddDate(0, 0, -1)
	n, err := db.Exec(ctx, tx, `DELETE FROM oauth_tokens WHERE expires_at < ?`, yesterday)
	if err != nil {
		return n, err
	}
	m, err := db.Exec(ctx, tx, `DELETE FROM oauth_grants WHERE expires_at < ? AND NOT EXISTS (
		SELECT 1 FROM oauth_tokens t WHERE t.env = oauth_grants.env AND t.grant_id = oauth_grants.id)`, yesterday)
	return n + m, err
}
