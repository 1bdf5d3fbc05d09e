package oauth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"slipway/internal/dealership"
	"slipway/internal/identity/signin"
	"slipway/internal/platform/db"
	"slipway/internal/platform/pages"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// authorize shows the page where a user allows an app to access an environment, and
// handles its form. It first checks where the response can be sent to. Before that,
// errors are shown to the user. After that, they are returned to the app.
//
// Anyone can describe an app that is not registered. So the user signs in before the server
// reads anything about it, and errors are not returned to an app that no one uses yet:
// otherwise the page would lead to any site.
func (a *API) authorize(w http.ResponseWriter, r *http.Request) {
	params := r.URL.Query()
	var v signin.Visitor
	registered := !isUnregistered(params.Get("client_id"))
	if !registered {
		var ok bool
		if v, ok = a.SignIn.Require(w, r); !ok {
			return
		}
	}
	app, req, err := a.findRequest(r.Context(), params)
	if err != nil {
		a.showError(w, r, err)
		return
	}
	trusted, err := a.isTrusted(r.Context(), v, app)
	if err != nil {
		a.showError(w, r, err)
		return
	}
	if !trusted && app.expired {
		a.showError(w, r, &errRedirect{"The registration of the app has expired. The app must register again."})
		return
	}

	err = parseRequest(params, app.App, &req)
	if err == nil {
		req.Resource, err = a.parseResource(params)
	}
	if err == nil && !registered && req.Resource != forMCP {
		err = errProtocol("invalid_target", "An app without registration only works for MCP. Send resource=%s.", a.audience(forMCP))
	}
	if e, ok := errors.AsType[*protocolError](err); ok && !trusted {
		a.showError(w, r, &errRedirect{"The link of the app is not valid: " + e.Description})
		return
	}
	if err != nil {
		signin.Leave(w, req.errorResponse(a.AuthURL, err))
		return
	}
	if registered {
		var ok bool
		if v, ok = a.SignIn.Require(w, r); !ok {
			return
		}
	}

	c, err := db.Read(r.Context(), a.DB, func(ctx context.Context, tx *db.Tx) (consent, error) { return findConsent(ctx, tx, v, app, req) })
	if err != nil {
		a.showError(w, r, err)
		return
	}
	if r.Method == http.MethodPost {
		a.decide(w, r, c)
		return
	}
	// Anyone can pretend to be a public app, and any user can connect one to MCP.
	if env, ok := c.approved(); ok && req.Resource == forAPI && app.Type == Confidential {
		a.finish(w, r, c, env, "")
		return
	}
	a.showConsent(w, r, c, http.StatusOK, "")
}

// findRequest returns the app of a request, and where to send the response.
func (a *API) findRequest(ctx context.Context, params url.Values) (app PublishedApp, req request, err error) {
	id, err := single(params, "client_id")
	if err != nil || id == "" {
		return app, req, &errRedirect{"The link of the app has no client_id, or more than one."}
	}
	switch {
	case isMetadataURL(id):
		app, err = a.Clients.find(ctx, id)
	case isDynamic(id):
		app, err = a.openRegistration(id)
	default:
		app, err = db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (PublishedApp, error) { return findApp(ctx, tx, id) })
	}
	if db.IsNoRows(err) {
		return app, req, &errRedirect{"The app of this link doesn't exist. It might have been deleted."}
	}
	if err != nil {
		return app, req, err
	}
	req, err = parseRedirect(params, app.App)
	return app, req, err
}

// isTrusted reports whether an app is registered, or installed where the visitor works.
func (a *API) isTrusted(ctx context.Context, v signin.Visitor, app PublishedApp) (bool, error) {
	if app.MetadataURL == nil {
		return true, nil
	}
	return db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (bool, error) {
		all, err := signin.Environments(ctx, tx, v)
		for _, e := range all {
			if install, err := (consent{app: app}).peekInstall(ctx, tx.In(e.Env)); err != nil || install != nil {
				return install != nil, err
			}
		}
		return false, err
	})
}

