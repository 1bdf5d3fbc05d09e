package rest

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// endpoint is a mounted operation.
type endpoint struct {
	*huma.Operation // without the schemas, which only the description needs

	in, out reflect.Type
	request func() *request
	work    class
	call    anyHandler
}

// anyHandler is a handler whose types are checked where it is mounted. The code of an
// endpoint that doesn't depend on them is compiled once, and not for each endpoint.
type anyHandler func(ctx context.Context, in any) (any, error)

// route is what the functions that mount an endpoint say about it.
type route struct {
	method, path, id, summary string

	status int
	need   auth.Rule
	public bool // has no credential and no idempotency keys
	opts   []Option
}

// erase returns a handler without its types.
func erase[I, O any](h RawHandler[I, O]) anyHandler {
	return func(ctx context.Context, in any) (any, error) { return h(ctx, in.(*I)) }
}

// reads runs a handler in a transaction that only reads.
func reads[I, O any](r *Router, h Handler[I, O]) anyHandler {
	return func(ctx context.Context, in any) (any, error) {
		return Read(ctx, r.DB, func(ctx context.Context, tx *db.Tx) (any, error) { return h(ctx, tx, in.(*I)) })
	}
}

// writes runs a handler in the one transaction of its request.
func writes[I, O any](r *Router, h Handler[I, O]) anyHandler {
	return func(ctx context.Context, in any) (any, error) {
		return write(ctx, r.DB, func(ctx context.Context, tx *db.Tx) (any, error) { return h(ctx, tx, in.(*I)) })
	}
}

// mount serves an endpoint. It is described when the description is requested.
func mount[I, O any](r *Router, is route, h anyHandler) {
	r.mount(is, reflect.TypeFor[I](), reflect.TypeFor[O](), h)
}

func (r *Router) mount(is route, in, out reflect.Type, h anyHandler) {
	e := &endpoint{Operation: r.operation(is, nil, out), in: in, out: out, request: requestOf(in), call: h}
	e.work = workClass(e.Operation)
	r.admission.addPath(e.Operation)
	r.endpoints = append(r.endpoints, e)
	r.mux.Method(e.Method, e.Path, r.serve(e))
	r.describe(func(doc *huma.OpenAPI) {
		op := r.operation(is, doc.Components.Schemas, out)
		newRequest(in, doc.Components.Schemas, op.OperationID+"Request").describe(op)
		doc.AddOperation(op)
	})
}

// serve handles the requests of an endpoint.
func (r *Router) serve(e *endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		x := exchangeFrom(req.Context())
		x.endpoint = e
		ctx, err := r.guard(req.Context(), w, req)
		req = req.WithContext(ctx)
		if err != nil {
			r.fail(w, req, err)
			return
		}
		in, errs := e.request().read(e.in, req, x)
		if len(errs) > 0 {
			r.fail(w, req, x.invalid(errs))
			return
		}

		x.status = e.DefaultStatus
		out, err := r.run(ctx, x, in)
		if err != nil {
			r.fail(w, req, err)
			return
		}
		if c, ok := out.(*Content); ok {
			c.send(w, req)
			return
		}
		x.reply.send(w)
	}
}

// guard checks the caller's scopes before the body is read, and then reads the
// headers and the body. The order is part of the contract: 403, then 400.
func (r *Router) guard(ctx context.Context, w http.ResponseWriter, req *http.Request) (context.Context, error) {
	x := exchangeFrom(ctx)
	op := x.endpoint.Operation
	x.operation = op.OperationID
	if _, x.preview = op.Metadata["preview"]; x.preview {
		x.operation = "preview." + op.OperationID // /v1 can have an operation with this name
		previewHeaders(w.Header(), op)
	}
	_, x.ifMatch.documented = op.Metadata["if_match"]
	param := func(name string) string { return pathValue(req, name) }
	if name := firstParam(op.Path); name != "" && req.Method != http.MethodGet {
		x.object = param(name)
	}
	if err := permit(op, x.caller, param); err != nil {
		return ctx, err
	}
	return x.read(ctx, w, req)
}

// run calls a handler when its turn comes. The turn ends before the response is sent, so
// that a slow client doesn't keep others waiting.
func (r *Router) run(ctx context.Context, x *exchange, in any) (any, error) {
	done, err := r.start(ctx, x, x.endpoint.work)
	if err != nil {
		return nil, err
	}
	defer done()
	out, err := x.endpoint.call(ctx, in)
	if _, ok := out.(*Content); !ok && err == nil && x.reply == nil {
		x.reply, err = encode(x, out)
	}
	return out, err
}

// invalid returns the error for what is wrong with a request.
func (x *exchange) invalid(errs []error) *fault.Error {
	f := judge(errs)
	x.suggest(f)
	x.judgeMore(f)
	return f
}
