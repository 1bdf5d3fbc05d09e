// Package outbound is the HTTP client for URLs that users enter, such as webhook
// endpoints.
package outbound

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"time"

	"code.dny.dev/ssrf"

	"slipway/internal/vocab/fault"
)

// ErrPrivateAddress means that a request was not sent because its address is private.
var ErrPrivateAddress = errors.New("the address is not public")

// New returns a client that only connects to public addresses. It checks the
// resolved address when it connects, so that a changed DNS entry can't bypass the
// check. It doesn't follow redirects and doesn't use a proxy.
func New(timeout time.Duration, allowPrivate bool) *http.Client {
	dialer := &net.Dialer{Timeout: min(timeout, 5*time.Second)}
	if !allowPrivate {
		guard := ssrf.New(ssrf.WithAnyPort())
		dialer.ControlContext = func(_ context.Context, network, address string, c syscall.RawConn) error {
			if guard.Safe(network, address, c) != nil {
				return ErrPrivateAddress // the library's error contains the address
			}
			return nil
		}
	}
	return &http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext:            dialer.DialContext,
			TLSHandshakeTimeout:    5 * time.Second,
			MaxResponseHeaderBytes: 32 << 10,
			MaxIdleConns:           1000,
			MaxIdleConnsPerHost:    32,
			IdleConnTimeout:        90 * time.Second,
			ForceAttemptHTTP2:      true,
			DisableCompression:     true, // a small response must not expand to a large one
		},
	}
}

// CheckURL validates a URL from a request. The address that it resolves to is
// checked when the client connects.
func CheckURL(bad *fault.Fields, field, raw string, live bool) {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "" || (u.Scheme != "http" && u.Scheme != "https"):
		bad.Add(field, "format", "must be a URL such as https://example.com/hook")
	case live && u.Scheme != "https":
		bad.Add(field, "https", "must start with https:// in the live environment")
	case u.User != nil:
		bad.Add(field, "format", "must not contain a user name or a password")
	case u.Fragment != "":
		bad.Add(field, "format", "must not contain a fragment")
	}
}
