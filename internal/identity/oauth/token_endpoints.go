package oauth

import (
	"context"
	"crypto/subtle"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"slipway/internal/identity/people"
	"slipway/internal/platform/authlog"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/token"
	"slipway/internal/vocab/wire"
)

// tokenResponse is the response of the token endpoint. The last three fields are
// specific to this server.
type tokenResponse struct {
	_ struct{} `doc:"Tokens of an app."`

	AccessToken  string    `json:"access_token" privacy:"secret" doc:"Send it as Authorization: Bearer."`
	TokenType    string    `json:"token_type" enum:"Bearer" doc:"Always Bearer."`
	ExpiresIn    int64     `json:"expires_in" doc:"Seconds until the access token expires."`
	RefreshToken string    `json:"refresh_token,omitempty" privacy:"secret" doc:"Gets the next tokens. Missing for client_credentials."`
	Scope        string    `json:"scope" doc:"Scopes of the access token, separated by spaces."`
	InstallID    string    `json:"install_id" doc:"Install of the app that the token belongs to."`
	Environment  auth.Mode `json:"environment" doc:"Environment of the install."`
	DealershipID string    `json:"dealership_id" doc:"Dealership of the install."`
}

func newTokenResponse(h holder, access, refresh string, scopes []auth.Scope) tokenResponse {
	return tokenResponse{AccessToken: access, TokenType: "Bearer", ExpiresIn: int64(accessLifetime / time.Second), RefreshToken: refresh, Scope: join(scopes), InstallID: h.Install, Environment: h.Mode, DealershipID: h.DealershipID}
}

// token serves the token endpoint.
func (a *API) token(w http.ResponseWriter, r *http.Request) {
	a.serveClient(w, r, func(ctx context.Context, app App, form url.Values) (any, error) {
		switch form.Get("grant_type") {
		case "authorization_code":
			return a.exchangeCode(ctx, app, form)
		case "refresh_token":
			return a.refresh(ctx, app, form)
		case "client_credentials":
			return a.issueForClient(ctx, app, form)
		case "":
			return nil, errProtocol("invalid_request", "grant_type is required.")
		}
		return nil, errProtocol("unsupported_grant_type", "grant_type must be authorization_code, refresh_token or client_credentials.")
	})
}

// exchangeCode exchanges a code for tokens. From the use of the code on, a rejection
// commits, so that the code can't be tried again.
func (a *API) exchangeCode(ctx context.Context, app App, form url.Values) (any, error) {
	code := form.Get("code")
	parsed, ok := token.Parse(code)
	if !ok || parsed.Kind != token.Code {
		return nil, errProtocol("invalid_grant", "The code is not valid.")
	}

	return db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (any, error) {
		g, err := findGrant(ctx, tx, parsed)
		if db.IsNoRows(err) || (err == nil && (!app.owns(g.holder) || subtle.ConstantTimeCompare(g.CodeHash, token.Hash(code)) != 1)) {
			return nil, errProtocol("invalid_grant", "The code is not valid.").of(app.Env, app.ID)
		}
		if err != nil {
			return nil, err
		}

		tx = tx.In(g.Env)
		ctx = auth.With(ctx, g.holder.principal(g.Env, nil))
		first, err := useCode(ctx, tx, g)
		if err != nil {
			return nil, err
		}
		if !first {
			if err := revokeGrant(ctx, tx, g.ID, "the code was used twice"); err != nil {
				return nil, err
			}
			return nil, db.Committed(errProtocol("invalid_grant", "The code was already used. Its tokens were revoked.").of(g.Env, g.AppID))
		}
		u, err := people.FindUser(ctx, tx, g.UserID)
		if err != nil {
			return nil, err
		}
		rejected := g.checkExchange(form, u, tx.Now)
		if rejected == nil {
			rejected = a.checkResource(form, g.Resource)
		}
		if rejected != nil {
			return nil, db.Committed(rejected)
		}

		refresh, publicID := token.New(token.Refresh, g.Mode, tx.Env)
		if err := insertRefresh(ctx, tx, tokenOf{g.holder, &g.ID, g.Scopes, g.Resource}, refresh, publicID); err != nil {
			return nil, err
		}
		scopes := common(g.Scopes, g.InstallScopes, g.AppScopes)
		access, err := insertAccess(ctx, tx, tokenOf{g.holder, &g.ID, scopes, g.Resource}, "token.granted", "authorization_code")
		return newTokenResponse(g.holder, access, refresh, scopes), err
	})
}