// consent is a request of an app, and the environments where the user can allow it.
type consent struct {
	visitor signin.Visitor
	app     PublishedApp
	req     request
	choices []choice
	blocked string // why there are no choices
}

// choice is an environment where the app can be installed.
type choice struct {
	signin.Environment
	install *Install // nil if the app is not installed there
}

// findConsent returns where the visitor can install the app.
func findConsent(ctx context.Context, tx *db.Tx, v signin.Visitor, app PublishedApp, req request) (consent, error) {
	c := consent{visitor: v, app: app, req: req}
	all, err := signin.Environments(ctx, tx, v)
	if err != nil {
		return c, err
	}
	for _, e := range all {
		if !canInstallIn(app.Mode, e.Mode) || (req.Environment != "" && req.Environment != e.Mode) {
			continue
		}
		if err := c.add(ctx, tx.In(e.Env), e); err != nil {
			return c, err
		}
	}

	if len(c.choices) == 0 && c.blocked == "" {
		c.blocked = "You are signed in to the " + string(v.Mode) + " environment. This app can't be installed there."
	}
	return c, nil
}

// add adds an environment, unless the visitor can't allow the request there.
func (c *consent) add(ctx context.Context, tx *db.Tx, e signin.Environment) error {
	reason, err := c.blockedIn(ctx, tx, e)
	if err != nil {
		return err
	}
	if reason != "" {
		if e.Env == c.visitor.Env {
			c.blocked = reason
		}
		return nil
	}
	install, err := c.peekInstall(ctx, tx)
	c.choices = append(c.choices, choice{e, install})
	return err
}

// blockedIn returns why the visitor can't allow the request in an environment, or "".
func (c consent) blockedIn(ctx context.Context, tx *db.Tx, e signin.Environment) (string, error) {
	if reason := blocked(e.User, e.Held, c.req.Scopes, c.personal()); reason != "" {
		return reason, nil
	}
	install, err := c.peekInstall(ctx, tx)
	if err != nil {
		return "", err
	}
	if changesSome(c.added(install)) && !e.User.HasActiveFactor() {
		return "This app can change data, so you need a two-factor method. Turn one on in your account, and open this page again.", nil
	}
	if c.app.MetadataURL == nil {
		return "", nil
	}
	d, err := dealership.Find(ctx, tx)
	return blockedByPolicy(d.Settings.AllowedApps, install != nil, e.User), err
}

// added returns the scopes that the app doesn't have yet. On MCP, it acts for the user, so
// what others have allowed doesn't count.
func (c consent) added(install *Install) []auth.Scope {
	if install == nil || c.req.Resource == forMCP {
		return c.req.Scopes
	}
	return missing(c.req.Scopes, install.Scopes)
}

// personal reports whether the app only acts for the user who allows it. It must be a public
// app, because a confidential one can also get tokens that act for the dealership.
func (c consent) personal() bool { return c.req.Resource == forMCP && c.app.Type == Public }

// peekInstall returns the install of the app in the environment, or nil.
func (c consent) peekInstall(ctx context.Context, tx *db.Tx) (*Install, error) {
	id := c.app.ID
	if c.app.MetadataURL != nil {
		app, err := findDescribed(ctx, tx, *c.app.MetadataURL)
		if err != nil || app == nil {
			return nil, err
		}
		id = app.ID
	}
	return peekInstallOf(ctx, tx, id)
}

// approved returns the environment where the user has allowed the request before.
// If there are several, the user chooses.
func (c consent) approved() (choice, bool) {
	var found []choice
	for _, ch := range c.choices {
		if ch.install != nil && len(missing(c.req.Scopes, ch.install.Scopes)) == 0 {
			found = append(found, ch)
		}
	}
	if len(found) != 1 {
		return choice{}, false
	}
	return found[0], true
}

