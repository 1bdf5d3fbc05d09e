package app

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Health returns an error unless the server of these settings, on this machine, is ready. It
// is for images without curl.
func Health(ctx context.Context, s Settings) error {
	host, port, err := net.SplitHostPort(s.Listen)
	if err != nil {
		return fmt.Errorf("SLIPWAY_LISTEN: %w", err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1" // an empty image doesn't know localhost
	}

	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	status, text, err := readyz(ctx, "http://"+net.JoinHostPort(host, port))
	if status == http.StatusBadRequest { // the server speaks only TLS
		status, text, err = readyz(ctx, "https://"+net.JoinHostPort(host, port))
	}
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("the server is not ready: %s", text)
	}
	return err
}

// onThisMachine accepts any certificate, because it names the public address.
var onThisMachine = &http.Client{Transport: &http.Transport{
	TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // the connection doesn't leave the machine
	DisableKeepAlives: true,
}}

// readyz requests /readyz.
func readyz(ctx context.Context, server string) (status int, text string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server+"/readyz", nil)
	if err != nil {
		return 0, "", err
	}
	res, err := onThisMachine.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 200))
	return res.StatusCode, strings.TrimSpace(string(body)), err
}

// IsPublicHTTP reports whether a URL is unencrypted and not on this machine.
func IsPublicHTTP(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback())
}
