// Package fault is the vocabulary of things that go wrong.
//
// A fault says what kind of failure it is and what the caller may be told. Any
// other error is a bug or an outage: it is logged in full, and the caller
// learns only that the fault is ours.
package fault

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kind is a row of the API's error table: the status of the response and the
// word that programs branch on.
type Kind struct {
	Status int
	Code   string
}

// The kinds of fault. Three statuses that a caller can only treat as a
// malformed request share its code.
var (
	KindBadRequest       = Kind{400, "bad_request"}
	KindUnauthenticated  = Kind{401, "unauthenticated"}
	KindForbidden        = Kind{403, "forbidden"}
	KindNotFound         = Kind{404, "not_found"}
	KindMethodNotAllowed = Kind{405, "bad_request"}
	KindConflict         = Kind{409, "conflict"}
	KindTooLarge         = Kind{413, "bad_request"}
	KindUnsupportedType  = Kind{415, "bad_request"}
	KindUnprocessable    = Kind{422, "unprocessable"}
	KindRateLimited      = Kind{429, "rate_limited"}
	KindServerError      = Kind{500, "server_error"}
	KindUnavailable      = Kind{503, "unavailable"}
)

// Detail blames one field, parameter or state.
type Detail struct {
	Field   string `json:"field" doc:"Dotted path of the field, parameter or header to blame." example:"price_usd"`
	Code    string `json:"code" doc:"Stable word for programs." example:"minimum"`
	Message string `json:"message" doc:"Sentence for people, without the field's name." example:"must be at least 0"`
}

// Error is a fault. Everything in it is for the caller except the cause, which
// is for the log.
type Error struct {
	Kind       Kind
	Message    string
	Details    []Detail
	RetryAfter time.Duration
	cause      error
}

func (e *Error) Error() string {
	if e.cause != nil {
		return fmt.Sprintf("%s: %s: %v", e.Kind.Code, e.Message, e.cause)
	}
	return e.Kind.Code + ": " + e.Message
}

func (e *Error) Unwrap() error { return e.cause }

// New makes a fault of a kind that has no short name below.
func New(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// BadRequest is a request of the wrong shape.
func BadRequest(format string, args ...any) *Error { return New(KindBadRequest, format, args...) }

// Unauthenticated is a missing, unknown or ended credential.
func Unauthenticated(format string, args ...any) *Error {
	return New(KindUnauthenticated, format, args...)
}

// Forbidden is a good credential that may not do this.
func Forbidden(format string, args ...any) *Error { return New(KindForbidden, format, args...) }

// NotFound says that the environment has no such thing. It takes the noun and
// the id the caller sent, so that a foreign id and an id that never existed
// get the same bytes.
func NotFound(noun, id string) *Error { return New(KindNotFound, "No such %s: %s.", noun, id) }

// Conflict is a state that forbids what was asked.
func Conflict(format string, args ...any) *Error { return New(KindConflict, format, args...) }

// Unavailable is an outage that passes by itself.
func Unavailable(format string, args ...any) *Error { return New(KindUnavailable, format, args...) }

// Detail names a field or state to blame.
func (e *Error) Detail(field, code, format string, args ...any) *Error {
	e.Details = append(e.Details, Detail{field, code, fmt.Sprintf(format, args...)})
	return e
}

// Because attaches the cause, for the log only.
func (e *Error) Because(err error) *Error {
	e.cause = err
	return e
}

// After tells the caller how long to wait before trying again.
func (e *Error) After(d time.Duration) *Error {
	e.RetryAfter = d
	return e
}

// KindOf reports the kind of err; whatever is not a fault is our own error.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return KindServerError
}

// Fields collects what is wrong with the values of a request, so that the
// caller hears of all of it at once.
type Fields []Detail

// Add blames a field.
func (f *Fields) Add(field, code, format string, args ...any) {
	*f = append(*f, Detail{field, code, fmt.Sprintf(format, args...)})
}

// Err is the fault for the fields collected, nil when there are none. A field
// that is missing makes it a request of the wrong shape.
func (f Fields) Err() error {
	if len(f) == 0 {
		return nil
	}
	kind := KindUnprocessable
	if slices.ContainsFunc(f, func(d Detail) bool { return d.Code == "required" }) {
		kind = KindBadRequest
	}
	return &Error{Kind: kind, Message: Sentence(f), Details: f}
}

// Sentence says in words what the details say to programs.
func Sentence(details []Detail) string {
	const most = 3
	var parts []string
	for _, d := range details[:min(most, len(details))] {
		parts = append(parts, strings.TrimSpace(d.Field+" "+d.Message))
	}
	s := strings.Join(parts, "; ")
	if n := len(details) - most; n > 0 {
		s += fmt.Sprintf("; and %d more", n)
	}
	return s + "."
}