// existing returns what the app can already do, in every environment of the choice.
func (c consent) existing() []auth.Scope {
	existing := allScopes()
	for _, ch := range c.choices {
		if ch.install == nil {
			return nil
		}
		existing = common(existing, ch.install.Scopes)
	}
	return existing
}

// needsCode reports whether the user must enter a two-factor code: to allow changes, a
// stolen session must not be enough.
func (c consent) needsCode() bool {
	added := missing(c.req.Scopes, c.existing())
	if c.req.Resource == forMCP { // others have allowed the rest
		added = c.req.Scopes
	}
	return len(c.choices) > 0 && changesSome(added)
}

// purpose binds the token of the form to the request that the user sees.
func purpose(r *http.Request) string { return "authorize " + r.URL.RawQuery }

// decide handles the form.
func (a *API) decide(w http.ResponseWriter, r *http.Request, c consent) {
	if err := r.ParseForm(); err != nil {
		a.showError(w, r, &errRedirect{"The form could not be read. Open the link of the app again."})
		return
	}
	if err := a.SignIn.CheckForm(r, c.visitor, purpose(r)); err != nil {
		a.showNotice(w, http.StatusForbidden, "This form is not valid", "It has expired, or was opened in another way. Open the link of the app again.")
		return
	}

	switch r.PostForm.Get("decision") {
	case "allow":
		mode := auth.Mode(r.PostForm.Get("environment"))
		for _, ch := range c.choices {
			if ch.Mode == mode || (mode == "" && len(c.choices) == 1) {
				a.finish(w, r, c, ch, r.PostForm.Get("code"))
				return
			}
		}
		a.showConsent(w, r, c, http.StatusUnprocessableEntity, "Choose an environment.")
	case "deny":
		signin.Leave(w, c.req.errorResponse(a.AuthURL, errProtocol("access_denied", "The user did not allow the request.")))
	default:
		a.showConsent(w, r, c, http.StatusUnprocessableEntity, "Choose Allow or Cancel.")
	}
}

// finish allows the request in an environment and returns a code to the app.
func (a *API) finish(w http.ResponseWriter, r *http.Request, c consent, in choice, code string) {
	received := a.DB.Now()
	granted, err := db.Write(in.With(r.Context()), a.DB, func(ctx context.Context, tx *db.Tx) (string, error) {
		now, err := in.Recheck(ctx, tx)
		if err != nil {
			return "", err
		}
		u := now.User
		reason, err := c.blockedIn(ctx, tx, now)
		if err != nil {
			return "", err
		}
		if reason != "" {
			return "", db.Committed(fault.Forbidden("%s", reason))
		}

		app := c.app.App
		if app.MetadataURL != nil {
			if app, err = saveDescribed(ctx, tx, app); err != nil {
				return "", err
			}
		}
		install, err := findInstallOf(ctx, tx, app.ID)
		if err != nil {
			return "", err
		}
		added := c.added(install)
		if install == nil || len(added) > 0 {
			if changesSome(added) {
				if err := a.Access.CheckCode(ctx, tx, u, code, received); err != nil {
					return "", err
				}
			}
			i, err := allow(ctx, tx, app, u, c.req.Scopes)
			if err != nil {
				return "", err
			}
			install = &i
		}
		return insertGrant(ctx, tx, *install, c.req, approval{in.Mode, u.ID})
	})
	rejected, isFault := errors.AsType[*fault.Error](err)
	switch {
	case isFault && db.IsCommitted(err):
		a.showConsent(w, r, c, http.StatusUnprocessableEntity, rejected.Message)
	case err != nil:
		a.showError(w, r, err)
	default:
		signin.Leave(w, c.req.response(a.AuthURL, url.Values{"code": {granted}}))
	}
}

// scopeLine is a scope on the page.
type scopeLine struct {
	Text    string
	New     bool
	Warning bool // it changes data
}

