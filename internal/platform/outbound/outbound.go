// Package outbound is the HTTP client for addresses that strangers give us:
// webhook endpoints and listing partners.
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

// ErrRefused is why a request was not sent: its address leads into a network
// that strangers have no business in.
var ErrRefused = errors.New("the address is not a public one")

// New returns a client that reaches public addresses only: what is checked is
// the address dialled, after the name was resolved, so that a name cannot
// change its mind in between. It follows no redirect, which would be another
// address, and knows no proxy, which would dial for it. Its requests end after
// the timeout.
func New(timeout time.Duration, allowPrivate bool) *http.Client {
	dialer := &net.Dialer{Timeout: min(timeout, 5*time.Second)}
	if !allowPrivate {
		guard := ssrf.New(ssrf.WithAnyPort())
		dialer.ControlContext = func(_ context.Context, network, address string, c syscall.RawConn) error {
			if guard.Safe(network, address, c) != nil {
				return ErrRefused // the library's words name the address
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
			DisableCompression:     true, // a small answer must not become a large one
		},
	}
}

// CheckURL says what is wrong with an address that a stranger gave for a
// field. What it resolves to is judged when it is dialled.
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
