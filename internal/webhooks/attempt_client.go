package webhooks

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"slipway/internal/platform/events"
	"slipway/internal/platform/trace"
	"slipway/internal/vocab/signature"
	"slipway/internal/vocab/wire"
)

// Timeout is the time limit for an attempt, including the response.
const Timeout = 10 * time.Second

// attempt is one attempt to deliver an event, and its result.
type attempt struct {
	Delivery
	webhook Webhook
	event   events.Event
	kind    events.Kind
	startBy time.Time

	skipped    bool // the lease was about to expire, so nothing was sent
	result     DeliveryAttempt
	delivered  bool
	gone       bool // the receiver returned 410
	retryAfter time.Duration
}

// problem says why the attempt failed, or is empty.
func (a attempt) problem() string {
	if a.result.Error == nil {
		return ""
	}
	return *a.result.Error
}

// body returns the request body. It is the same in every attempt, because an
// event never changes and the API version of a webhook is fixed.
func (a attempt) body() ([]byte, error) {
	return wire.Marshal(a.kind.In(a.event, a.webhook.Mode, a.webhook.APIVersion))
}

// send posts the event and records the response in the attempt. It only
// returns an error if the request could not be prepared. A failure of the
// receiver is part of the result.
func (a *attempt) send(ctx context.Context, client *http.Client, secrets []signature.Secret, clock func() time.Time) error {
	now := clock().UTC()
	a.result = DeliveryAttempt{Env: a.Env, DeliveryID: a.ID, N: a.AttemptCount, At: now}
	body, err := a.body()
	if err != nil {
		return err
	}

	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.webhook.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header = http.Header{
		"Content-Type":      {"application/json"},
		"User-Agent":        {"Slipway-Webhooks/1"},
		"Webhook-Id":        {a.EventID},
		"Webhook-Timestamp": {strconv.FormatInt(now.Unix(), 10)},
		"Webhook-Signature": {signature.SignAll(secrets, a.EventID, now, body)},
	}
	if parent := trace.Header(ctx); parent != "" {
		req.Header.Set("Traceparent", parent)
	}

	res, err := client.Do(req)
	defer func() { a.result.LatencyMS = max(0, clock().Sub(now).Milliseconds()) }()
	if err != nil {
		a.result.Error = new(connectionError(err))
		return nil
	}
	defer res.Body.Close()

	response, _ := io.ReadAll(io.LimitReader(res.Body, maxResponse+1)) // keep what was received before an error
	_, _ = io.CopyN(io.Discard, res.Body, 64<<10)                      // so that the connection can be reused
	a.result.StatusCode, a.result.Response = new(int64(res.StatusCode)), printable(response)
	a.delivered, a.gone = isSuccess(res.StatusCode), res.StatusCode == http.StatusGone
	if !a.delivered {
		a.retryAfter = retryAfter(res.Header, now)
		a.result.Error = new(statusError(res.StatusCode))
	}
	return nil
}

func statusError(status int) string {
	if status >= 300 && status < 400 {
		return "the receiver redirected; redirects are not followed"
	}
	return "the receiver returned status " + strconv.Itoa(status)
}

// retryAfter returns the delay that a response asks for.
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil {
		return min(time.Duration(max(0, seconds)), maxRetryAfter/time.Second) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// connectionError explains why there is no response. All hosts without a
// connection have the same error. Otherwise webhooks could be used to find out
// which hosts and ports of our network exist.
func connectionError(err error) string {
	dial, _ := errors.AsType[*net.OpError](err)
	_, badCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, noTLS := errors.AsType[tls.RecordHeaderError](err)
	failed, _ := errors.AsType[*url.Error](err)

	switch {
	case dial != nil && dial.Op == "dial":
		return "could not connect to a public address of this host"
	case failed != nil && failed.Timeout():
		return "no response within " + strconv.Itoa(int(Timeout.Seconds())) + " seconds"
	case badCertificate, noTLS:
		return "the TLS connection failed"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection was closed without a response"
	}
	return "the connection failed"
}
