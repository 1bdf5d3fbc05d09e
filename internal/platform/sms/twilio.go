package sms

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha1" // Twilio signs with HMAC-SHA1
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Twilio sends messages with the HTTP API of Twilio.
type Twilio struct {
	URL        string // https://api.twilio.com, or a compatible API
	AccountSID string
	AuthToken  string
	Client     *http.Client
}

// NewTwilio checks the settings of an account.
func NewTwilio(address, account, token string) (*Twilio, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is not an HTTP URL", address)
	}
	if account == "" || token == "" {
		return nil, errors.New("the account and the token are required")
	}
	return &Twilio{
		URL: strings.TrimSuffix(address, "/"), AccountSID: account, AuthToken: token,
		Client: &http.Client{Timeout: 20 * time.Second},
	}, nil
}

// Name is the provider in the API.
func (t *Twilio) Name() string { return "twilio" }

// Send sends the message. A sender that starts with MG is a messaging service of
// Twilio.
func (t *Twilio) Send(ctx context.Context, m Message) (string, error) {
	form := url.Values{"To": {m.To}, "Body": {m.Text}}
	if strings.HasPrefix(m.From, "MG") {
		form.Set("MessagingServiceSid", m.From)
	} else {
		form.Set("From", m.From)
	}
	if m.Callback != "" {
		form.Set("StatusCallback", m.Callback)
	}
	a, err := t.call(ctx, http.MethodPost, "/Messages.json", form, m.Token)
	if err == nil && a.SID == "" {
		err = &Unanswered{errors.New("twilio accepted the message without returning an ID")}
	}
	return a.SID, err
}

// Check fetches the account, without sending a message.
func (t *Twilio) Check(ctx context.Context) error {
	a, err := t.call(ctx, http.MethodGet, ".json", nil, "")
	if err == nil && a.Status != "active" {
		err = fmt.Errorf("the Twilio account is %v", a.Status)
	}
	return err
}

// Sent lists the messages to the recipient and compares their text. Twilio sorts them by
// the time when it accepted them, newest first.
func (t *Twilio) Sent(ctx context.Context, m Message, since time.Time) (ids []string, err error) {
	query := url.Values{"To": {m.To}, "PageSize": {"100"}}
	a, err := t.call(ctx, http.MethodGet, "/Messages.json?"+query.Encode(), nil, "")
	if err != nil {
		return nil, err
	}
	for _, sent := range a.Messages {
		created, err := time.Parse(time.RFC1123Z, sent.DateCreated)
		if err != nil {
			return nil, fmt.Errorf("twilio returned the time %q", sent.DateCreated)
		}
		// A trial account adds a sentence before the text.
		if !created.Before(since.Truncate(time.Second)) && sent.Direction != "inbound" && strings.HasSuffix(sent.Body, m.Text) {
			ids = append(ids, sent.SID)
		}
	}
	slices.Reverse(ids)
	return ids, nil
}

// Status returns the delivery status of a message.
func (t *Twilio) Status(ctx context.Context, id string) (Status, error) {
	a, err := t.call(ctx, http.MethodGet, "/Messages/"+url.PathEscape(id)+".json", nil, "")
	if err != nil {
		return Unknown, err
	}
	word, _ := a.Status.(string)
	code := ""
	if a.ErrorCode != 0 {
		code = strconv.Itoa(a.ErrorCode)
	}
	return ParseStatus(word, code, a.ErrorMessage)
}

// ParseStatus returns the delivery status for a word of Twilio. The error is
// *Rejected if the message was not delivered.
func ParseStatus(word, code, text string) (Status, error) {
	switch word {
	case "delivered", "read":
		return Delivered, nil
	case "undelivered", "failed", "canceled":
		return Unknown, &Rejected{cmp.Or(code, word), cmp.Or(text, word)}
	}
	return Underway, nil
}

// VerifyTwilio reports whether Twilio signed a request with an auth token: the
// HMAC-SHA1 of the URL and of all parameters, sorted by name. Twilio's own
// libraries also accept the URL with or without the port of HTTPS.
func VerifyTwilio(token, address string, form url.Values, signature string) bool {
	given, err := base64.StdEncoding.DecodeString(signature)
	if err != nil || token == "" || len(given) != sha1.Size {
		return false
	}

	var parameters strings.Builder
	for _, name := range slices.Sorted(maps.Keys(form)) {
		for _, value := range form[name] {
			parameters.WriteString(name + value)
		}
	}
	valid := false
	for _, form := range addressForms(address) {
		mac := hmac.New(sha1.New, []byte(token))
		mac.Write([]byte(form + parameters.String()))
		valid = hmac.Equal(mac.Sum(nil), given) || valid
	}
	return valid
}

// addressForms returns a URL with and without its port.
func addressForms(address string) []string {
	u, err := url.Parse(address)
	if err != nil {
		return []string{address}
	}
	port := map[string]string{"https": ":443", "http": ":80"}[u.Scheme]
	scheme, rest, _ := strings.Cut(address, "://")
	if u.Port() != "" {
		return []string{address, scheme + "://" + strings.Replace(rest, ":"+u.Port(), "", 1)}
	}
	return []string{address, scheme + "://" + strings.Replace(rest, u.Host, u.Host+port, 1)}
}

// maxAnswer is more than a list of a hundred long messages takes.
const maxAnswer = 1 << 20

// response is a message, a list of messages or an error of Twilio.
type response struct {
	SID          string `json:"sid"`
	Status       any    `json:"status"` // a word, or the HTTP status of an error
	ErrorCode    int    `json:"error_code"`
	ErrorMessage string `json:"error_message"`
	Code         int    `json:"code"`
	Message      string `json:"message"`

	Messages []struct { // of a list
		SID         string `json:"sid"`
		Body        string `json:"body"`
		Direction   string `json:"direction"`
		DateCreated string `json:"date_created"`
	} `json:"messages"`
}

// call sends a request for the account. A permanent error is *Rejected, and one after
// which Twilio might have done what it asks is *Unanswered.
func (t *Twilio) call(ctx context.Context, method, path string, form url.Values, token string) (a response, err error) {
	address := t.URL + "/2010-04-01/Accounts/" + url.PathEscape(t.AccountSID) + path
	var written atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(w httptrace.WroteRequestInfo) {
		if w.Err == nil {
			written.Store(true)
		}
	}})
	req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(form.Encode()))
	if err != nil {
		return a, err
	}
	req.SetBasicAuth(t.AccountSID, t.AuthToken)
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Idempotency-Key", token)
		req.GetBody = nil // net/http would send a request with this header again if the connection breaks
	}
	res, err := t.Client.Do(req)
	if err != nil {
		if written.Load() {
			err = &Unanswered{err}
		}
		return a, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return a, &Unanswered{err}
	}
	err = json.Unmarshal(text, &a)
	switch status := res.StatusCode; {
	case err == nil && (status == http.StatusOK || status == http.StatusCreated):
		return a, nil
	case status < 300, status == http.StatusBadGateway, status == http.StatusGatewayTimeout: // a proxy answered, and not Twilio
		return a, &Unanswered{fmt.Errorf("twilio returned %d: %.200s", status, text)}
	case status == http.StatusTooManyRequests || status == http.StatusUnauthorized || status == http.StatusForbidden || status >= 500 ||
		err != nil || a.Code == 0:
		// A wrong token is a configuration error. The message can be sent after it is fixed.
		return a, fmt.Errorf("twilio returned %d: %.200s", status, text)
	}
	return a, &Rejected{strconv.Itoa(a.Code), a.Message}
}
