package rest

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

// anyHandler is a handler whose types are checked where it is mounted. The code of an
// endpoint that doesn't depend on them is compiled once, and not for each endpoint.
type anyHandler func(ctx context.Context, in any) (any, error)

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

// mount serves an operation.
func mount[I, O any](r *Router, op Operation, h anyHandler) {
	op.In, op.Out = reflect.TypeFor[I](), reflect.TypeFor[O]()
	r.mount(&op, h)
}

func (r *Router) mount(op *Operation, h anyHandler) {
	op.Path, op.Family, op.Entered = r.Prefix+op.Path, r.family, r.entered
	op.request, op.call, op.preview = requestOf(op.In, r.Surface == r.preview), h, op.PreviewHeaders()
	op.work = workClass(op)
	op.mustHaveEffect()
	r.mustHaveOwnID(op)
	r.mustNameOneType(op)
	mustNotEmbedPage(op)
	r.addPath(op)
	r.Operations = append(r.Operations, op)
	r.mux.Method(op.Method, op.Path, r.serve(op))
}

// mustNotEmbedPage panics if a response has a page and other fields, which would not be encoded.
func mustNotEmbedPage(op *Operation) {
	if op.Out.Implements(reflect.TypeFor[page.Any]()) && !strings.HasPrefix(op.Out.Name(), "Page[") {
		panic("rest: the response of " + op.ID + " embeds a page")
	}
}

// serve handles the requests of an operation.
func (r *Router) serve(op *Operation) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		x := exchangeFrom(req.Context())
		x.endpoint = op
		ctx, err := r.guard(req.Context(), w, req)
		req = req.WithContext(ctx)
		if err != nil {
			r.fail(w, req, err)
			return
		}
		in, errs := op.request().read(op.In, req, x)
		if len(errs) > 0 {
			r.fail(w, req, x.invalid(errs))
			return
		}
		if err := r.limitToLocations(ctx, req, x, in); err != nil {
			r.fail(w, req, err)
			return
		}

		x.status = op.Status
		out, err := r.run(ctx, x, in)
		if f, ok := errors.AsType[*fault.Error](err); ok && x.preview {
			err = previewFault(f)
		}
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
	op := x.endpoint
	x.operation = op.ID
	if x.preview = op.preview != nil; x.preview {
		x.operation = "preview." + op.ID // /v1 can have an operation with this name
		for name, value := range op.preview {
			w.Header().Set(name, value)
		}
	}
	if op.OffersCSV() {
		w.Header().Add("Vary", "Accept")
		x.csv = prefersCSV(req.Header.Values("Accept"))
	}
	x.ifMatch.documented = op.IfMatch()
	x.ifNoneMatch = req.Header.Get("If-None-Match")
	param := func(name string) string { return pathValue(req, name) }
	if name := firstParam(op.Path); name != "" && req.Method != http.MethodGet {
		x.object = param(name)
	}
	if err := permit(op, x.caller, param); err != nil {
		return ctx, err
	}
	ctx, err := x.read(ctx, w, req)
	if err != nil {
		return ctx, err
	}
	return ctx, x.checkPage()
}

// run calls a handler when its turn comes. The turn ends before the response is sent, so
// that a slow client doesn't keep others waiting.
func (r *Router) run(ctx context.Context, x *exchange, in any) (any, error) {
	done, err := r.start(ctx, x)
	if err != nil {
		return nil, err
	}
	defer done()
	call := x.endpoint.call
	if x.csv {
		call = x.endpoint.csv
	}
	out, err := call(ctx, in)
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
