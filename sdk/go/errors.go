package slipway

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Error is an error response of the server.
type Error struct {
	Status     int           `json:"status"` // HTTP status
	Code       ErrorCode     `json:"code"`
	Message    string        `json:"message"`
	RequestID  string        `json:"request_id"` // include it when you contact support
	Details    []Detail      `json:"details"`    // every field, parameter or state that caused the error
	DocURL     string        `json:"doc_url"`    // explains the error and what to do
	RetryAfter time.Duration `json:"-"`          // when to send the request again, 0 if the server didn't say
}

// Detail is one invalid field, parameter or header.
type Detail struct {
	Field   string `json:"field"` // dotted path, such as engines[0].hp
	Code    string `json:"code"`
	Message string `json:"message"` // completes a sentence that starts with the field
}

// ErrorCode is the kind of an error. Use it with errors.Is:
//
//	if errors.Is(err, slipway.ErrConflict) {
type ErrorCode string

// The kinds of errors.
const (
	ErrBadRequest      ErrorCode = "bad_request"
	ErrUnauthenticated ErrorCode = "unauthenticated"
	ErrForbidden       ErrorCode = "forbidden"
	ErrNotFound        ErrorCode = "not_found"
	ErrConflict        ErrorCode = "conflict"
	ErrUnprocessable   ErrorCode = "unprocessable"
	ErrRateLimited     ErrorCode = "rate_limited"
	ErrServer          ErrorCode = "server_error"
	ErrUnavailable     ErrorCode = "unavailable"
)

func (c ErrorCode) Error() string { return "slipway: " + string(c) }

func (e *Error) Error() string {
	text := fmt.Sprintf("slipway: %s (%d %s", e.Message, e.Status, string(e.Code))
	if e.RequestID != "" {
		text += ", " + e.RequestID
	}
	return text + ")"
}

// Is reports whether an error is of a kind, for errors.Is.
func (e *Error) Is(target error) bool {
	code, ok := target.(ErrorCode)
	return ok && code == e.Code
}

// Field returns what is wrong with a field, or "".
func (e *Error) Field(name string) string {
	for _, d := range e.Details {
		if d.Field == name {
			return d.Message
		}
	}
	return ""
}

// noResponse is the error of an attempt without a complete response.
type noResponse struct {
	verb, path string
	err        error
}

func (e *noResponse) Error() string { return fmt.Sprintf("slipway: %s %s: %v", e.verb, e.path, e.err) }
func (e *noResponse) Unwrap() error { return e.err }

// credentialError is the error of a Credential. The request was not sent, and is not retried.
type credentialError struct{ err error }

func (e *credentialError) Error() string { return fmt.Sprintf("slipway: get a credential: %v", e.err) }
func (e *credentialError) Unwrap() error { return e.err }

// parseError returns the error of a response. A response of something else, such as the
// page of a proxy, becomes ErrServer with the status.
func parseError(res *http.Response, text []byte, now time.Time) *Error {
	var envelope struct{ Error Error }
	if json.Unmarshal(text, &envelope) != nil || envelope.Error.Code == "" {
		envelope.Error = Error{Code: ErrServer, Message: "The response is not from Slipway: " + res.Status,
			RequestID: res.Header.Get("Request-Id")}
	}
	e := envelope.Error
	e.Status, e.RetryAfter = res.StatusCode, retryAfter(res.Header.Get("Retry-After"), now)
	return &e
}

// retryAfter parses seconds or a date.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(value); err == nil {
		return max(0, time.Duration(seconds)*time.Second)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}
