package channels

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// answer is what a partner said to a listing.
type answer struct {
	verdict    string // ack, nack, or later: no answer that could be used
	down       bool   // the partner as a whole is away, whatever the listing
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

// maxAnswer is how much of an answer is read.
const maxAnswer = 64 << 10

// readAnswer makes sense of a response. Partners differ: a plain 2xx is an ack
// unless the body says otherwise, a 4xx is a nack; with 408, 425, 429 and 5xx
// it is worth asking again.
func readAnswer(status int, body []byte) answer {
	var said struct {
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
	readable := json.Unmarshal(body, &said) == nil
	a := answer{verdict: ack, code: text(said.Code), message: said.Message}
	switch word := strings.ToLower(said.Status + said.Result); {
	case status == 408 || status == 425 || status == 429 || status >= 500:
		a.verdict, a.down = later, status == 429 || status == 502 || status == 503 || status == 504
	case status < 200 || status >= 300:
		a.verdict = nack
	case said.Ack != nil && !*said.Ack, slices.Contains([]string{"nack", "rejected", "refused", "error", "failed", "invalid"}, word):
		a.verdict = nack
	}
	if a.verdict == ack {
		a.externalID, a.url = orNone(text(said.ExternalID)+textIf(said.ExternalID == nil, said.ID)), orNone(clipped(said.URL, 2000))
		a.code, a.message = "", ""
		return a
	}
	if a.code == "" {
		a.code = fmt.Sprintf("http_%d", status)
	}
	if a.message == "" {
		a.message = text(said.Error)
	}
	if a.message == "" && !readable {
		a.message = string(body)
	}
	if a.message = clipped(strings.TrimSpace(a.message), 500); a.message == "" {
		a.message = fmt.Sprintf("The partner answered with status %d.", status)
	}
	a.code = clipped(a.code, 100)
	return a
}

// text is a word or a number; partners use both for codes and ids.
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

func orNone(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// clipped is a stranger's text as we keep it: short, whole characters, no NUL.
func clipped(s string, n int) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
	for len(s) > n {
		_, size := utf8.DecodeLastRuneInString(s[:n+1])
		s = s[:n+1-size]
	}
	return s
}

// hear brings a listing up to date with what the partner said to one revision
// of it. If it was changed meanwhile, it stays queued for what is new.
func (l *HullSyndication) hear(a answer, asked HullSyndication, now *time.Time) {
	l.AttemptedAt = now
	if a.externalID != nil {
		l.ExternalID = a.externalID
	}
	if a.url != nil {
		l.URL = a.url
	}
	if l.State != queued || l.Revision != asked.Revision {
		return
	}
	switch publishing := *asked.Action == toPublish; {
	case a.verdict == later:
		l.postpone(a.code, a.message, *now)
	case publishing && a.verdict == ack:
		l.accept(*now)
	case publishing:
		l.reject(a.code, a.message, *now)
	default: // what a partner does not know, it does not list
		l.drop(*now)
		l.Code, l.Message, l.ExternalID, l.URL = orNone(a.code), orNone(a.message), nil, nil
	}
}
