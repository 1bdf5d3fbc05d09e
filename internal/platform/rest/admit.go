package rest

import (
	"context"
	"net/http"
	"strings"

	"slipway/internal/platform/admission"
	"slipway/internal/vocab/auth"
)

// admit rejects requests that the server has no place for, before any work is done for
// them. It comes before authentication, which needs the database.
func (r *Router) admit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if _, inside := innerFrom(req.Context()); inside || r.probes[req.URL.Path] {
			next.ServeHTTP(w, req)
			return
		}
		c, caller := r.classOf(req), r.callerOf(req)
		if !r.admission.Enter(c, caller) {
			exchangeFrom(req.Context()).flood = true // the log would be the most expensive part
			r.showLimit(w, req)
			r.fail(w, req, admission.Busy())
			return
		}
		defer r.admission.Leave(c, caller)
		if c == admission.Streams {
			admission.LeaveConnection(req.Context())
		}
		next.ServeHTTP(w, req)
	})
}

// classOf returns the class of a request from what is known without the route.
func (r *Router) classOf(req *http.Request) admission.Class {
	switch {
	case !InAPI(req.URL.Path):
		if r.isHook(req) {
			return admission.Urgent
		}
		return admission.Public
	case contains(r.urgent, req):
		return admission.Urgent
	case contains(r.first, req):
		return admission.First
	case contains(r.streams, req):
		return admission.Streams
	case req.Method == http.MethodGet || req.Method == http.MethodHead:
		return admission.Reads
	}
	kind := req.Header.Get("Content-Type")
	if kind != "" && req.ContentLength != 0 && !strings.HasPrefix(kind, "application/json") {
		return admission.Uploads
	}
	return admission.Writes
}

// callerOf returns which callers share places: an environment, a network, or all
// credentials that no successful request has used lately.
func (r *Router) callerOf(req *http.Request) uint64 {
	if InAPI(req.URL.Path) {
		return r.admission.CallerWith(req.Header.Get("Authorization"))
	}
	return r.admission.CallerAt(auth.RequestFrom(req.Context()).IP)
}

// addPath records the path of an operation whose class classOf can't tell otherwise.
func (r *Router) addPath(op *Operation) {
	path := append([]string{op.Method}, strings.Split(op.Path, "/")...)
	switch op.work {
	case admission.Urgent:
		r.urgent = append(r.urgent, path)
	case admission.First:
		r.first = append(r.first, path)
	case admission.Streams:
		r.streams = append(r.streams, path)
	}
}

// contains reports whether one of the paths is the path of a request.
func contains(paths [][]string, req *http.Request) bool {
	for _, p := range paths {
		if p[0] == req.Method && matches(p[1:], req.URL.Path) {
			return true
		}
	}
	return false
}

// matches reports whether a path has these segments. A segment in braces matches any.
func matches(segments []string, path string) bool {
	for i, want := range segments {
		got, rest, more := strings.Cut(path, "/")
		if got != want && !strings.HasPrefix(want, "{") || more != (i < len(segments)-1) {
			return false
		}
		path = rest
	}
	return true
}

// workClass returns the class whose turns the handler of an operation takes.
func workClass(op *Operation) admission.Class {
	switch {
	case op.Urgent:
		return admission.Urgent
	case op.First:
		return admission.First
	case op.Streams:
		return admission.Streams
	case op.Accepts.Types != nil:
		return admission.Uploads
	case op.Heavy:
		return admission.Heavy
	case op.Method == http.MethodGet && !op.Audited:
		return admission.Reads
	}
	return admission.Writes
}

// start waits until the handler of a request can work, and returns what to call after
// it.
func (r *Router) start(ctx context.Context, x *exchange) (done func(), err error) {
	done, err = r.admission.Start(ctx, admission.Work{Class: x.endpoint.work, Env: x.caller.Env, Object: x.object})
	x.flood = x.flood || err != nil
	return done, err
}

// firstParam returns the name of the first parameter of a path, or "".
func firstParam(path string) string {
	_, after, _ := strings.Cut(path, "{")
	name, _, _ := strings.Cut(after, "}")
	return name
}

// Load returns the load of each class, for metrics.
func (r *Router) Load() []admission.Load { return r.admission.Load() }