// checkExchange returns why a code can't be exchanged, or nil.
func (g heldGrant) checkExchange(form url.Values, u people.User, now time.Time) *protocolError {
	redirect := form.Get("redirect_uri")
	switch {
	case !now.Before(g.ExpiresAt):
		return errProtocol("invalid_grant", "The code has expired.").of(g.Env, g.AppID)
	case g.RevokedAt != nil, u.Status != people.Active:
		return errProtocol("invalid_grant", "The code is not valid.").of(g.Env, g.AppID)
	case redirect != g.RedirectURI && (redirect != "" || g.RedirectGiven):
		return errProtocol("invalid_grant", "redirect_uri must be the same as in the authorization request.").of(g.Env, g.AppID)
	case !verifyPKCE(g.Challenge, form.Get("code_verifier")):
		return errProtocol("invalid_grant", "code_verifier does not match the authorization request.").of(g.Env, g.AppID)
	}
	return nil
}

// refresh exchanges a refresh token for an access token and the next refresh token.
func (a *API) refresh(ctx context.Context, app App, form url.Values) (any, error) {
	text := form.Get("refresh_token")
	parsed, ok := token.Parse(text)
	if !ok || parsed.Kind != token.Refresh {
		return nil, errProtocol("invalid_grant", "The refresh token is not valid.")
	}

	return db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (any, error) {
		t, err := findToken(ctx, tx, parsed)
		if db.IsNoRows(err) || (err == nil && (!app.owns(t.holder) || t.Kind != token.Refresh)) {
			return nil, errProtocol("invalid_grant", "The refresh token is not valid.").of(app.Env, app.ID)
		}
		if err != nil {
			return nil, err
		}
		if t.check(text, tx.Now) != nil {
			return nil, errProtocol("invalid_grant", "The refresh token was revoked or has expired.").of(t.Env, t.AppID)
		}
		scopes, rejected := narrow(t.scopes(), form.Get("scope"))
		if rejected == nil {
			rejected = a.checkResource(form, t.Resource)
		}
		if rejected != nil {
			return nil, rejected
		}

		tx = tx.In(t.Env)
		ctx = auth.With(ctx, t.principal())
		next, ok, err := replaceRefresh(ctx, tx, t, text)
		if err != nil {
			return nil, err
		}
		if !ok {
			if err := revokeGrant(ctx, tx, *t.GrantID, "a refresh token was used again"); err != nil {
				return nil, err
			}
			return nil, db.Committed(errProtocol("invalid_grant", "The refresh token was already used. Its tokens were revoked.").of(t.Env, t.AppID))
		}

		access, err := insertAccess(ctx, tx, tokenOf{t.holder, t.GrantID, scopes, t.Resource}, "token.refreshed", "refresh_token")
		return newTokenResponse(t.holder, access, next, scopes), err
	})
}

// narrow returns the requested scopes, or all if there are none. A request can't
// add scopes.
func narrow(held []auth.Scope, requested string) ([]auth.Scope, *protocolError) {
	scopes, unknown := parseScopes(requested)
	if extra := missing(scopes, held); unknown != "" || len(extra) > 0 {
		return nil, errProtocol("invalid_scope", "The scopes must be among those that a user allowed: %s.", join(held))
	}
	if len(scopes) == 0 {
		return held, nil
	}
	return scopes, nil
}

// issueForClient issues a token for an install to the app itself.
func (a *API) issueForClient(ctx context.Context, app App, form url.Values) (any, error) {
	if app.Type != Confidential {
		return nil, errProtocol("unauthorized_client", "A public app can't use client_credentials.")
	}
	if rejected := a.checkResource(form, forAPI); rejected != nil { // MCP acts for a user
		return nil, rejected
	}

	return db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (any, error) {
		found, err := findInstallsOf(ctx, tx, app, form.Get("install_id"))
		if err != nil {
			return nil, err
		}
		switch len(found) {
		case 0:
			return nil, errProtocol("invalid_grant", "The app is not installed.")
		case 1:
		default:
			return nil, errProtocol("invalid_request", "install_id is required, because the app is installed in several environments.")
		}

		env, h := found[0].Env, found[0].of(app)
		scopes, rejected := narrow(common(h.InstallScopes, h.AppScopes), form.Get("scope"))
		if rejected != nil {
			return nil, rejected
		}
		ctx = auth.With(ctx, h.principal(env, scopes))
		access, err := insertAccess(ctx, tx.In(env), tokenOf{h, nil, scopes, forAPI}, "token.granted", "client_credentials")
		return newTokenResponse(h, access, "", scopes), err
	})
}

