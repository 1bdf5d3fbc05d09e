package channels

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"slipway/internal/vocab/null"
)

// answer is the response of a partner to a listing.
type answer struct {
	verdict    string // ack, nack, or later if it must be sent again
	down       bool   // the partner is unavailable for all listings
	externalID *string
	url        *string
	code       string
	message    string
}

const (
	ack   = "ack"
	nack  = "nack"
	later = "later"
)

// maxAnswer is the maximum size of a response.
const maxAnswer = 64 << 10

// parseAnswer parses a response. Partners differ: a 2xx is an ack unless the body
// rejects the listing, and a 4xx is a nack. 408, 425, 429 and 5xx are retried.
func parseAnswer(status int, body []byte) answer {
	var reply struct {
		Status     string `json:"status"`
		Result     string `json:"result"`
		Ack        *bool  `json:"ack"`
		ExternalID any    `json:"external_id"`
		ID         any    `json:"id"`
		URL        string `json:"url"`
		Code       any    `json:"code"`
		Message    string `json:"message"`
		Error      any    `json:"error"`
	}

	readable := json.Unmarshal(body, &reply) == nil
	a := answer{verdict: ack, code: text(reply.Code), message: reply.Message}
	switch word := strings.ToLower(reply.Status + reply.Result); {
	case status == 408 || status == 425 || status == 429 || status >= 500:
		a.verdict, a.down = later, status == 429 || status == 502 || status == 503 || status == 504
	case status < 200 || status >= 300:
		a.verdict = nack
	case reply.Ack != nil && !*reply.Ack, slices.Contains([]string{"nack", "rejected", "refused", "error", "failed", "invalid"}, word):
		a.verdict = nack
	}

	if a.verdict == ack {
		a.externalID, a.url = null.From(text(reply.ExternalID)+textIf(reply.ExternalID == nil, reply.ID)), null.From(clipped(reply.URL, 2000))
		a.code, a.message = "", ""
		return a
	}
	if a.code == "" {
		a.code = fmt.Sprintf("http_%d", status)
	}
	if a.message == "" {
		a.message = text(reply.Error)
	}
	if a.message == "" && !readable {
		a.message = string(body)
	}
	if a.message = clipped(strings.TrimSpace(a.message), 500); a.message == "" {
		a.message = fmt.Sprintf("The partner responded with status %d.", status)
	}

	a.code = clipped(a.code, 100)
	return a
}

// text returns a string or a number as text. Partners use both for codes and IDs.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return clipped(v, 500)
	case float64:
		return fmt.Sprint(int64(v))
	}
	return ""
}

func textIf(use bool, v any) string {
	if use {
		return text(v)
	}
	return ""
}

// clipped shortens external text to n bytes. It keeps whole characters and
// removes NUL.
func clipped(s string, n int) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
	for len(s) > n {
		_, size := utf8.DecodeLastRuneInString(s[:n+1])
		s = s[:n+1-size]
	}
	return s
}

// apply updates a listing with the response to one of its revisions. If the
// listing was changed since then, it stays queued.
func (l *HullSyndication) apply(a answer, sent HullSyndication, now *time.Time) {
	l.AttemptedAt = now
	if a.externalID != nil {
		l.ExternalID = a.externalID
	}
	if a.url != nil {
		l.URL = a.url
	}
	if l.State != queued || l.Revision != sent.Revision {
		return
	}

	switch publishing := *sent.Action == toPublish; {
	case a.verdict == later:
		l.postpone(a.code, a.message, *now)
	case publishing && a.verdict == ack:
		l.accept(*now)
	case publishing:
		l.reject(a.code, a.message, *now)
	default: // a partner that rejects a withdrawal doesn't list the hull either
		l.drop(*now)
		l.Code, l.Message, l.ExternalID, l.URL = null.From(a.code), null.From(a.message), nil, nil
	}
}
