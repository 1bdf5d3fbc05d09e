package description

import (
	"maps"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/platform/rest"
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
		*fault.New(fault.KindServerError, rest.InternalError)},
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
func exampleOf(f *fault.Error) *rest.ErrorEnvelope {
	e := rest.NewEnvelope(f, "req_01jcqz8t5n8m2x4v6b7c9d0e1f")
	e.Body.DocURL = rest.DocURL("https://slipway.example.com", f)
	if e.Body.Details == nil {
		e.Body.Details = []fault.Detail{}
	}
	return e
}
