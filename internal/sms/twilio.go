package sms

import (
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

// Twilio sends by Twilio's HTTP API.
type Twilio struct {
	URL        string // https://api.twilio.com, or one that speaks the same
	AccountSID string
	AuthToken  string
	Client     *http.Client
}

// NewTwilio checks the settings of an account.
func NewTwilio(address, account, token string) (*Twilio, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is not an http address", address)
	}
	if account == "" || token == "" {
		return nil, errors.New("the account and its token are needed both")
	}
	return &Twilio{
		URL: strings.TrimSuffix(address, "/"), AccountSID: account, AuthToken: token,
		Client: &http.Client{Timeout: 20 * time.Second},
	}, nil
}

// Name is how messages tell where they went.
func (t *Twilio) Name() string { return "twilio" }

// Send hands the message to Twilio. A sender that starts with MG is one of its
// messaging services.
func (t *Twilio) Send(ctx context.Context, m Message) (string, error) {
	form := url.Values{"To": {m.To}, "Body": {m.Text}}
	if strings.HasPrefix(m.From, "MG") {
		form.Set("MessagingServiceSid", m.From)
	} else {
		form.Set("From", m.From)
	}
	address := t.URL + "/2010-04-01/Accounts/" + url.PathEscape(t.AccountSID) + "/Messages.json"
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	req.SetBasicAuth(t.AccountSID, t.AuthToken)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Idempotency-Key", m.Token)
	res, err := t.Client.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err != nil {
		return "", err
	}
	return answer(res.StatusCode, text)
}

// answer reads Twilio's answer: what it took, what it will never take, and what
// it could not take now.
func answer(status int, text []byte) (string, error) {
	var body struct {
		SID     string `json:"sid"`
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	err := json.Unmarshal(text, &body)
	switch {
	case status == http.StatusCreated || status == http.StatusOK:
		if err != nil || body.SID == "" {
			return "", fmt.Errorf("twilio took the message and answered %.200s", text)
		}
		return body.SID, nil
	case status == http.StatusTooManyRequests || status == http.StatusUnauthorized || status == http.StatusForbidden || status >= 500 || err != nil || body.Code == 0:
		// A wrong token is the operator's to mend, not the message's fault.
		return "", fmt.Errorf("twilio answered %d: %.200s", status, text)
	}
	return "", &Refused{strconv.Itoa(body.Code), body.Message}
}
