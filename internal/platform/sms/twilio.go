package sms

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
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
	a, err := t.call(ctx, http.MethodPost, "/Messages.json", form, m.Token)
	if err == nil && a.SID == "" {
		err = errors.New("twilio accepted the message without returning an ID")
	}
	return a.SID, err
}

// Status returns the delivery status of a message.
func (t *Twilio) Status(ctx context.Context, id string) (Status, error) {
	a, err := t.call(ctx, http.MethodGet, "/Messages/"+url.PathEscape(id)+".json", nil, "")
	if err != nil {
		return Unknown, err
	}
	switch word, _ := a.Status.(string); word {
	case "delivered", "read":
		return Delivered, nil
	case "undelivered", "failed", "canceled":
		return Unknown, &Rejected{strconv.Itoa(a.ErrorCode), cmp.Or(a.ErrorMessage, word)}
	}
	return Underway, nil
}

// response is a message or an error of Twilio.
type response struct {
	SID          string `json:"sid"`
	Status       any    `json:"status"` // a word, or the HTTP status of an error
	ErrorCode    int    `json:"error_code"`
	ErrorMessage string `json:"error_message"`
	Code         int    `json:"code"`
	Message      string `json:"message"`
}

// call sends a request for the account. A permanent error is *Rejected.
func (t *Twilio) call(ctx context.Context, method, path string, form url.Values, token string) (a response, err error) {
	address := t.URL + "/2010-04-01/Accounts/" + url.PathEscape(t.AccountSID) + path
	req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(form.Encode()))
	if err != nil {
		return a, err
	}
	req.SetBasicAuth(t.AccountSID, t.AuthToken)
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Idempotency-Key", token)
	}
	res, err := t.Client.Do(req)
	if err != nil {
		return a, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err != nil {
		return a, err
	}
	err = json.Unmarshal(text, &a)
	switch status := res.StatusCode; {
	case err == nil && (status == http.StatusOK || status == http.StatusCreated):
		return a, nil
	case status == http.StatusTooManyRequests || status == http.StatusUnauthorized || status == http.StatusForbidden || status >= 500 ||
		err != nil || a.Code == 0:
		// A wrong token is a configuration error. The message can be sent after it is fixed.
		return a, fmt.Errorf("twilio returned %d: %.200s", status, text)
	}
	return a, &Rejected{strconv.Itoa(a.Code), a.Message}
}
