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
	"slipway/internal/platform/outbound"
	"slipway/internal/vocab/wire"
)

// Timeout is how long a receiver may take to answer.
const Timeout = 10 * time.Second

// attempt is one try to deliver, before and after.
type attempt struct {
	Delivery
	webhook Webhook
	event   events.Event
	startBy time.Time

	skipped    bool // not made after all
	made       DeliveryAttempt
	delivered  bool
	gone       bool // the receiver wants no more, ever
	retryAfter time.Duration
}

// body is what is sent: the same bytes in every attempt, because an event is
// never changed and a webhook's version is fixed.
func (a attempt) body() ([]byte, error) {
	e := a.event.In(a.webhook.Mode)
	e.APIVersion = a.webhook.APIVersion
	return wire.Marshal(e)
}

// send posts the event and takes note of the answer. Its error is ours: what
// the receiver does is in the attempt.
func (a *attempt) send(ctx context.Context, client *http.Client, secrets []Secret, clock func() time.Time) error {
	now := clock().UTC()
	a.made = DeliveryAttempt{Env: a.Env, DeliveryID: a.ID, N: a.AttemptCount, At: now}
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
		"Webhook-Signature": {Sign(secrets, a.EventID, now, body)},
	}
	res, err := client.Do(req)
	defer func() { a.made.LatencyMS = max(0, clock().Sub(now).Milliseconds()) }()
	if err != nil {
		a.made.Error = new(explain(err))
		return nil
	}
	defer res.Body.Close()
	answer, _ := io.ReadAll(io.LimitReader(res.Body, excerpt+1)) // whatever came of it
	_, _ = io.CopyN(io.Discard, res.Body, 64<<10)                // so that the connection can be used again
	a.made.StatusCode, a.made.Response = new(int64(res.StatusCode)), printable(answer)
	a.delivered, a.gone = accepted(res.StatusCode), res.StatusCode == http.StatusGone
	if !a.delivered {
		a.retryAfter = retryAfter(res.Header, now)
		a.made.Error = new(refusal(res.StatusCode))
	}
	return nil
}

func refusal(status int) string {
	if status >= 300 && status < 400 {
		return "the receiver redirects, which is not followed"
	}
	return "the receiver answered " + strconv.Itoa(status)
}

// retryAfter is how long an answer asks to wait.
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil {
		return min(time.Duration(max(0, seconds)), obey/time.Second) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// explain says why no answer came, in words that tell nothing of our network.
func explain(err error) string {
	_, unknownHost := errors.AsType[*net.DNSError](err)
	_, badCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, noTLS := errors.AsType[tls.RecordHeaderError](err)
	failed, _ := errors.AsType[*url.Error](err)
	switch {
	case errors.Is(err, outbound.ErrRefused):
		return outbound.ErrRefused.Error()
	case failed != nil && failed.Timeout():
		return "no answer within " + strconv.Itoa(int(Timeout.Seconds())) + " seconds"
	case unknownHost:
		return "the host name was not found"
	case badCertificate, noTLS:
		return "the TLS connection failed"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection was closed without an answer"
	}
	return "the connection failed"
}