// revoke ends a token (RFC 7009). A refresh token also ends its access tokens.
// Unknown tokens and those of other apps are ignored.
func (a *API) revoke(w http.ResponseWriter, r *http.Request) {
	a.serveClient(w, r, func(ctx context.Context, app App, form url.Values) (any, error) {
		text := form.Get("token")
		if text == "" {
			return nil, errProtocol("invalid_request", "token is required.")
		}
		parsed, ok := token.Parse(text)
		if !ok {
			return nil, nil
		}
		return db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (any, error) {
			t, err := findToken(ctx, tx, parsed)
			if db.IsNoRows(err) || (err == nil && (!app.owns(t.holder) || subtle.ConstantTimeCompare(t.Hash, token.Hash(text)) != 1)) {
				return nil, nil
			}
			if err != nil {
				return nil, err
			}

			ctx, tx = auth.With(ctx, t.principal()), tx.In(t.Env)
			if t.Kind == token.Refresh {
				return nil, revokeGrant(ctx, tx, *t.GrantID, "requested by the app")
			}
			return nil, revokeToken(ctx, tx, t)
		})
	})
}

// introspection describes a token (RFC 7662).
type introspection struct {
	_ struct{} `doc:"Whether a token works, and what it allows (RFC 7662)."`

	Active      bool      `json:"active" doc:"Whether the token works now. If not, there are no other fields."`
	Scope       string    `json:"scope,omitempty" doc:"Scopes, separated by spaces."`
	ClientID    string    `json:"client_id,omitempty" doc:"ID of the app."`
	TokenType   string    `json:"token_type,omitempty" doc:"Bearer for an access token."`
	Exp         int64     `json:"exp,omitzero" doc:"When it expires, in seconds since 1970."`
	Iat         int64     `json:"iat,omitzero" doc:"When it was issued, in seconds since 1970."`
	Sub         string    `json:"sub,omitempty" doc:"User who allowed the app."`
	Iss         string    `json:"iss,omitempty" doc:"The authorization server."`
	Aud         string    `json:"aud,omitempty" doc:"URL of the resource that the token is for."`
	InstallID   string    `json:"install_id,omitempty" doc:"Install that the token belongs to."`
	Environment auth.Mode `json:"environment,omitempty" doc:"Environment of the install."`
}

// introspect describes a token of the calling app. For all other tokens, it only
// says that they are not active.
func (a *API) introspect(w http.ResponseWriter, r *http.Request) {
	a.serveClient(w, r, func(ctx context.Context, app App, form url.Values) (any, error) {
		if app.Type != Confidential {
			return nil, errInvalidClient()
		}
		text := form.Get("token")
		if text == "" {
			return nil, errProtocol("invalid_request", "token is required.")
		}
		parsed, ok := token.Parse(text)
		if !ok {
			return introspection{}, nil
		}

		return db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (any, error) {
			t, err := findToken(ctx, tx, parsed)
			if db.IsNoRows(err) || (err == nil && (!app.owns(t.holder) || t.check(text, tx.Now) != nil || t.ReplacedAt != nil)) {
				return introspection{}, nil //nolint:nilerr // the response doesn't say why a token is not active
			}
			if err != nil {
				return nil, err
			}
			p, err := t.caller(ctx, tx)
			if fault.KindOf(err) == fault.KindUnauthenticated {
				return introspection{}, nil
			}
			if err != nil {
				return nil, err
			}
			out := introspection{
				Active: true, Scope: join(p.Scopes), ClientID: app.ID, Exp: t.ExpiresAt.Unix(), Iat: t.CreatedAt.Unix(),
				Sub: p.InstalledBy, Iss: a.AuthURL, Aud: a.audience(t.Resource), InstallID: t.InstallID, Environment: t.Mode,
			}
			if t.Kind == token.Access {
				out.TokenType = "Bearer"
			}
			return out, nil
		})
	})
}

// serveClient authenticates the client of a request, and writes the response.
func (a *API) serveClient(w http.ResponseWriter, r *http.Request, h func(ctx context.Context, app App, form url.Values) (any, error)) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Pragma", "no-cache")
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		a.fail(w, r, &protocolError{Code: "invalid_request", Description: "Send a POST request.", status: http.StatusMethodNotAllowed})
		return
	}
	form, err := readForm(r)
	if err != nil {
		a.fail(w, r, err)
		return
	}
	app, err := a.authenticateClient(r, form)
	if err != nil {
		a.fail(w, r, err)
		return
	}
	out, err := h(r.Context(), app, form)
	if err != nil {
		a.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, out)
}

