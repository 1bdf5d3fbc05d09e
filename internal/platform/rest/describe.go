package rest

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// errorDocs is the table of errors in the API reference.
var errorDocs = []struct {
	kind    fault.Kind
	name    string
	doc     string
	example fault.Error
}{
	{fault.KindBadRequest, "BadRequest", "Malformed JSON, a missing field, a wrong type or an invalid parameter.",
		*fault.BadRequest("make is required.").Detail("make", "required", "is required")},
	{fault.KindUnauthenticated, "Unauthenticated", "No credential, or one that is unknown, expired or revoked.",
		*fault.Unauthenticated("This API key does not exist.")},
	{fault.KindForbidden, "Forbidden", "The credential doesn't have the required scope.",
		*fault.Forbidden("This operation requires the scope hulls:write.")},
	{fault.KindNotFound, "NotFound", "Does not exist in this environment.", *fault.NotFound("hull", "hull_01jcqz8t5n8m2x4v6b7c9d0e1f")},
	{fault.KindConflict, "Conflict", "The state of the resource does not allow it.",
		*fault.Conflict("The resource has changed: it is at version 4.").Detail("If-Match", "stale", `must be "4"`)},
	{fault.KindUnprocessable, "Unprocessable", "A value is invalid. The response lists all invalid values.",
		*fault.New(fault.KindUnprocessable, "price_usd must be at least 0.").Detail("price_usd", "minimum", "must be at least 0")},
	{fault.KindRateLimited, "RateLimited", "Too many requests. Wait for the number of seconds in `Retry-After`.",
		*fault.New(fault.KindRateLimited, "Too many requests. The limit is 100 per second.")},
	{fault.KindServerError, "ServerError", "An internal error. You can retry with the same Idempotency-Key.",
		*fault.New(fault.KindServerError, internalError)},
	{fault.KindUnavailable, "Unavailable", "Temporarily unavailable. Wait for the number of seconds in `Retry-After`.",
		*fault.Unavailable("The service is temporarily unavailable. Try again later.")},
}

func errorResponses() map[string]*huma.Response {
	out := map[string]*huma.Response{}
	for _, e := range errorDocs {
		headers := maps.Clone(commonHeaders)
		if e.kind == fault.KindRateLimited || e.kind == fault.KindUnavailable {
			headers["Retry-After"] = header("Seconds to wait before trying again.", huma.TypeInteger, nil)
		}
		out[e.name] = &huma.Response{
			Description: e.doc,
			Headers:     headers,
			Content: map[string]*huma.MediaType{"application/json": {
				Schema:  &huma.Schema{Ref: "#/components/schemas/ErrorEnvelope"},
				Example: exampleOf(&e.example),
			}},
		}
	}
	return out
}

// exampleOf returns the body of an error. encoding/json would write a list
// without details as null.
func exampleOf(f *fault.Error) *ErrorEnvelope {
	e := envelope(f, "req_01jcqz8t5n8m2x4v6b7c9d0e1f")
	e.Body.DocURL = docURL("https://slipway.example.com", f)
	if e.Body.Details == nil {
		e.Body.Details = []fault.Detail{}
	}
	return e
}

// commonHeaders are on every response.
var commonHeaders = map[string]*huma.Header{
	"Request-Id":          header("Identifies this request in the logs.", huma.TypeString, "req_01jcqz8t5n8m2x4v6b7c9d0e1f"),
	"Service-Version":     header("The version of the API that was used.", huma.TypeString, "2026-11-15"),
	"RateLimit-Limit":     header("Requests allowed per window.", huma.TypeInteger, 200),
	"RateLimit-Remaining": header("Requests left in the current window.", huma.TypeInteger, 199),
	"RateLimit-Reset":     header("Seconds until the limit resets.", huma.TypeInteger, 1),
	"RateLimit-Policy":    header("The limit and its window in seconds.", huma.TypeString, "200;w=2"),
}

func header(doc, kind string, example any) *huma.Header {
	return &huma.Header{Description: doc, Schema: &huma.Schema{Type: kind}, Example: example}
}

