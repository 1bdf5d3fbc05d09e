// Package fault defines the errors that API clients see.
//
// A fault has a kind and a message for the client. Any other error is a bug or
// an outage. It is logged completely, and the client only sees an internal
// error.
package fault

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kind is a kind of error: the status of the response and the code for programs.
type Kind struct {
	Status int
	Code   string
}

// The kinds of faults. Three statuses share the code bad_request, because clients
// handle them in the same way.
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

// Detail describes what is wrong with one field, parameter or state.
type Detail struct {
	_ struct{} `doc:"One invalid field or header of a request."`

	Field   string `json:"field" doc:"Dotted path of the invalid field, parameter or header." example:"price_usd"`
	Code    string `json:"code" doc:"Stable code for programs." example:"minimum"`
	Message string `json:"message" doc:"Description for people. Completes a sentence that starts with the name of the field." example:"must be at least 0"`
}

// Error is a fault. The client sees everything except the cause, which is only
// logged.
type Error struct {
	Kind       Kind
	Message    string
	Details    []Detail
	RetryAfter time.Duration
	Scope      string // that the credential doesn't have, for the challenge
	Crowded    bool   // others are the reason, not what the caller did
	cause      error
}

func (e *Error) Error() string {
	if e.cause != nil {
		return fmt.Sprintf("%s: %s: %v", e.Kind.Code, e.Message, e.cause)
	}
	return e.Kind.Code + ": " + e.Message
}

func (e *Error) Unwrap() error { return e.cause }

// New returns a fault of any kind.
func New(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// BadRequest is for a malformed request.
func BadRequest(format string, args ...any) *Error { return New(KindBadRequest, format, args...) }

// Unauthenticated is for a missing, invalid or expired credential.
func Unauthenticated(format string, args ...any) *Error {
	return New(KindUnauthenticated, format, args...)
}

// Lacking adds the scopes that the credential needs, separated by spaces.
func (e *Error) Lacking(scope string) *Error {
	e.Scope = scope
	return e
}

// Forbidden is for a valid credential without permission.
func Forbidden(format string, args ...any) *Error { return New(KindForbidden, format, args...) }

// NotFound is for an object that doesn't exist in the environment. The message
// only contains the noun and the ID from the request, so that it is the same for
// an object of another environment.
func NotFound(noun, id string) *Error {
	return New(KindNotFound, "%s%s %s not found.", strings.ToUpper(noun[:1]), noun[1:], id)
}

// Conflict is for a request that the current state doesn't allow.
func Conflict(format string, args ...any) *Error { return New(KindConflict, format, args...) }

// Busy is for a request that there is no capacity for right now. The client can wait it out
// in seconds.
func Busy(format string, args ...any) *Error {
	e := New(KindRateLimited, format, args...)
	e.Crowded = true
	return e
}

// Unavailable is for an outage or maintenance. Clients return after 30 to 60 seconds.
func Unavailable(format string, args ...any) *Error { return New(KindUnavailable, format, args...) }

// Detail adds a detail about a field or state.
func (e *Error) Detail(field, code, format string, args ...any) *Error {
	e.Details = append(e.Details, Detail{Field: field, Code: code, Message: fmt.Sprintf(format, args...)})
	return e
}

// WithCause sets the cause, which is only logged.
func (e *Error) WithCause(err error) *Error {
	e.cause = err
	return e
}

// RetryIn sets the Retry-After of the response.
func (e *Error) RetryIn(d time.Duration) *Error {
	e.RetryAfter = d
	return e
}

// KindOf returns the kind of err. An error that is not a fault is a server error.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return KindServerError
}

// Fields collects everything that is wrong with the fields of a request, so that
// the client sees all of it in one response.
type Fields []Detail

// Add adds a detail about a field. The message completes a sentence that starts
// with the name of the field.
func (f *Fields) Add(field, code, format string, args ...any) {
	*f = append(*f, Detail{Field: field, Code: code, Message: fmt.Sprintf(format, args...)})
}

// AddNotFound adds a detail about a field that refers to a resource, if err is "not
// found". It returns other errors.
func (f *Fields) AddNotFound(field string, err error) error {
	if KindOf(err) == KindNotFound {
		f.Add(field, "not_found", "does not exist")
		return nil
	}
	return err
}

// Err returns a fault with all details, or nil if there are none. If a required
// field is missing, it is a bad request.
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

// Sentence returns the details as one sentence.
func Sentence(details []Detail) string {
	const limit = 3
	var parts []string
	for _, d := range details[:min(limit, len(details))] {
		parts = append(parts, strings.TrimSpace(d.Field+" "+d.Message))
	}
	s := strings.Join(parts, "; ")
	if n := len(details) - limit; n > 0 {
		s += fmt.Sprintf("; and %d more", n)
	}
	return s + "."
}