// readForm reads the parameters of a request. They must be in the body, because
// servers log URLs.
func readForm(r *http.Request) (url.Values, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/x-www-form-urlencoded" {
		return nil, errProtocol("invalid_request", "The content type must be application/x-www-form-urlencoded.")
	}
	if err := r.ParseForm(); err != nil {
		return nil, errProtocol("invalid_request", "The body could not be read as a form.")
	}
	for name := range r.PostForm {
		if _, err := single(r.PostForm, name); err != nil {
			return nil, err
		}
	}
	return r.PostForm, nil
}

// authenticateClient returns the app of a request.
func (a *API) authenticateClient(r *http.Request, form url.Values) (App, error) {
	id, secret, err := readClient(r, form)
	if err != nil {
		return App{}, err
	}
	if isUnregistered(id) && secret == "" { // its codes and tokens show that the document was read
		return App{Type: Public, MetadataURL: &id}, nil
	}
	app, err := db.Read(r.Context(), a.DB, func(ctx context.Context, tx *db.Tx) (App, error) { return findClient(ctx, tx, id) })
	if err != nil && !db.IsNoRows(err) {
		return App{}, err
	}

	// An unknown app has no secret, and takes as long as a wrong one.
	right := app.hasSecret(secret, a.DB.Now())
	if err == nil && (right || app.Type == Public && secret == "") {
		return app, nil
	}
	return App{}, a.rejectClient(r.Context(), app, id)
}

// readClient returns the client ID and the secret, which are in the header or in
// the body.
func readClient(r *http.Request, form url.Values) (id, secret string, err error) {
	id, secret, basic := r.BasicAuth()
	if !basic {
		if id = form.Get("client_id"); id == "" {
			return "", "", &protocolError{Code: "invalid_client", Description: "The client is missing. Send client_id, or use Basic authentication.", status: 401}
		}
		return id, form.Get("client_secret"), nil
	}

	// RFC 6749, section 2.3.1: both are form-encoded first.
	id, idErr := url.QueryUnescape(id)
	secret, secretErr := url.QueryUnescape(secret)
	switch {
	case idErr != nil || secretErr != nil:
		return "", "", errInvalidClient()
	case form.Has("client_secret"):
		return "", "", errProtocol("invalid_request", "Send the client secret in the header or in the body, not in both.")
	case form.Has("client_id") && form.Get("client_id") != id:
		return "", "", errProtocol("invalid_request", "client_id is not the same in the header and in the body.")
	}
	return id, secret, nil
}

// rejectClient records a failed client authentication. After ten in a row from one
// address, it asks the client to wait. The right secret always works, so that no
// one can lock an app out: the secret is too long to be guessed.
func (a *API) rejectClient(ctx context.Context, app App, id string) error {
	err := errInvalidClient().of(app.Env, id[:min(len(id), 64)])
	address := auth.RequestFrom(ctx).IP
	for bucket, burst := range map[string]int{"client " + id: 10, "address": 30} {
		if taken := a.Failures.TakeAddress(bucket, address, burst, 10*time.Second); taken.Wait > 0 {
			err.status, err.retryAfter = http.StatusTooManyRequests, taken.Wait
			err.Description = "Too many failed attempts. Retry after the time in Retry-After."
		}
	}
	return err
}

// fail writes an error in the form of RFC 6749, and records whose request it was.
func (a *API) fail(w http.ResponseWriter, r *http.Request, err error) {
	e, ok := errors.AsType[*protocolError](err)
	switch {
	case ok:
		if e.appID != "" {
			a.AuthLog.Reject(r.Context(), authlog.Rejection{Env: e.env, Kind: authlog.KindApp, ID: e.appID, Err: e})
		}
	case db.IsUnavailable(err):
		e = &protocolError{Code: "temporarily_unavailable", Description: "The service is temporarily unavailable. Try again later.", status: 503, retryAfter: 30 * time.Second}
	default:
		a.Log.ErrorContext(r.Context(), "request failed", "path", r.URL.Path, "request_id", auth.RequestFrom(r.Context()).ID, "err", err)
		e = &protocolError{Code: "server_error", Description: "Something went wrong on our side. Try again later.", status: 500}
	}

	if e.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int((e.retryAfter+time.Second-1)/time.Second)))
	}
	if e.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="slipway"`)
	}
	writeJSON(w, max(e.status, http.StatusBadRequest), e)
}

// writeJSON writes a response. Nil is an empty object.
func writeJSON(w http.ResponseWriter, status int, v any) {
	if v == nil {
		v = struct{}{}
	}
	body, err := wire.Marshal(v)
	if err != nil {
		panic(err) // plain strings and numbers
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the client might have disconnected
}