// consentData is what the page shows.
type consentData struct {
	Verb                     string // what the user does with the app
	App, Publisher, Homepage string
	Scopes                   []scopeLine
	Again                    bool // the app is installed and wants more
	Excluded                 string
	Host                     string // where the browser goes next
	Email, Roles             string
	Dealership               string
	Environments             []auth.Mode
	Only                     auth.Mode // the environment, if there is no choice
	NeedsCode, Administers   bool
	Blocked, Message, Token  string
	ForMCP                   bool   // the app is an assistant
	OnlyMCP                  bool   // it can't use the API in another way
	Unverified               bool   // no dealership has registered it
	Switch                   string // signs in as another user
}

func (a *API) showConsent(w http.ResponseWriter, r *http.Request, c consent, status int, message string) {
	d := consentData{
		Verb: "Install", App: c.app.Name, Publisher: c.app.Publisher, Host: formAction(c.req.RedirectURI), Email: c.visitor.User.Email,
		Dealership: c.visitor.Dealership, NeedsCode: c.needsCode(), Administers: slices.Contains(c.req.Scopes, auth.Admin), Message: message, Token: a.SignIn.FormToken(c.visitor, purpose(r)),
		Roles: roleNames(c.visitor.User), Excluded: excluded(c.req.Scopes), ForMCP: c.req.Resource == forMCP, OnlyMCP: c.personal(),
		Switch: a.AuthPath() + "/sign-in?" + url.Values{"switch": {"1"}, "return_to": {a.AuthPath() + "/authorize?" + r.URL.RawQuery}}.Encode(),
	}
	if u, err := url.Parse(c.req.RedirectURI); err == nil {
		d.Host = u.Host
	}
	if c.app.HomepageURL != nil {
		d.Homepage = *c.app.HomepageURL
	}
	d.Unverified = c.app.MetadataURL != nil
	existing := c.existing()
	if d.ForMCP {
		existing, d.Verb = nil, "Connect" // others have allowed it
	}
	if len(c.choices) == 0 {
		existing, d.Blocked = nil, c.blocked
		status = max(status, http.StatusForbidden)
	}
	d.Again = len(existing) > 0
	for _, known := range auth.Scopes {
		if slices.Contains(c.req.Scopes, known.Scope) {
			words := known.Doc
			if d.OnlyMCP {
				words = assistantWords[known.Scope]
			}
			d.Scopes = append(d.Scopes, scopeLine{words, d.Again && !slices.Contains(existing, known.Scope), changesData(known.Scope, d.OnlyMCP)})
		}
	}
	for _, ch := range c.choices {
		d.Environments = append(d.Environments, ch.Mode)
	}
	if d.ForMCP {
		slices.SortFunc(d.Environments, func(a, b auth.Mode) int { return strings.Compare(string(b), string(a)) }) // test first
	}
	if len(d.Environments) == 1 {
		d.Only = d.Environments[0]
	}
	consentPage.Render(w, status, d.Verb+" "+d.App, d, pages.At(d.Dealership, d.Only), pages.FormAction(formAction(c.req.RedirectURI)))
}

// showError shows an error that can't be returned to the app.
func (a *API) showError(w http.ResponseWriter, r *http.Request, err error) {
	if e, ok := errors.AsType[*errRedirect](err); ok {
		a.showNotice(w, http.StatusBadRequest, "This link doesn't work", e.text+" Contact the developer of the app.")
		return
	}
	if fault.KindOf(err) == fault.KindRateLimited {
		a.showNotice(w, http.StatusTooManyRequests, "Too many requests", "Wait a minute, and open the link of the app again.")
		return
	}
	a.Log.ErrorContext(r.Context(), "page failed", "path", "/authorize", "request_id", auth.RequestFrom(r.Context()).ID, "err", err)
	a.showNotice(w, http.StatusServiceUnavailable, "Something went wrong", "This is an error on our side. Try again in a minute.")
}

func (a *API) showNotice(w http.ResponseWriter, status int, heading, text string) {
	noticePage.Render(w, status, heading, struct{ Heading, Text string }{heading, text})
}
