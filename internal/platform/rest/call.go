package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"slipway/internal/platform/db"
	"slipway/internal/platform/trace"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/wire"
)

// FindOperation returns an operation of /v1 or of the preview, or nil.
func (r *Router) FindOperation(id string) *Operation {
	for _, op := range slices.Concat(r.stable.Operations, r.preview.Operations) {
		if op.ID == id {
			return op
		}
	}
	return nil
}

// Proposable returns the operations that can be proposed.
func (r *Router) Proposable() (all []*Operation) {
	for _, op := range slices.Concat(r.stable.Operations, r.preview.Operations) {
		if op.Assist.CanPropose() {
			all = append(all, op)
		}
	}
	return all
}

// Permit fails unless the caller has the scopes that the operation requires.
func (o *Operation) Permit(caller auth.Principal) error {
	return permit(o, caller, func(string) string { return "" })
}

// plainID matches what a path parameter can be without escaping.
const plainID = "abcdefghijklmnopqrstuvwxyz0123456789_"

// CheckRequest returns what is wrong with the parts of a request that are known without
// the database. The names of the fields start with path, query or body.
func (o *Operation) CheckRequest(r *Router, path, query map[string]string, body map[string]any) (bad fault.Fields) {
	q := o.request()
	known := map[string][]string{"path": q.names("path"), "query": q.names("query")}
	for _, name := range known["path"] {
		switch value := path[name]; {
		case value == "":
			bad.Add("path."+name, "required", "is required")
		case strings.Trim(value, plainID) != "":
			bad.Add("path."+name, "format", "must be an ID")
		}
	}
	for part, sent := range map[string]map[string]string{"path": path, "query": query} {
		for name := range sent {
			if !slices.Contains(known[part], name) {
				bad.Add(part+"."+name, "unknown_parameter", "is not a parameter of %s", o.ID)
			}
		}
	}
	return append(bad, o.checkBody(r, body)...)
}

func (o *Operation) checkBody(r *Router, body map[string]any) (bad fault.Fields) {
	q := o.request()
	switch {
	case q.body == nil:
		if body != nil {
			bad.Add("body", "exclusive", "is not allowed for %s", o.ID)
		}
		return bad
	case body == nil:
		if q.requiresBody() {
			bad.Add("body", "required", "is required")
		}
		return bad
	}
	bad = q.validate(body, "body.")
	if len(bad) > 0 {
		return bad
	}
	for _, d := range o.checkRules(r, body) {
		bad.Add("body."+d.Field, d.Code, "%s", d.Message)
	}
	return bad
}

// checkRules returns the errors of the body's own rules.
func (o *Operation) checkRules(r *Router, body map[string]any) []fault.Detail {
	var bad fault.Fields
	text, err := json.Marshal(body)
	if err == nil {
		bad, err = o.request().checkRules(text, r.Now())
	}
	if err != nil {
		return []fault.Detail{{Field: "", Code: "type", Message: "has a value of the wrong type"}}
	}
	return bad
}

// URL returns the path of the operation with its parameters.
func (o *Operation) URL(path, query map[string]string) string {
	target := o.Path
	for name, value := range path {
		target = strings.ReplaceAll(target, "{"+name+"}", url.PathEscape(value))
	}
	values := url.Values{}
	for name, value := range query {
		values.Set(name, value)
	}
	if len(values) > 0 {
		target += "?" + values.Encode()
	}
	return target
}

type innerKey struct{}

// inner is a request that another request makes with Call.
type inner struct {
	caller  auth.Principal
	limited bool // counts against the rate limit of the caller
	first   func(ctx context.Context, tx *db.Tx) error
}

func innerFrom(ctx context.Context) (inner, bool) {
	in, ok := ctx.Value(innerKey{}).(inner)
	return in, ok
}

// Approved reports whether the request runs what a person approved, as it was shown. Work
// that goes on after the response must not do anything else.
func Approved(ctx context.Context) bool {
	in, _ := innerFrom(ctx)
	return in.first != nil
}

