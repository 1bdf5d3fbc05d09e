package scim

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"slipway/internal/identity/sso"
	"slipway/internal/platform/authlog"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/token"
	"slipway/internal/vocab/wire"
)

const (
	// maxBody is enough for a group with maxMembers.
	maxBody = 1 << 20
	// burst and step are how many requests a provider can send at once and per second.
	burst = 250
	step  = time.Second / 25
)

// response is the response to a request that succeeded.
type response struct {
	status   int
	body     any
	version  string
	location string
}

// request is a request of a provider.
type request struct {
	*http.Request
	caller caller
	id     string // part of the path after Users or Groups, or ""
	base   string
	query  query
	body   object
}

// route handles all requests of providers.
func (a *API) route(w http.ResponseWriter, r *http.Request) {
	switch kind, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, Prefix+"/"), "/"); kind {
	case "Users":
		a.users(w, r)
	case "Groups":
		a.groups(w, r)
	case "Schemas":
		a.serve(w, r, func(req request) (response, error) { return describeAll(req, schemas(req.base)) })
	case "ResourceTypes":
		a.serve(w, r, func(req request) (response, error) { return describeAll(req, resourceTypes(req.base)) })
	case "ServiceProviderConfig":
		a.serve(w, r, describeServer)
	default:
		a.serve(w, r, func(req request) (response, error) { return response{}, errNotFound(req.URL.Path) })
	}
}

// serve authenticates and reads a request, and writes the response.
func (a *API) serve(w http.ResponseWriter, r *http.Request, h func(request) (response, error)) {
	w.Header().Set("Cache-Control", "no-store")
	req, err := a.open(w, r)
	var out response
	if err == nil {
		out, err = h(req)
	}
	if err != nil {
		a.fail(w, r, err)
		return
	}
	if out.version != "" {
		w.Header()["ETag"] = []string{out.version} // Go would send Etag
	}
	if out.location != "" {
		w.Header().Set("Location", out.location)
	}
	write(w, out.status, out.body)
}

// open authenticates and reads a request.
func (a *API) open(w http.ResponseWriter, r *http.Request) (req request, err error) {
	req = request{Request: r, base: a.URL + Prefix}
	if req.caller, err = a.authenticate(r); err != nil {
		return req, err
	}
	if taken := a.Limits.Take("scim "+req.caller.ConnectionID, burst, step); taken.Wait > 0 {
		return req, &protocolError{status: http.StatusTooManyRequests, detail: "Too many requests.", retryAfter: taken.Wait}
	}
	_, req.id, _ = strings.Cut(strings.TrimPrefix(r.URL.Path, Prefix+"/"), "/")
	if req.query, err = parseQuery(r.URL.Query().Get); err != nil {
		return req, err
	}
	if r.Method == http.MethodPost || r.Method == http.MethodPut || r.Method == http.MethodPatch {
		req.body, err = readBody(w, r)
	}
	return req, err
}

func describeServer(req request) (response, error) {
	if req.Method != http.MethodGet {
		return response{}, errMethod()
	}
	return response{status: http.StatusOK, body: configuration(req.base)}, nil
}

// authenticate returns the connection of the token. A right token always works, so that no
// one can lock a provider out: it is too long to be guessed.
func (a *API) authenticate(r *http.Request) (caller, error) {
	scheme, bearer, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	t, ok := token.Parse(bearer)
	if !strings.EqualFold(scheme, "Bearer") || !ok || t.Kind != token.SCIM {
		return caller{}, a.reject(r, caller{}, "")
	}
	type found struct {
		caller
		ok bool
	}
	f, err := db.Read(r.Context(), a.DB, func(ctx context.Context, tx *db.Tx) (f found, err error) {
		f.caller, f.ok, err = a.findCaller(ctx, tx, bearer, t)
		return f, err
	})
	if err != nil {
		return caller{}, err
	}
	if !f.ok {
		return caller{}, a.reject(r, f.caller, token.Public(bearer))
	}
	a.AuthLog.Used(r.Context(), f.Env, auth.From(f.connection.As(r.Context(), f.dealership)).Actor)
	return f.caller, nil
}

// reject records a wrong token. After 30 from one network, it asks the client to wait.
func (a *API) reject(r *http.Request, c caller, publicID string) error {
	id := publicID
	if c.Env != 0 {
		id = c.ConnectionID
	}
	err := &protocolError{status: http.StatusUnauthorized, detail: "Invalid token. Send the SCIM token of the SSO connection."}
	a.AuthLog.Reject(r.Context(), authlog.Rejection{Env: c.Env, Kind: authlog.KindSSOConnection, ID: id, Err: fault.Unauthenticated("%s", err.detail)})
	if taken := a.Limits.TakeAddress("token", auth.RequestFrom(r.Context()).IP, 30, 10*time.Second); taken.Wait > 0 {
		return &protocolError{status: http.StatusTooManyRequests, detail: "Too many failed attempts.", retryAfter: taken.Wait}
	}
	return err
}

