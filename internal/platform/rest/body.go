package rest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/version"
	"slipway/internal/vocab/wire"
)

// The limits of JSON bodies. A client without a credential can make the server
// allocate at most maxPublicBodies * maxPublicBody bytes for bodies.
const (
	maxBody         = 1 << 20
	maxPublicBody   = 16 << 10 // of an endpoint without a credential
	maxPublicBodies = 64       // that are read and handled at the same time
)

// sendBodyIn limits how long a caller can take to send a body.
const sendBodyIn = 30 * time.Second

// read reads what all operations share from the request, in the order in which
// errors are reported.
func (x *exchange) read(ctx context.Context, w http.ResponseWriter, req *http.Request) (context.Context, error) {
	query, err := parseQuery(req.URL)
	if err != nil {
		return ctx, err
	}
	x.query = query
	x.caller.Version = version.Pinned(x.caller.Version)
	if date := req.Header.Get("Service-Version"); date != "" {
		v, err := version.Resolve(date)
		if err != nil {
			return ctx, err
		}
		x.caller.Version = v
	}
	w.Header().Set("Service-Version", x.caller.Version)
	if err := x.ifMatch.read(req); err != nil {
		return ctx, err
	}
	body, err := x.readBody(w, req)
	if err != nil {
		return ctx, err
	}
	if x.caller.Version != version.Latest() && !x.preview {
		if err := x.endpoint.request().added.check(x.caller.Version, query, body); err != nil {
			return ctx, err
		}
	}
	if t := x.endpoint.Accepts; t.Types != nil {
		if err := x.openUpload(w, req, t); err != nil {
			return ctx, err
		}
	}
	if _, sent := req.Header["Idempotency-Key"]; sent && (keyed(req.Method) || Approved(ctx)) && x.caller.Env != 0 {
		key := req.Header.Get("Idempotency-Key")
		id, err := uuid.Parse(key)
		if err != nil || len(key) != 36 {
			return ctx, fault.BadRequest("Idempotency-Key must be a UUID.").Detail("Idempotency-Key", "format", "must be a UUID")
		}
		x.key = id.String()
		x.fingerprint = fingerprint(req, body)
		r := auth.RequestFrom(ctx)
		r.IdempotencyKey = x.key
		ctx = auth.WithRequest(ctx, r)
	}
	x.body = body
	if x.caller.Env == 0 { // a public endpoint
		return ctx, nil
	}
	return auth.With(ctx, x.caller), nil
}

// maxBody returns the largest body that the caller can send.
func (x *exchange) maxBody() int64 {
	if x.caller.Env == 0 {
		return maxPublicBody
	}
	return maxBody
}

// keyed reports whether clients can send an Idempotency-Key. What a person approved always has
// one, even if it deletes something: after a crash, the stored response says that it is done.
func keyed(method string) bool {
	return method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch
}

// fingerprint distinguishes a retry from a different request with the same key.
func fingerprint(req *http.Request, body []byte) []byte {
	h := sha256.New()
	fmt.Fprintf(h, "%s %s\n", req.Method, req.URL.RequestURI())
	h.Write(body)
	return h.Sum(nil)
}

// parseQuery returns the parameters of the query. It rejects what programs and the two
// databases treat differently.
func parseQuery(u *url.URL) (url.Values, error) {
	query, err := url.ParseQuery(strings.ReplaceAll(u.RawQuery, ";", "%3B")) // a semicolon separates nothing
	if err != nil {
		return nil, fault.BadRequest("The query string is malformed.")
	}
	texts := []string{u.Path}
	for name, values := range query {
		texts = append(texts, name, values[0])
		if len(values) > 1 { // some software uses the first, some the last
			return nil, fault.BadRequest("The parameter %s is repeated.", name).Detail(name, "duplicate", "must be given once")
		}
	}
	for _, name := range []string{"limit", "starting_after", "ending_before"} {
		if values, sent := query[name]; sent && values[0] == "" { // not the same as absent
			return nil, fault.BadRequest("%s is empty.", name).Detail(name, "required", "must have a value")
		}
	}
	for _, s := range texts {
		if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
			return nil, fault.BadRequest("The URL contains a NUL character or invalid UTF-8.")
		}
	}
	return query, nil
}

// readBody returns the JSON of the request after all checks that need no schema.
func (x *exchange) readBody(w http.ResponseWriter, req *http.Request) ([]byte, error) {
	if x.endpoint.request().body == nil {
		return nil, nil
	}
	most := x.maxBody()
	if kind := req.Header.Get("Content-Type"); kind != "" {
		media, _, err := mime.ParseMediaType(kind)
		if err != nil || media != "application/json" {
			return nil, fault.New(fault.KindUnsupportedType, "Send the body as application/json, not as %s.", clip(kind, 100)).
				Detail("Content-Type", "enum", "must be application/json")
		}
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(x.router.sendBodyIn)) //nolint:forbidigo // deadlines of connections use the real clock
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, most))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, fault.New(fault.KindTooLarge, "The body is larger than %d bytes.", most)
	}
	if err != nil {
		return nil, fault.BadRequest("The body could not be read completely.").WithCause(err)
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, nil
	}
	if err := wire.Check(body); err != nil {
		return nil, fault.BadRequest("%s.", err.Error()).Detail("body", "malformed", "%s", err.Error())
	}
	return body, nil
}
