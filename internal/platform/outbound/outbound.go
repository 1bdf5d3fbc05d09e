// Package outbound is the HTTP client for URLs that users enter, such as webhook
// endpoints.
package outbound

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
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
	guard := ssrf.New(ssrf.WithAnyPort())
	dialer.ControlContext = func(_ context.Context, network, address string, c syscall.RawConn) error {
		if isMetadata(address) || !allowPrivate && guard.Safe(network, address, c) != nil {
			return ErrPrivateAddress // the library's error contains the address
		}
		return nil
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

// metadata are the addresses where clouds serve the credentials of a machine.
var metadata = []netip.Addr{
	netip.MustParseAddr("169.254.169.254"), netip.MustParseAddr("169.254.170.2"), netip.MustParseAddr("169.254.170.23"),
	netip.MustParseAddr("fd00:ec2::254"), netip.MustParseAddr("fd00:ec2::23"), netip.MustParseAddr("fd20:ce::254"),
	netip.MustParseAddr("100.100.100.200"), netip.MustParseAddr("192.0.0.192"), netip.MustParseAddr("168.63.129.16"),
}

// isMetadata reports whether an address belongs to a metadata service. No setting
// allows it.
func isMetadata(address string) bool {
	a, err := netip.ParseAddrPort(address)
	return err == nil && slices.Contains(metadata, a.Addr().Unmap().WithZone(""))
}

// services are ports of 1024 and above where servers of other protocols usually
// listen. Some of them run commands that are in the body of a request.
var services = []uint64{
	1080, 1433, 1521, 2049, 2181, 2375, 2376, 2379, 2380, 3128, 3306, 3389, 4369, 5060, 5061, 5432, 5671, 5672, 5900, 5984, 5985, 5986,
	6000, 6379, 6443, 6667, 7000, 7001, 8086, 8500, 9042, 9092, 9100, 9200, 9300, 10250, 11211, 15672, 25672, 27017, 27018, 50070, 61616,
}

// checkPort reports whether a web server can be expected on a port.
func checkPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && (n == 80 || n == 443 || n > 1023) && !slices.Contains(services, n)
}

// CheckAddress rejects a URL with a private address in it, for which each request would
// fail. Names are checked when the client connects.
func CheckAddress(bad *fault.Fields, field, raw string, allowPrivate bool) {
	u, err := url.Parse(raw)
	if err != nil {
		return // CheckURL reports it
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		host = "127.0.0.1"
	}
	ip, err := netip.ParseAddr(host)
	if err == nil && !allowPrivate && ssrf.New().SafeAddr(ip.Unmap().WithZone("")) != nil {
		bad.Add(field, "private_address", "must be a public address, unless the operator sets SLIPWAY_ALLOW_PRIVATE_WEBHOOKS")
	}
}

// CheckURL validates a URL from a request. The address that it resolves to is
// checked when the client connects.
func CheckURL(bad *fault.Fields, field, raw string, live bool) {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "" || (u.Scheme != "http" && u.Scheme != "https"):
		bad.Add(field, "format", "must be a URL such as https://example.com/hook")
	case !checkPort(u.Port()):
		bad.Add(field, "port", "must not have port %s, which other services use; use 443", u.Port())
	case live && u.Scheme != "https":
		bad.Add(field, "https", "must start with https:// in the live environment")
	case u.User != nil:
		bad.Add(field, "format", "must not contain a user name or a password")
	case u.Fragment != "":
		bad.Add(field, "format", "must not contain a fragment")
	}
}