// readBody reads the JSON of a request. Some providers send application/json.
func readBody(w http.ResponseWriter, r *http.Request) (object, error) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "application/scim+json" && kind != "application/json" {
		return nil, &protocolError{status: http.StatusUnsupportedMediaType, detail: "The content type must be application/scim+json."}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, &protocolError{status: http.StatusRequestEntityTooLarge, detail: "The body is larger than " + strconv.Itoa(maxBody) + " bytes."}
	}
	if err != nil {
		return nil, errInvalid("invalidSyntax", "The body is incomplete.")
	}
	return parseObject(body)
}

// describeAll serves the resources that describe the server.
func describeAll(req request, all []resource) (response, error) {
	if req.Method != http.MethodGet {
		return response{}, errMethod()
	}
	if req.query.filter != nil {
		return response{}, &protocolError{status: http.StatusForbidden, detail: "Filters are not supported here."}
	}
	if req.id == "" {
		return response{status: http.StatusOK, body: listResponse(query{start: 1}, len(all), all)}, nil
	}
	for _, r := range all {
		if r["id"] == req.id {
			return response{status: http.StatusOK, body: r}, nil
		}
	}
	return response{}, errNotFound(req.id)
}

func errMethod() error {
	return &protocolError{status: http.StatusMethodNotAllowed, detail: "This method is not supported here."}
}

// read calls a function in a transaction that only reads.
func (a *API) read(req request, fn func(ctx context.Context, tx *db.Tx) (response, error)) (response, error) {
	return db.Read(req.caller.connection.As(req.Context(), req.caller.dealership), a.DB, fn)
}

// write calls a function in a transaction, with the connection as it is now.
func (a *API) write(req request, fn func(ctx context.Context, tx *db.Tx, c sso.Connection) (response, error)) (response, error) {
	return db.Write(req.caller.connection.As(req.Context(), req.caller.dealership), a.DB, func(ctx context.Context, tx *db.Tx) (response, error) {
		c, ok, err := a.lockCaller(ctx, tx, req.caller)
		if err != nil {
			return response{}, err
		}
		if !ok {
			return response{}, &protocolError{status: http.StatusUnauthorized, detail: "The token was replaced or removed."}
		}
		return fn(ctx, tx, c)
	})
}

// checkVersion returns an error if the resource has another version than the request says.
func (req request) checkVersion(version string) error {
	if header := req.Header.Get("If-Match"); header != "" && !matchesVersion(header, version) {
		return &protocolError{status: http.StatusPreconditionFailed, detail: "The resource has changed. Its version is " + version + "."}
	}
	return nil
}

// shown is the response with a resource.
func (req request) shown(status int, r resource, version string) response {
	if header := req.Header.Get("If-None-Match"); req.Method == http.MethodGet && header != "" && matchesVersion(header, version) {
		return response{status: http.StatusNotModified, version: version}
	}
	out := response{status: status, body: req.query.show(r), version: version}
	if status == http.StatusCreated {
		out.location = r["meta"].(map[string]any)["location"].(string)
	}
	return out
}

// patched returns the resource with the changes of a PATCH request.
func (req request) patched(r resource) (object, error) {
	changes, err := parseChanges(req.body)
	if err != nil {
		return nil, err
	}
	text, err := wire.Marshal(r)
	if err != nil {
		return nil, err
	}
	o, err := parseObject(text)
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		if err := c.apply(o); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func isNotFound(err error) bool {
	e, ok := errors.AsType[*protocolError](err)
	return ok && e.status == http.StatusNotFound
}

// fail writes an error in the form of RFC 7644.
func (a *API) fail(w http.ResponseWriter, r *http.Request, err error) {
	e, ok := errors.AsType[*protocolError](err)
	f, isFault := errors.AsType[*fault.Error](err)
	switch {
	case ok:
	case isFault && f.Kind != fault.KindServerError:
		e = fromFault(f)
	case db.IsUnavailable(err):
		e = &protocolError{status: http.StatusServiceUnavailable, detail: "Temporarily unavailable. Retry after the time in Retry-After.", retryAfter: 30 * time.Second}
	default:
		a.Log.ErrorContext(r.Context(), "request failed", "path", r.URL.Path, "request_id", auth.RequestFrom(r.Context()).ID, "err", err)
		e = &protocolError{status: http.StatusInternalServerError, detail: "Something went wrong on our side. Try again later."}
	}

	if e.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int((e.retryAfter+time.Second-1)/time.Second)))
	}
	if e.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="slipway"`)
	}
	write(w, e.status, e.body())
}

// fromFault turns an error of another package into one of the protocol.
func fromFault(f *fault.Error) *protocolError {
	e := &protocolError{status: f.Kind.Status, detail: f.Message, retryAfter: f.RetryAfter}
	switch f.Kind {
	case fault.KindUnprocessable:
		e.status, e.scimType, e.detail = http.StatusBadRequest, "invalidValue", fault.Sentence(f.Details)
	case fault.KindConflict:
		if len(f.Details) > 0 && f.Details[0].Code == "duplicate" {
			e.scimType = "uniqueness"
		}
	}
	return e
}

func write(w http.ResponseWriter, status int, body any) {
	if body == nil {
		w.WriteHeader(status)
		return
	}
	text, err := wire.Marshal(body)
	if err != nil {
		panic(err) // plain strings and numbers
	}
	w.Header().Set("Content-Type", "application/scim+json")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // the client might have disconnected
}
