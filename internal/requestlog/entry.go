// Package requestlog keeps the API requests of an environment for its developers:
// those that write, and those that failed. Secrets and personal data are masked
// before a request is stored. See docs/decisions/0037.
package requestlog

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// RequestLog is an API request.
type RequestLog struct {
	_ struct{} `doc:"An API request that changed something or failed." columns:"created_at status method path duration_ms:MS actor / id operation ip"`

	Env             auth.Env        `json:"-" db:"env"`
	ID              string          `json:"id" db:"id" doc:"Request-Id of the response." example:"req_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Method          string          `json:"method" db:"method" doc:"HTTP method." example:"POST"`
	Path            string          `json:"path" db:"path" doc:"Path of the request." example:"/v1/hulls"`
	Query           string          `json:"query" db:"query" doc:"Query string. Values that can be personal are replaced by three dots." example:"expand=pricing"`
	Operation       *string         `json:"operation" db:"operation" doc:"ID of the operation in the reference. Null if the path doesn't exist." example:"createHull"`
	Status          int             `json:"status" db:"status" doc:"Status of the response." example:"422"`
	Error           *LoggedError    `json:"error" db:"error,json" doc:"What went wrong. Null if the request succeeded."`
	DurationMS      float64         `json:"duration_ms" db:"duration_ms" doc:"How long the server took, in milliseconds." example:"12.4"`
	ResponseBytes   int64           `json:"response_bytes" db:"response_bytes" doc:"Size of the response body." example:"512"`
	Actor           auth.Actor      `json:"actor" db:"actor,json" doc:"Key, user or app that sent the request."`
	ActorID         string          `json:"-" db:"actor_id"`
	IP              string          `json:"ip" db:"ip" doc:"Address that the request came from." example:"203.0.113.7"`
	UserAgent       string          `json:"user_agent" db:"user_agent" doc:"User-Agent header." example:"curl/8.5.0"`
	APIVersion      string          `json:"api_version" db:"api_version" doc:"Version of the API that the request used." example:"2026-11-15"`
	IdempotencyKey  *string         `json:"idempotency_key" db:"idempotency_key" doc:"Idempotency-Key of the request. Null if none was sent."`
	Replayed        bool            `json:"replayed" db:"replayed" doc:"Whether the response was that of an earlier request with the same Idempotency-Key."`
	ClientRequestID *string         `json:"client_request_id" db:"client_request_id" doc:"X-Client-Request-Id of the request. Null if none was sent."`
	RequestBody     *map[string]any `json:"request_body" db:"request_body,json" nullable:"true" doc:"Body of a write that failed, with secrets and personal data masked. Null for other requests, and for bodies over 16 KB."`
	CreatedAt       time.Time       `json:"created_at" db:"created_at" doc:"When the request arrived."`
}

// LoggedError is the error of a response.
type LoggedError struct {
	_       struct{}       `doc:"The error of a response." nullable:"true"`
	Code    string         `json:"code" doc:"Code of the error." example:"unprocessable"`
	Message string         `json:"message" doc:"Message of the error." example:"price_usd must be at least 0."`
	Details []fault.Detail `json:"details" nullable:"false" doc:"Every field, parameter or state that caused the error, at most 20."`
}

// maxDetails limits the details of an error that are stored.
const maxDetails = 20

func (m *masker) error(f *fault.Error) *LoggedError {
	e := &LoggedError{Code: f.Kind.Code, Message: m.message(f.Message), Details: []fault.Detail{}}
	for _, d := range f.Details[:min(len(f.Details), maxDetails)] {
		e.Details = append(e.Details, fault.Detail{Field: withoutTokens(d.Field), Code: d.Code, Message: m.message(d.Message)})
	}
	return e
}

// statuses returns the first and the last status of a class such as 4xx, or of one
// status.
func statuses(filter string) (from, to int) {
	from, _ = strconv.Atoi(strings.ReplaceAll(filter, "x", "0")) // the schema checks it
	to, _ = strconv.Atoi(strings.ReplaceAll(filter, "x", "9"))
	return from, to
}

// maxWord is longer than every ID, and shorter than every token.
const maxWord = 40

// withoutTokens replaces long words. A message can quote what a client sent instead of
// an ID.
func withoutTokens(text string) string {
	words := strings.Split(clean(text, 1000), " ")
	for i, word := range words {
		if len(word) > maxWord {
			words[i] = "..."
		}
	}
	return strings.Join(words, " ")
}

func optional(text string, most int) *string {
	if text == "" {
		return nil
	}
	return new(clean(text, most))
}

// clean returns text that both databases can store.
func clean(text string, most int) string {
	text = strings.ToValidUTF8(text[:min(len(text), most)], "")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
}
