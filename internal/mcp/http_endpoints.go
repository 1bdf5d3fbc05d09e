package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"slipway/internal/identity/access"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// maxBody limits the size of a request.
const maxBody = 256 << 10

// firstScopes are what a client requests if its user hasn't allowed anything yet.
var firstScopes = []auth.Scope{auth.HullsRead, auth.LeadsRead, auth.DealsRead}

// API serves assistants over HTTP. It keeps nothing between requests.
type API struct {
	On       bool // whether assistants can connect
	Auth     *access.Authenticator
	Metadata string // URL of the resource metadata
	Build    string
	Log      *slog.Logger

	router  *rest.Router // the API
	catalog catalog
}

// Mount registers the endpoint. Its tools call the operations of the same router.
func (a *API) Mount(r *rest.Router) {
	if a.router = r; a.On {
		r.HandlePost(Path, maxBody, a.serve)
	}
}

// serve handles a request.
func (a *API) serve(w http.ResponseWriter, r *http.Request, body []byte) error {
	if err := http.NewCrossOriginProtection().Check(r); err != nil {
		return fault.Forbidden("Browsers can only call this from pages of this server.")
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		a.fail(w, r, firstScopes, fault.Unauthenticated("No credential was sent. Connect with OAuth."))
		return nil
	}
	p, err := a.Auth.AuthenticateMCP(r.Context(), token)
	if err != nil {
		a.fail(w, r, firstScopes, err)
		return nil
	}
	c := inProcess(a.router, p, &a.catalog)
	if scopes := missingScopes(c, body); len(scopes) > 0 {
		a.fail(w, r, scopes, fault.Forbidden("This tool requires the scope %s.", joined(scopes)))
		return nil
	}

	server := NewServer(c, a.Build, a.Log)
	r.Body = io.NopCloser(bytes.NewReader(body))
	// Bearer tokens protect against DNS rebinding. A proxy on this machine sends another host.
	sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, Logger: a.Log, DisableLocalhostProtection: true, MaxRequestBodyBytes: maxBody,
	}).ServeHTTP(w, r)
	return nil
}

// missingScopes returns the scopes that a caller needs for the tool of a request and doesn't
// have, together with those that it has.
func missingScopes(c *Caller, body []byte) []auth.Scope {
	var call struct {
		Method string
		Params struct{ Name string }
	}
	if json.Unmarshal(body, &call) != nil || call.Method != "tools/call" {
		return nil
	}
	for _, t := range tools {
		if t.name == call.Params.Name && !c.can(t.need) {
			return append(append([]auth.Scope{}, c.scopes...), t.need[0]...)
		}
	}
	return nil
}

// fail responds with an error, and with what the client can request.
func (a *API) fail(w http.ResponseWriter, r *http.Request, scopes []auth.Scope, err error) {
	challenge := `Bearer realm="slipway"`
	if fault.KindOf(err) == fault.KindForbidden {
		challenge += `, error="insufficient_scope"`
	} else if r.Header.Get("Authorization") != "" {
		challenge += `, error="invalid_token"`
	}
	challenge += `, scope="` + joined(scopes) + `", resource_metadata="` + a.Metadata + `"`
	rest.Fail(challengeWriter{w, challenge}, r, err)
}

// challengeWriter replaces the header that names the metadata of the API.
type challengeWriter struct {
	http.ResponseWriter
	challenge string
}

func (w challengeWriter) WriteHeader(status int) {
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		w.Header().Set("WWW-Authenticate", w.challenge)
	}
	w.ResponseWriter.WriteHeader(status)
}

func joined(scopes []auth.Scope) string {
	var names []string
	for _, s := range scopes {
		names = append(names, string(s))
	}
	return strings.Join(names, " ")
}