// operation describes an endpoint, except for its parameters and its body. Without
// schemas, it only has what requests are handled with.
func (r *Router) operation(is route, schemas huma.Registry, out reflect.Type) *huma.Operation {
	path := r.prefix + is.path
	status := strconv.Itoa(is.status)
	op := &huma.Operation{
		OperationID: is.id, Method: is.method, Path: path, Summary: is.summary, Tags: []string{r.family},
		DefaultStatus: is.status,
		Responses:     map[string]*huma.Response{status: success(is, schemas, out)},
		Metadata:      map[string]any{"need": is.need},
		Security:      securityOf(is.need),
		Parameters:    sharedParameters(is.method, path),
	}
	if is.public {
		op.Security = []map[string][]string{} // not the default of the description
	}
	if acceptsIfMatch(is.method, path) {
		op.Metadata["if_match"] = true
	}
	for _, e := range errorDocs {
		if possible(e.kind, is.method, path) {
			op.Responses[strconv.Itoa(e.kind.Status)] = &huma.Response{Ref: "#/components/responses/" + e.name}
		}
	}
	if r.entered != "" && !is.public {
		markPreview(op, r.entered)
	}
	for _, o := range is.opts {
		o(op)
	}
	return op
}

// success describes the response of an endpoint that didn't fail.
func success(is route, schemas huma.Registry, out reflect.Type) *huma.Response {
	res := &huma.Response{Description: http.StatusText(is.status), Headers: maps.Clone(commonHeaders)}
	if schemas == nil {
		return res
	}
	schemas.Schema(reflect.TypeFor[ErrorEnvelope](), true, "")
	if out == reflect.TypeFor[None]() || out == reflect.TypeFor[*Content]() {
		return res
	}
	res.Content = map[string]*huma.MediaType{"application/json": {Schema: schemas.Schema(out, true, is.id+"Response")}}
	if out.Implements(reflect.TypeFor[Versioned]()) {
		res.Headers["ETag"] = header("The version of the resource. Send it back as If-Match.", huma.TypeString, `"1"`)
	}
	return res
}

// Webhook describes a message that the service sends when something happens.
func Webhook(r *Router, name, summary string, message func(huma.Registry) *huma.Schema) {
	r.describe(func(doc *huma.OpenAPI) {
		if doc.Webhooks == nil {
			doc.Webhooks = map[string]*huma.PathItem{}
		}
		doc.Webhooks[name] = &huma.PathItem{Post: &huma.Operation{
			OperationID: "on_" + strings.ReplaceAll(name, ".", "_"), Summary: summary, Tags: []string{r.family},
			Security: []map[string][]string{{"webhookSignature": {}}},
			RequestBody: &huma.RequestBody{Required: true,
				Content: map[string]*huma.MediaType{"application/json": {Schema: message(doc.Components.Schemas)}}},
			Responses: map[string]*huma.Response{"2XX": {Description: "Received. Any other status, or no response within 10 seconds, counts as a failure, and the message is sent again later."}},
		}}
	})
}

// possible leaves out errors that an endpoint cannot return.
func possible(kind fault.Kind, method, path string) bool {
	switch kind {
	case fault.KindNotFound:
		return strings.Contains(path, "{")
	case fault.KindConflict:
		return method != http.MethodGet
	case fault.KindUnprocessable:
		return keyed(method)
	}
	return true
}

// sharedParameters are the headers that guard reads for every endpoint.
func sharedParameters(method, path string) []*huma.Param {
	params := []*huma.Param{{
		Name: "Service-Version", In: "header", Example: "2026-11-15",
		Description: "Use the API as it was on this date. Defaults to the version that the credential was issued under.",
		Schema:      &huma.Schema{Type: huma.TypeString, Format: "date"},
	}}
	if keyed(method) {
		params = append(params, &huma.Param{
			Name: "Idempotency-Key", In: "header", Example: "7c0c1b4e-2f1d-4a3b-9a57-3f8f4f3d2a10",
			Description: "A UUID. If you send the request again within 24 hours with the same key, you get the first response and nothing changes.",
			Schema:      &huma.Schema{Type: huma.TypeString, Format: "uuid"},
		})
	}
	if acceptsIfMatch(method, path) {
		params = append(params, &huma.Param{
			Name: "If-Match", In: "header", Example: `"3"`,
			Description: "Return 409 unless the resource is at this version.",
			Schema:      &huma.Schema{Type: huma.TypeString},
		})
	}
	return params
}