// Answer is the response to a Call.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Fault returns the error that the response describes, or nil.
func (a Answer) Fault() *fault.Error {
	if a.Status < 400 {
		return nil
	}
	var e ErrorEnvelope
	if err := wire.Unmarshal(a.Body, &e); err != nil {
		return fault.New(fault.KindServerError, InternalError).WithCause(err)
	}
	f := fault.New(fault.Kind{Status: a.Status, Code: string(e.Body.Code)}, "%s", e.Body.Message)
	f.Details = e.Body.Details
	return f
}

// Inner is a request inside of another one.
type Inner struct {
	Method, Target string
	Header         http.Header
	Body           []byte // JSON, or nil

	// First runs in the transaction of the operation before the operation. If it fails,
	// nothing is written. It doesn't run if the response is a stored one.
	First func(ctx context.Context, tx *db.Tx) error
}

// Call handles a request inside of another one, as a caller who was authenticated. It is
// handled like any other request, but it needs no place and has no rate limit: the request
// around it had to. Call it outside of transactions.
func (r *Router) Call(ctx context.Context, caller auth.Principal, q Inner) (Answer, error) {
	return r.call(ctx, inner{caller: caller, first: q.First}, q)
}

// CallLimited is like Call, but counts the request against the rate limit of the caller. Use
// it if the request around it is not one of the API, such as one to /mcp.
func (r *Router) CallLimited(ctx context.Context, caller auth.Principal, q Inner) (Answer, error) {
	caller.Rate = r.Limits.Of(caller)
	return r.call(ctx, inner{caller: caller, limited: true, first: q.First}, q)
}

func (r *Router) call(ctx context.Context, in inner, q Inner) (Answer, error) {
	ctx = context.WithValue(ctx, innerKey{}, in)
	ctx = context.WithValue(ctx, chi.RouteCtxKey, (*chi.Context)(nil)) // otherwise the router continues the route of the outer request
	from := auth.RequestFrom(ctx)
	req, err := http.NewRequestWithContext(ctx, q.Method, q.Target, bytes.NewReader(q.Body))
	if err != nil {
		return Answer{}, err
	}
	req.RequestURI = q.Target
	req.RemoteAddr = net.JoinHostPort(from.IP, "0")
	for name, values := range q.Header {
		req.Header[name] = values
	}
	req.Header.Set("User-Agent", from.UserAgent)
	if parent := trace.Header(ctx); parent != "" {
		req.Header.Set("Traceparent", parent)
	}
	if q.Body != nil {
		req.Header.Set("Content-Type", "application/json")
	}

	w := &answerWriter{answer: Answer{Status: http.StatusOK, Header: http.Header{}}}
	r.ServeHTTP(w, req)
	w.answer.Body = w.body.Bytes()
	return w.answer, nil
}

// answerWriter collects a response.
type answerWriter struct {
	answer Answer
	body   bytes.Buffer
}

func (w *answerWriter) Header() http.Header { return w.answer.Header }

func (w *answerWriter) WriteHeader(status int) { w.answer.Status = status }

func (w *answerWriter) Write(part []byte) (int, error) { return w.body.Write(part) }

// StoredAnswer returns the response that was stored for the idempotency key of a caller.
// Found is false if no such request has succeeded in the last day.
func (r *Router) StoredAnswer(ctx context.Context, tx *db.Tx, originalID, key string) (a Answer, found bool, err error) {
	row, err := db.One[stored](ctx, tx, `SELECT {cols} FROM idempotency_keys WHERE env = ? AND lineage = ? AND key = ?`, tx.Env, originalID, key)
	if db.IsNoRows(err) || err == nil && row.Status == 0 {
		return a, false, nil
	}
	if err != nil {
		return a, false, err
	}
	x := exchange{caller: auth.Principal{Env: tx.Env, OriginalID: originalID}, key: key}
	a.Status = row.Status
	a.Body, err = r.Box.Open(row.Body, x.place())
	return a, err == nil, err
}
