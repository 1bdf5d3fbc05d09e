package rest

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"
	"github.com/go-json-experiment/json"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/version"
	"slipway/internal/vocab/wire"
)

// ErrorEnvelope is the body of every error.
type ErrorEnvelope struct {
	_ struct{} `doc:"The body of every error response."`

	Body ErrorBody `json:"error" doc:"What went wrong."`
}

// ErrorBody describes what went wrong.
type ErrorBody struct {
	_ struct{} `doc:"What went wrong, for programs and for people."`

	Status    int            `json:"status" doc:"The HTTP status." example:"422"`
	Code      ErrorCode      `json:"code" doc:"A stable code for programs."`
	Message   string         `json:"message" doc:"A sentence for people." example:"price_usd must be at least 0."`
	RequestID string         `json:"request_id" doc:"Include it when you contact support." example:"req_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	DocURL    string         `json:"doc_url,omitempty" since:"next" format:"uri" doc:"Explains the error and what to do." example:"https://slipway.example.com/docs/errors#minimum"`
	Details   []fault.Detail `json:"details" nullable:"false" doc:"Every field, parameter or state that caused the error."`
}

// ErrorCode is the stable code of an error.
type ErrorCode string

var errorCodes = enum.Of("ErrorCode", "Stable code of an error. Each has its own HTTP status.",
	codeOf(fault.KindBadRequest), codeOf(fault.KindUnauthenticated), codeOf(fault.KindForbidden), codeOf(fault.KindNotFound),
	codeOf(fault.KindConflict), codeOf(fault.KindUnprocessable), codeOf(fault.KindRateLimited), codeOf(fault.KindServerError),
	codeOf(fault.KindUnavailable))

func (ErrorCode) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return errorCodes.Describe(s)
}

func codeOf(kind fault.Kind) ErrorCode { return ErrorCode(kind.Code) }

func (e *ErrorEnvelope) Error() string { return e.Body.Message }

// InternalError is all that a caller learns about an internal error.
const InternalError = "Something went wrong on our side. It is safe to try again with the same Idempotency-Key."

// Fail responds with an error to a request of a handler outside the described API.
func Fail(w http.ResponseWriter, req *http.Request, err error) {
	exchangeFrom(req.Context()).router.fail(w, req, err)
}

// fail is the only place where an error becomes a response. An error that is
// not a fault is logged in full; the caller gets one sentence.
func (r *Router) fail(w http.ResponseWriter, req *http.Request, err error) {
	f, ok := errors.AsType[*fault.Error](err)
	switch {
	case ok:
	case db.IsUnavailable(err):
		f = fault.Unavailable("The service is temporarily unavailable. Try again later.").WithCause(err)
	default:
		f = fault.New(fault.KindServerError, InternalError).WithCause(err)
	}
	if f.Kind == fault.KindUnavailable && f.RetryAfter == 0 {
		f = f.RetryIn(time.Duration(30+rand.IntN(31)) * time.Second) //nolint:gosec // spreads retries; not a secret
	}
	x := exchangeFrom(req.Context())
	x.fault = f
	if f.Kind.Status >= 500 && !x.flood && req.Context().Err() == nil {
		r.Log.ErrorContext(req.Context(), "request failed", "request_id", x.requestID, "operation", x.operation, "err", f)
	}
	h := w.Header()
	if f.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int((f.RetryAfter+time.Second-1)/time.Second)))
	}
	if challenge := r.challenge(f); challenge != "" {
		h.Set("WWW-Authenticate", challenge)
	}
	body, err := wire.Marshal(x.envelope(f))
	if err != nil {
		panic(err) // plain strings
	}
	body = append(body, '\n')
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(f.Kind.Status)
	_, _ = w.Write(body) // the client might have disconnected
}

// challenge tells a client how to get access (RFC 6750), or is "" if that doesn't help.
func (r *Router) challenge(f *fault.Error) string {
	challenge := `Bearer realm="slipway"`
	switch {
	case f.Kind == fault.KindUnauthenticated:
	case f.Kind == fault.KindForbidden && f.Scope != "":
		challenge += `, error="insufficient_scope", scope="` + f.Scope + `"`
	default:
		return ""
	}
	if r.Metadata != "" {
		challenge += `, resource_metadata="` + r.Metadata + `"`
	}
	return challenge
}

// maxDetails limits the details of an error. A body can have thousands of invalid
// values.
const maxDetails = 100

// NewEnvelope returns the body of an error.
func NewEnvelope(f *fault.Error, requestID string) *ErrorEnvelope {
	details := f.Details[:min(len(f.Details), maxDetails)]
	return &ErrorEnvelope{Body: ErrorBody{Status: f.Kind.Status, Code: codeOf(f.Kind), Message: f.Message, RequestID: requestID, Details: details}}
}

// envelope returns the body of an error in the version that the request uses.
func (x *exchange) envelope(f *fault.Error) *ErrorEnvelope {
	e := NewEnvelope(f, x.requestID)
	if v := x.caller.Version; v == "" || v == version.Latest() || x.preview {
		e.Body.DocURL = DocURL(x.router.BaseURL, f)
	}
	return e
}

// DocURL returns where an error is explained: the section of its first detail, which
// says most, or that of its code.
func DocURL(base string, f *fault.Error) string {
	if base == "" {
		return ""
	}
	code := f.Kind.Code
	if len(f.Details) > 0 {
		code = f.Details[0].Code
	}
	return strings.TrimSuffix(base, "/") + "/docs/errors#" + code
}

// ---- huma's validation errors --------------------------------------------------

// sep separates the code from the message inside huma's texts, which are
// variables: no text is matched while a request is validated.
const sep = "\x1f"

// shapes are the codes that mean 400 in a body. All others mean 422.
var shapes = map[string]bool{"required": true, "type": true, "malformed": true}

func init() {
	huma.ValidateStrictCasing = true
	huma.DefaultArrayNullable = false
	set := func(code, text string, vars ...*string) {
		for _, v := range vars {
			*v = code + sep + text
		}
	}
	set("unknown_field", "is not a known field", &validation.MsgUnexpectedProperty)
	validation.MsgExpectedRequiredProperty = "required" + sep + "is required" + sep + "%s"
	set("type", "must be true or false", &validation.MsgExpectedBoolean)
	set("type", "must be a number", &validation.MsgExpectedNumber)
	set("type", "must be a whole number", &validation.MsgExpectedInteger)
	set("type", "must be a string", &validation.MsgExpectedString)
	set("type", "must be an array", &validation.MsgExpectedArray)
	set("type", "must be an object", &validation.MsgExpectedObject)
	set("enum", "must be one of %s", &validation.MsgExpectedOneOf)
	set("enum", "must be %v", &validation.MsgExpectedConst)
	set("minimum", "must be at least %v", &validation.MsgExpectedMinimumNumber)
	set("minimum", "must be more than %v", &validation.MsgExpectedExclusiveMinimumNumber)
	set("maximum", "must be at most %v", &validation.MsgExpectedMaximumNumber)
	set("maximum", "must be less than %v", &validation.MsgExpectedExclusiveMaximumNumber)
	set("multiple_of", "must be a multiple of %v", &validation.MsgExpectedNumberBeMultipleOf)
	set("too_short", "must have at least %d characters", &validation.MsgExpectedMinLength)
	set("too_long", "must have at most %d characters", &validation.MsgExpectedMaxLength)
	set("too_few", "must have at least %d items", &validation.MsgExpectedMinItems, &validation.MsgExpectedMinProperties)
	set("too_many", "must have at most %d items", &validation.MsgExpectedMaxItems, &validation.MsgExpectedMaxProperties)
	set("duplicate", "must not repeat an item", &validation.MsgExpectedArrayItemsUnique)
	set("pattern", "must match %s", &validation.MsgExpectedMatchPattern)
	set("pattern", "must be %s", &validation.MsgExpectedBePattern)
	set("format", "must be a time such as 2026-05-01T09:30:00Z", &validation.MsgExpectedRFC3339DateTime)
	set("format", "must be a date such as 2026-05-01", &validation.MsgExpectedRFC3339Date)
	// %.0v drops huma's reason, which quotes Go's parsers.
	set("format", "must be an email address%.0v", &validation.MsgExpectedRFC5322Email)
	set("format", "must be an email address, without a name", &validation.MsgExpectedRFC5322EmailBare)
	set("format", "must be a URL", &validation.MsgExpectedRFC3986AbsoluteURI)
	set("format", "must be a time of day", &validation.MsgExpectedRFC3339Time)
	set("format", "must be in base64", &validation.MsgExpectedBase64String)
	set("format", "must be a URL%.0v", &validation.MsgExpectedRFC3986URI)
	set("format", "must be a UUID%.0v", &validation.MsgExpectedRFC4122UUID)
}

// judgeMore adds the errors of the body's own rules to those of its schema,
// except for fields that already have one.
func (x *exchange) judgeMore(f *fault.Error) {
	if len(f.Details) == 0 {
		return
	}
	more, err := x.endpoint.request().checkRules(x.body, x.router.Now())
	if err != nil {
		return // the schema says what is wrong
	}
	for _, d := range more {
		if !slices.ContainsFunc(f.Details, func(known fault.Detail) bool { return known.Field == d.Field }) {
			f.Details = append(f.Details, d)
			if shapes[d.Code] {
				f.Kind = fault.KindBadRequest
			}
		}
	}
	f.Message = fault.Sentence(f.Details)
}

// checkRules returns the errors of the body's own rules. It fails if the body can't be
// decoded.
func (q *request) checkRules(body []byte, now time.Time) (fault.Fields, error) {
	if q.body == nil || !q.body.Type.Implements(reflect.TypeFor[Checker]()) {
		return nil, nil
	}
	value := reflect.New(q.body.Type)
	if err := q.decode(body, value.Interface()); err != nil {
		return nil, err
	}
	if f, ok := errors.AsType[*fault.Error](value.Elem().Interface().(Checker).Check(now)); ok {
		if q.shape != nil {
			f = previewFault(f)
		}
		return f.Details, nil
	}
	return nil, nil
}

// judge turns huma's errors into the fault of the contract: 400 for a
// wrong shape and for every parameter, 422 for a wrong value in a body.
func judge(errs []error) *fault.Error {
	if slices.Contains(errs, errNoBody) {
		return fault.BadRequest("A JSON body is required.")
	}
	f := fault.New(fault.KindUnprocessable, "")
	for _, err := range errs {
		d, inBody := detail(err)
		f.Details = append(f.Details, d)
		if !inBody || shapes[d.Code] {
			f.Kind = fault.KindBadRequest
		}
	}
	f.Message = fault.Sentence(f.Details)
	return f
}

// Validator returns a function that validates a value as if it were the body of a
// request, such as a row of an imported file.
func Validator[T any]() func(value map[string]any) fault.Fields {
	request := requestOf(reflect.TypeFor[struct{ Body T }](), false)
	return func(value map[string]any) fault.Fields { return request().validate(value, "") }
}

// detail parses one of huma's errors.
func detail(err error) (d fault.Detail, inBody bool) {
	hd, ok := errors.AsType[*huma.ErrorDetail](err)
	if !ok {
		return fault.Detail{Code: "invalid", Message: "is not valid"}, false
	}
	where, field, _ := strings.Cut(hd.Location, ".")
	if strings.HasPrefix(where, "body[") { // a body that is an array
		where, field = "body", strings.TrimPrefix(hd.Location, "body")
	}
	d = fault.Detail{Field: field, Code: "type", Message: hd.Message}
	if parts := strings.Split(hd.Message, sep); len(parts) > 1 {
		d.Code, d.Message = parts[0], parts[1]
		if len(parts) == 3 { // the text includes the name of the field
			d.Field = strings.TrimPrefix(field+"."+parts[2], ".")
		}
		return d, where == "body"
	}
	return d, where == "body"
}

// unmarshal reports a value of the wrong type as validation does, for values
// that the schema accepts, such as 1e3 for an integer.
func unmarshal(data []byte, v any) error {
	err := wire.Unmarshal(data, v)
	if se, ok := errors.AsType[*json.SemanticError](err); ok {
		field := strings.ReplaceAll(strings.TrimPrefix(string(se.JSONPointer), "/"), "/", ".")
		return errors.New("type" + sep + "has the wrong type" + sep + field)
	}
	return err
}