// acceptsIfMatch reports whether an operation can change something that has a
// version. NoIfMatch is for those that do not.
func acceptsIfMatch(method, path string) bool {
	named := strings.Contains(path, "{") || method != http.MethodPost // PATCH /v1/dealership has no id
	return InAPI(path) && method != http.MethodGet && named
}

// OrSelf also lets a session without the scopes call an operation on its own user,
// whose ID is this path parameter.
func OrSelf(param string) Option {
	return func(op *huma.Operation) { op.Metadata["self"] = param }
}

// OrSession also lets a session without the scopes call an operation. The handler
// limits it to what belongs to the session's user.
func OrSession(op *huma.Operation) { op.Metadata["session"] = true }

// permit fails unless the caller has the scopes that the operation requires.
func permit(op *huma.Operation, caller auth.Principal, param func(name string) string) error {
	need, _ := op.Metadata["need"].(auth.Rule)
	self, _ := op.Metadata["self"].(string)
	_, forSessions := op.Metadata["session"]
	switch {
	case need.Allows(caller.Scopes):
		return nil
	case self != "" && caller.UserID != "" && param(self) == caller.UserID:
		return nil
	case caller.MustEnroll:
		return errMustEnroll(caller)
	case forSessions && caller.SessionID != "":
		return nil
	}
	return fault.Forbidden("This operation requires the scope %s.", need).Detail("Authorization", "scope", "must have the scope %s", need)
}

// errMustEnroll says what an administrator without a two-factor method has to do.
func errMustEnroll(caller auth.Principal) error {
	return fault.Forbidden("Administrators need a two-factor method. Enroll one first with POST /v1/users/%s/mfa_factors, and verify it.",
		caller.UserID).Detail("Authorization", "mfa", "is a session of an administrator without a two-factor method")
}

// Optional marks a property that responses only have if the request asks for it.
const Optional = "x-expandable"

// relaxResponses makes the schemas of responses match what responses guarantee:
// every field is present. It also adds null to the values of nullable enums,
// which huma leaves out.
func relaxResponses(doc *huma.OpenAPI) {
	schemas := doc.Components.Schemas.Map()
	sent := map[string]bool{}
	for op := range operationsOf(doc) {
		if op.RequestBody == nil {
			continue
		}
		for _, m := range op.RequestBody.Content {
			follow(m.Schema, schemas, sent)
		}
	}
	for name, s := range schemas {
		if !sent[name] {
			open(s)
		}
		nullEnums(s)
	}
}

// follow marks the schemas that s refers to.
func follow(s *huma.Schema, schemas map[string]*huma.Schema, seen map[string]bool) {
	if s == nil {
		return
	}
	if name := strings.TrimPrefix(s.Ref, "#/components/schemas/"); s.Ref != "" && !seen[name] {
		seen[name] = true
		follow(schemas[name], schemas, seen)
	}
	for _, p := range s.Properties {
		follow(p, schemas, seen)
	}
	follow(s.Items, schemas, seen)
}

func open(s *huma.Schema) {
	if s == nil {
		return
	}
	if closed, ok := s.AdditionalProperties.(bool); ok && !closed {
		s.AdditionalProperties = nil
	}
	s.Required = nil
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if s.Properties[name].Extensions[Optional] == nil {
			s.Required = append(s.Required, name)
		}
	}
	for _, p := range s.Properties {
		open(p)
	}
	open(s.Items)
}

func nullEnums(s *huma.Schema) {
	if s == nil {
		return
	}
	if s.Nullable && len(s.Enum) > 0 && !slices.Contains(s.Enum, nil) {
		s.Enum = append(s.Enum, nil)
	}
	for _, p := range s.Properties {
		nullEnums(p)
	}
	nullEnums(s.Items)
}
