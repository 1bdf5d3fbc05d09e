package oidc

import (
	"errors"
	"io"
	"net/http"
)

// maxResponse limits the size of a response of a provider.
const maxResponse = 1 << 20

// limited returns a client that fails for large responses. The library reads them
// completely.
func limited(client *http.Client) *http.Client {
	c := *client
	next := c.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	c.Transport = limitedTransport{next}
	return &c
}

type limitedTransport struct{ next http.RoundTripper }

func (t limitedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := t.next.RoundTrip(r)
	if err == nil {
		res.Body = &limitedBody{res.Body, maxResponse}
	}
	return res, err
}

var errTooLarge = errors.New("the response is larger than 1 MiB")

type limitedBody struct {
	io.ReadCloser
	left int
}

func (b *limitedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLarge
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
